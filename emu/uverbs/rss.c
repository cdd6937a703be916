/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receive-side scaling: a QP that has no separate queue, only a TIR that spreads frames over
 * the work queues of a table by a hash of their headers (mlx5_ib, qp.c, create_rss_raw_qp_tir).
 *
 *	fields, key, table --CREATE_TIR--> QP of number 0, which has no states
 */
#include <infiniband/verbs.h>

#include "uverbs/ethernet.h"

#define IPV4	 (MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_DST_IPV4)
#define IPV6	 (MLX5_RX_HASH_SRC_IPV6 | MLX5_RX_HASH_DST_IPV6)
#define TCP	 (MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_DST_PORT_TCP)
#define UDP	 (MLX5_RX_HASH_SRC_PORT_UDP | MLX5_RX_HASH_DST_PORT_UDP)
#define SPI	 MLX5_RX_HASH_IPSEC_SPI
#define KEY_SIZE 40

/* rx_hash_field_select.selected_fields: <linux/mlx5/device.h>, MLX5_HASH_FIELD_SEL_* */
#define SEL_SRC_IP   (1u << 0)
#define SEL_DST_IP   (1u << 1)
#define SEL_L4_SPORT (1u << 2)
#define SEL_L4_DPORT (1u << 3)
#define SEL_SPI	     (1u << 4)

#define TIR_FLAGS                                                           \
	(MLX5_QP_FLAG_TUNNEL_OFFLOADS | MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC | \
	 MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC)

/* How many of the kinds of headers in layer 4 are asked for. */
static int l4_kinds(uint64_t fields)
{
	return !!(fields & TCP) + !!(fields & UDP) + !!(fields & SPI);
}

static int check_hash(const struct uverbs_qp_attr *a)
{
	const struct mlx5_ib_create_qp_rss *rss = &a->rss;
	uint64_t fields = rss->rx_hash_fields_mask;

	if (rss->comp_mask)
		return -EOPNOTSUPP;
	if (fields & MLX5_RX_HASH_INNER && !(rss->flags & MLX5_QP_FLAG_TUNNEL_OFFLOADS))
		return -EOPNOTSUPP;
	if (rss->rx_hash_function != MLX5_RX_HASH_FUNC_TOEPLITZ)
		return -EOPNOTSUPP;
	if (rss->rx_key_len != KEY_SIZE)
		return -EINVAL;
	if (!fields)
		return a->table->log_size ? -EINVAL : 0;
	return (fields & IPV4 && fields & IPV6) || l4_kinds(fields) > 1 ? -EINVAL : 0;
}

/* Reads libmlx5's request in the order of mlx5_ib_create_qp: size, flags, hash. */
int uverbs_rss_read(const struct uverbs_call *c, struct uverbs_qp_attr *a)
{
	uint32_t flags;
	int ret;

	if (!c->file->cqe_version)
		return -EINVAL;
	if (uverbs_len(c, UVERBS_ATTR_UHW_IN) < sizeof(a->rss) ||
	    uverbs_len(c, UVERBS_ATTR_UHW_OUT) <
		    offsetof(struct mlx5_ib_create_qp_resp, ece_options))
		return -EINVAL;
	ret = uverbs_get_all(c, UVERBS_ATTR_UHW_IN, &a->rss, sizeof(a->rss));
	if (ret)
		return ret == -EOPNOTSUPP ? -EINVAL : ret;
	flags = a->rss.flags;
	if (flags & MLX5_QP_FLAG_TUNNEL_OFFLOADS && !uverbs_knows_tunnels(c->u))
		return -EINVAL;
	if (flags & ~TIR_FLAGS || a->flags || a->scq)
		return -EINVAL;
	return check_hash(a);
}

static uint32_t selected(uint64_t fields)
{
	uint32_t sel = 0;

	if (fields & (MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_SRC_IPV6))
		sel |= SEL_SRC_IP;
	if (fields & (MLX5_RX_HASH_DST_IPV4 | MLX5_RX_HASH_DST_IPV6))
		sel |= SEL_DST_IP;
	if (fields & (MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_SRC_PORT_UDP))
		sel |= SEL_L4_SPORT;
	if (fields & (MLX5_RX_HASH_DST_PORT_TCP | MLX5_RX_HASH_DST_PORT_UDP))
		sel |= SEL_L4_DPORT;
	if (fields & SPI)
		sel |= SEL_SPI;
	return sel;
}

static void fill_hash(const struct mlx5_ib_create_qp_rss *rss, uint8_t *tirc)
{
	uint64_t fields = rss->rx_hash_fields_mask;
	uint8_t *sel = fields & MLX5_RX_HASH_INNER
			       ? PRM_ADDR(tirc, tirc, rx_hash_field_selector_inner)
			       : PRM_ADDR(tirc, tirc, rx_hash_field_selector_outer);

	PRM_SET(tirc, tirc, rx_hash_fn, PRM_RX_HASH_FN_TOEPLITZ);
	memcpy(PRM_ADDR(tirc, tirc, rx_hash_toeplitz_key), rss->rx_hash_key, KEY_SIZE);
	PRM_SET(rx_hash_field_select, sel, l3_prot_type, !!(fields & IPV6));
	PRM_SET(rx_hash_field_select, sel, l4_prot_type, !!(fields & UDP));
	PRM_SET(rx_hash_field_select, sel, selected_fields, selected(fields));
}

int uverbs_rss_create(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		      struct uverbs_qp *qp)
{
	uint8_t in[PRM_SZ(create_tir_in)] = { 0 }, out[PRM_SZ(create_tir_out)] = { 0 };
	uint8_t *tirc = PRM_ADDR(create_tir_in, in, ctx);
	int ret = uverbs_flow_caps_read(f->u); /* for the address in the answer */

	if (ret)
		return ret;
	PRM_SET(create_tir_in, in, opcode, PRM_OP_CREATE_TIR);
	PRM_SET(create_tir_in, in, uid, a->uid);
	PRM_SET(tirc, tirc, disp_type, PRM_TIRC_DISP_TYPE_INDIRECT);
	PRM_SET(tirc, tirc, indirect_table, a->table->rqtn);
	PRM_SET(tirc, tirc, transport_domain, f->tdn);
	PRM_SET(tirc, tirc, tunneled_offload_en,
		!!(a->rss.flags & MLX5_QP_FLAG_TUNNEL_OFFLOADS));
	PRM_SET(tirc, tirc, self_lb_block, uverbs_self_loopback(a->rss.flags));
	fill_hash(&a->rss, tirc);
	ret = uverbs_fw(f->u, in, sizeof(in), out, sizeof(out));
	uverbs_raw_tir(&qp->raw_rq, out);
	if (!ret)
		uverbs_raw_loops(f->u, &qp->raw_rq, uverbs_self_loopback(a->rss.flags));
	return ret;
}

void uverbs_rss_destroy(struct uverbs *u, struct uverbs_qp *qp)
{
	uverbs_raw_loops(u, &qp->raw_rq, false);
	uverbs_fw_number(u, PRM_OP_DESTROY_TIR, qp->uid, qp->raw_rq.interface);
}
