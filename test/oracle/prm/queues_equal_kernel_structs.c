/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CQEs and segments of WQEs of include/prm/wqe.def against the structs of Linux' device.h and
 * qp.h: with all bits of one member set, exactly the fields that are listed for it are not
 * zero. The kernel names members that <infiniband/mlx5dv.h> reserves: LRO, hash, checksum,
 * header offsets.
 */
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "prm/prm.h"
#include "prm/table.h"
#include "shim.h"

typedef uint16_t __be16;
typedef uint32_t u32, __be32;
typedef uint64_t u64, __be64;
#define struct_group(name, ...) __VA_ARGS__
#define be32_to_cpu(x)		be32toh(x)
#include "kernel_queues.h"

static int compared, wrong;

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

static void member(const char *name, size_t bytes, const char *of, size_t at, size_t n,
		   const char *fields)
{
	const struct prm_struct *s = prm_struct(name);
	uint8_t image[64] = { 0 };
	char list[400];

	compared++;
	if (!s || s->bytes != bytes || at + n > sizeof(image)) {
		printf("%s has %u bytes, the kernel's struct %zu\n", name, s ? s->bytes : 0,
		       bytes);
		wrong++;
		return;
	}
	memset(image + at, 0xff, n);
	list_set(s, image, list, sizeof(list));
	if (strcmp(list, fields)) {
		printf("%s: the kernel's member %s is \"%s\", not \"%s\"\n", name, of, list,
		       fields);
		wrong++;
	}
}

