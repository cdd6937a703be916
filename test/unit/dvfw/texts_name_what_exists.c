/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts of include/prm/text.def: each names a field, a structure or a command that exists, once,
 * and is one line of plain text. */
#include <ctype.h>
#include <string.h>

#include <criterion/criterion.h>

#include "text.h"

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
