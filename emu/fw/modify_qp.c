/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The states of a queue pair.
 *
 *	     RST2INIT      INIT2RTR      RTR2RTS      RTS2RTS
 *	RST ---------> INIT ------> RTR -------> RTS -.
 *	 ^              ^-' INIT2INIT             ^----'
 *	 |  2RST: from anywhere          2ERR: from anywhere -> ERR
 *
 * A transition carries a whole QPC of which it reads some parts: those it requires, and those
 * it allows when opt_param_mask names them; the rest is not looked at (PRM, "Modify QP"; which
 * part is which: mlx5_ib, qp.c, opt_mask[] and the attributes it sets per state). Both depend
 * on the service type: UD knows a Q_Key and no peer, UC no responder resources, a DCI only what
 * sends. Nothing leads to SQD: there is no command for it (mlx5_core, <linux/mlx5/mlx5_ifc.h>).
 *
 * The new context is built aside, checked, and only then taken over. A second mask, for UDP
 * source port and queue groups, is read in qp_ext.c.
 */
#include "fw/element.h"

/* Bit k: opt_param_mask bit k, <linux/mlx5/qp.h> MLX5_QP_OPTPAR_*. */
enum part {
	RRE = 1 << 1,
	RAE = 1 << 2,
	RWE = 1 << 3,
	PKEY_INDEX = 1 << 4,
	Q_KEY = 1 << 5,
	RNR_TIMEOUT = 1 << 6,
	PM_STATE = 1 << 10,
	PRI_PORT = 1 << 16,
	COUNTER = 1 << 25, /* counter_set_id */
	/* never optional; the numbers are ours */
	SIZES = 1 << 30, /* mtu, log_msg_max */
	PATH = 1 << 26,
	REMOTE = 1 << 27,  /* remote_qpn */
	RECEIVE = 1 << 28, /* next_rcv_psn, log_rra_max */
	SEND = 1 << 29,	   /* next_send_psn, log_sra_max, timeouts and retries */
};

#define RC_ACCESS  (RRE | RAE | RWE)
#define RC_OPTIONS (RC_ACCESS | RNR_TIMEOUT | PM_STATE | COUNTER)
#define UC_OPTIONS (RWE | PM_STATE | COUNTER)
#define UD_OPTIONS (Q_KEY | COUNTER)
#define DC_OPTIONS (RC_ACCESS | RNR_TIMEOUT | PM_STATE | COUNTER)
#define RTR_NEEDS  (PATH | SIZES | REMOTE | RECEIVE)

/* Service types that share a row. */
#define RC  (1 << PRM_QPC_ST_RC | 1 << PRM_QPC_ST_XRC)
#define UC  (1 << PRM_QPC_ST_UC)
#define UD  (1 << PRM_QPC_ST_UD | 1 << PRM_QPC_ST_QP1)
#define UMR (1 << PRM_QPC_ST_REG_UMR)
#define DC  (1 << PRM_QPC_ST_DCI)

struct transition {
	uint16_t opcode;
	uint16_t service;
	uint8_t from, to;	   /* PRM_QPC_STATE_* */
	uint32_t requires, allows; /* enum part */
};

/* A send error takes a UC or UD QP to SQER, an RC QP straight to ERR (InfiniBand specification,
 * ch. 10, "Queue Pair and EE Context states"). */
