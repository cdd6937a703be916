/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow trace PACKET: table by table, why a packet goes where it goes. The emulator walks its
 * tables with the packet and reports the steps; here they become text, with the numbers of the
 * rules and queues.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <dvkit/emu.h>
#include <flow/list.h>
#include <flow/match.h>

#include "base/base.h"
#include "flow_differs.h"
#include "packet.h"
#include "prm/prm.h"
#include "prm/table.h"
#include "rules.h"

enum { OTHERS = 64 /* entries that do not match, of each table */ };

struct trace {
	struct flows *f;
	struct json_object *all; /* NULL: text */
	uint32_t table;		 /* whose name is printed already */
	size_t left;		 /* bytes of the packet that left the port */
	uint8_t bytes[RULES_PACKET];
};

/* ---- names ---- */

static const char *type_of(uint32_t type)
{
	const char *name = prm_value_name("FT_TYPE", type, NULL);

	return name ? name : "?";
}

static bool is_at(const struct rule *rule, const struct dvkit_emu_flow_step *e)
{
	struct dv_flow_place place;

	dv_flow_place_of(&place, rule->flow);
	return place.known && place.type == e->table_type && place.table_id == e->table_id &&
	       place.index == e->index;
}

/* An entry of the kernel has the match of the rule that it was made for. */
static bool has_match(const struct rule *rule, const struct dvkit_emu_flow_step *e)
{
	struct dv_flow_match match;
	struct dv_flow_rule r;

	dv_flow_rule_of(&r, rule->flow);
	return !r.group && !dv_flow_match_build(&match, &r, NULL) &&
	       !memcmp(match.mask, e->mask, FLOW_MATCH_BYTES) &&
	       !memcmp(match.value, e->value, FLOW_MATCH_BYTES);
}

/* "rule 3" or "rules 3 5", which have the same match; "" if it is not a rule of the session. */
static const char *rules_text(const struct trace *t, const struct dvkit_emu_flow_step *e)
{
	bool (*const same[])(const struct rule *,
			     const struct dvkit_emu_flow_step *) = { is_at, has_match };
	static char text[256];
	unsigned int found = 0;

	text[0] = 0;
	for (size_t i = 0; i < 2 && !found; i++)
		for (struct rule *rule = t->f->rules->first; rule; rule = rule->next) {
			size_t used = strlen(text);

			if (!same[i](rule, e))
				continue;
			snprintf(text + used, sizeof(text) - used, "%s%u", found ? " " : "",
				 rule->number);
			found++;
		}
	return text;
}

static void put_entry(const struct trace *t, const struct dvkit_emu_flow_step *e)
{
	const char *rules = rules_text(t, e);

	printf("  entry %u", e->index);
	if (*rules)
		printf(", rule %s", rules);
	printf(": ");
}

/* ---- an entry ---- */

static void put_other(const struct trace *t, const struct dvkit_emu_flow_step *e)
{
	struct flow_difference d;

	put_entry(t, e);
	if (flow_differs(e->mask, e->value, e->match, &d))
		printf("no, %s is %s, not %s%s%s\n", d.field, d.packet, d.value,
		       d.whole ? "" : " under mask ", d.whole ? "" : d.mask);
	else
		printf("no, it is for packets from %s only\n",
		       e->source == 1 ? "the wire" : "vports");
}

static const char *action_text(uint32_t action, char *text, size_t size)
{
	*text = 0;
	for (uint32_t bit = 1; bit && bit <= action; bit <<= 1) {
		const char *name = NULL;
		size_t used = strlen(text);

		if (!(action & bit))
			continue;
		prm_value_name("FLOW_CONTEXT_ACTION", bit, &name);
		snprintf(text + used, size - used, "%s%s", used ? ", " : "", name ? name : "?");
	}
	return text;
}

static void put_hit(const struct trace *t, const struct dvkit_emu_flow_step *e)
{
	char text[256];

	put_entry(t, e);
	printf("%syes%s: %s", dvfw_paint(t->f->dvfw, DVFW_GOOD),
	       dvfw_paint(t->f->dvfw, DVFW_PLAIN), action_text(e->action, text, sizeof(text)));
	if (e->counter_id)
		printf(", counter 0x%x", e->counter_id);
	if (e->flow_tag)
		printf(", tag 0x%x", e->flow_tag);
	printf("\n");
}

/* ---- an entry of software ---- */

static bool differs(const struct dvkit_emu_flow_bits *b)
{
	return b->packet != b->value;
}

static bool is_whole(const struct dvkit_emu_flow_bits *b)
{
	return b->mask == (b->width < 32 ? (1u << b->width) - 1 : 0xffffffffu);
}

