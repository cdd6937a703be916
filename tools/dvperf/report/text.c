/* SPDX-License-Identifier: BSD-2-Clause */
/* Text from files, escaped for HTML and for gnuplot. */
#include <math.h>
#include <string.h>

#include "text.h"

/* Bytes of the character at @s, 0 if it is not one: The Unicode Standard, table 3-7, without the
 * noncharacters that XML 1.0 section 2.2 leaves out. */
static size_t character(const unsigned char *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (s[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90))
		return 0; /* longer than need be */
	if ((s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf4 && s[1] >= 0x90))
		return 0; /* a surrogate, or above U+10FFFF */
	if (s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe)
		return 0;
	return n;
}

static const char *html(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void text_put(FILE *out, enum text_as as, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t n = character(s);
		const char *instead = as == TEXT_HTML ? html((char)*s)
				      : *s == '\''    ? "''"
						      : NULL;

		/* gnuplot takes '' for one quote, but not at the beginning */
		if (as == TEXT_GNUPLOT && *s == '\'')
			instead = "\xe2\x80\x99";
		if (!n)
			instead = "\xef\xbf\xbd";
		else if (*s < 0x20 || *s == 0x7f)
			instead = " ";
		if (instead)
			fputs(instead, out);
		else
			fwrite(s, 1, n, out);
		s += n ? n : 1;
	}
}

const char *text_number(double value, char *buf, size_t size)
{
	double a = fabs(value);

	if (isnan(value))
		snprintf(buf, size, "-");
	else if (a >= 1e9)
		snprintf(buf, size, "%.3g", value);
	else if (a >= 100 || value == floor(value))
		snprintf(buf, size, "%.0f", value);
	else if (a >= 10)
		snprintf(buf, size, "%.1f", value);
	else if (a >= 1)
		snprintf(buf, size, "%.2f", value);
	else if (a >= 0.1)
		snprintf(buf, size, "%.3f", value);
	else
		snprintf(buf, size, "%.3g", value);
	return buf;
}
