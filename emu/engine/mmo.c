/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DMA copies. A long one takes many iterations, so that the other queues are served meanwhile;
 * both ranges are checked as a whole before the first byte is copied.
 *
 *	unit  0      1                     2                3
 *	    | ctrl | control, opaque buffer | source        | destination |
 *	             0        lkey, address   bytes, lkey, address, each
 *
 *	opaque buffer: | syndrome | 0 | bytes scattered | bytes gathered | 0 … |	64 bytes
 *
 * (rdma-core, qp.c, mlx5_wr_memcpy, and wqe.h, struct mlx5_mmo_metadata_seg; the opaque buffer:
 * NVIDIA's snap, snap_dma_internal.h, struct mlx5_dma_opaque.)
 *
 * Bytes of another function are asked for and sent piece by piece, several at a time (vhca.h):
 *
 *	CHECK of each far range -> all answered -> pieces -> all done -> opaque buffer, CQE
 *
 *	source far	READ --bytes--> written here
 *	destination far	read here --WRITE--> answered
 *	both		READ --bytes--> WRITE --> answered
 *
 * An answer that does not come is asked for again, as long as the other process is there.
 */
#include <inttypes.h>

#include "engine/cqe.h"
#include "engine/hwqe.h"
#include "engine/mmo.h"
#include "engine/sg.h"
#include "engine/vhca.h"

#define UNIT_OPAQUE 1
#define UNIT_SOURCE 2
#define UNIT_DEST   3
#define UNITS	    4

#define CONTROL	     0, 31, 0
#define OPAQUE_BYTES 64u
#define OPAQUE_LKEY  4, 31, 0
#define OPAQUE_ADDR  8
#define SCATTERED    8
#define GATHERED     12
#define MOST	     (1ull << 31)
#define PIECE	     VHCA_BYTES /* size of engine.payload */
#define PIECES	     16u	/* of a copy within this function, in one iteration */

#define LOOK_NS	  10000000u   /* between two looks whether the other functions are there */
#define REPEAT_NS 1000000000u /* after this time a question may have been lost */

/* The event that a piece waits for. */
enum step {
	FREE,
	CHECK_FROM, /* the answer whether the source may be read */
	CHECK_TO,
	READ,
	WRITE,
	DUE, /* to be begun again */
};

static struct mem_ref ref_of(const struct hca_qp *qp, uint32_t key, uint64_t addr, uint64_t len,
			     uint8_t rights)
{
	return (struct mem_ref){ .pd = qp->pd,
				 .key = key,
				 .addr = addr,
				 .len = len,
				 .qpn = qp->qpn,
				 .rights = rights };
}

/* @len bytes of source and destination, @off from their start. */
static struct mem_ref source(const struct hca_qp *qp, uint64_t off, uint64_t len)
{
	const struct hca_mmo *m = &qp->req.mmo;

	return ref_of(qp, m->from, m->from_addr + off, len, HCA_LOCAL_READ);
}

static struct mem_ref dest(const struct hca_qp *qp, uint64_t off, uint64_t len)
{
	const struct hca_mmo *m = &qp->req.mmo;

	return ref_of(qp, m->to, m->to_addr + off, len, HCA_LOCAL_WRITE);
}

static struct mem_ref opaque(const struct hca_qp *qp)
{
	const struct hca_mmo *m = &qp->req.mmo;

	return ref_of(qp, m->opaque, m->opaque_addr, OPAQUE_BYTES, HCA_LOCAL_WRITE);
}

/* ---- start ---- */

static uint64_t bytes_of(const uint8_t *seg)
{
	uint32_t bytes = core_bits(seg, HWQE_DATA_BYTE_COUNT);

	/* PRM, cited in rdma-core (qp.c, mlx5_wr_memcpy): 2 GiB are written as 0. */
	return bytes ? bytes : MOST;
}

/* Reads WQE @index; the syndrome, 0: it is well-formed. */
/* assumed(mmo_opaque_buffer_is_aligned): a DMA MMO work request whose opaque buffer is not
 * aligned to its 64 bytes ends in syndrome 0x02; one that may not be written, in 0x04. */
/* assumed(mmo_lengths_are_equal): a DMA MMO work request whose two byte counts differ ends in
 * syndrome 0x01. */
/* assumed(mmo_length_has_a_limit): a DMA MMO work request of more bytes than
 * log_dma_mmo_max_size allows ends in syndrome 0x01. */
static uint8_t decode(const struct hca *hca, struct hca_qp *qp, uint16_t index)
{
	uint8_t wqe[UNITS * HWQE_UNIT];
	const uint8_t *own = wqe + UNIT_OPAQUE * HWQE_UNIT;
	const uint8_t *from = wqe + UNIT_SOURCE * HWQE_UNIT, *to = wqe + UNIT_DEST * HWQE_UNIT;
	struct hca_mmo *m = &qp->req.mmo;

	sg_ring_copy(&qp->sq, (uint64_t)index * HWQE_BB, wqe, sizeof(wqe));
	*m = (struct hca_mmo){ .index = index,
			       .opaque = core_bits(own, OPAQUE_LKEY),
			       .opaque_addr = hwqe_get64(own, OPAQUE_ADDR),
			       .from = core_bits(from, HWQE_DATA_LKEY),
			       .from_addr = hwqe_get64(from, HWQE_DATA_ADDR),
			       .to = core_bits(to, HWQE_DATA_LKEY),
			       .to_addr = hwqe_get64(to, HWQE_DATA_ADDR),
			       .len = bytes_of(from) };
	if (core_bits(wqe, HWQE_CTRL_DS) != UNITS || core_bits(own, CONTROL) ||
	    core_bits(wqe, HWQE_CTRL_IMM, 31, 0))
		return CQE_LOCAL_QP_OP;
	if (m->len != bytes_of(to) || m->len > (hca->dma_max ? hca->dma_max : MOST))
		return CQE_LOCAL_LENGTH;
	return m->opaque_addr % OPAQUE_BYTES ? CQE_LOCAL_QP_OP : 0;
}

static void refused(const struct hca_qp *qp, const struct hca_target *t, const char *why)
{
	core_check(CORE_OTHER_REFUSED, "QP", qp->qpn,
		   "WQE 0x%x: the copy ends because VHCA %u %s (its mkey 0x%x)",
		   qp->req.mmo.index, t->vhca_id, why, t->key);
}

/* assumed(alias_of_an_ended_function_is_a_remote_operation_error): a copy through an alias
 * whose function is not there any more ends in syndrome 0x14. */
static uint8_t look(struct engine *e, struct hca_qp *qp, const struct hca_target *t)
{
	if (!t || vhca_lives(e, t))
		return 0;
	refused(qp, t, "is not there any more");
	return CQE_REMOTE_OP;
}

/* A range of this function is checked at once, another one is looked up. */
static uint8_t check_end(struct engine *e, struct hca_qp *qp, const struct mem_ref *ref,
			 enum step step)
{
	const struct hca_target *t = mem_target(e->hca, ref);
	struct hca_mmo *m = &qp->req.mmo;

	if (!t)
		return mem_check(e->hca, ref) == MEM_OK ? 0 : CQE_LOCAL_PROT;
	if (t->kind == HCA_TARGET_ALIAS && !t->serial) {
		refused(qp, t, "never allowed it");
		return CQE_REMOTE_ACCESS;
	}
	m->far = true;
	m->piece[step - CHECK_FROM] = (struct hca_mmo_piece){ .step = step };
	return look(e, qp, t);
}

static uint8_t start(struct engine *e, struct hca_qp *qp, uint16_t index)
{
	struct hca_mmo *m = &qp->req.mmo;
	uint8_t status = decode(e->hca, qp, index);
	struct mem_ref own = opaque(qp), from = source(qp, 0, m->len), to = dest(qp, 0, m->len);

	if (!status && mem_check(e->hca, &own) != MEM_OK)
		status = CQE_LOCAL_PROT;
	if (!status)
		status = check_end(e, qp, &from, CHECK_FROM);
	if (!status)
		status = check_end(e, qp, &to, CHECK_TO);
	m->running = !status;
	m->looked = e->now;
	return status;
}

/* ---- within this function ---- */

/* Copies up to PIECE bytes. */
static bool copy_near(struct engine *e, struct hca_qp *qp)
{
	struct hca_mmo *m = &qp->req.mmo;
	uint64_t left = m->len - m->done, len = left < PIECE ? left : PIECE;
	struct mem_ref from = source(qp, m->done, len), to = dest(qp, m->done, len);

	m->done += len;
	return mem_read(e->hca, &from, e->payload) == MEM_OK &&
	       mem_write(e->hca, &to, e->payload) == MEM_OK;
}

static void run_near(struct engine *e, struct hca_qp *qp)
{
	struct hca_mmo *m = &qp->req.mmo;

	for (unsigned int i = 0; i < PIECES && m->done < m->len && !m->failed; i++)
		if (!copy_near(e, qp))
			m->failed = CQE_LOCAL_PROT;
}

/* ---- with another function ---- */

static bool is_local(struct engine *e, const struct mem_ref *ref)
{
	return !mem_target(e->hca, ref);
}

/* Asks for @step of @p on the range @ref of another function; false: no space now. */
static bool ask(struct engine *e, struct hca_qp *qp, struct hca_mmo_piece *p, enum step step,
		const struct mem_ref *ref, const uint8_t *data)
{
	static const uint8_t kinds[] = { [CHECK_FROM] = WIRE_CHECK,
					 [CHECK_TO] = WIRE_CHECK,
					 [READ] = WIRE_READ,
					 [WRITE] = WIRE_WRITE };
	const struct hca_target *t = mem_target(e->hca, ref);
	struct wire_message m = { .kind = kinds[step],
				  .addr = ref->addr,
				  .len = (uint32_t)ref->len,
				  .rights = ref->rights,
				  .qpn = qp->qpn };
	uint32_t serial;

	if (!t) {
		qp->req.mmo.failed = CQE_LOCAL_PROT; /* the alias was destroyed meanwhile */
		return false;
	}
	serial = vhca_ask(e, t, &m, data);
	if (!serial)
		return false;
	p->serial = serial;
	p->step = step;
	p->sent = e->now;
	return true;
}

/* Begins the check or copy of @p; false: nothing was done. */
static bool begin(struct engine *e, struct hca_qp *qp, struct hca_mmo_piece *p)
{
	struct mem_ref from = source(qp, p->off, p->len), to = dest(qp, p->off, p->len);

	if (!is_local(e, &from))
		return ask(e, qp, p, READ, &from, NULL);
	/* The destination's space first: without it the bytes would be read in vain. */
	if (mem_read(e->hca, &from, e->payload) == MEM_OK)
		return ask(e, qp, p, WRITE, &to, e->payload);
	qp->req.mmo.failed = CQE_LOCAL_PROT;
	return false;
}

static bool check(struct engine *e, struct hca_qp *qp, struct hca_mmo_piece *p)
{
	const struct hca_mmo *m = &qp->req.mmo;
	struct mem_ref from = source(qp, 0, m->len), to = dest(qp, 0, m->len);

	return ask(e, qp, p, p->step, p->step == CHECK_FROM ? &from : &to, NULL);
}

/* The next piece, in place of @p, which is free; false: there is none. */
static bool next_piece(struct hca_mmo *m, struct hca_mmo_piece *p)
{
	uint64_t left = m->len - m->next;

	if (!m->checked || !left)
		return false;
	*p = (struct hca_mmo_piece){ .step = DUE,
				     .off = (uint32_t)m->next,
				     .len = left < PIECE ? (uint32_t)left : PIECE };
	m->next += p->len;
	return true;
}

static bool is_late(const struct engine *e, const struct hca_mmo_piece *p, uint8_t vhca_id)
{
	return e->now - p->sent > REPEAT_NS && !wire_unread(e->w, vhca_id);
}

/* The range of the message that @p waits for. */
static struct mem_ref waits_at(const struct hca_qp *qp, const struct hca_mmo_piece *p)
{
	return p->step == CHECK_FROM || p->step == READ ? source(qp, 0, 1) : dest(qp, 0, 1);
}

static bool run_piece(struct engine *e, struct hca_qp *qp, struct hca_mmo_piece *p)
{
	struct hca_mmo *m = &qp->req.mmo;
	const struct hca_target *t;
	struct mem_ref ref;

	if (p->step == FREE && !next_piece(m, p))
		return false;
	if (p->step == DUE)
		return begin(e, qp, p);
	ref = waits_at(qp, p);
	t = mem_target(e->hca, &ref);
	if (p->serial && t && !is_late(e, p, t->vhca_id))
		return false;
	if (p->step == CHECK_FROM || p->step == CHECK_TO)
		return check(e, qp, p);
	return begin(e, qp, p);
}

static bool any_piece(const struct hca_mmo *m)
{
	for (int i = 0; i < HCA_MMO_PIECES; i++)
		if (m->piece[i].step != FREE)
			return true;
	return false;
}

/* Are the other functions still there? */
static void look_again(struct engine *e, struct hca_qp *qp)
{
	struct mem_ref from = source(qp, 0, 1), to = dest(qp, 0, 1);
	struct hca_mmo *m = &qp->req.mmo;

	if (m->failed || e->now - m->looked < LOOK_NS)
		return;
	m->looked = e->now;
	m->failed = look(e, qp, mem_target(e->hca, &from));
	if (!m->failed)
		m->failed = look(e, qp, mem_target(e->hca, &to));
}

static bool run_far(struct engine *e, struct hca_qp *qp)
{
	struct hca_mmo *m = &qp->req.mmo;
	bool moved = false;

	if (!m->checked && !any_piece(m))
		m->checked = true;
	for (int i = 0; i < HCA_MMO_PIECES && !m->failed; i++)
		moved |= run_piece(e, qp, &m->piece[i]);
	if (!moved)
		look_again(e, qp);
	return moved;
}

/* ---- answers ---- */

static struct hca_mmo_piece *piece_of(struct hca_qp *qp, uint32_t serial)
{
	for (int i = 0; i < HCA_MMO_PIECES; i++)
		if (qp->req.mmo.piece[i].step != FREE && qp->req.mmo.piece[i].serial == serial)
			return &qp->req.mmo.piece[i];
	return NULL;
}

/* assumed(alias_that_its_owner_refuses_is_a_remote_access_error): a copy through an alias whose
 * mkey was destroyed, lacks the right, ends before, or has pages that are not mapped, ends in
 * syndrome 0x13; a key that the function of the work request itself does not have, in 0x04. */
static uint8_t refusal(struct engine *e, struct hca_qp *qp, const struct hca_mmo_piece *p,
		       uint8_t status)
{
	static const char *const why[] = {
		[WIRE_GONE] = "is another one now",
		[WIRE_NO_KEY] = "has destroyed or never allowed it",
		[WIRE_NO_RIGHT] = "does not give the right (mkc.lr to read, mkc.lw to write)",
		[WIRE_OUTSIDE] = "says that it does not cover all bytes",
		[WIRE_NO_MEMORY] = "has unmapped its memory",
		[WIRE_UNUSABLE] = "cannot use it in this state",
	};
	struct mem_ref ref = waits_at(qp, p);
	const struct hca_target *t = mem_target(e->hca, &ref);

	if (t)
		refused(qp, t, status < ARRAY_SIZE(why) ? why[status] : "refuses it");
	return status == WIRE_GONE ? CQE_REMOTE_OP : CQE_REMOTE_ACCESS;
}

static void finish(struct hca_mmo *m, struct hca_mmo_piece *p)
{
	m->done += p->len;
	p->step = FREE;
}

/* The bytes of a source that is another function's. */
static void take_bytes(struct engine *e, struct hca_qp *qp, struct hca_mmo_piece *p,
		       const uint8_t *data, size_t len)
{
	struct mem_ref to = dest(qp, p->off, p->len);
	struct hca_mmo *m = &qp->req.mmo;

	if (len != p->len)
		p->step = DUE;
	else if (!is_local(e, &to))
		p->step = ask(e, qp, p, WRITE, &to, data) ? WRITE : DUE;
	else if (mem_write(e->hca, &to, data) == MEM_OK)
		finish(m, p);
	else
		m->failed = CQE_LOCAL_PROT;
}

static bool is_running(const struct hca_qp *qp)
{
	return qp->req.mmo.running && !qp->req.mmo.failed &&
	       (qp->state == PRM_QPC_STATE_RTS || qp->state == PRM_QPC_STATE_SQD);
}

void mmo_take(struct engine *e, const struct wire_message *m, const uint8_t *data, size_t len)
{
	struct hca_qp *qp = hca_qp_find(e->hca, m->qpn);
	struct hca_mmo_piece *p = qp && is_running(qp) ? piece_of(qp, m->serial) : NULL;

	if (!p)
		return; /* of a work request that has ended */
	core_list_add(&e->hca->runnable, &qp->runnable);
	if (m->status)
		qp->req.mmo.failed = refusal(e, qp, p, m->status);
	else if (p->step == READ)
		take_bytes(e, qp, p, data, len);
	else
		finish(&qp->req.mmo, p);
}

/* ---- */

static uint8_t report(struct engine *e, const struct hca_qp *qp)
{
	uint8_t out[OPAQUE_BYTES] = { 0 };
	uint32_t n = htobe32((uint32_t)qp->req.mmo.len);
	struct mem_ref own = opaque(qp);

	/* assumed(mmo_opaque_buffer_has_both_lengths): a DMA MMO work request that completes
	 * without an error writes syndrome 0 and the number of bytes, twice and big-endian,
	 * into its opaque buffer. */
	memcpy(out + SCATTERED, &n, sizeof(n));
	memcpy(out + GATHERED, &n, sizeof(n));
	return mem_write(e->hca, &own, out) == MEM_OK ? 0 : CQE_LOCAL_PROT;
}

uint8_t mmo_run(struct engine *e, struct hca_qp *qp, uint16_t index, bool *done, bool *moved)
{
	struct hca_mmo *m = &qp->req.mmo;
	uint8_t status = 0;

	*moved = true;
	if (!m->running || m->index != index)
		status = start(e, qp, index);
	if (!status && m->far)
		*moved = run_far(e, qp);
	else if (!status)
		run_near(e, qp);
	status = status ? status : m->failed;
	*done = status || m->done == m->len;
	if (!*done)
		return 0;
	m->running = false;
	return status ? status : report(e, qp);
}
