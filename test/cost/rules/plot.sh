#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# plot.sh BUILD FILE.svg [NUMBER...]: draws what a flow rule costs over the number of rules, 1 to 100000 unless said
# otherwise: to install and to delete one by each back end, and to find that of a packet. FILE.tsv is what was measured.
set -eu
build=$1 svg=$2
shift 2
[ $# -gt 0 ] || set -- 1 10 100 1000 10000 100000
command -v gnuplot >/dev/null || { echo 'gnuplot is not installed: apt-get install gnuplot-nox'; exit 77; }
tsv=${svg%.svg}.tsv
"$build/bin/dvkit-emu" --fabric "plot-$$" -- "$build/bin/test_cost_rules" "$@" >"$tsv"
printf '\n\n' >>"$tsv"
"$build/bin/test_cost_steer" >>"$tsv"
gnuplot <<END
set terminal svg size 900,380 font "sans-serif,12" background rgb "white"
set output "$svg"
set datafile separator tab
backends = "verbs kernel devx"
set multiplot layout 1,2
set logscale x
set format x "10^%T"
set xlabel "rules"
set yrange [0:*]
set offsets 0, 0, 1, 0
set key at graph 0.97, 0.4
set ylabel "thousands of instructions"
set title "To install a rule, and to delete one (dashed)"
plot for [i=1:3] "$tsv" index 0 skip 1 using (strcol(1) eq word(backends, i) ? \$2 : 1/0):(\$3/1000) \
	with linespoints pointtype 7 pointsize 0.5 linecolor i title word(backends, i), \
	for [i=1:3] "$tsv" index 0 skip 1 using (strcol(1) eq word(backends, i) ? \$2 : 1/0):(\$4/1000) \
	with lines dashtype 2 linecolor i notitle
set ylabel "instructions"
set title "To find the rule of a packet, in the emulator"
plot "$tsv" index 1 skip 1 using (\$2 == 1 ? \$1 : 1/0):3 with linespoints pointtype 7 pointsize 0.5 linecolor 4 notitle
END
echo "$svg"
