/* SPDX-License-Identifier: BSD-2-Clause */
/* WQEs, CQEs and packets from text, see wqe_text.h. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/wqe_text.h"

enum { WORD = 160, SEGMENTS = 4, OWN_DS = 0xffff };

/* ---- words ---- */

/* The next word of @text, without colon; false: there is no more. */
static bool next_word(const char **text, char word[WORD])
{
	int used = 0;

	if (sscanf(*text, " %159s%n", word, &used) != 1)
		return false;
	*text += used;
	return true;
}

/* The value of "name=value", or NULL. */
static const char *value_of(const char *word, const char *name)
{
	size_t len = strlen(name);

	return strncmp(word, name, len) || word[len] != '=' ? NULL : word + len + 1;
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 0);

	cr_assert(*text && !*end, "'%s' is not a number", text);
	return n;
}

static bool is_number(const char *word)
{
	return *word >= '0' && *word <= '9';
}

/* The place of @word in @names, or -1. */
static int index_of(const char *const *names, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (names[i] && strcmp(names[i], word) == 0)
			return (int)i;
	return -1;
}

#define INDEX_OF(names, word) index_of(names, sizeof(names) / sizeof(names[0]), word)

static void put(uint8_t *at, uint64_t value, unsigned int bytes)
{
	while (bytes--) {
		at[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

/* ---- WQEs ---- */

enum {
	ADDRESS = 1, /* has a head */
	REMOTE = 2,
	ATOMIC = 4, /* a segment of 16 bytes, */
	LONG = 8,   /* or of 32 */
	HALF = 16,  /* operands of 4 bytes */
	OPAQUE = 32
};

struct opcode {
	const char *name;
	uint8_t value, extra;
};

static const struct opcode opcodes[] = {
	{ "nop", 0x00, 0 },
	{ "send_inv", 0x01, ADDRESS },
	{ "write", 0x08, ADDRESS | REMOTE },
	{ "write_imm", 0x09, ADDRESS | REMOTE },
	{ "send", 0x0a, ADDRESS },
	{ "send_imm", 0x0b, ADDRESS },
	{ "tso", 0x0e, ADDRESS },
	{ "read", 0x10, ADDRESS | REMOTE },
	{ "cas", 0x11, ADDRESS | REMOTE | ATOMIC },
	{ "fetch_add", 0x12, ADDRESS | REMOTE | ATOMIC },
	{ "masked_cas4", 0x14, ADDRESS | REMOTE | ATOMIC | HALF },
	{ "masked_cas8", 0x14, ADDRESS | REMOTE | ATOMIC | LONG },
	{ "masked_add4", 0x15, ADDRESS | REMOTE | ATOMIC | HALF },
	{ "masked_add8", 0x15, ADDRESS | REMOTE | ATOMIC },
	{ "umr", 0x25, ADDRESS | REMOTE },
	{ "enhanced_mpsw", 0x29, ADDRESS },
	{ "dma", 0x2f, OPAQUE },
	{ 0 }
};

static const struct opcode *find_opcode(const char *name)
{
	const struct opcode *row = opcodes;

	while (row->name && strcmp(row->name, name) != 0)
		row++;
	return row->name ? row : NULL;
}

/* By bit of byte 11. */
static const char *const flags[] = {
	[1] = "solicited", [3] = "sig", [5] = "small_fence", [7] = "fence"
};

struct segment {
	uint32_t len, lkey;
	uint64_t local;
	char text[WORD]; /* inline */
};

struct wqe {
	const struct wqe_context *c;
	uint8_t opcode, extra, flags;
	uint32_t rkey;
	uint64_t opmod, qpn, index, imm, ds, remote, opaque;
	uint8_t operands[32];
	unsigned int operand_bytes;
	struct segment seg[SEGMENTS];
	unsigned int segs;
};

static struct segment *last_segment(struct wqe *w)
{
	cr_assert(w->segs, "no data segment");
	return &w->seg[w->segs - 1];
}

static void add_segment(struct wqe *w, const char *text, uint32_t len)
{
	struct segment *s = &w->seg[w->segs++];

	cr_assert_leq(w->segs, SEGMENTS);
	*s = (struct segment){ .len = len, .lkey = w->c->lkey };
	snprintf(s->text, sizeof(s->text), "%s", text);
}

static uint32_t key(const char *v, uint32_t right)
{
	return strcmp(v, "wrong") == 0 ? right + 1 : (uint32_t)number(v);
}

static bool is_operand(struct wqe *w, const char *word)
{
	static const char *const names[] = { "add",	 "swap",      "compare",
					     "boundary", "swap_mask", "compare_mask" };
	unsigned int bytes = w->extra & HALF ? 4 : 8;

	for (unsigned int i = 0; i < 6; i++) {
		const char *v = value_of(word, names[i]);

		if (!v)
			continue;
		cr_assert_leq(w->operand_bytes + bytes, sizeof(w->operands));
		put(w->operands + w->operand_bytes, number(v), bytes);
		w->operand_bytes += bytes;
		return true;
	}
	return false;
}

/* Words whose value is written as it is, or less @minus. */
static bool is_field(struct wqe *w, const char *word)
{
	const struct {
		const char *name;
		uint64_t *to, minus;
	} fields[] = { { "remote", &w->remote, 0 }, { "remote_va", &w->remote, w->c->va },
		       { "imm", &w->imm, 0 },	    { "inv", &w->imm, 0 },
		       { "index", &w->index, 0 },   { "opaque", &w->opaque, 0 },
		       { "qpn", &w->qpn, 0 },	    { "opmod", &w->opmod, 0 },
		       { "ds", &w->ds, 0 } };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (value_of(word, fields[i].name)) {
			*fields[i].to =
				number(value_of(word, fields[i].name)) - fields[i].minus;
			return true;
		}
	return false;
}

static void take_word(struct wqe *w, const char *word)
{
	int flag = INDEX_OF(flags, word);
	const char *v;

	if (flag >= 0)
		w->flags |= 1u << flag;
	else if (is_number(word))
		add_segment(w, "", (uint32_t)number(word));
	else if ((v = value_of(word, "inline")))
		add_segment(w, v, 1u << 31 | (uint32_t)strlen(v));
	else if ((v = value_of(word, "local")))
		last_segment(w)->local = number(v);
	else if ((v = value_of(word, "local_va")))
		last_segment(w)->local = number(v) - w->c->va;
	else if ((v = value_of(word, "lkey")))
		last_segment(w)->lkey = key(v, w->c->lkey);
	else if ((v = value_of(word, "rkey")))
		w->rkey = key(v, w->c->rkey);
	else
		cr_assert(is_field(w, word) || is_operand(w, word),
			  "'%s' is not a word of a WQE", word);
}

/* Address and key of a segment, with @first before them. */
static uint8_t *put_data(uint8_t *at, uint32_t first, uint32_t lkey, uint64_t va)
{
	put(at, first, 4);
	put(at + 4, lkey, 4);
	put(at + 8, va, 8);
	return at + 16;
}

static uint8_t *put_segment(uint8_t *at, const struct wqe *w, const struct segment *s)
{
	size_t len = strlen(s->text);

	if (!s->len)
		return at;
	if (!(s->len >> 31))
		return put_data(at, s->len, s->lkey, w->c->va + s->local);
	put(at, s->len, 4);
	memcpy(at + 4, s->text, len);
	return at + (4 + len + 15) / 16 * 16;
}

static unsigned int put_wqe(uint8_t *wqe, const struct wqe *w)
{
	const struct wqe_context *c = w->c;
	uint8_t *at = wqe + 16;

	put(wqe, w->opmod << 24 | (w->index & 0xffff) << 8 | w->opcode, 4);
	put(wqe + 4, w->qpn, 3);
	wqe[11] = w->flags;
	put(wqe + 12, w->imm, 4);
	if (w->extra & ADDRESS && c->head_units) {
		memcpy(at, c->head, c->head_units * 16);
		at += c->head_units * 16;
	}
	if (w->extra & OPAQUE)
		at = put_data(at, 0, c->lkey, c->va + w->opaque);
	if (w->extra & REMOTE) {
		put(at, c->va + w->remote, 8);
		put(at + 8, w->rkey, 4);
		at += 16;
	}
	if (w->extra & ATOMIC) {
		memcpy(at, w->operands, sizeof(w->operands));
		at += w->extra & LONG ? 32 : 16;
	}
	for (unsigned int i = 0; i < w->segs; i++)
		at = put_segment(at, w, &w->seg[i]);
	wqe[7] = w->ds == OWN_DS ? (uint8_t)((at - wqe) / 16) : (uint8_t)w->ds;
	return (unsigned int)(at - wqe) / 16;
}

static struct wqe begin(const struct wqe_context *c, const char *word)
{
	const struct opcode *row = find_opcode(word);
	struct wqe w = {
		.c = c, .qpn = c->qpn, .index = c->index, .rkey = c->rkey, .ds = OWN_DS
	};

	cr_assert(row || is_number(word), "'%s' is not an opcode", word);
	w.opcode = row ? row->value : (uint8_t)number(word);
	w.extra = row ? row->extra : ADDRESS | REMOTE;
	if (w.opcode >> 1 == 0x14 >> 1) /* the length of the operand */
		w.opmod = w.extra & HALF ? 8 : 9;
	if (w.opcode == 0x2f)
		w.opmod = 1; /* DMA */
	return w;
}

/* By byte of a UMR WQE. */
static const char *const umr_bytes[] = {
	[7] = "ds",    [16] = "umr_flags", [21] = "octowords", [23] = "offset",
	[31] = "mask", [66] = "access",	   [95] = "len"
};

void wqe_change(uint8_t *wqe, const char *text)
{
	char word[WORD], *v;
	unsigned int at;
	int byte;

	while (next_word(&text, word)) {
		v = strchr(word, '=');
		if (!v)
			continue;
		*v++ = 0;
		byte = INDEX_OF(umr_bytes, word);
		if (byte >= 0)
			wqe[byte] = (uint8_t)number(v);
		else if (sscanf(word, "byte%u", &at) == 1)
			wqe[at] = (uint8_t)number(v);
	}
}

unsigned int wqe_from_text(uint8_t wqe[WQE_TEXT_MAX], const char *text,
			   const struct wqe_context *c)
{
	const char *rest = text;
	char word[WORD];
	unsigned int units;
	struct wqe w;

	cr_assert(next_word(&rest, word));
	w = begin(c, word);
	while (next_word(&rest, word))
		if (strncmp(word, "byte", 4) != 0)
			take_word(&w, word);
	memset(wqe, 0, WQE_TEXT_MAX);
	units = put_wqe(wqe, &w);
	wqe_change(wqe, text);
	return units;
}

unsigned int recv_from_text(uint8_t wqe[WQE_TEXT_MAX], const char *text,
			    const struct wqe_context *c)
{
	struct wqe w = { .c = c };
	uint8_t *at = wqe;
	char word[WORD];

	cr_assert(next_word(&text, word) && strcmp(word, "recv") == 0);
	while (next_word(&text, word))
		take_word(&w, word);
	memset(wqe, 0, WQE_TEXT_MAX);
	for (unsigned int i = 0; i < w.segs; i++)
		at = put_segment(at, &w, &w.seg[i]);
	return (unsigned int)(put_data(at, 0, 0x100, 0) - wqe) / 16;
}

/* ---- CQEs ---- */

static const char *const syndromes[] = {
	[0x01] = "local_length", [0x02] = "local_qp_op", [0x04] = "local_prot",
	[0x05] = "flushed",	 [0x06] = "mw_bind",	 [0x10] = "bad_resp",
	[0x11] = "local_access", [0x12] = "rem_inv_req", [0x13] = "rem_access",
	[0x14] = "rem_op",	 [0x15] = "retry_exc",	 [0x16] = "rnr_retry_exc",
	[0x22] = "rem_aborted"
};

/* By op_own 7:4; "received" alone is a SEND. */
static const char *const events[] = {
	[0] = "sent", [2] = "received", [13] = "req_err", "resp_err"
};
static const char *const messages[] = { [1] = "write_imm", "send", "send_imm", "send_inv" };

/* Bytes of a CQE, and which of them are compared. */
struct cqe {
	uint8_t want[64], mask[64];
};

static void want(struct cqe *e, unsigned int at, uint64_t value, unsigned int bytes)
{
	put(e->want + at, value, bytes);
	memset(e->mask + at, 0xff, bytes);
}

/* All fields from the user index to the owner, but time, WQE counter and signature. */
static void want_all(struct cqe *e, const struct cqe_context *c, uint32_t bytes)
{
	memset(e->mask + 32, 0xff, 16);
	want(e, 32, c->user_index, 4);
	want(e, 44, bytes, 4);
	memset(e->mask + 56, 0xff, 4);
	put(e->want + 57, c->qpn, 3);
	e->mask[63] = 0xfe;
}

static void want_bits(struct cqe *e, uint8_t mask, uint8_t bits)
{
	e->want[63] = (e->want[63] & ~mask) | bits;
	e->mask[63] |= mask;
}

static void take_expected(struct cqe *e, const char *word, const struct cqe_context *c)
{
	int event = e->want[63] >> 4, message = INDEX_OF(messages, word),
	    syndrome = INDEX_OF(syndromes, word);
	const struct opcode *opcode = find_opcode(word);
	const char *v;

	if (event == 2 && message > 0)
		want_bits(e, 0xf0, (uint8_t)(message << 4));
	else if (event == 0 && opcode) {
		want_all(e, c, 0);
		e->want[56] = opcode->value;
	} else if (event > 12 && syndrome > 0)
		want(e, 55, (uint64_t)syndrome, 1);
	else if (is_number(word))
		want_all(e, c, (uint32_t)number(word));
	else if ((v = value_of(word, "wqe")))
		want(e, 60, number(v), 2);
	else if ((v = value_of(word, "imm")) || (v = value_of(word, "inv")))
		want(e, 36, number(v), 4);
	else if ((v = value_of(word, "qpn")))
		want(e, 57, number(v), 3);
	else if ((v = value_of(word, "user")))
		want(e, 32, number(v), 4);
	else if (strcmp(word, "solicited") == 0)
		want_bits(e, 2, 2);
	else if (strncmp(word, "inline", 6) == 0)
		want_bits(e, 0xc, word[6] == '3' ? 4 : 8);
	else
		cr_assert_fail("'%s' is not a word of a CQE", word);
}

int cqe_mismatch(const uint8_t cqe[64], const char *text, const struct cqe_context *c)
{
	struct cqe e = { 0 };
	char word[WORD];
	int event;

	cr_assert(next_word(&text, word));
	event = INDEX_OF(events, word);
	cr_assert_geq(event, 0, "'%s' is not an event of a CQE", word);
	want_bits(&e, 0xf0, (uint8_t)(event << 4));
	if (event > 12) /* errors are solicited */
		want_bits(&e, 2, 2);
	while (next_word(&text, word))
		take_expected(&e, word, c);
	for (int i = 0; i < 64; i++)
		if ((cqe[i] ^ e.want[i]) & e.mask[i])
			return i;
	return -1;
}

/* ---- packets ---- */

/* By bits 7:5 and 4:0 of the opcode. */
static const char *const services[] = { "rc:", "uc:", [3] = "ud:", [5] = "xrc:", "dc:" };
static const char operations[] =
	"send_first send_middle send_last send_last_imm send_only send_only_imm "
	"write_first write_middle write_last write_last_imm write_only write_only_imm "
	"read_request read_response_first read_response_middle read_response_last "
	"read_response_only ack atomic_ack cas fetch_add - send_last_inv send_only_inv "
	"- - - - - - masked_cas masked_add";

static int operation_of(const char *name)
{
	const char *rest = operations;
	char word[WORD];

	for (int i = 0; next_word(&rest, word); i++)
		if (strcmp(word, name) == 0)
			return i;
	return -1;
}

unsigned int bth_from_text(uint8_t *bth, unsigned int n, const char *text)
{
	unsigned int found = 0;
	int service = 0;
	char word[WORD];

	while (next_word(&text, word)) {
		int operation = operation_of(word);

		if (INDEX_OF(services, word) >= 0) {
			service = INDEX_OF(services, word);
			continue;
		}
		cr_assert(operation >= 0 && found < n, "'%s' is not a packet", word);
		bth[found++] = (uint8_t)(service << 5 | operation);
	}
	return found;
}
