#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Mistakes in what include/dv writes to records and registers, one at a time: each has to be noticed
# under --check, as an adapter would notice it. The headers as they are pass without a finding.
#
#	mutations.sh LAUNCHER SOURCE_DIR LIBRARY CC
#
#	private copy of include/dv -> one change -> rings.c compiled against it -> dvkit-emu --check
set -eu
. "$(dirname "$0")/../../lib/changed_header.sh"
emu=$1 source=$2 library=$3 cc=$4
here=$(cd "$(dirname "$0")" && pwd)
copy_headers
for file in common device; do
	"$cc" "${flags[@]}" -c "$source/samples/$file.c" -o "$work/$file.o"
done

# run WHAT: compiles rings.c and runs it.
run() {
	local status=0
	rm -f "$work/out"
	"$cc" "${flags[@]}" "$here/rings.c" "$work/common.o" "$work/device.o" -o "$work/rings" \
		"$library" -Wl,-rpath,"$(dirname "$library")" -libverbs -lmlx5 || return 125
	emulated --check -- "$work/rings" "$1" \
		>"$work/out" 2>&1 || status=$?
	return $status
}

right arms doorbells blueflame wraps

# arms
wrong 'armed with sn 0, that of its last event' arms cq.h 's/cq->arm_sn++;/(void)cq;/'
wrong 'armed with sn 0, that of its last event' arms cq.h 's/(cq->arm_sn & 3) << 28/0u << 28/'
wrong 'armed through UAR page [0-9]*, and cqc.uar_page is' arms cq.h \
	's/(volatile uint64_t \*)cq->arm_reg/(volatile uint64_t *)(other_page + 0x20)/'
wrong 'CQ 0xabcdef: armed through UAR page' arms cq.h 's/<< 32 | cq->cqn)/<< 32 | 0xabcdef)/'
wrong 'CQ 0x10002: armed by .*not the word in the arm record' arms cq.h \
	's/<< 32 | cq->cqn)/<< 32 | (cq->cqn + 1))/'
record='((volatile __be32 \*)cq->dbrec)\[1\] = htobe32(word);'
wrong 'not the word in the arm record' arms cq.h \
	"$(inside dv_cq_arm "/$record/{h;d};/cq->arm_reg = /G")"

# the record after the register, or not at all
swap='s/dv_sq_record(sq);/@/;s/dv_sq_ring(sq, 0);/dv_sq_record(sq);/;s/@/dv_sq_ring(sq, 0);/'
wrong 'its register was rung, and the record, 0x[0-9a-f]+, announces no new WQE' doorbells sq.h \
	"$(inside dv_sq_doorbell "$swap")"
wrong 'its register was rung, and the record' blueflame sq.h \
	"$(inside dv_sq_blueflame 's/dv_sq_record(sq);/;/;s/dv_sq_ring(sq, \(.*\));/{ dv_sq_ring(sq, \1); dv_sq_record(sq); }/')"
wrong 'its register was rung, and the record' doorbells sq.h \
	"$(inside dv_sq_record 's/htobe32(sq->pi)/htobe32(sq->db_pi)/')"

# BlueFlame
old='s/= (const char \*)sq->last;/= sq->pi > 4 ? sq->buf + ((sq->pi - 3) \& sq->mask) * 64 : (const char *)sq->last;/'
wrong 'BlueFlame copy of the WQE at 0x[0-9a-f]+, which is not among those' blueflame sq.h \
	"$(inside dv_sq_ring "$old")"
wrong 'BlueFlame copy in half 0 of a register, and the doorbell before it used the same half' blueflame sq.h \
	's/sq->bf_offset ^= sq->bf_size;/;/'
wrong 'BlueFlame copy of more than the WQE' blueflame sq.h \
	"$(inside dv_sq_blueflame 's/dv_sq_ring(sq, blocks)/dv_sq_ring(sq, blocks + 1u)/')"
wrong 'BlueFlame copy of a part of the WQE' blueflame sq.h \
	"$(inside dv_sq_blueflame 's/dv_sq_ring(sq, blocks)/dv_sq_ring(sq, blocks - 1u)/')"
wrong 'BlueFlame copy of a part of the WQE' blueflame sq.h \
	"$(inside dv_copy_block '/reg + 7/d')"
wrong 'BlueFlame copy that differs from the WQE' blueflame sq.h \
	"$(inside dv_copy_block 's/reg + 6, from + 48/reg + 6, from + 40/')"

# retires
wrong 'blocks are free' wraps sq.h \
	"$(inside dv_sq_retire 's/(uint16_t)(idx + /(uint16_t)((idx \& sq->mask) + /')"
wrong 'blocks are free' wraps sq.h \
	"$(inside dv_sq_retire 's/(uint16_t)(idx + /(uint16_t)((idx \& 0x7fff) + /')"
