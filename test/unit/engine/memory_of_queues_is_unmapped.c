/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings and doorbell records that are not mapped: the queue ends, an event and a finding say
 * so. Those whose pages only the device still has: a finding, once, and all goes on.
 */
#include <sys/mman.h>

#include "ethernet.h"
#include "prm/prm.h"

#define NOWHERE 0x1000 /* below any mapping */

enum memory {
	SEND_RING,
	SEND_RING_END,
	RECEIVE_RING,
	QP_RECORD,
	SRQ_RING,
	SRQ_RECORD,
	XRC_RING,
	CQ_RING,
	CQ_RECORD,
	ALL
};

static struct shared srq;
static struct hca_eq *eq;

/* a sends to b, which has an SRQ if @memory is of one. */
static void open_for(enum memory memory)
{
	pair_open();
	a.qp->ack_timeout = 0;
	a.qp->rnr_retry = 0;
	a.qp->rq.cnt = b.qp->sq.cnt = 0;
	eq = events_open(&near);
	if (memory < SRQ_RING || memory > XRC_RING)
		return;
	shared_open(&srq, &near);
	srq.srq->xrc = memory == XRC_RING;
	b.qp->srq = srq.srq;
	b.qp->rq.cnt = 0;
	post_shared(&srq, "recv 64");
}

/* The address that the device has of @memory. */
static uint64_t *address_of(enum memory memory)
{
	uint64_t *const at[ALL] = { a.qp->sq.ring.pas,
				    &a.qp->sq.ring.pas[1],
				    b.qp->rq.ring.pas,
				    &a.qp->dbrec,
				    NULL,
				    NULL,
				    NULL,
				    a.cq->ring.pas,
				    &a.cq->dbrec };

	if (memory == SRQ_RECORD)
		return &srq.srq->dbrec;
	return at[memory] ? at[memory] : srq.srq->wq.ring.pas;
}

static void exchange(void)
{
	post(&b, "recv 64");
	execute(&a, "send 8 sig");
}

TestSuite(unmapped, .fini = rig_close);

Test(unmapped, queue_ends)
{
	static const struct {
		uint8_t event;
		const char *finding;
	} rows[ALL] = {
		{ PRM_EVENT_WQ_CATAS_ERROR,
		  "QP 0x10001: its send ring at 0x1400 is not mapped" },
		{ PRM_EVENT_WQ_CATAS_ERROR,
		  "QP 0x10001: its send ring at 0x13ff is not mapped" },
		{ PRM_EVENT_WQ_CATAS_ERROR,
		  "QP 0x10002: its receive ring at 0x1000 is not mapped" },
		{ PRM_EVENT_WQ_CATAS_ERROR,
		  "QP 0x10001: its doorbell record at 0x1000 is not mapped" },
		{ PRM_EVENT_SRQ_CATAS_ERROR, "SRQ 0x10001: its ring at 0x1000 is not mapped" },
		{ PRM_EVENT_SRQ_CATAS_ERROR,
		  "SRQ 0x10001: its doorbell record at 0x1000 is not mapped" },
		{ PRM_EVENT_SRQ_CATAS_ERROR,
		  "XRC SRQ 0x10001: its ring at 0x1000 is not mapped" },
		{ PRM_EVENT_CQ_ERROR, "CQ 0x10001: its ring at 0x1000 is not mapped" },
		{ PRM_EVENT_CQ_ERROR,
		  "CQ 0x10001: its doorbell record at 0x1000 is not mapped" },
	};

	for (enum memory i = 0; i < ALL; i++) {
		uint8_t eqe[64];

		row_name = rows[i].finding;
		open_for(i);
		*address_of(i) = NOWHERE;
		for (unsigned int n = 0; i == SEND_RING_END && n < 48; n++)
			post(&a, "nop");
		exchange();
		cr_assert(event_eq_next(eq, eqe), "%s", row_name);
		cr_expect_eq(eqe[1], rows[i].event, "%s: event %x", row_name, eqe[1]);
		expect_finding("%s", row_name);
		exchange(); /* is not reported again */
		cr_expect_eq(a.qp->state == PRM_QPC_STATE_ERR, i != RECEIVE_RING, "%s",
			     row_name);
		rig_close();
	}
}

Test(unmapped, pages_that_the_device_has_are_reported)
{
	static const char *const findings[ALL] = {
		"QP 0x10001: its send ring",	   "QP 0x10001: its send ring",
		"QP 0x10002: its receive ring",	   "QP 0x10001: its doorbell record",
		"SRQ 0x10001: its ring",	   "SRQ 0x10001: its doorbell record",
		"XRC SRQ 0x10001: its ring",	   "CQ 0x10001: its ring",
		"CQ 0x10001: its doorbell record",
	};

	for (enum memory i = 0; i < ALL; i++) {
		void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		row_name = findings[i];
		open_for(i);
		*address_of(i) = core_bus_pin((uintptr_t)page, 4096);
		engine_unmapped(&near.hca);
		expect_no_finding();
		core_bus_keep((uintptr_t)page, 4096);
		engine_unmapped(&near.hca);
		expect_finding("%s at 0x%lx was unmapped while the device uses it", row_name,
			       (unsigned long)page + (i == SEND_RING	   ? 0x400
						      : i == SEND_RING_END ? 0x3ff
									   : 0));
		engine_unmapped(&near.hca);
		core_bus_unpin(*address_of(i), 4096);
		rig_close();
	}
}

TestSuite(unmapped_ethernet, .fini = rig_close);

Test(unmapped_ethernet, queue_ends)
{
	static const char *const findings[] = { "SQ 0x1c001: its ring at 0x1400",
						"SQ 0x1c001: its doorbell record at 0x1000",
						"RQ 0x2e001: its ring at 0x1000",
						"RQ 0x2e001: its doorbell record at 0x1000" };

	for (unsigned int i = 0; i < 4; i++) {
		row_name = findings[i];
		ethernet_open();
		post(&r, "recv 2048");
		*(i == 0   ? sq->wq.ring.pas
		  : i == 1 ? &sq->dbrec
		  : i == 2 ? rq->wq.ring.pas
			   : &rq->dbrec) = NOWHERE;
		post_eth(NO_OFFLOAD, "send 60 sig");
		near.buf[0] = 2;
		near.buf[5] = 2;
		work(&s);
		expect_finding("%s is not mapped", row_name);
		cr_expect_eq(i < 2 ? sq->state == PRM_SQC_STATE_ERR
				   : rq->state == PRM_RQC_STATE_ERR,
			     true, "%s", row_name);
		rig_close();
	}
}

/* The queue that is flushed has the finding, and not the one that is looked at next. */
Test(unmapped_ethernet, queue_is_flushed)
{
	ethernet_open();
	rq->state = PRM_RQC_STATE_ERR;
	rq->dbrec = NOWHERE;
	PRM_SET(rqc, rq->rqc, flush_in_error_en, 1);
	core_list_add(&far.hca.flushing, &rq->on_flushing);
	settle();
	expect_finding("RQ 0x2e001: its doorbell record at 0x1000 is not mapped");
}
