#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Axes under the names that the JSON has; published curves only over their own axes; SMART's CSV; the
# line through batches.
#
#	sweep_names_its_axes.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

sweep() {
	run sweep --loopback --repeat=1 "$@"
}

# switches and other names, each a column of the table
expect_status 0 sweep bidirectional=on,off post_list=1,4 cq-mod=1,4 size=8 iters=200
has 'bidirectional=1  signal=4' "$work/out"
expect_status 0 sweep post_list=2 size=8 iters=200 --json
expect_output 2 'gid-index is not an axis' sweep gid-index=0,1

sweep mode=bw,post batch=1,4,16 api=direct,verbs size=8 inline_size=28 iters=300 --json \
	>"$work/fits" 2>"$work/err" || fail 'batches'

own() {
	sweep mode=bw,post,lat batch=1,4,16 y=mops size=8 iters=200 --output "$work/modes" &&
		sweep --preset inline-steps size=8,64 iters=200 --output "$work/d" &&
	sweep --preset smart-fig3 threads=1,2 layout=per-qp,per-doorbell -n 200 --output "$work/a" &&
		sweep --preset smart-fig3 threads=1 layout=per-qp outstanding=1,8 x=outstanding \
			-n 200 --output "$work/b" &&
		sweep --preset smart-fig4 threads=1 outstanding=1,4 y=gbps -n 200 \
			--output "$work/c"
}
if has_modules matplotlib; then
	expect_status 0 own
	python3 - "$work" <<'PY' || fail 'the files of presets'
import csv, json, sys
at = sys.argv[1]
a, b, c = (json.load(open(f"{at}/{name}.json")) for name in
           ("a/smart-fig3", "b/smart-fig3", "c/smart-fig4"))
assert len(a["published"]) == 5 and "published_text" in a
assert "published" not in b and "published_text" in b
assert "published" not in c and "published_text" in c
assert open(f"{at}/a/smart-fig3.svg").read().count("published") > 0
assert "published" not in open(f"{at}/b/smart-fig3.svg").read()
# a figure of each mode that has the metric, in its words; "published" is only what was
import os
assert sorted(f for f in os.listdir(f"{at}/modes") if f.endswith(".svg")) == ["sweep-bw.svg", "sweep-post.svg"]
assert "M operations/s (mops)" in open(f"{at}/modes/sweep-bw.svg").read()
assert "M WQEs/s (mops)" in open(f"{at}/modes/sweep-post.svg").read()
d = json.load(open(f"{at}/d/inline-steps.json"))
assert a["title"].startswith("smart-fig3: READ of 8 bytes")
assert (c["y"], d["y"]) == ("gbps", "mops")
assert "about_text" in d and "published_text" not in d
assert "inline-steps: WRITE, inline" in open(f"{at}/d/inline-steps.svg").read()
rows = list(csv.reader(open(f"{at}/a/smart-fig3.smart.csv"), skipinitialspace=True))
assert [row[:4] for row in rows] == [
    ["rdma-read-per-qp", "1", "8", "8"], ["rdma-read-per-qp", "2", "8", "8"],
    ["rdma-read-per-doorbell", "1", "8", "8"], ["rdma-read-per-doorbell", "2", "8", "8"]], rows
for row, result in zip(rows, a["rows"]):
    m = result["metrics"]
    assert len(row) == 7
    assert abs(float(row[5]) - m["mops"]) < 0.001
    assert abs(float(row[4]) - m["mops"] * 8 / 1.048576) < 0.01
    assert abs(float(row[6]) - m["setup_ms"]) < 0.001 and m["setup_ms"] > 0
PY
fi
python3 - "$work/fits" <<'PY' || fail 'lines through batches'
import json, sys
fits = json.load(open(sys.argv[1]))["fits"]
assert [(f["mode"], f["series"], f["points"]) for f in fits] == [
    ("bw", "direct", 3), ("bw", "verbs", 3), ("post", "direct", 3), ("post", "verbs", 3)], fits
assert all({"per_op_ns", "per_doorbell_ns", "r2"} <= f.keys() for f in fits)
straight = lambda f: f["r2"] >= 0.9 and f["per_op_ns"] >= 0 and f["per_doorbell_ns"] >= 0
assert all(("mmio_ns" in f) == (f["mode"] == "bw" and straight(f)) for f in fits), fits
PY
