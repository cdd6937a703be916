/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Compressed sessions: titles and arrays by hand; where they lie, whole CQEs are found. */
#include <dv/packet.h>
#include "memory.h"

enum {
	SLOTS = 16,
};

static uint8_t ring[SLOTS][64] __attribute__((aligned(64)));
static __be32 dbrec[2];
static struct dv_mini mini;

static void start(enum dv_mini_format format, bool enhanced, bool striding, uint32_t ci)
{
	struct mlx5dv_cq plain = { .buf = ring, .cqe_cnt = SLOTS, .cqe_size = 64, .dbrec = dbrec };
	struct dv_mini_attr attr = { .format = format, .enhanced = enhanced, .striding = striding };
	struct dv_cq cq;

	memset(ring, OLD, sizeof(ring));
	dv_cq_blank(ring, SLOTS, 64);
	dbrec[0] = 0;
	cr_assert_eq(dv_cq_init(&cq, &plain), 0);
	cq.ci = ci;
	cr_assert_eq(dv_mini_init(&mini, &cq, &attr), 0);
}

static uint8_t *slot(uint32_t ci)
{
	return ring[ci % SLOTS];
}

/* A received packet: hash, checksum, headers, VLAN 7, tag 0xabcdef; wqe_counter. */
static void put_cqe(uint32_t ci, uint16_t counter, uint32_t byte_cnt, uint8_t op_own)
{
	static const uint8_t bytes[64] = {
		[2] = 0x00, 0x01, [12] = 0x0a, 0x0b, 0x0c, 0x0d, 0x44, [20] = 0x11, 0x11,
		[28] = 0x07, 0x28, 0x00, 0x07, [32] = 0, 0, 0, 9, [48] = 1, 2, 3, 4, 5, 6, 7, 8,
		[56] = 0x00, 0xab, 0xcd, 0xef,
	};
	struct mlx5_cqe64 *cqe = (struct mlx5_cqe64 *)slot(ci);

	memcpy(cqe, bytes, 64);
	cqe->byte_cnt = htobe32(byte_cnt);
	cqe->wqe_counter = htobe16(counter);
	cqe->signature = (uint8_t)(ci / SLOTS);
	cqe->op_own = op_own;
}

static uint8_t owner(uint32_t ci)
{
	return ci & SLOTS ? 1 : 0;
}

#define TITLE(ci, n) put_cqe(ci, 100, n, (uint8_t)(0x2c | owner(ci)))
#define MINI(ci, i, ...) memcpy(slot(ci) + 8 * (i), (const uint8_t[8]){ __VA_ARGS__ }, 8)

static const struct mlx5_cqe64 *next(uint32_t byte_cnt)
{
	const struct mlx5_cqe64 *cqe = dv_mini_poll(&mini);

	cr_assert_not_null(cqe);
	cr_assert_eq(dv_cqe_byte_cnt(cqe), byte_cnt, "%u", dv_cqe_byte_cnt(cqe));
	cr_assert_eq(dv_cqe_opcode(cqe), MLX5_CQE_RESP_SEND);
	cr_assert_not(dv_cqe_is_compressed(cqe));
	cr_assert_eq(dv_cqe_timestamp(cqe), 0x0102030405060708, "the title's");
	cr_assert_eq(dv_packet_vlan(cqe), 7, "the title's");
	return cqe;
}

static void nothing_more(void)
{
	cr_assert_null(dv_mini_poll(&mini));
}

Test(mini, of_hashes)
{
	const struct mlx5_cqe64 *cqe;

	start(DV_MINI_HASH, false, false, 0);
	TITLE(0, 3);
	MINI(1, 0, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 60);
	MINI(1, 1, 0x00, 0x00, 0x00, 0x02, 0, 0, 0, 61);
	MINI(1, 2, 0x00, 0x00, 0x00, 0x03, 0, 0, 5, 220);
	cqe = next(60);
	cr_assert_eq(dv_packet_hash(cqe), 0xdeadbeef);
	cr_assert_eq(dv_packet_checksum(cqe), 0x1111, "the title's own");
	cr_assert_eq(dv_cqe_wqe_counter(cqe), 100);
	cqe = next(61);
	cr_assert_eq(dv_packet_hash(cqe), 2);
	cr_assert_eq(dv_packet_hash_type(cqe), 0x44);
	cr_assert_eq(dv_packet_checksum(cqe), 0, "not in the CQE");
	cr_assert_eq(dv_cqe_wqe_counter(cqe), 101);
	cr_assert_eq(dv_packet_flow_tag(cqe), 0xabcdef);
	cqe = next(1500);
	cr_assert_eq(dv_packet_hash(cqe), 3);
	cr_assert_eq(dv_cqe_wqe_counter(cqe), 102);
	nothing_more();
}

