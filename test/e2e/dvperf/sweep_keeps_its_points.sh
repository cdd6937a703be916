#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A point that turns out to be impossible, one that fails, a program that is killed: what was measured before is there.
#
#	sweep_keeps_its_points.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

sweep() {
	run sweep --repeat=1 -s 8 "$@" >"$work/out" 2>"$work/err"
}

# rows FILE AXIS: its values in the rows of a JSON document.
rows() {
	python3 -c 'import json, sys
print(*(row["options"][sys.argv[2]] for row in json.load(open(sys.argv[1]))["rows"]))' "$1" "$2"
}

# Only the machine says that so much memory cannot be had: when the point is run.
sweep -n 100 --loopback -N qp=1,1024,2 remote=random remote_size=64M --output "$work/refused" || fail "a refused point: status $?"
[ "$(rows "$work/refused/sweep.json" qp)" = '1 2' ] || fail 'the points before and after a refused one'
has 'left out: .* bytes of data .* \(1 of 3 points: qp=1024\)' "$work/err"
[ "$(grep -c '^write' "$work/out")" = 2 ] && [ "$(grep -c '^bw,write' "$work/refused/sweep.csv")" = 2 ] ||
	fail 'table and CSV without the refused point'
sweep -n 100 --loopback -N qp=1024 remote=random remote_size=64M,65M --output "$work/none"
[ $? = 2 ] && grep -q 'no point of this sweep' "$work/err" && [ ! -e "$work/none/sweep.json" ] || fail 'only refused points'

# A channel for each thread: there are enough descriptors for one, and not for those of the second point.
few() (
	ulimit -n $limit
	sweep -n 100 --loopback --events "$@"
)
limit=8 many=$((4 * $(nproc)))
until few threads=1 qp=1,2; do
	limit=$((limit + 1))
	[ $limit -lt 100 ] || { fail 'one thread with 100 descriptors' && exit 1; }
done
limit=$((limit + 2)) # for what is open at times only, and less than the channels of the second point
few threads=1,$many,2 --output "$work/failed"
[ $? = 1 ] || fail 'the status after a point that failed'
[ "$(rows "$work/failed/sweep.json" threads)" = 1 ] || fail 'the point before the one that failed'
grep -q 'left out: .*ibv_create_comp_channel.* (1 of 3 points: threads='$many')' "$work/err" &&
	grep -q 'left out: the sweep ended before (1 of 3 points: threads=2)' "$work/err" || fail 'why it ended'
few threads=1,$many,2 --json
[ $? = 1 ] && [ "$(rows "$work/out" threads)" = 1 ] || fail 'JSON on standard output after a failure'

# Nothing is said by a program that is killed: each point is in the file when the next one begins.
sweep --loopback batch=1,2 iters=100,4000000000 --output "$work/killed" &
until [ -s "$work/killed/sweep.json" ] || ! kill -0 $! 2>/dev/null; do
	sleep 0.1
done
pkill -KILL -f "dvperf sweep .*$work/killed"
wait $! 2>/dev/null
[ "$(rows "$work/killed/sweep.json" iters)" = 100 ] || fail 'the point before SIGKILL'
