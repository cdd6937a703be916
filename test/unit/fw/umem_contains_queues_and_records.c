/* SPDX-License-Identifier: BSD-2-Clause */
/* umem: CREATE_UMEM, and queues and doorbell records that lie in one. */
#include "device.h"

static uint16_t u;
static uint32_t mem; /* the umem of pages 0 … 5 */

static struct hca_umem *umem_of(uint32_t id)
{
	return core_ids_get(&hca.umems, id);
}

static void setup_umem(void)
{
	setup_needs();
	u = new_uctx();
	n.pd = new_pd(u);
	n.uar = new_uar(u);
	mem = new_umem(u, 0, 6);
}

TestSuite(umem, .init = setup_umem, .fini = teardown);

enum { QUEUE = 0x1000, RECORD = 0x40 }; /* offsets */

/* 16 entries at QUEUE, record at RECORD. */
static uint8_t *umem_cq_box(void)
{
	uint8_t *cqc = PRM_ADDR(create_cq_in, b.in, cq_context);

	box(PRM_OP_CREATE_CQ);
	uid(u);
	SET(cqc, cqc, F(log_cq_size, 4), F(uar_page, n.uar), F(c_eqn_or_apu_element, n.eq),
	    F(dbr_umem_valid, 1), F(dbr_umem_id, mem), F(dbr_addr, RECORD));
	SET(create_cq_in, b.in, F(cq_umem_valid, 1), F(cq_umem_id, mem),
	    F(cq_umem_offset, QUEUE));
	return cqc;
}

static uint32_t new_umem_cq(void)
{
	return MADE(umem_cq_box());
}

/* RQ of 4 WQEs of 64 bytes, SQ of 8 basic blocks. */
static uint8_t *umem_qp_box(uint32_t cqn)
{
	uint8_t *qpc = PRM_ADDR(create_qp_in, b.in, qpc);

	box(PRM_OP_CREATE_QP);
	uid(u);
	SET(qpc, qpc, F(pm_state, 3), F(pd, n.pd), F(log_rq_size, 2), F(log_rq_stride, 2),
	    F(log_sq_size, 3), F(ts_format, 1), F(uar_page, n.uar), F(user_index, 0x77),
	    F(cqn_snd, cqn), F(cqn_rcv, cqn), F(dbr_umem_valid, 1), F(dbr_umem_id, mem),
	    F(dbr_addr, RECORD + 8));
	SET(create_qp_in, b.in, F(wq_umem_valid, 1), F(wq_umem_id, mem),
	    F(wq_umem_offset, 2 * QUEUE + 0x40));
	return qpc;
}

/* CREATE_UMEM as mlx5_ib builds it: three pages of 8 KiB from byte 0x123 on. */
Test(umem, golden_inbox)
{
	static const uint8_t head[] = {
		0x0a, 0x08, 0x00, 0x01, [0x23] = 0x01, [0x26] = 0x01, 0x23, [0x2f] = 0x03
	};
	static _Alignas(8192) uint8_t area[3][8192];
	struct hca_umem *m;

	box(PRM_OP_CREATE_UMEM);
	memcpy(b.in, head, sizeof(head));
	for (int i = 0; i < 3; i++)
		pas((uintptr_t)area[i] | 1);
	cr_assert_eq(b.in_len, 0x30 + 24);
	m = umem_of(made());
	EQUALS(E(m->pages.npas, 3), E(m->pages.log_page, 13));
	cr_assert_eq(hca_umem_len(m), 3 * 8192 - 0x123);
	cr_assert(m->readable && !m->writable);
	cr_assert_eq(hca_ring_at(&m->pages, 8192), area[1] + 0x123);
	cr_assert_eq(m->uid, 1);
}

/* Bit 0 of a page: it may be read, bit 1: written (Linux, mlx5_ifc.h, mtt). */
Test(umem, rights_are_those_that_all_pages_have)
{
	for (int first = 0; first < 4; first++)
		for (int second = 0; second < 4; second++) {
			const struct hca_umem *m;

			umem_box(u, 0, 2);
			b.in[b.in_len - 9] = (uint8_t)(b.in[b.in_len - 9] & ~3) | first;
			b.in[b.in_len - 1] = (uint8_t)(b.in[b.in_len - 1] & ~3) | second;
			m = umem_of(made());
			cr_expect_eq(m->readable, first & second & 1, "%d, %d", first, second);
			cr_expect_eq(m->writable, (first & second) >> 1, "%d, %d", first,
				     second);
		}
}

