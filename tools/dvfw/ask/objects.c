/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw objects: the objects on the device, of all programs and of the kernel.
 *
 *	dvfw objects qp --first=0x100 --number=64
 *	  QUERY_QP qpn=0x100 … 0x13f through fwctl: a line for each that is answered
 *
 * The firmware has no command that lists objects: each number is asked for.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "box/box.h"
#include "prm/walk.h"

#define LAST 0xffffffull /* numbers of objects have 24 bits at most */

/* number: in the inbox; show: of the outbox, the fields of a line */
struct kind {
	const char *name, *command, *number;
	const char *show[4];
};

static const struct kind kinds[] = {
	{ "eq", "QUERY_EQ", "eq_number", { "eq_context_entry.log_eq_size", "event_bitmask" } },
	{ "cq", "QUERY_CQ", "cqn", { "cq_context.status", "cq_context.log_cq_size" } },
	{ "qp", "QUERY_QP", "qpn", { "qpc.st", "qpc.state", "qpc.remote_qpn", "qpc.pd" } },
	{ "sq", "QUERY_SQ", "sqn", { "sq_context.state", "sq_context.cqn" } },
	{ "rq", "QUERY_RQ", "rqn", { "rq_context.state", "rq_context.cqn" } },
	{ "rmp", "QUERY_RMP", "rmpn", { "rmp_context.state" } },
	{ "xrc_srq",
	  "QUERY_XRC_SRQ",
	  "xrc_srqn",
	  { "xrc_srq_context_entry.state", "xrc_srq_context_entry.pd" } },
	{ "dct", "QUERY_DCT", "dctn", { "dct_context_entry.state", "dct_context_entry.pd" } },
	{ "tir", "QUERY_TIR", "tirn", { "tir_context.disp_type", "tir_context.inline_rqn" } },
	{ "tis", "QUERY_TIS", "tisn", { "tis_context.transport_domain" } },
	{ "rqt", "QUERY_RQT", "rqtn", { "rqt_context.rqt_actual_size" } },
	{ "mkey",
	  "QUERY_MKEY",
	  "mkey_index",
	  { "memory_key_mkey_entry.access_mode_1_0", "memory_key_mkey_entry.pd",
	    "memory_key_mkey_entry.start_addr", "memory_key_mkey_entry.len" } },
	{ "q_counter", "QUERY_Q_COUNTER", "counter_set_id", { NULL } },
};
#define KINDS (ARRAY_SIZE(kinds))

struct request {
	struct dvfw *dvfw;
	const char *first_text, *number_text;
	uint64_t first, number;
	char *word[KINDS];
	struct json_object *list; /* --json */
};

