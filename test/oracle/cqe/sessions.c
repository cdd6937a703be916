/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/cqe/sessions.h"

enum {
	SLOTS = 32,
	LONGEST = 29,
};

/* Contents of a mini CQE, straight from the random numbers. */
struct mini {
	uint8_t what[4];
	uint32_t word; /* byte_cnt */
};

struct session {
	struct dv_mini_attr attr;
	uint32_t n, ci;
	struct mlx5_cqe64 title;
	struct mini mini[LONGEST];
};

static struct mlx5_cqe64 ring[SLOTS] __attribute__((aligned(64)));
static __be32 record[2];
static uint64_t seen;

static void random_bytes(void *at, size_t n)
{
	for (uint8_t *p = at; n--; p++)
		*p = (uint8_t)(case_random() >> 32);
}

static void make(struct session *s, const struct dv_mini *m, const struct rig_queue *q)
{
	uint32_t longest = m->enhanced ? 7 : LONGEST;

	s->ci = m->cq.ci;
	s->n = 1 + (uint32_t)(case_random() >> 40) % longest;
	s->n += s->n == 1; /* a single one is not compressed */
	random_bytes(&s->title, sizeof(s->title));
	random_bytes(s->mini, sizeof(s->mini));
	s->title.app = 0;
	s->title.srqn_uidx = htobe32(q->uidx);
	s->title.op_own = MLX5_CQE_RESP_SEND << 4;
	if (m->striding) /* a buffer's strides are used up one after the other */
		s->title.wqe_counter = 0;
}

static void write_minis(void *at, const struct session *s, uint32_t first, uint32_t n)
{
	struct dv_mini_cqe *mini = at;

	for (uint32_t i = 0; i < n && first + i < s->n; i++) {
		memcpy(mini[i].what, s->mini[first + i].what, 4);
		mini[i].byte_cnt = htobe32(s->mini[first + i].word);
	}
}

/* Writes the session as a device does: the last byte of its first slot at last. */
static void write_basic(const struct session *s)
{
	struct mlx5_cqe64 title = s->title;

	title.byte_cnt = htobe32(s->n);
	title.op_own |= DV_CQE_FORMAT_MASK | !!(s->ci & SLOTS);
	write_minis(&ring[(s->ci + 1) % SLOTS], s, 0, 8);
	for (uint32_t i = 8; i < s->n; i += 8)
		write_minis(&ring[(s->ci + i) % SLOTS], s, i, 8);
	ring[s->ci % SLOTS] = title;
}

static void write_enhanced(const struct session *s)
{
	struct mlx5_cqe64 *slot = &ring[s->ci % SLOTS];

	*slot = s->title;
	slot->signature = (uint8_t)(s->ci / SLOTS);
	slot = &ring[(s->ci + 1) % SLOTS];
	random_bytes(slot, sizeof(*slot));
	write_minis(slot, s, 0, 7);
	slot->op_own = (uint8_t)((s->n - 1) << 4 | DV_CQE_FORMAT_MASK);
	slot->signature = (uint8_t)((s->ci + 1) / SLOTS);
}

/* The expected CQE; @i is its index in the session. */
static void expect(struct result *want, const struct session *s, uint32_t i)
{
	const struct mini *mini = &s->mini[i];
	uint32_t tag = be32toh(s->title.sop_drop_qpn) & 0xffffff, len = mini->word;

	if (s->attr.format == DV_MINI_FTAG_STRIDX) {
		tag = (mini->word >> 24) << 16 | mini->what[0] << 8 | mini->what[1];
		len &= 0xffff;
	}
	memset(want, 0, sizeof(*want));
	result_set(want, RESULT_STATUS, IBV_WC_SUCCESS);
	result_set(want, RESULT_OPCODE, IBV_WC_RECV);
	result_set(want, RESULT_BYTE_LEN, len);
	result_set(want, RESULT_FLOW_TAG, tag);
	result_set(want, RESULT_SRC_QP, be32toh(s->title.flags_rqpn) & 0xffffff);
	result_set(want, RESULT_SLID, be16toh(s->title.slid));
	result_set(want, RESULT_CVLAN, be16toh(s->title.vlan_info));
	result_set(want, RESULT_TIMESTAMP, be64toh(s->title.timestamp));
}

