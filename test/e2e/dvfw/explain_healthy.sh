#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw explain of what tools print about the adapters of the emulator: it is known, and no fault is named. Tools that are not
# installed are left out.
#
#	explain_healthy.sh LAUNCHER DVFW
set -u
emu=$1 dvfw=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0 outputs=0

# healthy DEVICE COMMAND...
healthy() {
	local device=$1
	shift
	command -v "$1" >/dev/null || return 0
	outputs=$((outputs + 1))
	timeout 60 "$emu" --fabric "healthy-$$" --device "$device" -- "$@" >"$dir/text" 2>&1
	[ -s "$dir/text" ] || return 0
	if ! timeout 20 "$dvfw" explain "$dir/text" >"$dir/out" 2>&1 || ! grep -q ': healthy (output)$' "$dir/out" ||
		grep -Eq 'likely causes|^lines? .* \((kernel|verbs_call|work_completion|syndrome)\)' "$dir/out"; then
		echo "FAIL: $* on $device"
		cat "$dir/text" "$dir/out"
		failed=1
	fi
}

for device in cx5 cx6dx cx7 cx8 bf2 bf3; do
	healthy $device ibv_devinfo -v
	healthy $device ibstat
	healthy $device ibstatus
	healthy $device rdma link
	healthy $device rdma -d dev show
	healthy $device lspci -vv -d 15b3:
done
healthy cx5 ibv_devinfo
healthy cx5 ibv_devices
healthy cx5 ibstat -l
healthy cx5 rdma -d link show
healthy cx5 rdma resource show
healthy cx5 rdma statistic show
healthy cx5 rdma system show
healthy cx5 lspci -nn
healthy cx5 ethtool lo
# While a program has queues.
healthy cx5 sh -c 'ibv_asyncwatch & sleep 1; rdma resource show; rdma resource show ctx; rdma resource show pd; kill $!'
echo "$outputs outputs"
[ $outputs -ge 3 ] || failed=1
exit $failed