static void put_name(const struct dvkit_emu_flow_bits *b)
{
	if (b->name)
		printf("%s%s", b->inner ? "inner " : "", b->name);
	else
		printf("dword %u", b->dword);
}

/* All that a hit compared; what a miss differs in. */
static void put_bits(const struct dvkit_emu_flow_step *e, bool hit)
{
	const char *before = "";

	for (const struct dvkit_emu_flow_bits *b = e->bits; b < e->bits + e->n_bits; b++) {
		if (!hit && !differs(b))
			continue;
		printf("%s", before);
		put_name(b);
		printf(hit ? " is 0x%x" : " is 0x%x, not 0x%x", b->packet, b->value);
		if (!is_whole(b))
			printf(" under mask 0x%x", b->mask);
		before = ", ";
	}
}

#define DEFINER 0x400

static void put_ste(const struct trace *t, const struct dvkit_emu_flow_step *e)
{
	bool hit = e->did == DVKIT_EMU_FLOW_STE_HIT;

	printf("  STE 0x%llx, ", (unsigned long long)e->icm_address);
	if (e->lookup & DEFINER && e->n_bits)
		printf("match definer 0x%x: ", e->lookup & ~(unsigned int)DEFINER);
	else
		printf("lookup 0x%04x: ", e->lookup);
	printf("%s%s%s, ", dvfw_paint(t->f->dvfw, hit ? DVFW_GOOD : DVFW_PLAIN),
	       hit ? "yes" : "no", dvfw_paint(t->f->dvfw, DVFW_PLAIN));
	if (e->n_bits)
		put_bits(e, hit);
	else
		printf(hit ? "as every packet" : "as no packet does");
	printf("\n");
}

/* ---- the packet's fields ---- */

/* The fields of the packet that entries may match. */
static void put_fields(const char *what, const struct dvkit_emu_flow_step *e)
{
	char text[4096];

	if (!e->match)
		return;
	prm_format(text, sizeof(text), prm_struct("fte_match_param"), e->match,
		   FLOW_MATCH_BYTES, PRM_LINE);
	printf("%s%zu bytes, %s\n", what, e->len, text);
}

/* ---- ends ---- */

static void put_queue(const struct trace *t, const struct dvkit_emu_flow_step *e)
{
	const char *state = prm_value_name("RQC_STATE", e->rq_state, NULL);

	if (e->blocked) {
		printf("dropped: TIR 0x%x blocks packets that its context sends\n", e->dest_id);
		return;
	}
	if (!e->rqn) {
		printf("dropped: TIR 0x%x has no RQ\n", e->dest_id);
		return;
	}
	printf("%s ", e->rq_state == PRM_RQC_STATE_RDY ? "arrives in" : "dropped, not ready:");
	for (unsigned int i = 0; i < RULES_QUEUES; i++)
		if (t->f->rules->queue[i].rqn == e->rqn ||
		    t->f->rules->queue[i].wq->wq_num == e->rqn)
			printf("queue %u, ", i);
	printf("RQ 0x%x of TIR 0x%x", e->rqn, e->dest_id);
	if (e->rq_state != PRM_RQC_STATE_RDY)
		printf(", state %s", state ? state : "?");
	if (e->hash_type)
		printf(", hash 0x%08x", e->hash);
	printf("\n");
}

static void put_dest(const struct dvkit_emu_flow_step *e)
{
	const char *text = NULL;

	prm_value_name("DEST_TYPE", e->dest_type, &text);
	printf("  to %s", text ? text : "?");
	if (e->dest_type != PRM_DEST_TYPE_UPLINK)
		printf(" 0x%x", e->dest_id);
	printf("\n");
}

/* Before the first step in a table. */
static void put_table(struct trace *t, const struct dvkit_emu_flow_step *e)
{
	if (e->did != DVKIT_EMU_FLOW_OTHER && e->did != DVKIT_EMU_FLOW_HIT &&
	    e->did != DVKIT_EMU_FLOW_MISS)
		return;
	if (e->table_id != t->table)
		printf("table 0x%x, %s, level %u, %u %s\n", e->table_id, type_of(e->table_type),
		       e->level, e->entries, e->entries == 1 ? "entry" : "entries");
	t->table = e->did == DVKIT_EMU_FLOW_OTHER ? e->table_id : 0;
}

static void put_drop(const struct dvkit_emu_flow_step *e)
{
	if (e->why)
		printf("dropped: %s\n", e->why);
	else
		printf("dropped: %s%s\n", e->table_id ? "by the entry" : "the default of ",
		       e->table_id ? "" : type_of(e->table_type));
}

