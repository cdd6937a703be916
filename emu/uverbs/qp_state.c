/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state machine of an RC QP, three tables in one:
 *
 *	which transitions there are, what they need and allow	InfiniBand specification, ch. 11,
 *							"Modify Queue Pair"; ib_core, ib_modify_qp_is_ok
 *	which command makes them				mlx5_ib, qp.c, optab[]
 *	which parts of the QPC are optional in it		mlx5_ib, qp.c, opt_mask[]
 *
 * RTS to SQD is a transition of the specification for which mlx5_ib has no command.
 */
#include <infiniband/verbs.h>

#include "uverbs/qp.h"

/* The bits of opt_param_mask: <linux/mlx5/qp.h>, MLX5_QP_OPTPAR_* */
#define OPT_RRE		(1u << 1)
#define OPT_RAE		(1u << 2)
#define OPT_RWE		(1u << 3)
#define OPT_PKEY_INDEX	(1u << 4)
#define OPT_RNR_TIMEOUT (1u << 6)
#define OPT_PM_STATE	(1u << 10)
#define OPT_PRI_PORT	(1u << 16)
#define OPT_ACCESS	(OPT_RRE | OPT_RAE | OPT_RWE)
#define OPT_CONNECTED	(OPT_ACCESS | OPT_RNR_TIMEOUT | OPT_PM_STATE)

#define RTR_NEEDS                                                        \
	(IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | \
	 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define RTS_NEEDS                                                               \
	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | \
	 IBV_QP_MAX_QP_RD_ATOMIC)
#define CONNECTED_ALLOWS                                                                   \
	(IBV_QP_CUR_STATE | IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER | \
	 IBV_QP_PATH_MIG_STATE)
#define SQD_ALLOWS                                                                        \
	(IBV_QP_PORT | IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | \
	 IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_ALT_PATH |          \
	 IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_MIN_RNR_TIMER |                 \
	 IBV_QP_PATH_MIG_STATE)
#define INIT_ATTRS (IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)

static const struct transition {
	uint8_t from, to; /* enum ibv_qp_state */
	uint32_t needs, allows;
	uint16_t command;
	uint32_t optional;
} transitions[] = {
	{ IBV_QPS_RESET, IBV_QPS_RESET, 0, 0, PRM_OP_2RST_QP, 0 },
	{ IBV_QPS_RESET, IBV_QPS_INIT, INIT_ATTRS, 0, PRM_OP_RST2INIT_QP, 0 },
	{ IBV_QPS_INIT, IBV_QPS_INIT, 0, INIT_ATTRS, PRM_OP_INIT2INIT_QP,
	  OPT_ACCESS | OPT_PKEY_INDEX | OPT_PRI_PORT },
	{ IBV_QPS_INIT, IBV_QPS_RTR, RTR_NEEDS,
	  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX, PRM_OP_INIT2RTR_QP,
	  OPT_ACCESS | OPT_PKEY_INDEX },
	{ IBV_QPS_RTR, IBV_QPS_RTS, RTS_NEEDS, CONNECTED_ALLOWS, PRM_OP_RTR2RTS_QP,
	  OPT_CONNECTED },
	{ IBV_QPS_RTS, IBV_QPS_RTS, 0, CONNECTED_ALLOWS, PRM_OP_RTS2RTS_QP, OPT_CONNECTED },
	{ IBV_QPS_RTS, IBV_QPS_SQD, 0, IBV_QP_EN_SQD_ASYNC_NOTIFY, 0, 0 },
	{ IBV_QPS_SQD, IBV_QPS_RTS, 0, CONNECTED_ALLOWS, PRM_OP_SQD_RTS_QP, OPT_CONNECTED },
	{ IBV_QPS_SQD, IBV_QPS_SQD, 0, SQD_ALLOWS, 0, 0 },
};

/* From anywhere but RESET to ERR, from everywhere to RESET: no attributes. */
static const struct transition to_reset = { .command = PRM_OP_2RST_QP };
static const struct transition to_error = { .command = PRM_OP_2ERR_QP };

static const struct transition *find(uint8_t from, uint8_t to)
{
	for (size_t i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++)
		if (transitions[i].from == from && transitions[i].to == to)
			return &transitions[i];
	if (from > IBV_QPS_ERR)
		return NULL;
	if (to == IBV_QPS_RESET)
		return &to_reset;
	return to == IBV_QPS_ERR && from != IBV_QPS_RESET ? &to_error : NULL;
}

bool uverbs_qp_mask_ok(uint8_t from, uint8_t to, uint32_t mask)
{
	const struct transition *t = find(from, to);

	if (mask & IBV_QP_CUR_STATE && from != IBV_QPS_RTR && from != IBV_QPS_RTS &&
	    from != IBV_QPS_SQD && from != IBV_QPS_SQE)
		return false;
	return t && (mask & t->needs) == t->needs &&
	       !(mask & ~(t->needs | t->allows | IBV_QP_STATE));
}

/* mlx5_ib, qp.c: ib_mask_to_mlx5_opt, as far as a transition here has it optional */
static uint32_t parts_of(uint32_t mask)
{
	uint32_t parts = 0;

	if (mask & (IBV_QP_ACCESS_FLAGS | IBV_QP_MAX_DEST_RD_ATOMIC))
		parts |= OPT_ACCESS;
	if (mask & IBV_QP_PKEY_INDEX)
		parts |= OPT_PKEY_INDEX;
	if (mask & IBV_QP_MIN_RNR_TIMER)
		parts |= OPT_RNR_TIMEOUT;
	if (mask & IBV_QP_PATH_MIG_STATE)
		parts |= OPT_PM_STATE;
	if (mask & (IBV_QP_PORT | IBV_QP_AV))
		parts |= OPT_PRI_PORT;
	return parts;
}

uint16_t uverbs_qp_command(uint8_t from, uint8_t to, uint32_t mask, uint32_t *opt_param_mask)
{
	const struct transition *t = find(from, to);

	*opt_param_mask = t ? t->optional & parts_of(mask) : 0;
	return t ? t->command : 0;
}
