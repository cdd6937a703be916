/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues and the objects that they refer to. */
#include <devx/caps.h>
#include <devx/qp.h>
#include <devx/raw.h>
#include <devx/srq.h>

#include "rig.h"

static struct devx_obj obj;
static struct devx_qp qp;

/* A CQ in r.umem, by an inbox, and a QP: nothing is wrong with them. */
static uint8_t in[PRM_SZ(create_cq_in)];
static uint8_t *const cqc = PRM_ADDR(create_cq_in, in, cq_context);
static struct devx_qp_attr attr;

static void start(void)
{
	rig_start();
	PRM_SET(create_cq_in, in, opcode, PRM_OP_CREATE_CQ);
	PRM_SET(create_cq_in, in, cq_umem_id, r.umem.id);
	PRM_SET(cqc, cqc, dbr_umem_id, r.umem.id);
	PRM_SET(cqc, cqc, dbr_addr, LEN - PAGE);
	PRM_SET(cqc, cqc, log_cq_size, 6);
	PRM_SET(cqc, cqc, uar_page, r.uar.page_id);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, r.eqn);
	attr = (struct devx_qp_attr){ .st = PRM_QPC_ST_RC,
				      .pdn = r.pd.id,
				      .uar = &r.uar,
				      .send_cqn = r.cq.obj.id,
				      .recv_cqn = r.cq.obj.id,
				      .sq_wqe_cnt = 64,
				      .rq_wqe_cnt = 64 };
}

TestSuite(queues, .init = start, .fini = rig_stop);

static int create_cq(void)
{
	uint8_t out[PRM_SZ(create_cq_out)];

	return devx_obj_create(&obj, r.ctx, in, sizeof(in), out, sizeof(out));
}

Test(queues, nothing_is_wrong_with_it)
{
	cr_assert_eq(create_cq(), 0);
	cr_assert_eq(devx_obj_destroy(&obj), 0);
}

/* mistake: the UAR of a CQ is of another context */
Test(queues, uar_of_another_context)
{
	PRM_SET(cqc, cqc, uar_page, r.other_uar.page_id);
	says(create_cq(), EREMOTEIO,
	     "CREATE_CQ: firmware: BAD_RES (0x5), syndrome 0xe004000a: no such UAR in "
	     "this context (uar_page)");
}

/* mistake: a completion vector where an EQ number belongs */
Test(queues, vector_in_place_of_eqn)
{
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, 0xfe);
	says(create_cq(), ENOENT,
	     "CREATE_CQ: kernel: ENOENT: no such event queue: ask devx_eqn_query (c_eqn)");
}

/* mistake: the doorbell record is not at a multiple of 8 bytes */
Test(queues, record_at_an_odd_place)
{
	PRM_SET(cqc, cqc, dbr_addr, LEN - PAGE + 4);
	says(create_cq(), EREMOTEIO,
	     "CREATE_CQ: firmware: BAD_PARAM (0x3), syndrome 0xe0040013: the doorbell "
	     "record: misaligned, or not in mapped memory");
}

/* mistake: the ring is longer than its umem */
Test(queues, ring_longer_than_its_umem)
{
	PRM_SET(cqc, cqc, log_cq_size, 16);
	says(create_cq(), EREMOTEIO,
	     "CREATE_CQ: firmware: BAD_PARAM (0x3), syndrome 0xe0040010: a size that the "
	     "capabilities do not allow, or that the umem or the list does not have");
}

/* mistake: more CQEs than log_max_cq_sz allows */
Test(queues, cq_larger_than_the_device_can)
{
	PRM_SET(cqc, cqc, log_cq_size, 31);
	says(create_cq(), EREMOTEIO,
	     "CREATE_CQ: firmware: BAD_PARAM (0x3), syndrome 0xe0040010: a size that the "
	     "capabilities do not allow, or that the umem or the list does not have");
}

/* mistake: 100 CQEs, which is no power of two */
Test(queues, cq_of_an_odd_size)
{
	struct devx_cq_attr attr = { .cqe_cnt = 100, .uar = &r.uar, .eqn = r.eqn };
	struct devx_cq cq;

	says(devx_cq_create(&cq, r.ctx, &attr), EINVAL,
	     "CREATE_CQ: EINVAL: cqe_cnt is not a power of two up to 4194304");
}

/* mistake: the number of a QP's CQ was forgotten, and is 0 */
Test(queues, cqn_0)
{
	attr.send_cqn = 0;
	says(devx_qp_create(&qp, r.ctx, &attr), EREMOTEIO,
	     "CREATE_QP: firmware: BAD_RES (0x5), syndrome 0xe005000c: no such CQ in this "
	     "context (cqn_snd, cqn_rcv)");
}

/* mistake: a QP goes from RESET to RTS at once */
Test(queues, state_skipped)
{
	struct dv_endpoint any = { 0 };

	cr_assert_eq(devx_qp_create(&qp, r.ctx, &attr), 0);
	says(devx_qp_rts(&qp, &any, &any, NULL), EREMOTEIO,
	     "RTR2RTS_QP: firmware: BAD_QP_STATE (0x10), syndrome 0xe0050414: the state "
	     "of the object does not allow it: query the object first");
	cr_assert_eq(devx_qp_destroy(&qp), 0);
}

