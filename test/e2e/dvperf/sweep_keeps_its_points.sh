#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A point that turns out to be impossible, one that fails, a program that is killed: what was measured before is there.
#
#	sweep_keeps_its_points.sh DVKIT_EMU DVPERF
set -u
emu=$1 dvperf=$2 failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

sweep() {
	timeout -k 5 300 "$emu" --fabric "keeps-$$" -- "$dvperf" sweep --repeat=1 -s 8 "$@" >"$dir/out" 2>"$dir/err"
}

wrong() {
	echo "FAILED: $*"
	cat "$dir/out" "$dir/err"
	failed=1
}

# rows FILE AXIS: its values in the rows of a JSON document.
rows() {
	python3 -c 'import json, sys
print(*(row["options"][sys.argv[2]] for row in json.load(open(sys.argv[1]))["rows"]))' "$1" "$2"
}

# Only the machine says that so much memory cannot be had: when the point is run.
sweep -n 100 --loopback -N qp=1,1024,2 remote=random remote_size=64M --output "$dir/refused" || wrong "a refused point: status $?"
[ "$(rows "$dir/refused/sweep.json" qp)" = '1 2' ] || wrong 'the points before and after a refused one'
grep -q 'left out: .* bytes of data .* (1 of 3 points: qp=1024)' "$dir/err" || wrong 'what was left out'
[ "$(grep -c '^write' "$dir/out")" = 2 ] && [ "$(grep -c '^bw,write' "$dir/refused/sweep.csv")" = 2 ] ||
	wrong 'table and CSV without the refused point'
sweep -n 100 --loopback -N qp=1024 remote=random remote_size=64M,65M --output "$dir/none"
[ $? = 2 ] && grep -q 'no point of this sweep' "$dir/err" && [ ! -e "$dir/none/sweep.json" ] || wrong 'only refused points'

# A channel for each thread: there are enough descriptors for one, and not for those of the second point.
few() (
	ulimit -n $limit
	sweep -n 100 --loopback --events "$@"
)
limit=8 many=$((4 * $(nproc)))
until few threads=1 qp=1,2; do
	limit=$((limit + 1))
	[ $limit -lt 100 ] || { wrong 'one thread with 100 descriptors' && exit 1; }
done
limit=$((limit + 2)) # for what is open at times only, and less than the channels of the second point
few threads=1,$many,2 --output "$dir/failed"
[ $? = 1 ] || wrong 'the status after a point that failed'
[ "$(rows "$dir/failed/sweep.json" threads)" = 1 ] || wrong 'the point before the one that failed'
grep -q 'left out: .*ibv_create_comp_channel.* (1 of 3 points: threads='$many')' "$dir/err" &&
	grep -q 'left out: the sweep ended before (1 of 3 points: threads=2)' "$dir/err" || wrong 'why it ended'
few threads=1,$many,2 --json
[ $? = 1 ] && [ "$(rows "$dir/out" threads)" = 1 ] || wrong 'JSON on standard output after a failure'

# Nothing is said by a program that is killed: each point is in the file when the next one begins.
sweep --loopback batch=1,2 iters=100,4000000000 --output "$dir/killed" &
until [ -s "$dir/killed/sweep.json" ] || ! kill -0 $! 2>/dev/null; do
	sleep 0.1
done
pkill -KILL -f "dvperf sweep .*$dir/killed"
wait $! 2>/dev/null
[ "$(rows "$dir/killed/sweep.json" iters)" = 100 ] || wrong 'the point before SIGKILL'
exit $failed
