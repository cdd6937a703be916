/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A store to a UAR page, when the program executes it: only the queue that it names is served,
 * by the record as it is now, and a BlueFlame copy is compared with the ring.
 *
 *	+0x020		 arm: cq_arm.c
 *	+0x600		 of a no-DBR queue: doorbell.c
 *	first 8 bytes	 of a half: a doorbell -> queue -> record: a new value? -> runnable
 *	the rest	 by the same thread, to the same half: one WQE, equal to that in the ring
 *
 * Hardware executes the BlueFlame copy (rdma-core, providers/mlx5/qp.c, post_send_db and
 * mlx5_bf_copy); the emulator executes the WQE in the ring, and reports differences. The index
 * in a doorbell of 8 bytes is not checked: NVIDIA/nvshmem, ibgda_ring_db, writes that of the
 * next WQE.
 *
 * A doorbell of an index, without ds, may come before the record if the same one follows it:
 * NVIDIA-DOCA/gpunetio, doca_gpu_dev_verbs_submit_db, which says that the first has the index
 * and the second is for recovery; openucx/ucx and NVIDIA/nccl post by it.
 */
#include "engine/cq_arm.h"
#include "engine/doorbell.h"
#include "engine/hwqe.h"
#include "engine/lost.h"
#include "engine/ethernet.h"
#include "engine/sg.h"
#include "engine/uar_store.h"
#include "prm/prm.h"

#define WORD	    8u
#define UAR_EQ	    0x40u /* and 0x48: kernel, mlx5_core eq.c, MLX5_EQ_DOORBEL_OFFSET */
#define UAR_EQ_LAST 0x4fu

static const char *const state_names[] = { "RESET", "INIT", "RTR" };

void uar_store_to_page(const struct hca_uar *uar, const struct engine_store *s)
{
	uint64_t value;

	if (s->len != WORD || s->offset % WORD) {
		memcpy(uar->page + s->offset, s->bytes, s->len);
		return;
	}
	memcpy(&value, s->bytes, sizeof(value));
	atomic_store((_Atomic uint64_t *)(uar->page + s->offset), value);
}

/* ---- BlueFlame copies ---- */

/* Reports the first finding about @copy. */
#define REPORT(copy, kind, ...)                                                           \
	do {                                                                              \
		if (!(copy)->reported)                                                    \
			core_check(CORE_##kind, (copy)->sq ? "SQ" : "QP", (copy)->number, \
				   __VA_ARGS__);                                          \
		(copy)->reported = true;                                                  \
	} while (0)

static uint32_t words_of(uint32_t bytes)
{
	uint32_t n = bytes / WORD;

	return n < 32 ? (1u << n) - 1 : ~0u;
}

static bool is_blueflame(const struct hca_copy *c)
{
	return c->words & ~1u;
}

static void too_early(struct hca_copy *c, uint16_t record)
{
	REPORT(c, RUNG_EARLY,
	       "its register was rung, and the record, 0x%x, announces no new WQE", record);
}

/* No more stores follow: was the whole WQE copied, and the record's doorbell rung? */
static void close_copy(struct hca_copy *c)
{
	if (c->early)
		too_early(c, c->record);
	if (c->known && is_blueflame(c) && words_of(c->len) & ~c->words)
		REPORT(c, BLUEFLAME_BLOCKS,
		       "BlueFlame copy of a part of the WQE at 0x%x, which has %u bytes in whole blocks",
		       c->index, c->len);
}

static void not_alternated(struct hca_copy *c)
{
	REPORT(c, BLUEFLAME_HALF,
	       "BlueFlame copy in half %u of a register, and the doorbell before it used the same half",
	       c->half);
}

/* The first store after the first 8 bytes: it is a BlueFlame copy. */
static void is_copied(struct hca_copy *c)
{
	if (c->again)
		not_alternated(c);
	if (!c->announced)
		REPORT(c, BLUEFLAME_OLD,
		       "BlueFlame copy of the WQE at 0x%x, which is not among those that the record "
		       "newly announces",
		       c->index);
	if (memcmp(c->first, c->wqe, WORD))
		REPORT(c, BLUEFLAME_BYTES,
		       "BlueFlame copy whose first 8 bytes are not those of the WQE at 0x%x in the ring",
		       c->index);
}

/* @n bytes were copied to offset @at of the half. */
static void compare(struct hca_copy *c, uint32_t at, const uint8_t *bytes, uint32_t n)
{
	if (!is_blueflame(c))
		is_copied(c);
	c->words |= words_of(at + n) & ~words_of(at);
	if (at + n > c->len) {
		REPORT(c, BLUEFLAME_BLOCKS,
		       "BlueFlame copy of more than the WQE at 0x%x, which has %u bytes in whole blocks",
		       c->index, c->len);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (bytes[i] == c->wqe[at + i])
			continue;
		REPORT(c, BLUEFLAME_BYTES,
		       "BlueFlame copy that differs from the WQE at 0x%x in the ring: byte %u is 0x%02x "
		       "and not 0x%02x",
		       c->index, at + i, bytes[i], c->wqe[at + i]);
		return;
	}
}

