/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state machine of each QP type, three tables in one:
 *
 *	which transitions there are, what they need and allow	InfiniBand specification, ch. 11,
 *							"Modify Queue Pair"; ib_core, ib_modify_qp_is_ok
 *	which command makes them				mlx5_ib, qp.c, optab[]
 *	which parts of the QPC are optional in it		mlx5_ib, qp.c, opt_mask[]
 *
 * RTS to SQD is a transition of the specification for which mlx5_ib has no command. For a raw
 * packet QP the command only selects the transition of its queues (raw.c).
 */
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "uverbs/qp.h"

/* The types that a row is about. */
#define RC	  (1u << IB_UVERBS_QPT_RC)
#define UC	  (1u << IB_UVERBS_QPT_UC)
#define UD	  (1u << IB_UVERBS_QPT_UD)
#define INI	  (1u << IB_UVERBS_QPT_XRC_INI)
#define TGT	  (1u << IB_UVERBS_QPT_XRC_TGT)
#define RAW	  (1u << IB_UVERBS_QPT_RAW_PACKET)
#define DCI	  (1u << UVERBS_QPT_DCI)
#define RELIABLE  (RC | INI | TGT)
#define CONNECTED (RELIABLE | UC)

/* The bits of opt_param_mask: <linux/mlx5/qp.h>, MLX5_QP_OPTPAR_* */
#define OPT_RRE		(1u << 1)
#define OPT_RAE		(1u << 2)
#define OPT_RWE		(1u << 3)
#define OPT_PKEY_INDEX	(1u << 4)
#define OPT_Q_KEY	(1u << 5)
#define OPT_RNR_TIMEOUT (1u << 6)
#define OPT_PM_STATE	(1u << 10)
#define OPT_PRI_PORT	(1u << 16)
#define OPT_ACCESS	(OPT_RRE | OPT_RAE | OPT_RWE)
#define OPT_RELIABLE	(OPT_ACCESS | OPT_RNR_TIMEOUT | OPT_PM_STATE)
#define OPT_UC		(OPT_RWE | OPT_PM_STATE)

#define INIT_CONNECTED (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define INIT_UD	       (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)
#define PEER	       (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define RESPONDER      (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define REQUESTER \
	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)
#define RTR_ALLOWS  (IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX)
#define LIVE_UD	    (IBV_QP_CUR_STATE | IBV_QP_QKEY)
#define LIVE	    (IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PATH_MIG_STATE)
#define LIVE_TARGET (LIVE | IBV_QP_MIN_RNR_TIMER)
#define DRAINED                                                                  \
	(IBV_QP_AV | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | \
	 IBV_QP_PATH_MIG_STATE)