Test(mini, of_checksums)
{
	const struct mlx5_cqe64 *cqe;

	start(DV_MINI_CSUM, false, false, 0);
	TITLE(0, 2);
	MINI(1, 0, 0x12, 0x34, 0xff, 0xff, 0, 0, 0, 60);
	MINI(1, 1, 0x56, 0x78, 0xff, 0xff, 0, 0, 0, 61);
	cqe = next(60);
	cr_assert_eq(dv_packet_checksum(cqe), 0x1234);
	cr_assert_eq(dv_packet_hash(cqe), 0x0a0b0c0d, "the title's own");
	cqe = next(61);
	cr_assert_eq(dv_packet_checksum(cqe), 0x5678);
	cr_assert_eq(dv_packet_hash(cqe), 0);
	cr_assert_eq(dv_packet_hash_type(cqe), 0);
	cr_assert_eq(dv_cqe_wqe_counter(cqe), 101);
	nothing_more();
}

/* 8 bits of the tag are in the byte above the length. */
Test(mini, of_flow_tags_and_strides)
{
	const struct mlx5_cqe64 *cqe;

	start(DV_MINI_FTAG_STRIDX, false, true, 0);
	TITLE(0, 2);
	MINI(1, 0, 0x34, 0x56, 0x00, 0x05, 0x12, 0x00, 0x00, 0x40);
	MINI(1, 1, 0xcd, 0xef, 0x01, 0x00, 0xab, 0x00, 0x05, 0xdc);
	cqe = next(64);
	cr_assert_eq(dv_packet_flow_tag(cqe), 0x123456);
	cr_assert_eq(dv_cqe_wqe_counter(cqe), 5);
	cqe = next(1500);
	cr_assert_eq(dv_packet_flow_tag(cqe), 0xabcdef);
	cr_assert_eq(dv_cqe_wqe_counter(cqe), 0x100);
	nothing_more();
}

Test(mini, of_checksums_and_strides)
{
	const struct mlx5_cqe64 *cqe;

	start(DV_MINI_CSUM_STRIDX, false, true, 0);
	TITLE(0, 2);
	MINI(1, 0, 0x12, 0x34, 0x00, 0x02, 0x00, 0x03, 0x05, 0xdc);
	MINI(1, 1, 0x56, 0x78, 0x00, 0x05, 0x00, 0x01, 0x00, 0x40);
	cqe = next(0x305dc);
	cr_assert_eq(dv_cqe_strides(cqe).first, 2);
	cr_assert_eq(dv_cqe_strides(cqe).count, 3);
	cr_assert_eq(dv_cqe_strides(cqe).len, 1500);
	cr_assert_eq(dv_cqe_strides(cqe).wqe, 1);
	cqe = next(0x10040);
	cr_assert_eq(dv_packet_checksum(cqe), 0x5678);
	cr_assert_eq(dv_cqe_strides(cqe).first, 5);
	nothing_more();
}

Test(mini, of_headers_and_strides)
{
	const struct mlx5_cqe64 *cqe;

	start(DV_MINI_L34H_STRIDX, false, true, 0);
	TITLE(0, 2);
	MINI(1, 0, 0xff, 0x18, 0x00, 0x02, 0x00, 0x01, 0x00, 0x40);
	MINI(1, 1, 0xff, 0x25, 0x00, 0x03, 0x00, 0x01, 0x00, 0x41);
	cqe = next(0x10040);
	cr_assert_eq(dv_packet_l3(cqe), MLX5_CQE_L3_HDR_TYPE_IPV4);
	cr_assert_eq(dv_packet_l4(cqe), DV_PACKET_L4_TCP);
	cqe = next(0x10041);
	cr_assert_eq(dv_packet_l3(cqe), MLX5_CQE_L3_HDR_TYPE_IPV6);
	cr_assert_eq(dv_packet_l4(cqe), DV_PACKET_L4_UDP);
	cr_assert(dv_packet_vlan_stripped(cqe));
	cr_assert_eq(dv_cqe_wqe_counter(cqe), 3);
	nothing_more();
}

