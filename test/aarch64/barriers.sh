#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reads the disassembly of barriers.c, functions made of the public inline API, and holds each way
# through them (paths.awk) to the order that <dv/barrier.h> promises:
#
#	WQE, dmb oshst, record, dsb st, register, dsb st        owner bit, dmb oshld, rest of the CQE
#
# Then it takes each barrier out of the disassembly in turn, and wants to see a complaint.
#
#	barriers.sh OBJDUMP OBJECT
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" --disassemble --no-show-raw-insn "$2" >"$work/all"

L='( ld[^ ]*)*'                        # any loads
STRUCT='( ld[^ ]*| st2[^ ]*| st8[^ ]*)*' # what the queue's own structure is told afterwards
RING=".* oshst$L st4[^ ]*$L dsbst$L( st8[^ ]*$L)* dsbst$STRUCT"
ONE=".* st(4|8|16)[^ ]* .*oshst$L st4[^ ]*$L dsbst$L st8[^ ]*$L dsbst$STRUCT"
MANY=".* oshst$L st4[^ ]*$L dsbst$L( st8[^ ]*$L){8} dsbst$STRUCT" # a block
NC=".* oshst$L st4[^ ]*$L oshst$L st8[^ ]*$L st2[^ ]*$L" # a register that is not write-combining
NO_RECORD=".* dsbst$L st8[^ ]*$L( st2[^ ]*)?$L dsbst$STRUCT"
NONE='([^do]|d[^s]|o[^s])*' # neither dsb nor osh…: nothing was committed

# held FUNCTION EVERY [SOME...]: every way through it is EVERY, and each SOME is one of them.
held() {
	awk -v FUNCTION="$1" -f paths.awk "$work/now" >"$work/paths"
	[ -s "$work/paths" ] || { echo "$1: not found"; return 1; }
	if grep -Evx "$2" "$work/paths"; then
		echo "$1: above is a way through it that breaks the order"
		return 1
	fi
	function=$1
	shift 2
	for some; do
		grep -Eqx "$some" "$work/paths" && continue
		echo "$function: no way through it is: $some"
		return 1
	done
}

# The offsets: 63 is the owner bit in the CQE, 44 its byte count.
all_held() {
	held post_and_ring "$NONE|$RING" "$ONE" &&
		held post_and_blueflame "$NONE|$RING" "$ONE" "$MANY" &&
		held post_and_ring_nc "$NONE|$NC" ".* st(4|8|16)[^ ]* .*oshst.*" &&
		held post_and_ring_no_record "$NONE|$NO_RECORD" ".* st(4|8|16)[^ ]* .*dsbst.*" &&
		held receive_shared ".* oshst$L st4[^ ]*$L" ".* st8[^ ]* .*oshst$L st4[^ ]*$L" &&
		held receive ".* oshst$L st4[^ ]*$L" ".* st8[^ ]* .*oshst$L st4[^ ]*$L" &&
		held poll_byte_cnt ".*ld1\+63$L|.*ld1\+63[^o]* oshld$L" '.*oshld.* ld4\+44.*' &&
		! grep 'ld4+44.* oshld' "$work/paths" &&
		held poll_and_release ".*ld1\+63.* oshld$L st4[^ ]*$L" \
			".*ld1\+63[^o]* oshld.* ld4\+44.* oshld$L st4[^ ]*$L" &&
		held arm ".* st4[^ ]*$L dsbst$L st8[^ ]*$L dsbst"
}

cp "$work/all" "$work/now"
all_held
barriers=$(grep -nE '[[:space:]](dmb|dsb)[[:space:]]' "$work/all" | cut -d : -f 1)
taken=0
for line in $barriers; do
	sed "${line}s/d[ms]b.*/nop/" "$work/all" >"$work/now"
	if all_held >"$work/complaint"; then
		echo "nobody misses this barrier:"
		sed -n "${line}p" "$work/all"
		exit 1
	fi
	taken=$((taken + 1))
done
echo "$taken barriers, each of them missed when it is taken out"
[ "$taken" -ge 10 ]
