/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inboxes.
 *
 *	a sample, or prm's empty structure -> live numbers where fields hold numbers
 *	                                   -> some fields spoilt, lengths changed
 *	or bytes without any plan
 */
#include <string.h>

#include "fuzz_devx.h"

enum { LEAVES = 2048, TAIL_SHOWN = 4 };

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
		uint32_t n = f->count && f->count < TAIL_SHOWN ? f->count : TAIL_SHOWN;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t at = bit + f->bit + i * f->width;

			if (f->type && (f->count || !f->type->is_union))
				walk(f->type, at);
			else if (!f->type && f->width <= 64 && nleaves < LEAVES)
				leaves[nleaves++] = (struct leaf){ f->name, at, f->width };
		}
	}
}

static void find_leaves(const struct box *b)
{
	const struct prm_cmd *cmd = prm_cmd(b->opcode);
	const struct prm_object *object;

	nleaves = 0;
	if (cmd)
		walk(cmd->in, 0);
	if (b->opcode != PRM_OP_CREATE_GENERAL_OBJECT &&
	    b->opcode != PRM_OP_MODIFY_GENERAL_OBJECT)
		return;
	object = prm_object(PRM_GET(general_obj_in_cmd_hdr, b->in, obj_type));
	if (object)
		walk(object->layout, PRM_SZ(general_obj_in_cmd_hdr) * 8);
}

static bool inside(const struct box *b, const struct leaf *l)
{
	return l->bit + l->width <= b->in_len * 8;
}

/* ---- live numbers ---- */

static const struct {
	const char *field;
	uint32_t kind;
} numbers[] = {
	{ "pd", PRM_OP_ALLOC_PD },
	{ "access_pd", PRM_OP_ALLOC_PD },
	{ "meter_aso_access_pd", PRM_OP_ALLOC_PD },
	{ "transport_domain", PRM_OP_ALLOC_TRANSPORT_DOMAIN },
	{ "uar", KIND_UAR },
	{ "uar_page", KIND_UAR },
	{ "cqn", PRM_OP_CREATE_CQ },
	{ "cqn_snd", PRM_OP_CREATE_CQ },
	{ "cqn_rcv", PRM_OP_CREATE_CQ },
	{ "c_eqn_or_apu_element", KIND_EQ },
	{ "cq_umem_id", KIND_UMEM },
	{ "wq_umem_id", KIND_UMEM },
	{ "dbr_umem_id", KIND_UMEM },
	{ "mkey_umem_id", KIND_UMEM },
	{ "qpn", PRM_OP_CREATE_QP },
	{ "remote_qpn", PRM_OP_CREATE_QP },
	{ "mkey_index", PRM_OP_CREATE_MKEY },
	{ "srqn", PRM_OP_CREATE_RMP },
	{ "srqn_rmpn_xrqn", PRM_OP_CREATE_RMP },
	{ "srqn_xrqn", PRM_OP_CREATE_RMP },
	{ "rmpn", PRM_OP_CREATE_RMP },
	{ "xrc_srqn", PRM_OP_CREATE_XRC_SRQ },
	{ "xrcd", PRM_OP_ALLOC_XRCD },
	{ "rqn", PRM_OP_CREATE_RQ },
	{ "inline_rqn", PRM_OP_CREATE_RQ },
	{ "rq_num", PRM_OP_CREATE_RQ },
	{ "sqn", PRM_OP_CREATE_SQ },
	{ "tisn", PRM_OP_CREATE_TIS },
	{ "tis_num_0", PRM_OP_CREATE_TIS },
	{ "tirn", PRM_OP_CREATE_TIR },
	{ "rqtn", PRM_OP_CREATE_RQT },
	{ "indirect_table", PRM_OP_CREATE_RQT },
	{ "dctn", PRM_OP_CREATE_DCT },
	{ "psvn", PRM_OP_CREATE_PSV },
	{ "counter_set_id", PRM_OP_ALLOC_Q_COUNTER },
	{ "flow_counter_id", PRM_OP_ALLOC_FLOW_COUNTER },
	{ "scheduling_element_id", PRM_OP_CREATE_SCHEDULING_ELEMENT },
	{ "parent_element_id", PRM_OP_CREATE_SCHEDULING_ELEMENT },
	{ "qos_queue_group_id", PRM_OP_CREATE_SCHEDULING_ELEMENT },
	{ "obj_id", PRM_OP_CREATE_GENERAL_OBJECT },
};

static uint32_t kind_of(const char *field)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(numbers[i].field, field))
			return numbers[i].kind;
	return 0;
}

