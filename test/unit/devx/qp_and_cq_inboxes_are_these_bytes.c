/* SPDX-License-Identifier: BSD-2-Clause */
/* CREATE_CQ, CREATE_QP and the moves of a QP, byte by byte; and the queues of dv on them. */
#include <criterion/criterion.h>
#include <devx/cq.h>
#include <devx/qp.h>
#include <dv/post.h>
#include <prm/value.h>

#include "fake_memory.h"

enum { EQN = 0x12, PDN = 0x123456, CQN = 0x789, QPN = 0xabc };

static struct devx_uar uar;
static struct devx_cq cq;
static struct devx_qp qp;

static void give_uar(void)
{
	uar = (struct devx_uar){ .page_id = FAKE_UAR_PAGE,
				 .base = fake_page,
				 .reg = fake_page + 0x800,
				 .bf_size = 256 };
}

static int make_cq(struct devx_cq_attr attr)
{
	give_uar();
	attr.uar = &uar;
	attr.eqn = EQN;
	answer_word(8, CQN);
	return devx_cq_create(&cq, NULL, &attr);
}

static void destroy_cq(void)
{
	cr_assert_eq(devx_cq_destroy(&cq), 0);
	cr_assert_eq(fake_memory.umems, 0);
}

TestSuite(cq_without_verbs, .init = fake_memory_reset, .fini = destroy_cq);

/* 64 CQEs of 64 bytes: ring at 0, record at 0x1000. */
Test(cq_without_verbs, cq)
{
	cr_assert_eq(make_cq((struct devx_cq_attr){ .cqe_cnt = 64, .umem_offset = 64 }), 0,
		     "of no umem");
	SENT(0x110, "0000: 04000000 00000000", "0010: 02000000 00000055 00000000 06000321",
	     "0020: 00000000 00000012",
	     "0040: 00000000 00000000 00000000 00001000"
	     /* cq_umem_offset, cq_umem_id, cq_umem_valid */,
	     "0050: 00000000 00000000 00000055 80000000");
	cr_assert_eq(fake_memory.umem.size, 64 * 64 + 64);
	cr_assert_eq(fake_memory.umem.access, IBV_ACCESS_LOCAL_WRITE);
	cr_assert_eq(cq.obj.id, CQN);
}

Test(cq_without_verbs, cq_of_big_cqes_with_moderation)
{
	cr_assert_eq(make_cq((struct devx_cq_attr){ .cqe_cnt = 8,
						    .cqe_size = 128,
						    .max_count = 0x10,
						    .period = 0xabc,
						    .overrun_ignore = true }),
		     0);
	SENT(0x110, "0000: 04000000 00000000", "0010: 02220000 00000055 00000000 03000321",
	     "0020: 0abc0010 00000012", "0040: 00000000 00000000 00000000 00000400",
	     "0050: 00000000 00000000 00000055 80000000");
}

Test(cq_without_verbs, cq_that_is_collapsed)
{
	cr_assert_eq(make_cq((struct devx_cq_attr){
			     .cqe_cnt = 64, .overrun_ignore = true, .collapsed = true }),
		     0);
	SENT(0x110, "0000: 04000000 00000000", "0010: 02120000 00000055 00000000 06000321",
	     "0020: 00000000 00000012", "0040: 00000000 00000000 00000000 00001000",
	     "0050: 00000000 00000000 00000055 80000000");
	cr_assert_eq(dv_cq_collapsed(&cq.cq).opcode, MLX5_CQE_INVALID);
}

Test(cq_without_verbs, cq_is_empty_and_polled_by_dv)
{
	struct mlx5_cqe64 *first;

	cr_assert_eq(make_cq((struct devx_cq_attr){ .cqe_cnt = 8, .cqe_size = 128 }), 0);
	first = (struct mlx5_cqe64 *)cq.cq.cqe64;
	cr_assert_eq((char *)first, (char *)cq.umem.addr + 64);
	for (int i = 0; i < 8; i++)
		cr_assert_eq(first[2 * i].op_own, 0xf1, "CQE %d", i);
	cr_assert_null(dv_cq_poll(&cq.cq));
	first->op_own = 0; /* as the device writes it: MLX5_CQE_REQ, owner bit 0 */
	cr_assert_eq(dv_cq_poll(&cq.cq), first);
	dv_cq_release(&cq.cq);
	cr_assert_eq(*(uint32_t *)((char *)cq.umem.addr + 0x400), htobe32(1));
	dv_cq_arm(&cq.cq, false);
	cr_assert_eq(*(uint64_t *)(fake_page + 0x20), htobe64((uint64_t)1 << 32 | CQN));
}

