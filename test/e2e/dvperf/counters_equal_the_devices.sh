#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The device runs free: WQEs and CQEs are equal still, doorbells no more than were rung.
#
#	counters_equal_the_devices.sh DVKIT_EMU DVPERF
set -eu
. "$(dirname "$0")/../../lib/dvperf.sh"


# counts ARGUMENT...: one run, checked.
counts() {
	result out bw --loopback "$@"
	python3 - "$work/out" "$*" <<'PY'
import json, sys
row = json.load(open(sys.argv[1]))["rows"][0]
m, d = row["metrics"], row["device_counters"]
assert m["wqes"] == d["wqes"], (sys.argv[2], m["wqes"], d["wqes"])
assert m["cqes"] == d["cqes"], (sys.argv[2], m["cqes"], d["cqes"])
assert m["doorbells"] >= d["doorbells"] > 0, (sys.argv[2], m["doorbells"], d["doorbells"])
assert any("emulator" in reason for reason in row["not_trusted"])
print(sys.argv[2], "- wqes", d["wqes"], "cqes", d["cqes"], "doorbells", m["doorbells"])
PY
}

for api in direct wr verbs; do
	counts --api=$api -s 8 -l 16 -n 800
	counts --api=$api -s 200 -I 220 -l 5 -n 500
	counts --api=$api --op=send -s 64 -l 4 -n 400 -q 2
done
counts --op=read -s 4096 -n 300 -b
counts --op=send -s 32 --threads=2 --layout=shared-qp -n 500
counts --op=nop -l 8 -n 800
