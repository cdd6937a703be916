/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds of firmware commands on an adapter without a driver.
 *
 *	ioctls of before --trace--> inboxes that worked --+
 *	prm's and firmware's tables --> empty inboxes ----+--> live numbers put in --> one field
 *	chance ----------------------> bytes -------------'    spoilt, lengths changed --> fw_exec
 *
 * A driver may name any bus address, and a device that gets a wrong one writes there. So
 * addresses are led into the arena first; what firmware checks of them is left in.
 *
 * Boxes are allocated at exactly their length: a byte read or written beyond it is found.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "fuzz/status.h"
#include "fw/command.h"

#define LEARNED	    256
#define LEARN_CASES 6000
#define BOX	    2048
#define OPCODES	    0x1000
#define LEAVES	    1024
#define CHECK_EVERY 100
#define EQS_MANY    64

static struct learned {
	uint16_t opcode;
	size_t in_len, out_len;
	uint8_t in[BOX];
} learned[LEARNED];
static unsigned int nlearned, seen;

struct box {
	uint16_t opcode;
	size_t in_len, out_len;
	uint8_t in[BOX];
};

/* ---- what worked ---- */

/* Every opcode gets a place; then chance decides what is remembered. */
static void remember(const struct core_trace *t)
{
	bool known = false;
	unsigned int at;

	if (((const uint8_t *)t->out)[0] != FW_OK || t->in_len > BOX)
		return;
	for (unsigned int i = 0; i < nlearned; i++)
		known |= learned[i].opcode == t->obj;
	seen++;
	at = nlearned < LEARNED ? nlearned++ : below(LEARNED);
	if (known && at == nlearned - 1 && at > LEARNED / 2 && !one_in(1 + seen / LEARNED)) {
		nlearned--;
		return;
	}
	learned[at].opcode = t->obj;
	learned[at].in_len = t->in_len;
	learned[at].out_len = t->out_len;
	memcpy(learned[at].in, t->in, t->in_len);
}

void boxes_learn(void)
{
	arena_reset(false);
	core_trace_to = remember;
	core_trace_mask = 1u << TRACE_FW;
	fuzz_calls(LEARN_CASES);
	core_trace_mask = 0;
}

/* ---- the fields of an inbox ---- */

struct leaf {
	const char *name;
	uint32_t bit, width;
};

static struct leaf leaves[LEAVES];
static unsigned int nleaves;

static void walk(const struct prm_struct *s, uint32_t bit)
{
	for (const struct prm_field *f = s->fields; f->name; f++) {
		uint32_t n = f->count > 4 ? 4 : f->count;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t at = bit + f->bit + i * f->width;

			if (f->type)
				walk(f->type, at);
			else if (f->width <= 64 && nleaves < LEAVES)
				leaves[nleaves++] = (struct leaf){ f->name, at, f->width };
		}
	}
}

static void find_leaves(uint16_t opcode)
{
	const struct prm_cmd *cmd = prm_cmd(opcode);

	nleaves = 0;
	if (cmd)
		walk(cmd->in, 0);
}

static bool inside(const struct box *b, uint32_t bit, uint32_t width)
{
	return bit + width <= b->in_len * 8;
}

/* ---- live numbers ---- */

