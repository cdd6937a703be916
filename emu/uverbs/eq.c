/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event queues: one for asynchronous events, one for each completion vector; and what happens
 * when one of them has something.
 *
 *	fw, engine --EQE--> EQ --hca.irq--> uverbs_irq() --by number--> object --> its event fd
 *
 * Each event goes to the file whose object it is about, and to no other that has the device
 * open (ib_uverbs: uverbs_main.c, ib_uverbs_qp_event_handler), and to those that subscribed
 * through DevX. All files would get events of a port, whose state does not change here.
 *
 * The rings are the driver's own memory: bus address = virtual address.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#include "event/event.h"
#include "uverbs/devx.h"
#include "uverbs/ethernet.h"
#include "uverbs/event_fd.h"

/* mlx5_core, eq.c: MLX5_NUM_ASYNC_EQE, MLX5_COMP_EQ_SIZE (rounded down where the adapter has
 * less) */
#define LOG_ASYNC_EQ_SIZE 12
#define LOG_COMP_EQ_SIZE  10
#define EQE_SIZE	  64
#define EQE_OWNER	  63
#define QUEUE_TYPE	  52 /* <linux/mlx5/device.h>, struct mlx5_eqe_qp_srq */
#define PORT		  40 /* there, struct mlx5_eqe_port_state: bits 7:4 */

#define BIT(type) (1ull << (type))
#define ASYNC_EVENTS                                                                     \
	(BIT(PRM_EVENT_PATH_MIG) | BIT(PRM_EVENT_COMM_EST) | BIT(PRM_EVENT_SQ_DRAINED) | \
	 BIT(PRM_EVENT_CQ_ERROR) | BIT(PRM_EVENT_WQ_CATAS_ERROR) |                       \
	 BIT(PRM_EVENT_WQ_INVAL_REQ_ERROR) | BIT(PRM_EVENT_WQ_ACCESS_ERROR) |            \
	 BIT(PRM_EVENT_SRQ_LAST_WQE) | BIT(PRM_EVENT_SRQ_RQ_LIMIT) |                     \
	 BIT(PRM_EVENT_SRQ_CATAS_ERROR) | BIT(PRM_EVENT_DCT_DRAINED) |                   \
	 BIT(PRM_EVENT_PORT_CHANGE))

static int ring_new(struct uverbs_eq *eq, uint8_t log_size)
{
	eq->size = (size_t)EQE_SIZE << log_size;
	eq->ring = mmap(NULL, eq->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	if (eq->ring == MAP_FAILED) {
		eq->ring = NULL;
		return -ENOMEM;
	}
	/* mlx5_core, eq.c: entries start out as the hardware's. */
	for (size_t at = EQE_OWNER; at < eq->size; at += EQE_SIZE)
		((uint8_t *)eq->ring)[at] = 1;
	return 0;
}

static int eq_create(struct uverbs *u, struct uverbs_eq *eq, uint8_t log_size, uint64_t events)
{
	size_t npas = ((size_t)EQE_SIZE << log_size) / HCA_PAGE_SIZE;
	size_t in_len = PRM_SZ(create_eq_in) + npas * sizeof(uint64_t);
	uint8_t out[PRM_SZ(create_eq_out)] = { 0 }, *in = calloc(1, in_len), *eqc;
	int ret = in ? ring_new(eq, log_size) : -ENOMEM;

	if (ret) {
		free(in);
		return ret;
	}
	eqc = PRM_ADDR(create_eq_in, in, eq_context_entry);
	PRM_SET(create_eq_in, in, opcode, PRM_OP_CREATE_EQ);
	PRM_SET(create_eq_in, in, event_bitmask, events);
	PRM_SET(eqc, eqc, log_eq_size, log_size);
	PRM_SET(eqc, eqc, uar_page, u->uar);
	PRM_SET(eqc, eqc, intr, eq == &u->async_eq ? 0 : eq - u->comp_eq + 1);
	for (size_t i = 0; i < npas; i++)
		PRM_SET_AT(create_eq_in, in, pas, i, (uintptr_t)eq->ring + i * HCA_PAGE_SIZE);
	ret = uverbs_fw(u, in, in_len, out, sizeof(out));
	free(in);
	if (!ret)
		eq->eqn = PRM_GET(create_eq_out, out, eq_number);
	return ret;
}

static void eq_destroy(struct uverbs *u, struct uverbs_eq *eq)
{
	if (eq->eqn)
		uverbs_fw_number(u, PRM_OP_DESTROY_EQ, 0, eq->eqn);
	if (eq->ring)
		munmap(eq->ring, eq->size);
	*eq = (struct uverbs_eq){ 0 };
}

static uint8_t log_size(const struct uverbs *u, uint8_t want)
{
	uint8_t max = UVERBS_CAP(u, log_max_eq_sz);

	return want < max ? want : max;
}

/* As many completion vectors as processors (mlx5_core, eq.c). */
int uverbs_eqs_create(struct uverbs *u)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int ret = eq_create(u, &u->async_eq, log_size(u, LOG_ASYNC_EQ_SIZE), ASYNC_EVENTS);

	u->vectors = cpus < 1 ? 1 : cpus > UVERBS_VECTORS_MAX ? UVERBS_VECTORS_MAX : cpus;
	for (uint32_t i = 0; i < u->vectors && !ret; i++)
		ret = eq_create(u, &u->comp_eq[i], log_size(u, LOG_COMP_EQ_SIZE), 0);
	return ret;
}