Test(cq_without_verbs, cq_moderation)
{
	cr_assert_eq(make_cq((struct devx_cq_attr){ .cqe_cnt = 8 }), 0);
	AGAIN(devx_cq_moderate(&cq, 5, 6));
	SENT(0x110, "0000: 04030000 00000000 00000789 00000003", "0020: 00060005");
}

static int make_qp(struct devx_qp_attr attr)
{
	give_uar();
	attr.uar = &uar;
	attr.pdn = PDN;
	attr.send_cqn = attr.recv_cqn = CQN;
	answer_word(8, QPN);
	return devx_qp_create(&qp, NULL, &attr);
}

static struct devx_qp_attr rc(void)
{
	return (struct devx_qp_attr){ .st = PRM_QPC_ST_RC,
				      .sq_wqe_cnt = 64,
				      .rq_wqe_cnt = 32,
				      .rq_max_sge = 3,
				      .user_index = 0x77 };
}

/* dbr_umem_valid, dbr_umem_id, wq_umem_id, wq_umem_valid */
#define IN_UMEM "00e8: 10000000", "00fc: 00000055", "0100: 00000000 00000000 00000055 80000000"

static void destroy_qp(void)
{
	cr_assert_eq(devx_qp_destroy(&qp), 0);
	cr_assert_eq(fake_memory.umems, 0);
}

TestSuite(qp_without_verbs, .init = fake_memory_reset, .fini = destroy_qp);

/* Receives: 32 of 64 bytes; sends: 64 blocks after them; record at 0x1800. */
Test(qp_without_verbs, qp)
{
	cr_assert_eq(make_qp(rc()), 0);
	SENT(0x110, "0000: 05000000 00000000", "0018: 00001800 00123456 002a3000 00000321",
	     "0028: 00000077", "0094: 00000789", "00b4: 00000789 00000000 00001800", IN_UMEM);
	cr_assert_eq(qp.obj.id, QPN);
	cr_assert_eq(qp.rq.buf, qp.umem.addr);
	cr_assert_eq(qp.rq.wqe_cnt, 32);
	cr_assert_eq(qp.rq.max_sge, 4);
	cr_assert_eq(qp.sq.buf, (char *)qp.umem.addr + 0x800);
	cr_assert_eq(qp.sq.wqe_cnt, 64);
	cr_assert_eq(qp.sq.qpn, QPN);
	cr_assert_eq(qp.sq.bf_reg, (char *)fake_page + 0x800);
	cr_assert_eq(qp.sq.bf_size, 256);
	cr_assert_eq((char *)qp.rq.dbrec, (char *)qp.umem.addr + 0x1800);
	cr_assert_eq((char *)qp.sq.dbrec, (char *)qp.umem.addr + 0x1804);
}

Test(qp_without_verbs, qp_that_only_sends)
{
	cr_assert_eq(make_qp((struct devx_qp_attr){ .sq_wqe_cnt = 2 }), 0);
	SENT(0x110, "0000: 05000000 00000000", "0018: 00001800 00123456 00000800 00000321",
	     "0094: 00000789", "00b4: 00000789 00000000 00000080", "00c4: 03000000", IN_UMEM);
}

Test(qp_without_verbs, qp_that_receives_from_an_srq)
{
	cr_assert_eq(make_qp((struct devx_qp_attr){ .st = PRM_QPC_ST_UD, .srqn = 0x99 }), 0);
	SENT(0x110, "0000: 05000000 00000000", "0018: 00021800 00123456 00008000 00000321",
	     "0094: 00000789", "00b4: 00000789", "00c4: 01000099", IN_UMEM);
}

