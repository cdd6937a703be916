#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs the exporter on the function of the host and the tests on that of the DPU.
#
#	run.sh DVKIT-EMU DEVICE HOST-PROGRAM TEST-PROGRAM [FILTER]
set -eu
emu=$1 device=$2 host=$3 tests=$4 filter=${5:-*}
work=$(mktemp -d)
server=
trap 'status=$?; [ -z "$server" ] || kill "$server" 2>/dev/null || true; wait; rm -rf "$work"; exit $status' EXIT
export CROSS_VHCA_SOCKET=$work/socket
fabric=cross_vhca-$$
"$emu" --fabric "$fabric" --device "$device" --as host -- "$host" "$CROSS_VHCA_SOCKET" &
server=$!
"$emu" --fabric "$fabric" --device "$device" --as dpu -- "$tests" --jobs 1 --filter "$filter"
