#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# perftest's limits; a warm-up that counts nowhere.
#
#	limits_and_warm_up.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

# limit STATUS TEXT ARGUMENT...: with status 1 one line on standard error, and the table all the same.
limit() {
	expect_status "$1" run bw --loopback -n 200 --repeat=1 "${@:3}"
	has '^write' "$work/out"
	[ "$1" = 0 ] || { [ "$(wc -l <"$work/err")" = 1 ] && grep -Eq -e "$2" "$work/err"; } || fail "${*:3}: not the line '$2'"
}

limit 1 'MiB/s are below the limit of 900000 \(-w\)' -w 900000
limit 1 'Mops are below the limit of 900 \(-y\)' -y 900
limit 0 '' -w 0.0001 -y 0.0000001

result warm.json bw --loopback -n 300 -s 64 -l 4 --op=send --perform_warm_up
python3 - "$work/warm.json" <<'PY' || fail 'a warm-up'
import json, sys
row = json.load(open(sys.argv[1]))["rows"][0]
m, d = row["metrics"], row["device_counters"]
assert row["options"]["warmup"] == 1
assert m["ops"] == 900, m["ops"]
assert m["wqes"] == d["wqes"], (m["wqes"], d["wqes"])
assert m["cqes"] == d["cqes"], (m["cqes"], d["cqes"])
assert m["doorbells"] >= d["doorbells"] > 0
PY

# and between two processes: both sides walk through it
both 0 '"rows"' bw -n 300 -s 64 --perform_warm_up --json
python3 - "$work/client.log" <<'PY' || fail 'a warm-up of two'
import json, sys
row = json.load(open(sys.argv[1]))["rows"][0]
m, d = row["metrics"], row["device_counters"]
assert m["ops"] == 900 and m["wqes"] == d["wqes"] and m["cqes"] == d["cqes"], (m, d)
PY
