#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Linux' own driver on the emulator, see guest.sh: mlx5_core, mlx5e and mlx5_ib have to bind, to send between two
# programs, and to unbind, twice, and the kernel's log must have nothing above "info"; the first time after a function
# level reset, and once more after kexec(8) under a driver that has it. With CALLS, verbs_calls, in place of kexec, it
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
guest_start ibv_{rc,uc,ud,srq}_pingpong rping ucmatose kexec ${calls:+"$calls"}
(cd "$work" && echo vmlinuz | cpio --quiet -o -H newc) >>"$work/initramfs.cpio"
device=()
if [ -n "$calls" ]; then
	# Where UMR can list the pages of a region the kernel registers without a command that names them, and the
	# emulator with one: so not on this device. A machine's function has no on-demand paging.
	"$bin/dvkit-emu" --fabric "${work##*/}" -- "$bin/dvfw" caps --json | python3 -c '
import json, sys
dump = json.load(sys.stdin)
del dump["caps"]["ODP"]
for which in "current", "max":
    dump["caps"]["GENERAL"][which].update(umr_modify_entity_size_disabled=1, pg=0)
json.dump(dump, sys.stdout)' >"$work/device"
	device=(--device "$work/device")
fi
guest_traced function "${device[@]}"
[ -n "$calls" ] || sequences+=' KEXEC=1'
guest_boot function "TEST=verbs TURNS=$turns SEQUENCES=$sequences" || fail 'the guest did not end'

guest_said function reset 'no reset of the function'
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
if [ -n "$calls" ]; then
	guest_said function calls 'verbs_calls did not end well'
else
	sed -n '/^guest: kexec/,$p' "$work/function.said" >"$work/again.said"
	guest_said again 'turn 1 ucmatose' 'no program ran after kexec'
	guest_said again 'turn 1 unbound' 'mlx5_core did not unbind after kexec'
	guest_log again
fi
guest_end
echo "Linux $(basename "$kernel"/lib/modules/*): mlx5_core and mlx5_ib bound, sent and unbound $turns times," \
	"$(guest_commands function)"
[ -n "$calls" ] || exit 0

# The same program under dvkit-emu.
"$bin/dvkit-emu" --fabric "${work##*/}" "${device[@]}" --trace fw --trace-file "$work/emulated.trace" -- \
	"$calls" "$sequences" >"$work/emulated" || fail 'verbs_calls did not end well on the emulator'
status=0
python3 "$here/compare.py" calls "$work/emulated" "$work/function.out" || status=1
python3 "$here/compare.py" commands "$work/emulated.trace" "$work/function.trace" "$work/emulated" "$work/function.out" ||
	status=1
exit $status
