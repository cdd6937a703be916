/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules on a device. A back end installs them; which one is the caller's choice:
 *
 *	"verbs"   ibv_create_flow(): group 0, what specs can express (spec.h), destinations are QPs
 *	"kernel"  mlx5dv_create_flow(): group 0, all of match.h; QPs, TIRs and tables of the program;
 *		  changes of headers, but not of VLAN tags
 *	"devx"    flow tables by firmware commands, one per group; rules of group 0 are reached through a
 *		  rule of the kernel with the same match, so other packets stay with the kernel. Needs a
 *		  context that was opened for DevX
 *	"dr"      mlx5dv_dr: tables that libmlx5 writes into the device's memory, one per group
 *
 * A rule that a back end cannot install is refused with a reason, before anything is installed.
 * All need CAP_NET_RAW.
 *
 * A rule with several destinations is a mirror: each receives a copy after all other actions
 * were applied. "sample ratio 1" is a mirror, too. Other ratios, and meters, are of "dr".
 *
 * Rules name queues and objects by numbers; struct dv_flow_targets says what these are. The
 * objects are the caller's, and are destroyed after the rules that use them. Before, the kernel
 * refuses: EBUSY for a QP or WQ. The firmware refuses for objects that the kernel does not
 * know: EINVAL of devx for TIRs, tables and meters. A QP that a rule of "devx" leads to is
 * destroyed for the kernel, which ignores the refusal; the adapter keeps its queues until it is
 * reset.
 *
 * A port and its rules belong to one thread at a time.
 */
#ifndef FLOW_FLOW_H
#define FLOW_FLOW_H

#include <devx/counter.h>
#include <flow/text.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Arrays of the caller, read by dv_flow_create(). */
struct dv_flow_targets {
	struct ibv_qp *const
		*qp;	   /* raw packet QPs: "queue index N" is qp[N], "qp number N" the one */
	unsigned int n_qp; /* with that qp_num */
	struct ibv_wq *const *wq; /* "rss queues N … end": wq[N]; in state RDY */
	unsigned int n_wq;
	struct ibv_pd *pd;	     /* of the QP that rss makes */
	struct devx_obj *const *tir; /* "queue index N" without qp, "tir number N" */
	unsigned int n_tir;
	struct devx_obj *const *table; /* "devx_table id N": of devx_flow_table_create() */
	unsigned int n_table;
	const struct dv_flow_rule
		*sample; /* "sample index N": its actions; the rest is not read */
	unsigned int n_sample;
	/* "meter mtr_id N": meter N % 2 of meter[N / 2], an object flow_meter_aso */
	struct devx_obj *const *meter;
	unsigned int n_meter;
	uint32_t entries;     /* of each table of "devx", at least; 0: 65,536 */
	uint64_t reserved[2]; /* 0 */
};

struct dv_flow_port;
struct dv_flow;

/* The names of the back ends, "verbs" first; NULL: no more. */
const char *dv_flow_backend_name(unsigned int i);

/* EINVAL: no such back end; ENOMEM; others as the back end. @targets: kept, not copied; NULL:
 * none. */
int dv_flow_open(struct dv_flow_port **port, struct ibv_context *ctx, const char *backend,
		 const struct dv_flow_targets *targets, struct dv_flow_error *error);
/* Destroys the rules of the port, too. */
void dv_flow_close(struct dv_flow_port *port);

/* Checks and installs. @error has the message of every failure. */
int dv_flow_create(struct dv_flow **flow, struct dv_flow_port *port,
		   const struct dv_flow_rule *rule, struct dv_flow_error *error);
/* In any order. EBUSY: an object of the program leads to the table of the rule, which is still
 * in the list; again when that is destroyed. Others: the device refused. */
int dv_flow_destroy(struct dv_flow *flow);

/* EINVAL: the rule has no action count. */
int dv_flow_query(struct dv_flow *flow, struct devx_flow_count *count);

/* The rules of a port, in the order of creation; begin with NULL. */
struct dv_flow *dv_flow_next(struct dv_flow_port *port, struct dv_flow *flow);
/* As it was given. */
void dv_flow_rule_of(struct dv_flow_rule *rule, const struct dv_flow *flow);
/* From 0 on, in the order of creation; not used again. */
unsigned int dv_flow_number(const struct dv_flow *flow);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