Test(qp_without_verbs, qp_whose_receives_are_those_of_an_srq)
{
	struct devx_qp_attr attr = {
		.st = PRM_QPC_ST_XRC, .sq_wqe_cnt = 2, .srqn = 0x99, .xrcd = 0x44
	};

	cr_assert_eq(make_qp(attr), 0);
	SENT(0x110, "0000: 05000000 00000000", "0018: 00031800 00123456 00000800 00000321",
	     "0094: 00000789", "00b0: 00000044 00000789 00000000 00000080", "00c4: 01000099",
	     IN_UMEM);
	cr_assert_eq(devx_qp_destroy(&qp), 0);
	attr.st = PRM_QPC_ST_DCI;
	AGAIN(make_qp(attr));
	SENT(0x110, "0000: 05000000 00000000", "0018: 00051800 00123456 00000800 00000321",
	     "0094: 00000789", "00b0: 00000044 00000789 00000000 00000080", "00c4: 01000099",
	     IN_UMEM);
}

/* counter_set_id: qpc byte 0x0c; RST2INIT carries it, as mlx5_ib's does. */
Test(qp_without_verbs, qp_with_a_counter_set)
{
	struct devx_qp_attr attr = { .sq_wqe_cnt = 2, .counter_set_id = 0x9c };
	struct dv_endpoint nothing = { 0 };
	struct dv_qp_conn none = { 0 };

	cr_assert_eq(make_qp(attr), 0);
	SENT(0x110, "0000: 05000000 00000000", "0018: 00001800 00123456 00000800 9c000321",
	     "0094: 00000789", "00b4: 00000789 00000000 00000080", "00c4: 03000000", IN_UMEM);
	AGAIN(devx_qp_init(&qp, &nothing, &none));
	SENT(0x110, "0000: 05020000 00000000 00000abc", "0018: 00001800", "0024: 9c000000");
}

/* send_dbr_mode: qpc byte 0x10, bits 7:6; cmd_hca_cap_2.send_dbr_mode_no_dbr_ext: byte 0x5c,
 * bit 6. */
Test(qp_without_verbs, qp_without_a_send_record)
{
	struct devx_qp_attr attr = { .sq_wqe_cnt = 2,
				     .user_index = 0x77,
				     .send_dbr_mode = PRM_QPC_SEND_DBR_MODE_NO_DBR_EXT };

	fake.caps[0x10 + 0x5c] = 0x40;
	cr_assert_eq(make_qp(attr), 0);
	cr_assert_eq(fake.caps_op_mod, 0x20 << 1 | 1);
	SENT(0x110, "0000: 05000000 00000000",
	     "0018: 00001800 00123456 00000800 00000321 40000077", "0094: 00000789",
	     "00b4: 00000789 00000000 00000080", "00c4: 03000000", IN_UMEM);
	memset(fake_page, 0, sizeof(fake_page));
	dv_sq_nop(&qp.sq, 0);
	dv_sq_ring_by(&qp.sq, DV_NO_DBR);
	cr_assert_eq(*(uint64_t *)(fake_page + 0x600), htobe64(0x00000000000abc01));
	cr_assert_eq(*qp.sq.dbrec, 0);
}

/* cmd_hca_cap.dma_mmo_qp: byte 0xe9, bit 7; dma_mmo_sq: byte 0x2a, bit 4. */
Test(qp_without_verbs, qp_for_dma_by_wqe)
{
	struct devx_qp_attr attr = { .sq_wqe_cnt = 2, .mmo = true };

	fake.caps[0x10 + 0xe9] = 0x80;
	cr_assert_eq(make_qp(attr), 0);
	SENT(0x1d0, "0000: 05000000 00000000 80000000",
	     "0018: 00001800 00123456 00000800 00000321", "0094: 00000789",
	     "00b4: 00000789 00000000 00000080", "00c4: 03000000", IN_UMEM, "0110: 20000000");
}

Test(qp_without_verbs, qp_for_dma_where_any_qp_can)
{
	struct devx_qp_attr attr = { .sq_wqe_cnt = 2, .mmo = true };

	fake.caps[0x10 + 0x2a] = 0x10;
	cr_assert_eq(make_qp(attr), 0);
	cr_assert_eq(fake.in_len, 0x110);
}