static const struct core_ids *table_of(const struct hca *hca, const char *field)
{
	const struct {
		const char *field;
		const struct core_ids *table;
	} names[] = {
		{ "pd", &hca->pds },
		{ "cqn", &hca->cqs },
		{ "cqn_snd", &hca->cqs },
		{ "cqn_rcv", &hca->cqs },
		{ "uar", &hca->uars },
		{ "uar_page", &hca->uars },
		{ "qpn", &hca->qps },
		{ "remote_qpn", &hca->qps },
		{ "mkey_index", &hca->mkeys },
		{ "eq_number", &hca->eqs },
		{ "c_eqn_or_apu_element", &hca->eqs },
		{ "transport_domain", &hca->tds },
		{ "rmpn", &hca->srqs },
		{ "srqn", &hca->srqs },
		{ "xrc_srqn", &hca->srqs },
		{ "srqn_rmpn_xrqn", &hca->srqs },
		{ "xrcd", &hca->xrcds },
		{ "cq_umem_id", &hca->umems },
		{ "wq_umem_id", &hca->umems },
		{ "dbr_umem_id", &hca->umems },
		{ "mkey_umem_id", &hca->umems },
		{ "umem_id", &hca->umems },
		{ "rqn", &hca->rqs },
		{ "inline_rqn", &hca->rqs },
		{ "rq_num", &hca->rqs },
		{ "sqn", &hca->sqs },
		{ "tisn", &hca->tiss },
		{ "tis_num_0", &hca->tiss },
		{ "tirn", &hca->tirs },
		{ "rqtn", &hca->rqts },
		{ "indirect_table", &hca->rqts },
		{ "psvn", &hca->psvs },
		{ "counter_set_id", &hca->q_counters },
		{ "flow_counter_id", &hca->flow_counters },
		{ "scheduling_element_id", &hca->scheds },
		{ "parent_element_id", &hca->scheds },
		{ "obj_id", &hca->generals },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].field, field))
			return names[i].table;
	return NULL;
}

/* A number that is in use; any if none is. */
static uint32_t live(const struct core_ids *t)
{
	uint32_t skip = t->used ? below(t->used) : 0, id = 0;

	if (!t->used)
		return t->base + below(8);
	do
		core_ids_next(t, &id);
	while (skip--);
	return id;
}

static void put_live_numbers(struct adapter *a, struct box *b, bool empty)
{
	for (unsigned int i = 0; i < nleaves; i++) {
		const struct core_ids *t = table_of(&a->hca, leaves[i].name);
		const struct leaf *l = &leaves[i];

		if (!t || !inside(b, l->bit, l->width))
			continue;
		if ((empty && one_in(2)) || (!empty && prm_load(b->in, l->bit, l->width)))
			prm_store(b->in, l->bit, l->width, live(t));
	}
}

/* ---- addresses ---- */

static bool is_mapped(uint64_t va)
{
	uint8_t byte;

	return va >> 12 && va < 1ull << 47 && core_peek(&byte, va, 1);
}

static void lead_into_arena(struct box *b)
{
	const struct prm_cmd *cmd = prm_cmd(b->opcode);
	size_t list = cmd ? cmd->in->bytes : 16;

	for (size_t at = 0; at + 8 <= b->in_len; at += at < list ? 4 : 8) {
		uint64_t v = prm_load(b->in + at, 0, 64);

		if (at >= list ? v && !(arena_has(v) && v - ARENA < 1u << 31)
			       : !arena_has(v) && is_mapped(v))
			prm_store(b->in + at, 0, 64, one_in(2) ? ARENA : arena_page());
	}
}

/* ---- making a box ---- */

static uint16_t some_opcode(void)
{
	uint16_t opcode = below(OPCODES);

	if (one_in(8))
		return odd_number();
	for (uint32_t i = 0; i < OPCODES; i++, opcode = (opcode + 1) % OPCODES)
		if (fw_command(opcode) || (one_in(16) && prm_cmd(opcode)))
			break;
	return opcode;
}

static void empty_box(struct box *b)
{
	const struct prm_cmd *cmd;

	b->opcode = some_opcode();
	cmd = prm_cmd(b->opcode);
	b->in_len = cmd ? cmd->in->bytes : 16;
	b->out_len = cmd ? cmd->out->bytes : 16;
	if (b->in_len > BOX)
		b->in_len = BOX;
	memset(b->in, 0, sizeof(b->in));
	PRM_SET(mbox_in, b->in, opcode, b->opcode);
}