Test(umem, refusals_of_the_umem)
{
	uint8_t *umem = PRM_ADDR(create_umem_in, b.in, umem);

	BAD_PARAM(umem_box(u, 0, 0), WHY_SIZE);
	BOX_REFUSED(WITH(umem_box(u, 0, 1), PRM_SET(umem, umem, num_of_mtt, 2)), FW_BAD_INP_LEN,
		    WHY_PAS);
	PRM_SET(umem, umem, num_of_mtt, UINT64_MAX);
	REFUSED(FW_BAD_PARAM, WHY_SIZE);
	BAD_PARAM(WITH(umem_box(u, 0, 2), PRM_SET(umem, umem, num_of_mtt, 1)), WHY_PAS);
	BAD_PARAM(WITH(umem_box(u, 0, 1), PRM_SET(umem, umem, page_offset, 4096)),
		  WHY_PAGE_OFFSET);
	BAD_PARAM(WITH(umem_box(u, 0, 1), PRM_SET(umem, umem, ats, 1)), WHY_UNSUPPORTED);
	BAD_PARAM(WITH(umem_box(u, 0, 1), b.in[b.in_len - 2] |= 8),
		  WHY_PAS); /* no page starts there */
	BAD_PARAM(umem_box(99, 0, 1), WHY_UID);
	AT_LIMIT(log_max_umem, 1, umem_box(u, 0, 1), FW_LIM_ERR, WHY_LIMIT);
}

Test(umem, belongs_to_its_uid_and_is_destroyed_once)
{
	uint16_t stranger = new_uctx();

	BOX_REFUSED(number_box(stranger, PRM_OP_DESTROY_UMEM, mem), FW_BAD_RES_STATE,
		    WHY_OBJECT);
	uid(u);
	cr_assert_eq(execute(), FW_OK);
	REFUSED(FW_BAD_RES_STATE, WHY_OBJECT);
}

Test(umem, a_cq_is_where_the_offsets_say)
{
	uint32_t cqn = new_umem_cq();
	struct hca_cq *cq = hca_cq_find(&hca, cqn);
	const uint8_t *cqc = PRM_ADDR(query_cq_out, b.out, cq_context);

	cr_assert_eq(hca_ring_at(&cq->ring, 3 * 64), pages[1] + 3 * 64);
	cr_assert_eq(cq->dbrec, page(0) + RECORD);
	cr_assert_eq(umem_of(mem)->refs, 2);
	/* the arm word: no arm can have this value */
	cr_assert_eq(pages[0][RECORD + 4], 0xff);
	cr_assert_eq(execute_on(PRM_OP_QUERY_CQ, cqn), FW_OK);
	cr_expect_eq(PRM_GET(cqc, cqc, dbr_addr), RECORD);
	cr_expect_eq(PRM_GET(cqc, cqc, dbr_umem_id), mem);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_UMEM, mem), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_CQ, cqn), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_UMEM, mem), FW_OK);
}

Test(umem, entries_cross_from_page_to_page)
{
	struct hca_cq *cq;

	PRM_SET(cqc, umem_cq_box(), log_cq_size, 7);
	PRM_SET(create_cq_in, b.in, cq_umem_offset, QUEUE + 0x80);
	cq = hca_cq_find(&hca, made());
	cr_assert_eq(cq->ring.npas, 3);
	cr_assert_eq(hca_ring_at(&cq->ring, 0), pages[1] + 0x80);
	cr_assert_eq(hca_ring_at(&cq->ring, 127 * 64), pages[3] + 0x40);
}

