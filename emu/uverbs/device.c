/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QUERY_DEVICE: capabilities in verbs' words. Every number is derived from QUERY_HCA_CAP as
 * mlx5_ib does it (main.c, mlx5_ib_query_device; odp.c for on-demand paging).
 */
#include <endian.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "uverbs/ethernet.h"
#include "uverbs/mr.h"

#define CTRL_SEG	 16
#define RADDR_SEG	 16
#define DATA_SEG	 16
#define SQ_DESC_MAX	 512
#define SGE_RD_MAX	 30 /* mlx5_ib: MLX5_MAX_SGE_RD */
#define TIMESTAMP_MASK	 0x7fffffffffffffffull
#define ATOMIC_8B	 8 /* a bit of atomic_size_qp */
#define ATOMIC_CMP_SWAP	 1
#define ATOMIC_FETCH_ADD 2
#define RAW_PACKET	 (1u << IBV_QPT_RAW_PACKET) /* of supported_qpts */
#define RX_HASH_FIELDS                                                                   \
	(MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_DST_IPV4 | MLX5_RX_HASH_SRC_IPV6 |         \
	 MLX5_RX_HASH_DST_IPV6 | MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_DST_PORT_TCP | \
	 MLX5_RX_HASH_SRC_PORT_UDP | MLX5_RX_HASH_DST_PORT_UDP | MLX5_RX_HASH_INNER)

static uint32_t send_sge(const struct uverbs *u)
{
	uint32_t desc = UVERBS_CAP(u, max_wqe_sz_sq);

	if (desc > SQ_DESC_MAX)
		desc = SQ_DESC_MAX;
	return (desc - CTRL_SEG - RADDR_SEG) / DATA_SEG;
}

static uint32_t recv_sge(const struct uverbs *u)
{
	return UVERBS_CAP(u, max_wqe_sz_rq) / DATA_SEG;
}

/* mlx5_ib, main.c: get_atomic_caps_qp */
static uint32_t atomic_cap(const struct uverbs *u)
{
	const uint8_t *caps = u->caps[PRM_CAP_ATOMIC];
	uint32_t both = ATOMIC_CMP_SWAP | ATOMIC_FETCH_ADD;

	if ((PRM_GET(atomic_caps, caps, atomic_operations) & both) == both &&
	    PRM_GET(atomic_caps, caps, atomic_size_qp) & ATOMIC_8B)
		return IBV_ATOMIC_HCA;
	return IBV_ATOMIC_NONE;
}

/* mlx5_core, vport.h: mlx5_to_sw_pkey_sz */
uint32_t uverbs_pkeys(const struct uverbs *u)
{
	return 128u << UVERBS_CAP(u, pkey_table_size);
}

static uint64_t cap_flags(const struct uverbs *u)
{
	uint64_t flags = IBV_DEVICE_CHANGE_PHY_PORT | IBV_DEVICE_PORT_ACTIVE_EVENT |
			 IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_RC_RNR_NAK_GEN;

	if (UVERBS_CAP(u, pkv))
		flags |= IBV_DEVICE_BAD_PKEY_CNTR;
	if (UVERBS_CAP(u, qkv))
		flags |= IBV_DEVICE_BAD_QKEY_CNTR;
	if (UVERBS_CAP(u, apm))
		flags |= IBV_DEVICE_AUTO_PATH_MIG;
	if (UVERBS_CAP(u, xrc))
		flags |= IBV_DEVICE_XRC;
	if (UVERBS_CAP(u, imaicl))
		flags |= IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B;
	if (UVERBS_CAP(u, eth_net_offloads) && UVERBS_ETH(u, csum_cap))
		flags |= IBV_DEVICE_RAW_IP_CSUM;
	if (uverbs_has_flows(u))
		flags |= IBV_DEVICE_MANAGED_FLOW_STEERING;
	if (UVERBS_CAP(u, end_pad))
		flags |= IBV_DEVICE_PCI_WRITE_END_PADDING;
	if (uverbs_scatters_fcs(u))
		flags |= IBV_DEVICE_RAW_SCATTER_FCS;
	if (!UVERBS_CAP(u, umr_modify_entity_size_disabled))
		flags |= IBV_DEVICE_MEM_MGT_EXTENSIONS;
	return flags;
}

