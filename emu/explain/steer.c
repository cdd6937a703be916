/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of an Ethernet packet through the flow tables, a line per step:
 *
 *	steer    NIC_RX packet of 60 bytes: outer_headers.ethertype=0x800 …
 *	steer    NIC_RX table 0x10001 level 1: no entry matches
 *	steer    NIC_RX table 0x10003 level 64: entry 0 matches outer_headers.ip_version=0x4: count, drop
 *	steer    NIC_RX to TIR 0x10002, RQ 0x1e003, hash 0x51ccc178
 */
#include <inttypes.h>
#include <string.h>

#include "explain/lines.h"
#include "prm/prm.h"
#include "prm/table.h"
#include "steer/steer.h"

static void put_match(struct line *l, const uint8_t *match)
{
	size_t space;
	char *end = line_end(l, &space);

	l->len += prm_format(end, space, prm_struct("fte_match_param"), match, HCA_MATCH_SIZE,
			     PRM_LINE);
}

static void put_packet(struct line *l, const struct steer_packet *p)
{
	uint8_t match[HCA_MATCH_SIZE];
	struct steer_headers h;

	line_put(l, "of %zu bytes: ", p->len);
	if (!steer_parse(&h, p->bytes, p->len))
		return;
	steer_match(match, p, &h);
	put_match(l, match);
}

static void put_table(struct line *l, const struct hca_flow_table *t)
{
	line_put(l, "table 0x%x level %u: ", t->table_id, t->level);
}

static void put_actions(struct line *l, const struct hca_fte_do *act)
{
	const char *separator = ": ";

	for (uint32_t bit = 1; bit && bit <= act->action; bit <<= 1) {
		const char *text = NULL;

		if (!(act->action & bit))
			continue;
		prm_value_name("FLOW_CONTEXT_ACTION", bit, &text);
		line_put(l, "%s%s", separator, text ? text : "?");
		separator = ", ";
	}
	if (act->counts)
		line_put(l, ", counter 0x%x", act->count[0].id);
	if (act->tag)
		line_put(l, ", tag 0x%x", act->tag);
}

/* The value is printed where the mask of its group has bits. */
static void put_hit(struct line *l, const struct steer_step *s)
{
	uint8_t value[HCA_MATCH_SIZE];

	put_table(l, s->table);
	line_put(l, "entry %u matches ", s->entry->index);
	hca_fte_value(s->entry, value);
	put_match(l, value);
	put_actions(l, &s->entry->act);
}

/* The RQ of a TIR, by hash if it has several. */
static void put_tir(struct line *l, const struct hca_tir *tir, const struct steer_packet *p)
{
	struct steer_headers h;
	const struct hca_rq *rq;
	uint32_t hash;
	uint8_t type;

	line_put(l, "to TIR 0x%x", tir->tirn);
	if (!steer_parse(&h, p->bytes, p->len))
		return;
	rq = steer_rq(tir, p->bytes, &h, &hash, &type);
	if (rq)
		line_put(l, ", RQ 0x%x%s", rq->rqn,
			 rq->state == PRM_RQC_STATE_RDY ? "" : " that is not ready");
	if (type)
		line_put(l, ", hash 0x%08x", hash);
}

static void put_dest(struct line *l, const struct steer_step *s)
{
	const struct hca_flow_dest *d = s->dest;

	if (d->type == PRM_DEST_TYPE_TIR)
		put_tir(l, d->tir, s->p);
	else if (d->type == PRM_DEST_TYPE_FLOW_TABLE)
		line_put(l, "to table 0x%x", d->table->table_id);
	else if (d->vport == STEER_UPLINK)
		line_put(l, "to the wire");
	else
		line_put(l, "to vport %u", d->vport);
}

static void put_refused(struct line *l, const struct steer_packet *p)
{
	const uint8_t *mac = p->bytes;

	line_put(l,
		 "dropped before the tables: %02x:%02x:%02x:%02x:%02x:%02x is not the port's",
		 mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

/* Control and actions are in the first 32 bytes, tag and mask in the others. */
static void put_ste(struct line *l, const struct steer_step *s)
{
	line_put(l, "STE at 0x%" PRIx64 " %s:", s->icm,
		 s->did == STEER_STE_HIT ? "matches" : "does not match");
	for (size_t i = 0; i < 16; i++)
		line_put(l, "%s%08x", i % 4 ? " " : " | ", core_be32(s->ste + 4 * i));
}

static void put_step(struct line *l, const struct steer_step *s)
{
	switch (s->did) {
	case STEER_ROOT:
		line_put(l, "packet ");
		put_packet(l, s->p);
		break;
	case STEER_HIT:
		put_hit(l, s);
		break;
	case STEER_MISS:
		put_table(l, s->table);
		line_put(l, "no entry matches");
		break;
	case STEER_DEST:
		put_dest(l, s);
		break;
	case STEER_DROP:
		line_put(l, "dropped: %s",
			 s->why	    ? s->why
			 : s->entry ? "by the entry"
				    : "the default");
		break;
	case STEER_PASS:
		line_put(l, "passes");
		break;
	case STEER_CHANGED:
		line_put(l, "becomes a packet ");
		put_packet(l, s->p);
		break;
	case STEER_STE_HIT:
	case STEER_STE_MISS:
		put_ste(l, s);
		break;
	case STEER_LIMIT:
		line_put(l, "dropped: too many tables");
		break;
	default:
		put_refused(l, s->p);
		break;
	}
}

void line_steer(struct line *l, const struct core_trace *t)
{
	struct steer_step s;

	memcpy(&s, t->in, sizeof(s));
	line_put(l, "%s ", prm_value_name("FT_TYPE", s.type, NULL));
	put_step(l, &s);
}
