/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command box, and what is true of every command that a test executes: each allocation fails
 * once; a refused one changes nothing; an answer stays in its box; a query shows what was made.
 */
#ifndef TEST_UNIT_FW_BOX_H
#define TEST_UNIT_FW_BOX_H

#include <criterion/criterion.h>
#include <string.h>

#include "fw/fw.h"
#include "lib/equals.h"
#include "lib/steps.h"
#include "prm/prm.h"
#include "prm/table.h"
#include "unit/state.h"

#define UNUSED __attribute__((unused))

static struct hca hca;
static struct {
	uint8_t in[0x800], out[0x1100];
	size_t in_len, out_len;
} b;

/* An empty command @opcode with boxes of exactly its length. */
static UNUSED void box(uint32_t opcode)
{
	const struct prm_cmd *cmd = prm_cmd(opcode);

	memset(&b, 0, sizeof(b));
	b.in_len = cmd ? cmd->in->bytes : 16;
	b.out_len = cmd ? cmd->out->bytes : 16;
	PRM_SET(mbox_in, b.in, opcode, opcode);
}

static UNUSED void uid(uint16_t u)
{
	b.in[2] = u >> 8;
	b.in[3] = u;
}

/* Is the command over without an allocation that failed? */
static bool executed(unsigned int fail_at)
{
	memset(b.out, 0xee, sizeof(b.out));
	steps.fail_at = fail_at;
	fw_exec(&hca, b.in, b.in_len, b.out, b.out_len);
	if (!steps.fail_at)
		return false;
	steps.fail_at = 0;
	return true;
}

/* Nothing is written after the outbox; a query whose outbox is too short for its answer is
 * refused, or its answer is cut, a list after a whole entry. */
static void check_outbox(void)
{
	const struct prm_cmd *cmd = prm_cmd((uint32_t)b.in[0] << 8 | b.in[1]);
	uint8_t out[sizeof(b.out)];
	size_t end = b.out_len;

	while (end < sizeof(b.out) && b.out[end] == 0xee)
		end++;
	cr_assert_eq(end, sizeof(b.out), "byte %zu follows the outbox", end);
	if (!cmd || strncmp(cmd->name, "QUERY_", 6) || b.out[0])
		return;
	memcpy(out, b.out, sizeof(out));
	for (size_t less = 1; less < 9 && less < b.out_len; less++) {
		memset(b.out, 0xee, sizeof(b.out));
		fw_exec(&hca, b.in, b.in_len, b.out, b.out_len - less);
		cr_assert_eq(b.out[b.out_len - less], 0xee, "%s: after the outbox", cmd->name);
		for (size_t i = 0; b.out[0] != FW_BAD_OUTP_LEN && i < b.out_len - less; i++)
			cr_assert(b.out[i] == out[i] ||
					  (!b.out[i] && i + 16 >= b.out_len - less),
				  "%s: byte %zu", cmd->name, i);
	}
	memcpy(b.out, out, sizeof(out));
}

static const struct prm_cmd *query_of(const char *object)
{
	const struct prm_cmd *cmd = NULL;

	while ((cmd = prm_cmd_next(cmd)))
		if (!strncmp(cmd->name, "QUERY_", 6) && !strcmp(cmd->name + 6, object))
			return cmd;
	return NULL;
}

/* The query of what is created shows each bit of the context that was given, but for the
 * counter of a DCT, and its pages, but for the rights in those of an mkey. */
