#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The view of dvkit-emu --wire from a host of the network: frames that tcpdump captured on the cable between two hosts,
# over IPv4, IPv6 and RoCE v1. tshark finds nothing wrong, and frames.py checks the headers and each ICRC.
export DVKIT_TEST_HOSTS=2
. "$(dirname "$0")/../../lib/pair.sh"

needs tcpdump tshark ib_send_bw ib_read_bw

# Errors and malformed packets. The UDP checksum is 0 (annex A17), which tshark does not expect over IPv6.
remarks='_ws.malformed || (_ws.expert.severity >= 8388608 && !udp.checksum.zero)'

# GIDs 0, 2: RoCE v1; 3: IPv4; 5: IPv6 (dvkit-emu(1), NETWORK)
for gid in 0 2 3 5; do
	"${server_on[@]}" tcpdump -i dvh0 -U --immediate-mode -s 2000 -B 8192 -w "$work/$gid.pcap" 'udp port 4791 or ether proto 0x8915' \
		>"$work/tcpdump.out" 2>&1 &
	tcpdump=$!
	until grep -q 'listening on' "$work/tcpdump.out"; do
		kill -0 $tcpdump || fail 'tcpdump does not start'
		sleep 0.05
	done
	pair ib_send_bw -F -x $gid -n 20 -s 3000 --tclass 106
	pair ib_read_bw -F -x $gid -n 20 -s 3000 --tclass 106
	tries=200 # the last frames are on their way to the file
	until [ "$(tshark -r "$work/$gid.pcap" -Y infiniband.bth.opcode==15 2>/dev/null | wc -l)" = 20 ]; do
		[ $((tries -= 1)) -gt 0 ] || fail 'READ responses are missing in the capture'
		sleep 0.05
	done
	kill $tcpdump
	wait $tcpdump || true
	tshark -r "$work/$gid.pcap" -Y "$remarks" >"$work/tshark.log" 2>/dev/null
	[ ! -s "$work/tshark.log" ] || fail "tshark has remarks on frames of GID $gid"
	/usr/bin/python3 "$(dirname "$0")/frames.py" "$work/$gid.pcap" $gid 106 >"$work/frames.log" 2>&1 ||
		fail "frames of GID $gid"
	cat "$work/frames.log"
done

# Refusals, in one line: another user, an address of another host, a path MTU that does not fit.
refused() {
	expect_status 125 "${client_on[@]}" "$@"
	has_lines 1 ''
	grep -qF -- "$words" "$work/err" || fail "$*: it does not say '$words'"
}
words='no network interface has the address 10.7.0.1; there are: 127.0.0.1 (lo) 10.7.0.2 (dvh0)' \
	refused "$emu" --wire udp:10.7.0.1 -- true
words='dvh0 has MTU 1500, enough for 1024; 2048 needs 2144' refused "$emu" --wire udp --mtu 2048 -- true
words='it is udp, or udp:ADDRESS' refused "$emu" --wire tcp -- true
words='--wire and --ip' refused "$emu" --wire udp --ip 10.7.0.2 -- true
words='CAP_NET_RAW' refused setpriv --bounding-set -net_raw --inh-caps -net_raw "$emu" --wire udp -- true

# A program that has lost the privilege says so too, and has no device.
status=0
"${client_on[@]}" "$emu" --wire udp -- setpriv --bounding-set -net_raw --inh-caps -net_raw ibv_devinfo \
	>"$work/refused.log" 2>&1 || status=$?
[ $status != 0 ] || fail 'a device without sockets'
grep -q 'CAP_NET_RAW' "$work/refused.log" || fail 'no reason'

# Another user of the port, as Soft-RoCE is.
"${client_on[@]}" /usr/bin/python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 4791))
print("bound", flush=True)
time.sleep(60)' >"$work/holder.out" &
holder=$!
until grep -q bound "$work/holder.out"; do sleep 0.05; done
status=0
"${client_on[@]}" "$emu" --wire udp -- ibv_devinfo >"$work/refused.log" 2>&1 || status=$?
kill $holder
[ $status != 0 ] || fail 'two users of UDP port 4791'
grep -q 'UDP port 4791 of the address is in use' "$work/refused.log" || fail 'no reason'
