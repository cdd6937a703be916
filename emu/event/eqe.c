/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event queues. An EQE is 64 bytes (PRM, EQE format; <linux/mlx5/device.h>, struct mlx5_eqe):
 *
 *	byte 1 type, byte 3 sub-type, bytes 32…59 data, byte 63 owner
 *
 * An event of a work queue has the kind of the queue: byte 20 of the data
 * (MLX5_EVENT_QUEUE_TYPE_*).
 *
 * The owner bit is like that of a CQE: bit log_size of the producer index.
 */
#include <string.h>

#include "event/event.h"

#define EQE_SIZE    64
#define EQE_TYPE    1
#define EQE_SUBTYPE 3
#define EQE_DATA    32
#define COMP_CQN    24 /* of the data; struct mlx5_eqe_comp */
#define OBJECT	    24 /* struct mlx5_eqe_qp_srq */
#define PORT	    8  /* struct mlx5_eqe_port_state: bits 7:4 */
#define PORT_DOWN   1  /* MLX5_PORT_CHANGE_SUBTYPE_* */
#define PORT_ACTIVE 4
#define CQ_ERR_CQN  0 /* struct mlx5_eqe_cq_err */
#define CQ_ERR_SYN  11
#define QUEUE_TYPE  20
#define EQE_OWNER   63
#define EQE_CI	    0xffffffu /* of a doorbell */

/* Our choice: an event queue that is full loses new events. No program sees it: its owner is
 * the kernel, which updates the consumer index before the ring can be full (kernel, eq.h:
 * MLX5_NUM_SPARE_EQE). */
static void push(struct hca *hca, struct hca_eq *eq, uint8_t eqe[EQE_SIZE])
{
	uint32_t slot = eq->pi & ((1u << eq->log_size) - 1);
	uint64_t at = hca_ring_bus(&eq->ring, (uint64_t)slot * EQE_SIZE);
	uint16_t last;

	if (eq->pi - eq->ci >= 1u << eq->log_size)
		return;
	eqe[EQE_OWNER] = eq->pi >> eq->log_size & 1;
	memcpy(&last, eqe + EQE_SIZE - sizeof(last), sizeof(last));
	/* The last two bytes, with the owner, become visible last. */
	if (!core_store(at, eqe, EQE_SIZE - sizeof(last)) ||
	    !core_store16(at + EQE_SIZE - sizeof(last), last))
		return;
	eq->pi++;
	core_trace(&(struct core_trace){ .kind = TRACE_EQE,
					 .obj = eq->eqn,
					 .index = eq->pi - 1,
					 .in = eqe,
					 .in_len = EQE_SIZE });
	if (hca->irq)
		hca->irq(hca, eq);
}

void event_comp(struct hca *hca, struct hca_cq *cq)
{
	uint8_t eqe[EQE_SIZE] = { 0 };

	if (!cq->eq)
		return;
	eqe[EQE_TYPE] = PRM_EVENT_COMP;
	core_put_be32(eqe + EQE_DATA + COMP_CQN, cq->cqn);
	push(hca, cq->eq, eqe);
}

/* 0 is a QP, and what is not a queue. An RMP is an RQ, as the kernel expects it (mlx5_ib,
 * devx.c, get_legacy_obj_type). */
static uint8_t queue_type(struct hca *hca, uint8_t type, uint32_t obj)
{
	const struct hca_srq *srq;

	switch (type) {
	case PRM_EVENT_WQ_CATAS_ERROR:
	case PRM_EVENT_WQ_INVAL_REQ_ERROR:
	case PRM_EVENT_WQ_ACCESS_ERROR:
		if (hca_dct_find(hca, obj))
			return PRM_EVENT_QUEUE_TYPE_DCT;
		if (core_ids_get(&hca->sqs, obj))
			return PRM_EVENT_QUEUE_TYPE_SQ;
		return core_ids_get(&hca->rqs, obj) ? PRM_EVENT_QUEUE_TYPE_RQ : 0;
	case PRM_EVENT_SRQ_RQ_LIMIT:
	case PRM_EVENT_SRQ_CATAS_ERROR:
		srq = hca_srq_find(hca, obj);
		return srq && !srq->xrc ? PRM_EVENT_QUEUE_TYPE_RQ : 0;
	default:
		return 0;
	}
}

/* The number of the object in the data of an event. */
static void fill(uint8_t *data, uint8_t type, uint32_t obj, uint8_t syndrome)
{
	if (type == PRM_EVENT_CQ_ERROR) {
		core_put_be32(data + CQ_ERR_CQN, obj);
		data[CQ_ERR_SYN] = syndrome;
	} else {
		core_put_be32(data + OBJECT, obj);
	}
}

void event_async(struct hca *hca, uint8_t type, uint32_t obj, uint8_t syndrome)
{
	uint32_t eqn = 0;
	struct hca_eq *eq;

	while ((eq = core_ids_next(&hca->eqs, &eqn))) {
		uint8_t eqe[EQE_SIZE] = { 0 };

		if (!(eq->events >> type & 1))
			continue;
		eqe[EQE_TYPE] = type;
		fill(eqe + EQE_DATA, type, obj, syndrome);
		eqe[EQE_DATA + QUEUE_TYPE] |= queue_type(hca, type, obj);
		push(hca, eq, eqe);
	}
}

void event_port(struct hca *hca)
{
	uint32_t eqn = 0;
	struct hca_eq *eq;

	while ((eq = core_ids_next(&hca->eqs, &eqn))) {
		uint8_t eqe[EQE_SIZE] = { 0 };

		if (!(eq->events >> PRM_EVENT_PORT_CHANGE & 1))
			continue;
		eqe[EQE_TYPE] = PRM_EVENT_PORT_CHANGE;
		eqe[EQE_SUBTYPE] = hca->port.down ? PORT_DOWN : PORT_ACTIVE;
		eqe[EQE_DATA + PORT] = 1 << 4;
		push(hca, eq, eqe);
	}
}

bool event_cmd_wanted(struct hca *hca)
{
	uint32_t eqn = 0;
	const struct hca_eq *eq;

	while ((eq = core_ids_next(&hca->eqs, &eqn)))
		if (eq->events >> PRM_EVENT_CMD & 1)
			return true;
	return false;
}

void event_cmd(struct hca *hca, uint32_t done)
{
	uint32_t eqn = 0;
	struct hca_eq *eq;

	while ((eq = core_ids_next(&hca->eqs, &eqn))) {
		uint8_t eqe[EQE_SIZE] = { 0 };

		if (!(eq->events >> PRM_EVENT_CMD & 1))
			continue;
		eqe[EQE_TYPE] = PRM_EVENT_CMD;
		core_put_be32(eqe + EQE_DATA, done);
		push(hca, eq, eqe);
	}
}

bool event_eq_update(struct hca *hca, struct hca_eq *eq, uint32_t ci, bool arm)
{
	uint32_t taken = (ci - eq->ci) & EQE_CI;

	if (taken > eq->pi - eq->ci)
		return false;
	eq->ci += taken;
	eq->armed = arm;
	if (arm && eq->pi != eq->ci && hca->irq)
		hca->irq(hca, eq);
	return true;
}

bool event_eq_next(struct hca_eq *eq, uint8_t eqe[64])
{
	uint32_t slot = eq->ci & ((1u << eq->log_size) - 1);

	if (eq->ci == eq->pi)
		return false;
	memcpy(eqe, hca_ring_at(&eq->ring, (uint64_t)slot * EQE_SIZE), EQE_SIZE);
	eq->ci++;
	return true;
}