static void check_query(void)
{
	const struct prm_cmd *cmd = prm_cmd((uint32_t)b.in[0] << 8 | b.in[1]), *query;
	uint8_t in[64] = { 0 }, out[sizeof(b.out)];
	const struct prm_field *given, *shown;

	query = cmd && strchr(cmd->name, '_') ? query_of(strchr(cmd->name, '_') + 1) : NULL;
	if (!query || (strncmp(cmd->name, "CREATE", 6) &&
		       cmd->opcode != PRM_OP_ALLOC_PACKET_REFORMAT_CONTEXT))
		return;
	in[0] = query->opcode >> 8;
	in[1] = (uint8_t)query->opcode;
	memcpy(in + 2, b.in + 2, 2);
	memcpy(in + 9, b.out + 9, 3);
	for (given = cmd->in->fields; given->name && !given->type; given++)
		;
	for (shown = query->out->fields; shown->name && shown->type != given->type; shown++)
		;
	fw_exec(&hca, in, query->in->bytes, out, sizeof(out));
	if (out[0]) { /* named by more than a number */
		cr_assert(strstr(cmd->name, "FLOW") || strstr(cmd->name, "OBJECT") ||
				  strstr(cmd->name, "SCHEDULING"),
			  "%s", cmd->name);
		return;
	}
	for (uint32_t i = 0; i < given->width / 8; i++)
		cr_assert(!(b.in[given->bit / 8 + i] & ~out[shown->bit / 8 + i]) ||
				  (cmd->opcode == PRM_OP_CREATE_DCT && i >= 0x3c && i < 0x40),
			  "%s: byte 0x%x", query->name, i);
	if (cmd->opcode == PRM_OP_CREATE_MKEY || b.in[0] == 0x9 ||
	    (cmd->opcode == PRM_OP_CREATE_QP && PRM_GET(create_qp_in, b.in, qpc_ext)))
		return;
	for (size_t i = cmd->in->bytes; i < b.in_len; i++)
		cr_assert_eq(b.in[i], out[query->out->bytes + i - cmd->in->bytes],
			     "%s: byte %zu of the list", query->name, i - cmd->in->bytes);
}

enum { WHY_LIMIT = 14, WHY_FULL };

/* Before, each of its allocations fails: it is refused for that, and all is as it was; so it is
 * if the command is refused in the end. The memory is compared the second time, as the first
 * one may have enlarged a table of numbers; a command may also find a number without that. */
static UNUSED enum fw_status execute(void)
{
	struct hca_counts counts = hca.counts;
	char was[STATE], is[STATE];
	uint32_t next[HCA_KINDS];
	long allocations = 0;
	bool quota;

	device_state(&hca, was);
	next_numbers(&hca, next, false);
	for (unsigned int n = 2; !executed(n / 2) && b.out[0] != FW_OK; n++) {
		cr_assert(b.out[7] == WHY_FULL || b.out[7] == WHY_LIMIT, "allocation %u: %u",
			  n / 2, b.out[7]);
		cr_assert(b.out[0] == FW_LIM_ERR ||
				  (b.out[0] == FW_NO_RES && b.out[7] == WHY_FULL),
			  "allocation %u: status %u", n / 2, b.out[0]);
		device_state(&hca, is);
		cr_assert_str_eq(is, was, "allocation %u", n / 2);
		if (n % 2)
			cr_assert_eq(steps.allocations, allocations, "allocation %u", n / 2);
		allocations = steps.allocations;
		next_numbers(&hca, next, true);
		hca.counts = counts;
	}
	counts.commands++;
	quota = b.out[0] == FW_LIM_ERR || b.out[0] == FW_NO_RES;
	cr_assert_eq(hca.counts.commands, counts.commands);
	cr_assert_eq(hca.counts.quota_exceeded_command, counts.quota_exceeded_command + quota);
	cr_assert_eq(hca.counts.invalid_command, counts.invalid_command + (b.out[0] && !quota));
	if (b.out[0] != FW_OK) {
		device_state(&hca, is);
		cr_assert_str_eq(is, was, "refused");
	}
	counts = hca.counts;
	check_outbox();
	if (b.out[0] == FW_OK)
		check_query();
	hca.counts = counts;
	return b.out[0];
}

static UNUSED uint32_t syndrome(void)
{
	return PRM_GET(mbox_out, b.out, syndrome);
}

/* Why a command is refused: the low byte of a syndrome of ours. */
enum { WHY_OPCODE = 1, WHY_IN_LEN, WHY_OUT_LEN, WHY_RESERVED, WHY_UNSUPPORTED, WHY_UID };
enum { WHY_OP_MOD = 7, WHY_OBJECT, WHY_PD, WHY_UAR, WHY_EQ, WHY_CQ, WHY_BUSY };
enum { WHY_SIZE = 16, WHY_PAS, WHY_PAGE_OFFSET, WHY_DBR, WHY_STATE, WHY_OPT_PARAM };
enum { WHY_GID = 22, WHY_MTU, WHY_VALUE, WHY_XRCD, WHY_SRQ, WHY_TD, WHY_TIS, WHY_RQ, WHY_UMEM };
enum { WHY_RIGHTS = 31, WHY_RQT = 40, WHY_SCHED, WHY_COUNTER, WHY_VHCA, WHY_ACCESS_KEY };
enum { WHY_TABLE = 45, WHY_GROUP, WHY_INDEX, WHY_MATCH, WHY_ACTION, WHY_DEST, WHY_HEADERS };
enum { WHY_REGISTER = 52, WHY_READ_ONLY };

