/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The printer. It walks the rows of a structure as deep as they are nested and decides at
 * unions, and at bits with two readings, by the rules which one is present.
 *
 *	walk        the structure, at a byte of the buffer, with the path that led here
 *	 '- field   skipped if it is not present or does not fit the length
 *	     |- number    path=0x12(NAME)
 *	     |- array     path[2]={0x1000,0x2000}, at most SHOWN elements
 *	     |- bytes     path=0xa0a1a2..., at most SHOWN_BYTES
 *	     '- nested    walk
 *
 * A union of which no member is known to be present is printed as bytes: nothing is hidden.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <prm/prm.h>
#include <prm/table.h>
#include "rows.h"
#include "present.h"

#define SHOWN	    4
#define SHOWN_BYTES 32
#define PATH_BYTES  256

struct printer {
	char *buf;
	size_t size, used;
	enum prm_style style;
	struct prm_view view; /* the buffer to print */
	char path[PATH_BYTES];
	size_t path_length;
};

static __attribute__((format(printf, 2, 3))) void put(struct printer *pr, const char *fmt, ...)
{
	bool fits = pr->used < pr->size;
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(fits ? pr->buf + pr->used : NULL, fits ? pr->size - pr->used : 0, fmt,
			  ap);
	va_end(ap);
	if (n > 0)
		pr->used += n;
}

static void begin_item(struct printer *pr, size_t byte, const char *name)
{
	if (pr->style == PRM_LINES)
		put(pr, "0x%03zx ", byte);
	else if (pr->used)
		put(pr, " ");
	put(pr, "%.*s%s", (int)pr->path_length, pr->path, name);
}

static void end_item(struct printer *pr)
{
	if (pr->style == PRM_LINES)
		put(pr, "\n");
}

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n && !*p) {
		p++;
		n--;
	}
	return n == 0;
}

static void print_bytes(struct printer *pr, const char *name, size_t byte, size_t n)
{
	if (pr->style == PRM_LINE && all_zero(pr->view.p + byte, n))
		return;
	begin_item(pr, byte, name);
	put(pr, pr->style == PRM_LINES ? " = 0x" : "=0x");
	for (size_t i = 0; i < n && i < SHOWN_BYTES; i++)
		put(pr, "%02x", pr->view.p[byte + i]);
	if (n > SHOWN_BYTES)
		put(pr, "...");
	end_item(pr);
}

static void print_number(struct printer *pr, const struct prm_spot *at,
			 const struct prm_field *f)
{
	uint64_t v = prm_load(pr->view.p + at->byte, f->bit, f->width);

	if (pr->style == PRM_LINE && !v)
		return;

	const char *unit = pr->style == PRM_LINES ? prm_unit(at->s, f->name) : NULL;
	const char *name =
		prm_name_in(at->s, f, pr->view.p + at->byte, pr->view.len - at->byte, v);
	begin_item(pr, at->byte + f->bit / 8, f->name);
	put(pr, pr->style == PRM_LINES ? " = 0x%llx" : "=0x%llx", (unsigned long long)v);
	if (name)
		put(pr, "(%s)", name);
	if (unit)
		put(pr, " [%s]", unit);
	end_item(pr);
}

static void print_array(struct printer *pr, const struct prm_spot *at,
			const struct prm_field *f, size_t n)
{
	size_t byte = at->byte + f->bit / 8, stride = f->width / 8;

	if (pr->style == PRM_LINE && all_zero(pr->view.p + byte, n * stride))
		return;
	begin_item(pr, byte, f->name);
	put(pr, pr->style == PRM_LINES ? "[%zu] = {" : "[%zu]={", n);
	for (size_t i = 0; i < n && i < SHOWN; i++)
		put(pr, "%s0x%llx", i ? "," : "",
		    (unsigned long long)prm_load(pr->view.p + byte + i * stride, 0, f->width));
	put(pr, n > SHOWN ? ",...}" : "}");
	end_item(pr);
}

