#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs the exporter on the function of the host and the tests on that of the DPU.
#
#	run.sh DVKIT-EMU DEVICE HOST-PROGRAM TEST-PROGRAM [FILTER]
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 device=$2 host=$3 tests=$4 filter=${5:-*}
at_exit 'kill $! 2>/dev/null; wait'
export CROSS_VHCA_SOCKET=$work/socket
"$emu" --fabric "$fabric" --device "$device" --as host -- "$host" "$CROSS_VHCA_SOCKET" &
"$emu" --fabric "$fabric" --device "$device" --as dpu -- "$tests" --jobs 1 --filter "$filter"