/* Where no mini has the stride, the strides of the packet before count on. */
Test(mini, counts_strides_on)
{
	start(DV_MINI_CSUM, false, true, 0);
	TITLE(0, 3);
	MINI(1, 0, 0, 0, 0, 0, 0x00, 0x04, 0x00, 0x40);
	MINI(1, 1, 0, 0, 0, 0, 0x00, 0x01, 0x00, 0x41);
	MINI(1, 2, 0, 0, 0, 0, 0x00, 0x02, 0x00, 0x42);
	cr_assert_eq(dv_cqe_wqe_counter(next(0x40040)), 100);
	cr_assert_eq(dv_cqe_wqe_counter(next(0x10041)), 104);
	cr_assert_eq(dv_cqe_wqe_counter(next(0x20042)), 105);
}

Test(mini, of_a_requester)
{
	const struct mlx5_cqe64 *cqe;

	start(DV_MINI_CSUM, false, false, 0);
	put_cqe(0, 100, 2, 0x0c);
	MINI(1, 0, 0x00, 0x07, MLX5_OPCODE_SEND, 0, 0, 0, 0, 0);
	MINI(1, 1, 0x01, 0x09, MLX5_OPCODE_RDMA_READ, 0, 0, 0, 0, 8);
	cqe = dv_mini_poll(&mini);
	cr_assert_eq(dv_cqe_opcode(cqe), MLX5_CQE_REQ);
	cr_assert_eq(dv_cqe_wqe_counter(cqe), 7);
	cr_assert_eq(dv_cqe_send_opcode(cqe), MLX5_OPCODE_SEND);
	cr_assert_eq(dv_cqe_qpn(cqe), 0xabcdef);
	cqe = dv_mini_poll(&mini);
	cr_assert_eq(dv_cqe_wqe_counter(cqe), 0x109);
	cr_assert_eq(dv_cqe_send_opcode(cqe), MLX5_OPCODE_RDMA_READ);
	cr_assert_eq(dv_cqe_byte_cnt(cqe), 8);
	nothing_more();
}

/* 11 completions from index 12: the first array is in slot 13, the second one in slot 4, after
 * the edge; an ordinary CQE follows. Then once more, a pass later. */
static void eleven_over_the_edge(uint32_t ci)
{
	uint32_t i;

	TITLE(ci, 11);
	for (i = 0; i < 8; i++)
		MINI(ci + 1, i, 0, 0, 0, (uint8_t)i, 0, 0, 0, (uint8_t)(60 + i));
	for (i = 8; i < 11; i++)
		MINI(ci + 8, i - 8, 0, 0, 0, (uint8_t)i, 0, 0, 0, (uint8_t)(60 + i));
	for (i = 0; i < 11; i++) {
		const struct mlx5_cqe64 *cqe = next(60 + i);

		cr_assert_eq((const void *)cqe, slot(ci + i), "in its own slot");
		cr_assert_eq(dv_packet_hash(cqe), i);
		cr_assert_eq(dv_cqe_wqe_counter(cqe), 100 + i);
		cr_assert_eq(cqe->op_own & 1, owner(ci + i));
	}
	nothing_more();
	put_cqe(ci + 11, 111, 99, 0x20 | owner(ci + 11));
	next(99);
	dv_cq_release(&mini.cq);
	cr_assert_eq(be32toh(dbrec[0]), ci + 12);
	nothing_more();
}

Test(mini, goes_over_the_edge_of_the_ring)
{
	for (uint32_t ci = 12; ci < 12 + 12 * SLOTS; ci += 12) {
		if (ci == 12)
			start(DV_MINI_HASH, false, false, 12);
		eleven_over_the_edge(ci);
	}
}

/* A slot that the device did not touch for a pass keeps no CQE that a later pass takes for
 * new. */
Test(mini, leaves_no_old_cqe)
{
	uint32_t ci = 0, i;

	start(DV_MINI_HASH, false, false, 0);
	for (; ci < 8 * SLOTS; ci += 4) {
		TITLE(ci, 4);
		for (i = 0; i < 4; i++)
			MINI(ci + 1, i, 0, 0, 0, 1, 0, 0, 0, 64);
		for (i = 0; i < 4; i++)
			next(64);
		nothing_more();
	}
}

