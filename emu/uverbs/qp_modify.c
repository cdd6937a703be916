/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MODIFY_QP: ib_uverbs checks what it can (uverbs_cmd.c, modify_qp), ib_core resolves the
 * address, mlx5_ib checks the rest and builds a QPC (qp.c, __mlx5_ib_modify_qp).
 *
 *	attributes + mask -> allowed here? -> QPC -> RST2INIT … 2ERR -> the new state
 */
#include <linux/capability.h>

#include <infiniband/verbs.h>

#include "uverbs/address.h"
#include "uverbs/qp.h"

#define STANDARD_BITS	 ((IBV_QP_DEST_QPN << 1) - 1)
#define PSN_MASK	 0xffffff
#define CONTROLLED_QKEY	 0x80000000u /* InfiniBand specification, chapter 10, "Q_Keys" */
#define LOG_MSG_MAX_UD	 12	     /* mlx5_ib: of a UD QP */
#define LOG_ACK_REQ_FREQ 8	     /* mlx5_ib: MLX5_IB_ACK_REQ_FREQ */
#define ATOMIC_EXTENDED	 0xc	     /* atomic_operations: MLX5_ATOMIC_OPS_EXTENDED_* */
#define ATOMIC_SIZES	 0x1ff
#define STAT_RATE_OFFSET 5 /* mlx5_ib: MLX5_STAT_RATE_OFFSET */

struct change {
	struct uverbs *u;
	struct uverbs_qp *qp;
	const struct ib_uverbs_modify_qp *a;
	struct uverbs_rate_limit limit; /* with RATE_LIMIT */
	uint32_t ece;
	uint32_t mask;
	uint8_t from, to;
	struct ib_uverbs_ah_attr ah; /* with AV */
	const struct hca_gid *gid;
	uint8_t dmac[6];
};

static bool port_ok(uint8_t port)
{
	return port - 1u < UVERBS_PORTS;
}

/* uverbs_cmd.c: modify_qp */
static int check_core(const struct change *ch)
{
	const struct ib_uverbs_modify_qp *a = ch->a;

	if (ch->mask & IBV_QP_PORT && !port_ok(a->port_num))
		return -EINVAL;
	if (ch->mask & IBV_QP_AV && !port_ok(a->dest.port_num))
		return -EINVAL;
	if (ch->mask & IBV_QP_AV && ch->mask & IBV_QP_STATE && a->qp_state == IBV_QPS_RTR &&
	    a->dest.port_num != ch->qp->port)
		return -EINVAL;
	if (ch->mask & IBV_QP_CUR_STATE && a->cur_qp_state > IBV_QPS_ERR)
		return -EINVAL;
	if (ch->mask & IBV_QP_STATE && a->qp_state > IBV_QPS_ERR)
		return -EINVAL;
	if (ch->mask & IBV_QP_QKEY && a->qkey & CONTROLLED_QKEY && !uverbs_capable(CAP_NET_RAW))
		return -EPERM;
	/* verbs.c, _ib_modify_qp: alternate paths are for InfiniBand, not for RoCE. */
	return ch->mask & IBV_QP_ALT_PATH ? -EINVAL : 0;
}

/* ib_core, verbs.c, is_qp_type_connected: for other QPs only the GID is looked up. */
static bool is_connected(const struct uverbs_qp *qp)
{
	return qp->type != UVERBS_QPT_DCI && qp->type != UVERBS_QPT_DCT;
}

static int resolve(struct change *ch)
{
	const struct ib_uverbs_qp_dest *d = &ch->a->dest;
	int ret;

	if (!(ch->mask & IBV_QP_AV))
		return 0;
	ch->ah = (struct ib_uverbs_ah_attr){
		.grh = { .flow_label = d->flow_label,
			 .sgid_index = d->sgid_index,
			 .hop_limit = d->hop_limit,
			 .traffic_class = d->traffic_class },
		.sl = d->sl,
		.static_rate = d->static_rate,
		.is_global = d->is_global,
		.port_num = d->port_num,
	};
	memcpy(ch->ah.grh.dgid, d->dgid, sizeof(d->dgid));
	if (!is_connected(ch->qp))
		return d->is_global ? uverbs_gid(ch->u, d->sgid_index, &ch->gid) : 0;
	ch->qp->obj.uses++; /* it stays while the lock is free */
	ret = uverbs_resolve(ch->u, &ch->ah, &ch->gid, ch->dmac);
	ch->qp->obj.uses--;
	return ret;
}

