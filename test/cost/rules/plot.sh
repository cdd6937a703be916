#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# plot.sh BUILD FILE.svg [NUMBER...]: draws what a flow rule costs over the number of rules, 1 to 100000 unless said
# otherwise: to install and to delete one by each back end, and to find that of a packet. FILE.tsv is what was measured.
set -eu
build=$1 svg=$2
shift 2
[ $# -gt 0 ] || set -- 1 10 100 1000 10000 100000
/usr/bin/python3 -c 'import matplotlib' 2>/dev/null ||
	{ echo 'matplotlib is not installed: apt-get install python3-matplotlib'; exit 77; }
tsv=${svg%.svg}.tsv
"$build/bin/dvkit-emu" --fabric "plot-$$" -- "$build/bin/test_cost_rules" "$@" >"$tsv"
printf '\n\n' >>"$tsv"
"$build/bin/test_cost_steer" >>"$tsv"
/usr/bin/python3 - "$tsv" "$svg" <<'PY'
import sys
import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt

matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "rules", "font.size": 9})
with open(sys.argv[1]) as f:
    rules, steer = ([line.split("\t") for line in part.splitlines()[1:]]
                    for part in f.read().split("\n\n\n"))
fig, (cost, find) = plt.subplots(1, 2, figsize=(10, 4))
for i, name in enumerate(("verbs", "kernel", "devx")):
    x, install, delete = zip(*([float(v) for v in r[1:4]] for r in rules if r[0] == name))
    cost.plot(x, [v / 1000 for v in install], "C%do-" % i, markersize=3, label=name)
    cost.plot(x, [v / 1000 for v in delete], "C%d--" % i)
x, y = zip(*((float(r[0]), float(r[2])) for r in steer if r[1] == "1"))
find.plot(x, y, "C3o-", markersize=3)
cost.set(title="To install a rule, and to delete one (dashed)", ylabel="thousands of instructions")
find.set(title="To find the rule of a packet, in the emulator", ylabel="instructions")
cost.legend()
for axes in cost, find:
    axes.set(xscale="log", xlabel="rules")
    axes.set_ylim(0, 1.1 * axes.get_ylim()[1])
fig.savefig(sys.argv[2], bbox_inches="tight", metadata={"Date": None})
PY
echo "$svg"
