/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of CQEs and segments of WQEs against the structs of <infiniband/mlx5dv.h>: with all
 * bits of one member set, exactly the fields that are listed for it are not zero. The values of
 * fields against its enumerators.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <dv/cqe.h>
#include <infiniband/mlx5dv.h>
#include <prm/prm.h>
#include <prm/table.h>

/* The fields of @s that are not zero in @p, in order, as "a b c". */
static void list_set(const struct prm_struct *s, const void *p, char *list, size_t size)
{
	size_t used = 0;

	*list = '\0';
	for (const struct prm_field *f = s->fields; f->name; f++) {
		bool set = false;

		for (size_t i = 0; i < (f->bytes ? f->count : 1u); i++)
			set |= prm_load(p, f->bit + i * f->width, f->width) != 0;
		if (set && used < size)
			used += (size_t)snprintf(list + used, size - used, "%s%s",
						 used ? " " : "", f->name);
	}
}

#define BEGIN(prm_name, type)                               \
	const struct prm_struct *s = prm_struct(#prm_name); \
	char list[400];                                     \
	type bytes;                                         \
                                                            \
	cr_assert_not_null(s);                              \
	cr_expect_eq(s->bytes, sizeof(type), "%u bytes", s->bytes)

#define MEMBER(member, fields)                                     \
	do {                                                       \
		memset(&bytes, 0, sizeof(bytes));                  \
		memset(&bytes.member, 0xff, sizeof(bytes.member)); \
		list_set(s, &bytes, list, sizeof(list));           \
		cr_expect_str_eq(list, fields, #member);           \
	} while (0)

Test(prm_queue, cqe64)
{
	BEGIN(cqe64, struct mlx5_cqe64);
	MEMBER(rsvd0, "tls_offload outer_l3_tunneled");
	MEMBER(wqe_id, "wqe_id");
	MEMBER(rsvd4, "tcp_win ack_seq_num rss_hash_result rss_hash_type");
	MEMBER(ml_path, "ml_path");
	MEMBER(rsvd20, "check_sum");
	MEMBER(slid, "slid");
	MEMBER(flags_rqpn, "grh sl rqpn");
	MEMBER(hds_ip_ext, "l4_ok l3_ok l2_ok");
	MEMBER(l4_hdr_type_etc, "l4_hdr_type l3_hdr_type cv");
	MEMBER(vlan_info, "vlan_info");
	MEMBER(srqn_uidx, "lro_num_seg srqn_uidx");
	MEMBER(imm_inval_pkey, "imm_inval_pkey");
	MEMBER(app, "app");
	MEMBER(app_op, "app_op");
	MEMBER(app_info, "app_info");
	MEMBER(byte_cnt, "byte_cnt");
	MEMBER(timestamp, "timestamp");
	MEMBER(sop_drop_qpn, "s_wqe_opcode qpn");
	MEMBER(wqe_counter, "wqe_counter");
	MEMBER(signature, "signature");
	MEMBER(op_own, "opcode format se owner");
}

/* The values, by the functions that read them. */
Test(prm_queue, cqe64_is_read_as_dv_reads_it)
{
	const struct prm_struct *s = prm_struct("cqe64");
	struct mlx5_cqe64 cqe;
	uint8_t *p = (uint8_t *)&cqe;
	uint64_t v;

	for (int i = 0; i < 64; i++)
		p[i] = (uint8_t)(i * 37 + 11);
#define SAME(field, value)                                                               \
	cr_expect(prm_get(s, &cqe, 64, field, &v) && v == (value), "%s is 0x%lx", field, \
		  (long)v)
	SAME("opcode", mlx5dv_get_cqe_opcode(&cqe));
	SAME("owner", mlx5dv_get_cqe_owner(&cqe));
	SAME("format", mlx5dv_get_cqe_format(&cqe));
	SAME("se", mlx5dv_get_cqe_se(&cqe));
	SAME("qpn", dv_cqe_qpn(&cqe));
	SAME("s_wqe_opcode", dv_cqe_send_opcode(&cqe));
	SAME("wqe_counter", dv_cqe_wqe_counter(&cqe));
	SAME("byte_cnt", dv_cqe_byte_cnt(&cqe));
	SAME("srqn_uidx", dv_cqe_uidx(&cqe));
	SAME("timestamp", dv_cqe_timestamp(&cqe));
	SAME("rqpn", dv_cqe_src_qp(&cqe));
	SAME("sl", dv_cqe_sl(&cqe));
	SAME("grh", dv_cqe_grh(&cqe));
}

Test(prm_queue, err_cqe)
{
	BEGIN(err_cqe, struct mlx5_err_cqe);
	MEMBER(rsvd0, "");
	MEMBER(srqn, "srqn");
	MEMBER(rsvd1, "hw_err_synd hw_synd_type");
	MEMBER(vendor_err_synd, "vendor_err_synd");
	MEMBER(syndrome, "syndrome");
	MEMBER(s_wqe_opcode_qpn, "s_wqe_opcode qpn");
	MEMBER(wqe_counter, "wqe_counter");
	MEMBER(signature, "signature");
	MEMBER(op_own, "opcode format se owner");
}

Test(prm_queue, sig_err_cqe)
{
	BEGIN(sig_err_cqe, struct dv_sig_err_cqe);
	MEMBER(expected_trans_sig, "expected_trans_sig");
	MEMBER(actual_trans_sig, "actual_trans_sig");
	MEMBER(expected_ref_tag, "expected_ref_tag");
	MEMBER(actual_ref_tag, "actual_ref_tag");
	MEMBER(syndrome, "syndrome");
	MEMBER(sig_type, "sig_type");
	MEMBER(domain, "domain");
	MEMBER(mkey, "mkey");
	MEMBER(sig_err_offset, "sig_err_offset");
	MEMBER(signature, "signature");
	MEMBER(op_own, "opcode owner");
}

Test(prm_queue, control_segment)
{
	BEGIN(wqe_ctrl_seg, struct mlx5_wqe_ctrl_seg);
	MEMBER(opmod_idx_opcode, "opmod idx opcode");
	MEMBER(qpn_ds, "qpn ds");
	MEMBER(signature, "signature");
	MEMBER(dci_stream_channel_id, "dci_stream_channel_id");
	MEMBER(fm_ce_se, "fm ce se");
	MEMBER(imm, "imm");

	mlx5dv_set_ctrl_seg(&bytes, 0x1234, MLX5_OPCODE_RDMA_WRITE, 0x56, 0x789abc,
			    MLX5_WQE_CTRL_CQ_UPDATE | MLX5_WQE_CTRL_SOLICITED, 5, 0, 0xcafe);
	cr_expect_eq(PRM_GET(wqe_ctrl_seg, &bytes, idx), 0x1234);
	cr_expect_eq(PRM_GET(wqe_ctrl_seg, &bytes, opcode), MLX5_OPCODE_RDMA_WRITE);
	cr_expect_eq(PRM_GET(wqe_ctrl_seg, &bytes, opmod), 0x56);
	cr_expect_eq(PRM_GET(wqe_ctrl_seg, &bytes, qpn), 0x789abc);
	cr_expect_eq(PRM_GET(wqe_ctrl_seg, &bytes, ce), MLX5_WQE_CTRL_CQ_UPDATE >> 2);
	cr_expect_eq(PRM_GET(wqe_ctrl_seg, &bytes, se), 1);
	cr_expect_eq(PRM_GET(wqe_ctrl_seg, &bytes, ds), 5);
}

static void data_segment(void)
{
	BEGIN(wqe_data_seg, struct mlx5_wqe_data_seg);
	MEMBER(byte_count, "byte_count");
	MEMBER(lkey, "lkey");
	MEMBER(addr, "addr");
}

static void inline_segment(void)
{
	BEGIN(wqe_inl_data_seg, struct mlx5_wqe_inl_data_seg);
	MEMBER(byte_count, "inl byte_count");
	bytes.byte_count = htobe32(MLX5_INLINE_SEG | 5);
	cr_expect_eq(PRM_GET(wqe_inl_data_seg, &bytes, inl), 1);
	cr_expect_eq(PRM_GET(wqe_inl_data_seg, &bytes, byte_count), 5);
}

static void remote_address_segment(void)
{
	BEGIN(wqe_raddr_seg, struct mlx5_wqe_raddr_seg);
	MEMBER(raddr, "raddr");
	MEMBER(rkey, "rkey");
	MEMBER(reserved, "");
}

static void atomic_segment(void)
{
	BEGIN(wqe_atomic_seg, struct mlx5_wqe_atomic_seg);
	MEMBER(swap_add, "swap_add");
	MEMBER(compare, "compare");
}

Test(prm_queue, short_segments)
{
	data_segment();
	inline_segment();
	remote_address_segment();
	atomic_segment();
}

Test(prm_queue, datagram_segment)
{
	BEGIN(wqe_datagram_seg, struct mlx5_wqe_datagram_seg);
	MEMBER(av.key.dc_key, "dc_key qkey");
	MEMBER(av.dqp_dct, "ext dqp_dct");
	MEMBER(av.stat_rate_sl, "stat_rate sl");
	MEMBER(av.fl_mlid, "fl mlid");
	MEMBER(av.rlid, "rlid");
	MEMBER(av.reserved0, "");
	MEMBER(av.rmac, "rmac");
	MEMBER(av.tclass, "tclass");
	MEMBER(av.hop_limit, "hop_limit");
	MEMBER(av.grh_gid_fl, "grh sgid_index flow_label");
	MEMBER(av.rgid, "rgid");
}

/* The bytes of the header that follow are not in the row. */
Test(prm_queue, ethernet_segment)
{
	struct begin {
		__be32 rsvd0;
		uint8_t cs_flags, rsvd1;
		__be16 mss;
		__be32 rsvd2;
		__be16 inline_hdr_sz;
		uint8_t inline_hdr_start[2];
	};

	static_assert(offsetof(struct mlx5_wqe_eth_seg, inline_hdr) == sizeof(struct begin),
		      "");
	static_assert(offsetof(struct mlx5_wqe_eth_seg, inline_hdr_sz) ==
			      offsetof(struct begin, inline_hdr_sz),
		      "");
	static_assert(offsetof(struct mlx5_wqe_eth_seg, mss) == offsetof(struct begin, mss),
		      "");
	BEGIN(wqe_eth_seg, struct begin);
	MEMBER(rsvd0, "swp_outer_l4_offset swp_outer_l3_offset swp_inner_l4_offset "
		      "swp_inner_l3_offset");
	MEMBER(cs_flags, "cs_flags");
	MEMBER(rsvd1, "swp_flags");
	MEMBER(mss, "mss");
	MEMBER(rsvd2, "flow_table_metadata");
	MEMBER(inline_hdr_sz, "inline_hdr_sz");
	MEMBER(inline_hdr_start, "inline_hdr_start");
}

static void umr_segment(void)
{
	BEGIN(wqe_umr_ctrl_seg, struct mlx5_wqe_umr_ctrl_seg);
	MEMBER(flags, "flags");
	MEMBER(klm_octowords, "klm_octowords");
	MEMBER(bsf_octowords, "bsf_octowords");
	MEMBER(mkey_mask, "mkey_mask");
}

static void next_segment(void)
{
	BEGIN(wqe_srq_next_seg, struct mlx5_wqe_srq_next_seg);
	MEMBER(next_wqe_index, "next_wqe_index");
	MEMBER(signature, "signature");
}

Test(prm_queue, segments_of_umr_and_srq)
{
	umr_segment();
	next_segment();
}

/* ---- values ---- */

#define OPCODE(name)                                    \
	{                                               \
		"WQE_OPCODE", #name, MLX5_OPCODE_##name \
	}
#define CQE(name)                                    \
	{                                            \
		"CQE_OPCODE", #name, MLX5_CQE_##name \
	}
#define SYNDROME(name)                                          \
	{                                                       \
		"CQE_SYNDROME", #name, MLX5_CQE_SYNDROME_##name \
	}
#define UMR_FLAG(name)                                                    \
	{                                                                 \
		"WQE_UMR_CTRL_FLAG", #name, MLX5_WQE_UMR_CTRL_FLAG_##name \
	}
#define L3(name)                                                      \
	{                                                             \
		"CQE_L3_HDR_TYPE", #name, MLX5_CQE_L3_HDR_TYPE_##name \
	}
#define MASK_BIT(name, dv)             \
	{                              \
		"MKEY_MASK", #name, dv \
	}
#define UMR_MASK(name) MLX5_WQE_UMR_CTRL_MKEY_MASK_##name

/* clang-format off */
static const struct value {
	const char *kind, *name;
	uint64_t value;
} in_mlx5dv[] = {
	OPCODE(NOP), OPCODE(SEND_INVAL), OPCODE(RDMA_WRITE), OPCODE(RDMA_WRITE_IMM), OPCODE(SEND),
	OPCODE(SEND_IMM), OPCODE(TSO), OPCODE(RDMA_READ), OPCODE(ATOMIC_CS), OPCODE(ATOMIC_FA),
	OPCODE(ATOMIC_MASKED_CS), OPCODE(ATOMIC_MASKED_FA), OPCODE(FMR), OPCODE(LOCAL_INVAL),
	OPCODE(CONFIG_CMD), OPCODE(SET_PSV), OPCODE(UMR), OPCODE(TAG_MATCHING),
	OPCODE(FLOW_TBL_ACCESS), OPCODE(MMO),
	CQE(REQ), CQE(RESP_WR_IMM), CQE(RESP_SEND), CQE(RESP_SEND_IMM), CQE(RESP_SEND_INV),
	CQE(RESIZE_CQ), CQE(NO_PACKET), CQE(SIG_ERR), CQE(REQ_ERR), CQE(RESP_ERR), CQE(INVALID),
	SYNDROME(LOCAL_LENGTH_ERR), SYNDROME(LOCAL_QP_OP_ERR), SYNDROME(LOCAL_PROT_ERR),
	SYNDROME(WR_FLUSH_ERR), SYNDROME(MW_BIND_ERR), SYNDROME(BAD_RESP_ERR),
	SYNDROME(LOCAL_ACCESS_ERR), SYNDROME(REMOTE_INVAL_REQ_ERR), SYNDROME(REMOTE_ACCESS_ERR),
	SYNDROME(REMOTE_OP_ERR), SYNDROME(TRANSPORT_RETRY_EXC_ERR), SYNDROME(RNR_RETRY_EXC_ERR),
	SYNDROME(REMOTE_ABORTED_ERR),
	UMR_FLAG(INLINE), UMR_FLAG(CHECK_FREE), UMR_FLAG(TRNSLATION_OFFSET), UMR_FLAG(CHECK_QPN),
	L3(NONE), L3(IPV6), L3(IPV4),
	{ "CQE_VENDOR_SYNDROME", "ODP_PFAULT", MLX5_CQE_VENDOR_SYNDROME_ODP_PFAULT },
	{ "ETH_WQE", "L3_CSUM", MLX5_ETH_WQE_L3_CSUM },
	{ "ETH_WQE", "L4_CSUM", MLX5_ETH_WQE_L4_CSUM },
	{ "WQE_CE", "ALWAYS", MLX5_WQE_CTRL_CQ_UPDATE >> 2 },
	{ "WQE_FENCE", "INITIATOR_SMALL", MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE >> 5 },
	{ "WQE_FENCE", "SMALL_AND_FENCE", MLX5_WQE_CTRL_FENCE >> 5 },
}, masks[] = {
	MASK_BIT(LEN, UMR_MASK(LEN)), MASK_BIT(START_ADDR, UMR_MASK(START_ADDR)),
	MASK_BIT(EN_SIGERR, UMR_MASK(SIG_ERR)), MASK_BIT(BSF_EN, UMR_MASK(BSF_ENABLE)),
	MASK_BIT(KEY, UMR_MASK(MKEY)), MASK_BIT(QPN, UMR_MASK(QPN)),
	MASK_BIT(LW, UMR_MASK(ACCESS_LOCAL_WRITE)), MASK_BIT(RR, UMR_MASK(ACCESS_REMOTE_READ)),
	MASK_BIT(RW, UMR_MASK(ACCESS_REMOTE_WRITE)), MASK_BIT(A, UMR_MASK(ACCESS_ATOMIC)),
	MASK_BIT(FREE, UMR_MASK(FREE)),
};
/* clang-format on */

Test(prm_queue, values_have_the_names_and_numbers_of_mlx5dv)
{
	uint64_t v;

	for (size_t i = 0; i < sizeof(in_mlx5dv) / sizeof(in_mlx5dv[0]); i++) {
		const struct value *x = &in_mlx5dv[i];
		const char *name = prm_value_name(x->kind, x->value, NULL);

		cr_expect_str_eq(name ? name : "(none)", x->name, "%s 0x%lx", x->kind,
				 (long)x->value);
	}
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
		cr_expect(prm_value(masks[i].kind, masks[i].name, &v) &&
				  1ULL << v == masks[i].value,
			  "%s", masks[i].name);
}