uint64_t uverbs_device_flags(const struct hca *hca)
{
	struct uverbs *u = calloc(1, sizeof(*u));
	uint64_t flags = 0;

	if (!u)
		return 0;
	if (hca->caps[PRM_CAP_GENERAL])
		memcpy(u->caps[PRM_CAP_GENERAL], hca->caps[PRM_CAP_GENERAL],
		       PRM_SZ(cmd_hca_cap));
	if (hca->caps[PRM_CAP_ETHERNET_OFFLOADS])
		memcpy(u->caps[PRM_CAP_ETHERNET_OFFLOADS], hca->caps[PRM_CAP_ETHERNET_OFFLOADS],
		       PRM_SZ(per_protocol_networking_offload_caps));
	flags = cap_flags(u);
	free(u);
	return flags;
}

/* mlx5_ib, main.c, mlx5_ib_calc_max_qp_wr: a WQE of the largest kind, that of an XRC initiator
 * which changes an mkey, has 148 bytes and one data segment; in whole powers of two. */
static uint32_t max_qp_wr(const struct uverbs *u)
{
	uint32_t blocks = 1u << UVERBS_CAP(u, log_max_qp_sz);

	return kernel_has(u->kernel, KERNEL_QP_WR_OF_LARGEST) ? blocks / 4 : blocks;
}

static void fill_limits(const struct uverbs *u, struct ib_uverbs_query_device_resp *r)
{
	r->max_qp = 1u << UVERBS_CAP(u, log_max_qp);
	r->max_qp_wr = max_qp_wr(u);
	r->max_sge = send_sge(u) < recv_sge(u) ? send_sge(u) : recv_sge(u);
	r->max_sge_rd = SGE_RD_MAX;
	r->max_cq = 1u << UVERBS_CAP(u, log_max_cq);
	r->max_cqe = (1u << UVERBS_CAP(u, log_max_cq_sz)) - 1;
	r->max_mr = 1u << UVERBS_CAP(u, log_max_mkey);
	r->max_pd = 1u << UVERBS_CAP(u, log_max_pd);
	r->max_qp_rd_atom = 1u << UVERBS_CAP(u, log_max_ra_req_qp);
	r->max_qp_init_rd_atom = 1u << UVERBS_CAP(u, log_max_ra_res_qp);
	r->max_res_rd_atom = r->max_qp_rd_atom * r->max_qp;
	r->max_mw = UVERBS_CAP(u, imaicl) ? 1u << UVERBS_CAP(u, log_max_mkey) : 0;
	r->max_srq = 1u << UVERBS_CAP(u, log_max_srq);
	r->max_srq_wr = (1u << UVERBS_CAP(u, log_max_srq_sz)) - 1;
	r->max_srq_sge = recv_sge(u) - 1;
	r->max_mcast_grp = 1u << UVERBS_CAP(u, log_max_mcg);
	r->max_mcast_qp_attach = UVERBS_CAP(u, max_qp_mcg);
	r->max_total_mcast_qp_attach = r->max_mcast_qp_attach * r->max_mcast_grp;
	r->max_ah = INT_MAX;
	r->max_pkeys = uverbs_pkeys(u);
	r->local_ca_ack_delay = UVERBS_CAP(u, local_ca_ack_delay);
}

static void fill(const struct uverbs *u, struct ib_uverbs_query_device_resp *r)
{
	memset(r, 0, sizeof(*r));
	r->fw_ver = u->fw_ver;
	r->node_guid = htobe64(u->node_guid);
	r->sys_image_guid = htobe64(u->sys_image_guid);
	r->max_mr_size = UINT64_MAX;
	r->page_size_cap = ~((1ull << UVERBS_CAP(u, log_pg_sz)) - 1);
	r->vendor_id = u->vendor_id;
	r->vendor_part_id = u->pci_id;
	r->device_cap_flags = (uint32_t)cap_flags(u);
	r->atomic_cap = atomic_cap(u);
	r->phys_port_cnt = UVERBS_PORTS;
	fill_limits(u, r);
}

int uverbs_query_device(struct uverbs_call *c)
{
	struct ib_uverbs_query_device cmd;
	struct ib_uverbs_query_device_resp r;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	fill(c->u, &r);
	uverbs_response(c, &r);
	return 0;
}

/* Limits of raw packet QPs and work queues: sizes and offloads of an RQ. */
static void fill_raw(const struct uverbs *u, struct ib_uverbs_ex_query_device_resp *r)
{
	if (uverbs_scatters_fcs(u))
		r->raw_packet_caps |= IBV_RAW_PACKET_CAP_SCATTER_FCS;
	if (uverbs_strips_vlan(u))
		r->raw_packet_caps |= IBV_RAW_PACKET_CAP_CVLAN_STRIPPING;
	if (r->device_cap_flags_ex & IBV_DEVICE_RAW_IP_CSUM)
		r->raw_packet_caps |= IBV_RAW_PACKET_CAP_IP_CSUM;
	r->rss_caps.supported_qpts = RAW_PACKET;
	r->rss_caps.max_rwq_indirection_tables = 1u << UVERBS_CAP(u, log_max_rqt);
	r->rss_caps.max_rwq_indirection_table_size = 1u << UVERBS_CAP(u, log_max_rqt_size);
	r->max_wq_type_rq = 1u << UVERBS_CAP(u, log_max_rq);
}

