#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvperf post --fresh: as many processes as repetitions, each of which measures once; what does not depend on time
# is that of one process; and compare seldom finds a difference between two such runs of the same program.
#
#	repetitions_in_fresh_processes.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

mkdir "$work/a" "$work/b"

# Each process that runs dvperf with --json is a repetition: strace sees the programs that it starts.
result one post --api=direct -l 4
result three post --fresh --repeat=3 --api=direct -l 4
run post --fresh --repeat=2 --api=direct >"$work/table" || fail "--fresh, a table: $?"
run post --fresh --repeat=2 --api=direct -l 4 --csv >"$work/csv" || fail "--fresh --csv: $?"
[ "$(wc -l <"$work/csv")" = 2 ] || fail "csv: $(cat "$work/csv")"
has_lines 7 '^write ' "$work/table"
if command -v strace >/dev/null && strace -o "$work/try" true 2>/dev/null; then
	# without the emulator: post has rings in memory
	timeout 200 strace -f -qq -e trace=execve -o "$work/strace" "$dvperf" post --fresh --repeat=3 --api=direct -l 4 \
		>"$work/out" 2>&1 || fail strace
	has_lines 3 'execve\("/proc/self/exe".*"--repeat=1", "--json".* = 0' "$work/strace"
fi

# Two runs, in halves that alternate, so that what changes with time changes both.
for half in a b b a; do
	result "$half/$RANDOM.json" post --fresh --repeat=4 -l 8
done
"$dvperf" compare "$work/a" "$work/b" -m post_cycles,poll_cycles,op_cycles,post_instr --json >"$work/compare" || fail "compare: $?"
python3 - "$work" <<'PY' || fail 'the results'
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

expect_output 2 '--fresh is for post|fresh= is for post' run bw --loopback --fresh
expect_output 2 '--fresh is for post|fresh= is for post' run sweep --fresh mode=post batch=1,2