static const struct kind *find(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static int refuse_kind(const struct dvfw *d, const char *name)
{
	struct near near;
	char names[200] = "";
	size_t used = 0;

	near_begin(&near, name);
	for (size_t i = 0; i < KINDS; i++) {
		near_offer(&near, kinds[i].name);
		used += (size_t)snprintf(names + used, sizeof(names) - used, " %s",
					 kinds[i].name);
	}
	return dvfw_usage(d, "there are no objects '%s' that can be queried; there are:%s%s",
			  name, names, near_text(&near));
}

static void show(struct request *r, const struct kind *k, const struct exchange *x, uint64_t id)
{
	struct json_object *entry = r->list ? json_object_new_object() : NULL;
	struct prm_pos pos;
	uint64_t value;

	if (entry) {
		json_set(entry, "type", k->name);
		json_set(entry, "number", id);
		json_object_array_add(r->list, entry);
	} else {
		printf("%-9s 0x%06llx", k->name, (unsigned long long)id);
	}
	for (const char *const *path = k->show; path < k->show + 4 && *path; path++) {
		const struct prm_struct *out = x->cmd->out;
		const char *name = strrchr(*path, '.'), *word = NULL;

		name = name ? name + 1 : *path;
		if (!prm_get(out, x->out.bytes, x->out.len, *path, &value))
			continue;
		if (prm_find(out, *path, &pos))
			word = prm_word(pos.owner, pos.field, value);
		if (entry)
			json_set(entry, name, value);
		else if (word)
			printf("  %s=%s", name, word);
		else
			printf("  %s=0x%llx", name, (unsigned long long)value);
	}
	if (!entry)
		putchar('\n');
}

/* All numbers of a kind that the range has; an answer of the firmware that there is no such
 * object is not a refusal. */
static int list_kind(struct request *r, const struct kind *k, unsigned int *found)
{
	static struct exchange x;
	uint64_t end = r->first + r->number, id;
	struct prm_pos pos;
	int err;

	if (exchange_begin(r->dvfw, &x, k->command) || !prm_find(x.cmd->in, k->number, &pos))
		return DVFW_REFUSED;
	if (end > 1ull << pos.field->width)
		end = 1ull << pos.field->width;
	for (id = r->first; id < end; id++) {
		prm_set(x.cmd->in, x.in.bytes, x.in.len, k->number, id);
		exchange_fit(&x);
		err = dvfw_command(r->dvfw, x.in.bytes, x.in.len, x.out.bytes, x.out.len);
		if (err && err != EREMOTEIO)
			return dvfw_command_refused(r->dvfw, x.in.bytes, err);
		if (err)
			continue;
		show(r, k, &x, id);
		++*found;
	}
	return DVFW_OK;
}

static int number(const struct request *r, const char *option, const char *text, uint64_t least,
		  uint64_t *value)
{
	if (!text || (parse_number(text, value) && *value >= least && *value <= LAST + least))
		return DVFW_OK;
	return dvfw_usage(r->dvfw, "--%s: '%s' is not a number from %llu to 0x%llx", option,
			  text, (unsigned long long)least, (unsigned long long)(LAST + least));
}

static int run(struct request *r, int n)
{
	unsigned int found = 0;
	int status = number(r, "first", r->first_text, 0, &r->first);

	if (!status)
		status = number(r, "number", r->number_text, 1, &r->number);
	for (int i = 0; i < n && !status; i++)
		if (!find(r->word[i]))
			status = refuse_kind(r->dvfw, r->word[i]);
	if (status)
		return status;
	if (!r->dvfw->via)
		r->dvfw->via = "fwctl";
	if (!strcmp(r->dvfw->via, "devx"))
		return dvfw_usage(r->dvfw,
				  "objects of other programs cannot be queried by DevX: "
				  "--via=fwctl");
	status = dvfw_connect(r->dvfw);
	r->list = r->dvfw->json && !status ? json_object_new_array() : NULL;
	for (size_t i = 0; i < (n ? (size_t)n : KINDS) && !status; i++)
		status = list_kind(r, n ? find(r->word[i]) : &kinds[i], &found);
	if (r->list)
		dvfw_print_json(r->list);
	else if (!status && !found) {
		uint64_t last = r->first + r->number - 1;

		printf("none with a number from 0x%llx to 0x%llx: --first and --number say which are asked for\n",
		       (unsigned long long)r->first,
		       (unsigned long long)(last < LAST ? last : LAST));
	}
	return status;
}

static const struct option_row options[] = {
	{ "first", 0, "NUMBER", "The first number asked for (default: 0)",
	  offsetof(struct request, first_text), NULL },
	{ "number", 0, "N", "How many are asked for (default: 4096)",
	  offsetof(struct request, number_text), NULL },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "[TYPE...]",
	.doc = "Lists the objects of the device, those of other programs too, through fwctl. TYPE: eq, "
	       "cq, qp, sq, rq, rmp, xrc_srq, dct, tir, tis, rqt, mkey, q_counter (default: all).",
	.surplus = "each type once",
	.max = KINDS,
};

int objects_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d, .number = 4096 };
	int n = arguments_parse(&syntax, d, argc, argv, &r, r.word);

	return run(&r, n);
}
