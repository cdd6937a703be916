/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dumps in hex to bytes, a line after the other. The line decides the meaning of its first
 * word:
 *
 *	"0040:"			an offset, also in the middle of a line
 *	"00000040" "05" "00"	an offset if it is the number of bytes read until now (in hex, or octal as od
 *				prints it), in a text of several lines
 *	all others		bytes
 */
#include <ctype.h>
#include <string.h>

#include "base/base.h"

#define NO_OFFSET ((size_t)-1)

struct dump {
	const char *at, *end; /* end: of the line */
	const char *stop;     /* of the text */
	uint8_t *bytes;
	size_t size, used, most;
	size_t row, row_bytes; /* the line before */
	bool several, repeat;
	bool bare; /* the first line begins with an offset without a colon */
	bool octal;
	size_t word; /* digits of the words of the line before */
	unsigned int line;
	const char *begin; /* of the line */
	const char *why;
};

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static size_t digits(const char *at, const char *end)
{
	const char *p = at;

	while (p < end && digit(*p) < 16)
		p++;
	return (size_t)(p - at);
}

static size_t blanks(const char *at, const char *end)
{
	const char *p = at;

	while (p < end && (isspace((unsigned char)*p) || *p == ','))
		p++;
	return (size_t)(p - at);
}

static bool begins(const char *at, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - at) >= n && !memcmp(at, word, n);
}

static size_t find(const char *at, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = at; (size_t)(end - p) >= n; p++)
		if (!memcmp(p, word, n))
			return (size_t)(p - at) + n;
	return 0;
}

/* "[  123.456789] ", "[Mon Nov 23 10:00:00 2020] ", "[  123.456789][T12] " */
static size_t bracket(const char *at, const char *end)
{
	const char *p = at, *close;

	while (p < end && *p == '[') {
		close = memchr(p, ']', (size_t)(end - p));
		if (!close || close - p > 40)
			break;
		p = close + 1;
		p += blanks(p, end);
	}
	return (size_t)(p - at);
}

/* "19:34:56 ", as CI and "dmesg | ts" print it */
static size_t clock_time(const char *at, const char *end)
{
	static const char shape[] = "00:00:00 ";

	for (size_t i = 0; shape[i]; i++)
		if (at + i >= end ||
		    (shape[i] == '0' ? !isdigit((unsigned char)at[i]) : at[i] != shape[i]))
			return 0;
	return sizeof(shape) - 1;
}

/* "infiniband mlx5_0: ", "mlx5_core 0000:03:00.0 eth0: ", "mlx5_0: " */
static size_t device(const char *at, const char *end)
{
	if (!begins(at, end, "infiniband ") && !begins(at, end, "mlx5_"))
		return 0;
	return find(at, end, ": ");
}

size_t dump_log_prefix(const char *line, size_t length)
{
	const char *at = line, *end = line + length, *begin;
	size_t kernel = find(at, end < at + 120 ? end : at + 120, "kernel:");

	at += kernel;
	at += blanks(at, end);
	do {
		begin = at;
		if (at < end && *at == '<' && digits(at + 1, end) &&
		    begins(at + 1 + digits(at + 1, end), end, ">"))
			at += 2 + digits(at + 1, end);
		at += clock_time(at, end);
		at += bracket(at, end);
		at += device(at, end);
		at += blanks(at, end);
	} while (at != begin);
	return (size_t)(at - line);
}

static bool fail(struct dump *d, const char *why)
{
	d->why = why;
	return false;
}

static size_t number(const char *at, size_t n, int base)
{
	size_t v = 0;

	for (size_t i = 0; i < n; i++) {
		if (digit(at[i]) >= base)
			return NO_OFFSET;
		v = v * (size_t)base + (size_t)digit(at[i]);
	}
	return v;
}

/* "0040:" or "0x40:"; how long it is, 0: there is none. */
static size_t colon_offset(const struct dump *d, size_t *offset)
{
	size_t skip = begins(d->at, d->end, "0x") ? 2 : 0, n = digits(d->at + skip, d->end);

	if (!n || n > 8 || d->at + skip + n >= d->end || d->at[skip + n] != ':')
		return 0;
	*offset = number(d->at + skip, n, 16);
	return skip + n + 1;
}

static void repeat_to(struct dump *d, size_t offset)
{
	for (; d->repeat && d->row_bytes && d->used < offset; d->used++)
		d->bytes[d->used] = d->bytes[d->row + (d->used - d->row) % d->row_bytes];
	if (d->used > d->most)
		d->most = d->used;
	d->repeat = false;
}

/* Whether @offset may begin this line: it continues, or ends the lines that "*" repeats. */
static bool continues(const struct dump *d, size_t offset)
{
	return offset == d->used ||
	       (d->repeat && offset != NO_OFFSET && offset > d->used && offset <= d->size);
}

/* The offset at the beginning of a line, in hex or as od prints it, if it continues. After "*"
 * both may: then it is od's if those before were, or if it is od's length and the words are
 * bytes. */
static size_t bare_number(struct dump *d, size_t n)
{
	size_t hex = number(d->at, n, 16), octal = number(d->at, n, 8);
	bool both = continues(d, hex) && continues(d, octal);

	if (!d->most && memchr(d->at, '|', (size_t)(d->end - d->at)))
		return hex;
	if (both && hex != octal)
		return d->octal || (n == 7 && d->word == 2) ? octal : hex;
	d->octal |= !continues(d, hex) && continues(d, octal);
	return continues(d, hex) ? hex : d->octal && continues(d, octal) ? octal : NO_OFFSET;
}

