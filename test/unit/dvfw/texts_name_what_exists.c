/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts of include/prm/text.def: each names a field, a structure or a command that exists,
 * once, and is one line of plain text. */
#include <ctype.h>
#include <string.h>

#include <criterion/criterion.h>

#include "names/text.h"

#define LONGEST 160

static bool plain(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		if (iscntrl((unsigned char)text[i]))
			return false;
	return n && n <= LONGEST && text[n - 1] != '.' && text[0] != ' ' && text[n - 1] != ' ';
}

static bool some_structure_has(const char *field)
{
	const struct prm_struct *s = NULL;

	while ((s = prm_struct_next(s)))
		if (prm_field(s, field))
			return true;
	return false;
}

Test(texts, of_fields)
{
	size_t n;
	const struct text_row *row = text_fields(&n);

	for (size_t i = 0; i < n; i++, row++) {
		const struct prm_struct *s = prm_struct(row->owner);

		cr_expect(*row->owner ? s && prm_field(s, row->field)
				      : some_structure_has(row->field),
			  "there is no field %s.%s", row->owner, row->field);
		cr_expect(plain(row->text), "%s.%s: \"%s\"", row->owner, row->field, row->text);
		cr_expect(!i || strcmp(row->owner, row[-1].owner) ||
				  strcmp(row->field, row[-1].field),
			  "%s.%s has two texts", row->owner, row->field);
	}
}

static const struct {
	const char *name, *text;
} structs[] = {
#define PRM_STRUCT_TEXT(s, t) { #s, t },
#include <prm/text.def>
}, commands[] = {
	{ "CREATE_QP", "the table is never empty" },
#define PRM_COMMAND_TEXT(c, t) { #c, t },
#include <prm/text.def>
};

static bool command_exists(const char *name)
{
	const struct prm_cmd *cmd = NULL;

	while ((cmd = prm_cmd_next(cmd)))
		if (!strcmp(cmd->name, name))
			return true;
	return false;
}

Test(texts, of_structures_and_commands)
{
	for (size_t i = 0; i < sizeof(structs) / sizeof(structs[0]); i++) {
		cr_expect(prm_struct(structs[i].name), "there is no structure %s",
			  structs[i].name);
		cr_expect(plain(structs[i].text), "%s: \"%s\"", structs[i].name,
			  structs[i].text);
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		cr_expect(command_exists(commands[i].name), "there is no command %s",
			  commands[i].name);
		cr_expect(plain(commands[i].text), "%s: \"%s\"", commands[i].name,
			  commands[i].text);
	}
}

/* Fields of boxes whose text is that of all fields with the name: where they are there. */
static const struct {
	const char *name;
	uint32_t bit, width;
} boxes[] = { { "opcode", 0, 16 },
	      { "uid", 16, 16 },
	      { "op_mod", 48, 16 },
	      { "status", 0, 8 },
	      { "syndrome", 32, 32 } };

Test(texts, of_boxes_are_only_for_boxes)
{
	for (const struct prm_struct *s = NULL; (s = prm_struct_next(s));)
		for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
			const struct prm_field *f = prm_field(s, boxes[i].name);
			const struct prm_struct none = { .name = "" };

			if (f && (f->bit != boxes[i].bit || f->width != boxes[i].width))
				cr_expect_str_neq(text_of_field(s, f->name),
						  text_of_field(&none, f->name),
						  "%s.%s has the text of a box", s->name,
						  f->name);
		}
}