static const struct transition transitions[] = {
	{ PRM_OP_RST2INIT_QP, RC | UC, PRM_QPC_STATE_RST, PRM_QPC_STATE_INIT,
	  RC_ACCESS | PKEY_INDEX | PRI_PORT | COUNTER, 0 },
	{ PRM_OP_RST2INIT_QP, UD, PRM_QPC_STATE_RST, PRM_QPC_STATE_INIT,
	  PKEY_INDEX | Q_KEY | PRI_PORT | COUNTER, 0 },
	{ PRM_OP_RST2INIT_QP, DC, PRM_QPC_STATE_RST, PRM_QPC_STATE_INIT,
	  PKEY_INDEX | PRI_PORT | COUNTER, 0 },
	{ PRM_OP_RST2INIT_QP, UMR, PRM_QPC_STATE_RST, PRM_QPC_STATE_INIT, PKEY_INDEX | PRI_PORT,
	  0 },
	{ PRM_OP_INIT2RTR_QP, UMR, PRM_QPC_STATE_INIT, PRM_QPC_STATE_RTR, SIZES, 0 },
	{ PRM_OP_RTR2RTS_QP, UMR, PRM_QPC_STATE_RTR, PRM_QPC_STATE_RTS, SEND, 0 },
	{ PRM_OP_INIT2INIT_QP, RC, PRM_QPC_STATE_INIT, PRM_QPC_STATE_INIT, 0,
	  RC_ACCESS | PKEY_INDEX | PRI_PORT },
	{ PRM_OP_INIT2INIT_QP, UC, PRM_QPC_STATE_INIT, PRM_QPC_STATE_INIT, 0,
	  RWE | PKEY_INDEX | PRI_PORT },
	{ PRM_OP_INIT2INIT_QP, UD, PRM_QPC_STATE_INIT, PRM_QPC_STATE_INIT, 0,
	  PKEY_INDEX | Q_KEY | PRI_PORT },
	{ PRM_OP_INIT2INIT_QP, DC, PRM_QPC_STATE_INIT, PRM_QPC_STATE_INIT, 0,
	  RC_ACCESS | PKEY_INDEX | PRI_PORT },
	{ PRM_OP_INIT2RTR_QP, RC, PRM_QPC_STATE_INIT, PRM_QPC_STATE_RTR,
	  RTR_NEEDS | RNR_TIMEOUT, RC_ACCESS | PKEY_INDEX },
	{ PRM_OP_INIT2RTR_QP, UC, PRM_QPC_STATE_INIT, PRM_QPC_STATE_RTR, RTR_NEEDS,
	  RWE | PKEY_INDEX },
	{ PRM_OP_INIT2RTR_QP, UD, PRM_QPC_STATE_INIT, PRM_QPC_STATE_RTR, SIZES,
	  PKEY_INDEX | Q_KEY },
	{ PRM_OP_INIT2RTR_QP, DC, PRM_QPC_STATE_INIT, PRM_QPC_STATE_RTR, SIZES,
	  RC_ACCESS | PKEY_INDEX },
	{ PRM_OP_RTR2RTS_QP, RC, PRM_QPC_STATE_RTR, PRM_QPC_STATE_RTS, SEND, RC_OPTIONS },
	{ PRM_OP_RTR2RTS_QP, UC, PRM_QPC_STATE_RTR, PRM_QPC_STATE_RTS, SEND, UC_OPTIONS },
	{ PRM_OP_RTR2RTS_QP, UD, PRM_QPC_STATE_RTR, PRM_QPC_STATE_RTS, SEND, UD_OPTIONS },
	{ PRM_OP_RTR2RTS_QP, DC, PRM_QPC_STATE_RTR, PRM_QPC_STATE_RTS, SEND, DC_OPTIONS },
	{ PRM_OP_RTS2RTS_QP, RC, PRM_QPC_STATE_RTS, PRM_QPC_STATE_RTS, 0, RC_OPTIONS },
	{ PRM_OP_RTS2RTS_QP, UC, PRM_QPC_STATE_RTS, PRM_QPC_STATE_RTS, 0, UC_OPTIONS },
	{ PRM_OP_RTS2RTS_QP, UD, PRM_QPC_STATE_RTS, PRM_QPC_STATE_RTS, 0, UD_OPTIONS },
	{ PRM_OP_RTS2RTS_QP, DC, PRM_QPC_STATE_RTS, PRM_QPC_STATE_RTS, 0, DC_OPTIONS },
	{ PRM_OP_SQD_RTS_QP, RC | UC | UD | DC, PRM_QPC_STATE_SQD, PRM_QPC_STATE_RTS, 0, 0 },
	{ PRM_OP_SQERR2RTS_QP, RC, PRM_QPC_STATE_SQER, PRM_QPC_STATE_RTS, 0,
	  RC_ACCESS | RNR_TIMEOUT },
	{ PRM_OP_SQERR2RTS_QP, UC, PRM_QPC_STATE_SQER, PRM_QPC_STATE_RTS, 0, RWE },
	{ PRM_OP_SQERR2RTS_QP, UD, PRM_QPC_STATE_SQER, PRM_QPC_STATE_RTS, 0, Q_KEY },
};

