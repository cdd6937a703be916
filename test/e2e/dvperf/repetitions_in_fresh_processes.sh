#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvperf post --fresh: as many processes as repetitions, each of which measures once; what does not depend on time
# is that of one process; and compare seldom finds a difference between two such runs of the same program.
#
#	repetitions_in_fresh_processes.sh DVKIT_EMU DVPERF
set -u
emu=$1 dvperf=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/a" "$dir/b"
failures=0

fail() {
	echo "$*"
	failures=1
}

run() {
	timeout 200 "$emu" --fabric "fresh-$$" -- "$dvperf" "$@"
}

# Each process that runs dvperf with --json is a repetition: strace sees the programs that it starts.
run post --api=direct -l 4 --json >"$dir/one" || fail "post: $?"
run post --fresh --repeat=3 --api=direct -l 4 --json >"$dir/three" 2>"$dir/err" || fail "--fresh: $?"
run post --fresh --repeat=2 --api=direct >"$dir/table" || fail "--fresh, a table: $?"
run post --fresh --repeat=2 --api=direct -l 4 --csv >"$dir/csv" || fail "--fresh --csv: $?"
[ "$(wc -l <"$dir/csv")" = 2 ] || fail "csv: $(cat "$dir/csv")"
[ "$(grep -c '^write ' "$dir/table")" = 7 ] || fail "table: $(cat "$dir/table")"
if command -v strace >/dev/null && strace -o "$dir/try" true 2>/dev/null; then
	# without the emulator: post has rings in memory
	timeout 200 strace -f -qq -e trace=execve -o "$dir/strace" "$dvperf" post --fresh --repeat=3 --api=direct -l 4 \
		>"$dir/out" 2>&1 || fail "strace: $(cat "$dir/out")"
	[ "$(grep -c 'execve("/proc/self/exe".*"--repeat=1", "--json".* = 0' "$dir/strace")" = 3 ] ||
		fail "processes: $(grep exec "$dir/strace")"
fi

# Two runs, in halves that alternate, so that what changes with time changes both.
for half in a b b a; do
	run post --fresh --repeat=4 -l 8 --json >"$dir/$half/$RANDOM.json" || fail "half: $?"
done
"$dvperf" compare "$dir/a" "$dir/b" -m post_cycles,poll_cycles,op_cycles,post_instr --json >"$dir/compare" ||
	fail "compare: $?"
python3 - "$dir" <<'PY' || failures=1
import json, sys
def row(name):
    return json.load(open(f"{sys.argv[1]}/{name}"))["rows"][0]
one, three = row("one"), row("three")
assert three["options"]["fresh"] and not one["options"]["fresh"], three["options"]
assert three["options"]["repeats"] == 3
for metric in "post_cycles", "mops", "poll_cycles", "op_cycles":
    values = three["repeats"][metric]
    assert len(values) == 3 and sorted(values)[1] == three["metrics"][metric], (metric, values)
for metric in "post_instr", "poll_instr", "wqebbs_per_op", "doorbells_per_op":
    assert one["metrics"][metric] == three["metrics"][metric], metric
assert not any("one repeat" in why for why in three["not_trusted"]), three["not_trusted"]
assert "environment" in json.load(open(sys.argv[1] + "/three"))
rows = json.load(open(sys.argv[1] + "/compare"))["rows"]
differ = [m for r in rows for m in r["metrics"].values() if m.get("p") is not None and m["p"] < 0.01]
assert rows and len(differ) < len(rows) * 3 / 2, differ
PY

refused() {
	run "$@" >"$dir/out" 2>"$dir/err"
	local status=$?
	{ [ $status -eq 2 ] && grep -q -e '--fresh is for post' -e 'fresh= is for post' "$dir/err"; } || fail "$*: status $status: $(cat "$dir/err")"
}
refused bw --loopback --fresh
refused sweep --fresh mode=post batch=1,2
exit $failures
