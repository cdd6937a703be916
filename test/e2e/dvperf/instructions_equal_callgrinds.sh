#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The same functions counted twice: by single steps (dvperf post) and by valgrind, which runs them on
# its own CPU. callgrind counts whole functions, the marks are inside; so what is compared is
# what 56 WQEs more cost, and 63 CQEs more.
#
#	instructions_equal_callgrinds.sh DVKIT_EMU DVPERF
set -eu
dvperf=$2
command -v valgrind >/dev/null || { echo 'no valgrind here'; exit 77; }
[ "$(uname -m)" = x86_64 ] || exit 77
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
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
		--callgrind-out-file="$dir/$batch.%p" "$dvperf" "${post[@]}" $batch >"$dir/log" 2>&1
done
# the child is the process that posted
for batch in 8 64; do
	for file in "$dir/$batch".*; do
		got=$(per_call "$file" write_inline)
		[ -z "$got" ] || echo "$got" >"$dir/post$batch"
	done
	[ -s "$dir/post$batch" ] || { echo "callgrind saw no post of $batch"; exit 1; }
done
few=$(stepped 8 post_instr)
many=$(stepped 64 post_instr)
awk -v v8="$(cat "$dir/post8")" -v v64="$(cat "$dir/post64")" -v s8="$few" -v s64="$many" 'BEGIN {
	valgrind = (v64 - v8) / 56
	steps = (64 * s64 - 8 * s8) / 56
	printf "a WQE more: %.2f by callgrind, %.2f by single steps\n", valgrind, steps
	exit !(steps > 0.98 * valgrind && steps < 1.02 * valgrind)
}'