static const struct transition *transition_of(uint16_t opcode, uint8_t st)
{
	for (size_t i = 0; i < ARRAY_SIZE(transitions); i++)
		if (transitions[i].opcode == opcode && transitions[i].service >> st & 1)
			return &transitions[i];
	return NULL;
}

#define COPY(type, to, from, field) PRM_SET(type, to, field, PRM_GET(type, from, field))

/* ack_timeout and pkey_index are separate parts. */
static void copy_path(uint8_t *to, const uint8_t *from)
{
	COPY(ads, to, from, fl);
	COPY(ads, to, from, grh);
	COPY(ads, to, from, src_addr_index);
	COPY(ads, to, from, hop_limit);
	COPY(ads, to, from, tclass);
	COPY(ads, to, from, flow_label);
	memcpy(PRM_ADDR(ads, to, rgid_rip), PRM_ADDR(ads, from, rgid_rip), 16);
	COPY(ads, to, from, dscp);
	COPY(ads, to, from, udp_sport);
	COPY(ads, to, from, eth_prio);
	COPY(ads, to, from, sl);
	COPY(ads, to, from, rmac_47_32);
	COPY(ads, to, from, rmac_31_0);
}

static void copy_access(uint8_t *to, const uint8_t *from, uint32_t parts)
{
	if (parts & RRE)
		COPY(qpc, to, from, rre);
	if (parts & RWE)
		COPY(qpc, to, from, rwe);
	if (parts & RAE) {
		COPY(qpc, to, from, rae);
		COPY(qpc, to, from, atomic_mode);
	}
}

static void copy_send(uint8_t *to, const uint8_t *from)
{
	COPY(qpc, to, from, next_send_psn);
	COPY(qpc, to, from, log_ack_req_freq);
	COPY(qpc, to, from, log_sra_max);
	COPY(qpc, to, from, retry_count);
	COPY(qpc, to, from, rnr_retry);
	COPY(ads, PRM_ADDR(qpc, to, primary_address_path),
	     PRM_ADDR(qpc, from, primary_address_path), ack_timeout);
}

static void copy_sizes(uint8_t *to, const uint8_t *from)
{
	COPY(qpc, to, from, mtu);
	COPY(qpc, to, from, log_msg_max);
}

static void copy_receive(uint8_t *to, const uint8_t *from)
{
	COPY(qpc, to, from, next_rcv_psn);
	COPY(qpc, to, from, log_rra_max);
}

static void copy_parts(uint8_t *to, const uint8_t *from, uint32_t parts)
{
	uint8_t *path = PRM_ADDR(qpc, to, primary_address_path);
	const uint8_t *given = PRM_ADDR(qpc, from, primary_address_path);

	copy_access(to, from, parts);
	if (parts & PKEY_INDEX)
		COPY(ads, path, given, pkey_index);
	if (parts & PRI_PORT)
		COPY(ads, path, given, vhca_port_num);
	if (parts & PM_STATE)
		COPY(qpc, to, from, pm_state);
	if (parts & RNR_TIMEOUT)
		COPY(qpc, to, from, min_rnr_nak);
	if (parts & PATH)
		copy_path(path, given);
	if (parts & Q_KEY)
		COPY(qpc, to, from, q_key);
	if (parts & SIZES)
		copy_sizes(to, from);
	if (parts & REMOTE)
		COPY(qpc, to, from, remote_qpn);
	if (parts & COUNTER)
		COPY(qpc, to, from, counter_set_id);
	if (parts & RECEIVE)
		copy_receive(to, from);
	if (parts & SEND)
		copy_send(to, from);
}

/* qpc.mtu counts like enum ibv_mtu: 1 = 256 … 5 = 4096 bytes. */
static uint32_t mtu_bytes(const uint8_t *qpc)
{
	uint32_t mtu = PRM_GET(qpc, qpc, mtu);

	return mtu >= 1 && mtu <= 5 ? 128u << mtu : 0;
}