Test(umem, refusals_of_a_cq)
{
	uint32_t own = mem, fixed, strangers = new_umem(new_uctx(), 0, 6);
	uint32_t before = umem_of(mem)->refs;

	BOX_REFUSED(WITH_FIELD(umem_cq_box(), create_cq_in, cq_umem_id, mem + 100), FW_BAD_RES,
		    WHY_UMEM);
	PRM_SET(create_cq_in, b.in, cq_umem_id, strangers);
	REFUSED(FW_BAD_RES, WHY_UMEM);
	BOX_REFUSED(PRM_SET(cqc, umem_cq_box(), dbr_umem_id, strangers), FW_BAD_RES, WHY_UMEM);
	BAD_PARAM(WITH_FIELD(umem_cq_box(), create_cq_in, cq_umem_offset, 6 * 4096 - 1024 + 64),
		  WHY_SIZE);
	BOX_OK(PRM_SET(create_cq_in, b.in, cq_umem_offset, 6 * 4096 - 1024));
	BAD_PARAM(WITH_FIELD(umem_cq_box(), create_cq_in, cq_umem_offset, (uint64_t)-4096),
		  WHY_SIZE);
	PRM_SET(create_cq_in, b.in, cq_umem_offset, QUEUE + 32);
	REFUSED(FW_BAD_PARAM, WHY_PAGE_OFFSET);
	BAD_PARAM(PRM_SET(cqc, umem_cq_box(), page_offset, 1), WHY_PAGE_OFFSET);
	BAD_PARAM(WITH(umem_cq_box(), pas(page(1))), WHY_PAS); /* a list as well */
	BAD_PARAM(PRM_SET(cqc, umem_cq_box(), dbr_addr, RECORD + 4), WHY_DBR);
	BAD_PARAM(PRM_SET(cqc, umem_cq_box(), dbr_addr, 6 * 4096), WHY_DBR);
	BAD_PARAM(PRM_SET(cqc, umem_cq_box(), dbr_addr, UINT64_MAX - 7), WHY_DBR);
	umem_box(u, 0, 6);
	b.in[PRM_SZ(create_umem_in) + 7] &= ~2; /* the first page cannot be written */
	fixed = made();
	BAD_PARAM(WITH_FIELD(umem_cq_box(), create_cq_in, cq_umem_id, fixed), WHY_RIGHTS);
	cr_assert_eq(umem_of(own)->refs, before + 2);
}

/* A large page has coarse offsets. */
Test(umem, a_queue_starts_at_a_64th_of_the_page)
{
	static _Alignas(65536) uint8_t area[65536];

	umem_box(u, 0, 0);
	SET(umem, PRM_ADDR(create_umem_in, b.in, umem), F(log_page_size, 4), F(num_of_mtt, 1));
	pas((uintptr_t)area | 3);
	mem = made();
	BAD_PARAM(WITH_FIELD(umem_cq_box(), create_cq_in, cq_umem_offset, 512),
		  WHY_PAGE_OFFSET);
	BOX_OK(PRM_SET(create_cq_in, b.in, cq_umem_offset, 1024));
}

Test(umem, a_resized_cq_leaves_its_umem)
{
	uint32_t old = mem, cqn = new_umem_cq(), other = new_umem(u, 6, 1);
	uint8_t *cqc = PRM_ADDR(modify_cq_in, b.in, cq_context);

	box(PRM_OP_MODIFY_CQ);
	uid(u);
	SET(modify_cq_in, b.in, F(op_mod, 1), F(cqn, cqn));
	PRM_SET(modify_field_select,
		PRM_ADDR(modify_cq_in, b.in, modify_field_select_resize_field_select),
		modify_field_select, 7);
	PRM_SET(cqc, cqc, log_cq_size, 5);
	SET(modify_cq_in, b.in, F(cq_umem_valid, 1), F(cq_umem_id, other + 1));
	REFUSED(FW_BAD_RES, WHY_UMEM);
	PRM_SET(modify_cq_in, b.in, cq_umem_id, other);
	cr_assert_eq(execute(), FW_OK, "syndrome %#x", syndrome());
	cr_assert_eq(umem_of(other)->refs, 1);
	cr_assert_eq(umem_of(old)->refs, 1); /* its record */
	cr_assert_eq(execute_on(PRM_OP_DESTROY_CQ, cqn), FW_OK);
	cr_assert_eq(umem_of(other)->refs + umem_of(old)->refs, 0);
}

Test(umem, a_qp_is_where_the_offsets_say)
{
	uint32_t cqn = new_umem_cq(), qpn;
	const uint8_t *qpc;
	struct hca_qp *qp;

	qpn = MADE(umem_qp_box(cqn));
	qp = hca_qp_find(&hca, qpn);
	cr_assert_eq(qp->dbrec, page(0) + RECORD + 8);
	cr_assert_eq(hca_ring_at(&qp->rq.ring, 0), pages[2] + 0x40);
	cr_assert_eq(hca_ring_at(&qp->sq.ring, qp->sq.offset), pages[2] + 0x40 + 4 * 64);
	cr_assert(core_list_linked(&qp->on_uar));
	cr_assert_eq(qp->user_index, 0x77);
	cr_assert_eq(umem_of(mem)->refs, 4);
	qpc = query_qp(qpn);
	cr_expect_eq(PRM_GET(qpc, qpc, dbr_umem_id), mem);
	cr_expect_eq(PRM_GET(qpc, qpc, dbr_addr), RECORD + 8);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, qpn), FW_OK);
	cr_assert_eq(umem_of(mem)->refs, 2);
}