/* The bytes of @s after the first @skip, at offset @at of the half. */
static void continue_copy(struct hca_copy *c, uint32_t half, uint32_t at,
			  const struct engine_store *s, uint32_t skip)
{
	if (!c->thread || (c->thread == s->thread && c->half != half))
		REPORT(c, BLUEFLAME_BLOCKS,
		       "bytes from 0x%x on in half %u of a register, whose first 8 were not written",
		       at, half);
	else if (c->thread != s->thread)
		REPORT(c, REGISTER_SHARED,
		       "threads %d and %d write one register at the same time", c->thread,
		       s->thread);
	else if (c->known)
		compare(c, at, s->bytes + skip, s->len - skip);
}

/* ---- doorbells ---- */

/* Reads the WQE at the index of the doorbell from the ring. */
static void keep_wqe(struct hca_copy *c, const struct hca_qp *qp, uint16_t record)
{
	uint32_t ds = core_bits(c->first, HWQE_CTRL_DS);

	c->known = true;
	c->index = core_bits(c->first, HWQE_CTRL_INDEX);
	c->announced = (uint16_t)(c->index - qp->req.pi) < (uint16_t)(record - qp->req.pi);
	c->len = (ds + 3) / 4 * HWQE_BB;
	sg_ring_copy(&qp->sq, (uint64_t)c->index * HWQE_BB, c->wqe,
		     c->len < sizeof(c->wqe) ? c->len : sizeof(c->wqe));
}

/* The record has no WQE that is not known. */
static void no_new_wqe(struct hca_copy *c, const struct hca_uar *uar,
		       const struct engine_store *s, uint16_t record)
{
	uint16_t index = core_bits(c->first, HWQE_CTRL_INDEX);
	bool of_index = !core_bits(c->first, HWQE_CTRL_DS);

	uar_store_to_page(uar, s);
	if (c->second)
		return;
	c->early = of_index && (int16_t)(index - record) > 0;
	c->record = record;
	if (!c->early)
		too_early(c, record);
}

static void ring_qp(struct engine *e, struct hca_uar *uar, struct hca_copy *c,
		    struct hca_qp *qp, const struct engine_store *s)
{
	uint16_t record;

	if (!qp->sq.cnt || qp->uar != uar) {
		REPORT(c, RUNG_UAR, "rung in UAR page %u, and qpc.uar_page is %u", uar->index,
		       qp->uar ? qp->uar->index : 0);
		return;
	}
	if (qp->no_send_record) {
		REPORT(c, RUNG_MODE, "rung at +0x%x, and its qpc.send_dbr_mode is NO_DBR_EXT",
		       s->offset);
		return;
	}
	if (qp->state < PRM_QPC_STATE_RTS) {
		REPORT(c, RUNG_STATE, "rung in %s, where nothing is executed",
		       state_names[qp->state]);
		return;
	}
	record = doorbell_record(qp, DOORBELL_RECORD_SND);
	keep_wqe(c, qp, record);
	if (lost_qp(e, qp))
		return;
	if (record == qp->req.pi)
		no_new_wqe(c, uar, s, record);
	else
		doorbell_serve(e, qp, record);
}

static void ring_sq(struct engine *e, struct hca_uar *uar, struct hca_copy *c,
		    struct hca_sq *sq, const struct engine_store *s)
{
	c->sq = true;
	if (sq->state == PRM_SQC_STATE_RST)
		REPORT(c, RUNG_STATE, "rung in RST, where nothing is executed");
	else if (!ethernet_poll(e, sq) && !PRM_GET(sqc, sq->sqc, non_wire))
		no_new_wqe(c, uar, s, sq->end);
}

static bool has_steering(const struct hca_uar *uar)
{
	const struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &uar->sqs)
		if (PRM_GET(sqc, core_container(pos, struct hca_sq, on_uar)->sqc, non_wire))
			return true;
	return false;
}

/* DPDK rings the last WQE of a queue for steering (non_wire) again where it polls, which is
 * zeros before the first one (mlx5dr_send.c, mlx5dr_send_engine_flush_queue). */
static void unknown_number(const struct hca_uar *uar, struct hca_copy *c,
			   const struct engine_store *s)
{
	static const uint8_t zeros[sizeof(s->bytes)];

	if (memcmp(s->bytes, zeros, s->len) || !has_steering(uar))
		REPORT(c, RUNG_NUMBER,
		       "UAR page %u was rung for it, and there is no queue of this number",
		       uar->index);
	uar_store_to_page(uar, s);
}