static void fill_ex(const struct uverbs *u, struct ib_uverbs_ex_query_device_resp *r)
{
	memset(r, 0, sizeof(*r));
	fill(u, &r->base);
	r->timestamp_mask = TIMESTAMP_MASK;
	r->hca_core_clock = UVERBS_CAP(u, device_frequency_khz);
	r->device_cap_flags_ex = cap_flags(u);
	fill_raw(u, r);
	uverbs_odp_caps(u, r);
	r->max_dm_size = PRM_GET(device_mem_cap, u->caps[PRM_CAP_DEV_MEM], max_memic_size);
	if (UVERBS_CAP(u, cq_moderation)) {
		/* <linux/mlx5/cq.h>: MLX5_MAX_CQ_COUNT, MLX5_MAX_CQ_PERIOD */
		r->cq_moderation_caps.max_cq_moderation_count = UINT16_MAX;
		r->cq_moderation_caps.max_cq_moderation_period = 0xfff;
	}
}

/* Members of mlx5_ib_query_device_resp after its last one of Linux 6.1: two reserved bytes, and
 * reg_c0, a value and a mask. */
#define DEVICE_RESP_6_1                                                 \
	(offsetof(struct mlx5_ib_query_device_resp, dci_streams_caps) + \
	 sizeof(struct mlx5_ib_dci_streams_caps))
#define DEVICE_RESP_REG_C0 (DEVICE_RESP_6_1 + 2 + 8)

static uint32_t end_of_known(const struct uverbs *u, size_t outlen)
{
	size_t known = kernel_has(u->kernel, KERNEL_DEVICE_REG_C0) ? DEVICE_RESP_REG_C0
								   : DEVICE_RESP_6_1;

	return outlen < known ? outlen : known;
}

static void fill_sending(const struct uverbs *u, struct mlx5_ib_query_device_resp *r)
{
	const uint8_t *qos = u->caps[PRM_CAP_QOS];

	if (UVERBS_CAP(u, eth_net_offloads) && UVERBS_ETH(u, max_lso_cap)) {
		r->tso_caps.max_tso = 1u << UVERBS_ETH(u, max_lso_cap);
		r->tso_caps.supported_qpts = RAW_PACKET;
	}
	if (UVERBS_CAP(u, qos) && PRM_GET(qos_cap, qos, packet_pacing)) {
		r->packet_pacing_caps.qp_rate_limit_min =
			PRM_GET(qos_cap, qos, packet_pacing_min_rate);
		r->packet_pacing_caps.qp_rate_limit_max =
			PRM_GET(qos_cap, qos, packet_pacing_max_rate);
		r->packet_pacing_caps.supported_qpts = RAW_PACKET;
		if (uverbs_rate_has_burst(u) && uverbs_rate_has_packet(u))
			r->packet_pacing_caps.cap_flags = MLX5_IB_PP_SUPPORT_BURST;
	}
	if (UVERBS_ETH(u, multi_pkt_send_wqe))
		r->mlx5_ib_support_multi_pkt_send_wqes = MLX5_IB_ALLOW_MPW;
	if (UVERBS_ETH(u, enhanced_multi_pkt_send_wqe))
		r->mlx5_ib_support_multi_pkt_send_wqes |= MLX5_IB_SUPPORT_EMPW;
	if (UVERBS_ETH(u, swp))
		r->sw_parsing_caps.sw_parsing_offloads = MLX5_IB_SW_PARSING;
	if (UVERBS_ETH(u, swp_csum))
		r->sw_parsing_caps.sw_parsing_offloads |= MLX5_IB_SW_PARSING_CSUM;
	if (UVERBS_ETH(u, swp_lso))
		r->sw_parsing_caps.sw_parsing_offloads |= MLX5_IB_SW_PARSING_LSO;
	if (r->sw_parsing_caps.sw_parsing_offloads)
		r->sw_parsing_caps.supported_qpts = RAW_PACKET;
}

