#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# pingpong.sh PROGRAM ARGUMENT...: ibv_uc_pingpong, _ud_, _srq_ or _xsrq_ between two
# processes. With -c all but the last compare every byte of their buffers; ibv_xsrq_pingpong
# always does.
. "$(dirname "$0")/../../lib/pair.sh"

needs "$1"
pair "$@" -g 1

for side in server client; do
	grep 'iters in\|^success' "$work/$side.log" || fail "no result of the $side"
done
if grep -i 'invalid data' "$work"/*.log; then
	fail 'wrong data arrived'
fi