static const struct devx_av av = { .port = 1,
				   .sl = 3,
				   .sgid_index = 5,
				   .hop_limit = 64,
				   .tclass = 0xa8,
				   .dgid = { .raw = { 0xfe, 0x80, [15] = 0x0a } },
				   .dmac = { 0x02, 0x11, 0x22, 0x33, 0x44, 0x55 },
				   .udp_sport = 0xc123,
				   .flow_label = 0xbeef,
				   .is_global = true,
				   .roce = true };
static const struct dv_endpoint ours = {
	.port = 1, .psn = 0x222222, .mtu = IBV_MTU_2048, .rd_atomic = 16, .init_rd_atomic = 5
};
static const struct dv_endpoint theirs = {
	.qpn = 0xdef, .psn = 0x111111, .mtu = IBV_MTU_1024, .rd_atomic = 4
};
static const struct dv_qp_conn conn = { .access = IBV_ACCESS_REMOTE_WRITE |
						  IBV_ACCESS_REMOTE_ATOMIC,
					.qkey = 0x11111111,
					.min_rnr_timer = 12,
					.timeout = 14,
					.retry_cnt = 7,
					.rnr_retry = 6 };

static void make_rc(void)
{
	fake_memory_reset();
	cr_assert_eq(make_qp(rc()), 0);
}

TestSuite(rc_without_verbs, .init = make_rc, .fini = destroy_qp);

Test(rc_without_verbs, qp_to_init)
{
	AGAIN(devx_qp_init(&qp, &ours, &conn));
	SENT(0x110, "0000: 05020000 00000000 00000abc", "0018: 00001800", "0054: 00010000",
	     "00a8: 00016000");
}

#define RTR  "0000: 05030000 00000000 00000abc", "0020: 7e000000", "002c: 00000def"
#define PATH "0038: 00050040 0a80beef", "0040: fe800000 00000000 00000000 0000000a"

Test(rc_without_verbs, qp_to_rtr)
{
	AGAIN(devx_qp_rtr(&qp, &av, &ours, &theirs, &conn));
	SENT(0x110, RTR, PATH, "0050: 002ac123 30010211 22334455", "00a8: 00800000 0c111111");
}

Test(rc_without_verbs, qp_to_rtr_on_infiniband)
{
	struct devx_av ib = { .port = 2, .dlid = 0x1234, .sl = 3 };

	AGAIN(devx_qp_rtr(&qp, &ib, &ours, &theirs, &conn));
	SENT(0x110, RTR, "0034: 00001234", "0054: 03020000", "00a8: 00800000 0c111111");
}

/* qpc.mtu: byte 8, bits 7:5: that of @conn before the smaller one of both ports. */
Test(rc_without_verbs, qp_to_rtr_with_an_mtu_of_the_connection)
{
	struct dv_qp_conn small = conn;
	struct devx_av ib = { .port = 2, .dlid = 0x1234, .sl = 3 };

	small.mtu = IBV_MTU_512;
	AGAIN(devx_qp_rtr(&qp, &ib, &ours, &theirs, &small));
	SENT(0x110, "0000: 05030000 00000000 00000abc", "0020: 5e000000", "002c: 00000def",
	     "0034: 00001234", "0054: 03020000", "00a8: 00800000 0c111111");
}

/* qpc bytes 0x18: mlid 22:16 of the second word, stat_rate 11:8 of the third. */
Test(rc_without_verbs, qp_to_rtr_with_path_bits_and_a_rate)
{
	struct devx_av ib = {
		.port = 1, .dlid = 0x1234, .path_bits = 0x55, .stat_rate = 0xb, .sl = 3
	};

	AGAIN(devx_qp_rtr(&qp, &ib, &ours, &theirs, &conn));
	SENT(0x110, RTR, "0034: 00551234 00000b00", "0054: 03010000",
	     "00a8: 00800000 0c111111");
}