static void ring(struct engine *e, struct hca_uar *uar, struct hca_copy *c,
		 const struct engine_store *s)
{
	struct hca_qp *qp = hca_qp_find(e->hca, c->number);
	struct hca_sq *sq = core_ids_get(&e->hca->sqs, c->number);

	if (qp)
		ring_qp(e, uar, c, qp, s);
	else if (sq)
		ring_sq(e, uar, c, sq, s);
	else
		unknown_number(uar, c, s);
}

static void begin(struct engine *e, struct hca_uar *uar, struct hca_copy *c, uint32_t half,
		  const struct engine_store *s)
{
	bool again = c->thread && c->half == half, copied = is_blueflame(c);
	bool second = c->early && c->thread == s->thread && !memcmp(c->first, s->bytes, WORD);

	c->early &= !second;
	close_copy(c);
	*c = (struct hca_copy){
		.thread = s->thread, .half = half, .again = again, .second = second
	};
	memcpy(c->first, s->bytes, WORD);
	c->number = core_bits(c->first, HWQE_CTRL_QPN);
	c->words = 1;
	doorbell_rung(e, uar, s->offset, s->bytes);
	if (again && copied)
		not_alternated(c);
	ring(e, uar, c, s);
	if (s->len > WORD)
		continue_copy(c, half, WORD, s, WORD);
}

static void unknown(const struct hca_uar *uar, const struct engine_store *s)
{
	core_check(CORE_REGISTER_UNKNOWN, "UAR page", uar->index,
		   "%u bytes at +0x%x, where there is no register of this size", s->len,
		   s->offset);
}

/* libc's memcpy of as many bytes as a vector register has stores them twice, and a
 * write-combining buffer makes one of the two. */
static bool is_repeated(const struct hca_copy *c, uint32_t half, uint32_t at,
			const struct engine_store *s)
{
	return s->len > WORD && c->known && c->thread == s->thread && c->half == half &&
	       c->last_at == at && c->last_len == s->len && at + s->len <= sizeof(c->wqe) &&
	       !memcmp(c->wqe + at, s->bytes, s->len);
}

static void to_register(struct engine *e, struct hca_uar *uar, const struct engine_store *s)
{
	uint32_t off = s->offset - HCA_UAR_REGISTERS, at = off % HCA_REGISTER_HALF;
	struct hca_copy *c = &uar->copy[off / (2 * HCA_REGISTER_HALF)];
	uint32_t half = off / HCA_REGISTER_HALF % 2;

	if (is_repeated(c, half, at, s))
		return;
	if (at % WORD || s->len < WORD) {
		unknown(uar, s);
		uar_store_to_page(uar, s);
	} else if (at) {
		continue_copy(c, half, at, s, 0);
	} else {
		begin(e, uar, c, half, s);
	}
	c->last_at = at;
	c->last_len = s->len;
}

static void arm(struct engine *e, struct hca_uar *uar, const struct engine_store *s)
{
	uint64_t value;

	if (s->offset != UAR_ARM || s->len != WORD) {
		unknown(uar, s);
		uar_store_to_page(uar, s);
		return;
	}
	doorbell_rung(e, uar, s->offset, s->bytes);
	memcpy(&value, s->bytes, sizeof(value));
	cq_arm_stored(e->hca, uar, be64toh(value));
}

static void no_record(struct engine *e, struct hca_uar *uar, const struct engine_store *s)
{
	if (s->offset != UAR_NO_RECORD || s->len != WORD) {
		unknown(uar, s);
		uar_store_to_page(uar, s);
		return;
	}
	doorbell_rung(e, uar, s->offset, s->bytes);
	doorbell_no_record(e, uar, s->bytes);
}

static void store(struct engine *e, const struct engine_store *s)
{
	struct hca_uar *uar = core_ids_get(&e->hca->uars, s->uar);

	if (!uar)
		core_check(CORE_UAR_FREED, "UAR page", s->uar, "written after it was freed");
	else if (s->offset / WORD == UAR_ARM / WORD)
		arm(e, uar, s);
	else if (s->offset / WORD == UAR_NO_RECORD / WORD)
		no_record(e, uar, s);
	else if (s->offset >= HCA_UAR_REGISTERS &&
		 s->offset < HCA_UAR_REGISTERS + HCA_REGISTERS * 2 * HCA_REGISTER_HALF)
		to_register(e, uar, s);
	else if (s->offset < UAR_EQ || s->offset > UAR_EQ_LAST)
		unknown(uar, s);
}

void engine_store(struct engine *e, const struct engine_store *s)
{
	hca_lock(e->hca);
	store(e, s);
	hca_unlock(e->hca);
}

void uar_store_unfinished(struct hca *hca)
{
	struct hca_uar *uar;
	uint32_t index = 0;

	while ((uar = core_ids_next(&hca->uars, &index)))
		for (uint32_t i = 0; i < HCA_REGISTERS; i++)
			close_copy(&uar->copy[i]);
}
