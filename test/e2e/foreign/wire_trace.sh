#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Two processes on one fabric are two adapters: in the trace each has its own slot, and
# what one sends, the other receives.
. "$(dirname "$0")/../../lib/pair.sh"

needs ibv_rc_pingpong
emu_options=(--trace wire)
pair ibv_rc_pingpong -g 1 -c -n 10

# Every line of a trace starts with the slot of the process: "[1] wire …".
slots() {
	sed -n 's/^\[ *\([0-9]*\)\] *wire.*/\1/p' "$work/$1.log" | sort -u
}

[ "$(slots server | wc -l)" = 1 ] || fail 'the server does not have one slot'
[ "$(slots client | wc -l)" = 1 ] || fail 'the client does not have one slot'
[ "$(slots server)" != "$(slots client)" ] || fail 'both processes have the same slot'
