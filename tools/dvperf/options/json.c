/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a run as every result tells them, and as two sides compare them. */
#include "options.h"

static void add(struct json_object *to, const char *name, int64_t value)
{
	json_object_object_add(to, name, json_object_new_int64(value));
}

static void add_word(struct json_object *to, const char *name, const char *value)
{
	json_object_object_add(to, name, json_object_new_string(value));
}

struct json_object *options_json(const struct options *o)
{
	struct json_object *j = json_object_new_object();

	add_word(j, "mode", mode_word(o->mode));
	add_word(j, "op", op_word(o->op));
	add_word(j, "connection", service_word(o->service));
	add_word(j, "api", api_word(o->api));
	add(j, "size", o->size);
	if (o->adaptive)
		add_word(j, "batch", "adaptive");
	else
		add(j, "batch", o->batch);
	add(j, "signal", options_signal_interval(o));
	add(j, "inline_size", o->inline_size);
	add(j, "tx_depth", o->tx_depth);
	add(j, "rx_depth", o->rx_depth);
	add(j, "outstanding", options_depth(o));
	add(j, "qp", o->qps);
	add(j, "threads", o->threads);
	add_word(j, "layout", layout_word(o->layout));
	add_word(j, "doorbell", doorbell_word(o->doorbell));
	add_word(j, "uar", uar_word(o->uar));
	add_word(j, "pages", pages_word(o->pages));
	add_word(j, "locks", o->no_locks ? "off" : "on");
	add_word(j, "cq", cqs_word(o->cqs));
	add(j, "cq_size", o->cq_size);
	add(j, "cqe_size", o->cqe_size);
	add_word(j, "cqe_compression", cqe_comp_word(o->cqe_comp));
	add(j, "cqe_poll", o->cqe_poll);
	add(j, "collapsed", o->collapsed);
	add(j, "events", o->events);
	add_word(j, "mr", mrs_word(o->mrs));
	add(j, "disable_pcie_relaxed", o->strict_order);
	add(j, "dm", o->dm);
	add_word(j, "remote", remote_word(o->remote));
	add(j, "remote_size", (int64_t)o->remote_size);
	add(j, "rdma_cm", o->rdma_cm);
	add_word(j, "barriers", barriers_word(o->barriers));
	add(j, "mtu", o->mtu);
	add(j, "iters", (int64_t)o->iters);
	json_object_object_add(j, "duration", json_object_new_double(o->duration));
	json_object_object_add(j, "rate", json_object_new_double(o->rate));
	add(j, "bidirectional", o->bidirectional);
	add(j, "repeats", o->repeats);
	add(j, "perform_warm_up", o->warm_up);
	add(j, "noPeak", o->no_peak);
	add(j, "outs", o->outs);
	add(j, "numa", o->numa);
	add_word(j, "atomic_type",
		 o->atomic == ATOMIC_CMP_AND_SWAP ? "CMP_AND_SWAP" : "FETCH_AND_ADD");
	return j;
}
