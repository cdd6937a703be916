#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Registers written by fwctl, and what other programs of the adapter see of it: ibv_devinfo, ibv_asyncwatch and
# perftest, which are not dvkit's.
#
#	register_write.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"
fabric=regw-$$
on() {
	local ip=$1
	shift
	timeout 60 "$emu" --fabric "$fabric" --ip "$ip" -- "$@"
}
run() {
	on 192.168.0.1 "$dvfw" --via=fwctl "$@"
}

# Until the file has the line, or 30 s.
wait_for() {
	for _ in $(seq 300); do
		grep -qE "$2" "$1" && return
		sleep 0.1
	done
	fail "no line '$2': $(cat "$1")"
}
paos() {
	says 0 "^oper_status = .* $1\$" reg --write PAOS local_port=1 "admin_status=$1" ase=1
}
port() {
	on "$1" ibv_devinfo -v >"$dir/out"
	grep -Eq "$2" "$dir/out" || fail "ibv_devinfo of $1 has no '$2'"
}

# A program of the adapter keeps its fabric, and with that what registers set.
on 192.168.0.1 stdbuf -oL ibv_asyncwatch >"$dir/watch" 2>&1 &
watch=$!
wait_for "$dir/watch" 'async event FD'

says 0 '^admin_status = 0x1 UP' reg --write PAOS local_port=1 admin_status=DOWN
paos DOWN
wait_for "$dir/watch" 'IBV_EVENT_PORT_ERR .*port 1'
port 192.168.0.1 'state:.*PORT_DOWN'
port 192.168.0.1 'phys_state:.*DISABLED'
port 192.168.0.2 'state:.*PORT_ACTIVE'
says 0 'link_down_events = 0x1$' reg PPCNT local_port=1 grp=PHYSICAL_LAYER
says 0 '^eth_proto_admin = 0x8000000 25GBASE_CR$' reg --write PTYS local_port=1 proto_mask=EN \
	eth_proto_admin=0x8000000
paos UP
wait_for "$dir/watch" 'IBV_EVENT_PORT_ACTIVE .*port 1'
port 192.168.0.1 'state:.*PORT_ACTIVE'
port 192.168.0.1 'active_width:.*1X'
port 192.168.0.1 'active_speed:.*25.0 Gbps'
says 0 '^pfctx = 0x8' reg --write PFCC local_port=1 pptx=0 pfctx=8 prio_mask_tx=8
says 1 'this register can only be read' reg --write PMTU local_port=1 admin_mtu=1500
says 1 'a field is out of range' reg --write PAOS local_port=1 admin_status=UP_ONCE ase=1
says 1 'users of DevX write few registers or none: --via=fwctl' --via=devx reg --write PAOS local_port=1 ase=1

# RC repeats what was lost while the link was away; if it does not come back, the retries are exceeded: seven of 537 ms
# (-u 17), longer than two runs of dvfw take on a busy machine.
# perftest STATUS REGEX SECONDS: a bandwidth test from one adapter to the other, whose link goes down.
perftest() {
	on 192.168.0.2 stdbuf -oL ib_write_bw -u 17 -D "$3" -p $((20000 + $$ % 10000)) >"$dir/server" 2>&1 &
	local server=$!
	wait_for "$dir/server" 'Waiting for client'
	on 192.168.0.1 stdbuf -oL ib_write_bw -u 17 -D "$3" -p $((20000 + $$ % 10000)) 127.0.0.1 >"$dir/client" 2>&1 &
	local client=$!
	wait_for "$dir/client" '^ #bytes'
	paos DOWN
	[ "$1" != 0 ] || paos UP
	wait $client
	local got=$?
	cp "$dir/client" "$dir/out"
	if [ "$1" = 0 ]; then
		[ $got = 0 ] || fail "ib_write_bw: status $got"
	else
		[ $got != 0 ] || fail 'ib_write_bw succeeds without a link'
		kill $server 2>/dev/null
	fi
	grep -Eq "$2" "$dir/out" || fail "ib_write_bw: no line '$2'"
	wait $server 2>/dev/null
}
if command -v ib_write_bw >/dev/null; then
	perftest 0 '^ 65536 +[1-9]' 4
	perftest 1 'Completion with error|syndrom|Failed' 20
fi

kill $watch 2>/dev/null
wait $watch 2>/dev/null
exit $failed
