/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptions, for layout, list values, cmd --help and the shell's help.
 *
 *	the text	include/prm/text.def
 *	the unit	include/prm/unit.def
 *	the values	include/prm/value.def
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/base.h"
#include "describe.h"
#include "names/names.h"
#include "text.h"

size_t describe_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col;
}

void describe_text(const char *text, size_t column)
{
	size_t width = describe_width();

	while (width > column + 20 && strlen(text) > width - column) {
		size_t n = width - column;

		while (n && text[n] != ' ')
			n--;
		if (!n)
			break;
		printf("%.*s\n%*s", (int)n, text, (int)column, "");
		text += n + 1;
	}
	puts(text);
}

/* How a field uses the values of its kind. */
static const char *form_text(enum word_form form)
{
	static const char *const texts[] = {
		[WORD_VALUE] = "values",
		[WORD_MASK] = "bits",
		[WORD_BIT_NUMBERS] = "numbers of bits",
	};

	return texts[form];
}

const char *describe_field(const struct prm_struct *s, const struct prm_field *f, char *buf,
			   size_t size)
{
	const char *text = text_of_field(s, f->name);
	const char *unit = f->type || f->bytes ? NULL : prm_unit(s, f->name);
	enum word_form form;
	const char *kind = word_kind(s, f, &form);
	size_t used = (size_t)snprintf(buf, size, "%s", text ? text : "");

	if (unit && used < size)
		used += (size_t)snprintf(buf + used, size - used, "%s(%s)", used ? " " : "",
					 unit);
	if (kind && used < size)
		snprintf(buf + used, size - used, "%s%s: %s", used ? "; " : "", form_text(form),
			 kind);
	return buf;
}

const char *kind_find(const char *name)
{
	const struct prm_named_value *v = NULL;

	while ((v = prm_value_next(v)))
		if (!strcasecmp(v->kind, name))
			return v->kind;
	return NULL;
}

bool describe_kind(const struct dvfw *d, const char *kind)
{
	const struct prm_named_value *v = NULL;
	const char *known = kind_find(kind);

	while (known && (v = named_next(known, v)))
		printf("  %s0x%-6x%s %s%-28s%s %s\n", dvfw_paint(d, DVFW_FAINT), v->value,
		       dvfw_paint(d, DVFW_PLAIN), dvfw_paint(d, DVFW_WORD), v->name,
		       dvfw_paint(d, DVFW_PLAIN), v->text);
	return known != NULL;
}

struct json_object *kind_json(const char *kind)
{
	struct json_object *list = json_object_new_array();
	const struct prm_named_value *v = NULL;

	while ((v = named_next(kind, v))) {
		struct json_object *one = json_object_new_object();

		json_set(one, "name", v->name);
		json_set(one, "value", v->value);
		json_set(one, "text", v->text);
		json_object_array_add(list, one);
	}
	return list;
}

void describe_field_in_full(const struct dvfw *d, const struct prm_pos *at, const char *path)
{
	const struct prm_field *f = at->field;
	const char *text = text_of_field(at->owner, f->name);
	const char *unit = f->type || f->bytes ? NULL : prm_unit(at->owner, f->name);
	size_t width = f->width * (f->count ? f->count : 1u);
	enum word_form form;
	const char *kind = word_kind(at->owner, f, &form);
	char bits[48];

	layout_bits(bits, sizeof(bits), at->bit, width);
	printf("%s%s%s, %zu bit%s at 0x%03zx, %s", dvfw_paint(d, DVFW_NAME), path,
	       dvfw_paint(d, DVFW_PLAIN), width, width == 1 ? "" : "s", at->bit / 8, bits);
	if (f->type)
		printf(", a structure: %s", f->type->name);
	else if (f->array)
		printf(", an array of %u", f->count);
	putchar('\n');
	describe_text(text ? text : "There is no description", 0);
	if (unit)
		printf("Unit: %s\n", unit);
	if (kind) {
		printf("%s, %s:\n", kind, form_text(form));
		describe_kind(d, kind);
	}
	if (kind && word_is_group(at->owner, f))
		printf("Written as GROUP.max or GROUP.current: 2 * value, + 1 if current\n");
}

void describe_command(const struct dvfw *d, const struct prm_cmd *cmd)
{
	static const struct layout_options plain;
	const struct prm_create *create = prm_create(cmd->opcode);
	const char *text = text_of_command(cmd);

	printf("%s%s%s, opcode 0x%x\n", dvfw_paint(d, DVFW_NAME), cmd->name,
	       dvfw_paint(d, DVFW_PLAIN), cmd->opcode);
	if (text)
		describe_text(text, 0);
	printf("DevX call: %s\n", call_name(cmd->call));
	if (cmd->needs)
		printf("Needs the capability: %s\n", cmd->needs);
	if (create && create->destroy && prm_cmd(create->destroy))
		printf("Destroyed by: %s\n", prm_cmd(create->destroy)->name);
	printf("\nInbox: ");
	layout_print(d, cmd->in, &plain);
	printf("\nOutbox: ");
	layout_print(d, cmd->out, &plain);
}

static int refuse(struct dvfw *d, const char *name)
{
	const struct prm_struct *s = NULL;
	const struct prm_cmd *cmd = NULL;
	struct near near;

	near_begin(&near, name);
	while ((cmd = prm_cmd_next(cmd)))
		near_offer(&near, cmd->name);
	while ((s = prm_struct_next(s)))
		near_offer(&near, s->name);
	return dvfw_usage(d,
			  "'%s' is no command, no structure, no field (qpc.state), and no kind "
			  "of values%s",
			  name, near_text(&near));
}

int describe_name(struct dvfw *d, const char *name)
{
	static const struct layout_options plain;
	const struct prm_struct *s;
	const struct prm_cmd *cmd = cmd_find(name);
	const char *dot = strchr(name, '.');
	char owner[80];

	snprintf(owner, sizeof(owner), "%.*s", (int)strcspn(name, "."), name);
	s = struct_find(owner);
	if (cmd)
		describe_command(d, cmd);
	else if (s && dot)
		return layout_field(d, s, dot + 1);
	else if (s)
		layout_print(d, s, &plain);
	else if (!describe_kind(d, name))
		return refuse(d, name);
	return DVFW_OK;
}
