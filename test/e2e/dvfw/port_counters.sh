#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The port's counters are the adapter's: what perftest sends, which is not dvkit's, other programs of that adapter see in
# PPCNT and in dvfw top, also after it has ended.
#
#	port_counters.sh LAUNCHER DVFW
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"
command -v ib_send_bw >/dev/null || { echo 'no perftest'; exit 77; }
fabric=portc-$$
on() {
	local ip=$1
	shift
	timeout 60 "$emu" --fabric "$fabric" --ip "$ip" -- "$@"
}
run() {
	on 192.168.0.1 "$dvfw" "$@"
}

# Until the file has the line, or 30 s.
wait_for() {
	for _ in $(seq 300); do
		grep -qE "$2" "$1" 2>/dev/null && return
		sleep 0.1
	done
	fail "no line '$2': $(cat "$1")"
}

# FRAMES datagrams of 1024 bytes from 192.168.0.1 to .2: Ethernet 14, IPv4 20, UDP 8, BTH 12, DETH 8, ICRC 4.
frames=100
octets=$((frames * (14 + 20 + 8 + 12 + 8 + 1024 + 4)))
port=$((20000 + $$ % 10000))
send() {
	on 192.168.0.2 stdbuf -oL ib_send_bw -c UD -s 1024 -n $frames -p $port >"$dir/server" 2>&1 &
	local server=$!
	wait_for "$dir/server" 'Waiting for client'
	on 192.168.0.1 ib_send_bw -c UD -s 1024 -n $frames -p $port 127.0.0.1 >"$dir/client" 2>&1 ||
		fail "client: $(cat "$dir/client")"
	wait $server || fail "server: $(cat "$dir/server")"
}

# It keeps the fabric, and shows what arrives there.
timeout 60 "$emu" --fabric "$fabric" -- "$dvfw" top --json -n 1000000 -i 0.05 >"$dir/top" 2>&1 &
top=$!
wait_for "$dir/top" counters
says 0 'fields are zero' reg PPCNT local_port=1 grp=RFC_2863
send
says 0 "^if_out_ucast_pkts = $frames\$" reg PPCNT local_port=1 grp=RFC_2863
says 0 "^if_out_octets = $octets\$" reg PPCNT local_port=1 grp=RFC_2863
says 0 "^a_frames_transmitted_ok = $frames\$" reg PPCNT local_port=1 grp=IEEE_802_3
on 192.168.0.2 "$dvfw" reg PPCNT local_port=1 grp=RFC_2863 >"$dir/out"
grep -qx "if_in_octets = $octets" "$dir/out" || fail "of the other adapter: $(cat "$dir/out")"
grep -q '^if_out' "$dir/out" && fail "counted at the wrong adapter: $(cat "$dir/out")"

# Again, now by processes that take the places of those that have ended.
send
wait_for "$dir/top" "\"name\": *\"if_out_octets\", *\"value\": *$((2 * octets))"
kill $top
wait $top
/usr/bin/python3 - "$dir/top" $((2 * frames)) $((2 * octets)) <<'PYTHON' || fail 'top'
import json, sys
readings = [{c["name"]: c["value"] for c in json.loads(line)["counters"] if c["source"] == "port"}
	    for line in open(sys.argv[1])]
sent = [r["if_out_octets"] for r in readings if "if_out_octets" in r]
assert sent == sorted(sent), "a counter became less"
assert readings[-1]["if_out_ucast_pkts"] == int(sys.argv[2]), readings[-1]
assert readings[-1]["if_out_octets"] == int(sys.argv[3]), readings[-1]
PYTHON
exit $failed