/* A whole ring as one session. */
Test(mini, may_fill_the_ring)
{
	uint32_t i;

	start(DV_MINI_HASH, false, false, 3);
	TITLE(3, SLOTS);
	for (i = 0; i < 8; i++)
		MINI(4, i, 0, 0, 0, 0, 0, 0, 0, (uint8_t)(1 + i));
	for (i = 8; i < 16; i++)
		MINI(11, i - 8, 0, 0, 0, 0, 0, 0, 0, (uint8_t)(1 + i));
	for (i = 0; i < SLOTS; i++)
		next(1 + i);
	nothing_more();
}

/* A title that counts more than there is: what is in the ring, and no byte after it. */
Test(mini, does_not_believe_every_title)
{
	uint32_t i;

	start(DV_MINI_HASH, false, false, 0);
	TITLE(0, 0xffffffff);
	for (i = 0; dv_mini_poll(&mini); i++)
		;
	cr_assert_eq(i, SLOTS);
	start(DV_MINI_HASH, false, false, 0);
	TITLE(0, 0);
	cr_assert_not_null(dv_mini_poll(&mini));
	nothing_more();
}

/* Enhanced: the title is the CQE before, and no session has an owner bit. */
static void enhanced_block(uint32_t ci, unsigned int n)
{
	memset(slot(ci), OLD, 64);
	for (unsigned int i = 0; i < n; i++)
		MINI(ci, i, 0, 0, 0, (uint8_t)(i + 1), 0, 0, 0, (uint8_t)(70 + i));
	slot(ci)[62] = (uint8_t)(ci / SLOTS);
	slot(ci)[63] = (uint8_t)((n - 1) << 4 | 0xc);
}

Test(mini, of_an_enhanced_cq)
{
	const struct mlx5_cqe64 *cqe;
	uint32_t ci = 0, i;

	start(DV_MINI_HASH, true, false, 0);
	nothing_more();
	for (; ci < 300 * SLOTS; ci += 10) {
		put_cqe(ci, 200, 50, 0x20);
		next(50);
		dv_cq_release(&mini.cq);
		memset(slot(ci), OLD, 62); /* the title's slot is the device's again */
		enhanced_block(ci + 1, 7);
		for (i = 0; i < 7; i++) {
			cqe = next(70 + i);
			cr_assert_eq((const void *)cqe, slot(ci + 1 + i));
			cr_assert_eq(dv_cqe_wqe_counter(cqe), 201 + i);
			cr_assert_eq(dv_packet_hash(cqe), i + 1);
			cr_assert_eq(dv_packet_checksum(cqe), 0);
		}
		nothing_more();
		enhanced_block(ci + 8, 2); /* the title is still the same */
		cr_assert_eq(dv_cqe_wqe_counter(next(70)), 208);
		cr_assert_eq(dv_cqe_wqe_counter(next(71)), 209);
		nothing_more();
	}
}

/* A slot has space for 7 minis: the opcode's bits may say more, and no eighth CQE is
 * written. */
Test(mini, of_an_enhanced_cq_are_at_most_7)
{
	uint32_t n, i;

	for (n = 8; n <= 16; n++) {
		start(DV_MINI_HASH, true, false, 0);
		put_cqe(0, 200, 50, 0x20);
		next(50);
		enhanced_block(1, 7);
		slot(1)[63] = (uint8_t)((n - 1) << 4 | 0xc);
		memset(slot(8), OLD, 64);
		for (i = 0; i < 7; i++)
			next(70 + i);
		nothing_more();
		cr_assert(is_old(slot(8), 64), "a count of %u", n);
	}
}

Test(mini, refuses_undocumented_formats)
{
	struct dv_mini_attr attr = { .format = DV_MINI_HASH };
	struct dv_cq cq;

	start(DV_MINI_HASH, false, false, 0);
	cq = mini.cq;
	cq.cqe_size = 128;
	cr_assert_eq(dv_mini_init(&mini, &cq, &attr), EOPNOTSUPP);
	cq.cqe_size = 64;
	attr.format = (enum dv_mini_format)5;
	cr_assert_eq(dv_mini_init(&mini, &cq, &attr), EOPNOTSUPP);
}
