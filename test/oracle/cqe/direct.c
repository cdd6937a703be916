/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From dv's accessors to ibv_wc, by the InfiniBand specification (chapter 11, "poll for
 * completion") and ibv_poll_cq(3): which fields a completion of which kind defines.
 */
#include "oracle/cqe/result.h"

static const struct {
	uint8_t opcode;
	enum ibv_wc_opcode wc;
	bool has_len, imm;
} sends[] = {
	{ MLX5_OPCODE_SEND, IBV_WC_SEND, false, false },
	{ MLX5_OPCODE_SEND_IMM, IBV_WC_SEND, false, true },
	{ MLX5_OPCODE_SEND_INVAL, IBV_WC_SEND, false, false },
	{ MLX5_OPCODE_RDMA_WRITE, IBV_WC_RDMA_WRITE, false, false },
	{ MLX5_OPCODE_RDMA_WRITE_IMM, IBV_WC_RDMA_WRITE, false, true },
	{ MLX5_OPCODE_RDMA_READ, IBV_WC_RDMA_READ, true, false },
	{ MLX5_OPCODE_ATOMIC_CS, IBV_WC_COMP_SWAP, true, false },
	{ MLX5_OPCODE_ATOMIC_FA, IBV_WC_FETCH_ADD, true, false },
	{ MLX5_OPCODE_TSO, IBV_WC_TSO, false, false },
};

static const struct {
	uint8_t syndrome;
	enum ibv_wc_status status;
} statuses[] = {
	{ MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, IBV_WC_LOC_LEN_ERR },
	{ MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, IBV_WC_LOC_QP_OP_ERR },
	{ MLX5_CQE_SYNDROME_LOCAL_PROT_ERR, IBV_WC_LOC_PROT_ERR },
	{ MLX5_CQE_SYNDROME_WR_FLUSH_ERR, IBV_WC_WR_FLUSH_ERR },
	{ MLX5_CQE_SYNDROME_MW_BIND_ERR, IBV_WC_MW_BIND_ERR },
	{ MLX5_CQE_SYNDROME_BAD_RESP_ERR, IBV_WC_BAD_RESP_ERR },
	{ MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR, IBV_WC_LOC_ACCESS_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR, IBV_WC_REM_INV_REQ_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, IBV_WC_REM_ACCESS_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_OP_ERR, IBV_WC_REM_OP_ERR },
	{ MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR, IBV_WC_RETRY_EXC_ERR },
	{ MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR, IBV_WC_RNR_RETRY_EXC_ERR },
	{ MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR, IBV_WC_REM_ABORT_ERR },
};

static enum ibv_wc_status status_of(uint8_t syndrome)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (statuses[i].syndrome == syndrome)
			return statuses[i].status;
	return IBV_WC_GENERAL_ERR;
}

static void sent(struct result *r, const struct rig_queue *q, const struct mlx5_cqe64 *cqe)
{
	uint8_t opcode = dv_cqe_send_opcode(cqe);
	uint32_t len = opcode == MLX5_OPCODE_RDMA_READ ? dv_cqe_byte_cnt(cqe) : 8;

	if (!dv_sq_scatter(&q->sq, cqe)) {
		result_set(r, RESULT_STATUS, IBV_WC_LOC_LEN_ERR);
		return;
	}
	result_set(r, RESULT_STATUS, IBV_WC_SUCCESS);
	/* Which flags a send's completion has, each of the two APIs of libmlx5 sees in its own
	 * way: ibv_poll_cq() WITH_IMM of *_IMM, the reader the GRH bits, that have no meaning
	 * here. */
	for (size_t i = 0; i < sizeof(sends) / sizeof(sends[0]); i++) {
		if (sends[i].opcode != opcode)
			continue;
		result_set(r, RESULT_OPCODE, sends[i].wc);
		if (sends[i].has_len)
			result_set(r, RESULT_BYTE_LEN, len);
	}
}

static enum ibv_wc_opcode received_opcode(const struct mlx5_cqe64 *cqe)
{
	return dv_cqe_opcode(cqe) == MLX5_CQE_RESP_WR_IMM ? IBV_WC_RECV_RDMA_WITH_IMM
							  : IBV_WC_RECV;
}

