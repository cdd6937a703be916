#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The same functions counted twice: by single steps (dvperf post) and by valgrind, which runs them on
# its own CPU. callgrind counts whole functions, the marks are inside; so what is compared is
# what 56 WQEs more cost, and 63 CQEs more.
#
#	instructions_equal_callgrinds.sh DVKIT_EMU DVPERF
set -eu
. "$(dirname "$0")/../../lib/dvperf.sh"
needs valgrind
[ "$(uname -m)" = x86_64 ] || skip 'x86-64 only'
post=(post --api=direct --doorbell=db --csv -l)

# per_call FILE FUNCTION: instructions of a call of FUNCTION, of those of its callers' lines that post
# most in a call: the batches themselves. Prints nothing when FILE, a process, did not call it.
# callgrind_annotate prints "instructions ( %)  > FILE:FUNCTION (calls x)" for each caller.
per_call() {
	callgrind_annotate --inclusive=yes --threshold=100 --tree=calling "$1" 2>/dev/null |
		tr -d , | awk -v f=":$2 [(]" '
		$0 ~ " > .*" f && match($0, /[(][0-9]+x[)]/) {
			calls = substr($0, RSTART + 1, RLENGTH - 3)
			if ($1 / calls > most) most = $1 / calls
		}
		END { if (most) print most }'
}

# stepped BATCH COLUMN
stepped() {
	"$dvperf" "${post[@]}" "$1" | awk -F, -v want="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) c = i }
		NR == 2 { print $c }'
}

for batch in 8 64; do
	valgrind -q --tool=callgrind --trace-children=yes \
		--callgrind-out-file="$work/$batch.%p" "$dvperf" "${post[@]}" $batch >"$work/log" 2>&1
done
# the child is the process that posted
for batch in 8 64; do
	for file in "$work/$batch".*; do
		got=$(per_call "$file" write_inline)
		[ -z "$got" ] || echo "$got" >"$work/post$batch"
	done
	[ -s "$work/post$batch" ] || { echo "callgrind saw no post of $batch"; exit 1; }
done
few=$(stepped 8 post_instr)
many=$(stepped 64 post_instr)
awk -v v8="$(cat "$work/post8")" -v v64="$(cat "$work/post64")" -v s8="$few" -v s64="$many" 'BEGIN {
	valgrind = (v64 - v8) / 56
	steps = (64 * s64 - 8 * s8) / 56
	printf "a WQE more: %.2f by callgrind, %.2f by single steps\n", valgrind, steps
	exit !(steps > 0.98 * valgrind && steps < 1.02 * valgrind)
}'