/* The first field after status or op_mod that holds a number of something. */
const struct prm_field *box_number(const struct prm_struct *s)
{
	for (const struct prm_field *f = s->fields; f->name; f++)
		if (!f->type && f->count == 1 &&
		    (kind_of(f->name) || !strcmp(f->name, "psv0_index")))
			return f;
	return NULL;
}

/* Nothing, or any (mkc.qpn). */
static bool stays(uint64_t number)
{
	return !number || number == 0xffffff;
}

static void put_live_numbers(struct box *b, struct user *u, bool empty)
{
	for (unsigned int i = 0; i < nleaves; i++) {
		const struct leaf *l = &leaves[i];
		uint32_t kind = kind_of(l->name);
		const struct live *live;

		if (!kind || !inside(b, l) || one_in(24))
			continue;
		if (empty ? one_in(2) : stays(prm_load(b->in, l->bit, l->width)))
			continue;
		live = live_find(u, kind);
		if (live)
			prm_store(b->in, l->bit, l->width, live->number);
	}
}

/* A key is the index of its mkey << 8 | variant. */
static void put_keys(struct box *b, struct user *u)
{
	for (unsigned int i = 0; i < nleaves; i++) {
		const struct live *live;

		if (strcmp(leaves[i].name, "mkey") != 0 || !inside(b, &leaves[i]) ||
		    !prm_load(b->in, leaves[i].bit, leaves[i].width))
			continue;
		live = live_find(u, PRM_OP_CREATE_MKEY);
		if (live)
			prm_store(b->in, leaves[i].bit, leaves[i].width, live->number << 8);
	}
}

/* ---- making a box ---- */

static const struct prm_cmd *some_command(enum prm_call call, bool any)
{
	const struct prm_cmd *cmd = NULL;
	uint32_t skip = below(400);

	for (;;) {
		cmd = prm_cmd_next(cmd);
		if (cmd && (any || cmd->call == call) && !skip--)
			return cmd;
	}
}

static void take_empty(struct box *b, const struct prm_cmd *cmd)
{
	b->opcode = cmd->opcode;
	b->in_len = cmd->in->bytes;
	memset(b->in, 0, b->in_len);
	PRM_SET(mbox_in, b->in, opcode, b->opcode);
	/* The type decides what an object's box has after its header. */
	if (b->opcode == PRM_OP_CREATE_GENERAL_OBJECT)
		PRM_SET(general_obj_in_cmd_hdr, b->in, obj_type, below(0x40));
	b->in_len = prm_in_bytes(cmd, b->in, b->in_len);
	if (b->in_len > BOX_MAX)
		b->in_len = cmd->in->bytes;
	memset(b->in + cmd->in->bytes, 0, b->in_len - cmd->in->bytes);
	b->out_len = prm_out_bytes(cmd, b->in, b->in_len);
	if (b->out_len > BOX_MAX)
		b->out_len = cmd->out->bytes;
}

static void take_sample(struct box *b, const struct sample *s)
{
	b->opcode = s->opcode;
	b->in_len = s->in_len;
	b->out_len = s->out_len;
	memcpy(b->in, s->in, s->in_len);
}

static uint64_t value_for(const struct leaf *l)
{
	return one_in(4) ? below(16) : l->width < 9 && one_in(2) ? chance() : odd_number();
}

static void spoil_field(struct box *b)
{
	const struct leaf *l = nleaves ? &leaves[below(nleaves)] : NULL;
	/* Another opcode is another command, and the kernel overwrites the uid. */
	uint32_t first = one_in(32) ? 0 : 32;

	/* A change of bytes that are not 0 does more. */
	for (int tries = 8; l && tries && inside(b, l) &&
			    (l->bit < first || !prm_load(b->in, l->bit, l->width));
	     tries--)
		l = &leaves[below(nleaves)];
	if (l && inside(b, l) && l->bit >= first && !one_in(6))
		prm_store(b->in, l->bit, l->width, value_for(l));
	else if (b->in_len > first / 8)
		spoil(b->in + first / 8, b->in_len - first / 8);
}

static size_t wrong_length(size_t len)
{
	switch (below(5)) {
	case 0:
		return below(24);
	case 1:
		return below(BOX_MAX);
	case 2:
		return len ? below((uint32_t)len) : 0;
	default:
		len += below(17) - 8;
		return len < BOX_MAX ? len : 0;
	}
}

