#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Medians, intervals, p and effect that dvperf reports are those that scipy computes from the repeats in the
# JSON.
#
#	statistics_equal_scipys.sh DVKIT_EMU DVPERF	77: scipy is missing
set -u
emu=$1 dvperf=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for python in python3 /usr/bin/python3 none; do
	"$python" -c 'import scipy.stats' 2>/dev/null && break
done
[ "$python" != none ] || {
	echo 'skipped: no scipy; Debian has it in the package python3-scipy'
	exit 77
}

for side in a b; do
	timeout 200 "$emu" --fabric "stat-$$" -- "$dvperf" bw --loopback -s 8 -n 300 --repeat=7 --json \
		>"$dir/$side.json" || exit 1
	timeout 200 "$emu" --fabric "stat-$$" -- "$dvperf" lat --loopback -s 8 -n 100 --repeat=5 --json \
		>"$dir/$side.lat.json" || exit 1
	"$dvperf" post --api=direct -l 8 --json >"$dir/$side.post.json" || exit 1
done
for what in '' .lat .post; do
	"$dvperf" compare "$dir/a$what.json" "$dir/b$what.json" --json >"$dir/compare$what.json" || exit 1
done
"$python" - "$dir" <<'PY'
import json, statistics, sys
import numpy
from scipy import stats

dir, tested = sys.argv[1], 0
for what in "", ".lat", ".post":
    rows = [json.load(open(f"{dir}/{side}{what}.json"))["rows"][0] for side in "ab"]
    compared = json.load(open(f"{dir}/compare{what}.json"))["rows"][0]["metrics"]
    for row in rows:
        main = next(iter(row["repeats"]))
        for name, values in row["repeats"].items():
            assert len(values) == row["options"]["repeats"], (name, values)
            middle, (low, high) = statistics.median(values), row["interval"][name]
            if name in ("mops", "post_cycles"):
                assert abs(row["metrics"][name] - middle) <= 1e-9 * middle, (name, middle)
            theirs = stats.bootstrap((values,), numpy.median, n_resamples=20000, axis=-1,
                                     method="percentile", random_state=1).confidence_interval
            # both are values of the sample, or next to one
            span = max(values) - min(values)
            near = sorted(values)
            assert low <= middle <= high
            assert abs(low - theirs.low) <= 0.35 * span and abs(high - theirs.high) <= 0.35 * span, \
                (name, near, (low, high), theirs)
        low, high = row["interval"][main]
        half = (high - low) / 2 / statistics.median(row["repeats"][main]) * 100
        assert abs(row["metrics"]["interval_percent"] - half) < 1e-6
    for name in rows[0]["repeats"]:
        if name not in compared:
            continue
        a, b = (row["repeats"][name] for row in rows)
        exact = len(set(a + b)) == len(a + b)
        theirs = stats.mannwhitneyu(b, a, method="exact" if exact else "asymptotic")
        ours = compared[name]
        assert (ours["values_a"], ours["values_b"]) == (len(a), len(b))
        assert abs(ours["p"] - theirs.pvalue) < 1e-9, (name, a, b, ours, theirs)
        assert abs(ours["effect"] - (2 * theirs.statistic / len(a) / len(b) - 1)) < 1e-9, (name, a, b)
        tested += 1
assert tested >= 4, tested
print(tested, "comparisons")
PY
