/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests and WQEs that are refused, and the syndrome of their CQE. No byte is copied. */
#include <endian.h>
#include <string.h>

#include "rig.h"

PAIR_SUITE(error_cqe);

/* @wqe of a ends in @syndrome, and writes nothing to 0x100000. */
static void expect_refused(const char *wqe, const char *syndrome, const char *findings)
{
	execute(&a, "%s", wqe);
	expect_cqe(&a, "req_err %s wqe=0", syndrome);
	expect_none(&a);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(near.buf[0x100000], 0);
	expect_finding("%s", findings);
}

#define PEER "|WQE 0x0: the peer refuses "

static const struct {
	const char *what;
	uint8_t key_lacks, qp_lacks;
	bool responder_stays;
	const char *wqe, *syndrome, *findings;
} refused[] = {
	{ "unknown rkey", 0, 0, false, "write 8 remote=0x100000 rkey=0x01000143", "rem_access",
	  "remote write of 8 bytes at 0xa0100000: the low 8 bits of the key are 0x42, not 0x43" PEER
	  "8 bytes at 0xa0100000 of rkey 0x1000143" },
	{ "one byte beyond the region", 0, 0, false, "write 4097 remote=0x3ff000", "rem_access",
	  "remote write of 4097 bytes at 0xa03ff000: the key covers 4194304 bytes at 0xa0000000" PEER
	  "4097 bytes" },
	{ "key without remote write", HCA_REMOTE_WRITE, 0, false, "write 8 remote=0x100000",
	  "rem_access", "the key lacks IBV_ACCESS_REMOTE_WRITE" PEER },
	{ "key without remote read", HCA_REMOTE_READ, 0, false, "read 8 local=0x100000",
	  "rem_access", "the key lacks IBV_ACCESS_REMOTE_READ" PEER },
	{ "key without remote atomic", HCA_REMOTE_ATOMIC, 0, false,
	  "fetch_add 8 local=0x100000", "rem_access",
	  "the key lacks IBV_ACCESS_REMOTE_ATOMIC" PEER },
	{ "key without local write", HCA_LOCAL_WRITE, 0, true, "read 8 local=0x100000",
	  "local_prot", "QP 0x10001, local write of 8 bytes at 0xa0100000: the key lacks" },
	{ "qp without remote write", 0, HCA_REMOTE_WRITE, false, "write 8 remote=0x100000",
	  "rem_inv_req",
	  "QP 0x10002: a request of the peer is refused: the QP has no IBV_ACCESS_REMOTE_WRITE" },
	{ "qp without remote read", 0, HCA_REMOTE_READ, false, "read 8 local=0x100000",
	  "rem_inv_req", "the QP has no IBV_ACCESS_REMOTE_READ" },
	{ "qp without remote atomic", 0, HCA_REMOTE_ATOMIC, false, "cas 8 local=0x100000",
	  "rem_inv_req", "the QP has no IBV_ACCESS_REMOTE_ATOMIC" },
	{ "unknown lkey", 0, 0, true, "write 8 lkey=0x77 remote=0x100000", "local_prot",
	  "key 0x77: QP 0x10001, local read of 8 bytes at 0xa0000000: there is no such key" },
	{ "atomic address not a multiple of 8", 0, 0, false,
	  "fetch_add 8 local=0x100000 remote=4", "rem_inv_req", "" },
	{ "atomic with a buffer below 8 bytes", 0, 0, true, "fetch_add 7 local=0x100000",
	  "local_length", "" },
	{ "wqe index is wrong", 0, 0, true, "write 8 index=1", "local_qp_op", "" },
	{ "wqe qpn is wrong", 0, 0, true, "write 8 qpn=0x10002", "local_qp_op", "" },
	{ "wqe opcode is unknown", 0, 0, true, "0x30 8", "local_qp_op", "" },
	{ "wqe opmod is unknown", 0, 0, true, "write 8 opmod=1", "local_qp_op", "" },
	{ "wqe ds is zero", 0, 0, true, "write 8 ds=0", "local_qp_op", "" },
	{ "wqe lacks its remote address", 0, 0, true, "write 8 ds=1", "local_qp_op", "" },
	{ "wqe is longer than was announced", 0, 0, true, "write 8 ds=5", "local_qp_op", "" },
	/* 13 bytes and their length do not fit into one unit. */
	{ "inline data exceeds the wqe", 0, 0, true, "write inline=hello byte35=13",
	  "local_qp_op", "" },
	{ "byte count zero is 2 gib", 0, 0, true, "send 1 byte19=0", "local_length", "" },
};

Test(error_cqe, wqes_that_are_refused)
{
	FOR_EACH_ROW(row, refused, pair_open) {
		near.mkey->access &= ~row->key_lacks;
		b.qp->rwe = !(row->qp_lacks & HCA_REMOTE_WRITE);
		b.qp->rre = !(row->qp_lacks & HCA_REMOTE_READ);
		b.qp->rae = !(row->qp_lacks & HCA_REMOTE_ATOMIC);
		expect_refused(row->wqe, row->syndrome, row->findings);
		cr_expect_eq(b.qp->state,
			     row->responder_stays ? PRM_QPC_STATE_RTS : PRM_QPC_STATE_ERR, "%s",
			     row->what);
	}
}

Test(error_cqe, more_reads_than_max_dest_rd_atomic)
{
	b.qp->max_dest_rd_atomic = 0;
	expect_refused("read 8 local=0x100000", "rem_inv_req", "");
}

