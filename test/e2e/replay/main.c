/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_replay TRACE...: what "dvkit-emu --trace fw" showed of one side each of a connection,
 * once more through DevX, and whether it makes the same objects.
 *
 *	a command of a DevX call    the same command, with our numbers and memory; what it answers
 *	                            and, of objects, the context that they have now is compared
 *	ALLOC_UAR, CREATE_EQ        what users have instead: a UAR, the EQ of a completion vector
 *	DESTROY_, DEALLOC_          the kernel sends them when the handle is destroyed
 *	the driver's others         listed in drivers_own[]; a command that is nowhere is a failure
 *
 * All sides make what they make, then they modify it, then they destroy it: a QP that is
 * connected needs the other side's number.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <devx/eq.h>

#include "replay.h"

enum { SIDES = 4, OBJECTS = 64 };

struct object {
	const char *kind;
	uint64_t from; /* its number in the trace */
	struct devx_obj obj;
	struct devx_uar uar;
	struct memory memory;
	uint8_t expected[CONTEXT_BYTES];
	bool gone;
};

struct side {
	struct trace trace;
	struct ibv_context *ctx;
	struct object object[OBJECTS];
	size_t nobjects, next;
};

/* Commands of the trace that a user of DevX neither can nor has to send. */
/* ACCESS_REG reads PTYS for ibv_query_port(). */
static const uint16_t drivers_own[] = { PRM_OP_SET_ROCE_ADDRESS, PRM_OP_QUERY_SPECIAL_CONTEXTS,
					PRM_OP_CREATE_UCTX, PRM_OP_DESTROY_UCTX,
					PRM_OP_ACCESS_REG };

#define PLACE_OF_A_RING                                                          \
	{ "dbr_addr", "an address" }, { "page_offset", "where the pages are" },  \
		{ "log_page_size", "a page size" }, { "dbr_umem_id", "a umem" }, \
	{                                                                        \
		"dbr_umem_valid", "of a umem"                                    \
	}
static const struct excuse place_of_a_ring[] = { PLACE_OF_A_RING, { NULL, NULL } };
/* mlx5_ib gives these with each move; the device takes the first with RTR2RTS, the others with
 * INIT2RTR. After RTR2RTS they are compared. */
static const struct excuse before_it_sends[] = { PLACE_OF_A_RING,
						 { "log_ack_req_freq", "not sending yet" },
						 { "mtu", "not connected yet" },
						 { "log_msg_max", "not connected yet" },
						 { NULL, NULL } };
static const struct excuse place_of_bytes[] = { { "start_addr", "an address" },
						{ NULL, NULL } };
static const struct excuse of_the_function[] = {
	{ "vhca_id", "the function's number" },
	{ "disable_mc_local_lb", "whether others have the device open" },
	{ "disable_uc_local_lb", "whether others have the device open" },
	{ NULL, NULL },
};

/* Objects that have a context: where it is in the inboxes and the query's outbox. */
static const struct context {
	uint16_t create, query;
	const char *kind, *number, *nest;
	const struct excuse *excuses;
} contexts[] = {
	{ PRM_OP_CREATE_CQ, PRM_OP_QUERY_CQ, "cq", "cqn", "cq_context", place_of_a_ring },
	{ PRM_OP_CREATE_QP, PRM_OP_QUERY_QP, "qp", "qpn", "qpc", place_of_a_ring },
	{ PRM_OP_CREATE_MKEY, PRM_OP_QUERY_MKEY, "mkey", "mkey_index", "memory_key_mkey_entry",
	  place_of_bytes },
};

/* The states that commands lead to, of all fields the only ones that no inbox has. CQC.st 0xa:
 * fired, so that no event comes before it is armed (PRM, "Completion Queue Context"). */
static const struct {
	uint16_t opcode;
	const char *field;
	uint8_t state;
} moves[] = {
	{ PRM_OP_CREATE_CQ, "st", 0xa },
	{ PRM_OP_RST2INIT_QP, "state", PRM_QPC_STATE_INIT },
	{ PRM_OP_INIT2RTR_QP, "state", PRM_QPC_STATE_RTR },
	{ PRM_OP_RTR2RTS_QP, "state", PRM_QPC_STATE_RTS },
};

