#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvperf compare, on results of the emulator: row by row, with units, with the spread where it is known
# and a word where it is not; what makes it unfair is said.
#
#	compare_reports_differences.sh LAUNCHER DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

needs_modules scipy
mkdir "$work/many"

result post.json post -l 8
result bw.json sweep mode=bw batch=1,4 api=direct,verbs --loopback -s 8 -n 500
result one.json bw --loopback -s 8 -l 1 -n 300
result eight.json bw --loopback -s 8 -l 8 -n 300
for i in 1 2 3; do
	result many/$i.json lat --loopback -s 8 -n 100
done
echo '{"some": "other JSON"}' >"$work/other.json"

# ---- rows, units, spread ----

expect_output 0 'post_instr +[0-9.]+ +[0-9.]+ instructions +B/A 1.000  the same' \
	"$dvperf" compare "$work/post.json" "$work/post.json"
expect_output 0 'post_cycles .* cycles +B/A 1.000  .*  p 1, effect \+0.00 \(5, 5 values\)' \
	"$dvperf" compare "$work/post.json" "$work/post.json"
expect_output 0 'NOT TO BE TRUSTED \(B\): the device is the emulator' \
	"$dvperf" compare "$work/bw.json" "$work/bw.json"
expect_output 0 'mops .* M/s +B/A 1.000  \((.* to .*|the repeats of A differ too much)\)  within the spread' \
	"$dvperf" compare -m mops "$work/bw.json" "$work/bw.json"
expect_output 0 'lat_50 .* µs +B/A 1.000  \(no spread\)' "$dvperf" compare "$work/one.json" "$work/one.json"
expect_output 0 "no spread: a result keeps its repeats of the rate" \
	"$dvperf" compare "$work/one.json" "$work/one.json"
# Several results of a kind have one, of everything.
expect_output 0 'lat_50 .* µs +B/A 1.000  \((.* to .*|the repeats of A differ too much)\)  within the spread' \
	"$dvperf" compare "$work/many" "$work/many"
lacks 'no spread'
expect_output 0 'doorbells_per_op .* B/A 0.12' \
	"$dvperf" compare --ignore=batch,signal "$work/one.json" "$work/eight.json"
expect_output 0 'without a match: 0 of A, [1-9][0-9]* of B' \
	"$dvperf" compare "$work/one.json" "$work"
"$dvperf" compare --json "$work/post.json" "$work/post.json" | python3 -c '
import json, sys
c = json.load(sys.stdin)
assert c["fair"] and not c["only_a"] and not c["only_b"], c
assert len(c["rows"]) == 3, len(c["rows"])
for row in c["rows"]:
    m = row["metrics"]
    plain, kept = m["doorbells_per_op"], m["poll_cycles"]
    assert plain["verdict"] == "no spread" and "ratio_min" not in plain, plain
    assert kept["verdict"] in ("within the spread", "the same") and kept["p"] == 1, kept
    assert all(one["ratio"] == 1 for one in m.values())
    assert m["post_instr"]["unit"] == "instructions" and m["post_instr"]["verdict"] == "the same"
    assert m["post_cycles"]["verdict"] in ("within the spread", "the same") and m["post_cycles"]["p"] == 1
' || fail 'compare --json'

# ---- what is not fair, what cannot be ----

sed 's/"cpus": *[0-9]*/"cpus": 4096/' "$work/bw.json" >"$work/elsewhere.json"
expect_output 0 'NOT A FAIR COMPARISON: cpus: [0-9]+ \| 4096' "$dvperf" compare "$work/bw.json" \
	"$work/elsewhere.json"
"$dvperf" compare --json "$work/bw.json" "$work/elsewhere.json" |
	grep -q '"fair": *false' || fail 'JSON does not say that it is not fair'
expect_output 2 'no row of A matches one of B: .* differ in batch \(1, 8\); see --ignore' \
	"$dvperf" compare "$work/one.json" "$work/eight.json"
expect_output 2 'which two' "$dvperf" compare "$work"
expect_output 2 'is not a result: not from dvperf' "$dvperf" compare "$work/other.json" "$work"
expect_output 2 "'fast' is not a metric" "$dvperf" compare -m fast "$work" "$work"
expect_output 2 'No such file' "$dvperf" compare "$work/nowhere" "$work"
expect_output 2 'a third one' "$dvperf" compare "$work" "$work" "$work"
