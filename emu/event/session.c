/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed CQEs. Completions that differ in little wait for the end of the turn and are then
 * written as one title and 8 bytes each:
 *
 *	mini, requester    wqe_counter 2 | send opcode 1 | 0 | byte_cnt 4
 *	mini, responder    by format 4                      | byte_cnt 4
 *		HASH 0: hash result			CSUM 1: checksum 2, 0
 *		FTAG, CSUM, L34H_STRIDX: tag, checksum or header type 2, wqe_counter 2
 *
 * Hash, checksum, tag and header type are those of Ethernet packets, and 0 of messages. A format
 * without a counter can only tell of receive WQEs that follow each other. An error, data inside
 * the CQE, a solicited one, another QP end the session before them, so the order stays.
 *
 * (Basic: kernel, en_rx.c, mlx5e_decompress_cqe and its callers; DPDK, mlx5_rx.c, mlx5_rx_poll_len.
 * Enhanced: openucx/ucx, ib_mlx5.c, uct_ib_mlx5_iface_cqe_unzip; DPDK, mlx5_common.h,
 * check_cqe_iteration.)
 */
/* assumed(session_is_what_one_turn_completed): a compressed session holds what completed at one
 * time, 64 CQEs at most, and none waits for a further one; a single CQE is never compressed. */
#include <string.h>

#include "event/ring.h"

#define CQE	 64 /* offset in an entry of 128 bytes */
#define SIZE	 64
#define BYTE_CNT 44
#define STAMP	 48
#define OPCODE	 56
#define COUNTER	 60
#define OP_OWN	 63

#define FORMAT_MASK	  0x0c
#define FORMAT_COMPRESSED 0x0c
#define SOLICITED	  0x02
#define OPCODE_REQ	  0
#define OPCODE_LAST_OK	  4 /* responder, SEND with invalidate */

#define MINIS_BASIC    8
#define MINIS_ENHANCED 7

static uint16_t counter_of(const uint8_t *cqe)
{
	return (uint16_t)(cqe[COUNTER] << 8 | cqe[COUNTER + 1]);
}

static bool is_requester(const uint8_t *cqe)
{
	return cqe[OP_OWN] >> 4 == OPCODE_REQ;
}

static bool compressible(const uint8_t *cqe)
{
	return cqe[OP_OWN] >> 4 <= OPCODE_LAST_OK && !(cqe[OP_OWN] & (FORMAT_MASK | SOLICITED));
}

static bool counts(const struct hca_session *s, const uint8_t *cqe)
{
	return is_requester(cqe) || s->format >= PRM_CQC_MINI_CQE_FLOW_TAG_STRIDX;
}

/* Does @cqe say the same as the title, but for what a mini says? */
static bool alike(const struct hca_session *s, const uint8_t *cqe)
{
	const uint8_t *title = s->title + CQE;

	return !memcmp(cqe, title, BYTE_CNT) && cqe[OP_OWN] == title[OP_OWN] &&
	       !memcmp(cqe + OPCODE + 1, title + OPCODE + 1, 3) &&
	       (counts(s, cqe) || counter_of(cqe) == (uint16_t)(s->last + 1));
}

static void put_mini(const struct hca_session *s, uint8_t mini[HCA_MINI_SIZE],
		     const uint8_t *cqe)
{
	memset(mini, 0, HCA_MINI_SIZE);
	memcpy(mini + 4, cqe + BYTE_CNT, 4);
	if (is_requester(cqe)) {
		memcpy(mini, cqe + COUNTER, 2);
		mini[2] = cqe[OPCODE];
	} else if (counts(s, cqe)) {
		memcpy(mini + 2, cqe + COUNTER, 2);
	}
}

bool event_session_takes(struct hca *hca, struct hca_cq *cq, const uint8_t entry[128])
{
	struct hca_session *s = cq->session;
	const uint8_t *cqe = entry + CQE;

	if (!compressible(cqe)) {
		event_session_end(hca, cq);
		return false;
	}
	if (s->n == HCA_SESSION_MAX || (s->n && !alike(s, cqe)))
		event_session_end(hca, cq);
	if (!s->n) {
		memcpy(s->title, entry, sizeof(s->title));
		core_list_add(&hca->sessions, &s->on_dev);
	}
	put_mini(s, s->mini[s->n++], cqe);
	s->last = counter_of(cqe);
	return true;
}

/* Minis @first … @first + @n - 1 into the slot of CQE @index; @last: its bytes 62 and 63. */
static void write_array(struct hca *hca, struct hca_cq *cq, uint32_t index, uint32_t first,
			uint32_t n, const uint8_t *last)
{
	uint8_t slot[SIZE] = { 0 };

	memcpy(slot, cq->session->mini[first], n * HCA_MINI_SIZE);
	if (last)
		memcpy(slot + SIZE - 2, last, 2);
	event_ring_write(hca, cq, index, slot, SIZE);
}

/* The title goes last: its owner bit makes all of it valid. */
static void write_basic(struct hca *hca, struct hca_cq *cq)
{
	struct hca_session *s = cq->session;
	uint8_t *title = s->title + CQE;

	for (uint32_t first = 0; first < s->n; first += MINIS_BASIC)
		write_array(hca, cq, cq->pi + (first ? first : 1), first,
			    s->n - first < MINIS_BASIC ? s->n - first : MINIS_BASIC, NULL);
	memset(title + BYTE_CNT, 0, 3);
	title[BYTE_CNT + 3] = (uint8_t)s->n;
	title[OP_OWN] |= FORMAT_COMPRESSED;
	event_ring_entry(hca, cq, s->title);
	cq->pi += s->n - 1;
}

static void write_enhanced(struct hca *hca, struct hca_cq *cq)
{
	struct hca_session *s = cq->session;

	event_ring_entry(hca, cq, s->title);
	for (uint32_t first = 1; first < s->n; first += MINIS_ENHANCED) {
		uint32_t left = s->n - first, n = left < MINIS_ENHANCED ? left : MINIS_ENHANCED;
		uint8_t last[2] = { event_ring_lap(cq),
				    (uint8_t)((n - 1) << 4 | FORMAT_COMPRESSED |
					      (event_ring_lap(cq) & 1)) };

		write_array(hca, cq, cq->pi, first, n, last);
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
	event_cqes_came(hca, cq, from, false);
}

void event_sessions_end(struct hca *hca)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &hca->sessions) {
		struct hca_session *s = core_container(pos, struct hca_session, on_dev);

		event_session_end(hca, s->cq);
	}
}
