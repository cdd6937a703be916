#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Registers written by fwctl, and what other programs of the adapter see of it: ibv_devinfo, ibv_asyncwatch and
# perftest, which are not dvkit's.
#
#	register_write.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"
. "$(dirname "$0")/../../lib/tcp.sh"
port=$(free_port)
on() {
	emulated --ip "$1" -- "${@:2}"
}
run() {
	on 192.168.0.1 "$dvfw" --via=fwctl "$@"
}

paos() {
	says 0 "^oper_status = .* $1\$" reg --write PAOS local_port=1 "admin_status=$1" ase=1
}
port() {
	expect_output 0 "$2" on "$1" ibv_devinfo -v
}

# A program of the adapter keeps its fabric, and with that what registers set.
on 192.168.0.1 stdbuf -oL ibv_asyncwatch >"$work/watch" 2>&1 &
at_exit "kill $!"
until_true grep -qE -e 'async event FD' "$work/watch"

says 0 '^admin_status = 0x1 UP' reg --write PAOS local_port=1 admin_status=DOWN
paos DOWN
until_true grep -qE -e 'IBV_EVENT_PORT_ERR .*port 1' "$work/watch"
port 192.168.0.1 'state:.*PORT_DOWN'
port 192.168.0.1 'phys_state:.*DISABLED'
port 192.168.0.2 'state:.*PORT_ACTIVE'
says 0 'link_down_events = 0x1$' reg PPCNT local_port=1 grp=PHYSICAL_LAYER
says 0 '^eth_proto_admin = 0x8000000 25GBASE_CR$' reg --write PTYS local_port=1 proto_mask=EN \
	eth_proto_admin=0x8000000
paos UP
until_true grep -qE -e 'IBV_EVENT_PORT_ACTIVE .*port 1' "$work/watch"
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
	rm -f "$work/server" "$work/client"
	on 192.168.0.2 ib_write_bw -u 17 -D "$3" -p "$port" >"$work/server" 2>&1 &
	local server=$!
	until_listening "$port" $server || fail "server: $(cat "$work/server")"
	on 192.168.0.1 stdbuf -oL ib_write_bw -u 17 -D "$3" -p "$port" 127.0.0.1 >"$work/client" 2>&1 &
	local client=$!
	until_true grep -qE -e '^ #bytes' "$work/client"
	paos DOWN
	[ "$1" != 0 ] || paos UP
	wait $client
	local got=$?
	cp "$work/client" "$work/out"
	if [ "$1" = 0 ]; then
		expect_equal 'status of ib_write_bw' $got 0
	else
		[ $got != 0 ] || fail 'ib_write_bw succeeds without a link'
		kill $server 2>/dev/null
	fi
	grep -Eq "$2" "$work/out" || fail "ib_write_bw: no line '$2'"
	wait $server 2>/dev/null || true
}
if command -v ib_write_bw >/dev/null; then
	perftest 0 '^ 65536 +[1-9]' 4
	perftest 1 'Completion with error|syndrom|Failed' 20
fi
