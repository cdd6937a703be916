#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The port's counters are the adapter's: what perftest sends, which is not dvkit's, other programs of that adapter see in
# PPCNT and in dvfw top, also after it has ended.
#
#	port_counters.sh LAUNCHER DVFW ETH_PINGPONG
set -u
. "$(dirname "$0")/../../lib/dvfw_says.sh"
. "$(dirname "$0")/../../lib/tcp.sh"
needs ib_send_bw
pong=$3
on() {
	emulated --ip "$1" -- "${@:2}"
}
run() {
	on 192.168.0.1 "$dvfw" "$@"
}

# FRAMES datagrams of 1024 bytes from 192.168.0.1 to .2: Ethernet 14, IPv4 20, UDP 8, BTH 12, DETH 8, ICRC 4. The port
# counts the FCS of each, too, the vport does not.
frames=100
at_vport=$((frames * (14 + 20 + 8 + 12 + 8 + 1024 + 4)))
octets=$((at_vport + 4 * frames))
port=$(free_port)
send() {
	on 192.168.0.2 ib_send_bw -c UD -s 1024 -n $frames -p $port >"$work/server" 2>&1 &
	local server=$!
	until_listening "$port" $server || fail "server: $(cat "$work/server")"
	on 192.168.0.1 ib_send_bw -c UD -s 1024 -n $frames -p $port 127.0.0.1 >"$work/client" 2>&1 ||
		fail "client: $(cat "$work/client")"
	wait $server || fail "server: $(cat "$work/server")"
}

# It keeps the fabric, and shows what arrives there.
"$emu" --fabric "$fabric" -- "$dvfw" top --json -n 1000000 -i 0.05 >"$work/top" 2>&1 &
top=$!
until_true grep -qE -e counters "$work/top"
says 0 'fields are zero' reg PPCNT local_port=1 grp=RFC_2863
send
says 0 "^if_out_ucast_pkts = $frames\$" reg PPCNT local_port=1 grp=RFC_2863
says 0 "^if_out_octets = $octets\$" reg PPCNT local_port=1 grp=RFC_2863
says 0 "^a_frames_transmitted_ok = $frames\$" reg PPCNT local_port=1 grp=IEEE_802_3
on 192.168.0.2 "$dvfw" reg PPCNT local_port=1 grp=RFC_2863 >"$work/out"
has "^if_in_octets = $octets$" "$work/out"
lacks '^if_out' "$work/out" # counted at the wrong adapter

# So are those of sysfs and netlink, in a process that has not opened the device.
counter() {
	on 192.168.0.1 cat "/sys/class/infiniband/mlx5_0/ports/1/$1"
}
expect_equal port_xmit_packets "$(counter counters/port_xmit_packets)" $frames
expect_equal port_xmit_data "$(counter counters/port_xmit_data)" $((at_vport / 4))
expect_equal 'port_rcv_packets of the other adapter' "$(on 192.168.0.2 cat /sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_packets)" $frames
on 192.168.0.1 ls /sys/class/infiniband/mlx5_0/ports/1/hw_counters >"$work/names"
lacks 'rx_dct|retries' "$work/names" # hw_counters of Linux 6.12, by default

# Each process of 192.168.0.1 has a copy of an Ethernet frame for it, top and the program: it was one frame, of 106 bytes and its FCS.
before=$(run reg PPCNT local_port=1 grp=IEEE_802_3 | sed -n 's/^a_frames_received_ok = //p')
on 192.168.0.1 stdbuf -oL "$pong" -l -n 5 -p $port >"$work/pong" 2>&1 &
pong_pid=$!
until_true grep -qE -e 'waiting for a client' "$work/pong"
on 192.168.0.2 "$pong" -n 5 -p $port 127.0.0.1 >"$work/ping" 2>&1 || fail "ping: $(cat "$work/ping")"
wait $pong_pid || fail "pong: $(cat "$work/pong")"
after=$(run reg PPCNT local_port=1 grp=IEEE_802_3 | sed -n 's/^a_frames_received_ok = //p')
expect_equal 'packets that arrived' $((after - ${before:-0})) 5

# Again, now by processes that take the places of those that have ended.
send
until_true grep -qE -e "\"name\": *\"if_out_octets\", *\"value\": *$((2 * octets + 5 * 110))" "$work/top"
kill $top
wait $top
/usr/bin/python3 - "$work/top" $((2 * frames + 5)) $((2 * octets + 5 * 110)) <<'PYTHON' || fail 'top'
import json, sys
readings = [{c["name"]: c["value"] for c in json.loads(line)["counters"] if c["source"] == "port"}
	    for line in open(sys.argv[1])]
sent = [r["if_out_octets"] for r in readings if "if_out_octets" in r]
assert sent == sorted(sent), "a counter became less"
assert readings[-1]["if_out_ucast_pkts"] == int(sys.argv[2]), readings[-1]
assert readings[-1]["if_out_octets"] == int(sys.argv[3]), readings[-1]
PYTHON
