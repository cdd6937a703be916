/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed CQEs. Completions that differ in few fields wait for the end of the iteration and
 * are then written as one title CQE and 8 bytes each:
 *
 *	mini, requester    wqe_counter 2 | send opcode 1 | 0 | byte_cnt 4
 *	mini, responder    by format 4                      | byte_cnt 4
 *		HASH 0: hash result			CSUM 1: checksum 2, 0
 *		FTAG, CSUM, L34H_STRIDX: tag, checksum or header type 2, wqe_counter 2
 *		FTAG: the 8 high bits of the tag are in front of byte_cnt, which has no strides then
 *
 * Hash, checksum, tag and header type are those of Ethernet packets, and 0 for messages. A
 * format without a counter can only describe consecutive receive WQEs, or strides. An error,
 * data in the CQE, a solicited CQE or another QP end the session, so the order stays. So does a
 * packet that differs from the title in what its mini lacks, except hash and checksum: readers
 * take them for unknown (kernel, en_rx.c, mlx5e_decompress_cqe_no_hash).
 *
 * (Basic: kernel, en_rx.c, mlx5e_decompress_cqe and its callers; DPDK, mlx5_rx.c,
 * mlx5_rx_poll_len. Enhanced: openucx/ucx, ib_mlx5.c, uct_ib_mlx5_iface_cqe_unzip; DPDK,
 * mlx5_common.h, check_cqe_iteration.)
 */
/* assumed(session_is_what_one_turn_completed): a compressed session has the CQEs of one
 * moment, 64 at most, and does not wait for further ones; a single CQE is never compressed. */
#include <string.h>

#include "event/ring.h"

/* mini CQE */
#define MINI_WQE_COUNTER      0, 31, 16
#define MINI_SEND_OPCODE      0, 15, 8
#define MINI_RESP_WQE_COUNTER 0, 15, 0 /* of formats with stride index */
#define MINI_HASH	      0, 31, 0
#define MINI_CHECKSUM	      0, 31, 16
#define MINI_TAG_LOW	      0, 31, 16
#define MINI_HEADERS	      0, 23, 16
#define MINI_TAG_HIGH	      4, 31, 24
#define MINI_BYTE_CNT	      4, 31, 0

#define MINIS_BASIC    8
#define MINIS_ENHANCED 7

/* The last slot of an array in the enhanced layout: minis - 1 in place of the opcode. */
#define ARRAY_COUNT HCQE_OPCODE

static uint16_t counter_of(const uint8_t *cqe)
{
	return core_bits(cqe, HCQE_WQE_COUNTER);
}

static bool is_requester(const uint8_t *cqe)
{
	return core_bits(cqe, HCQE_OPCODE) == HCQE_REQ;
}

static bool compressible(const uint8_t *cqe)
{
	return core_bits(cqe, HCQE_OPCODE) <= HCQE_RESP_SEND_INV &&
	       !core_bits(cqe, HCQE_FORMAT) && !core_bits(cqe, HCQE_SE);
}

static bool counts(const struct hca_session *s, const uint8_t *cqe)
{
	return is_requester(cqe) || s->format >= PRM_CQC_MINI_CQE_FLOW_TAG_STRIDX;
}

/* Is this the CQE of an Ethernet packet? Those of messages do not have this bit. */
static bool is_packet(const uint8_t *cqe)
{
	return !is_requester(cqe) && core_bits(cqe, HCQE_L2_OK);
}

static uint32_t step_of(const uint8_t *cqe)
{
	uint32_t strides = is_packet(cqe) ? core_bits(cqe, HCQE_STRIDES) : 0;

	return strides ? strides : 1;
}

/* Takes out of the CQE of a packet what its mini has, and what no reader expects of it. */
static void forget(uint8_t format, uint8_t cqe[HCQE_BYTES])
{
	core_set_bits(cqe, HCQE_RSS_HASH, 0);
	core_set_bits(cqe, HCQE_CHECKSUM, 0);
	if (format != PRM_CQC_MINI_CQE_HASH)
		core_set_bits(cqe, HCQE_RSS_TYPE, 0);
	if (format == PRM_CQC_MINI_CQE_FLOW_TAG_STRIDX)
		core_set_bits(cqe, HCQE_FLOW_TAG, 0);
	if (format == PRM_CQC_MINI_CQE_L34H_STRIDX)
		cqe[HCQE_HEADERS_AT] = 0;
}

static bool same_head(const struct hca_session *s, const uint8_t *cqe)
{
	uint8_t a[HCQE_BYTES], b[HCQE_BYTES];

	memcpy(a, cqe, sizeof(a));
	memcpy(b, s->title + HCQE_CQE, sizeof(b));
	if (is_packet(a) && is_packet(b)) {
		forget(s->format, a);
		forget(s->format, b);
		if (core_bits(a, HCQE_DROPPED) != core_bits(b, HCQE_DROPPED))
			return false;
	}
	return !memcmp(a, b, HCQE_HEAD) && core_bits(a, HCQE_QPN) == core_bits(b, HCQE_QPN);
}

/* Does @cqe differ from the title only in what a mini CQE has? */
static bool alike(const struct hca_session *s, const uint8_t *cqe)
{
	const uint8_t *title = s->title + HCQE_CQE;

	return same_head(s, cqe) &&
	       core_bits(cqe, HCQE_OPCODE) == core_bits(title, HCQE_OPCODE) &&
	       (counts(s, cqe) || counter_of(cqe) == s->next);
}