/* That of qp_to_rtr without dscp and udp_sport; tclass and the flow label are in the GRH. */
Test(rc_without_verbs, qp_to_rtr_on_roce_v1)
{
	struct devx_av v1 = av;

	v1.roce_v1 = true;
	AGAIN(devx_qp_rtr(&qp, &v1, &ours, &theirs, &conn));
	SENT(0x110, RTR, PATH, "0054: 30010211 22334455", "00a8: 00800000 0c111111");
}

/* lag_tx_port_affinity: qpc byte 0, bits 3:0. */
Test(rc_without_verbs, qp_to_init_on_a_port_of_a_bond)
{
	struct dv_qp_conn bond = conn;

	bond.lag_tx_port = 2;
	AGAIN(devx_qp_init(&qp, &ours, &bond));
	SENT(0x110, "0000: 05020000 00000000 00000abc", "0018: 02001800", "0054: 00010000",
	     "00a8: 00016000");
}

Test(rc_without_verbs, qp_to_rts)
{
	AGAIN(devx_qp_rts(&qp, &ours, &theirs, &conn));
	SENT(0x110, "0000: 05040000 00000000 00000abc", "0038: 70000000",
	     "0088: 8047c000 00000000 00222222");
}

static struct ibv_context context;
static struct ibv_pd pd = { .context = &context };

/* By link layer and version of RoCE; the fields of an AH are those of mlx5dv.h. */
Test(rc_without_verbs, path_is_that_of_an_ah)
{
	static const struct {
		bool infiniband;
		enum ibv_gid_type type;
		struct devx_av av;
	} rows[] = {
		{ true, 0, { .dlid = 0xc123, .path_bits = 0x55 } },
		{ false, IBV_GID_TYPE_ROCE_V1, { .roce = true, .roce_v1 = true } },
		{ false, IBV_GID_TYPE_ROCE_V2, { .roce = true, .udp_sport = 0xc123 } },
	};
	struct ibv_ah_attr path = {
		.grh = { av.dgid, 0xbeef, 5, 64, 0xa8 }, .sl = 3, .is_global = 1, .port_num = 1
	};

	for (size_t i = 0; i < 3; i++) {
		struct devx_av expected = av, got;
		uint8_t in[0x110];

		expected.stat_rate = 9;
		expected.roce = rows[i].av.roce;
		expected.roce_v1 = rows[i].av.roce_v1;
		expected.dlid = rows[i].av.dlid;
		expected.path_bits = rows[i].av.path_bits;
		expected.udp_sport = rows[i].av.udp_sport;
		cr_assert_eq(devx_qp_rtr(&qp, &expected, &ours, &theirs, &conn), 0);
		memcpy(in, fake.in, sizeof(in));
		fake_memory.infiniband = rows[i].infiniband;
		fake_memory.gid_type = rows[i].type;
		fake_memory.av = (struct mlx5_wqe_av){ .stat_rate_sl = 0x93,
						       .fl_mlid = 0xd5,
						       .rlid = htobe16(0xc123) };
		memcpy(fake_memory.av.rmac, av.dmac, 6);
		cr_assert_eq(devx_av_resolve(&got, &pd, &path), 0);
		cr_assert_eq(devx_qp_rtr(&qp, &got, &ours, &theirs, &conn), 0);
		cr_expect_arr_eq(fake.in, in, sizeof(in), "row %zu", i);
	}
}

Test(rc_without_verbs, qp_may_be_its_own_peer)
{
	fake_memory.gid_type = IBV_GID_TYPE_ROCE_V2;
	cr_assert_eq(devx_qp_connect_self(&qp, &pd, 1, 5), 0);
	cr_expect_eq(fake.calls, 4);
	SENT_NTH(2, 0x110, "0000: 05030000 00000000 00000abc", "0020: 9e000000",
		 "002c: 00000abc", "0038: 00050001",
		 "0040: fe800000 00000000 00000000 00000105", "0054: 00010000",
		 "00a8: 00800000 0c000000");
}

/* Contexts have powers of two: not fewer READs are let in than were agreed on, nor more
 * sent. */
