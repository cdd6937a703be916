#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --op=mmo over sizes, chunks, depths and APIs: WQEs and CQEs are those that the device executes, one WQE
# for each chunk, and none of the ports sends anything. Options that a copy cannot have are refused.
#
#	copies_are_counted_and_refused.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

dvfw=$(dirname "$dvperf")/dvfw

# on DEVICE OPTION... -- COMMAND...
on() {
	emulated --device "$@"
}

# counted ROWS ARGUMENT...
counted() {
	local rows=$1
	shift
	expect_status 0 on bf3 -- "$dvperf" "$@" --repeat=1 --json
	python3 - "$work/out" "$rows" <<'PY' || fail "$@"
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert len(rows) == int(sys.argv[2]), len(rows)
for row in rows:
    m, d, o = row["metrics"], row["device_counters"], row["options"]
    assert o["op"] == "mmo", o
    assert (m["wqes"], m["cqes"]) == (d["wqes"], d["cqes"]), (o, m, d)
    wqes = -(-o["size"] // o["chunk"]) if o["chunk"] else 1
    assert m["wqebbs_per_op"] == wqes, (o, m)
    if o["mode"] == "bw":
        assert m["wqes"] == m["ops"] * wqes, (o, m)
        assert abs(m["gbps"] - m["mops"] * o["size"] * 8 / 1e3) < 1e-9, m
    # nothing goes to the network, in either direction, and no model says so
    assert "tx_frames" not in d and "wire_mops" not in m and "nic_mops" not in m, (m, d)
    # each byte is read and written by the device
    assert min(m["pcie_to_device"], m["pcie_to_host"]) > o["size"], (o, m)
PY
}

# not REGEX MODE ARGUMENT...: a copy that is posted like this
not() {
	expect_refusal "$1" on bf3 -- "$dvperf" "$2" --op=mmo "${@:3}"
}

counted 48 sweep --op=mmo -n 60 api=direct,wr size=1,64,5000 chunk=64,1M tx_depth=16,32,64,128
counted 16 sweep --op=mmo -n 60 -s 300 api=direct,wr batch=1,5 remote=fixed,random chunk=100,1M
counted 4 sweep --op=mmo mode=lat -n 30 -s 3000 api=direct,wr chunk=1000,1M
counted 1 bw --op=mmo --loopback -s 300 -n 200 --threads=2 -q 2 --cq=all
counted 1 bw --op=mmo -s 300 -n 200 -e --chunk=100 -l 3
counted 1 bw --op=mmo -s 64 -D 0.3 -l adaptive --rate=2000
for uar in thread shared nc; do
	counted 2 sweep --op=mmo -s 300 -n 200 --threads=2 --uar=$uar api=direct,wr
done

# what posting costs: of a WQE, however many a copy has
expect_status 0 on bf3 -- "$dvperf" sweep --op=mmo mode=post batch=4 size=1000 tx_depth=64 chunk=100,1000 api=direct,wr --json
python3 - "$work/out" <<'PY' || fail post
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
many, one = ([r for r in rows if r["options"]["chunk"] == c] for c in (100, 1000))
for a, b in zip(many, one):
    assert a["options"]["api"] == b["options"]["api"]
    a, b = a["metrics"], b["metrics"]
    assert (a["wqebbs_per_op"], b["wqebbs_per_op"]) == (10, 1)
    if "post_instr" in a: # x86-64
        assert b["post_instr"] / 2 < a["post_instr"] < 2 * b["post_instr"], (a, b)
        assert a["op_instr"] > 5 * b["op_instr"], (a, b)
PY
expect_output 0 '^mmo +direct' "$dvperf" post --op=mmo -l 4 --api=direct
if has_modules matplotlib; then
	expect_status 0 on bf3 -- "$dvperf" sweep --op=mmo size=64,4096,65536 chunk=4k,64k tx_depth=1,16 -n 50 --repeat=1 x=size y=gbps \
		--output "$work/figure"
	[ -s "$work/figure/sweep.svg" ] || fail figure
fi

# a device that copies 4 KiB by one WQE, at most: that is the chunk
on bf3 -- "$dvfw" caps --json >"$work/bf3.json" 2>"$work/err" || fail caps
sed 's/"log_dma_mmo_max_size": [0-9]*/"log_dma_mmo_max_size": 12/' "$work/bf3.json" >"$work/4k.json"
expect_status 0 on "$work/4k.json" --trust-device -- "$dvperf" bw --op=mmo -s 65536 -n 50 --repeat=1 --csv
python3 - "$work/out" <<'PY' || fail 'the limit of the device'
import csv, sys
row, = csv.DictReader(open(sys.argv[1]))
assert (row["chunk"], float(row["wqebbs_per_op"])) == ("0", 16), row
PY
expect_refusal 'above the maximum of mlx5_0: 4096' on "$work/4k.json" --trust-device -- "$dvperf" bw --op=mmo --chunk=4097
expect_refusal 'mlx5_0 does not copy memory.*dvkit-emu --device bf3' on cx5 -- "$dvperf" bw --op=mmo
expect_refusal 'mlx5_0 does not copy memory' on cx7 -- "$dvperf" lat --op=mmo
expect_refusal 'mlx5_0 does not copy memory' on cx7 -- "$dvperf" post --op=mmo

not 'memory of this machine: no HOST.*--remote-vhca' bw 127.0.0.1
not 'memory of this machine: no HOST.*--remote-vhca' lat localhost
not 'memory of this machine: no HOST.*--remote-vhca' bw -R
not 'memory of this machine: no HOST.*--remote-vhca' bw --pattern=pairs
not 'is posted on an RC QP' bw -c UC
not 'ibv_post_send\(\) has no copy: --api=wr' bw --api=verbs
not 'at least one byte' bw -s 0
not 'never inline' bw -I 28
not 'no other end: no -b' bw -b
not 'no --dm' bw --dm
not 'no --op=mmo' bw --collapsed
not '129 copies by 65536 WQEs each \(-s, --chunk\) are above the maximum' bw --chunk=1
not 'is not a number from 1' bw --chunk=0
expect_refusal '\-\-chunk is for --op=mmo' on bf3 -- "$dvperf" bw --loopback --chunk=100