static void learned_box(struct box *b)
{
	const struct learned *l = &learned[below(nlearned)];
	uint16_t opcode = some_opcode();

	/* Each command as often as another, not as often as it was seen. */
	for (unsigned int i = 0, at = below(nlearned); i < nlearned; i++)
		if (learned[(at + i) % nlearned].opcode == opcode) {
			l = &learned[(at + i) % nlearned];
			break;
		}
	b->opcode = l->opcode;
	b->in_len = l->in_len;
	b->out_len = l->out_len;
	memcpy(b->in, l->in, l->in_len);
}

static void spoil_field(struct box *b)
{
	const struct fw_command *cmd = fw_command(b->opcode);
	unsigned int n = 0;

	while (cmd && cmd->accepts && cmd->accepts[n].width)
		n++;
	if (n && !one_in(4)) {
		const struct fw_bits *f = &cmd->accepts[below(n)];

		if (f->width <= 64 && inside(b, f->first, f->width))
			prm_store(b->in, f->first, f->width, odd_number());
	} else if (nleaves && !one_in(4)) {
		const struct leaf *l = &leaves[below(nleaves)];

		if (inside(b, l->bit, l->width))
			prm_store(b->in, l->bit, l->width, odd_number());
	} else {
		spoil(b->in, b->in_len);
	}
}

static void set_uid(struct adapter *a, struct box *b)
{
	uint16_t uid = one_in(8) ? odd_number() : one_in(2) ? live(&a->hca.uctx) : 0;

	if (b->in_len >= 4)
		PRM_SET(create_qp_in, b->in, uid, uid);
}

static void make(struct adapter *a, struct box *b)
{
	bool empty = one_in(4);

	if (empty)
		empty_box(b);
	else
		learned_box(b);
	find_leaves(b->opcode);
	put_live_numbers(a, b, empty);
	set_uid(a, b);
	for (uint32_t n = one_in(3) ? 0 : 1 + below(2); n; n--)
		spoil_field(b);
	if (one_in(128)) {
		b->in_len = below(BOX);
		chance_bytes(b->in, b->in_len);
	}
	lead_into_arena(b);
	if (one_in(24))
		b->in_len = below(BOX);
	if (one_in(24))
		b->out_len = one_in(2) ? below(BOX) : below(20);
}

/* ---- sending it ---- */

static void send(struct adapter *a, const struct box *b)
{
	uint8_t *in = malloc(b->in_len ? b->in_len : 1);
	uint8_t *out = malloc(b->out_len ? b->out_len : 1);

	FUZZ_CHECK(in && out, "out of memory");
	memcpy(in, b->in, b->in_len);
	out[0] = 0xff;
	app_fw(a, in, b->in_len, out, b->out_len);
	FUZZ_CHECK(!b->out_len || firmware_says(out[0]), "command 0x%x: status 0x%x", b->opcode,
		   out[0]);
	free(in);
	free(out);
}

/* The table of event queues is small, and the application that behaves needs one. */
static void thin_out(struct adapter *a)
{
	struct box b = { .in_len = PRM_SZ(destroy_eq_in), .out_len = PRM_SZ(destroy_eq_out) };

	if (a->hca.eqs.used < EQS_MANY)
		return;
	for (unsigned int n = EQS_MANY; n; n--) {
		uint16_t opcode = one_in(2) ? PRM_OP_DESTROY_EQ : PRM_OP_DESTROY_CQ;

		PRM_SET(destroy_eq_in, b.in, opcode, opcode);
		PRM_SET(destroy_cq_in, b.in, cqn,
			live(opcode == PRM_OP_DESTROY_EQ ? &a->hca.eqs : &a->hca.cqs));
		send(a, &b);
	}
}

void fuzz_boxes(unsigned int cases)
{
	struct adapter a;
	struct box b;

	adapter_up(&a, false);
	for (unsigned int i = 0; i < cases; i++) {
		make(&a, &b);
		send(&a, &b);
		thin_out(&a);
		if (one_in(8))
			adapter_step(&a, 8);
		if (i % CHECK_EVERY == CHECK_EVERY - 1)
			adapter_works(&a);
	}
	adapter_down(&a);
}
