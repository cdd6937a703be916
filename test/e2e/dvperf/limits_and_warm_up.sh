#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# perftest's limits; a warm-up that counts nowhere.
#
#	limits_and_warm_up.sh DVKIT_EMU DVPERF
set -u
emu=$1 dvperf=$2 failed=0
dir=$(mktemp -d)
. "$(dirname "$0")/../../lib/tcp.sh"
port=$(free_ports)
trap 'rm -rf "$dir"' EXIT

run() {
	timeout 100 "$emu" --fabric "reports-$$" -- "$dvperf" "$@"
}

wrong() {
	echo "FAILED: $*"
	cat "$dir/out" "$dir/err"
	failed=1
}

# limit STATUS TEXT ARGUMENT...: with status 1 one line on standard error, and the table all the same.
limit() {
	local want=$1 text=$2 status
	shift 2
	run bw --loopback -n 200 --repeat=1 "$@" >"$dir/out" 2>"$dir/err"
	status=$?
	[ $status = "$want" ] || wrong "$* status $status"
	grep -q '^write' "$dir/out" || wrong "$* no row"
	[ "$(wc -l <"$dir/err")" = "$want" ] && grep -q -e "$text" "$dir/err" ||
		[ "$want" = 0 ] || wrong "$* said"
}

limit 1 'MiB/s are below the limit of 900000 (-w)' -w 900000
limit 1 'Gb/s are below the limit of 900 (-w)' -w 900 --report_gbits
limit 1 'Mops are below the limit of 900 (-y)' -y 900
limit 0 '' -w 0.0001 -y 0.0000001
# by its table's unit: what is above one MiB/s is far below one GiB/s
limit 0 '' -s 65536 -w 1

run bw --loopback -n 300 -s 64 -l 4 --op=send --perform_warm_up --json \
	>"$dir/warm.json" 2>"$dir/err" || wrong 'a warm-up'
python3 - "$dir/warm.json" <<'PY' || failed=1
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
run bw -n 300 -s 64 --perform_warm_up -p $port >"$dir/server" 2>&1 &
run bw -n 300 -s 64 --perform_warm_up -p $port --json 127.0.0.1 >"$dir/out" 2>"$dir/err" ||
	wrong 'a warm-up of two'
wait $! || wrong "its server: $(cat "$dir/server")"
python3 - "$dir/out" <<'PY' || failed=1
import json, sys
row = json.load(open(sys.argv[1]))["rows"][0]
m, d = row["metrics"], row["device_counters"]
assert m["ops"] == 900 and m["wqes"] == d["wqes"] and m["cqes"] == d["cqes"], (m, d)
PY
exit $failed
