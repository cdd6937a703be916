#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# eth_echo is a host for the kernel: ARP, and pings of several lengths through a TAP interface, none lost. tcpdump
# looks at the checksums of what is answered.
#
#	eth_echo.sh BUILD/bin/eth_echo
echo_sample=$(realpath "$1")
. "$(dirname "$0")/../../lib/pair.sh"

needs ip ping tcpdump unshare
own_network "$@"

"$emu" --fabric "$fabric" --tap dvtap0 -- "$echo_sample" >"$work/echo.log" 2>&1 &
server_pid=$!
for _ in $(seq 200); do
	grep -q ' is at ' "$work/echo.log" && break
	kill -0 $server_pid 2>/dev/null || fail 'eth_echo ended'
	sleep 0.1
done
ip address add 192.168.0.100/24 dev dvtap0
timeout 60 tcpdump -i dvtap0 -nn -c 240 -w "$work/all.pcap" icmp 2>"$work/tcpdump.log" &
dump=$!
until_true grep -q 'listening on' "$work/tcpdump.log"
# ping waits for the last answer twice as long as for the others, which may be too short: tcpdump counts.
for bytes in 0 1 56 57 1000 1472; do
	ping -n -c 20 -i 0.01 -W 10 -s $bytes 192.168.0.1 >"$work/ping.log" 2>&1 || fail "ping -s $bytes"
done
wait $dump || fail 'tcpdump did not see 240 packets'
tcpdump -nn -v -r "$work/all.pcap" >"$work/packets.log" 2>&1
has_lines 120 'ICMP echo reply' "$work/packets.log"
lacks 'bad cksum|wrong icmp cksum|\(wrong' "$work/packets.log"
ip neighbour show 192.168.0.1 dev dvtap0 | grep -q 02:c5:c0:a8:00:01 || fail 'ARP learned another address'
# The launcher passes signals on.
kill -INT $server_pid
wait $server_pid || fail "eth_echo ended with $?"
server_pid=
has '^[0-9]+ packets, [0-9]+ answers to ARP, 120 to ping$' "$work/echo.log"
tail -n 1 "$work/echo.log"