static void put_step(struct trace *t, const struct dvkit_emu_flow_step *e)
{
	put_table(t, e);
	switch (e->did) {
	case DVKIT_EMU_FLOW_REFUSED:
		printf("dropped: the destination MAC is not that of the port\n");
		return;
	case DVKIT_EMU_FLOW_ROCE:
		printf("a RoCE packet of this port\n");
		return;
	case DVKIT_EMU_FLOW_OTHER:
		put_other(t, e);
		return;
	case DVKIT_EMU_FLOW_HIT:
		put_hit(t, e);
		return;
	case DVKIT_EMU_FLOW_MISS:
		printf("  no entry matches\n");
		return;
	case DVKIT_EMU_FLOW_CHANGED:
		put_fields("  becomes: ", e);
		return;
	case DVKIT_EMU_FLOW_DEST:
		put_dest(e);
		return;
	case DVKIT_EMU_FLOW_PASS:
		printf("leaves the tables of %s\n", type_of(e->table_type));
		return;
	case DVKIT_EMU_FLOW_DROP:
		put_drop(e);
		return;
	case DVKIT_EMU_FLOW_LIMIT:
		printf("dropped: too many tables\n");
		return;
	case DVKIT_EMU_FLOW_QUEUE:
		put_queue(t, e);
		return;
	case DVKIT_EMU_FLOW_WIRE:
		printf("leaves the port\n");
		return;
	case DVKIT_EMU_FLOW_STE_HIT:
	case DVKIT_EMU_FLOW_STE_MISS:
		put_ste(t, e);
		return;
	case DVKIT_EMU_FLOW_QP:
		printf("goes to the QP that it names\n");
		return;
	default:
		return;
	}
}

/* ---- JSON ---- */

static const char *const dids[] = {
	[DVKIT_EMU_FLOW_REFUSED] = "refused", [DVKIT_EMU_FLOW_ROCE] = "roce",
	[DVKIT_EMU_FLOW_ROOT] = "root",	      [DVKIT_EMU_FLOW_OTHER] = "other",
	[DVKIT_EMU_FLOW_HIT] = "hit",	      [DVKIT_EMU_FLOW_MISS] = "miss",
	[DVKIT_EMU_FLOW_CHANGED] = "changed", [DVKIT_EMU_FLOW_DEST] = "dest",
	[DVKIT_EMU_FLOW_PASS] = "pass",	      [DVKIT_EMU_FLOW_DROP] = "drop",
	[DVKIT_EMU_FLOW_LIMIT] = "limit",     [DVKIT_EMU_FLOW_QUEUE] = "queue",
	[DVKIT_EMU_FLOW_WIRE] = "wire",	      [DVKIT_EMU_FLOW_QP] = "qp",
	[DVKIT_EMU_FLOW_STE_HIT] = "ste hit", [DVKIT_EMU_FLOW_STE_MISS] = "ste miss",
};

static void add_number(struct json_object *o, const char *name, uint64_t v)
{
	if (v)
		json_set(o, name, v);
}

static void add_entry(const struct trace *t, struct json_object *o,
		      const struct dvkit_emu_flow_step *e)
{
	struct flow_difference d;

	json_set(o, "index", e->index);
	add_number(o, "group", e->group_id);
	add_number(o, "action", e->action);
	add_number(o, "counter", e->counter_id);
	add_number(o, "tag", e->flow_tag);
	if (*rules_text(t, e))
		json_set(o, "rule", rules_text(t, e));
	if (!flow_differs(e->mask, e->value, e->match, &d))
		return;
	json_set(o, "field", d.field);
	json_set(o, "packet", d.packet);
	json_set(o, "value", d.value);
	json_set(o, "mask", d.mask);
}

static struct json_object *bits_json(const struct dvkit_emu_flow_step *e)
{
	struct json_object *all = json_object_new_array();

	for (const struct dvkit_emu_flow_bits *b = e->bits; b < e->bits + e->n_bits; b++) {
		struct json_object *o = json_object_new_object();

		json_set(o, "field", b->name);
		json_set(o, "inner", (bool)b->inner);
		json_set(o, "mask", b->mask);
		json_set(o, "value", b->value);
		json_set(o, "packet", b->packet);
		json_object_array_add(all, o);
	}
	return all;
}

/* Zeros are left out, except the index of an entry. */
static struct json_object *step_json(const struct trace *t, const struct dvkit_emu_flow_step *e)
{
	struct json_object *o = json_object_new_object();