static const struct hca_gid *source_gid(const struct hca *hca, const uint8_t *qpc)
{
	uint32_t i = PRM_GET(ads, PRM_ADDR(qpc, qpc, primary_address_path), src_addr_index);

	return i < HCA_GIDS && hca->port.gid[i].valid ? &hca->port.gid[i] : NULL;
}

/* assumed(ud_mtu_is_an_upper_bound): a UD QP, or one of the driver's own, may come with an
 * MTU above the port's (mlx5_ib always says 4096) and then sends what the port can; a
 * connected one is refused. */
static enum fw_status check_sizes(struct fw_cmd *c, uint8_t st, const uint8_t *qpc)
{
	uint32_t mtu = mtu_bytes(qpc);

	if (!mtu || (mtu > c->hca->port.mtu && !(1u << st & (UD | UMR))))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_MTU);
	if (PRM_GET(qpc, qpc, log_msg_max) > FW_GEN(c->hca, log_max_msg))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	return FW_OK;
}

static enum fw_status check_peer(struct fw_cmd *c, uint8_t st, const uint8_t *qpc)
{
	/* roce_cap.fl_rc_qp_when_roce_enabled: of RC QPs, as the name says. */
	if (PRM_GET(ads, PRM_ADDR(qpc, qpc, primary_address_path), fl) && st != PRM_QPC_ST_RC)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* assumed(rtr_needs_a_set_gid): INIT2RTR with a src_addr_index whose RoCE address was
	 * never set, or was cleared, is BAD_PARAM. */
	if (!source_gid(c->hca, qpc))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_GID);
	if (PRM_GET(qpc, qpc, log_rra_max) > FW_GEN(c->hca, log_max_ra_res_qp))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	return FW_OK;
}