static const struct transition {
	uint32_t types;
	uint8_t from, to; /* enum ibv_qp_state */
	uint32_t needs, allows;
	uint16_t command;
	uint32_t optional;
} transitions[] = {
	{ CONNECTED | UD, IBV_QPS_RESET, IBV_QPS_RESET, 0, 0, PRM_OP_2RST_QP, 0 },

	{ CONNECTED, IBV_QPS_RESET, IBV_QPS_INIT, INIT_CONNECTED, 0, PRM_OP_RST2INIT_QP, 0 },
	{ UD, IBV_QPS_RESET, IBV_QPS_INIT, INIT_UD, 0, PRM_OP_RST2INIT_QP, 0 },

	{ RELIABLE, IBV_QPS_INIT, IBV_QPS_INIT, 0, INIT_CONNECTED, PRM_OP_INIT2INIT_QP,
	  OPT_ACCESS | OPT_PKEY_INDEX | OPT_PRI_PORT },
	{ UC, IBV_QPS_INIT, IBV_QPS_INIT, 0, INIT_CONNECTED, PRM_OP_INIT2INIT_QP,
	  OPT_RWE | OPT_PKEY_INDEX | OPT_PRI_PORT },
	{ UD, IBV_QPS_INIT, IBV_QPS_INIT, 0, INIT_UD, PRM_OP_INIT2INIT_QP,
	  OPT_PKEY_INDEX | OPT_Q_KEY | OPT_PRI_PORT },

	{ RC | TGT, IBV_QPS_INIT, IBV_QPS_RTR, PEER | RESPONDER, RTR_ALLOWS, PRM_OP_INIT2RTR_QP,
	  OPT_ACCESS | OPT_PKEY_INDEX },
	{ INI, IBV_QPS_INIT, IBV_QPS_RTR, PEER, RTR_ALLOWS, PRM_OP_INIT2RTR_QP,
	  OPT_ACCESS | OPT_PKEY_INDEX },
	{ UC, IBV_QPS_INIT, IBV_QPS_RTR, PEER, RTR_ALLOWS, PRM_OP_INIT2RTR_QP,
	  OPT_RWE | OPT_PKEY_INDEX },
	{ UD, IBV_QPS_INIT, IBV_QPS_RTR, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY, PRM_OP_INIT2RTR_QP,
	  OPT_PKEY_INDEX | OPT_Q_KEY },

	{ RC, IBV_QPS_RTR, IBV_QPS_RTS, REQUESTER | IBV_QP_SQ_PSN, LIVE_TARGET,
	  PRM_OP_RTR2RTS_QP, OPT_RELIABLE },
	{ INI, IBV_QPS_RTR, IBV_QPS_RTS, REQUESTER | IBV_QP_SQ_PSN, LIVE, PRM_OP_RTR2RTS_QP,
	  OPT_RELIABLE },
	{ TGT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_TIMEOUT | IBV_QP_SQ_PSN, LIVE_TARGET,
	  PRM_OP_RTR2RTS_QP, OPT_RELIABLE },
	{ UC, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, LIVE, PRM_OP_RTR2RTS_QP, OPT_UC },
	{ UD, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QP_SQ_PSN, LIVE_UD, PRM_OP_RTR2RTS_QP, OPT_Q_KEY },

	{ RC | TGT, IBV_QPS_RTS, IBV_QPS_RTS, 0, LIVE_TARGET, PRM_OP_RTS2RTS_QP, OPT_RELIABLE },
	{ INI, IBV_QPS_RTS, IBV_QPS_RTS, 0, LIVE, PRM_OP_RTS2RTS_QP, OPT_RELIABLE },
	{ UC, IBV_QPS_RTS, IBV_QPS_RTS, 0, LIVE, PRM_OP_RTS2RTS_QP, OPT_UC },
	{ UD, IBV_QPS_RTS, IBV_QPS_RTS, 0, LIVE_UD, PRM_OP_RTS2RTS_QP, OPT_Q_KEY },

	{ CONNECTED | UD, IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY, 0, 0 },

	{ RC | TGT, IBV_QPS_SQD, IBV_QPS_RTS, 0, LIVE_TARGET, PRM_OP_SQD_RTS_QP, OPT_RELIABLE },
	{ INI, IBV_QPS_SQD, IBV_QPS_RTS, 0, LIVE, PRM_OP_SQD_RTS_QP, OPT_RELIABLE },
	{ UC, IBV_QPS_SQD, IBV_QPS_RTS, 0, LIVE, PRM_OP_SQD_RTS_QP, OPT_UC },
	{ UD, IBV_QPS_SQD, IBV_QPS_RTS, 0, LIVE_UD, PRM_OP_SQD_RTS_QP, OPT_Q_KEY },

	{ RC, IBV_QPS_SQD, IBV_QPS_SQD, 0, DRAINED | IBV_QP_PORT | RESPONDER | REQUESTER, 0,
	  0 },
	{ INI, IBV_QPS_SQD, IBV_QPS_SQD, 0, DRAINED | IBV_QP_PORT | REQUESTER, 0, 0 },
	{ TGT, IBV_QPS_SQD, IBV_QPS_SQD, 0, DRAINED | IBV_QP_PORT | IBV_QP_TIMEOUT | RESPONDER,
	  0, 0 },
	{ UC, IBV_QPS_SQD, IBV_QPS_SQD, 0, DRAINED, 0, 0 },
	{ UD, IBV_QPS_SQD, IBV_QPS_SQD, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY, 0, 0 },

	{ UC, IBV_QPS_SQE, IBV_QPS_RTS, 0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS,
	  PRM_OP_SQERR2RTS_QP, OPT_RWE },
	{ UD, IBV_QPS_SQE, IBV_QPS_RTS, 0, LIVE_UD, PRM_OP_SQERR2RTS_QP, OPT_Q_KEY },

	/* mlx5_ib, qp.c, modify_dci_qp_is_ok; opt_mask[] has nothing of a DCI */
	{ DCI, IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT, 0,
	  PRM_OP_RST2INIT_QP, 0 },
	{ DCI, IBV_QPS_INIT, IBV_QPS_INIT, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT,
	  PRM_OP_INIT2INIT_QP, 0 },
	{ DCI, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_PATH_MTU, IBV_QP_PKEY_INDEX | IBV_QP_AV,
	  PRM_OP_INIT2RTR_QP, 0 },
	{ DCI, IBV_QPS_RTR, IBV_QPS_RTS, REQUESTER | IBV_QP_SQ_PSN, IBV_QP_MIN_RNR_TIMER,
	  PRM_OP_RTR2RTS_QP, 0 },
	{ DCI, IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_MIN_RNR_TIMER, PRM_OP_RTS2RTS_QP, 0 },

	{ RAW, IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_PORT, 0, PRM_OP_RST2INIT_QP, 0 },
	{ RAW, IBV_QPS_INIT, IBV_QPS_INIT, 0, 0, PRM_OP_INIT2INIT_QP, 0 },
	{ RAW, IBV_QPS_INIT, IBV_QPS_RTR, 0, 0, PRM_OP_INIT2RTR_QP, 0 },
	{ RAW, IBV_QPS_RTR, IBV_QPS_RTS, 0, IBV_QP_RATE_LIMIT, PRM_OP_RTR2RTS_QP, 0 },
	{ RAW, IBV_QPS_RTS, IBV_QPS_RTS, 0, IBV_QP_RATE_LIMIT, PRM_OP_RTS2RTS_QP, 0 },
};

