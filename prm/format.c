/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The printer. It walks the rows of a structure as deep as they are nested and decides at
 * unions, and at bits with two readings, by the rules which one stands there.
 *
 *	walk        the structure, at a byte of the buffer, with the path that led here
 *	 '- field   skipped if it does not stand there or does not fit the length
 *	     |- number    path=0x12(NAME)
 *	     |- array     path[2]={0x1000,0x2000}, at most SHOWN elements
 *	     |- bytes     path=0xa0a1a2..., at most SHOWN_BYTES
 *	     '- nested    walk
 *
 * A union of which no arm is known to stand there is printed as bytes: nothing is hidden.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "prm/prm.h"
#include "prm/table.h"

#define SHOWN	    4
#define SHOWN_BYTES 32
#define PATH_BYTES  256

struct printer {
	char *buf;
	size_t size, used;
	enum prm_style style;
	const uint8_t *p; /* the buffer to print */
	size_t len;
	const struct prm_cmd *cmd; /* the inbox that it answers, or NULL */
	const void *in;
	size_t in_len;
	char path[PATH_BYTES];
	size_t path_length;
};

/* A structure in the buffer; up and field say which row of which structure it is. */
struct place {
	const struct prm_struct *s;
	size_t byte;
	const struct place *up;
	const struct prm_field *field;
};

enum verdict { UNKNOWN, NO, YES };

