/* SPDX-License-Identifier: BSD-2-Clause */
/* A million random WQEs, posted by dv's calls into rings at random indices, signalled, rung:
 * not a word. The seed of a failure is in its message. */
#include <dv/check.h>
#include <dv/masked.h>
#include <dv/stamp.h>
#include "valid.h"

enum {
	WQES = 1000000,
	FOUND = 4,
};

static const enum dv_transport transports[] = { DV_RC, DV_UC, DV_UD, DV_DCI, DV_XRC, DV_ETH };

/* Fills the ring from a random index on; returns how many WQEs, padding included. */
static unsigned int fill(struct memory *m, enum dv_transport transport, uint64_t *seed)
{
	uint16_t at = (uint16_t)valid_random(seed), idx;
	unsigned int n = 0;

	m->sq.pi = m->sq.ci = m->sq.db_pi = at;
	cr_assert_eq(dv_sq_nop(&m->sq, MLX5_WQE_CTRL_CQ_UPDATE), 0);
	while (!valid_post(&m->sq, transport, seed))
		;
	dv_sq_doorbell(&m->sq);
	for (idx = at; idx != m->sq.pi; n++)
		idx = (uint16_t)(idx +
				 dv_wqe_nbb(dv_wqe_ds(dv_sq_at(&m->sq, idx)) * DV_WQE_DS));
	return n;
}

Test(check, is_silent_about_a_million_valid_wqes, .timeout = 100)
{
	uint64_t seed = 20240817, at_start;
	struct dv_finding found[FOUND];
	struct dv_queue_facts q;
	unsigned int n = 0, i;
	struct memory m;

	while (n < WQES) {
		at_start = seed;
		i = valid_between(&seed, 0, sizeof(transports) / sizeof(transports[0]) - 1);
		memory_start(&m, MEMORY_BLOCKS, 16);
		n += fill(&m, transports[i], &seed);
		q = dv_sq_facts(&m.sq, transports[i]);
		cr_assert_eq(dv_ring_check(&q, found, FOUND), 0, "seed %llu, transport %u: %s",
			     (unsigned long long)at_start, transports[i], found[0].text);
	}
}

/* Short address vectors are valid on a device that reads them. */
Test(check, is_silent_about_compact_vectors_where_they_are_read)
{
	struct dv_queue_facts q = { .transport = DV_DCI,
				    .qpn = MEMORY_QPN,
				    .compact_av = true };
	struct dv_finding found[FOUND];
	struct mlx5_wqe_av av = { .rlid = htobe16(1) };
	struct dv_dest addr;
	struct memory m;
	void *seg;

	memory_start(&m, MEMORY_BLOCKS, 16);
	dv_dest_dc(&addr, &av, 0x46, 1);
	dv_dest_compact(&addr);
	seg = dv_set_dest_seg(dv_sq_reserve(&m.sq, 2), &addr);
	dv_sq_commit(&m.sq, dv_set_inline_seg(seg, "x", 1), MLX5_OPCODE_SEND, 0, 0, 0);
	cr_assert_eq(dv_wqe_check(&q, m.ring, 64, 0, found, FOUND), 0, "%s", found[0].text);
	q.compact_av = false;
	cr_assert_eq(dv_wqe_check(&q, m.ring, 64, 0, found, FOUND), 1);
	cr_assert_eq(found[0].fault, DV_FAULT_AV_SHORT);
}

