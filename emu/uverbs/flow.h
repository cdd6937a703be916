/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flows of applications: what their files share.
 *
 *	flow.c          ibv_create_flow(): checks, priorities, default rules, sniffer
 *	flow_spec.c     its specifications -> match and actions
 *	flow_matcher.c  masks of mlx5dv_create_flow_matcher()
 *	flow_raw.c      mlx5dv_create_flow(): values, destinations, actions
 *	flow_action.c   changes of headers
 *	flow_anchor.c   a way into the kernel's tables from those of DevX
 *	flow_counters.c ibv_create_counters()
 *
 *	application -> checks of ib_uverbs, mlx5_ib -> uverbs_flow_add() (flow_core.h) -> firmware
 */
#ifndef EMU_UVERBS_FLOW_H
#define EMU_UVERBS_FLOW_H

#include "uverbs/flow_core.h"
#include "uverbs/method.h"

#define UVERBS_FLOW_TAG_MAX 0xffffffu

/* ---- counters objects ---- */

struct uverbs_count_desc {
	uint32_t description, index; /* enum ib_uverbs_... of mlx5-abi.h: packets, bytes */
};

struct uverbs_counters {
	struct uverbs_object obj;
	bool has_id;
	uint32_t id; /* flow counter */
	struct uverbs_count_desc *desc;
	uint32_t descs, max_index; /* max_index: one more than the largest index */
};

/* Makes sure that there is a flow counter, and takes the @n descriptions at @va if there are
 * any:
 * -EINVAL: twice, or never. */
int uverbs_counters_describe(struct uverbs *u, struct uverbs_counters *k, uint64_t va,
			     uint32_t n);

/* No flow counts any more: the next one describes them again. */
void uverbs_counters_clear(struct uverbs_counters *k);

/* ---- changes of headers ---- */

struct uverbs_flow_action {
	struct uverbs_object obj;
	uint16_t action; /* PRM_FLOW_CONTEXT_ACTION_: MOD_HDR, PACKET_REFORMAT or DECAP */
	uint32_t id;	 /* of its context; DECAP has none */
};

/* Adds it to what a rule does; -EINVAL: the rule does such a thing already. */
int uverbs_flow_action_apply(const struct uverbs_flow_action *a, struct uverbs_flow_act *act);

/* ---- flows ---- */

#define UVERBS_FLOW_RULES 2
#define UVERBS_FLOW_HELD  12 /* specifications, QP */

struct uverbs_flow {
	struct uverbs_object obj;
	struct uverbs_flow_rule *rule[UVERBS_FLOW_RULES];
	struct uverbs_object *held[UVERBS_FLOW_HELD]; /* whom it uses */
	uint32_t holds;
};

/* @f uses @o, once it is made. */
void uverbs_flow_hold(struct uverbs_flow *f, struct uverbs_object *o);

/* The TIR of a raw packet QP; 0: it has none. */
uint32_t uverbs_flow_tir(const struct uverbs_qp *qp);

/* ---- specifications ---- */

/* The result of reading the specifications. */
struct uverbs_flow_specs {
	struct uverbs_match match;
	struct uverbs_flow_act act;
	struct uverbs_counters *counters;
	struct uverbs_flow_action *action[UVERBS_FLOW_HELD];
	uint32_t actions;
	bool multicast; /* the first one is of multicast frames */
};

/* @len bytes of @n specifications in @bytes; first all of ib_uverbs' checks, then mlx5_ib's. */
int uverbs_flow_specs_check(struct uverbs_file *f, const uint8_t *bytes, size_t len, uint32_t n,
			    struct uverbs_flow_specs *s);
int uverbs_flow_specs_parse(const struct uverbs *u, const uint8_t *bytes, uint32_t n,
			    struct uverbs_flow_specs *s);

/* ---- mlx5dv ---- */

struct uverbs_flow_matcher {
	struct uverbs_object obj;
	enum uverbs_flow_ns ns;
	uint8_t flow_type; /* MLX5_IB_FLOW_TYPE_* */
	uint16_t priority;
	uint8_t criteria;
	uint8_t mask[UVERBS_MATCH_SIZE];
};

struct uverbs_flow_anchor;

struct uverbs_steering_anchor {
	struct uverbs_object obj;
	struct uverbs_flow_anchor *anchor;
};

/* Bytes of a match: up to those of Linux' mlx5_ib_match_params, of which the device knows the
 * first.
 * -EINVAL: others are not zero. */
int uverbs_flow_read_match(const struct uverbs_call *c, uint16_t id,
			   uint8_t match[UVERBS_MATCH_SIZE]);
#define UVERBS_MATCH_PARAMS_SIZE 0x280

/* The namespace of an enum mlx5_ib_uapi_flow_table_type; -EINVAL: none of it is here. */
int uverbs_flow_ns_of(uint64_t ft_type, enum uverbs_flow_ns *ns);

#endif
