#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --op=mmo --remote-vhca between the host's and the DPU's function of a BlueField: the bytes arrive, the WQEs
# and CQEs are those of the device, and no frame leaves it. What cannot be is refused on both sides.
#
#	copies_of_another_functions_memory.sh DVKIT_EMU DVPERF TWO_FUNCTIONS
set -u
emu=$1 dvperf=$2 two=$3 failed=0
dir=$(mktemp -d)
. "$(dirname "$0")/../../lib/tcp.sh"
port=$(free_ports)
trap 'rm -rf "$dir"' EXIT

# function OPTIONS COMMAND...: OPTIONS of dvkit-emu, as one word.
function_() {
	# shellcheck disable=SC2086 # words
	timeout 100 "$emu" --fabric "vhca-$$" $1 -- "${@:2}"
}

# both WANT TEXT SERVER_OPTIONS CLIENT_OPTIONS ARGUMENT...: status WANT of server and client, TEXT in what the
# client prints.
both() {
	local want=$1 text=$2 server=$3 client=$4 pid s c
	shift 4
	port=$((port + 1))
	function_ "$server" "$dvperf" "$@" -p $port >"$dir/server" 2>"$dir/server.err" &
	pid=$!
	function_ "$client" "$dvperf" "$@" -p $port 127.0.0.1 >"$dir/client" 2>"$dir/client.err"
	c=$?
	wait $pid
	s=$?
	if [ $c != "$want" ] || [ $s != "$want" ] || ! cat "$dir/client" "$dir/client.err" | grep -q -e "$text"; then
		echo "FAILED: $server, $client, $*: server $s, client $c"
		cat "$dir/server" "$dir/server.err" "$dir/client" "$dir/client.err"
		failed=1
	fi
}

host='--device bf3 --as host' dpu='--device bf3 --as dpu'

# ---- bytes ----
for way in read write; do
	for how in 'direct 2097152 1 1 one' 'direct 300 3 2 one' 'wr 300 3 2 qp' 'wr 1000 4 1 one' 'direct 64 5 3 qp'; do
		port=$((port + 1))
		# shellcheck disable=SC2086 # words
		function_ "$host" "$two" server $port $way $how >"$dir/server" 2>&1 &
		# shellcheck disable=SC2086 # words
		function_ "$dpu" "$two" client $port $way $how >"$dir/client" 2>&1 && wait $! || {
			echo "FAILED: $way $how"
			cat "$dir/server" "$dir/client"
			failed=1
		}
		# shellcheck disable=SC2086 # words
		function_ '--device bf3' "$two" both $port $way $how >"$dir/client" 2>&1 || {
			echo "FAILED: one process, $way $how"
			cat "$dir/client"
			failed=1
		}
	done
done