/* From anywhere but RESET to ERR, from everywhere to RESET: no attributes. */
static const struct transition to_reset = { .command = PRM_OP_2RST_QP };
static const struct transition to_error = { .command = PRM_OP_2ERR_QP };

uint8_t uverbs_qp_service(uint8_t type)
{
	switch (type) {
	case IB_UVERBS_QPT_UC:
		return PRM_QPC_ST_UC;
	case IB_UVERBS_QPT_UD:
		return PRM_QPC_ST_UD;
	case IB_UVERBS_QPT_XRC_INI:
	case IB_UVERBS_QPT_XRC_TGT:
		return PRM_QPC_ST_XRC;
	case UVERBS_QPT_DCI:
		return PRM_QPC_ST_DCI;
	default:
		return PRM_QPC_ST_RC;
	}
}

static const struct transition *find(const struct uverbs_qp_change *ch)
{
	for (size_t i = 0; i < ARRAY_SIZE(transitions); i++)
		if (transitions[i].types >> ch->type & 1 && transitions[i].from == ch->from &&
		    transitions[i].to == ch->to)
			return &transitions[i];
	if (ch->from > IBV_QPS_ERR)
		return NULL;
	if (ch->to == IBV_QPS_RESET)
		return &to_reset;
	return ch->to == IBV_QPS_ERR && ch->from != IBV_QPS_RESET ? &to_error : NULL;
}

bool uverbs_qp_mask_ok(const struct uverbs_qp_change *ch)
{
	const struct transition *t = find(ch);

	if (ch->mask & IBV_QP_CUR_STATE && ch->from != IBV_QPS_RTR && ch->from != IBV_QPS_RTS &&
	    ch->from != IBV_QPS_SQD && ch->from != IBV_QPS_SQE)
		return false;
	/* of a DCI the state is required even if it stays (modify_dci_qp_is_ok) */
	if (ch->type == UVERBS_QPT_DCI && !(ch->mask & IBV_QP_STATE))
		return false;
	return t && (ch->mask & t->needs) == t->needs &&
	       !(ch->mask & ~(t->needs | t->allows | IBV_QP_STATE));
}

/* mlx5_ib, qp.c: ib_mask_to_mlx5_opt, as far as a transition here has it optional */
static uint32_t parts_of(uint32_t mask)
{
	uint32_t parts = 0;

	if (mask & (IBV_QP_ACCESS_FLAGS | IBV_QP_MAX_DEST_RD_ATOMIC))
		parts |= OPT_ACCESS;
	if (mask & IBV_QP_PKEY_INDEX)
		parts |= OPT_PKEY_INDEX;
	if (mask & IBV_QP_QKEY)
		parts |= OPT_Q_KEY;
	if (mask & IBV_QP_MIN_RNR_TIMER)
		parts |= OPT_RNR_TIMEOUT;
	if (mask & IBV_QP_PATH_MIG_STATE)
		parts |= OPT_PM_STATE;
	if (mask & (IBV_QP_PORT | IBV_QP_AV))
		parts |= OPT_PRI_PORT;
	return parts;
}

uint16_t uverbs_qp_command(const struct uverbs_qp_change *ch, uint32_t *opt_param_mask)
{
	const struct transition *t = find(ch);

	*opt_param_mask = t ? t->optional & parts_of(ch->mask) : 0;
	return t ? t->command : 0;
}
