#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Linux' own driver on the emulator, see guest.sh: mlx5_core, mlx5e and mlx5_ib have to bind, to send between two
# programs, and to unbind, twice, and the kernel's log must have nothing above "info". With CALLS, verbs_calls, it
# executes that before it unbinds the last time, and CALLS runs once more under dvkit-emu: the calls and the firmware
# commands of both are compared, see compare.py.
#
#	probe.sh KERNEL BIN ROOT [CALLS]
#
# Exit status 77: something is missing here.
set -eu
kernel=$1 bin=$2 root=$3 calls=${4-}
turns=${TURNS:-2}
sequences=${calls:+${SEQUENCES:-1000}} # of random calls

# shellcheck source=guest.sh
. "$(dirname "$(readlink -f "$0")")/guest.sh"
guest_modules+=(rdma_ucm)
guest_start ibv_{rc,uc,ud,srq}_pingpong rping ucmatose ${calls:+"$calls"}
guest_traced function
guest_boot function "TEST=verbs TURNS=$turns SEQUENCES=$sequences" || fail 'the guest did not end'

for ((turn = 1; turn <= turns; turn++)); do
	guest_said function "turn $turn bound 0x15b3 0x1017" "turn $turn: mlx5_core did not bind"
	guest_said function "turn $turn netdev 02:c5:c0:a8:00:01" "turn $turn: there is no network device"
	guest_said function "turn $turn port 4: ACTIVE" "turn $turn: the port did not become active"
	for kind in rc uc ud srq; do
		guest_said function "turn $turn $kind" "turn $turn: ibv_${kind}_pingpong"
	done
	guest_said function "turn $turn rping" "turn $turn: rping"
	guest_said function "turn $turn ucmatose" "turn $turn: ucmatose"
	guest_said function "turn $turn unbound" "turn $turn: mlx5_core did not unbind"
done
guest_log function
[ -z "$calls" ] || guest_said function calls 'verbs_calls did not end well'
guest_end
echo "Linux $(basename "$kernel"/lib/modules/*): mlx5_core and mlx5_ib bound, sent and unbound $turns times," \
	"$(guest_commands function)"
[ -n "$calls" ] || exit 0

# The same program under dvkit-emu.
"$bin/dvkit-emu" --fabric "${work##*/}" --trace fw --trace-file "$work/emulated.trace" -- \
	"$calls" "$sequences" >"$work/emulated" || fail 'verbs_calls did not end well on the emulator'
status=0
python3 "$here/compare.py" calls "$work/emulated" "$work/function.out" || status=1
python3 "$here/compare.py" commands "$work/emulated.trace" "$work/function.trace" "$work/emulated" "$work/function.out" ||
	status=1
exit $status