	json_set(o, "did", dids[e->did]);
	if (e->table_id)
		json_set(o, "type", type_of(e->table_type));
	add_number(o, "table", e->table_id);
	add_number(o, "level", e->level);
	if (e->did == DVKIT_EMU_FLOW_OTHER || e->did == DVKIT_EMU_FLOW_HIT)
		add_entry(t, o, e);
	if (e->ste) {
		json_set(o, "icm", e->icm_address);
		json_set(o, "lookup", e->lookup);
		json_set(o, "ste", json_hex(e->ste, 64));
		json_set(o, "bits", bits_json(e));
	}
	if (e->did == DVKIT_EMU_FLOW_DEST)
		json_set(o, "to", prm_value_name("DEST_TYPE", e->dest_type, NULL));
	if (e->why)
		json_set(o, "why", e->why);
	add_number(o, "id", e->dest_id);
	add_number(o, "rqn", e->blocked ? 0 : e->rqn);
	add_number(o, "hash", e->hash);
	return o;
}

/* ---- the packet ---- */

static void take_step(void *ctx, const struct dvkit_emu_flow_step *e)
{
	struct trace *t = ctx;

	if (e->did >= ARRAY_SIZE(dids) || !dids[e->did])
		return; /* of a later emulator */
	if (t->all)
		json_object_array_add(t->all, step_json(t, e));
	else
		put_step(t, e);
	if (e->did == DVKIT_EMU_FLOW_WIRE && e->len <= sizeof(t->bytes)) {
		memcpy(t->bytes, e->bytes, e->len);
		t->left = e->len;
	}
}

static void see_fields(void *ctx, const struct dvkit_emu_flow_step *e)
{
	bool *seen = ctx;

	if (!*seen)
		put_fields("packet: ", e);
	*seen = true;
}

static int walk(struct trace *t, const struct dvkit_emu_flow_packet *p)
{
	bool seen = t->all;
	int err = dvkit_emu_flow_trace(p, sizeof(*p), see_fields,
				       sizeof(struct dvkit_emu_flow_step), &seen);

	if (!err)
		err = dvkit_emu_flow_trace(p, sizeof(*p), take_step,
					   sizeof(struct dvkit_emu_flow_step), t);
	return err ? dvfw_refused(t->f->dvfw, "trace: %s", strerror(err)) : DVFW_OK;
}

static void see_refused(void *ctx, const struct dvkit_emu_flow_step *e)
{
	*(bool *)ctx |= e->did == DVKIT_EMU_FLOW_REFUSED;
}

/* Packets that left the port and are for it return. */
static int walk_back(struct trace *t, struct dvkit_emu_flow_packet *p)
{
	bool refused = false;

	*p = (struct dvkit_emu_flow_packet){ .bytes = t->bytes,
					     .len = t->left,
					     .local = true,
					     .sqn = p->sqn,
					     .others = OTHERS };
	if (dvkit_emu_flow_trace(p, sizeof(*p), see_refused, sizeof(struct dvkit_emu_flow_step),
				 &refused) ||
	    refused)
		return DVFW_OK;
	if (!t->all)
		printf("it is for this port, too, and comes back:\n");
	return walk(t, p);
}

/* [tx|rx] [any] PACKET */
static bool take_word(int *n, char ***word, const char *name)
{
	if (!*n || strcmp((*word)[0], name) != 0)
		return false;
	++*word;
	--*n;
	return true;
}

int flows_trace(struct flows *f, int n, char **word)
{
	struct dvkit_emu_flow_packet p = { .others = OTHERS };
	struct rules *r = rules_of(f);
	static struct trace t;
	int status;

	if (!r)
		return DVFW_REFUSED;
	if (!dvkit_emu_flow_trace)
		return dvfw_refused(f->dvfw,
				    "trace: only the emulator reports the way of a packet; "
				    "dvkit-emu -- dvfw …");
	p.send = take_word(&n, &word, "tx");
	take_word(&n, &word, "rx");
	p.any_mac = take_word(&n, &word, "any");
	p.bytes = r->bytes.sent;
	p.sqn = p.send ? r->queue[0].sqn : 0;
	status = packet_read(f->dvfw, n, word, r->bytes.sent, RULES_PACKET, &p.len);
	if (status)
		return status;
	memset(&t, 0, sizeof(t));
	t.f = f;
	t.all = f->dvfw->json ? json_object_new_array() : NULL;
	status = walk(&t, &p);
	if (!status && t.left)
		status = walk_back(&t, &p);
	if (t.all)
		dvfw_print_json(t.all);
	return status;
}