static struct uverbs_qp_change change_of(const struct change *ch)
{
	return (struct uverbs_qp_change){
		.type = ch->qp->type, .from = ch->from, .to = ch->to, .mask = ch->mask
	};
}

/* mlx5_ib, qp.c: mlx5_ib_modify_qp, validate_rd_atomic */
static int check_mlx5(const struct change *ch)
{
	const struct ib_uverbs_modify_qp *a = ch->a;

	const struct uverbs_qp_change change = change_of(ch);

	if (!uverbs_qp_mask_ok(&change))
		return -EINVAL;
	if (ch->mask & IBV_QP_PKEY_INDEX && a->pkey_index >= uverbs_pkeys(ch->u))
		return -EINVAL;
	if (ch->mask & IBV_QP_MAX_QP_RD_ATOMIC &&
	    a->max_rd_atomic > 1u << (ch->qp->type == UVERBS_QPT_DCI
					      ? UVERBS_CAP(ch->u, log_max_ra_res_dc)
					      : UVERBS_CAP(ch->u, log_max_ra_req_qp)))
		return -EINVAL;
	if (ch->mask & IBV_QP_MAX_DEST_RD_ATOMIC &&
	    a->max_dest_rd_atomic > 1u << UVERBS_CAP(ch->u, log_max_ra_res_qp))
		return -EINVAL;
	if (ch->mask & IBV_QP_PATH_MTU &&
	    (a->path_mtu < IBV_MTU_256 || a->path_mtu > IBV_MTU_4096))
		return -EINVAL;
	return 0;
}

/* mlx5_ib, qp.c, mlx5r_ib_rate: the next lower rate that the device can limit to */
int uverbs_stat_rate(const struct uverbs *u, uint8_t rate, uint8_t *out)
{
	uint32_t support = UVERBS_CAP(u, stat_rate_support);

	if (rate == IBV_RATE_800_GBPS && kernel_has(u->kernel, KERNEL_RATE_800))
		rate = 0; /* no limit, as the port is slower */
	if (rate && (rate < IBV_RATE_2_5_GBPS || rate > IBV_RATE_600_GBPS))
		return -EINVAL;
	while (rate && !(support >> (rate + STAT_RATE_OFFSET) & 1))
		rate--;
	*out = rate ? rate + STAT_RATE_OFFSET : 0;
	return 0;
}

/* mlx5_ib, qp.c: mlx5_set_path on RoCE */
static int fill_path(const struct change *ch, uint8_t *path)
{
	const struct ib_uverbs_global_route *grh = &ch->ah.grh;
	const uint8_t *mac = ch->dmac;
	uint8_t rate;
	int ret;

	if (!ch->ah.is_global)
		return -EINVAL;
	ret = uverbs_stat_rate(ch->u, ch->ah.static_rate, &rate);
	if (ret)
		return ret;
	PRM_SET(ads, path, rmac_47_32, mac[0] << 8 | mac[1]);
	PRM_SET(ads, path, rmac_31_0,
		(uint32_t)mac[2] << 24 | mac[3] << 16 | mac[4] << 8 | mac[5]);
	if (ch->gid->version == PRM_ROCE_VERSION_2) {
		if (ch->mask & IBV_QP_DEST_QPN)
			PRM_SET(ads, path, udp_sport,
				uverbs_udp_sport(grh->flow_label, ch->qp->qpn,
						 ch->a->dest_qp_num));
		PRM_SET(ads, path, dscp, grh->traffic_class >> 2);
	}
	PRM_SET(ads, path, eth_prio, ch->ah.sl & 7);
	PRM_SET(ads, path, src_addr_index, grh->sgid_index);
	PRM_SET(ads, path, hop_limit, grh->hop_limit);
	PRM_SET(ads, path, tclass, grh->traffic_class);
	PRM_SET(ads, path, flow_label, grh->flow_label);
	memcpy(PRM_ADDR(ads, path, rgid_rip), grh->dgid, sizeof(grh->dgid));
	PRM_SET(ads, path, stat_rate, rate);
	PRM_SET(ads, path, vhca_port_num, ch->qp->port);
	return 0;
}

