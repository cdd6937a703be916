/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks up texts. There are thousands, so their rows are sorted by name at the first use and
 * then searched by halves.
 *
 *	qpc     state   "State of the QP …"
 *	""      opcode  of every structure without a row (qpc, opcode)
 *	qpc     ""      of the structure itself
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

static struct text_row fields[] = {
#define PRM_TEXT(s, f, t)  { #s, #f, t },
#define PRM_TEXT_ANY(f, t) { "", #f, t },
#include <prm/text.def>
};

static struct text_row structs[] = {
#define PRM_STRUCT_TEXT(s, t) { #s, "", t },
#include <prm/text.def>
};

static struct text_row commands[] = {
	{ "", "", NULL },
#define PRM_COMMAND_TEXT(command, t) { #command, "", t },
#include <prm/text.def>
};

static int compare(const void *a, const void *b)
{
	const struct text_row *x = a, *y = b;
	int owner = strcmp(x->owner, y->owner);

	return owner ? owner : strcmp(x->field, y->field);
}

static void sort(void)
{
	static bool sorted;

	if (sorted)
		return;
	sorted = true;
	qsort(fields, ARRAY_SIZE(fields), sizeof(fields[0]), compare);
	qsort(structs, ARRAY_SIZE(structs), sizeof(structs[0]), compare);
	qsort(commands, ARRAY_SIZE(commands), sizeof(commands[0]), compare);
}

static const char *find(const struct text_row *rows, size_t count, const char *owner,
			const char *field)
{
	struct text_row key = { .owner = owner, .field = field };

	sort();

	const struct text_row *row = bsearch(&key, rows, count, sizeof(*rows), compare);
	return row ? row->text : NULL;
}

const char *text_of_field(const struct prm_struct *s, const char *field)
{
	const char *text = find(fields, ARRAY_SIZE(fields), s->name, field);

	return text ? text : find(fields, ARRAY_SIZE(fields), "", field);
}

const char *text_of_struct(const struct prm_struct *s)
{
	return find(structs, ARRAY_SIZE(structs), s->name, "");
}

const char *text_of_command(const struct prm_cmd *cmd)
{
	return find(commands, ARRAY_SIZE(commands), cmd->name, "");
}

const struct text_row *text_fields(size_t *count)
{
	sort();
	*count = ARRAY_SIZE(fields);
	return fields;
}
