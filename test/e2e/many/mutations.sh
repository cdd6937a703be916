#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Mistakes of other code in the protocol of dv/many.h, one at a time: the tests of many.c notice, or
# dvkit-emu --check does.
#
#	mutations.sh LAUNCHER SOURCE_DIR LIBRARY CC
set -eu
. "$(dirname "$0")/../../lib/changed_header.sh"
emu=$1 source=$2 library=$3 cc=$4
here=$(cd "$(dirname "$0")" && pwd)
copy_headers
export TRIES=2000000
for file in lib/device e2e/many/late; do
	"$cc" "${flags[@]}" -DLATE_STORES -I "$source/test" -c "$source/test/$file.c" -o "$work/${file##*/}.o"
done

# run FILTER: the tests, with the headers as they are now.
run() {
	"$cc" "${flags[@]}" -ffreestanding -c "$here/producer.c" -o "$work/producer.o" &&
		"$cc" "${flags[@]}" -I "$source/test" "$here/many.c" "$work/producer.o" "$work/device.o" "$work/late.o" -o "$work/many" \
			"$library" -Wl,-rpath,"$(dirname "$library")" -lcriterion -libverbs -lmlx5 -lpthread || return 125
	limit=150 emulated --poll-doorbells --check -- "$work/many" --jobs 1 --filter "$1" >"$work/out" 2>&1
}

every='many/every*' errors='many/*error*' any='.'
right "$every" "$errors"

# NVIDIA-DOCA/gpunetio, openucx/ucx, NVIDIA/nccl: register, record, register
early='{ uint64_t word = (uint64_t)sq->qpn_ds << 32 | htobe32((uint32_t)sq->pi << 8); volatile uint64_t *reg = (volatile uint64_t *)sq->bf_reg; *reg = word; dv_sq_record(sq); dv_barrier_dbrec_before_bf_reg(); *reg = word; (void)how; }'
stays_right "$every" many.h "$(inside dv_many_publish "s/dv_sq_ring_by(sq, how);/$early/")"

# noticed WHAT FUNCTION SED: by a finding or a test of WHAT.
noticed() {
	wrong "$any" "$1" many.h "$(inside "$2" "$3")"
}

# deepseek-ai/DeepEP, ibgda_reserve_wqe_slots: no look at the space
noticed "$every" dv_many_is_over_ 's/return (int64_t).*/return (void)q, (void)to, false;/'
# deepseek-ai/DeepEP pull request 181, ROCm/mori issue 14: a doorbell for WQEs that are not written
noticed "$every" dv_many_await_ 's/while (.*/while (0) {/'
# ROCm/mori, mlx5PrepareAtomicWqe_v1: the slot in the place of the index
noticed "$every" dv_many_window 's/(uint16_t)(t->at + i)/(uint16_t)((t->at + i) \& q->sq.mask)/'
# openucx/ucx pull request 10927: the queue stops
noticed "$every" dv_many_publish 's/dv_many_load_(&q->reserved_to) == t->to/0/;s/(t->from ^ t->to) &.*/0))) {/'
noticed "$every" dv_many_publish 's/dv_many_store_(&q->ready, t->to);/;/'
# the blocks before the edge of the ring
noticed "$every" dv_many_publish 's/while (edge.pi != .*/while (0)/'
noticed "$every" dv_many_publish 's/edge.pi = (uint16_t)t->from;/edge.pi = (uint16_t)t->at;/'
# a completion counts the first block of its WQE only; or the next turn's
noticed "$every" dv_many_poll 's/ + dv_ds_nbb(ctrl\[7\] & 0x3f) - / + 1 - /'
noticed "$every" dv_many_poll 's/ + dv_ds_nbb(ctrl\[7\] & 0x3f) - / + 3 - /'
# NVIDIA/nccl issue 2383: an error CQE is taken for no CQE
noticed "$errors" dv_many_poll 's/return dv_many_fail_(q, bad->syndrome);/return (void)bad, 0;/'
# others wait for ever
noticed "$errors" dv_many_fail_ 's/dv_many_swap_(&q->error, &none, why);/(void)q; (void)none; (void)why;/'

# Late stores: each fence, and the release of the turn.
flags+=(-DLATE_STORES -include "$here/late.h")
sed -i 's/^#define DV_BARRIER_\(TO_DEVICE\|MMIO\)().*\(COMPILER\|sfence\).*/#define DV_BARRIER_\1() late_fence()/' "$work/include/dv/barrier.h"
sed -i 's/^\t__atomic_store_n(p, v, __ATOMIC_RELEASE);/\tlate_fence();\n&/' "$work/include/dv/many.h"
[ "$(grep -c 'late_fence()' "$work/include/dv/barrier.h" "$work/include/dv/many.h" | awk -F: '{ n += $2 } END { print n }')" = 3 ] ||
	fail 'the fences of x86-64 are not where this test replaces them'
right 'late/*'
wrong . 'late/wqes_before_the_record' sq.h "$(inside dv_sq_record 's/dv_barrier_wqe_before_dbrec();/;/')"
wrong . 'late/record*' sq.h "$(inside dv_sq_doorbell_nc 's/dv_barrier_dbrec_before_nc_reg();/;/')"
wrong . 'late/wqes_before_the_turn' many.h 's/^\tlate_fence();//'