/* mistake: a CQ is destroyed before the QP that completes there */
Test(queues, cq_in_use)
{
	cr_assert_eq(devx_qp_create(&qp, r.ctx, &attr), 0);
	says(devx_cq_destroy(&r.cq), EINVAL,
	     "devx_obj_destroy of what CREATE_CQ created: kernel: EINVAL: another object "
	     "still refers to it: destroy that one first");
	cr_assert_eq(devx_qp_destroy(&qp), 0);
}

static struct devx_wq_attr ring(void)
{
	return (struct devx_wq_attr){ .pdn = r.pd.id,
				      .wq_umem_id = r.umem.id,
				      .dbr_umem_id = r.umem.id,
				      .dbr_offset = LEN - PAGE,
				      .log_size = 6,
				      .log_stride = 6 };
}

/* mistake: an SQ without its TIS */
Test(queues, sq_without_tis)
{
	struct devx_sq_attr attr = { .wq = ring(),
				     .cqn = r.cq.obj.id,
				     .uar_page = r.uar.page_id };

	says(devx_sq_create(&obj, r.ctx, &attr), EREMOTEIO,
	     "CREATE_SQ: firmware: BAD_RES (0x5), syndrome 0xe009041c: no such TIS in "
	     "this context");
}

/* mistake: the doorbell record of an RQ is not at a multiple of 64 bytes */
Test(queues, record_in_the_middle_of_a_line)
{
	struct devx_rq_attr attr = { .wq = ring(), .cqn = r.cq.obj.id };

	attr.wq.dbr_offset += 8;
	says(devx_rq_create(&obj, r.ctx, &attr), EINVAL,
	     "CREATE_RQ: EINVAL: the doorbell record is not at a multiple of 64 bytes");
}

/* mistake: an RQ is moved to RDY from a state that it is not in */
Test(queues, state_that_it_is_not_in)
{
	struct devx_rq_attr attr = { .wq = ring(), .cqn = r.cq.obj.id };

	cr_assert_eq(devx_rq_create(&obj, r.ctx, &attr), 0);
	says(devx_rq_modify(&obj, DEVX_WQ_ERR, DEVX_WQ_RDY), EREMOTEIO,
	     "MODIFY_RQ: firmware: BAD_RES_STATE (0x9), syndrome 0xe0090914: the state of "
	     "the object does not allow it: query the object first");
	cr_assert_eq(devx_rq_destroy(&obj), 0);
}

/* mistake: a TIR to an RQ that does not exist */
Test(queues, tir_to_nowhere)
{
	struct devx_tir_attr attr = { .inline_rqn = 0xfffffe };
	struct devx_obj td;

	cr_assert_eq(devx_td_create(&td, r.ctx), 0);
	attr.transport_domain = td.id;
	says(devx_tir_create(&obj, r.ctx, &attr), EREMOTEIO,
	     "CREATE_TIR: firmware: BAD_RES (0x5), syndrome 0xe009001d: no such RQ in "
	     "this context");
	cr_assert_eq(devx_td_destroy(&td), 0);
}

/* mistake: a TIS in a transport domain that does not exist */
Test(queues, tis_without_domain)
{
	struct devx_tis_attr attr = { .transport_domain = 0xfffffe };

	says(devx_tis_create(&obj, r.ctx, &attr), EREMOTEIO,
	     "CREATE_TIS: firmware: BAD_RES (0x5), syndrome 0xe009121b: no such transport "
	     "domain in this context");
}

/* mistake: a transport domain is destroyed before its TIS */
Test(queues, domain_in_use)
{
	struct devx_tis_attr attr = { 0 };
	struct devx_obj td;

	cr_assert_eq(devx_td_create(&td, r.ctx), 0);
	attr.transport_domain = td.id;
	cr_assert_eq(devx_tis_create(&obj, r.ctx, &attr), 0);
	says(devx_td_destroy(&td), EINVAL,
	     "devx_obj_destroy of what ALLOC_TRANSPORT_DOMAIN created: kernel: EINVAL: "
	     "another object still refers to it: destroy that one first");
	cr_assert_eq(devx_tis_destroy(&obj), 0);
	cr_assert_eq(devx_td_destroy(&td), 0);
}

/* mistake: a table of RQs with an RQ that does not exist */
Test(queues, table_with_a_hole)
{
	const uint32_t rqn[] = { 0xfffffe };

	says(devx_rqt_create(&obj, r.ctx, rqn, 1, 1), EREMOTEIO,
	     "CREATE_RQT: firmware: BAD_RES (0x5), syndrome 0xe009161d: no such RQ in "
	     "this context");
}

/* mistake: a queue is asked for its context after it was destroyed */
Test(queues, object_that_was_destroyed)
{
	struct devx_rq_attr attr = { .wq = ring(), .cqn = r.cq.obj.id };
	uint8_t rqc[240];

	cr_assert_eq(devx_rq_create(&obj, r.ctx, &attr), 0);
	cr_assert_eq(devx_rq_destroy(&obj), 0);
	cr_assert_eq(devx_rq_destroy(&obj), 0, "a second time is harmless");
	says(devx_rq_query(&obj, rqc), EINVAL,
	     "QUERY_RQ: EINVAL: the object was destroyed, or never created");
}

/* mistake: the shared receive queue of a QP does not exist */
Test(queues, qp_without_its_shared_queue)
{
	attr.rq_wqe_cnt = 0;
	attr.srqn = 0xfffffe;
	says(devx_qp_create(&qp, r.ctx, &attr), EREMOTEIO,
	     "CREATE_QP: firmware: BAD_RES (0x5), syndrome 0xe005001a: no such shared "
	     "receive queue in this context");
}