/* The command in the box is refused. */
#define REFUSED(status, why)                                                               \
	do {                                                                               \
		cr_assert_eq(execute(), status, "status %u", b.out[0]);                    \
		cr_assert_eq(syndrome(),                                                   \
			     0xe0000000u | (uint32_t)b.in[0] << 16 | b.in[1] << 8 | (why), \
			     "syndrome %#x", syndrome());                                  \
	} while (0)
/* @box makes a command, which is one of user context @u. */
#define AS(u, box) WITH(box, uid(u))
/* @box makes a command, which then is changed: field @f of the inbox, of layout @s, or its byte
 * @at is @v; it is @n bytes shorter, or has one more, which is not zero. */
#define WITH(box, change) \
	do {              \
		box;      \
		change;   \
	} while (0)
#define WITH_FIELD(box, s, f, v) WITH(box, PRM_SET(s, b.in, f, v))
#define WITH_BYTE(box, at, v)	 WITH(box, b.in[at] = v)
#define SHORTER(box, n)		 WITH(box, b.in_len -= n)
#define LONGER(box)		 WITH_BYTE(box, b.in_len++, 1)
/* @box makes a command, which is refused or executed. */
#define BOX_REFUSED(box, status, why) \
	do {                          \
		box;                  \
		REFUSED(status, why); \
	} while (0)
#define BAD_PARAM(box, why) BOX_REFUSED(box, FW_BAD_PARAM, why)
#define BOX_OK(box)                                                         \
	do {                                                                \
		box;                                                        \
		cr_assert_eq(execute(), FW_OK, "syndrome %#x", syndrome()); \
	} while (0)

/* Fields by name: SET(qpc, qpc, F(pd, 3), F(no_sq, 1)) writes them, SHOWS() compares them. */
struct value {
	const char *field;
	uint64_t value;
};

static UNUSED void write_fields(const char *layout, void *at, const struct value *v, size_t cnt)
{
	const struct prm_struct *s = prm_struct(layout);

	for (; cnt--; v++)
		cr_assert(prm_set(s, at, s->bytes, v->field, v->value), "%s", v->field);
}

static UNUSED void compare_fields(int line, const char *layout, const void *at,
				  const struct value *v, size_t cnt)
{
	const struct prm_struct *s = prm_struct(layout);

	for (uint64_t is; cnt--; v++) {
		cr_assert(prm_get(s, at, s->bytes, v->field, &is), "%s", v->field);
		cr_assert_eq(is, v->value, "line %d: %s is %#llx", line, v->field,
			     (unsigned long long)is);
	}
}

#define F(f, v) ((struct value){ #f, v })
#define VALUES(...)                              \
	((const struct value[]){ __VA_ARGS__ }), \
		sizeof((const struct value[]){ __VA_ARGS__ }) / sizeof(struct value)
#define SET(s, p, ...)	 write_fields(#s, p, VALUES(__VA_ARGS__))
#define SHOWS(s, p, ...) compare_fields(__LINE__, #s, p, VALUES(__VA_ARGS__))
/* An empty command with fields: CMD(DESTROY_MKEY, F(mkey_index, 1)). */
#define CMD(op, ...)       \
	(box(PRM_OP_##op), \
	 write_fields(prm_cmd(PRM_OP_##op)->in->name, b.in, VALUES(__VA_ARGS__)))

/* A byte of a command with which it is refused, and how. */
struct wrong_byte {
	size_t at;
	uint8_t value, status, why;
};

/* The command that @make makes is refused with each of @rows. */
static UNUSED void bytes_refused(void (*make)(void), const struct wrong_byte *rows, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		make();
		b.in[rows[i].at] = rows[i].value;
		REFUSED(rows[i].status, rows[i].why);
	}
}

/* The command of @box is executed if general capability @cap is @value, and refused if it is
 * one less. */
#define AT_LIMIT(cap, value, box, status, why)                          \
	do {                                                            \
		uint32_t was_ = PRM_GET(cmd_hca_cap, hca.caps[0], cap); \
		PRM_SET(cmd_hca_cap, hca.caps[0], cap, (value)-1);      \
		BOX_REFUSED(box, status, why);                          \
		PRM_SET(cmd_hca_cap, hca.caps[0], cap, value);          \
		BOX_OK(box);                                            \
		PRM_SET(cmd_hca_cap, hca.caps[0], cap, was_);           \
	} while (0)

#endif
