#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvperf compare, on results of the emulator: row by row, with units, with the spread where it is known
# and a word where it is not; what makes it unfair is said.
#
#	compare_reports_differences.sh LAUNCHER DVPERF
set -u
emu=$1 dvperf=$2
/usr/bin/python3 -c 'import scipy' || { echo 'no python3-scipy'; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
mkdir "$dir/many"

fail() {
	echo "FAIL: $*"
	failed=1
}

# on ARG...: dvperf under the emulator.
on() {
	timeout 60 "$emu" --fabric "dvperf-compare-$$" -- "$dvperf" "$@"
}

# shows STATUS REGEX COMMAND...: the exit status, and a line of the output.
shows() {
	local want=$1 regex=$2 status
	shift 2
	"$@" >"$dir/out" 2>&1
	status=$?
	[ $status = "$want" ] || fail "$*: status $status, not $want"
	grep -Eq -- "$regex" "$dir/out" || { fail "$*: no line '$regex' in"; cat "$dir/out"; }
}

on post -l 8 --json >"$dir/post.json" || fail 'post'
on sweep mode=bw batch=1,4 api=direct,verbs --loopback -s 8 -n 500 --json >"$dir/bw.json" ||
	fail 'sweep of bw'
on bw --loopback -s 8 -l 1 -n 300 --json >"$dir/one.json" || fail 'bw -l 1'
on bw --loopback -s 8 -l 8 -n 300 --json >"$dir/eight.json" || fail 'bw -l 8'
for i in 1 2 3; do
	on lat --loopback -s 8 -n 100 --json >"$dir/many/$i.json" || fail 'lat'
done
echo '{"some": "other JSON"}' >"$dir/other.json"

# ---- rows, units, spread ----

shows 0 'post_instr +[0-9.]+ +[0-9.]+ instructions +B/A 1.000  the same' \
	"$dvperf" compare "$dir/post.json" "$dir/post.json"
shows 0 'post_cycles .* cycles +B/A 1.000  .*  p 1, effect \+0.00 \(5, 5 values\)' \
	"$dvperf" compare "$dir/post.json" "$dir/post.json"
shows 0 'NOT TO BE TRUSTED \(B\): the device is the emulator' \
	"$dvperf" compare "$dir/bw.json" "$dir/bw.json"
shows 0 'mops .* M/s +B/A 1.000  \((.* to .*|the repeats of A differ too much)\)  within the spread' \
	"$dvperf" compare -m mops "$dir/bw.json" "$dir/bw.json"
shows 0 'lat_50 .* µs +B/A 1.000  \(no spread\)' "$dvperf" compare "$dir/one.json" "$dir/one.json"
shows 0 "no spread: a result keeps its repeats of the rate" \
	"$dvperf" compare "$dir/one.json" "$dir/one.json"
# Several results of a kind have one, of everything.
shows 0 'lat_50 .* µs +B/A 1.000  \((.* to .*|the repeats of A differ too much)\)  within the spread' \
	"$dvperf" compare "$dir/many" "$dir/many"
grep -q 'no spread' "$dir/out" && fail 'three results have a spread'
shows 0 'doorbells_per_op .* B/A 0.12' \
	"$dvperf" compare --ignore=batch,signal "$dir/one.json" "$dir/eight.json"
shows 0 'without a match: 0 of A, [1-9][0-9]* of B' \
	"$dvperf" compare "$dir/one.json" "$dir"
"$dvperf" compare --json "$dir/post.json" "$dir/post.json" | python3 -c '
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

sed 's/"cpus": *[0-9]*/"cpus": 4096/' "$dir/bw.json" >"$dir/elsewhere.json"
shows 0 'NOT A FAIR COMPARISON: cpus: [0-9]+ \| 4096' "$dvperf" compare "$dir/bw.json" \
	"$dir/elsewhere.json"
"$dvperf" compare --json "$dir/bw.json" "$dir/elsewhere.json" |
	grep -q '"fair": *false' || fail 'JSON does not say that it is not fair'
shows 2 'no row of A matches one of B: .* differ in batch \(1, 8\); see --ignore' \
	"$dvperf" compare "$dir/one.json" "$dir/eight.json"
shows 2 'which two' "$dvperf" compare "$dir"
shows 2 'is not a result: not from dvperf' "$dvperf" compare "$dir/other.json" "$dir"
shows 2 "'fast' is not a metric" "$dvperf" compare -m fast "$dir" "$dir"
shows 2 'No such file' "$dvperf" compare "$dir/nowhere" "$dir"
shows 2 'a third one' "$dvperf" compare "$dir" "$dir" "$dir"

exit $failed