static void received(struct result *r, bool has_csum, const struct mlx5_cqe64 *cqe)
{
	uint32_t flags = dv_cqe_grh(cqe) ? IBV_WC_GRH : 0;

	result_set(r, RESULT_STATUS, IBV_WC_SUCCESS);
	result_set(r, RESULT_OPCODE, received_opcode(cqe));
	result_set(r, RESULT_BYTE_LEN, dv_cqe_byte_cnt(cqe));
	switch (dv_cqe_opcode(cqe)) {
	case MLX5_CQE_RESP_WR_IMM:
	case MLX5_CQE_RESP_SEND_IMM:
		flags |= IBV_WC_WITH_IMM;
		result_set(r, RESULT_IMM, dv_cqe_imm(cqe));
		break;
	case MLX5_CQE_RESP_SEND_INV:
		flags |= IBV_WC_WITH_INV;
		result_set(r, RESULT_IMM, dv_cqe_inval_rkey(cqe));
		break;
	}
	/* Checksums are for those who asked for Ethernet. */
	if (has_csum && dv_packet_csum_ok(cqe))
		flags |= IBV_WC_IP_CSUM_OK;
	result_set(r, RESULT_FLAGS, flags);
	result_set(r, RESULT_SRC_QP, dv_cqe_src_qp(cqe));
	result_set(r, RESULT_SLID, dv_cqe_slid(cqe));
	result_set(r, RESULT_SL, dv_cqe_sl(cqe));
	result_set(r, RESULT_PATH_BITS, dv_cqe_path_bits(cqe));
	result_set(r, RESULT_PKEY_INDEX, dv_cqe_pkey_index(cqe));
}

/* The receive is returned to its queue. Did its data fit? */
static bool retire(struct rig_queue *q, const struct mlx5_cqe64 *cqe)
{
	if (rig_is_shared(q->kind))
		return !dv_srq_retire(&q->list, cqe);
	return !q->qp || !dv_rq_retire(&q->rq, cqe);
}

/* The readers show the bytes of the CQE, whatever it is. */
static void as_they_lie(struct result *r, const struct mlx5_cqe64 *cqe)
{
	bool swapped = dv_cqe_opcode(cqe) == MLX5_CQE_RESP_SEND_INV;

	result_set(r, RESULT_BYTE_LEN, dv_cqe_byte_cnt(cqe));
	result_set(r, RESULT_IMM, swapped ? dv_cqe_inval_rkey(cqe) : dv_cqe_imm(cqe));
	result_set(r, RESULT_SRC_QP, dv_cqe_src_qp(cqe));
	result_set(r, RESULT_SLID, dv_cqe_slid(cqe));
	result_set(r, RESULT_SL, dv_cqe_sl(cqe));
	result_set(r, RESULT_PATH_BITS, dv_cqe_path_bits(cqe));
	result_set(r, RESULT_TIMESTAMP, dv_cqe_timestamp(cqe));
	result_set(r, RESULT_CVLAN, dv_packet_vlan(cqe));
	result_set(r, RESULT_FLOW_TAG, dv_packet_flow_tag(cqe));
}

static void failed(struct result *r, const struct mlx5_cqe64 *cqe)
{
	result_set(r, RESULT_STATUS, status_of(dv_cqe_syndrome(cqe)));
	result_set(r, RESULT_VENDOR_ERR, dv_cqe_vendor_syndrome(cqe));
}

void result_direct(struct result *r, struct rig_side *side, const struct test_case *c,
		   const struct mlx5_cqe64 *cqe, bool lazy)
{
	struct rig_queue *q = &side->queue[c->kind];
	uint32_t slots = rig_is_shared(c->kind) ? RIG_SLOTS * 2 : RIG_SLOTS;
	bool is_send;

	memset(r, 0, sizeof(*r));
	r->found = cqe != NULL;
	if (!cqe)
		return;
	result_set(r, RESULT_QP_NUM, dv_cqe_qpn(cqe));
	if (lazy)
		as_they_lie(r, cqe);
	is_send = dv_cqe_opcode(cqe) == MLX5_CQE_REQ || dv_cqe_opcode(cqe) == MLX5_CQE_REQ_ERR;
	if (is_send)
		slots = q->sq.wqe_cnt;
	if (c->is != CASE_DONE)
		return;
	result_set(r, RESULT_WR_ID,
		   rig_wr_id(c->kind, is_send, dv_cqe_wqe_counter(cqe) % slots));
	if (!is_send && !retire(q, cqe))
		result_set(r, RESULT_STATUS, IBV_WC_LOC_LEN_ERR);
	else if (dv_cqe_is_error(cqe))
		failed(r, cqe);
	else if (is_send)
		sent(r, q, cqe);
	else
		received(r, c->kind == RIG_RAW && side->csum, cqe);
	if (lazy && r->field[RESULT_STATUS] == IBV_WC_SUCCESS &&
	    dv_cqe_opcode(cqe) == MLX5_CQE_REQ)
		result_set(r, RESULT_BYTE_LEN, dv_cqe_byte_cnt(cqe));
}