static unsigned int replayed;

static void executed(const char *what, int err)
{
	char line[256];

	if (err)
		fail("%s: %s", what, devx_error_str(devx_last_error(), line, sizeof(line)));
	replayed++;
}

/* ---- objects ---- */

static const struct context *context_of(const char *kind)
{
	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		if (!strcmp(contexts[i].kind, kind))
			return &contexts[i];
	return NULL;
}

static struct object *object_add(struct side *s, const char *kind, uint64_t from, uint64_t to)
{
	struct object *o = &s->object[s->nobjects];

	if (s->nobjects++ == OBJECTS)
		fail("more objects than places");
	o->kind = kind;
	o->from = from;
	number_add(kind, from, to);
	printf("%s: %s 0x%" PRIx64 " of the trace is 0x%" PRIx64 "\n", s->trace.name, kind,
	       from, to);
	return o;
}

/* The object that an inbox names by its first number. */
static struct object *object_named(struct side *s, const struct record *r)
{
	for (size_t i = 0; i < r->nshown; i++) {
		const char *kind = number_kind(r->shown[i].path);

		for (size_t k = 0; kind && k < s->nobjects; k++)
			if (!s->object[k].gone && s->object[k].from == r->shown[i].value &&
			    !strcmp(s->object[k].kind, kind))
				return &s->object[k];
	}
	fail("%s: %s names no object that was made", s->trace.name, r->cmd->name);
}

/* The number in an outbox: the only field after status and syndrome. */
static const struct prm_field *made(const struct prm_cmd *cmd)
{
	for (const struct prm_field *f = cmd->out->fields; f->name; f++)
		if (number_kind(f->name))
			return f;
	fail("%s makes nothing that has a number", cmd->name);
}

static const struct prm_struct *nested(const struct prm_struct *box, const char *nest,
				       size_t *byte)
{
	const struct prm_field *f = prm_field(box, nest);

	*byte = f->bit / 8;
	return f->type;
}

static void check_object(struct object *o, const char *after, const struct excuse *excuses)
{
	const struct context *x = context_of(o->kind);
	const struct prm_cmd *query;
	const struct prm_struct *s;
	uint8_t in[64] = { 0 }, out[BOX_BYTES];
	char what[64];
	size_t at;

	if (!x)
		return;
	query = prm_cmd(x->query);
	prm_set(query->in, in, sizeof(in), "opcode", x->query);
	prm_set(query->in, in, sizeof(in), x->number, o->obj.id);
	executed(query->name,
		 devx_obj_query(&o->obj, in, query->in->bytes, out, query->out->bytes));
	s = nested(query->out, x->nest, &at);
	snprintf(what, sizeof(what), "%s 0x%x after %s", o->kind, o->obj.id, after);
	compare(what, s, o->expected, out + at, excuses ? excuses : x->excuses);
}

/* Takes the inbox's context over: all of it when the object is made, else what it shows. */
static void expect(struct object *o, const struct record *r, const uint8_t *in)
{
	const struct context *x = context_of(o->kind);
	const struct prm_struct *s;
	uint64_t value;
	size_t at, len;

	if (!x)
		return;
	s = nested(r->cmd->in, x->nest, &at);
	if (r->cmd->opcode == x->create)
		memcpy(o->expected, in + at, s->bytes);
	len = strlen(x->nest);
	for (size_t i = 0; i < r->nshown; i++) {
		const char *path = r->shown[i].path;
		struct prm_pos pos;

		if (strncmp(path, x->nest, len) != 0 || path[len] != '.' ||
		    !prm_find(r->cmd->in, path, &pos))
			continue;
		if (prm_get(r->cmd->in, in, r->in_len, path, &value) && !pos.field->bytes)
			prm_set(s, o->expected, s->bytes, path + len + 1, value);
		else
			memcpy(o->expected + pos.bit / 8 - at, in + pos.bit / 8,
			       pos.field->count);
	}
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
		if (moves[i].opcode == r->cmd->opcode)
			prm_set(s, o->expected, s->bytes, moves[i].field, moves[i].state);
}

