#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# flow_captured.sh FOLDER: what flow_count and flow_drop report is what tcpdump finds in a capture of the same run.
. "$(dirname "$0")/../../lib/pair.sh"

needs tcpdump

# captured FILTER: packets and octets of the frames that match.
captured() {
	tcpdump -nn -e -r "$work/run.pcap" "$1" 2>/dev/null |
		awk '{ match($0, /length [0-9]+:/); n++; octets += substr($0, RSTART + 7) } END { print n + 0, octets + 0 }'
}

emu_options=(--pcap "$work/run.pcap")
alone "$1/flow_count"
read -r udp udp_octets < <(captured 'udp port 1000')
read -r tcp tcp_octets < <(captured 'tcp port 1000')
expected="UDP: $udp packets, $udp_octets octets; TCP: $tcp packets, $tcp_octets octets"
[ "$(tail -n 1 "$work/alone.log")" = "$expected" ] || fail "tcpdump says: $expected"
[ "$udp" = 3 ] && [ "$tcp" = 7 ] || fail 'other packets were sent'

rm "$work/run.pcap"
alone "$1/flow_drop"
read -r passed _ < <(captured 'udp dst port 1000')
read -r dropped _ < <(captured 'udp dst port 1001')
[ "$passed $dropped" = '10 10' ] || fail "tcpdump found $passed and $dropped packets"
[ "$(grep -c 'for port 1000$' "$work/alone.log")" = 10 ] || fail 'port 1000 lost some'
[ "$(grep -c 'for port 1001$' "$work/alone.log")" = 5 ] || fail 'port 1001: those of the second round only'
