/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Doorbells. Software writes the doorbell record, then 8 bytes to a doorbell register. The
 * register triggers the device, the record has the producer index.
 *
 *	UAR page  0x020 CQ arm      {sn | cmd | ci, cqn}
 *	          0x600             of no-DBR queues: first 8 bytes of the last WQE
 *	          0x800 0x900       register 0: two halves that alternate
 *	          0xa00 0xb00       register 1       first 8 bytes of the last WQE posted
 *	          0xc00 0xd00       registers 2 and 3: of the kernel's fast path (mlx5_core, uar.c)
 *	          0xe00 0xf00
 *
 * The page is plain memory that both sides map. When several values are written between two
 * polls, only the last is seen, so after each the device reads the records of all queues of the
 * page. For no-DBR queues (qpc.send_dbr_mode NO_DBR_EXT) the value itself has the index: if
 * there are several on one page, doorbells that a later one overwrote are lost. (rdma-core,
 * providers/mlx5: post_send_db in qp.c, mlx5_arm_cq in cq.c.)
 */
#include "engine/cq_arm.h"
#include "engine/cqe.h"
#include "engine/doorbell.h"
#include "engine/hwqe.h"
#include "engine/lost.h"
#include "engine/qp.h"
#include "engine/ethernet.h"
#include "event/event.h"

#define REGISTERS 8

static const uint16_t register_offset[REGISTERS] = { 0x800, 0x900, 0xa00, 0xb00,
						     0xc00, 0xd00, 0xe00, 0xf00 };

uint16_t doorbell_record(const struct hca_qp *qp, enum doorbell_record which)
{
	uint32_t word;

	if (which == DOORBELL_RECORD_SND && qp->no_send_record)
		return qp->req.rung;
	if (!qp->record_lost && core_fetch32(&word, qp->dbrec + which * sizeof(word)))
		return be32toh(word);
	lost_reads++;
	return which == DOORBELL_RECORD_SND ? qp->req.pi : qp->resp.ci;
}

void doorbell_rung(struct engine *e, const struct hca_uar *uar, uint16_t off, const void *bytes)
{
	e->counters.doorbells++;
	core_trace(&(struct core_trace){ .kind = TRACE_DOORBELL,
					 .obj = uar->index,
					 .index = off,
					 .in = bytes,
					 .in_len = sizeof(uint64_t) });
}

/* Takes the 8 bytes at @off of @uar's page. 0: no doorbell. */
static uint64_t take(struct engine *e, const struct hca_uar *uar, uint16_t off)
{
	_Atomic uint64_t *reg = (_Atomic uint64_t *)(uar->page + off);
	uint64_t value;

	/* A read first: the cache line stays shared while there are no doorbells. */
	if (!atomic_load_explicit(reg, memory_order_relaxed))
		return 0;
	/* Orders the read of the record after it; software wrote the record first. */
	value = atomic_exchange_explicit(reg, 0, memory_order_seq_cst);
	if (!value)
		return 0;
	doorbell_rung(e, uar, off, &value);
	return value;
}

static inline uint64_t peek(const struct hca_uar *uar, uint16_t off)
{
	return atomic_load((_Atomic uint64_t *)(uar->page + off));
}

bool doorbell_pending(const struct hca_uar *uar)
{
	uint64_t any = 0;

	for (unsigned int i = 0; i < REGISTERS; i++)
		any |= peek(uar, register_offset[i]);
	return any;
}

/* Is there any value in a register of the page? */
static bool is_rung(const struct hca_uar *uar)
{
	return doorbell_pending(uar) || peek(uar, UAR_ARM) || peek(uar, UAR_NO_RECORD);
}

static bool named(const struct hca_qp *qp, const uint64_t *rings)
{
	for (unsigned int i = 0; i < REGISTERS; i++)
		if (rings[i] && (be64toh(rings[i]) & 0xffffffff) >> 8 == qp->qpn)
			return true;
	return false;
}

static void served_by_another(struct engine *e, const struct hca_qp *qp)
{
	e->counters.shared_rings++;
	core_check(CORE_SHARED_REGISTER, "QP", qp->qpn,
		   "served by a doorbell that named another QP");
}

/* More WQEs were posted than the ring has blocks: some were overwritten before their
 * execution. */
static void overrun(struct engine *e, struct hca_qp *qp, uint16_t record)
{
	core_check(CORE_SEND_OVERRUN, "QP", qp->qpn,
		   "record 0x%x is more than %u blocks ahead of 0x%x", record, qp->sq.cnt,
		   qp->req.una);
	if (qp->state == PRM_QPC_STATE_ERR)
		return;
	/* assumed(send_queue_overrun_is_catastrophic): a send record that is further ahead than
	 * the ring is long raises a WQ catastrophic error event and moves the QP to ERR. */
	event_async(e->hca, PRM_EVENT_WQ_CATAS_ERROR, qp->qpn, 0);
	qp_error_enter(e, qp);
}

void doorbell_serve(struct engine *e, struct hca_qp *qp, uint16_t record)
{
	if ((uint16_t)(record - qp->req.una) > qp->sq.cnt) {
		overrun(e, qp, record);
		return;
	}
	qp->req.pi = record;
	core_list_add(&e->hca->runnable, &qp->runnable);
}

