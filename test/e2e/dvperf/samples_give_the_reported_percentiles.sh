#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every sample of lat (-U, in ticks: -C), sorted here: the percentiles in the table are theirs, within
# what the histogram resolves; least and greatest exactly.
#
#	samples_give_the_reported_percentiles.sh DVKIT_EMU DVPERF
set -eu
. "$(dirname "$0")/../../lib/dvperf.sh"

# check WHAT LEAST_SAMPLES ARGUMENT...
check() {
	what=$1 n=$2
	shift 2
	run lat --loopback "$@" >"$work/out"
	python3 - "$work/out" "$what" "$n" "$*" <<'PY'
import math, sys
path, what, n, arguments = sys.argv[1:]
lines = open(path).read().splitlines()
assert lines[0] == "#, cycles", lines[0]
samples, rest = [], []
for number, line in enumerate(lines[1:], 1):
    if line.startswith(f"{number}, "):
        samples.append(int(line.split(", ")[1]))
    else:
        rest = lines[number:]
        break
assert len(samples) == int(n), (len(samples), n)
if what == "sorted":
    assert samples == sorted(samples)
else:
    assert samples != sorted(samples), "as they came, and already in order?"
words = rest[1].split()[-8:]
values = [float(word) for word in words[:2] + words[3:]] # but for the interval
least, typical, average, p90, p99, p999, most = values
samples.sort()
assert least == samples[0] and most == samples[-1], (values, samples[0], samples[-1])
assert abs(average - sum(samples) / len(samples)) <= 1
for value, percent in (typical, 50), (p90, 90), (p99, 99), (p999, 99.9):
    raw = samples[math.ceil(percent / 100 * len(samples)) - 1]
    assert raw <= value <= raw * (1 + 1 / 128) + 1, (percent, raw, value)
print(arguments, "-", len(samples), "samples; p50", typical, "p99", p99)
PY
}

check unsorted 2000 -U -C -n 2000 --repeat=1
check unsorted 1500 -U -C -n 500 --repeat=3 --op=read
check sorted 600 -H -C -n 600 --repeat=1 --op=send