static void fill_receiving(const struct uverbs *u, struct mlx5_ib_query_device_resp *r)
{
	if (UVERBS_CAP(u, eth_net_offloads)) {
		r->rss_caps.rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ;
		r->rss_caps.rx_hash_fields_mask = RX_HASH_FIELDS;
	}
	if (UVERBS_CAP(u, striding_rq))
		r->striding_rq_caps = (struct mlx5_ib_striding_rq_caps){
			.min_single_stride_log_num_of_bytes = UVERBS_LOG_STRIDE_BYTES_MIN,
			.max_single_stride_log_num_of_bytes = UVERBS_LOG_STRIDE_BYTES_MAX,
			.min_single_wqe_log_num_of_strides = uverbs_min_log_strides(u),
			.max_single_wqe_log_num_of_strides = UVERBS_LOG_STRIDES_MAX,
			.supported_qpts = RAW_PACKET,
		};
	if (UVERBS_ETH(u, tunnel_stateless_vxlan))
		r->tunnel_offloads_caps |= MLX5_IB_TUNNELED_OFFLOADS_VXLAN;
	if (UVERBS_ETH(u, tunnel_stateless_geneve_rx))
		r->tunnel_offloads_caps |= MLX5_IB_TUNNELED_OFFLOADS_GENEVE;
	if (UVERBS_ETH(u, tunnel_stateless_gre))
		r->tunnel_offloads_caps |= MLX5_IB_TUNNELED_OFFLOADS_GRE;
	if (UVERBS_ETH(u, tunnel_stateless_mpls_over_gre))
		r->tunnel_offloads_caps |= MLX5_IB_TUNNELED_OFFLOADS_MPLS_GRE;
	if (UVERBS_ETH(u, tunnel_stateless_mpls_over_udp))
		r->tunnel_offloads_caps |= MLX5_IB_TUNNELED_OFFLOADS_MPLS_UDP;
}

static void fill_mlx5(const struct uverbs *u, struct mlx5_ib_query_device_resp *r)
{
	if (UVERBS_CAP(u, cqe_compression)) {
		r->cqe_comp_caps.max_num = UVERBS_CAP(u, cqe_compression_max_num);
		r->cqe_comp_caps.supported_format =
			MLX5_IB_CQE_RES_FORMAT_HASH | MLX5_IB_CQE_RES_FORMAT_CSUM;
		if (UVERBS_CAP(u, mini_cqe_resp_stride_index))
			r->cqe_comp_caps.supported_format |= MLX5_IB_CQE_RES_FORMAT_CSUM_STRIDX;
	}
	if (UVERBS_CAP(u, cqe_compression_128))
		r->flags |= MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_COMP;
	if (UVERBS_CAP(u, cqe_128_always))
		r->flags |= MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_PAD;
	if (UVERBS_CAP(u, qp_packet_based))
		r->flags |= MLX5_IB_QUERY_DEV_RESP_PACKET_BASED_CREDIT_MODE;
	r->flags |= MLX5_IB_QUERY_DEV_RESP_FLAGS_SCAT2CQE_DCT;
	fill_sending(u, r);
	fill_receiving(u, r);
}

static int answer_mlx5(struct uverbs_call *c)
{
	union {
		struct mlx5_ib_query_device_resp known;
		uint8_t all[DEVICE_RESP_REG_C0]; /* reg_c0 of an adapter without eswitch: 0 */
	} r = { 0 };
	size_t outlen = uverbs_len(c, UVERBS_ATTR_UHW_OUT);
	uint8_t in[8];

	if (!outlen)
		return 0;
	if (outlen < offsetof(struct mlx5_ib_query_device_resp, tso_caps))
		return -EINVAL;
	if (uverbs_has(c, UVERBS_ATTR_UHW_IN) && uverbs_get_all(c, UVERBS_ATTR_UHW_IN, in, 0))
		return -EINVAL;
	fill_mlx5(c->u, &r.known);
	r.known.response_length = end_of_known(c->u, outlen);
	uverbs_put(c, UVERBS_ATTR_UHW_OUT, &r, r.known.response_length);
	return 0;
}

int uverbs_ex_query_device(struct uverbs_call *c)
{
	struct ib_uverbs_ex_query_device cmd;
	struct ib_uverbs_ex_query_device_resp r;
	size_t outlen = uverbs_len(c, UVERBS_ATTR_CORE_OUT);
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.reserved)
		return -EINVAL;
	ret = answer_mlx5(c);
	if (ret)
		return ret;
	fill_ex(c->u, &r);
	r.response_length = outlen < sizeof(r) ? outlen : sizeof(r);
	uverbs_response(c, &r);
	return 0;
}