/* Reads the send record of @qp; false if it has no new value. */
static bool serve_new(struct engine *e, struct hca_qp *qp, const uint64_t *rings)
{
	uint16_t record;

	/* assumed(ring_before_rts_is_lost): WQEs whose doorbell was rung before RTS are not
	 * executed in RTS until the next doorbell. google/rdma-unit-test expects it of all
	 * adapters (introspection.h, SilentlyDropSendWrWhenResetInitRtr) and makes no exception
	 * for mlx5; libmlx5 posts nothing in these states (verbs.c, set_qp_operational_state),
	 * so only doorbells by dv or of DevX queues can show it. */
	if (qp->state < PRM_QPC_STATE_RTS || !qp->sq.cnt)
		return false;
	record = doorbell_record(qp, DOORBELL_RECORD_SND);
	if (record == qp->req.pi)
		return lost_qp(e, qp);
	if (!named(qp, rings)) {
		/* A program that resets a queue may write its record only when it posts again
		 * (UCX, with DevX QPs): until then it is that of before. */
		if (!hwqe_is_posted(qp))
			return lost_qp(e, qp);
		served_by_another(e, qp);
	}
	doorbell_serve(e, qp, record);
	return true;
}

static void ring(struct engine *e, struct hca_uar *uar, const uint64_t *rings)
{
	struct core_list *pos, *tmp;
	bool served = false;

	core_list_for_each(pos, tmp, &uar->queues)
		served |= serve_new(e, core_container(pos, struct hca_qp, on_uar), rings);
	core_list_for_each(pos, tmp, &uar->sqs)
		served |= ethernet_poll(e, core_container(pos, struct hca_sq, on_uar));
	if (!served)
		e->counters.empty_rings++;
}

/* May @qp be rung at UAR_NO_RECORD of @uar? */
static bool may_ring(const struct hca_qp *qp, const struct hca_uar *uar)
{
	if (!qp->no_send_record)
		core_check(CORE_RUNG_MODE, "QP", qp->qpn,
			   "rung at +0x%x, and its qpc.send_dbr_mode is not NO_DBR_EXT",
			   UAR_NO_RECORD);
	else if (!qp->sq.cnt || qp->uar != uar)
		core_check(CORE_RUNG_UAR, "QP", qp->qpn,
			   "rung in UAR page %u, and qpc.uar_page is %u", uar->index,
			   qp->uar ? qp->uar->index : 0);
	else if (qp->state < PRM_QPC_STATE_RTS)
		core_check(CORE_RUNG_STATE, "QP", qp->qpn,
			   "rung before RTS, where nothing is executed");
	else
		return true;
	return false;
}

/* The producer index that @bytes contain, in blocks.
 * assumed(no_record_ring_ends_behind_its_wqe): index and size in the doorbell of a no-DBR queue
 * are those of the last WQE, which all forms in use agree with: its first 8 bytes (rdma-core,
 * tests/mlx5_base.py, post_send), or the index of the next WQE with size 0 (DOCA GPUNetIO,
 * doca_gpu_dev_verbs_prepare_db). */
static uint16_t end_of(const uint8_t *bytes)
{
	return (uint16_t)(core_bits(bytes, HWQE_CTRL_INDEX) +
			  (core_bits(bytes, HWQE_CTRL_DS) + 3) / 4);
}

void doorbell_no_record(struct engine *e, const struct hca_uar *uar, const void *bytes)
{
	uint32_t qpn = core_bits(bytes, HWQE_CTRL_QPN);
	struct hca_qp *qp = hca_qp_find(e->hca, qpn);
	uint16_t end = end_of(bytes);

	if (!qp)
		core_check(CORE_RUNG_NUMBER, "QP", qpn,
			   "UAR page %u was rung for it, and there is no queue of this number",
			   uar->index);
	/* Threads may ring without a lock, and an older index may be last (DOCA GPUNetIO,
	 * doca_gpu_dev_verbs_submit_db): it is ignored. */
	if (!qp || !may_ring(qp, uar) || (uint16_t)(qp->req.pi - end) < qp->sq.cnt) {
		e->counters.empty_rings++;
		return;
	}
	qp->req.rung = end;
	doorbell_serve(e, qp, end);
}

bool doorbell_poll_no_record(struct engine *e, const struct hca_uar *uar)
{
	uint64_t value = take(e, uar, UAR_NO_RECORD);

	if (value)
		doorbell_no_record(e, uar, &value);
	return value;
}

static bool poll_page(struct engine *e, struct hca_uar *uar)
{
	uint64_t rings[REGISTERS], any = 0, arm;

	for (unsigned int i = 0; i < REGISTERS; i++)
		any |= rings[i] = take(e, uar, register_offset[i]);
	if (any)
		ring(e, uar, rings);
	arm = take(e, uar, UAR_ARM);
	if (arm)
		cq_arm_polled(e->hca, uar, be64toh(arm));
	return doorbell_poll_no_record(e, uar) || any || arm;
}

bool doorbell_poll(struct engine *e)
{
	/* Not to the end of the table, which is mostly empty. */
	uint32_t index = 0, left = e->hca->uars.used;
	struct hca_uar *uar;
	bool rang = false;

	while (left-- && (uar = core_ids_next(&e->hca->uars, &index)))
		rang |= is_rung(uar) && poll_page(e, uar);
	return rang;
}
