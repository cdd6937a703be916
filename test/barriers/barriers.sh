#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reads the disassembly of barriers.c, functions made of the public inline API, and holds each way
# through them (paths.awk) to the order that <dv/barrier.h> promises:
#
#	WQE, TO, record, FULL, register, FULL        owner bit, FROM, rest of the CQE
#
#	aarch64     TO: dmb oshst     FROM: dmb oshld     FULL: dsb st
#	x86_64      TO: compiler      FROM: compiler      FULL: sfence
#
# (A barrier for the compiler leaves no instruction: of x86_64 the object is made with a copy of
# barrier.h in which it is an lfence.) And BlueFlame's copy of a block: all loads, then all stores.
#
# Then it takes each barrier out of the disassembly in turn, and wants to see a complaint.
#
#	barriers.sh aarch64|x86_64 OBJDUMP OBJECT
set -eu
. "$(dirname "$0")/../lib/frame.sh"
cd "$(dirname "$0")"
arch=$1
"$2" --disassemble --no-show-raw-insn "$3" >"$work/all"

L='( ld[^ ]*)*' # any loads
case $arch in
aarch64) TO=oshst FROM=oshld FULL=dsbst ;;
x86_64) TO=lfence FROM=lfence FULL=sfence ;;
esac

S='( ld[^ ]*| st[28][^ ]*)*' # what is stored to the queue's structure afterwards
[ "$arch" = aarch64 ] || S='( ld[^ ]*| st[248][^ ]*)*' # two halves in one store
RING=".* $TO$L st4[^ ]*$L $FULL$L( st8[^ ]*$L| ld64[^ ]* st64[^ ]*)* $FULL$S"
ONE=".* st(4|8|16)[^ ]* .*$TO$L st4[^ ]*$L $FULL$L st8[^ ]*$L $FULL$S"
# A block; eight registers are held by more instructions.
MANY=".* $TO$L st4[^ ]*$L $FULL$L( ld64[^ ]* st64[^ ]*|( ld8[^ ]*){8,}( st8[^ ]*){8,})+ $FULL$S"
[ "$arch" = aarch64 ] || MANY=".* $TO$L st4[^ ]*$L $FULL$L( st8[^ ]*$L){8} $FULL$S"
NC=".* $TO$L st4[^ ]*$L $TO$L st8[^ ]*$L st[24][^ ]*$L" # a register that is not write-combining
NO_DBR=".* $FULL$L st8[^ ]*$L( st[24][^ ]*)?$L $FULL$S"
NONE='(ld[^ ]*|st[^ ]*| )*' # no barrier: nothing was committed

# held FUNCTION EVERY [SOME...]: every way through it is EVERY, and each SOME is one of them.
held() {
	awk -v FUNCTION="$1" -f paths.awk -f "$arch.awk" "$work/now" >"$work/paths"
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

# held_post FUNCTION: a receive and its doorbell.
held_post() {
	held "$1" ".* $TO$L st4[^ ]*$L" ".* st(8|16)[^ ]* .*$TO$L st4[^ ]*$L"
}

# held_poll FUNCTION FIRST: FIRST is read, then the byte count, 44.
held_poll() {
	held "$1" ".*$2$L|.*$2[^o]* $FROM$S" ".*$FROM.* ld4\\+44.*" &&
		! grep "ld4+44.* $FROM" "$work/paths"
}

# The offsets: 60 the WQE's counter, 62 the validity iteration count, 63 the owner bit.
all_held() {
	held post_and_ring "$NONE|$RING" "$ONE" &&
		held post_and_blueflame "$NONE|$RING" "$ONE" "$MANY" &&
		held post_and_ring_nc "$NONE|$NC" ".* st(4|8|16)[^ ]* .*$TO.*" &&
		held post_and_ring_no_dbr "$NONE|$NO_DBR" \
			".* st(4|8|16)[^ ]* .*$FULL.*" &&
		held_post receive_shared && held_post receive && held_post receive_strides &&
		held_poll poll_byte_cnt 'ld1\+63' &&
		held_poll poll_enhanced_byte_cnt 'ld1\+62' &&
		held_poll collapsed_byte_cnt 'ld4\+60' &&
		held poll_and_release ".*ld1\\+63.* $FROM$L st4[^ ]*$L" \
			".*ld1\\+63.* $FROM.* ld4\\+44.* $FROM$L st4[^ ]*$L" &&
		held arm ".* st4[^ ]*$L $FULL$L st8[^ ]*$L $FULL"
}

cp "$work/all" "$work/now"
all_held
barriers=$(grep -nE '[[:space:]](dmb|dsb|sfence|lfence)([[:space:]]|$)' "$work/all" |
	cut -d : -f 1)
taken=0
for line in $barriers; do
	sed -E "${line}s/(dmb|dsb|sfence|lfence).*/nop/" "$work/all" >"$work/now"
	if all_held >"$work/complaint"; then
		echo "this barrier can be taken out and no check fails:"
		sed -n "${line}p" "$work/all"
		exit 1
	fi
	taken=$((taken + 1))
done
echo "$taken barriers, each of them missed when it is taken out"
[ "$taken" -ge 13 ]
