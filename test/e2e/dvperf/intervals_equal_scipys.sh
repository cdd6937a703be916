#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Medians and intervals that dvperf reports are those that scipy computes from the repeats in the JSON.
#
#	intervals_equal_scipys.sh DVKIT_EMU DVPERF	77: scipy is missing
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
"$python" - "$dir" <<'PY'
import json, statistics, sys
import numpy
from scipy import stats

dir, tested = sys.argv[1], 0
for what in "", ".lat", ".post":
    rows = [json.load(open(f"{dir}/{side}{what}.json"))["rows"][0] for side in "ab"]
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
            tested += 1
            span = max(values) - min(values)
            near = sorted(values)
            assert low <= middle <= high
            assert abs(low - theirs.low) <= 0.35 * span and abs(high - theirs.high) <= 0.35 * span, \
                (name, near, (low, high), theirs)
        low, high = row["interval"][main]
        half = (high - low) / 2 / statistics.median(row["repeats"][main]) * 100
        assert abs(row["metrics"]["interval_percent"] - half) < 1e-6
assert tested >= 12, tested
print(tested, "intervals")
PY
