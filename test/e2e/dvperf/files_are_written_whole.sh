#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A file that does not fit is not there, one line says why, and the results are printed all the same.
#
#	files_are_written_whole.sh DVKIT_EMU DVPERF
set -u
dvperf=$2 failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
points=(mode=post api=direct batch=1,2,4,8,16,32 x=batch --repeat=1)

wrong() {
	echo "FAILED: $*"
	ls -l "$dir"
	cat "$dir/out" "$dir/err"
	failed=1
}

# a limit of the size of files in place of a full disk: 4 KiB
(
	trap '' XFSZ
	ulimit -f 4
	exec "$dvperf" sweep "${points[@]}" --output "$dir/results"
) >"$dir/out" 2>"$dir/err"
[ $? = 1 ] || wrong 'status'
[ -e "$dir/results/sweep.json" ] && wrong 'a part of the JSON'
[ "$(find "$dir/results" -name '*.new')" ] && wrong 'a part of a file'
grep -q "results/sweep.json: File too large; it is not written" "$dir/err" || wrong 'the reason'
[ "$(grep -c '^write' "$dir/out")" = 6 ] || wrong 'rows'
grep -q 'NOT TO BE TRUSTED' "$dir/out" || wrong 'what follows the rows'

# what was there before stays
echo before >"$dir/results/sweep.json"
(
	trap '' XFSZ
	ulimit -f 4
	exec "$dvperf" sweep "${points[@]}" --output "$dir/results"
) >"$dir/out" 2>"$dir/err"
[ "$(cat "$dir/results/sweep.json")" = before ] || wrong 'the file of before'

# a place that is no file, and with enough space
"$dvperf" sweep "${points[@]}" --output "$dir/results" >"$dir/out" 2>"$dir/err" || wrong 'enough space'
python3 -m json.tool "$dir/results/sweep.json" >/dev/null || wrong 'JSON'
if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
	"$dvperf" report "$dir/results" -o /dev/full >"$dir/out" 2>"$dir/err"
	[ $? = 1 ] && [ -c /dev/full ] && grep -q '/dev/full: No space left' "$dir/err" || wrong '/dev/full'
fi
exit $failed