/* An offset without a colon at the beginning of a line; its length or 0. */
static size_t bare_offset(struct dump *d, size_t *offset)
{
	size_t n = digits(d->at, d->end);
	const char *next = d->at + n + blanks(d->at + n, d->end);
	size_t word = digits(next, d->end);

	if (n < 6 || n > 8 || !d->several || word == n || (!d->bare && (d->most || !word)))
		return 0;
	if (d->at + n < d->end && next == d->at + n)
		return 0;
	*offset = bare_number(d, n);
	d->bare |= *offset != NO_OFFSET;
	return *offset == NO_OFFSET ? 0 : n;
}

static bool go_to(struct dump *d, size_t offset)
{
	if (offset > d->size)
		return fail(d, "this offset is beyond the longest input");
	repeat_to(d, offset);
	d->used = offset;
	return true;
}

/* One word of digits; @swap: of 16 or 32 bits, the low byte first. */
static bool take_word(struct dump *d, size_t n, bool swap)
{
	size_t bytes = n / 2;

	if (n % 2) {
		d->at += n;
		return fail(d, "half a byte: each byte is two hex digits");
	}
	if (bytes > d->size - d->used)
		return fail(d, "too many bytes");
	for (size_t i = 0; i < bytes; i++) {
		size_t from = swap ? bytes - 1 - i : i;

		d->bytes[d->used + i] = (uint8_t)number(d->at + 2 * from, 2, 16);
	}
	d->at += n;
	d->used += bytes;
	if (d->used > d->most)
		d->most = d->used;
	return true;
}

/* After two blanks: do only words as long as @n follow? A column of characters ends the row. */
static bool same_words(const struct dump *d, const char *at, size_t n)
{
	while (at < d->end && *at != '|' && *at != '#') {
		size_t word = digits(at, d->end);

		if (!word || word > n || (at + word < d->end && !blanks(at + word, d->end)))
			return false;
		at += word + blanks(at + word, d->end);
	}
	return true;
}

/* After two blanks: is there an offset, and nothing but digits and offsets after it? Characters
 * may begin with digits and a colon, too. */
static bool offset_follows(const char *at, const char *end)
{
	size_t n = digits(at, end);

	if (!n || at + n == end || at[n] != ':')
		return false;
	while (at < end && (digit(*at) < 16 || strchr(":xX", *at) || blanks(at, end)))
		at++;
	return at == end || (*at == '#' && blanks(at - 1, end));
}

/* Whether the bytes of this line end here: a column of characters, a comment, the end. */
static bool row_ends(const struct dump *d, bool colon, size_t words, size_t n)
{
	const char *at = d->at + blanks(d->at, d->end);
	size_t gap = (size_t)(at - d->at);

	if (at == d->end || strchr("|#>", *at))
		return true;
	if (!colon || !words || gap < 2)
		return false;
	if (offset_follows(at, d->end))
		return false;
	return gap > 2 || d->used - d->row >= 16 || !same_words(d, at, n);
}

static bool take_row(struct dump *d, bool colon, bool host)
{
	size_t words = 0, n = 0, skip, offset;

	d->row = d->used;
	while (!row_ends(d, colon, words, n)) {
		d->at += blanks(d->at, d->end);
		skip = colon_offset(d, &offset);
		if (skip) {
			if (!go_to(d, offset))
				return false;
			d->at += skip;
			d->row = d->used;
			colon = true;
			words = 0;
			continue;
		}
		if (begins(d->at, d->end, "0x"))
			d->at += 2;
		n = digits(d->at, d->end);
		if (!n || (d->at + n < d->end && !strchr("|#", d->at[n]) &&
			   !blanks(d->at + n, d->end))) {
			d->at += n;
			return fail(d, "this is no hex digit");
		}
		if (!take_word(d, n, host && (n == 4 || n == 8)))
			return false;
		words++;
	}
	d->row_bytes = d->used - d->row;
	d->word = n ? n : d->word;
	return true;
}

static bool take_line(struct dump *d)
{
	size_t offset, skip;
	bool colon = false, host = false;

	d->at += dump_log_prefix(d->at, (size_t)(d->end - d->at));
	if (d->at < d->end && *d->at == '*' &&
	    d->at + 1 + blanks(d->at + 1, d->end) == d->end) {
		d->repeat = d->row_bytes != 0;
		return true;
	}
	skip = colon_offset(d, &offset);
	colon = skip != 0;
	if (!skip) {
		skip = bare_offset(d, &offset);
		host = skip != 0;
	}
	if (skip && !go_to(d, offset))
		return false;
	d->at += skip;
	return take_row(d, colon || skip, host);
}

static void locate(const struct dump *d, struct dump_error *e)
{
	if (!e)
		return;
	e->line = d->line;
	e->character = (unsigned int)(d->at - d->begin) + 1;
	e->why = d->why;
}

bool dump_parse(const char *text, size_t length, uint8_t *bytes, size_t size, size_t *n,
		struct dump_error *e)
{
	struct dump d = { .stop = text + length, .bytes = bytes, .size = size };
	const char *feed = memchr(text, '\n', length);

	memset(bytes, 0, size);
	d.several = memchr(text, '|', length) ||
		    (feed && feed + 1 + blanks(feed + 1, d.stop) < d.stop);
	for (d.begin = text; d.begin < d.stop; d.begin = d.end + 1) {
		d.end = memchr(d.begin, '\n', (size_t)(d.stop - d.begin));
		d.end = d.end ? d.end : d.stop;
		d.at = d.begin;
		d.line++;
		if (!take_line(&d)) {
			locate(&d, e);
			return false;
		}
	}
	*n = d.most;
	d.at = d.begin = d.stop;
	d.why = "there are no bytes";
	locate(&d, e);
	return d.most != 0;
}