/* ---- the calls ---- */

static void create(struct side *s, const struct record *r, uint8_t *in)
{
	const struct prm_field *number = made(r->cmd);
	struct memory memory = { .record = 0 };
	uint8_t out[64] = { 0 };
	struct devx_obj obj;
	struct object *o;

	memory_place(&memory, s->ctx, r, in);
	executed(r->cmd->name, devx_obj_create(&obj, s->ctx, in, r->in_len, out, r->out_len));
	o = object_add(s, number_kind(number->name),
		       prm_load(r->out, number->bit, number->width), obj.id);
	o->obj = obj;
	o->memory = memory;
	expect(o, r, in);
	check_object(o, r->cmd->name, NULL);
}

static void modify(struct side *s, const struct record *r, uint8_t *in)
{
	struct object *o = object_named(s, r);
	uint8_t out[64];

	if (trace_value(r, "qpc.dbr_addr"))
		prm_set(r->cmd->in, in, r->in_len, "qpc.dbr_addr", o->memory.record);
	executed(r->cmd->name, devx_obj_modify(&o->obj, in, r->in_len, out, r->out_len));
	if (r->cmd->opcode == PRM_OP_2RST_QP)
		return; /* the contents of a context in RESET are not specified */
	expect(o, r, in);
	check_object(o, r->cmd->name,
		     r->cmd->opcode == PRM_OP_RTR2RTS_QP ? NULL : before_it_sends);
}

/* An answer, with the trace's numbers in it replaced. */
static void answered(const struct record *r, const uint8_t *out, const struct excuse *excuses)
{
	uint8_t expected[BOX_BYTES];

	memcpy(expected, r->out, r->out_len);
	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
		size_t at;

		if (contexts[i].query != r->cmd->opcode)
			continue;
		const struct prm_struct *s = nested(r->cmd->out, contexts[i].nest, &at);
		for (const struct prm_field *f = s->fields; f->name; f++) {
			const char *kind = number_kind(f->name);
			uint64_t v = kind ? prm_load(expected + at, f->bit, f->width) : 0;

			if (v)
				prm_store(expected + at, f->bit, f->width, number_of(kind, v));
		}
	}
	compare(r->cmd->name, r->cmd->out, expected, out, excuses);
}

static void query(struct side *s, const struct record *r, uint8_t *in)
{
	struct object *o = object_named(s, r);
	uint8_t out[BOX_BYTES];

	executed(r->cmd->name, devx_obj_query(&o->obj, in, r->in_len, out, r->out_len));
	answered(r, out, place_of_a_ring);
}

/* The group's own layout: in the outbox all of them lie on top of one another. */
static void compare_caps(const struct record *r, const uint8_t *out)
{
	uint16_t group = PRM_GET(query_hca_cap_in, r->in, op_mod) >> 1;
	const struct prm_cap_group *g = prm_cap_group(group);
	size_t at = PRM_OFF(query_hca_cap_out, capability) / 8;

	if (!g)
		fail("prm has no layout of capability group 0x%x", group);
	compare(g->name, g->layout, r->out + at, out + at, of_the_function);
}

static void general(struct side *s, const struct record *r, uint8_t *in)
{
	uint8_t out[BOX_BYTES];

	executed(r->cmd->name, devx_cmd(s->ctx, in, r->in_len, out, r->out_len));
	if (r->cmd->opcode == PRM_OP_QUERY_HCA_CAP)
		compare_caps(r, out);
	else
		answered(r, out, of_the_function);
}

/* ---- what is the driver's ---- */

static void alloc_uar(struct side *s, const struct record *r)
{
	struct devx_uar uar;

	executed("devx_uar_alloc", devx_uar_alloc(&uar, s->ctx, DEVX_UAR_ANY));
	object_add(s, "uar", PRM_GET(alloc_uar_out, r->out, uar), uar.page_id)->uar = uar;
}

/* The EQs of completions have the interrupts from 1 on (mlx5_core, eq.c). */
static void find_eq(struct side *s, const struct record *r)
{
	uint64_t intr = trace_value(r, "eq_context_entry.intr");
	uint32_t eqn;

	if (!intr)
		return; /* the driver's own events */
	executed("devx_eqn_query", devx_eqn_query(&eqn, s->ctx, (uint32_t)intr - 1));
	number_add("eq", PRM_GET(create_eq_out, r->out, eq_number), eqn);
}