Test(rc_without_verbs, numbers_of_reads_are_rounded_to_what_is_safe)
{
	struct dv_endpoint odd = ours, peer = theirs;
	struct dv_qp_conn fewer = conn;

	odd.rd_atomic = 5;
	odd.init_rd_atomic = 7;
	peer.rd_atomic = 8;
	AGAIN(devx_qp_rtr(&qp, &av, &odd, &peer, &conn));
	SENT(0x110, RTR, PATH, "0050: 002ac123 30010211 22334455", "00a8: 00600000 0c111111");
	AGAIN(devx_qp_rts(&qp, &odd, &peer, &fewer));
	SENT(0x110, "0000: 05040000 00000000 00000abc", "0038: 70000000",
	     "0088: 8047c000 00000000 00222222");
	for (uint8_t n = 0; n < 2; n++) {
		odd.rd_atomic = odd.init_rd_atomic = fewer.max_rd_atomic = n;
		AGAIN(devx_qp_rtr(&qp, &av, &odd, &peer, &conn));
		SENT(0x110, RTR, PATH, "0050: 002ac123 30010211 22334455",
		     "00a8: 00000000 0c111111");
		AGAIN(devx_qp_rts(&qp, &odd, &peer, &fewer));
		SENT(0x110, "0000: 05040000 00000000 00000abc", "0038: 70000000",
		     "0088: 8007c000 00000000 00222222");
	}
}

Test(qp_without_verbs, ud_has_a_qkey_and_no_peer)
{
	struct devx_qp_attr attr = { .st = PRM_QPC_ST_UD, .sq_wqe_cnt = 2 };

	cr_assert_eq(make_qp(attr), 0);
	AGAIN(devx_qp_init(&qp, &ours, &conn));
	SENT(0x110, "0000: 05020000 00000000 00000abc", "0018: 00021800", "0054: 00010000",
	     "00a8: 00016000", "00c0: 11111111");
	AGAIN(devx_qp_rtr(&qp, NULL, &ours, NULL, &conn));
	SENT(0x110, "0000: 05030000 00000000 00000abc", "0018: 00020000", "0020: ac000000");
	AGAIN(devx_qp_rts(&qp, &ours, NULL, &conn));
	SENT(0x110, "0000: 05040000 00000000 00000abc", "0018: 00020000", "0090: 00222222");
}

Test(rc_without_verbs, qp_reset_empties_its_rings)
{
	struct ibv_sge sge = { 1, 1, 1 };

	cr_assert_eq(dv_sq_send(&qp.sq, 0, &sge, 1), 0);
	dv_sq_doorbell(&qp.sq);
	cr_assert_eq(dv_rq_post(&qp.rq, &sge, 1), 0);
	dv_rq_doorbell(&qp.rq);
	AGAIN(devx_qp_reset(&qp));
	SENT(0x10, "0000: 050a0000 00000000 00000abc");
	cr_assert_eq(qp.sq.pi, 0);
	cr_assert_eq(qp.rq.pi, 0);
	cr_assert_eq(*qp.sq.dbrec, 0);
	cr_assert_eq(*qp.rq.dbrec, 0);
	AGAIN(devx_qp_err(&qp));
	SENT(0x10, "0000: 05070000 00000000 00000abc");
	AGAIN(devx_qp_sqerr2rts(&qp));
	SENT(0x110, "0000: 05060000 00000000 00000abc");
}

static void refused(int err, int expected, const char *line)
{
	char buf[256];

	cr_assert_eq(err, expected);
	cr_assert_eq(fake_memory.umems, 0, "nothing is left over");
	cr_assert_str_eq(devx_error_str(devx_last_error(), buf, sizeof(buf)), line);
}

TestSuite(without_verbs, .init = fake_memory_reset);