# ---- counts ----
counted() {
	local rows=$1
	shift
	both 0 '"mmo"' "$host" "$dpu" "$@" --repeat=1 --json
	python3 - "$dir/client" "$dir/server" "$rows" <<'PY' || { echo "FAILED: $*"; failed=1; }
import json, sys
client, server = (json.load(open(f))["rows"] for f in sys.argv[1:3])
assert len(client) == len(server) == int(sys.argv[3]), (len(client), len(server))
for c, s in zip(client, server):
    m, d, o = c["metrics"], c["device_counters"], c["options"]
    assert o["remote_vhca"] in ("read", "write") and o["remote_vhca"] == s["options"]["remote_vhca"]
    assert (m["wqes"], m["cqes"]) == (d["wqes"], d["cqes"]), (o, m, d)
    wqes = -(-o["size"] // (o["chunk"] or 2 << 20)) # the limit of the device
    assert m["wqebbs_per_op"] == wqes, (o, m)
    # the server posts nothing, and reports the client's rate; nothing is a frame, and nothing is modelled
    assert "wqes" not in s["device_counters"] and not s["metrics"].get("wqes"), s
    if o["mode"] == "bw":
        assert s["metrics"]["mops"] == m["mops"], (m, s["metrics"])
    assert "tx_frames" not in d and "tx_frames" not in s["device_counters"], d
    assert not [name for name in m if name.startswith(("pcie", "wire", "nic"))], m
PY
}
counted 8 sweep --op=mmo -n 40 remote_vhca=read,write size=64,5000 chunk=1000,1M
counted 1 bw --op=mmo --remote-vhca=read -s 300 -n 60 -q 2 --threads=2 --cq=all --mr=qp
counted 1 bw --op=mmo --remote-vhca=write -s 300 -n 60 -l 4 --remote=random -e
counted 1 bw --op=mmo --remote-vhca=read -s 100 -D 0.3 --remote=sequential
counted 2 sweep --op=mmo mode=lat remote_vhca=read,write -n 20 -s 100
counted 23 bw --op=mmo --remote-vhca=read -a -n 2 -t 2
# each side has its own API
both 0 'mmo' "$host" "$dpu" bw --op=mmo --remote-vhca=write -s 64 -n 50 --api=wr --repeat=1

# one process with both functions
function_ '--device bf3' "$dvperf" sweep --op=mmo --loopback -d mlx5_1 mode=bw,lat remote_vhca=read,write size=300 chunk=100,1M \
	-n 40 --repeat=1 --json >"$dir/client" 2>"$dir/client.err" && python3 - "$dir/client" <<'PY' || { echo 'FAILED: one process'; failed=1; }
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert len(rows) == 8, len(rows)
for row in rows:
    m, d, o = row["metrics"], row["device_counters"], row["options"]
    assert (m["wqes"], m["cqes"]) == (d["wqes"], d["cqes"]), (o, m, d)
    assert m["wqebbs_per_op"] == (3 if o["chunk"] == 100 else 1), m
PY

# ---- refusals ----
function_ "$host" "$dvperf" bw --op=mmo --remote-vhca=read --loopback >"$dir/client" 2>"$dir/client.err"
[ $? = 2 ] && grep -q 'mlx5_0 is the only function of its adapter here' "$dir/client.err" || { echo 'FAILED: one function'; failed=1; }
both 2 'cannot export memory.*--remote-vhca.*dvfw check cross-vhca' '--device cx7' "$dpu" bw --op=mmo --remote-vhca=read
both 2 'does not copy memory.*the DPU is the client' "$host" '--device cx7' bw --op=mmo --remote-vhca=read
both 2 'cannot import memory of VHCA .*--remote-vhca.*dvfw check cross-vhca' "$host --ip 10.1.1.1" "$dpu --ip 10.1.1.2" \
	bw --op=mmo --remote-vhca=read -s 64 -n 10

# different ways
port=$((port + 1))
function_ "$host" "$dvperf" bw --op=mmo --remote-vhca=read -p $port >"$dir/server" 2>&1 &
function_ "$dpu" "$dvperf" bw --op=mmo --remote-vhca=write -p $port 127.0.0.1 >"$dir/client" 2>&1
[ $? = 2 ] && ! wait $! && grep -q 'the two sides differ: --remote-vhca write here, read there' "$dir/client" || {
	echo 'FAILED: different ways'
	cat "$dir/client" "$dir/server"
	failed=1
}

# the exporter is killed: the client's copies end in error, or the connection does
port=$((port + 1))
function_ "$host" sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$dir/pid" "$dvperf" bw --op=mmo --remote-vhca=read -D 60 -s 4096 \
	-p $port >"$dir/server" 2>&1 &
server=$!
function_ "$dpu" "$dvperf" bw --op=mmo --remote-vhca=read -D 60 -s 4096 -p $port 127.0.0.1 >"$dir/client" 2>&1 &
client=$!
until connected $port; do
	kill -0 $client 2>/dev/null || break
	sleep 0.05
done
sleep 1 # for what precedes the first copy
kill -KILL "$(cat "$dir/pid")"
wait $server
wait $client
status=$?
[ $status = 1 ] && grep -q 'failed\|closed the connection' "$dir/client" || {
	echo "FAILED: the exporter is killed: status $status"
	cat "$dir/client"
	failed=1
}
exit $failed