void uverbs_eqs_destroy(struct uverbs *u)
{
	for (uint32_t i = 0; i < UVERBS_VECTORS_MAX; i++)
		eq_destroy(u, &u->comp_eq[i]);
	eq_destroy(u, &u->async_eq);
}

/* mlx5_ib: mlx5_ib_qp_event, mlx5_ib_cq_event, mlx5_ib_srq_event. -1: not for applications. */
static int ib_event(uint8_t type)
{
	switch (type) {
	case PRM_EVENT_PATH_MIG:
		return IBV_EVENT_PATH_MIG;
	case PRM_EVENT_COMM_EST:
		return IBV_EVENT_COMM_EST;
	case PRM_EVENT_SQ_DRAINED:
		return IBV_EVENT_SQ_DRAINED;
	case PRM_EVENT_CQ_ERROR:
		return IBV_EVENT_CQ_ERR;
	case PRM_EVENT_WQ_CATAS_ERROR:
		return IBV_EVENT_QP_FATAL;
	case PRM_EVENT_WQ_INVAL_REQ_ERROR:
		return IBV_EVENT_QP_REQ_ERR;
	case PRM_EVENT_WQ_ACCESS_ERROR:
		return IBV_EVENT_QP_ACCESS_ERR;
	case PRM_EVENT_SRQ_LAST_WQE:
		return IBV_EVENT_QP_LAST_WQE_REACHED;
	case PRM_EVENT_SRQ_RQ_LIMIT:
		return IBV_EVENT_SRQ_LIMIT_REACHED;
	case PRM_EVENT_SRQ_CATAS_ERROR:
		return IBV_EVENT_SRQ_ERR;
	default:
		return -1;
	}
}

static uint32_t number_of(const struct uverbs_object *o)
{
	if (o->type == UVERBS_CQ)
		return core_container(o, struct uverbs_cq, obj)->cqn;
	if (o->type == UVERBS_SRQ)
		return core_container(o, struct uverbs_srq, obj)->srqn;
	if (o->type == UVERBS_WQ)
		return core_container(o, struct uverbs_wq, obj)->rqn;
	return core_container(o, struct uverbs_qp, obj)->qpn;
}

/* The receive queue of a raw packet QP has its own number. */
static bool is_number_of(const struct uverbs_object *o, uint32_t number)
{
	const struct uverbs_qp *qp = core_container(o, struct uverbs_qp, obj);

	return number_of(o) == number ||
	       (o->type == UVERBS_QP && qp->raw_rq.there && qp->raw_rq.number == number);
}

static struct uverbs_object *find(const struct uverbs *u, enum uverbs_type type,
				  uint32_t number)
{
	return uverbs_object_find(u, type, is_number_of, number);
}

static void post(struct uverbs_event_fd *fd, uint64_t user_handle, int event,
		 uint32_t *reported)
{
	struct ib_uverbs_async_event_desc desc = { .element = user_handle,
						   .event_type = event };

	if (fd && uverbs_event_fd_post(fd, &desc))
		(*reported)++;
}

/* Where the number is: <linux/mlx5/device.h>, struct mlx5_eqe_qp_srq, mlx5_eqe_cq_err. */
static uint32_t number_at(const uint8_t *p)
{
	return (uint32_t)p[1] << 16 | p[2] << 8 | p[3];
}

static bool is_of_queue(uint8_t type)
{
	return type == PRM_EVENT_WQ_CATAS_ERROR || type == PRM_EVENT_WQ_INVAL_REQ_ERROR ||
	       type == PRM_EVENT_WQ_ACCESS_ERROR;
}

