#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Each mode has its table, with one header, of at most 100 columns; what a sweep leaves out is one line
# for each reason.
#
#	tables_are_one_per_mode.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

expect_status 0 run sweep --loopback --repeat=1 -s 8 -n 200 api=direct,verbs \
	mode=bw,lat,post locks=on,off cq=qp,all
run post -l 8 >"$work/post" || exit 1
python3 - "$work" <<'PY'
import re, sys
lines = open(sys.argv[1] + "/out").read().split("\n")
headers = [i for i, line in enumerate(lines) if line.startswith("op ")]
assert len(headers) == 3, lines
assert "Mops" in lines[headers[0]] and "t_typical" in lines[headers[1]]
assert "instr/WQE" in lines[headers[2]]
rows = [i for i, line in enumerate(lines) if line.startswith("write ")]
assert len(rows) == 8 + 4 + 4, rows
for i in headers + rows:
    table = re.sub(r"  [a-z_]+=.*", "", lines[i])
    assert len(table) <= 100, lines[i]
# every value ends where its title does
def ends(line):
    return [m.end() for m in re.finditer(r"\S+( us)?", re.sub(r"  [a-z_]+=.*", "", line))][2:]
for i in rows:
    header = lines[max(h for h in headers if h < i)]
    assert ends(header) == ends(lines[i]), (header, lines[i])
left = [line for line in open(sys.argv[1] + "/err") if "left out" in line]
assert len(left) == 2, left
assert any("lat has one QP: no --cq (4 of 24 points: mode=lat cq=all)" in line for line in left), left
post = [line for line in open(sys.argv[1] + "/post") if re.match("op |write ", line)]
assert len(post) == 4 and all(len(line) <= 101 for line in post), post
PY
