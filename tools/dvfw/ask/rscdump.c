/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw rscdump: objects as the firmware has them, by the register RESOURCE_DUMP.
 *
 *	TYPE, INDEX -> RESOURCE_DUMP, inline_dump=1 -> part -> again, with what it answered, while more_dump -> segments
 *
 * Which types there are is a dump, too: the menu. mlx5ctl, rscdump.c; kernel, diag/rsc_dump.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ask/ask.h"
#include "base/base.h"
#include "prm/prm.h"
#include "rscdump.h"

#define DUMP_MAX (64u << 20)

struct request {
	struct dvfw *dvfw;
	struct rscdump_how how;
	const char *number_text;
	char *word[3];
	uint64_t type, index[2], number;
};

static const uint8_t *answer(const struct reg *r)
{
	return r->answer.bytes;
}

/* The next read repeats what the last one answered. */
static void repeat(struct reg *r)
{
#define REPEAT(f) PRM_SET(resource_dump, r->ask.bytes, f, PRM_GET(resource_dump, answer(r), f))
	REPEAT(seq_num);
	REPEAT(more_dump);
	REPEAT(index1);
	REPEAT(index2);
	REPEAT(num_of_obj1);
	REPEAT(num_of_obj2);
	REPEAT(device_opaque);
}

static int append(struct dvfw *d, struct rscdump *dump, const struct reg *r)
{
	const uint8_t *data = PRM_ADDR(resource_dump, answer(r), inline_data);
	size_t most = r->reg->layout->bytes - (size_t)(data - answer(r));
	uint32_t size = PRM_GET(resource_dump, answer(r), size);
	uint32_t seq = PRM_GET(resource_dump, answer(r), seq_num);
	uint8_t *more;

	if (seq && seq != PRM_GET(resource_dump, r->ask.bytes, seq_num) + 1)
		return dvfw_refused(
			d, "the dump has part %u after %u", seq,
			(unsigned int)PRM_GET(resource_dump, r->ask.bytes, seq_num));
	if (size > most || (!size && PRM_GET(resource_dump, answer(r), more_dump)) ||
	    dump->len + size > DUMP_MAX)
		return dvfw_refused(d, "the dump has a part of %u bytes", size);
	more = realloc(dump->bytes, dump->len + size + 1);
	if (!more)
		return dvfw_refused(d, "no memory for %zu bytes", dump->len + size);
	memcpy(more + dump->len, data, size);
	dump->bytes = more;
	dump->len += size;
	return DVFW_OK;
}

static int collect(struct request *r, unsigned int type, struct rscdump *dump)
{
	static struct reg reg;
	struct near near;
	int status = reg_begin(r->dvfw, &reg, reg_find("RESOURCE_DUMP", &near), NULL, 0);

	PRM_SET(resource_dump, reg.ask.bytes, inline_dump, 1);
	PRM_SET(resource_dump, reg.ask.bytes, segment_type, type);
	if (type != RSCDUMP_MENU) {
		PRM_SET(resource_dump, reg.ask.bytes, index1, r->index[0]);
		PRM_SET(resource_dump, reg.ask.bytes, index2, r->index[1]);
		PRM_SET(resource_dump, reg.ask.bytes, num_of_obj2, r->number);
	}
	while (!status) {
		status = reg_access(r->dvfw, &reg, PRM_REG_OP_READ);
		if (!status)
			status = append(r->dvfw, dump, &reg);
		if (status || !PRM_GET(resource_dump, answer(&reg), more_dump))
			break;
		repeat(&reg);
	}
	return status;
}

/* The number of a type that the menu has by name. */
static int find_type(struct request *r, const char *name)
{
	struct rscdump menu = { 0 };
	struct rscdump_segment s = { 0 };
	const char *why = NULL;
	struct near near;
	int status = collect(r, RSCDUMP_MENU, &menu);
	bool found = false;

	near_begin(&near, name);
	while (!status && !found && rscdump_next(&menu, &s, &why)) {
		size_t head = PRM_SZ(resource_dump_menu_segment);
		size_t record = PRM_SZ(resource_dump_menu_record);

		for (size_t at = head; s.type == RSCDUMP_MENU && at + record <= s.len;
		     at += record) {
			const size_t text =
				PRM_OFF(resource_dump_menu_record, segment_name) / 8;
			char one[RSCDUMP_NAME_BYTES];

			rscdump_name(s.p + at, text, one);
			near_offer(&near, one);
			if (strcasecmp(one, name))
				continue;
			r->type = PRM_GET(resource_dump_menu_record, s.p + at, segment_type);
			found = true;
			break;
		}
	}
	free(menu.bytes);
	if (status || found)
		return status;
	return dvfw_usage(r->dvfw, "no segment of the menu ('dvfw rscdump') is called '%s'%s",
			  name, near_text(&near));
}

static int read_numbers(struct request *r, int n)
{
	for (int i = 1; i < n; i++)
		if (!parse_number(r->word[i], &r->index[i - 1]) || r->index[i - 1] > UINT32_MAX)
			return dvfw_usage(r->dvfw, "'%s' is not a number of 32 bits",
					  r->word[i]);
	if (r->number_text && !strcmp(r->number_text, "all"))
		r->number = 0xffff; /* kernel, diag/rsc_dump.h: MLX5_RSC_DUMP_ALL */
	else if (r->number_text &&
		 (!parse_number(r->number_text, &r->number) || r->number > 0xffff))
		return dvfw_usage(r->dvfw,
				  "--number: '%s' is neither 'all' nor a number up to "
				  "0xffff",
				  r->number_text);
	return DVFW_OK;
}

static int run(struct request *r, int n)
{
	struct rscdump dump = { 0 };
	int status = read_numbers(r, n);

	r->type = RSCDUMP_MENU;
	if (!r->dvfw->via)
		r->dvfw->via = "fwctl";
	if (!status)
		status = dvfw_connect(r->dvfw);
	if (!status && n && !parse_number(r->word[0], &r->type))
		status = find_type(r, r->word[0]);
	if (!status && r->type > 0xffff)
		status = dvfw_usage(r->dvfw, "'%s' is not a number of 16 bits", r->word[0]);
	if (!status)
		status = collect(r, (unsigned int)r->type, &dump);
	if (!status)
		status = rscdump_show(r->dvfw, &dump, &r->how);
	free(dump.bytes);
	return status;
}

static const struct option_row options[] = {
	{ "number", 0, "N", "How many objects from INDEX2 on: a number, or all",
	  offsetof(struct request, number_text), NULL },
	{ "all", 'a', NULL, "Show fields that are zero, too", offsetof(struct request, how.all),
	  NULL },
	{ "hex", 0, NULL, "Show bytes, not fields", offsetof(struct request, how.hex), NULL },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "[TYPE [INDEX1 [INDEX2]]]",
	.doc = "Dumps resources as the firmware has them, through fwctl. TYPE: a name or number of the menu, which "
	       "is printed without one; INDEX1: the number of the object, as PRM_QUERY_QP 0x48.",
	.surplus = "TYPE, INDEX1 and INDEX2 are all",
	.max = 3,
};

int rscdump_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d };
	int n = arguments_parse(&syntax, d, argc, argv, &r, r.word);

	return run(&r, n);
}