/* mlx5_ib, qp.c, mlx5_ib_wq_event: nothing but the end of a WQ is reported. */
static bool dispatch_wq(struct uverbs *u, const uint8_t eqe[EQE_SIZE])
{
	struct uverbs_object *o = find(u, UVERBS_WQ, number_at(eqe + 56));
	struct uverbs_wq *wq;

	if (!o)
		return false;
	wq = core_container(o, struct uverbs_wq, obj);
	if (eqe[1] == PRM_EVENT_WQ_CATAS_ERROR)
		post(wq->events.async, wq->events.user_handle, IBV_EVENT_WQ_FATAL,
		     &wq->events.reported.async);
	return true;
}

/* Events of a port or of the device: to each context. */
static void tell_all(struct uverbs *u, uint64_t element, int event)
{
	struct core_list *pos, *tmp;
	uint32_t reported = 0;

	core_list_for_each(pos, tmp, &u->files)
		post(core_container(pos, struct uverbs_file, on_driver)->async, element, event,
		     &reported);
}

static void dispatch(struct uverbs *u, const uint8_t eqe[EQE_SIZE])
{
	uint8_t type = eqe[1];
	int event = ib_event(type);
	struct uverbs_object *o;

	if (type == PRM_EVENT_PORT_CHANGE) {
		tell_all(u, eqe[PORT] >> 4,
			 u->hca->port.down ? IBV_EVENT_PORT_ERR : IBV_EVENT_PORT_ACTIVE);
		return;
	}
	/* mlx5_ib, qpc.c, is_event_type_allowed: events of a DCT are not reported. */
	if (event < 0 || (is_of_queue(type) && eqe[QUEUE_TYPE] == PRM_EVENT_QUEUE_TYPE_DCT))
		return;
	if (is_of_queue(type) && eqe[QUEUE_TYPE] == PRM_EVENT_QUEUE_TYPE_RQ &&
	    dispatch_wq(u, eqe))
		return;
	if (type == PRM_EVENT_CQ_ERROR)
		o = find(u, UVERBS_CQ, number_at(eqe + 32));
	else if (type == PRM_EVENT_SRQ_RQ_LIMIT || type == PRM_EVENT_SRQ_CATAS_ERROR)
		o = find(u, UVERBS_SRQ, number_at(eqe + 56));
	else
		o = find(u, UVERBS_QP, number_at(eqe + 56));
	if (!o)
		return;
	if (o->type == UVERBS_CQ) {
		struct uverbs_cq *cq = core_container(o, struct uverbs_cq, obj);

		post(cq->events.async, cq->events.user_handle, event,
		     &cq->events.reported.async);
	} else if (o->type == UVERBS_SRQ) {
		struct uverbs_srq *srq = core_container(o, struct uverbs_srq, obj);

		post(srq->events.async, srq->events.user_handle, event,
		     &srq->events.reported.async);
	} else {
		struct uverbs_qp *qp = core_container(o, struct uverbs_qp, obj);

		post(qp->events.async, qp->events.user_handle, event,
		     &qp->events.reported.async);
	}
}

/* ib_uverbs: uverbs_main.c, ib_uverbs_comp_handler. */
static void complete(struct uverbs *u, uint32_t cqn)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &u->notified) {
		struct uverbs_cq *cq = core_container(pos, struct uverbs_cq, on_notified);
		struct ib_uverbs_comp_event_desc desc = { .cq_handle = cq->events.user_handle };

		if (cq->cqn == cqn && uverbs_event_fd_post(cq->channel, &desc))
			cq->events.reported.comp++;
	}
}

void uverbs_irq(struct hca *hca, struct hca_eq *eq)
{
	struct uverbs *u = uverbs_of(hca);
	uint8_t eqe[EQE_SIZE];

	if (!u)
		return;
	while (event_eq_next(eq, eqe)) {
		if (eqe[1] == PRM_EVENT_COMP)
			complete(u, number_at(eqe + 56));
		else
			dispatch(u, eqe);
		uverbs_devx_event(u, eqe);
	}
}

/* mlx5_core, health.c: an adapter with an internal error is taken away; uverbs_main.c,
 * ib_uverbs_event_handler and ib_uverbs_remove_one. */
void uverbs_fail(struct uverbs *u)
{
	if (u->hca->failed)
		return;
	tell_all(u, 0, IBV_EVENT_DEVICE_FATAL);
	u->hca->failed = true;
}

bool uverbs_unread(struct hca *hca, const struct hca_cq *cq)
{
	struct uverbs *u = uverbs_of(hca);
	struct core_list *pos, *tmp;

	if (!u)
		return false;
	core_list_for_each(pos, tmp, &u->notified) {
		struct uverbs_cq *q = core_container(pos, struct uverbs_cq, on_notified);

		if (q->cqn == cq->cqn && uverbs_event_fd_unread(q->channel))
			return true;
	}
	return uverbs_devx_unread(u, cq->cqn);
}