Test(error_cqe, key_of_another_pd)
{
	a.qp->pd = hca_pd_new(&near.hca);
	expect_refused("write 8 remote=0x100000", "local_prot",
		       "the key is of PD 0x10001, not 0x10002");
}

Test(error_cqe, message_longer_than_the_qp_allows)
{
	a.qp->log_msg_max = 12;
	expect_refused("write 4097 remote=0x100000", "local_length", "");
}

Test(error_cqe, send_longer_than_the_receive)
{
	post(&b, "recv 99 local=0x100000");
	finish(&a, "send 100", "req_err rem_inv_req wqe=0");
	expect_cqe(&b, "resp_err local_length wqe=0");
	cr_expect_eq(near.buf[0x100000 + 99], 0);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
}

Test(error_cqe, receive_with_an_unknown_lkey)
{
	post(&b, "recv 100 local=0x100000 lkey=0x77");
	finish(&a, "send 100", "req_err rem_op wqe=0");
	expect_cqe(&b, "resp_err local_prot wqe=0");
	expect_finding(
		"key 0x77: QP 0x10002, local write of 100 bytes at 0xa0100000: there is no such key");
}

Test(error_cqe, memory_that_was_unmapped)
{
	for (uint32_t i = 256; i < near.mkey->pages.npas; i++)
		near.mkey->pages.pas[i] = 0x1000;
	expect_refused("write 8 remote=0x100000", "rem_access",
		       "the memory of the key is not mapped" PEER);
}

Test(error_cqe, error_cqe_follows_those_of_earlier_wqes)
{
	post(&a, "read 5000 local=0x2000 sig; write 8 lkey=0x77 remote=0x100000");
	execute(&a, "write 8 remote=0x100000");
	expect_cqe(&a, "sent; req_err local_prot wqe=1; req_err flushed wqe=2");
	cr_expect_eq(near.buf[0x100000], 0);
	expect_finding("local read of 8 bytes at 0xa0000000: there is no such key");
}

Test(error_cqe, flush_is_in_order_and_continues)
{
	for (int i = 0; i < 3; i++)
		post(&a, "recv 64");
	post(&a, "write 8 rkey=0x77");
	for (int i = 0; i < 3; i++)
		post(&a, "write 8");
	work(&a);
	expect_cqe(&a, "req_err rem_access wqe=0");
	for (unsigned int i = 1; i < 4; i++)
		expect_cqe(&a, "req_err flushed wqe=%u", i);
	for (unsigned int i = 0; i < 3; i++)
		expect_cqe(&a, "resp_err flushed wqe=%u", i);
	expect_none(&a);
	post(&a, "recv 64; write 8");
	settle();
	expect_cqe(&a, "resp_err flushed wqe=3");
	expect_none(&a);
	work(&a);
	expect_cqe(&a, "req_err flushed wqe=4");
	expect_finding("there is no such key|WQE 0x0: the peer refuses");
}

Test(error_cqe, modify_to_err_flushes)
{
	post(&b, "recv 64");
	b.qp->state = PRM_QPC_STATE_ERR;
	engine_kick(&near.hca, b.qp);
	settle();
	expect_cqe(&b, "resp_err flushed wqe=0");
}

Test(error_cqe, write_with_immediate_ends_the_receive_in_local_access)
{
	post(&b, "recv 64");
	finish(&a, "write_imm 8 rkey=wrong", "req_err rem_access wqe=0");
	expect_cqe(&b, "resp_err local_access wqe=0");
	expect_finding("the low 8 bits|the peer refuses 8 bytes");
}

/* Bytes 52 to 55 of the next CQE: the hardware's syndrome and its type, the vendor's, the
 * syndrome. */
static void expect_detail(struct side *s, uint8_t hardware, uint8_t vendor, uint8_t syndrome)
{
	const uint8_t *cqe = next_cqe(s);

	cr_assert_not_null(cqe);
	cr_expect_arr_eq(cqe + 52, ((uint8_t[]){ hardware, 0, vendor, syndrome }), 4,
			 "%02x %02x %02x %02x", cqe[52], cqe[53], cqe[54], cqe[55]);
	cr_expect_eq(cqe[63] & 0xce, 0xc2, "op_own 0x%02x", cqe[63]);
}

/* openucx/ucx, issue 6414: 92005204 */
Test(error_cqe, local_protection_has_the_vendor_syndrome_of_public_dumps)
{
	execute(&a, "write 8 lkey=wrong");
	expect_detail(&a, 0x92, 0x52, 0x04);
	expect_finding("the low 8 bits");
}

/* openucx/ucx, pull request 7801: synd 0x4 vend 0x32 hw_synd 0/146; of the sender: Remote QP on
 * mlx5_0:1/IB (synd 0x14 vend 0x89 hw_synd 0/0), issue 5472 */
Test(error_cqe, local_protection_of_a_receive_has_the_vendor_syndrome_of_public_logs)
{
	post(&b, "recv 64 lkey=wrong");
	execute(&a, "send 64");
	expect_detail(&a, 0, 0x89, 0x14);
	expect_detail(&b, 0x92, 0x32, 0x04);
	expect_finding("QP 0x10002, local write of 64 bytes at 0xa0000000: the low 8 bits");
}

/* openucx/ucx, issue 3618: synd 0x2 vend 0x68 hw_synd 0/31 */
Test(error_cqe, qp_operation_has_the_vendor_syndrome_of_public_logs)
{
	execute(&a, "0x3f");
	expect_detail(&a, 0x1f, 0x68, 0x02);
}
