/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ACCESS_ASO: reads and changes an advanced steering object, the state that a steering action
 * keeps (a meter, a connection, a policer, flow hits, IPsec, MACsec). Read post.h before.
 *
 *	control | ASO control, 48 | ASO data, 64
 *
 * The control segment's opmod says which kind, its imm which object. An object is 64 bytes; the
 * WQE may read it to local memory, and change it if both conditions on its words hold:
 *
 *	+0   local address of 64 bytes, bit 0: read the object to it
 *	+8   lkey
 *	+12  what the mask counts: bits of 8 bytes, bytes, or bytes computed
 *	+13  operands of the conditions: condition 1 in the upper half, 0 in the lower
 *	+14  offsets of the words that they test, in the same halves
 *	+15  offset of the data, and how the conditions are joined
 *	+16  condition 0: data, mask    +24  condition 1: data, mask
 *	+32  data and mask for the change, 8 bytes each
 *
 * The layout is that of Linux' drivers/net/ethernet/mellanox/mlx5/core/lib/aso.h. libmlx5 44
 * has no call for it, and neither the emulator nor a test here executes these WQEs: only their
 * bytes are tested.
 */
#ifndef DV_ASO_H
#define DV_ASO_H

#include <dv/post.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	DV_OPMOD_ASO_IPSEC = 0,
	DV_OPMOD_ASO_CONNECTION_TRACKING = 1,
	DV_OPMOD_ASO_POLICER = 2,
	DV_OPMOD_ASO_RACE_AVOIDANCE = 3,
	DV_OPMOD_ASO_FIRST_HIT = 4,
	DV_OPMOD_ASO_MACSEC = 5,

	DV_ASO_BYTES = 64,
	DV_ASO_READ = 1, /* in the lowest bit of va_l */
};

struct dv_wqe_aso_seg {
	__be32 va_h;
	__be32 va_l;
	__be32 lkey;
	uint8_t data_mask_mode;
	uint8_t condition_1_0_operand;
	uint8_t condition_1_0_offset;
	uint8_t data_offset_condition_operand;
	__be32 condition_0_data;
	__be32 condition_0_mask;
	__be32 condition_1_data;
	__be32 condition_1_mask;
	__be64 bitwise_data;
	__be64 data_mask;
};

static_assert(sizeof(struct dv_wqe_aso_seg) == 48, "ASO control segment");
static_assert(offsetof(struct dv_wqe_aso_seg, data_mask_mode) == 12, "ASO control segment");
static_assert(offsetof(struct dv_wqe_aso_seg, bitwise_data) == 32, "ASO control segment");

/* The change of the object, in host order; zeros change nothing. */
struct dv_aso {
	uint64_t read_to; /* 64 aligned bytes; 0: do not read */
	uint32_t lkey;
	uint8_t data_mask_mode, operands, offsets, data_offset;
	uint32_t condition_data[2], condition_mask[2];
	uint64_t data, mask;
};

DV_INLINE void *dv_set_aso_seg(void *seg, const struct dv_aso *aso)
{
	struct dv_wqe_aso_seg *a = (struct dv_wqe_aso_seg *)seg;

	a->va_h = htobe32((uint32_t)(aso->read_to >> 32));
	a->va_l = htobe32((uint32_t)aso->read_to | (aso->read_to ? DV_ASO_READ : 0));
	a->lkey = htobe32(aso->lkey);
	a->data_mask_mode = aso->data_mask_mode;
	a->condition_1_0_operand = aso->operands;
	a->condition_1_0_offset = aso->offsets;
	a->data_offset_condition_operand = aso->data_offset;
	a->condition_0_data = htobe32(aso->condition_data[0]);
	a->condition_0_mask = htobe32(aso->condition_mask[0]);
	a->condition_1_data = htobe32(aso->condition_data[1]);
	a->condition_1_mask = htobe32(aso->condition_mask[1]);
	a->bitwise_data = htobe64(aso->data);
	a->data_mask = htobe64(aso->mask);
	return a + 1;
}

/* Accesses object @id of kind @opmod (DV_OPMOD_ASO_*). @data: 64 bytes that go with it, for the
 * kinds that have such, or NULL: the WQE ends before. Returns what all of post.h do. */
DV_INLINE int dv_sq_aso(struct dv_sq *sq, uint8_t flags, uint8_t opmod, uint32_t id,
			const struct dv_aso *aso, const void *data)
{
	const size_t nbb = dv_wqe_nbb(DV_WQE_DS + sizeof(struct dv_wqe_aso_seg) + DV_ASO_BYTES);
	void *seg = dv_sq_reserve(sq, nbb);

	if (!seg)
		return dv_sq_reserve_error(sq, nbb);
	seg = dv_set_aso_seg(seg, aso);
	if (data) {
		memcpy(seg, data, DV_ASO_BYTES);
		seg = (char *)seg + DV_ASO_BYTES;
	}
	dv_sq_commit(sq, seg, DV_OPCODE_ACCESS_ASO, opmod, flags, htobe32(id));
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