static void walk(struct printer *pr, const struct prm_spot *at);

/* Prints element @i of a nested structure; the path grows by its name meanwhile. */
static void print_nested(struct printer *pr, const struct prm_spot *at,
			 const struct prm_field *f, size_t i)
{
	struct prm_spot inner = { f->type, at->byte + (f->bit + i * f->width) / 8, at, f };
	size_t before = pr->path_length;
	int n;

	if (f->array && !prm_is_one(at->s, f))
		n = snprintf(pr->path + before, sizeof(pr->path) - before, "%s[%zu].", f->name,
			     i);
	else
		n = snprintf(pr->path + before, sizeof(pr->path) - before, "%s.", f->name);
	if (n < 0 || (size_t)n >= sizeof(pr->path) - before)
		n = (int)(sizeof(pr->path) - before - 1);
	pr->path_length += n;
	walk(pr, &inner);
	pr->path_length = before;
}

/* Nested structures after the first SHOWN: only their indices. */
static void print_rest(struct printer *pr, const struct prm_spot *at, const struct prm_field *f,
		       size_t n)
{
	size_t byte = at->byte + (f->bit + (size_t)SHOWN * f->width) / 8;
	size_t end = at->byte + (f->bit + n * f->width) / 8;

	if (end > pr->view.len)
		end = pr->view.len;
	if (pr->style == PRM_LINE && all_zero(pr->view.p + byte, end - byte))
		return;
	begin_item(pr, byte, f->name);
	put(pr, "[%d..%zu]=...", SHOWN, n - 1);
	end_item(pr);
}

static void print_field(struct printer *pr, const struct prm_spot *at,
			const struct prm_field *f)
{
	size_t n = prm_elements(&pr->view, at, f);

	if (!n)
		return;
	if (f->type) {
		for (size_t i = 0; i < n && i < SHOWN; i++)
			print_nested(pr, at, f, i);
		if (n > SHOWN)
			print_rest(pr, at, f, n);
	} else if (f->bytes) {
		print_bytes(pr, f->name, at->byte + f->bit / 8, n);
	} else if (f->array) {
		print_array(pr, at, f, n);
	} else {
		print_number(pr, at, f);
	}
}

static void walk(struct printer *pr, const struct prm_spot *at)
{
	if (at->byte >= pr->view.len)
		return;
	if (at->s->is_union) {
		const struct prm_field *member = prm_member_of(&pr->view, at);
		size_t n = pr->view.len - at->byte < at->s->bytes ? pr->view.len - at->byte
								  : at->s->bytes;

		if (member) {
			print_field(pr, at, member);
		} else {
			pr->path_length -= pr->path_length ? 1 : 0;
			print_bytes(pr, "", at->byte, n);
		}
		return;
	}
	for (const struct prm_field *f = at->s->fields; f->name; f++)
		if (prm_is_present(&pr->view, at, f))
			print_field(pr, at, f);
}

static size_t print(struct printer *pr, const struct prm_struct *s)
{
	struct prm_spot top = { s, 0, NULL, NULL };

	if (pr->size)
		pr->buf[0] = '\0';
	walk(pr, &top);
	return pr->used;
}

size_t prm_format(char *buf, size_t size, const struct prm_struct *s, const void *p, size_t len,
		  enum prm_style style)
{
	struct printer pr = {
		.buf = buf, .size = size, .style = style, .view = { .p = p, .len = len }
	};

	return print(&pr, s);
}

size_t prm_format_out(char *buf, size_t size, const struct prm_cmd *cmd, const void *in,
		      size_t in_len, const void *out, size_t out_len, enum prm_style style)
{
	struct printer pr = {
		.buf = buf,
		.size = size,
		.style = style,
		.view = { .p = out, .len = out_len, .cmd = cmd, .in = in, .in_len = in_len }
	};

	return print(&pr, cmd->out);
}
