#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# plot.sh BUILD FILE.svg [NUMBER...]: draws what a flow rule costs over the number of rules, 1 to 100000 unless said
# otherwise: to install and to delete one by each back end, and to find that of a packet. FILE.tsv is what was measured.
set -eu
build=$1 svg=$2
shift 2
[ $# -gt 0 ] || set -- 1 10 100 1000 10000 100000
tsv=${svg%.svg}.tsv
"$build/bin/dvkit-emu" --fabric "plot-$$" -- "$build/bin/test_cost_rules" "$@" >"$tsv"
printf '\n\n' >>"$tsv"
"$build/bin/test_cost_steer" >>"$tsv"
/usr/bin/python3 - "$tsv" "$svg" <<'END'
import sys
import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt

tables = [[line.split("\t") for line in part.strip().split("\n")[1:]] for part in open(sys.argv[1]).read().split("\n\n\n")]
figure, (rules, packets) = plt.subplots(1, 2, figsize=(10, 4.2), layout="tight")
for backend in "verbs", "kernel", "devx":
    rows = [[float(v) for v in row[1:4]] for row in tables[0] if row[0] == backend]
    n, install, delete = zip(*rows)
    line, = rules.plot(n, [v / 1000 for v in install], "o-", markersize=4, label=backend)
    rules.plot(n, [v / 1000 for v in delete], "--", color=line.get_color())
rows = [(float(row[0]), float(row[2])) for row in tables[1] if row[1] == "1"]
packets.plot(*zip(*rows), "o-", markersize=4, color="C3")
rules.set(title="To install a rule, and to delete one (dashed)", ylabel="thousands of instructions")
rules.legend(frameon=False)
packets.set(title="To find the rule of a packet, in the emulator", ylabel="instructions")
for axes in rules, packets:
    axes.set(xscale="log", xlabel="rules")
    axes.set_ylim(bottom=0)
figure.savefig(sys.argv[2], metadata={"Date": None})
END
echo "$svg"