#define CQ(err, why, ...) \
	refused(make_cq((struct devx_cq_attr){ __VA_ARGS__ }), err, "CREATE_CQ: " #err ": " why)
#define QP(err, why, ...) \
	refused(make_qp((struct devx_qp_attr){ __VA_ARGS__ }), err, "CREATE_QP: " #err ": " why)

Test(without_verbs, cq_that_cannot_be)
{
	struct devx_cq_attr no_uar = { .cqe_cnt = 64 };

	CQ(EINVAL, "cqe_cnt is not a power of two up to 4194304", .cqe_cnt = 48);
	CQ(EINVAL, "cqe_cnt is not a power of two up to 4194304", 0);
	CQ(EINVAL, "cqe_size is neither 64 nor 128", .cqe_cnt = 64, .cqe_size = 32);
	CQ(EINVAL, "period is above 4095 microseconds", .cqe_cnt = 64, .period = 4096);
	refused(devx_cq_create(&cq, NULL, &no_uar), EINVAL, "CREATE_CQ: EINVAL: no UAR");
	cr_assert_eq(fake.calls, 0);
}

Test(without_verbs, qp_without_what_it_does_not_use)
{
	static const struct devx_qp_attr full = {
		.sq_wqe_cnt = 4, .srqn = 1, .xrcd = 1, .recv_cqn = 1
	};
	static const uint8_t st[] = { PRM_QPC_ST_XRC, PRM_QPC_ST_DCI };

	give_uar();
	for (unsigned int i = 0; i < 6; i++) {
		struct devx_qp_attr attr = full;

		attr.uar = &uar;
		attr.st = st[i / 3];
		*(i % 3 == 0 ? &attr.srqn : i % 3 == 1 ? &attr.xrcd : &attr.recv_cqn) = 0;
		refused(devx_qp_create(&qp, NULL, &attr), EINVAL,
			"CREATE_QP: EINVAL: an XRC QP and a DC initiator want srqn, xrcd and "
			"recv_cqn");
	}
}

Test(without_verbs, qp_that_cannot_be)
{
	QP(EINVAL, "neither a send nor a receive queue", 0);
	QP(EINVAL, "sq_wqe_cnt is not a power of two up to 32768", .sq_wqe_cnt = 65536);
	QP(EINVAL, "rq_wqe_cnt is not a power of two up to 32768", .rq_wqe_cnt = 3);
	QP(EINVAL, "rq_max_sge is above 128", .rq_wqe_cnt = 4, .rq_max_sge = 129);
	QP(EINVAL, "both a receive queue and an SRQ", .rq_wqe_cnt = 4, .srqn = 1);
	QP(EINVAL, "the receive ring before the send ring is no multiple of 64 bytes",
	   .rq_wqe_cnt = 2, .sq_wqe_cnt = 4);
	QP(EOPNOTSUPP, "the device has no DMA by WQE: dma_mmo_qp, dma_mmo_sq are 0",
	   .sq_wqe_cnt = 4, .mmo = true);
	refused(make_qp((struct devx_qp_attr){ .sq_wqe_cnt = 4, .send_dbr_mode = 1 }),
		EOPNOTSUPP,
		"CREATE_QP: EOPNOTSUPP: the device wants a send record: "
		"send_dbr_mode_no_dbr_ext, send_dbr_mode_no_dbr_int");
	fake.caps[0x10 + 0x5c] = 0x40;
	refused(make_qp((struct devx_qp_attr){ .sq_wqe_cnt = 4, .send_dbr_mode = 2 }),
		EOPNOTSUPP,
		"CREATE_QP: EOPNOTSUPP: the device wants a send record: "
		"send_dbr_mode_no_dbr_ext, send_dbr_mode_no_dbr_int");
	QP(EINVAL, "no such send_dbr_mode", .sq_wqe_cnt = 4, .send_dbr_mode = 3);
	cr_assert_eq(fake.calls, 0);
}

Test(without_verbs, qp_has_no_way_to_a_peer_of_another_kind)
{
	struct devx_qp rc = { .st = PRM_QPC_ST_RC };
	struct dv_endpoint other_link = theirs, other_gid = theirs;

	other_link.link_layer = IBV_LINK_LAYER_ETHERNET;
	other_gid.gid_type = IBV_GID_TYPE_ROCE_V2;
	refused(devx_qp_connect(&rc, NULL, &ours, &other_link, &conn), ENETUNREACH,
		"devx_qp_connect: ENETUNREACH: the peer is on another link layer or RoCE version");
	refused(devx_qp_connect(&rc, NULL, &ours, &other_gid, &conn), ENETUNREACH,
		"devx_qp_connect: ENETUNREACH: the peer is on another link layer or RoCE version");
	cr_assert_eq(fake.calls, 0);
}
