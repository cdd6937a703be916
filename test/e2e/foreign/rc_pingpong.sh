#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# rc_pingpong.sh ARGUMENT...: ibv_rc_pingpong between two processes, which compares every
# byte of its buffer (-c). Each end knows the other by the QPN that the other says it has,
# and the two QPNs differ: neither talks to itself.
. "$(dirname "$0")/../../lib/pair.sh"

needs ibv_rc_pingpong
pair ibv_rc_pingpong -g 1 -c "$@"

# qpn LOG WHICH: the "local" or "remote" QPN as ibv_rc_pingpong prints it.
qpn() {
	sed -n "s/^ *$2 address:.* QPN \(0x[0-9a-f]*\),.*/\1/p" "$work/$1.log"
}

[ -n "$(qpn server local)" ] || fail 'the server prints no QPN'
[ "$(qpn server local)" != "$(qpn client local)" ] || fail 'both ends have the same QPN'
[ "$(qpn server local)" = "$(qpn client remote)" ] || fail 'the client talks to another QP'
[ "$(qpn client local)" = "$(qpn server remote)" ] || fail 'the server talks to another QP'
grep -h 'iters in' "$work/server.log" "$work/client.log" || fail 'no result'
if grep -i 'invalid data' "$work"/*.log; then
	fail 'wrong data arrived'
fi
