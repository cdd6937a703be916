/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in the two styles (text.h). */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include "text.h"

enum {
	SHOWN = 32, /* characters of quoted data */
};

struct text text_start(char *buf, size_t size, enum dv_style style)
{
	if (size)
		buf[0] = '\0';
	return (struct text){ .buf = buf, .size = size, .style = style };
}

static void put_list(struct text *t, const char *format, va_list args)
{
	size_t space = t->len < t->size ? t->size - t->len : 0;
	int n = vsnprintf(space ? t->buf + t->len : NULL, space, format, args);

	if (n > 0)
		t->len += (size_t)n;
}

void text_put(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_list(t, format, args);
	va_end(args);
}

static void begin(struct text *t, size_t offset, const char *name)
{
	if (t->style == DV_FIELDS)
		text_put(t, "%4zu  %-12s ", offset, name);
	else
		text_put(t, " %s ", name);
}

static void end(struct text *t)
{
	if (t->style == DV_FIELDS)
		text_put(t, "\n");
}

void text_field(struct text *t, size_t offset, const char *name, const char *format, ...)
{
	va_list args;

	begin(t, offset, name);
	va_start(args, format);
	put_list(t, format, args);
	va_end(args);
	end(t);
}

void text_segment(struct text *t, const char *name)
{
	if (t->style == DV_FIELDS)
		text_put(t, "%s\n", name);
	else
		text_put(t, " |");
}

void text_remark(struct text *t, const char *format, ...)
{
	va_list args;

	if (t->style == DV_LINE)
		text_put(t, " | ");
	va_start(args, format);
	put_list(t, format, args);
	va_end(args);
	end(t);
}

void text_bytes(struct text *t, size_t offset, const char *what, const uint8_t *p, size_t n)
{
	size_t i;

	begin(t, offset, what);
	for (i = 0; i < n; i++)
		text_put(t, i && i % 4 == 0 ? " %02x" : "%02x", p[i]);
	end(t);
}

void text_quoted(struct text *t, size_t offset, const uint8_t *p, size_t n, size_t len)
{
	size_t i, shown = n < SHOWN ? n : SHOWN;

	if (t->style == DV_FIELDS)
		text_put(t, "%4zu  %-12s ", offset, "data");
	else
		text_put(t, " ");
	text_put(t, "\"");
	for (i = 0; i < shown; i++)
		text_put(t, "%c", p[i] >= 0x20 && p[i] < 0x7f ? p[i] : '.');
	text_put(t, shown < len ? "\"…" : "\"");
	end(t);
}

/* ---- tables ---- */

static uint64_t value(const struct field *f, const uint8_t *p)
{
	uint64_t v = 0, mask = ~0ull >> (63 - f->high + f->low);
	unsigned int i;

	for (i = 0; i < f->bytes; i++)
		v = v << 8 | p[i];
	return v >> f->low & mask;
}

static void put_address(struct text *t, const struct field *f, const uint8_t *p, size_t offset)
{
	char gid[INET6_ADDRSTRLEN];

	if (f->show == MAC)
		text_field(t, offset, f->name, "%02x:%02x:%02x:%02x:%02x:%02x", p[0], p[1],
			   p[2], p[3], p[4], p[5]);
	else
		text_field(t, offset, f->name, "%s", inet_ntop(AF_INET6, p, gid, sizeof(gid)));
}

static void put_field(struct text *t, const struct field *f, const uint8_t *p, size_t offset)
{
	uint64_t v;

	if (f->show == MAC || f->show == GID) {
		put_address(t, f, p, offset);
		return;
	}
	v = value(f, p);
	if (!v && (f->show == RESERVED ||
		   ((f->show == DEC_ANY || f->show == HEX_ANY) && t->style == DV_LINE)))
		return;
	if (f->show == DEC || f->show == DEC_ANY)
		text_field(t, offset, f->name, "%llu", (unsigned long long)v);
	else
		text_field(t, offset, f->name, "0x%llx", (unsigned long long)v);
}

void text_fields(struct text *t, const struct field *f, const uint8_t *base, size_t offset)
{
	for (; f->name; f++)
		put_field(t, f, base + offset + f->at, offset + f->at);
}