static void put_packet(uint8_t format, uint8_t mini[HCA_MINI_SIZE], const uint8_t *cqe)
{
	uint32_t tag = core_bits(cqe, HCQE_FLOW_TAG);

	switch (format) {
	case PRM_CQC_MINI_CQE_HASH:
		core_set_bits(mini, MINI_HASH, core_bits(cqe, HCQE_RSS_HASH));
		break;
	case PRM_CQC_MINI_CQE_CSUM:
	case PRM_CQC_MINI_CQE_CSUM_STRIDX:
		core_set_bits(mini, MINI_CHECKSUM, core_bits(cqe, HCQE_CHECKSUM));
		break;
	case PRM_CQC_MINI_CQE_FLOW_TAG_STRIDX:
		core_set_bits(mini, MINI_TAG_LOW, tag & 0xffff);
		core_set_bits(mini, MINI_BYTE_CNT, core_bits(cqe, HCQE_STRIDE_BYTES));
		core_set_bits(mini, MINI_TAG_HIGH, tag >> 16);
		break;
	default:
		core_set_bits(mini, MINI_HEADERS, cqe[HCQE_HEADERS_AT]);
		break;
	}
}

static void put_mini(const struct hca_session *s, uint8_t mini[HCA_MINI_SIZE],
		     const uint8_t *cqe)
{
	memset(mini, 0, HCA_MINI_SIZE);
	core_set_bits(mini, MINI_BYTE_CNT, core_bits(cqe, HCQE_BYTE_CNT));
	if (is_requester(cqe)) {
		core_set_bits(mini, MINI_WQE_COUNTER, counter_of(cqe));
		core_set_bits(mini, MINI_SEND_OPCODE, core_bits(cqe, HCQE_SEND_OPCODE));
	} else if (counts(s, cqe)) {
		core_set_bits(mini, MINI_RESP_WQE_COUNTER, counter_of(cqe));
	}
	if (is_packet(cqe))
		put_packet(s->format, mini, cqe);
}

/* How many CQEs the session may have. */
/* assumed(session_ends_with_the_ring): a session of the basic layout does not go on at the
 * start of the ring: DPDK's vector receive reads title, arrays and its own buffers as one piece
 * of memory (mlx5_rxtx_vec_sse.h, rxq_cq_decompress_v). */
static uint32_t longest(const struct hca_cq *cq)
{
	uint32_t size = 1u << cq->log_size, left = size - (cq->pi & (size - 1));

	return !cq->session->enhanced && left < HCA_SESSION_MAX ? left : HCA_SESSION_MAX;
}

bool event_session_takes(struct hca *hca, struct hca_cq *cq, const uint8_t entry[HCQE_ENTRY])
{
	struct hca_session *s = cq->session;
	const uint8_t *cqe = entry + HCQE_CQE;

	if (!compressible(cqe)) {
		event_session_end(hca, cq);
		return false;
	}
	if (s->n == longest(cq) || (s->n && !alike(s, cqe)))
		event_session_end(hca, cq);
	if (!s->n) {
		memcpy(s->title, entry, sizeof(s->title));
		core_list_add(&hca->sessions, &s->on_dev);
	}
	put_mini(s, s->mini[s->n++], cqe);
	s->next = (uint16_t)(counter_of(cqe) + step_of(cqe));
	return true;
}

/* Minis @first to @first + @n - 1 into the slot of CQE @index. Enhanced: with the fields that
 * make the slot valid. */
static void write_array(struct hca *hca, struct hca_cq *cq, uint32_t index, uint32_t first,
			uint32_t n)
{
	uint8_t slot[HCQE_BYTES] = { 0 };

	memcpy(slot, cq->session->mini[first], n * HCA_MINI_SIZE);
	if (cq->session->enhanced) {
		core_set_bits(slot, HCQE_SIGNATURE, event_ring_pass(cq));
		core_set_bits(slot, ARRAY_COUNT, n - 1);
		core_set_bits(slot, HCQE_FORMAT, HCQE_FORMAT_COMPRESSED);
		core_set_bits(slot, HCQE_OWNER, event_ring_pass(cq));
	}
	event_ring_write(hca, cq, index, slot, sizeof(slot));
}

/* The title is written last: its owner bit makes all of them valid. */
static void write_basic(struct hca *hca, struct hca_cq *cq)
{
	struct hca_session *s = cq->session;
	uint8_t *title = s->title + HCQE_CQE;

	for (uint32_t first = 0; first < s->n; first += MINIS_BASIC)
		write_array(hca, cq, cq->pi + (first ? first : 1), first,
			    s->n - first < MINIS_BASIC ? s->n - first : MINIS_BASIC);
	core_set_bits(title, HCQE_BYTE_CNT, s->n);
	core_set_bits(title, HCQE_FORMAT, HCQE_FORMAT_COMPRESSED);
	event_ring_entry(hca, cq, s->title);
	cq->pi += s->n - 1;
}

static void write_enhanced(struct hca *hca, struct hca_cq *cq)
{
	struct hca_session *s = cq->session;

	event_ring_entry(hca, cq, s->title);
	for (uint32_t first = 1; first < s->n; first += MINIS_ENHANCED) {
		uint32_t left = s->n - first, n = left < MINIS_ENHANCED ? left : MINIS_ENHANCED;

		write_array(hca, cq, cq->pi, first, n);
		cq->pi += n;
	}
}

void event_session_end(struct hca *hca, struct hca_cq *cq)
{
	struct hca_session *s = cq->session;
	uint32_t from = cq->pi;

	if (!s->n)
		return;
	if (s->n == 1)
		event_ring_entry(hca, cq, s->title);
	else if (s->enhanced)
		write_enhanced(hca, cq);
	else
		write_basic(hca, cq);
	s->n = 0;
	core_list_del(&s->on_dev);
	event_cqes_written(hca, cq, from, false);
}

void event_sessions_end(struct hca *hca)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &hca->sessions) {
		struct hca_session *s = core_container(pos, struct hca_session, on_dev);

		event_session_end(hca, s->cq);
	}
}