static __attribute__((format(printf, 2, 3))) void put(struct printer *pr, const char *fmt, ...)
{
	bool room = pr->used < pr->size;
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(room ? pr->buf + pr->used : NULL, room ? pr->size - pr->used : 0, fmt,
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

static bool matches(const struct printer *pr, const struct place *at, const struct prm_rule *r)
{
	uint64_t v;

	if (r->in) {
		if (!pr->cmd || pr->cmd->in != r->in ||
		    !prm_get(r->in, pr->in, pr->in_len, r->discr, &v))
			return false;
	} else if (!prm_get(at->s, pr->p + at->byte, pr->len - at->byte, r->discr, &v)) {
		return false;
	}
	return v >> r->shift == r->value;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* What the rules of the structure at @at say about @field, or about @arm of it. */
static enum verdict rule_verdict(const struct printer *pr, const struct place *at,
				 const char *field, const char *arm)
{
	enum verdict verdict = UNKNOWN;

	for (const struct prm_rule *r = at->s->rules; r->field; r++) {
		bool any = false;

		if (!r->discr || strcmp(r->field, field) || !same_text(r->arm, arm))
			continue;
		for (const struct prm_rule *q = at->s->rules; q->field && !any; q++)
			any = q->discr && !strcmp(q->field, field) && same_text(q->arm, arm) &&
			      !strcmp(q->discr, r->discr) && matches(pr, at, q);
		if (!any)
			return NO;
		verdict = YES;
	}
	return verdict;
}

static bool is_alternative(const struct prm_struct *s, const struct prm_field *f)
{
	for (const struct prm_rule *r = s->rules; r->field; r++)
		if (!r->discr && !strcmp(r->field, f->name))
			return true;
	return false;
}

static bool overlap(const struct prm_field *a, const struct prm_field *b)
{
	size_t a_bits = (size_t)a->width * (a->count ? a->count : 1);
	size_t b_bits = (size_t)b->width * (b->count ? b->count : 1);

	return a->bit < b->bit + b_bits && b->bit < a->bit + a_bits;
}

/* Whether @f is the reading of its bits: alternatives displace what they overlay. */
static bool stands(const struct printer *pr, const struct place *at, const struct prm_field *f)
{
	if (!at->s->rules->field)
		return true;
	if (is_alternative(at->s, f))
		return rule_verdict(pr, at, f->name, NULL) == YES;
	for (const struct prm_field *other = at->s->fields; other->name; other++)
		if (other != f && overlap(other, f) && is_alternative(at->s, other) &&
		    rule_verdict(pr, at, other->name, NULL) == YES)
			return false;
	return true;
}

/* The row that a union shows here; NULL: nobody knows. */
static const struct prm_field *arm_of(const struct printer *pr, const struct place *at)
{
	const struct prm_field *fields = at->s->fields;

	if (fields->name && !fields[1].name)
		return fields;
	for (const struct prm_field *f = fields; f->name; f++) {
		if (at->up && rule_verdict(pr, at->up, at->field->name, f->name) == YES)
			return f;
		if (rule_verdict(pr, at, f->name, NULL) == YES)
			return f;
	}
	return NULL;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n && !*p) {
		p++;
		n--;
	}
	return n == 0;
}

static bool has_tail(const struct prm_struct *s)
{
	for (const struct prm_field *f = s->fields; f->name; f++)
		if (!f->count || (f->type && has_tail(f->type)))
			return true;
	return false;
}

/* Elements of @f that lie within the buffer. */
static size_t count_elements(const struct printer *pr, const struct place *at,
			     const struct prm_field *f)
{
	size_t first = at->byte * 8 + f->bit, bits = pr->len * 8;

	if (first >= bits)
		return 0;
	if (f->type && (!f->width || (!f->count && has_tail(f->type))))
		return 1;
	/* A nested structure may begin in the buffer and end behind it: its rows decide. */
	size_t whole =
		f->type ? (bits - first + f->width - 1) / f->width : (bits - first) / f->width;
	return f->count && f->count < whole ? f->count : whole;
}

static void print_bytes(struct printer *pr, const char *name, size_t byte, size_t n)
{
	if (pr->style == PRM_LINE && all_zero(pr->p + byte, n))
		return;
	begin_item(pr, byte, name);
	put(pr, pr->style == PRM_LINES ? " = 0x" : "=0x");
	for (size_t i = 0; i < n && i < SHOWN_BYTES; i++)
		put(pr, "%02x", pr->p[byte + i]);
	if (n > SHOWN_BYTES)
		put(pr, "...");
	end_item(pr);
}

static const char *name_of(const struct prm_struct *s, const struct prm_field *f, uint64_t v)
{
	if (!strcmp(f->name, "opcode") && f->bit == 0 && f->width == 16) {
		const struct prm_cmd *cmd = prm_cmd((unsigned int)v);

		return cmd ? cmd->name : NULL;
	}

	const char *kind = prm_value_kind(s, f->name);
	if (!kind && !strcmp(f->name, "status") && f->bit == 0 && f->width == 8)
		kind = "STATUS";
	return kind ? prm_value_name(kind, v, NULL) : NULL;
}

static void print_number(struct printer *pr, const struct place *at, const struct prm_field *f)
{
	uint64_t v = prm_load(pr->p + at->byte, f->bit, f->width);

	if (pr->style == PRM_LINE && !v)
		return;

	const char *name = name_of(at->s, f, v);
	begin_item(pr, at->byte + f->bit / 8, f->name);
	put(pr, pr->style == PRM_LINES ? " = 0x%llx" : "=0x%llx", (unsigned long long)v);
	if (name)
		put(pr, "(%s)", name);
	end_item(pr);
}

static void print_array(struct printer *pr, const struct place *at, const struct prm_field *f,
			size_t n)
{
	size_t byte = at->byte + f->bit / 8, stride = f->width / 8;

	if (pr->style == PRM_LINE && all_zero(pr->p + byte, n * stride))
		return;
	begin_item(pr, byte, f->name);
	put(pr, pr->style == PRM_LINES ? "[%zu] = {" : "[%zu]={", n);
	for (size_t i = 0; i < n && i < SHOWN; i++)
		put(pr, "%s0x%llx", i ? "," : "",
		    (unsigned long long)prm_load(pr->p + byte + i * stride, 0, f->width));
	put(pr, n > SHOWN ? ",...}" : "}");
	end_item(pr);
}

static void walk(struct printer *pr, const struct place *at);

/* Prints element @i of a nested structure; the path grows by its name meanwhile. */
static void print_nested(struct printer *pr, const struct place *at, const struct prm_field *f,
			 size_t i)
{
	struct place inner = { f->type, at->byte + (f->bit + i * f->width) / 8, at, f };
	size_t before = pr->path_length;
	int n;

	if (f->array)
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

/* Nested structures behind the first SHOWN: only that they are there. */
static void print_rest(struct printer *pr, const struct place *at, const struct prm_field *f,
		       size_t n)
{
	size_t byte = at->byte + (f->bit + (size_t)SHOWN * f->width) / 8;
	size_t end = at->byte + (f->bit + n * f->width) / 8;

	if (end > pr->len)
		end = pr->len;
	if (pr->style == PRM_LINE && all_zero(pr->p + byte, end - byte))
		return;
	begin_item(pr, byte, f->name);
	put(pr, "[%d..%zu]=...", SHOWN, n - 1);
	end_item(pr);
}

static void print_field(struct printer *pr, const struct place *at, const struct prm_field *f)
{
	size_t n = count_elements(pr, at, f);

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

static void walk(struct printer *pr, const struct place *at)
{
	if (at->byte >= pr->len)
		return;
	if (at->s->is_union) {
		const struct prm_field *arm = arm_of(pr, at);
		size_t n =
			pr->len - at->byte < at->s->bytes ? pr->len - at->byte : at->s->bytes;

		if (arm) {
			print_field(pr, at, arm);
		} else {
			pr->path_length -= pr->path_length ? 1 : 0;
			print_bytes(pr, "", at->byte, n);
		}
		return;
	}
	for (const struct prm_field *f = at->s->fields; f->name; f++)
		if (stands(pr, at, f))
			print_field(pr, at, f);
}

static size_t print(struct printer *pr, const struct prm_struct *s)
{
	struct place top = { s, 0, NULL, NULL };

	if (pr->size)
		pr->buf[0] = '\0';
	walk(pr, &top);
	return pr->used;
}

size_t prm_format(char *buf, size_t size, const struct prm_struct *s, const void *p, size_t len,
		  enum prm_style style)
{
	struct printer pr = { .buf = buf, .size = size, .style = style, .p = p, .len = len };

	return print(&pr, s);
}

size_t prm_format_out(char *buf, size_t size, const struct prm_cmd *cmd, const void *in,
		      size_t in_len, const void *out, size_t out_len, enum prm_style style)
{
	struct printer pr = { .buf = buf,
			      .size = size,
			      .style = style,
			      .p = out,
			      .len = out_len,
			      .cmd = cmd,
			      .in = in,
			      .in_len = in_len };

	return print(&pr, cmd->out);
}