#define MEMBER(s, m, fields)                                                            \
	member(#s, sizeof(struct mlx5_##s), #m, __builtin_offsetof(struct mlx5_##s, m), \
	       sizeof(((struct mlx5_##s *)0)->m), fields)

static void cqe64(void)
{
	MEMBER(cqe64, tls_outer_l3_tunneled, "tls_offload outer_l3_tunneled");
	MEMBER(cqe64, rsvd0, "");
	MEMBER(cqe64, wqe_id, "wqe_id");
	MEMBER(cqe64, lro.min_ttl, "");
	MEMBER(cqe64, lro.tcp_win, "tcp_win");
	MEMBER(cqe64, lro.ack_seq_num, "ack_seq_num");
	MEMBER(cqe64, rss_hash_result, "rss_hash_result");
	MEMBER(cqe64, rss_hash_type, "rss_hash_type");
	MEMBER(cqe64, ml_path, "ml_path");
	MEMBER(cqe64, check_sum, "check_sum");
	MEMBER(cqe64, slid, "slid");
	MEMBER(cqe64, flags_rqpn, "grh sl rqpn");
	MEMBER(cqe64, hds_ip_ext, "l4_ok l3_ok l2_ok");
	MEMBER(cqe64, l4_l3_hdr_type, "l4_hdr_type l3_hdr_type cv");
	MEMBER(cqe64, vlan_info, "vlan_info");
	MEMBER(cqe64, srqn, "lro_num_seg srqn_uidx");
	MEMBER(cqe64, inval_rkey, "imm_inval_pkey");
	MEMBER(cqe64, rsvd40, "app app_op app_info");
	MEMBER(cqe64, byte_cnt, "byte_cnt");
	MEMBER(cqe64, timestamp_h, "timestamp");
	MEMBER(cqe64, timestamp_l, "timestamp");
	MEMBER(cqe64, sop_drop_qpn, "s_wqe_opcode qpn");
	MEMBER(cqe64, wqe_counter, "wqe_counter");
	MEMBER(cqe64, signature, "signature");
	MEMBER(cqe64, op_own, "opcode format se owner");
}

static void error_cqes(void)
{
	MEMBER(err_cqe, srqn, "srqn");
	MEMBER(err_cqe, vendor_err_synd, "vendor_err_synd");
	MEMBER(err_cqe, syndrome, "syndrome");
	MEMBER(err_cqe, s_wqe_opcode_qpn, "s_wqe_opcode qpn");
	MEMBER(err_cqe, wqe_counter, "wqe_counter");
	MEMBER(err_cqe, signature, "signature");
	MEMBER(err_cqe, op_own, "opcode format se owner");
	MEMBER(sig_err_cqe, rsvd0, "");
	MEMBER(sig_err_cqe, expected_trans_sig, "expected_trans_sig");
	MEMBER(sig_err_cqe, actual_trans_sig, "actual_trans_sig");
	MEMBER(sig_err_cqe, expected_reftag, "expected_ref_tag");
	MEMBER(sig_err_cqe, actual_reftag, "actual_ref_tag");
	MEMBER(sig_err_cqe, syndrome, "syndrome");
	MEMBER(sig_err_cqe, rsvd22, "sig_type domain");
	MEMBER(sig_err_cqe, mkey, "mkey");
	MEMBER(sig_err_cqe, err_offset, "sig_err_offset");
	MEMBER(sig_err_cqe, signature, "signature");
	MEMBER(sig_err_cqe, op_own, "opcode owner");
}

static void headers_of_wqes(void)
{
	MEMBER(wqe_ctrl_seg, opmod_idx_opcode, "opmod idx opcode");
	MEMBER(wqe_ctrl_seg, qpn_ds, "qpn ds");
	MEMBER(wqe_ctrl_seg, signature, "signature");
	MEMBER(wqe_ctrl_seg, rsvd, "dci_stream_channel_id");
	MEMBER(wqe_ctrl_seg, fm_ce_se, "fm ce se");
	MEMBER(wqe_ctrl_seg, imm, "imm");
	MEMBER(wqe_eth_seg, swp_outer_l4_offset, "swp_outer_l4_offset");
	MEMBER(wqe_eth_seg, swp_outer_l3_offset, "swp_outer_l3_offset");
	MEMBER(wqe_eth_seg, swp_inner_l4_offset, "swp_inner_l4_offset");
	MEMBER(wqe_eth_seg, swp_inner_l3_offset, "swp_inner_l3_offset");
	MEMBER(wqe_eth_seg, cs_flags, "cs_flags");
	MEMBER(wqe_eth_seg, swp_flags, "swp_flags");
	MEMBER(wqe_eth_seg, mss, "mss");
	MEMBER(wqe_eth_seg, flow_table_metadata, "flow_table_metadata");
	MEMBER(wqe_eth_seg, inline_hdr.sz, "inline_hdr_sz");
	MEMBER(wqe_eth_seg, inline_hdr.start, "inline_hdr_start");
	MEMBER(wqe_datagram_seg, av.key.dc_key, "dc_key qkey");
	MEMBER(wqe_datagram_seg, av.key.qkey.qkey, "dc_key qkey");
	MEMBER(wqe_datagram_seg, av.dqp_dct, "ext dqp_dct");
	MEMBER(wqe_datagram_seg, av.stat_rate_sl, "stat_rate sl");
	MEMBER(wqe_datagram_seg, av.fl_mlid, "fl mlid");
	MEMBER(wqe_datagram_seg, av.rlid, "rlid");
	MEMBER(wqe_datagram_seg, av.rmac, "rmac");
	MEMBER(wqe_datagram_seg, av.tclass, "tclass");
	MEMBER(wqe_datagram_seg, av.hop_limit, "hop_limit");
	MEMBER(wqe_datagram_seg, av.grh_gid_fl, "grh sgid_index flow_label");
	MEMBER(wqe_datagram_seg, av.rgid, "rgid");
}

static void parts_of_wqes(void)
{
	MEMBER(wqe_raddr_seg, raddr, "raddr");
	MEMBER(wqe_raddr_seg, rkey, "rkey");
	MEMBER(wqe_raddr_seg, reserved, "");
	MEMBER(wqe_atomic_seg, swap_add, "swap_add");
	MEMBER(wqe_atomic_seg, compare, "compare");
	MEMBER(wqe_data_seg, byte_count, "byte_count");
	MEMBER(wqe_data_seg, lkey, "lkey");
	MEMBER(wqe_data_seg, addr, "addr");
	MEMBER(wqe_umr_ctrl_seg, flags, "flags");
	MEMBER(wqe_umr_ctrl_seg, xlt_octowords, "klm_octowords");
	MEMBER(wqe_umr_ctrl_seg, bsf_octowords, "bsf_octowords");
	MEMBER(wqe_umr_ctrl_seg, mkey_mask, "mkey_mask");
	MEMBER(wqe_srq_next_seg, next_wqe_index, "next_wqe_index");
	MEMBER(wqe_srq_next_seg, signature, "signature");
}

/* Bits inside a byte, by the kernel's functions and flags. */
static void bits(void)
{
	struct mlx5_cqe64 cqe;
	uint8_t *p = (uint8_t *)&cqe;

#define SAME(field, value)                                                                     \
	do {                                                                                   \
		if (PRM_GET(cqe64, p, field) != (uint64_t)(value)) {                           \
			printf("cqe64.%s is not what the kernel reads (pattern %d)\n", #field, \
			       pattern);                                                       \
			wrong++;                                                               \
		}                                                                              \
	} while (0)
	for (int pattern = 0; pattern < 256 && !wrong; pattern++) {
		for (int i = 0; i < 64; i++)
			p[i] = (uint8_t)(i * 37 + pattern);
		SAME(opcode, get_cqe_opcode(&cqe));
		SAME(format, mlx5_get_cqe_format(&cqe));
		SAME(l4_hdr_type, get_cqe_l4_hdr_type(&cqe));
		SAME(outer_l3_tunneled, cqe_is_tunneled(&cqe));
		SAME(tls_offload, get_cqe_tls_offload(&cqe));
		SAME(cv, cqe_has_vlan(&cqe));
		SAME(timestamp, get_cqe_ts(&cqe));
		SAME(l2_ok, (cqe.hds_ip_ext & CQE_L2_OK) != 0);
		SAME(l3_ok, (cqe.hds_ip_ext & CQE_L3_OK) != 0);
		SAME(l4_ok, (cqe.hds_ip_ext & CQE_L4_OK) != 0);
	}
}

int main(void)
{
	cqe64();
	error_cqes();
	headers_of_wqes();
	parts_of_wqes();
	bits();
	printf("prm: %d members of CQEs and WQEs compared with Linux' device.h and qp.h, "
	       "%d wrong\n",
	       compared, wrong);
	return wrong != 0;
}