/* Bytes after an inbox that gets longer are not those of an earlier one. */
static void set_in_len(struct box *b, size_t len)
{
	if (len > b->in_len) {
		memset(b->in + b->in_len, 0, len - b->in_len);
		if (one_in(2))
			chance_bytes(b->in + b->in_len, (len - b->in_len) % 256);
	}
	b->in_len = len;
}

/* A key over a umem, at its offset in a page. */
static void place_key(struct box *b, struct user *u)
{
	const struct live *l = live_find(u, KIND_UMEM);
	uint8_t *mkc = PRM_ADDR(create_mkey_in, b->in, memory_key_mkey_entry);

	if (b->opcode != PRM_OP_CREATE_MKEY || b->in_len < PRM_SZ(create_mkey_in) || !l ||
	    !PRM_GET(create_mkey_in, b->in, mkey_umem_id))
		return;
	PRM_SET(create_mkey_in, b->in, mkey_umem_id, l->number);
	PRM_SET(mkc, mkc, start_addr, l->addr);
	PRM_SET(mkc, mkc, len, l->len);
}

static void finish(struct box *b, struct user *u, bool empty)
{
	find_leaves(b);
	put_live_numbers(b, u, empty);
	put_keys(b, u);
	if (!one_in(8))
		place_key(b, u);
}

static void break_it(struct box *b)
{
	for (uint32_t n = one_in(3) ? 0 : 1 + below(3); n; n--)
		spoil_field(b);
	if (one_in(96)) {
		set_in_len(b, 16 + below(one_in(8) ? BOX_MAX - 16 : 512));
		chance_bytes(b->in, b->in_len);
	}
	if (one_in(24))
		set_in_len(b, wrong_length(b->in_len));
	if (one_in(24))
		b->out_len = wrong_length(b->out_len);
	b->opcode = PRM_GET(mbox_in, b->in, opcode);
}

void box_make(struct box *b, struct user *u, enum prm_call call, bool any)
{
	const struct prm_cmd *cmd = some_command(call, any);
	const struct sample *s = learned(cmd->opcode);
	bool empty = !s || one_in(8);

	/* Commands of which nothing was learned are seldom executed; not too many of them. */
	if (!s && !any && !one_in(6)) {
		for (int tries = 40; tries && !s; tries--) {
			cmd = some_command(call, false);
			s = learned(cmd->opcode);
		}
		empty = !s;
	}
	if (empty)
		take_empty(b, cmd);
	else
		take_sample(b, s);
	finish(b, u, empty);
	break_it(b);
}

static bool is_about(const struct prm_cmd *cmd, enum prm_call call, uint32_t kind)
{
	const struct prm_field *f = cmd->call == call ? box_number(cmd->in) : NULL;

	return f && kind_of(f->name) == kind;
}

bool box_has_about(enum prm_call call, const struct live *l)
{
	const struct prm_cmd *cmd = NULL;

	while ((cmd = prm_cmd_next(cmd)))
		if (is_about(cmd, call, l->kind))
			return true;
	return false;
}

/* A QP gets far only by the moves in their order. */
static const struct prm_cmd *next_move(const struct live *l)
{
	static const uint16_t moves[] = { PRM_OP_RST2INIT_QP, PRM_OP_INIT2RTR_QP,
					  PRM_OP_RTR2RTS_QP,  PRM_OP_RTS2RTS_QP,
					  PRM_OP_2ERR_QP,     PRM_OP_2RST_QP };

	return prm_cmd(moves[l->moves % (sizeof(moves) / sizeof(moves[0]))]);
}

void box_about(struct box *b, struct user *u, enum prm_call call, const struct live *l)
{
	const struct prm_cmd *cmd = NULL, *found = NULL;
	const struct sample *s;
	uint32_t seen = 0;

	while ((cmd = prm_cmd_next(cmd)))
		if (is_about(cmd, call, l->kind) && one_in(++seen))
			found = cmd;
	if (l->kind == PRM_OP_CREATE_QP && call == PRM_CALL_MODIFY && !one_in(4))
		found = next_move(l);
	if (!found || one_in(32)) {
		box_make(b, u, call, false);
		return;
	}
	s = one_in(8) ? NULL : learned(found->opcode);
	if (s)
		take_sample(b, s);
	else
		take_empty(b, found);
	finish(b, u, !s);
	if (b->in_len >= found->in->bytes) {
		const struct prm_field *f = box_number(found->in);

		prm_store(b->in, f->bit, f->width, l->number);
		if (l->kind == PRM_OP_CREATE_GENERAL_OBJECT)
			PRM_SET(general_obj_in_cmd_hdr, b->in, obj_type, l->type);
	}
	break_it(b);
}
