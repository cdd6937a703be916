#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Medians and intervals that dvperf reports are those that scipy computes from the repeats in the JSON.
#
#	intervals_equal_scipys.sh DVKIT_EMU DVPERF	77: scipy is missing
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

needs_modules scipy.stats numpy

for side in a b; do
	result $side.json bw --loopback -s 8 -n 300 --repeat=7
	result $side.lat.json lat --loopback -s 8 -n 100 --repeat=5
	"$dvperf" post --api=direct -l 8 --json >"$work/$side.post.json" || exit 1
done
/usr/bin/python3 - "$work" <<'PY'
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