/* In commands that follow, dbr_addr is the offset, as in CREATE_QP. */
Test(umem, a_qp_is_known_by_its_offset)
{
	uint32_t qpn;
	uint8_t *qpc;

	qpn = MADE(umem_qp_box(new_umem_cq()));
	init_box(qpn);
	qpc = PRM_ADDR(rst2init_qp_in, b.in, qpc);
	PRM_SET(qpc, qpc, dbr_addr, page(0) + RECORD + 8);
	REFUSED(FW_BAD_PARAM, WHY_VALUE);
	BOX_OK(PRM_SET(qpc, qpc, dbr_addr, RECORD + 8));
}

Test(umem, refusals_of_a_qp)
{
	uint32_t cqn = new_umem_cq();

	BOX_REFUSED(WITH_FIELD(umem_qp_box(cqn), create_qp_in, wq_umem_id, 0), FW_BAD_RES,
		    WHY_UMEM);
	BAD_PARAM(WITH_FIELD(umem_qp_box(cqn), create_qp_in, wq_umem_offset,
			     6 * 4096 - 12 * 64 + 64),
		  WHY_SIZE);
	PRM_SET(create_qp_in, b.in, wq_umem_offset, 8);
	REFUSED(FW_BAD_PARAM, WHY_PAGE_OFFSET);
	BOX_REFUSED(PRM_SET(qpc, umem_qp_box(cqn), dbr_umem_id, mem + 1), FW_BAD_RES, WHY_UMEM);
	BAD_PARAM(PRM_SET(qpc, umem_qp_box(cqn), ts_format, 2),
		  WHY_UNSUPPORTED); /* real time */
	BAD_PARAM(PRM_SET(qpc, umem_qp_box(cqn), rlky, 1), WHY_UNSUPPORTED);
	BOX_REFUSED(PRM_SET(qpc, umem_qp_box(cqn), cqn_rcv, 0), FW_BAD_RES, WHY_CQ);
	umem_qp_box(cqn);
	PRM_SET(create_qp_in, b.in, qpc_ext, 1);
	PRM_SET(qpc_ext, b.in + b.in_len, delay_drop_en, 1);
	b.in_len += PRM_SZ(qpc_ext);
	REFUSED(FW_BAD_PARAM, WHY_UNSUPPORTED);
	cr_assert_eq(umem_of(mem)->refs, 2);
}

/* DPDK makes such for its own use; the kernel sets the valid bits in it too. */
Test(umem, a_qp_without_queues_needs_nothing)
{
	uint8_t *qpc = PRM_ADDR(create_qp_in, b.in, qpc);
	struct hca_qp *qp;

	box(PRM_OP_CREATE_QP);
	uid(u);
	SET(qpc, qpc, F(pd, n.pd), F(rq_type, 3), F(no_sq, 1), F(dbr_umem_valid, 1));
	PRM_SET(create_qp_in, b.in, wq_umem_valid, 1);
	qp = hca_qp_find(&hca, made());
	cr_assert_eq(qp->dbrec, 0);
	cr_assert(!qp->umems.queue && !qp->umems.record && !qp->scq && !qp->rcq);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_QP, qp->qpn), FW_OK);
}

static void wq_in_umem(uint8_t *wq)
{
	SET(wq, wq, F(pd, n.pd), F(log_wq_stride, 6), F(log_wq_sz, 3), F(dbr_umem_valid, 1),
	    F(dbr_umem_id, mem), F(dbr_addr, RECORD + 16), F(wq_umem_valid, 1),
	    F(wq_umem_id, mem), F(wq_umem_offset, 3 * QUEUE));
}