/* A word of 4 bytes, in the middle of 8. */
Test(check, is_silent_about_a_masked_atomic_on_4_bytes)
{
	struct ibv_sge word = { 0x7f0000002000, 4, 0x1700 };
	struct dv_raddr at = { 0x7f0000001004, 0x1a00 };
	struct dv_finding found[FOUND];
	struct dv_queue_facts q;
	struct memory m;

	memory_start(&m, MEMORY_BLOCKS, 16);
	cr_assert_eq(dv_sq_masked_fetch_add32(&m.sq, 0, at, &word, 1, 0), 0);
	dv_sq_doorbell(&m.sq);
	q = dv_sq_facts(&m.sq, DV_RC);
	cr_assert_eq(dv_ring_check(&q, found, FOUND), 0, "%s", found[0].text);
	at.raddr += 2;
	cr_assert_eq(dv_sq_masked_fetch_add32(&m.sq, 0, at, &word, 1, 0), 0);
	dv_sq_doorbell(&m.sq);
	q = dv_sq_facts(&m.sq, DV_RC);
	cr_assert_eq(dv_ring_check(&q, found, FOUND), 1);
	cr_assert_eq(found[0].fault, DV_FAULT_ATOMIC_ALIGNMENT);
}

/* UMRs of TLS: what follows the context has no public layout. */
Test(check, is_silent_about_parameters_of_tls)
{
	struct dv_queue_facts q = { .transport = DV_ETH, .qpn = 0x45 };
	uint8_t wqe[192] = { [0] = 1, [2] = 7, 0x25, 0, 0, 0x45, 12, [128] = 1, 2, 3 };
	struct dv_finding found[FOUND];

	cr_assert_eq(dv_wqe_check(&q, wqe, sizeof(wqe), 7, found, FOUND), 0, "%s",
		     found[0].text);
}

/* It changes the length of a key that has a list, and gives no list. */
Test(check, is_silent_about_a_umr_without_a_list)
{
	struct dv_queue_facts q = { .transport = DV_RC, .qpn = 0x45 };
	uint8_t wqe[128] = { [2] = 7, 0x25, 0, 0, 0x45, 8, [13] = 0x18, 0x42, 0, [31] = 1 };
	struct dv_finding found[FOUND];

	cr_assert_eq(dv_wqe_check(&q, wqe, sizeof(wqe), 7, found, FOUND), 0, "%s",
		     found[0].text);
}

Test(check, is_silent_about_a_stamped_ring)
{
	struct dv_wqe_rdma_sge w;
	struct ibv_sge sge = { 0x7f0000002000, 64, 0x1700 };
	struct dv_finding found[FOUND];
	struct dv_queue_facts q;
	struct memory m;
	unsigned int i;
	void *seg;

	memset(&w, 0, sizeof(w));
	memory_start(&m, MEMORY_BLOCKS, 16);
	seg = dv_set_raddr_seg(dv_wqe_body(&w), (struct dv_raddr){ 0, 0x1a00 });
	seg = dv_set_data_seg(seg, &sge);
	dv_set_ctrl_seg(&w, seg, m.sq.qpn, 0, MLX5_OPCODE_RDMA_WRITE, 0, 0, 0);
	cr_assert_eq(dv_sq_stamp(&m.sq, &w), 0);
	for (i = 0; i < MEMORY_BLOCKS; i++)
		dv_sq_stamped(&m.sq, i % 8 ? 0 : MLX5_WQE_CTRL_CQ_UPDATE);
	dv_sq_doorbell(&m.sq);
	q = dv_sq_facts(&m.sq, DV_RC);
	cr_assert_eq(dv_ring_check(&q, found, FOUND), 0, "%s", found[0].text);
}

Test(check, is_silent_about_a_right_signature)
{
	struct dv_queue_facts q = { .transport = DV_RC, .qpn = MEMORY_QPN, .signature = true };
	struct dv_finding found[FOUND];
	struct memory m;
	unsigned int i;
	uint8_t sum = 0;

	memory_start(&m, MEMORY_BLOCKS, 16);
	cr_assert_eq(dv_sq_send_inline(&m.sq, 0, "signed", 6), 0);
	for (i = 0; i < 32; i++)
		sum ^= m.ring[i];
	m.ring[8] = sum ^ 0xff;
	cr_assert_eq(dv_wqe_check(&q, m.ring, 32, 0, found, FOUND), 0, "%s", found[0].text);
}