/* Compares fields that libmlx5 does not read with the CQE. */
static bool rest_is_right(const struct session *s, uint32_t i, const struct mlx5_cqe64 *cqe,
			  uint16_t before)
{
	const uint8_t *what = s->mini[i].what;
	bool is_title = !s->attr.enhanced && !i;
	uint32_t own = dv_packet_hash(&s->title);
	uint32_t hash = (uint32_t)what[0] << 24 | what[1] << 16 | what[2] << 8 | what[3];
	uint16_t high = (uint16_t)(what[0] << 8 | what[1]),
		 low = (uint16_t)(what[2] << 8 | what[3]);

	switch (s->attr.format) {
	case DV_MINI_HASH:
		return dv_packet_hash(cqe) == hash &&
		       dv_packet_hash_type(cqe) == dv_packet_hash_type(&s->title) &&
		       (is_title || dv_cqe_wqe_counter(cqe) == (uint16_t)(before + 1));
	case DV_MINI_CSUM:
		return dv_packet_checksum(cqe) == high &&
		       dv_packet_hash(cqe) == (is_title ? own : 0) &&
		       (is_title || dv_cqe_wqe_counter(cqe) == (uint16_t)(before + 1));
	case DV_MINI_CSUM_STRIDX:
		return dv_packet_checksum(cqe) == high && dv_cqe_wqe_counter(cqe) == low;
	case DV_MINI_FTAG_STRIDX:
		return dv_cqe_wqe_counter(cqe) == low;
	default:
		return cqe->l4_hdr_type_etc == what[1] && dv_cqe_wqe_counter(cqe) == low;
	}
}

static void fail(const struct session *s, uint32_t i, const char *what)
{
	errx(1, "session %lu, format %d, %s, CQE %u of %u at index %u: %s", seen,
	     s->attr.format, s->attr.enhanced ? "enhanced" : "basic", i, s->n, s->ci, what);
}

/* Gives the CQE to libmlx5. */
static void ask(struct rig_side *side, const struct mlx5_cqe64 *cqe, struct result *got)
{
	struct mlx5_cqe64 *slot = (struct mlx5_cqe64 *)rig_slot(side, 0);

	*slot = *cqe;
	slot->op_own = (uint8_t)((cqe->op_own & ~MLX5_CQE_OWNER_MASK) |
				 !!(side->ci & side->ring.cqe_cnt));
	result_start_poll(got, 1, side);
}

static void check(struct rig_side *side, struct dv_mini *m, const struct session *s, uint32_t i,
		  uint16_t *counter)
{
	const struct mlx5_cqe64 *cqe = dv_mini_poll(m);
	struct result got, want;

	if (!cqe)
		fail(s, i, "not found");
	if (!rest_is_right(s, i, cqe, *counter))
		fail(s, i, "hash, checksum, headers or index");
	*counter = dv_cqe_wqe_counter(cqe);
	ask(side, cqe, &got);
	expect(&want, s, i);
	if (got.found != 1)
		fail(s, i, "libmlx5 does not take it");
	for (int f = 0; f < RESULT_FIELDS; f++)
		if (want.defined & 1u << f && got.field[f] != want.field[f])
			fail(s, i, result_field_name[f]);
}

static void one(struct rig_side *side, struct dv_mini *m, const struct dv_mini_attr *attr)
{
	struct session s = { .attr = *attr };
	uint16_t counter;

	make(&s, m, &side->queue[RIG_UD]);
	counter = be16toh(s.title.wqe_counter);
	if (attr->enhanced) {
		struct result got;
		const struct mlx5_cqe64 *cqe;

		write_enhanced(&s);
		cqe = dv_mini_poll(m);
		if (!cqe || memcmp(cqe, &s.title, 62))
			fail(&s, 0, "the title is another");
		ask(side, cqe, &got);
	} else {
		write_basic(&s);
	}
	for (uint32_t i = 0; i < s.n; i++)
		check(side, m, &s, i, &counter);
	if (dv_mini_poll(m))
		fail(&s, s.n, "one too many");
	dv_cq_release(&m->cq);
	seen++;
}

void sessions_compare(struct rig_side *side, unsigned int count)
{
	struct mlx5dv_cq plain = {
		.buf = ring, .cqe_cnt = SLOTS, .cqe_size = 64, .dbrec = record
	};
	struct dv_mini m;
	struct dv_cq cq;

	for (int kind = 0; kind <= 2 * DV_MINI_L34H_STRIDX + 1; kind++) {
		struct dv_mini_attr attr = { .format = kind / 2, .enhanced = kind % 2 };

		dv_cq_blank(ring, SLOTS, 64);
		record[0] = 0;
		ok(dv_cq_init(&cq, &plain));
		ok(dv_mini_init(&m, &cq, &attr));
		for (unsigned int i = 0; i < count; i++)
			one(side, &m, &attr);
	}
	printf("%lu compressed sessions\n", seen);
}