/* Checks the context that results from a transition, for any state. */
static enum fw_status check_parts(struct fw_cmd *c, uint8_t st, const uint8_t *qpc,
				  uint32_t parts)
{
	const uint8_t *path = PRM_ADDR(qpc, qpc, primary_address_path);
	enum fw_status status = parts & SIZES ? check_sizes(c, st, qpc) : FW_OK;

	if (status != FW_OK)
		return status;

	if (parts & PRI_PORT && PRM_GET(ads, path, vhca_port_num) != 1)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	/* RoCE has one P_Key (InfiniBand specification, annex A16: default P_Key only). */
	if (parts & PKEY_INDEX && PRM_GET(ads, path, pkey_index) != 0)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	/* Path migration is not here. */
	if (parts & PM_STATE && PRM_GET(qpc, qpc, pm_state) != PRM_QPC_PM_STATE_MIGRATED)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* Atomics of up to 8 bytes: <linux/mlx5/driver.h>, MLX5_ATOMIC_MODE_8B = 3. */
	if (parts & RAE && PRM_GET(qpc, qpc, atomic_mode) > 3)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (parts & COUNTER && !fw_counter_set(c, PRM_GET(qpc, qpc, counter_set_id)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_COUNTER);
	if (parts & SEND && PRM_GET(qpc, qpc, log_sra_max) >
				    (st == PRM_QPC_ST_DCI ? FW_GEN(c->hca, log_max_ra_req_dc)
							  : FW_GEN(c->hca, log_max_ra_req_qp)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	return parts & PATH ? check_peer(c, st, qpc) : FW_OK;
}

/* assumed(modify_repeats_the_creation): PD, CQs, doorbell record, reserved key and service
 * type in the QPC of a modify command are 0 or those of CREATE_QP (mlx5_ib sends them
 * again); anything else is BAD_PARAM. UCX (dc_mlx5_devx.c) names no service type for a DCI.
 * The driver may add the reserved key: mlx5_ib does for an XRC target (qp.c). */
static bool same_identity(const struct hca_qp *qp, const uint8_t *given, bool is_drivers)
{
	bool untyped = qp->st == PRM_QPC_ST_DCI && !PRM_GET(qpc, given, st);
	uint32_t pd = PRM_GET(qpc, given, pd);
	uint64_t dbrec = PRM_GET(qpc, given, dbr_addr);
	uint32_t scq = PRM_GET(qpc, given, cqn_snd), rcq = PRM_GET(qpc, given, cqn_rcv);

	return (untyped || PRM_GET(qpc, given, st) == qp->st) &&
	       (!pd || !qp->pd || pd == qp->pd->pdn) &&
	       (!scq || (qp->scq && scq == qp->scq->cqn)) &&
	       (!rcq || (qp->rcq && rcq == qp->rcq->cqn)) &&
	       (is_drivers || PRM_GET(qpc, given, rlky) <= PRM_GET(qpc, qp->qpc, rlky)) &&
	       (!dbrec || dbrec == PRM_GET(qpc, qp->qpc, dbr_addr));
}

static void decode_path(struct hca_path *path, const uint8_t *ads)
{
	uint64_t mac = PRM_GET(ads, ads, rmac_47_32) << 32 | PRM_GET(ads, ads, rmac_31_0);

	memcpy(path->dgid, PRM_ADDR(ads, ads, rgid_rip), 16);
	for (int i = 5; i >= 0; i--, mac >>= 8)
		path->dmac[i] = (uint8_t)mac;
	path->sgid_index = PRM_GET(ads, ads, src_addr_index);
	path->hop_limit = PRM_GET(ads, ads, hop_limit);
	path->tclass = PRM_GET(ads, ads, tclass);
	path->flow_label = PRM_GET(ads, ads, flow_label);
	path->udp_sport = PRM_GET(ads, ads, udp_sport);
}

/* Forced loopback (fl): the peer is in this device, and the path does not say where. DPDK
 * connects its own QPs so (mlx5_devx_cmds.c, mlx5_devx_cmd_modify_qp_state). */
static void loop_back(const struct hca *hca, struct hca_path *path)
{
	const struct hca_gid *own = &hca->port.gid[path->sgid_index];

	memcpy(path->dgid, own->raw, sizeof(path->dgid));
	memcpy(path->dmac, own->mac, sizeof(path->dmac));
}

static void decode_peer(const struct hca *hca, struct hca_qp *qp)
{
	const uint8_t *ads = PRM_ADDR(qpc, qp->qpc, primary_address_path);

	decode_path(&qp->path, ads);
	if (PRM_GET(ads, ads, fl))
		loop_back(hca, &qp->path);
	qp->remote_qpn = PRM_GET(qpc, qp->qpc, remote_qpn);
}

static void decode(const struct hca *hca, struct hca_qp *qp)
{
	const uint8_t *qpc = qp->qpc, *ads = PRM_ADDR(qpc, qp->qpc, primary_address_path);

	/* The peer of a DCI is the engine's business. */
	if (qp->st != PRM_QPC_ST_DCI)
		decode_peer(hca, qp);
	qp->mtu = mtu_bytes(qpc) < hca->port.mtu ? mtu_bytes(qpc) : hca->port.mtu;
	qp->qkey = PRM_GET(qpc, qpc, q_key);
	qp->log_msg_max = PRM_GET(qpc, qpc, log_msg_max);
	qp->ack_timeout = PRM_GET(ads, ads, ack_timeout);
	qp->retry_count = PRM_GET(qpc, qpc, retry_count);
	qp->rnr_retry = PRM_GET(qpc, qpc, rnr_retry);
	qp->min_rnr_nak = PRM_GET(qpc, qpc, min_rnr_nak);
	qp->log_ack_req_freq = PRM_GET(qpc, qpc, log_ack_req_freq);
	qp->max_rd_atomic = 1u << PRM_GET(qpc, qpc, log_sra_max);
	qp->max_dest_rd_atomic = 1u << PRM_GET(qpc, qpc, log_rra_max);
	qp->rre = PRM_GET(qpc, qpc, rre);
	qp->rwe = PRM_GET(qpc, qpc, rwe);
	qp->rae = PRM_GET(qpc, qpc, rae);
	qp->atomic_mode = PRM_GET(qpc, qpc, atomic_mode);
}

static void kick(struct hca *hca, struct hca_qp *qp)
{
	if (hca->kick)
		hca->kick(hca, qp);
}

static void count_into(struct hca_qp *qp, struct hca_q_counter *set)
{
	qp->counter->refs--;
	qp->counter = set;
	set->refs++;
}

static void take_over(const struct fw_cmd *c, struct hca_qp *qp, const struct transition *t,
		      const uint8_t *next)
{
	uint32_t set = PRM_GET(qpc, next, counter_set_id);

	memcpy(qp->qpc, next, HCA_QPC_SIZE);
	decode(c->hca, qp);
	if (set != qp->counter->id)
		count_into(qp, fw_counter_set(c, set));
	qp->state = t->to;
	if (t->requires & RECEIVE)
		qp->resp.epsn = PRM_GET(qpc, qp->qpc, next_rcv_psn);
	if (t->requires & SEND)
		qp->req.psn = PRM_GET(qpc, qp->qpc, next_send_psn);
}

/* The transitions that carry a QPC have one and the same inbox layout. */
static_assert(PRM_SZ(rst2init_qp_in) == PRM_SZ(init2rtr_qp_in) &&
		      PRM_SZ(rst2init_qp_in) == PRM_SZ(rtr2rts_qp_in),
	      "modify commands");

enum fw_status fw_modify_qp(struct fw_cmd *c)
{
	struct hca_qp *qp = fw_qp(c, PRM_GET(rst2init_qp_in, c->in, qpn));
	const struct transition *t = qp ? transition_of(c->opcode, qp->st) : NULL;
	const uint8_t *given = PRM_ADDR(rst2init_qp_in, c->in, qpc);
	uint32_t opt = PRM_GET(rst2init_qp_in, c->in, opt_param_mask);
	struct fw_qp_ext ext = { 0 };
	uint8_t next[HCA_QPC_SIZE];
	enum fw_status status;

	if (!t)
		return fw_absent(c);
	/* A doorbell that was rung before the command is lost. A packet that came before it may
	 * end the QP. */
	if (t->requires & SEND && c->hca->catch_up)
		c->hca->catch_up(c->hca, qp);
	if (qp->state != t->from)
		return fw_refuse(c, FW_BAD_QP_STATE, FW_WHY_STATE);
	/* assumed(unknown_opt_param_is_refused): a bit of opt_param_mask that the transition
	 * does not list is BAD_PARAM. */
	if (opt & ~t->allows)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OPT_PARAM);
	if (!same_identity(qp, given, !c->uid))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	memcpy(next, qp->qpc, sizeof(next));
	copy_parts(next, given, t->requires | opt);
	status = check_parts(c, qp->st, next, t->requires | opt);
	if (status == FW_OK)
		status = fw_ece(c, PRM_GET(rst2init_qp_in, c->in, ece));
	if (status == FW_OK)
		status = fw_qp_ext(c, qp, &ext);
	if (status != FW_OK)
		return status;
	if (ext.udp_sport)
		COPY(ads, PRM_ADDR(qpc, next, primary_address_path),
		     PRM_ADDR(qpc, given, primary_address_path), udp_sport);
	take_over(c, qp, t, next);
	if (ext.groups)
		fw_qp_join(qp, ext.req, ext.resp);
	if (ext.set_mmo)
		qp->mmo = ext.mmo;
	kick(c->hca, qp);
	return FW_OK;
}

enum fw_status fw_qp_2err(struct fw_cmd *c)
{
	struct hca_qp *qp = fw_qp(c, PRM_GET(qp_2err_in, c->in, qpn));

	if (!qp)
		return fw_absent(c);
	qp->state = PRM_QPC_STATE_ERR;
	kick(c->hca, qp);
	return FW_OK;
}

enum fw_status fw_qp_2rst(struct fw_cmd *c)
{
	static const uint8_t blank[HCA_QPC_SIZE];
	struct hca_qp *qp = fw_qp(c, PRM_GET(qp_2rst_in, c->in, qpn));

	if (!qp)
		return fw_absent(c);
	/* A command takes much longer than the device needs to begin with a WQE. */
	if (c->hca->catch_up)
		c->hca->catch_up(c->hca, qp);
	copy_parts(qp->qpc, blank, ~PM_STATE);
	decode(c->hca, qp);
	count_into(qp, &c->hca->counts.no_set);
	fw_qp_join(qp, NULL, NULL);
	/* assumed(reset_keeps_mmo): a QP that was enabled for MMO stays so when it goes to
	 * RESET; libmlx5 enables it again on every way to INIT. */
	qp->state = PRM_QPC_STATE_RST;
	kick(c->hca, qp);
	hca_qp_reset(qp);
	return FW_OK;
}
