#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --op=mmo --remote-vhca between the host's and the DPU's function of a BlueField: the bytes arrive, the WQEs
# and CQEs are those of the device, and no frame leaves it. Impossible requests are refused on both sides.
#
#	copies_of_another_functions_memory.sh DVKIT_EMU DVPERF TWO_FUNCTIONS
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"
two=$3

# on OPTIONS COMMAND...: OPTIONS of dvkit-emu, as one word.
on() {
	# shellcheck disable=SC2086 # words
	emulated $1 -- "${@:2}"
}

# sides SERVER CLIENT: their options of dvkit-emu, each as one word.
sides() {
	read -ra server_options <<<"$1"
	read -ra client_options <<<"$2"
}

host='--device bf3 --as host' dpu='--device bf3 --as dpu'

# ---- bytes ----
for way in read write; do
	for how in 'direct 2097152 1 1 one' 'direct 300 3 2 one' 'wr 300 3 2 qp' 'wr 1000 4 1 one' 'direct 64 5 3 qp'; do
		port=$((port + 1))
		# shellcheck disable=SC2086 # words
		on "$host" "$two" server $port $way $how >"$work/server.log" 2>&1 &
		# shellcheck disable=SC2086 # words
		on "$dpu" "$two" client $port $way $how >"$work/client.log" 2>&1 && wait $! || fail "$way $how"
		# shellcheck disable=SC2086 # words
		expect_status 0 on '--device bf3' "$two" both $port $way $how
	done
done

# ---- counts ----
sides "$host" "$dpu"
counted() {
	local rows=$1
	shift
	both 0 '"mmo"' "$@" --repeat=1 --json
	python3 - "$work/client.log" "$work/server.log" "$rows" <<'PY' || fail "$*"
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
both 0 'mmo' bw --op=mmo --remote-vhca=write -s 64 -n 50 --api=wr --repeat=1

# one process with both functions
expect_status 0 on '--device bf3' "$dvperf" sweep --op=mmo --loopback -d mlx5_1 mode=bw,lat remote_vhca=read,write size=300 chunk=100,1M \
	-n 40 --repeat=1 --json
python3 - "$work/out" <<'PY' || fail 'one process'
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert len(rows) == 8, len(rows)
for row in rows:
    m, d, o = row["metrics"], row["device_counters"], row["options"]
    assert (m["wqes"], m["cqes"]) == (d["wqes"], d["cqes"]), (o, m, d)
    assert m["wqebbs_per_op"] == (3 if o["chunk"] == 100 else 1), m
PY

# ---- refusals ----
# refused_by SERVER CLIENT REGEX ARGUMENT...: both end with 2, and the client says why.
refused_by() {
	sides "$1" "$2"
	two_sides "${@:4}"
	expect_equal "${*:4}: status" "$server_status $client_status" '2 2'
	has "$3" "$work/client.log" "$work/client.err"
}
expect_output 2 'mlx5_0 is the only function of its adapter here' on "$host" "$dvperf" bw --op=mmo --remote-vhca=read --loopback
refused_by '--device cx7' "$dpu" 'cannot export memory.*--remote-vhca.*dvfw check cross-vhca' bw --op=mmo --remote-vhca=read
refused_by "$host" '--device cx7' 'does not copy memory.*the DPU is the client' bw --op=mmo --remote-vhca=read
refused_by "$host --ip 10.1.1.1" "$dpu --ip 10.1.1.2" 'cannot import memory of VHCA .*--remote-vhca.*dvfw check cross-vhca' \
	bw --op=mmo --remote-vhca=read -s 64 -n 10

# different ways
sides "$host" "$dpu"
two_sides bw --op=mmo --remote-vhca=read -- bw --op=mmo --remote-vhca=write
[ $client_status = 2 ] && [ $server_status != 0 ] || fail "different ways: server $server_status, client $client_status"
has 'the two sides differ: --remote-vhca write here, read there' "$work/client.err"

# the exporter is killed: the client's copies end in error, or the connection does
port=$((port + 1))
on "$host" sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$work/pid" "$dvperf" bw --op=mmo --remote-vhca=read -D 60 -s 4096 \
	-p $port >"$work/server.log" 2>&1 &
server=$!
on "$dpu" "$dvperf" bw --op=mmo --remote-vhca=read -D 60 -s 4096 -p $port 127.0.0.1 >"$work/client.log" 2>&1 &
client=$!
until connected $port; do
	kill -0 $client 2>/dev/null || break
	sleep 0.05
done
sleep 1 # for what precedes the first copy
kill -KILL "$(cat "$work/pid")"
wait $server
wait $client
status=$?
[ $status = 1 ] || fail "the exporter is killed: status $status"
has 'failed|closed the connection' "$work/client.log"