static bool device_has_atomics(const struct uverbs *u)
{
	const uint8_t *caps = u->caps[PRM_CAP_ATOMIC];

	/* compare-and-swap and fetch-and-add of 8 bytes */
	return (PRM_GET(atomic_caps, caps, atomic_operations) & 3) == 3;
}

/* mlx5_ib, qp.c, get_atomic_mode: the largest that the device has. */
int uverbs_atomic_mode(const struct uverbs *u, uint8_t type)
{
	const uint8_t *caps = u->caps[PRM_CAP_ATOMIC];
	uint32_t sizes = (type == UVERBS_QPT_DCT ? PRM_GET(atomic_caps, caps, atomic_size_dc)
						 : PRM_GET(atomic_caps, caps, atomic_size_qp)) &
			 ATOMIC_SIZES;
	int mode;

	if (!device_has_atomics(u))
		return -EOPNOTSUPP;
	if (!(PRM_GET(atomic_caps, caps, atomic_operations) & ATOMIC_EXTENDED) || !sizes)
		return PRM_QPC_ATOMIC_MODE_IB_SPEC;
	mode = 31 - __builtin_clz(sizes);
	return mode > PRM_QPC_ATOMIC_MODE_UP_TO_8B ? mode : PRM_QPC_ATOMIC_MODE_UP_TO_8B;
}

/* mlx5_ib, qp.c, set_qpc_atomic_flags: who grants no responder resources grants writes only. */
static int fill_access(const struct change *ch, uint8_t *qpc)
{
	uint32_t access =
		ch->mask & IBV_QP_ACCESS_FLAGS ? ch->a->qp_access_flags : ch->qp->access;
	uint8_t depth = ch->mask & IBV_QP_MAX_DEST_RD_ATOMIC ? ch->a->max_dest_rd_atomic
							     : ch->qp->resp_depth;

	if (!(ch->mask & (IBV_QP_ACCESS_FLAGS | IBV_QP_MAX_DEST_RD_ATOMIC)))
		return 0;
	if (!depth)
		access &= IBV_ACCESS_REMOTE_WRITE;
	PRM_SET(qpc, qpc, rre, !!(access & IBV_ACCESS_REMOTE_READ));
	PRM_SET(qpc, qpc, rwe, !!(access & IBV_ACCESS_REMOTE_WRITE));
	if (access & IBV_ACCESS_REMOTE_ATOMIC) {
		int mode = uverbs_atomic_mode(ch->u, ch->qp->type);

		if (mode < 0)
			return mode;
		PRM_SET(qpc, qpc, rae, 1);
		PRM_SET(qpc, qpc, atomic_mode, mode);
	}
	return 0;
}

/* Another state is 0, which is ARMED. */
static void fill_pm_state(const struct change *ch, uint8_t *qpc)
{
	static const uint8_t pm_state[] = { [IBV_MIG_MIGRATED] = PRM_QPC_PM_STATE_MIGRATED,
					    [IBV_MIG_REARM] = PRM_QPC_PM_STATE_REARM,
					    [IBV_MIG_ARMED] = PRM_QPC_PM_STATE_ARMED };
	uint8_t mig =
		ch->mask & IBV_QP_PATH_MIG_STATE ? ch->a->path_mig_state : IBV_MIG_MIGRATED;

	if (mig <= IBV_MIG_ARMED)
		PRM_SET(qpc, qpc, pm_state, pm_state[mig]);
}

/* mlx5_ib, qp.c, get_cqs: not those of a DCI */
static void fill_cqs(const struct uverbs_qp *qp, uint8_t *qpc)
{
	if (qp->type == UVERBS_QPT_DCI)
		return;
	if (qp->scq)
		PRM_SET(qpc, qpc, cqn_snd, qp->scq->cqn);
	if (qp->rcq)
		PRM_SET(qpc, qpc, cqn_rcv, qp->rcq->cqn);
}

