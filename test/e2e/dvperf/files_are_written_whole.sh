#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A file that does not fit is not there, one line says why, and the results are printed all the same.
#
#	files_are_written_whole.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"
points=(mode=post api=direct batch=1,2,4,8,16,32 x=batch --repeat=1)

# limited COMMAND...: with a limit of the size of files in place of a full disk, 4 KiB.
limited() (
	trap '' XFSZ
	ulimit -f 4
	exec "$@"
)
expect_output 1 'results/sweep.json: File too large; it is not written' limited "$dvperf" sweep "${points[@]}" --output "$work/results"
[ -e "$work/results/sweep.json" ] && fail 'a part of the JSON'
[ "$(find "$work/results" -name '*.new')" ] && fail 'a part of a file'
has_lines 6 '^write' "$work/out"
has 'NOT TO BE TRUSTED' "$work/out"

# what was there before stays
echo before >"$work/results/sweep.json"
limited "$dvperf" sweep "${points[@]}" --output "$work/results" >"$work/out" 2>"$work/err"
[ "$(cat "$work/results/sweep.json")" = before ] || fail 'the file of before'

# a place that is no file, and with enough space
expect_status 0 "$dvperf" sweep "${points[@]}" --output "$work/results"
python3 -m json.tool "$work/results/sweep.json" >/dev/null || fail 'JSON'
if has_modules matplotlib; then
	expect_output 1 '/dev/full: No space left' "$dvperf" report "$work/results" -o /dev/full
	[ -c /dev/full ] || fail '/dev/full'
fi