Test(umem, an_rmp_is_in_one)
{
	uint8_t *rmpc = PRM_ADDR(create_rmp_in, b.in, ctx), *wq = PRM_ADDR(rmpc, rmpc, wq);
	struct hca_srq *srq;

	box(PRM_OP_CREATE_RMP);
	uid(u);
	PRM_SET(rmpc, rmpc, state, 1);
	wq_in_umem(wq);
	PRM_SET(wq, wq, dbr_addr, RECORD + 2);
	REFUSED(FW_BAD_PARAM, WHY_DBR);
	PRM_SET(wq, wq, dbr_addr, RECORD + 4); /* one word */
	srq = hca_srq_find(&hca, made());
	cr_assert_eq(srq->dbrec, page(0) + RECORD + 4);
	cr_assert(!srq->cyclic);
	cr_assert_eq(hca_ring_at(&srq->wq.ring, 64), pages[3] + 64);
	cr_assert_eq(umem_of(mem)->refs, 2);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RMP, srq->srqn), FW_OK);
	cr_assert_eq(umem_of(mem)->refs, 0);
}

Test(umem, an_rmp_may_be_cyclic)
{
	uint8_t *rmpc = PRM_ADDR(create_rmp_in, b.in, ctx), *wq = PRM_ADDR(rmpc, rmpc, wq);
	struct hca_srq *srq;

	box(PRM_OP_CREATE_RMP);
	uid(u);
	PRM_SET(rmpc, rmpc, state, 1);
	PRM_SET(wq, wq, wq_type, 1);
	wq_in_umem(wq);
	srq = hca_srq_find(&hca, made());
	cr_assert(srq->cyclic);
}

Test(umem, an_rq_is_in_one)
{
	uint8_t *rqc = PRM_ADDR(create_rq_in, b.in, ctx), *wq = PRM_ADDR(rqc, rqc, wq);
	uint32_t cqn = new_umem_cq();
	struct hca_rq *rq;

	box(PRM_OP_CREATE_RQ);
	uid(u);
	PRM_SET(rqc, rqc, cqn, cqn);
	PRM_SET(wq, wq, wq_type, 1);
	wq_in_umem(wq);
	PRM_SET(wq, wq, wq_umem_offset, 6 * 4096);
	REFUSED(FW_BAD_PARAM, WHY_SIZE);
	PRM_SET(wq, wq, wq_umem_offset, 3 * QUEUE);
	rq = core_ids_get(&hca.rqs, made());
	cr_assert_eq(rq->dbrec, page(0) + RECORD + 16);
	cr_assert_eq(hca_ring_at(&rq->wq.ring, 0), pages[3]);
	cr_assert_eq(umem_of(mem)->refs, 4);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_RQ, rq->rqn), FW_OK);
	cr_assert_eq(umem_of(mem)->refs, 2);
}

/* Two DPDK QPs of one device: forced loopback names no GID of the peer. */
Test(umem, a_forced_loopback_leads_home)
{
	uint8_t *ads = PRM_ADDR(qpc, PRM_ADDR(rst2init_qp_in, b.in, qpc), primary_address_path);
	uint32_t qpn = new_qp(&n);
	struct hca_qp *qp = hca_qp_find(&hca, qpn);

	BOX_OK(init_box(qpn));
	rtr_box(qpn);
	PRM_SET(ads, ads, fl, 1);
	memset(PRM_ADDR(ads, ads, rgid_rip), 0, 16);
	cr_assert_eq(execute(), FW_OK, "syndrome %#x", syndrome());
	cr_assert_arr_eq(qp->path.dgid, hca.port.gid[3].raw, 16);
}

Test(umem, psvs_hang_on_their_pd)
{
	struct hca_pd *pd = core_ids_get(&hca.pds, n.pd);
	uint32_t psvn;

	BAD_PARAM(number_box(u, PRM_OP_CREATE_PSV, n.pd), WHY_VALUE);
	PRM_SET(create_psv_in, b.in, num_psv, 5);
	REFUSED(FW_BAD_PARAM, WHY_VALUE);
	SET(create_psv_in, b.in, F(num_psv, 4), F(pd, n.pd + 1));
	REFUSED(FW_BAD_RES, WHY_PD);
	BOX_OK(PRM_SET(create_psv_in, b.in, pd, n.pd));
	cr_assert_eq(pd->refs, 4);
	psvn = PRM_GET(create_psv_out, b.out, psv0_index);
	cr_assert_eq(PRM_GET(create_psv_out, b.out, psv3_index), psvn + 3);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, n.pd), FW_BAD_RES_STATE);
	for (uint32_t i = 0; i < 4; i++)
		cr_assert_eq(execute_on(PRM_OP_DESTROY_PSV, psvn + i), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_PSV, psvn), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, n.pd), FW_OK);
}