/* mlx5_ib: fls(n - 1), so 3 READs at a time become 4 */
static uint8_t log2_up(uint8_t n)
{
	return n > 1 ? 32 - __builtin_clz(n - 1u) : 0;
}

static void fill_sizes(const struct change *ch, uint8_t *qpc)
{
	if (ch->qp->type == IB_UVERBS_QPT_UD) {
		PRM_SET(qpc, qpc, mtu, IBV_MTU_4096);
		PRM_SET(qpc, qpc, log_msg_max, LOG_MSG_MAX_UD);
	} else if (ch->mask & IBV_QP_PATH_MTU) {
		PRM_SET(qpc, qpc, mtu, ch->a->path_mtu);
		PRM_SET(qpc, qpc, log_msg_max, UVERBS_CAP(ch->u, log_max_msg));
	}
}

static void fill_numbers(const struct change *ch, uint8_t *qpc)
{
	const struct ib_uverbs_modify_qp *a = ch->a;
	uint8_t *path = PRM_ADDR(qpc, qpc, primary_address_path);

	if (ch->mask & IBV_QP_DEST_QPN)
		PRM_SET(qpc, qpc, remote_qpn, a->dest_qp_num);
	if (ch->mask & IBV_QP_PKEY_INDEX)
		PRM_SET(ads, path, pkey_index, a->pkey_index);
	if (ch->mask & IBV_QP_PORT)
		PRM_SET(ads, path, vhca_port_num, a->port_num);
	if (ch->mask & IBV_QP_TIMEOUT)
		PRM_SET(ads, path, ack_timeout, a->timeout);
	if (ch->mask & IBV_QP_RETRY_CNT)
		PRM_SET(qpc, qpc, retry_count, a->retry_cnt);
	if (ch->mask & IBV_QP_RNR_RETRY)
		PRM_SET(qpc, qpc, rnr_retry, a->rnr_retry);
	if (ch->mask & IBV_QP_MIN_RNR_TIMER)
		PRM_SET(qpc, qpc, min_rnr_nak, a->min_rnr_timer);
	if (ch->mask & IBV_QP_QKEY)
		PRM_SET(qpc, qpc, q_key, a->qkey);
	if (ch->mask & IBV_QP_SQ_PSN)
		PRM_SET(qpc, qpc, next_send_psn, a->sq_psn & PSN_MASK);
	if (ch->mask & IBV_QP_RQ_PSN)
		PRM_SET(qpc, qpc, next_rcv_psn, a->rq_psn & PSN_MASK);
	if (ch->mask & IBV_QP_MAX_QP_RD_ATOMIC)
		PRM_SET(qpc, qpc, log_sra_max, log2_up(a->max_rd_atomic));
	if (ch->mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		PRM_SET(qpc, qpc, log_rra_max, log2_up(a->max_dest_rd_atomic));
}

static int fill_qpc(const struct change *ch, uint8_t *qpc)
{
	const struct uverbs_qp *qp = ch->qp;
	const bool begins = ch->from == IBV_QPS_RESET && ch->to == IBV_QPS_INIT;
	int ret = 0;

	fill_pm_state(ch, qpc);
	PRM_SET(qpc, qpc, st, uverbs_qp_service(qp->type));
	PRM_SET(qpc, qpc, pd, qp->pdn);
	fill_cqs(qp, qpc);
	PRM_SET(qpc, qpc, log_ack_req_freq, LOG_ACK_REQ_FREQ);
	if (qp->rq_wqe_cnt && begins)
		PRM_SET(qpc, qpc, dbr_addr, qp->dbrec);
	/* An XRC target is a QP of the kernel's, which may use the reserved key. */
	if (qp->type == IB_UVERBS_QPT_XRC_TGT && begins)
		PRM_SET(qpc, qpc, rlky, 1);
	fill_sizes(ch, qpc);
	fill_numbers(ch, qpc);
	if (ch->mask & IBV_QP_AV)
		ret = fill_path(ch, PRM_ADDR(qpc, qpc, primary_address_path));
	return ret ? ret : fill_access(ch, qpc);
}

/* mlx5_ib, qp.c, __mlx5_ib_modify_qp: a burst or a packet size is one of a rate. */
static int check_limit(const struct change *ch)
{
	const struct uverbs_rate_limit *l = &ch->limit;

	if (l->burst && (!l->rate || !uverbs_rate_has_burst(ch->u)))
		return -EINVAL;
	return l->packet && (!l->rate || !uverbs_rate_has_packet(ch->u)) ? -EINVAL : 0;
}

static int modify_raw(const struct change *ch, uint16_t opcode)
{
	uint16_t rate = 0;
	int ret = 0;

	if (!(ch->mask & IBV_QP_RATE_LIMIT))
		return uverbs_raw_modify(ch->u, ch->qp, opcode, NULL);
	ret = check_limit(ch);
	if (!ret && uverbs_rate_is(ch->u, ch->qp->rate, &ch->limit))
		return uverbs_raw_modify(ch->u, ch->qp, opcode, NULL);
	if (!ret && ch->limit.rate)
		ret = uverbs_rate_take(ch->u, &ch->limit, &rate);
	if (ret)
		return ret;
	ret = uverbs_raw_modify(ch->u, ch->qp, opcode, &rate);
	if (ret && rate)
		uverbs_rate_put(ch->u, rate);
	return ret;
}

/* mlx5_ib, qpc.c: modify_qp_mbox_alloc, get_ece_from_mbox */
static bool has_ece(uint16_t opcode)
{
	return opcode != PRM_OP_SQERR2RTS_QP && opcode != PRM_OP_SQD_RTS_QP;
}

static int execute(const struct change *ch)
{
	uint8_t in[PRM_SZ(rst2init_qp_in)] = { 0 }, out[PRM_SZ(rst2init_qp_out)] = { 0 };
	const struct uverbs_qp_change change = change_of(ch);
	uint32_t opt;
	uint16_t opcode = uverbs_qp_command(&change, &opt);
	int ret;

	if (ch->qp->type == IB_UVERBS_QPT_RAW_PACKET)
		return modify_raw(ch, opcode);
	ret = fill_qpc(ch, PRM_ADDR(rst2init_qp_in, in, qpc));
	if (ret)
		return ret;
	if (!opcode)
		return -EINVAL;
	ch->qp->ece = 0;
	if (opcode == PRM_OP_2RST_QP || opcode == PRM_OP_2ERR_QP)
		return uverbs_fw_number(ch->u, opcode, ch->qp->uid, ch->qp->qpn);
	PRM_SET(rst2init_qp_in, in, opcode, opcode);
	PRM_SET(rst2init_qp_in, in, uid, ch->qp->uid);
	PRM_SET(rst2init_qp_in, in, qpn, ch->qp->qpn);
	PRM_SET(rst2init_qp_in, in, opt_param_mask, opt);
	if (has_ece(opcode) && UVERBS_CAP(ch->u, ece_support))
		PRM_SET(rst2init_qp_in, in, ece, ch->ece);
	ret = uverbs_fw(ch->u, in, sizeof(in), out, sizeof(out));
	if (!ret && has_ece(opcode))
		ch->qp->ece = PRM_GET(rst2init_qp_out, out, ece);
	return ret;
}

static void remember(const struct change *ch)
{
	ch->qp->state = ch->to;
	if (ch->mask & IBV_QP_ACCESS_FLAGS)
		ch->qp->access = ch->a->qp_access_flags;
	if (ch->mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		ch->qp->resp_depth = ch->a->max_dest_rd_atomic;
	if (ch->mask & IBV_QP_PORT)
		ch->qp->port = ch->a->port_num;
}

/* uverbs_cmd.c, modify_qp_mask: what applications say of the half that an XRC QP is not. */
static uint32_t mask_of(uint8_t type, uint32_t mask)
{
	if (type == IB_UVERBS_QPT_XRC_INI)
		return mask & ~(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (type == IB_UVERBS_QPT_XRC_TGT)
		return mask & ~(IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY);
	return mask;
}

/* mlx5_ib, qp.c, mlx5_ib_modify_qp: if there is space for all of it. */
static void answer(struct uverbs_call *c, const struct uverbs_qp *qp)
{
	struct mlx5_ib_modify_qp_resp r = { .response_length = sizeof(r),
					    .ece_options = qp->ece };

	if (uverbs_len(c, UVERBS_ATTR_UHW_OUT) >= sizeof(r))
		uverbs_answer(c, UVERBS_ATTR_UHW_OUT, r);
}

/* The driver does not answer for raw packet QPs, or without a transition. */
static int run(struct uverbs_call *c, const struct change *ch)
{
	bool stays = ch->from == IBV_QPS_RESET && ch->to == IBV_QPS_RESET;
	int ret = stays ? 0 : execute(ch);

	if (ret)
		return ret;
	remember(ch);
	if (!stays && ch->qp->type != IB_UVERBS_QPT_RAW_PACKET)
		answer(c, ch->qp);
	return 0;
}

static int modify(struct uverbs_call *c, const struct ib_uverbs_modify_qp *a,
		  const struct uverbs_rate_limit *limit, uint32_t ece)
{
	struct change ch = { .u = c->u, .a = a, .limit = *limit, .ece = ece };
	int ret;

	ch.qp = uverbs_named(c, a->qp_handle, UVERBS_QP);
	if (!ch.qp)
		return -EINVAL;
	ch.mask = mask_of(ch.qp->type, a->attr_mask);
	ret = check_core(&ch);
	if (!ret)
		ret = resolve(&ch);
	ch.from = ch.mask & IBV_QP_CUR_STATE ? a->cur_qp_state : ch.qp->state;
	ch.to = ch.mask & IBV_QP_STATE ? a->qp_state : ch.from;
	if (!ret && ch.qp->table) /* mlx5_ib, qp.c, mlx5_ib_modify_qp */
		return -ENOSYS;
	if (!ret && ch.qp->type == UVERBS_QPT_DCT)
		return uverbs_dct_modify(c, ch.qp, a, ece);
	if (!ret)
		ret = check_mlx5(&ch);
	return ret ? ret : run(c, &ch);
}

int uverbs_modify_qp(struct uverbs_call *c)
{
	struct ib_uverbs_modify_qp cmd;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	return cmd.attr_mask & ~STANDARD_BITS
		       ? -EOPNOTSUPP
		       : modify(c, &cmd, &(struct uverbs_rate_limit){ 0 }, 0);
}

/* mlx5_ib, qp.c: struct mlx5_ib_modify_qp is for packet pacing and ECE. */
static int read_uhw(const struct uverbs_call *c, struct uverbs_rate_limit *limit, uint32_t *ece)
{
	struct mlx5_ib_modify_qp m;
	int ret;

	if (!uverbs_len(c, UVERBS_ATTR_UHW_IN))
		return 0;
	if (uverbs_len(c, UVERBS_ATTR_UHW_IN) < offsetof(struct mlx5_ib_modify_qp, ece_options))
		return -EINVAL;
	ret = uverbs_get_all(c, UVERBS_ATTR_UHW_IN, &m, sizeof(m));
	if (ret)
		return ret;
	limit->burst = m.burst_info.max_burst_sz;
	limit->packet = m.burst_info.typical_pkt_sz;
	*ece = m.ece_options;
	return m.comp_mask || m.burst_info.reserved ? -EOPNOTSUPP : 0;
}

int uverbs_ex_modify_qp(struct uverbs_call *c)
{
	struct ib_uverbs_ex_modify_qp_resp resp = { .response_length = sizeof(resp) };
	struct uverbs_rate_limit limit = { 0 };
	struct ib_uverbs_ex_modify_qp cmd;
	uint32_t ece = 0;
	int ret = uverbs_request(c, &cmd);

	if (ret)
		return ret;
	if (cmd.base.attr_mask & ~(STANDARD_BITS | IBV_QP_RATE_LIMIT))
		return -EOPNOTSUPP;
	limit.rate = cmd.rate_limit;
	ret = read_uhw(c, &limit, &ece);
	if (!ret)
		ret = modify(c, &cmd.base, &limit, ece);
	if (!ret)
		uverbs_response(c, &resp);
	return ret;
}