static void destroy(struct side *s, const struct record *r)
{
	struct object *o = object_named(s, r);

	o->gone = true;
	if (o->uar.handle)
		devx_uar_free(&o->uar);
	else
		executed(r->cmd->name, devx_obj_destroy(&o->obj));
	memory_free(&o->memory);
}

static bool is_drivers_own(uint16_t opcode)
{
	for (size_t i = 0; i < sizeof(drivers_own) / sizeof(drivers_own[0]); i++)
		if (drivers_own[i] == opcode)
			return true;
	return false;
}

static bool destroys(const struct record *r)
{
	return !is_drivers_own(r->cmd->opcode) &&
	       (!strncmp(r->cmd->name, "DESTROY_", 8) || !strncmp(r->cmd->name, "DEALLOC_", 8));
}

static void kernel_only(struct side *s, const struct record *r)
{
	if (r->cmd->opcode == PRM_OP_ALLOC_UAR)
		alloc_uar(s, r);
	else if (r->cmd->opcode == PRM_OP_CREATE_EQ)
		find_eq(s, r);
	else if (destroys(r))
		destroy(s, r);
	else if (is_drivers_own(r->cmd->opcode))
		printf("%s: %s is the driver's own\n", s->trace.name, r->cmd->name);
	else
		fail("%s: nothing in the place of %s", s->trace.name, r->cmd->name);
}

static void step(struct side *s, const struct record *r)
{
	uint8_t in[BOX_BYTES];

	memcpy(in, r->in, r->in_len);
	if (r->cmd->call != PRM_CALL_KERNEL)
		number_replace(r, in);
	switch (r->cmd->call) {
	case PRM_CALL_CREATE:
		create(s, r, in);
		break;
	case PRM_CALL_MODIFY:
		modify(s, r, in);
		break;
	case PRM_CALL_QUERY:
		query(s, r, in);
		break;
	case PRM_CALL_GENERAL:
		general(s, r, in);
		break;
	default:
		kernel_only(s, r);
	}
}

/* ---- all sides ---- */

enum phase { MAKING, MODIFYING, ENDING };

static enum phase phase_of(const struct record *r)
{
	if (destroys(r) || r->cmd->opcode == PRM_OP_2RST_QP)
		return ENDING;
	return r->cmd->call == PRM_CALL_MODIFY ? MODIFYING : MAKING;
}

/* Goes on until the first command of a later phase. */
static void run(struct side *s, enum phase until)
{
	for (; s->next < s->trace.n; s->next++) {
		if (phase_of(&s->trace.record[s->next]) > until)
			return;
		step(s, &s->trace.record[s->next]);
	}
}

static void end(struct side *s)
{
	for (size_t i = s->nobjects; i--;) {
		if (s->object[i].gone)
			continue;
		if (!s->object[i].uar.handle)
			fail("%s: %s 0x%" PRIx64 " is left", s->trace.name, s->object[i].kind,
			     s->object[i].from);
		devx_uar_free(&s->object[i].uar); /* the driver's own, never given back */
	}
	if (ibv_close_device(s->ctx))
		fail("the context does not close");
	trace_free(&s->trace);
}

int main(int argc, char **argv)
{
	static struct side sides[SIDES];
	int n = argc - 1;

	if (n < 1 || n > SIDES) {
		fputs("usage: test_replay TRACE...   (one for each side of a connection)\n",
		      stderr);
		return 2;
	}
	for (int i = 0; i < n; i++) {
		trace_read(&sides[i].trace, argv[i + 1]);
		executed("devx_open", devx_open(&sides[i].ctx, NULL));
	}
	for (enum phase phase = MAKING; phase <= ENDING; phase++)
		for (int i = 0; i < n; i++)
			run(&sides[i], phase);
	for (int i = 0; i < n; i++)
		end(&sides[i]);
	printf("%u commands replayed: the same objects\n", replayed);
	return 0;
}
