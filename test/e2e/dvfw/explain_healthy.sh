#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvfw explain of what tools print about the adapters of the emulator: it is known, and no fault is named. Tools that are not
# installed are left out.
#
#	explain_healthy.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 dvfw=$2
outputs=0

# healthy DEVICE COMMAND...
healthy() {
	command -v "$2" >/dev/null || return 0
	outputs=$((outputs + 1))
	emulated --device "$1" -- "${@:2}" >"$work/text" 2>&1
	[ -s "$work/text" ] || return 0
	expect_output 0 ': healthy \(output\)$' timeout 20 "$dvfw" explain "$work/text"
	lacks 'likely causes|^lines? .* \((kernel|verbs_call|work_completion|syndrome)\)'
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
[ $outputs -ge 3 ] || fail "$outputs outputs"
