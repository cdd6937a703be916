#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# eth_pingpong.sh ETH_PINGPONG: its two ends in two processes. tcpdump reads what was on the network: 20 datagrams in each
# direction, the addresses exchanged, all checksums right.
. "$(dirname "$0")/../../lib/pair.sh"

needs tcpdump
port=$(free_port)
emu_options=(--ip 192.168.0.1 --pcap "$work/pong.pcap")
command_of "$1" -n 20 -p "$port" -l
"${command[@]}" >"$work/server.log" 2>&1 </dev/null &
server_pid=$!
await_server "$port"
emu_options=(--ip 192.168.0.2)
command_of "$1" -n 20 -p "$port" 127.0.0.1
"${command[@]}" >"$work/client.log" 2>&1 || fail "the client ended with $?"
wait $server_pid || fail "the server ended with $?"
server_pid=
for side in server client; do
	has '^20 packets there and back$' "$work/$side.log"
done
tcpdump -nn -e -vv -r "$work/pong.pcap" udp port 9000 2>/dev/null | paste - - | tr "\t" " " >"$work/packets.log"
there=" 192.0.2.1.9000 > 192.0.2.2.7: .udp sum ok. UDP, length 64"
back=" 192.0.2.2.7 > 192.0.2.1.9000: .udp sum ok. UDP, length 64"
has_lines 20 "02:c5:c0:a8:00:02 > 02:c5:c0:a8:00:01.*$there" "$work/packets.log"
has_lines 20 "02:c5:c0:a8:00:01 > 02:c5:c0:a8:00:02.*$back" "$work/packets.log"
lacks 'bad cksum' "$work/packets.log"
