#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The rules and packets of testpmd.sh, with the library's flow in place of DPDK: the same text, the same queues.
#
#	flow_rules.sh PROGRAM BACKEND
. "$(dirname "$0")/../../../lib/pair.sh"

here=$(dirname "$(realpath "$0")")
needs_modules scapy.all
/usr/bin/python3 "$here/rules.py" packets "$work/packets.pcap"
/usr/bin/python3 "$here/rules.py" commands >"$work/rules"
# All packets but the two that are dropped; these are not the last ones.
timeout -k 5 "$limit" "$emu" --fabric "$fabric" --ip 192.168.0.2 --check -- "$1" "$2" 21 \
	<"$work/rules" >"$work/flow.log" 2>&1 &
server_pid=$!
for ((i = 0; i < limit * 10; i++)); do
	! grep -q 'rules are installed' "$work/flow.log" || break
	kill -0 $server_pid 2>/dev/null || fail 'the rules were not installed'
	sleep 0.1
done
# A program with a receive queue makes dvkit-emu inject.
timeout "$limit" "$emu" --fabric "$fabric" --ip 192.168.0.9 --inject "$work/packets.pcap" -- \
	"${DVKIT_BIN:-$(dirname "$emu")}/eth_echo" >"$work/inject.log" 2>&1 &
injector=$!
status=0
wait $server_pid || status=$?
server_pid=
kill $injector
wait $injector || true
[ $status = 0 ] || fail "it ended with $status"
/usr/bin/python3 "$here/rules.py" check "$work/flow.log" || fail 'packets in the wrong queue'
grep -q 'check: 0 findings' "$work/flow.log" || fail 'findings'
