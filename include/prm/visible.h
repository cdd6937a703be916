/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text from an untrusted source, for a terminal: a peer's message, the names in a dump.
 *
 *	"a\033[2Jb"  ->  "a\x1b[2Jb"
 *
 * Bytes that a terminal could interpret as a command, or as the end of the line, become \xNN:
 * control characters of ASCII and of Unicode, those that change the direction of writing, and
 * bytes that are not UTF-8. Other characters are kept.
 */
#ifndef PRM_VISIBLE_H
#define PRM_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the character at @p if it is well-formed UTF-8 (RFC 3629), its number in *@c; else
 * 0. */
static inline size_t prm_utf8(const unsigned char *p, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *p < 0x80 ? 1 : *p >> 5 == 6 ? 2 : *p >> 4 == 14 ? 3 : *p >> 3 == 30 ? 4 : 0;

	if (!n)
		return 0;
	*c = n == 1 ? *p : *p & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	return *c < least[n] || *c > 0x10ffff || *c >> 11 == 0xd800 >> 11 ? 0 : n;
}

static inline bool prm_is_visible(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return false;
	/* separators of lines, marks and overrides of direction (UAX #9) */
	return c != 0x061c && c != 0x200e && c != 0x200f && (c < 0x2028 || c > 0x202e) &&
	       (c < 0x2066 || c > 0x2069);
}

/* Writes @text to @to, cut off where @size bytes end, but not within a character. @to. */
static inline char *prm_visible(char *to, size_t size, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	static const char digit[] = "0123456789abcdef";
	size_t at = 0;
	uint32_t c;

	while (size && *p) {
		size_t n = prm_utf8(p, &c);
		bool keep = n && prm_is_visible(c);

		if (!keep)
			n = 1;
		if (at + (keep ? n : 4) >= size)
			break;
		if (keep) {
			memcpy(to + at, p, n);
			at += n;
		} else {
			to[at++] = '\\';
			to[at++] = 'x';
			to[at++] = digit[*p >> 4];
			to[at++] = digit[*p & 15];
		}
		p += n;
	}
	if (size)
		to[at] = 0;
	return to;
}

#ifdef __cplusplus
}
#endif
#endif
