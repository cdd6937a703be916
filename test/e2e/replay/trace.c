/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

static const char *const page_lists[] = { "pas", "mtts" };

void fail(const char *fmt, ...)
{
	va_list args;

	fputs("replay: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

const char *path_last(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

uint64_t trace_value(const struct record *r, const char *path)
{
	for (size_t i = 0; i < r->nshown; i++)
		if (!strcmp(r->shown[i].path, path))
			return r->shown[i].value;
	return 0;
}

static const struct prm_cmd *command(const char *name)
{
	const struct prm_cmd *cmd = NULL;

	while ((cmd = prm_cmd_next(cmd)))
		if (!strcmp(cmd->name, name))
			return cmd;
	fail("the trace names command %s, prm has none of that name", name);
}

static bool is_page_list(const char *path)
{
	for (size_t i = 0; i < sizeof(page_lists) / sizeof(page_lists[0]); i++)
		if (!strcmp(path_last(path), page_lists[i]))
			return true;
	return false;
}

/* "{0x1,0x2}" at array @path. */
static void set_list(const struct prm_struct *s, uint8_t *box, size_t len, const char *path,
		     const char *text)
{
	char element[PATH_MAX_BYTES + 24];
	const char *at = text + 1;

	for (size_t i = 0; *at && *at != '}'; i++) {
		char *end;
		uint64_t value = strtoull(at, &end, 0);

		snprintf(element, sizeof(element), "%s[%zu]", path, i);
		if (end == at || !prm_set(s, box, len, element, value))
			fail("%s: %s=%s is cut or has no place", s->name, path, text);
		at = end + (*end == ',');
	}
}

static void set_bytes(const struct prm_pos *pos, uint8_t *box, size_t len, const char *path,
		      const char *text)
{
	uint8_t *to = box + pos->bit / 8;
	size_t n = (strlen(text) - 2) / 2;

	if (strstr(text, "...") || pos->bit / 8 + n > len)
		fail("%s=%s is cut or has no place", path, text);
	for (size_t i = 0; i < n; i++) {
		char digits[3] = { text[2 + 2 * i], text[3 + 2 * i] };

		to[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
}

/* @value: "0x3(MIGRATED)", "0x00…", "{…}"; returns the number, 0 of the others. */
static uint64_t set_field(const struct prm_struct *s, uint8_t *box, size_t len,
			  const char *path, const char *value)
{
	struct prm_pos pos;
	uint64_t number;

	if (!prm_find(s, path, &pos))
		fail("%s has no field %s", s->name, path);
	if (*value == '{') {
		set_list(s, box, len, path, value);
		return 0;
	}
	if (pos.field->bytes || pos.field->type) {
		set_bytes(&pos, box, len, path, value);
		return 0;
	}
	number = strtoull(value, NULL, 0);
	if (!prm_set(s, box, len, path, number))
		fail("%s: %s=%s does not fit", s->name, path, value);
	return number;
}

static void remember(struct record *r, const char *path, uint64_t value)
{
	r->shown = reallocarray(r->shown, r->nshown + 1, sizeof(*r->shown));
	if (!r->shown)
		fail("out of memory");
	snprintf(r->shown[r->nshown].path, PATH_MAX_BYTES, "%s", path);
	r->shown[r->nshown++].value = value;
}

/* The fields of a line into a box; of an inbox also into the list of what was shown. */
static void read_fields(struct record *r, bool out, char *text)
{
	const struct prm_struct *s = out ? r->cmd->out : r->cmd->in;
	uint8_t *box = out ? r->out : r->in;
	size_t len = out ? r->out_len : r->in_len;
	char *rest = text, *word;

	while ((word = strsep(&rest, " "))) {
		char *value = strchr(word, '=');
		uint64_t number;

		if (!value)
			continue; /* "… and 384 bytes more", of a page list */
		*value++ = 0;
		if (*value == '{') /* "pas[1]": it says how many there are */
			word[strcspn(word, "[")] = 0;
		if (is_page_list(word))
			continue;
		number = set_field(s, box, len, word, value);
		if (!out)
			remember(r, word, number);
	}
}

static void read_in(struct trace *t, const char *name, char *text)
{
	struct record *r;

	t->record = reallocarray(t->record, t->n + 1, sizeof(*t->record));
	if (!t->record)
		fail("out of memory");
	r = &t->record[t->n++];
	memset(r, 0, sizeof(*r));
	r->cmd = command(name);
	r->in_len = r->cmd->in->bytes;
	prm_set(r->cmd->in, r->in, r->in_len, "opcode", r->cmd->opcode);
	r->in_len = BOX_BYTES; /* the fields say how long it is */
	read_fields(r, false, text);
	r->in_len = r->cmd->in->bytes;
	r->in_len = prm_in_bytes(r->cmd, r->in, r->in_len);
	r->out_len = prm_out_bytes(r->cmd, r->in, r->in_len);
	if (r->in_len > BOX_BYTES || r->out_len > BOX_BYTES)
		fail("%s has boxes of %zu and %zu bytes", name, r->in_len, r->out_len);
}

static void read_out(struct trace *t, const char *name, char *text)
{
	struct record *r = t->n ? &t->record[t->n - 1] : NULL;

	if (!r || strcmp(r->cmd->name, name) != 0)
		fail("%s: an answer to %s without a question", t->name, name);
	if (strncmp(text, "OK", 2) != 0)
		fail("%s: %s failed in the trace: %s", t->name, name, text);
	read_fields(r, true, text + 2);
}

static void read_line(struct trace *t, char *line)
{
	char name[64], way[8];
	int slot, at = 0;

	line[strcspn(line, "\n")] = 0;
	if (sscanf(line, "[%d] fw %63s %7s %n", &slot, name, way, &at) != 3 || !at)
		return; /* the program's own words */
	if (strlen(line) > 4 && !strcmp(line + strlen(line) - 4, " …"))
		fail("%s: the line of %s is cut", t->name, name);
	if (!strcmp(way, "in"))
		read_in(t, name, line + at);
	else
		read_out(t, name, line + at);
}

void trace_read(struct trace *t, const char *file)
{
	FILE *f = fopen(file, "r");
	char *line = NULL;
	size_t capacity = 0;

	*t = (struct trace){ .name = file };
	if (!f)
		fail("%s: %m", file);
	while (getline(&line, &capacity, f) > 0)
		read_line(t, line);
	free(line);
	fclose(f);
	if (!t->n)
		fail("%s: no command is shown", file);
}

void trace_free(struct trace *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->record[i].shown);
	free(t->record);
}
