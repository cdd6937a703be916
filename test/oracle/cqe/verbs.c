/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle/cqe/result.h"

const char *const result_field_name[RESULT_FIELDS] = {
	[RESULT_WR_ID] = "wr_id",
	[RESULT_STATUS] = "status",
	[RESULT_OPCODE] = "opcode",
	[RESULT_VENDOR_ERR] = "vendor_err",
	[RESULT_BYTE_LEN] = "byte_len",
	[RESULT_IMM] = "imm_data",
	[RESULT_QP_NUM] = "qp_num",
	[RESULT_SRC_QP] = "src_qp",
	[RESULT_FLAGS] = "wc_flags",
	[RESULT_PKEY_INDEX] = "pkey_index",
	[RESULT_SLID] = "slid",
	[RESULT_SL] = "sl",
	[RESULT_PATH_BITS] = "dlid_path_bits",
	[RESULT_TIMESTAMP] = "completion_ts",
	[RESULT_CVLAN] = "cvlan",
	[RESULT_FLOW_TAG] = "flow_tag",
};

void result_poll_cq(struct result *r, struct rig_side *side)
{
	struct ibv_wc wc;

	memset(r, 0, sizeof(*r));
	memset(&wc, 0, sizeof(wc));
	r->found = ibv_poll_cq(side->cq, 1, &wc);
	if (r->found < 0)
		r->found = -1;
	side->ci += r->found != 0;
	if (r->found != 1)
		return;
	result_set(r, RESULT_WR_ID, wc.wr_id);
	result_set(r, RESULT_STATUS, wc.status);
	result_set(r, RESULT_OPCODE, wc.opcode);
	result_set(r, RESULT_VENDOR_ERR, wc.vendor_err);
	result_set(r, RESULT_BYTE_LEN, wc.byte_len);
	result_set(r, RESULT_IMM, wc.imm_data);
	result_set(r, RESULT_QP_NUM, wc.qp_num);
	result_set(r, RESULT_SRC_QP, wc.src_qp);
	result_set(r, RESULT_FLAGS, wc.wc_flags);
	result_set(r, RESULT_PKEY_INDEX, wc.pkey_index);
	result_set(r, RESULT_SLID, wc.slid);
	result_set(r, RESULT_SL, wc.sl);
	result_set(r, RESULT_PATH_BITS, wc.dlid_path_bits);
}

static void readers(struct result *r, struct ibv_cq_ex *cq)
{
	result_set(r, RESULT_WR_ID, cq->wr_id);
	result_set(r, RESULT_STATUS, cq->status);
	result_set(r, RESULT_OPCODE, ibv_wc_read_opcode(cq));
	result_set(r, RESULT_VENDOR_ERR, ibv_wc_read_vendor_err(cq));
	result_set(r, RESULT_BYTE_LEN, ibv_wc_read_byte_len(cq));
	result_set(r, RESULT_IMM, ibv_wc_read_imm_data(cq));
	result_set(r, RESULT_QP_NUM, ibv_wc_read_qp_num(cq));
	result_set(r, RESULT_SRC_QP, ibv_wc_read_src_qp(cq));
	result_set(r, RESULT_FLAGS, ibv_wc_read_wc_flags(cq));
	result_set(r, RESULT_SLID, ibv_wc_read_slid(cq));
	result_set(r, RESULT_SL, ibv_wc_read_sl(cq));
	result_set(r, RESULT_PATH_BITS, ibv_wc_read_dlid_path_bits(cq));
	result_set(r, RESULT_TIMESTAMP, ibv_wc_read_completion_ts(cq));
	result_set(r, RESULT_CVLAN, ibv_wc_read_cvlan(cq));
	result_set(r, RESULT_FLOW_TAG, ibv_wc_read_flow_tag(cq));
}

void result_start_poll(struct result *r, unsigned int n, struct rig_side *side)
{
	struct ibv_poll_cq_attr attr = { 0 };
	int err = ibv_start_poll(side->cqx, &attr);
	bool started = !err;

	memset(r, 0, n * sizeof(*r));
	for (unsigned int i = 0; i < n; i++) {
		if (i)
			err = ibv_next_poll(side->cqx);
		if (err == ENOENT)
			break;
		side->ci++;
		r[i].found = err ? -1 : 1;
		if (err)
			break;
		readers(&r[i], side->cqx);
	}
	if (started)
		ibv_end_poll(side->cqx);
}
