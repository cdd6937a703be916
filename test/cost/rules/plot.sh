#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# plot.sh BUILD FILE.svg [NUMBER...]: draws what a flow rule costs over the number of rules, 1 to 100000 unless said
# otherwise: to install and to delete one by each back end, and the emulator's cost of a packet of the rule. FILE.tsv is
# what was measured.
set -eu
build=$1 svg=$2
shift 2
[ $# -gt 0 ] || set -- 1 10 100 1000 10000 100000
/usr/bin/python3 -c 'import matplotlib' 2>/dev/null ||
	{ echo 'matplotlib is not installed: apt-get install python3-matplotlib'; exit 77; }
tsv=${svg%.svg}.tsv
"$build/bin/dvkit-emu" --fabric "plot-$$" -- "$build/bin/test_cost_rules" "$@" >"$tsv"
/usr/bin/python3 - "$tsv" "$svg" <<'PY'
import sys
import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt

matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "rules", "font.size": 9})
with open(sys.argv[1]) as f:
    rules = [line.split("\t") for line in f][1:]
fig, (cost, find) = plt.subplots(1, 2, figsize=(10, 4))
for i, name in enumerate(("verbs", "kernel", "devx", "dr")):
    x, *counts = zip(*([float(v) for v in r[1:5]] for r in rules if r[0] == name))
    install, delete, packet = ([v / 1000 for v in each] for each in counts)
    cost.plot(x, install, "C%do-" % i, markersize=3, label=name)
    cost.plot(x, delete, "C%d--" % i)
    find.plot(x, packet, "C%do-" % i, markersize=3, label=name)
cost.set(title="To install a rule, and to delete one (dashed)", ylabel="thousands of instructions")
find.set(title="A packet of the rule, sent and received by the emulator", ylabel="thousands of instructions")
cost.legend()
for axes in cost, find:
    axes.set(xscale="log", xlabel="rules")
    axes.set_ylim(0, 1.1 * axes.get_ylim()[1])
fig.savefig(sys.argv[2], bbox_inches="tight", metadata={"Date": None})
PY
echo "$svg"
