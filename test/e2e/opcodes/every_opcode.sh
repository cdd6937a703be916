#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# every_opcode.sh PROGRAM: captures of every opcode that has a public format, over IPv4 and IPv6: tshark finds
# nothing wrong, and opcodes.py compares each frame with what was posted.
. "$(dirname "$0")/../../lib/pair.sh"

needs tshark
needs_modules scapy
# The UDP checksum is 0 (annex A17), which tshark does not expect over IPv6.
remarks='_ws.malformed || (_ws.expert.severity >= 8388608 && !udp.checksum.zero)'
for family in v4 v6; do
	emu_options=("--pcap=$work/$family.pcap")
	alone "$1" $family
	cp "$work/alone.log" "$work/$family.posted"
	# what tshark takes a payload for by its first bytes is switched off
	tshark -r "$work/$family.pcap" --disable-protocol rpcordma --disable-protocol iser -Y "$remarks" \
		>"$work/tshark.log" 2>/dev/null
	[ ! -s "$work/tshark.log" ] || fail "tshark has remarks on frames of IP$family"
	/usr/bin/python3 "$(dirname "$0")/opcodes.py" "$work/$family.pcap" "$work/$family.posted" \
		>"$work/opcodes.log" 2>&1 || fail "frames of IP$family"
	cat "$work/opcodes.log"
done
