/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets from words, dumps and captures.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "packet.h"

enum { ETHERNET = 14 /* bytes of the header */, FILE_MAX_BYTES = 64 << 20 };

struct bytes {
	uint8_t *at;
	size_t size, len;
};

/* ---- hex digits ---- */

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* Appends the pairs of digits of @text, which may have colons between; false: something
 * else. */
static bool add_word(struct bytes *b, const char *text, size_t n)
{
	if (n > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
		text += 2;
		n -= 2;
	}
	for (size_t i = 0; i < n; i += 2) {
		i += i && text[i] == ':' && i + 1 < n;
		if (i + 1 >= n || !isxdigit((unsigned char)text[i]) ||
		    !isxdigit((unsigned char)text[i + 1]) || b->len == b->size)
			return false;
		b->at[b->len++] = (uint8_t)(digit(text[i]) << 4 | digit(text[i + 1]));
	}
	return true;
}

static bool add_words(struct bytes *b, int n, char **word)
{
	for (int i = 0; i < n; i++)
		for (const char *at = word[i]; *at;) {
			size_t len;

			at += strspn(at, " \t");
			len = strcspn(at, " \t");
			if (!add_word(b, at, len))
				return false;
			at += len;
		}
	return true;
}

/* ---- dumps ---- */

/* "0x0010:", "00000010:", and of hexdump "00000010  "; *after: what follows it. False: no offset. */
static bool offset_of(const char *line, const char **after, size_t *offset)
{
	const char *from = line + strspn(line, " \t");
	char *end;

	*offset = strtoul(from, &end, 16);
	if (end == from || (*end != ':' && (end - from != 8 || strncmp(end, "  ", 2) != 0)))
		return false;
	*after = end + (*end == ':');
	return true;
}

/* The bytes up to the characters, which two blanks or "|" separate. */
static void add_dumped(struct bytes *b, const char *at)
{
	bool columns = strchr(at, '|'); /* hexdump: two blanks are between bytes, too */

	for (at += strspn(at, " \t"); *at;) {
		size_t len = strcspn(at, " \t\r\n"), gap = strspn(at + len, " \t");

		if (!len || *at == '|' || !add_word(b, at, len))
			return;
		at += len + gap;
		if (gap > 1 && !columns)
			return;
	}
}

/* Packet @wanted of a dump, from 1. Lines without an offset before it, those of tcpdump, are
 * left out. */
static bool read_dump(char *text, unsigned long wanted, struct bytes *b)
{
	unsigned long n = 0;
	const char *at;
	size_t offset;
	char *save;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!offset_of(line, &at, &offset))
			continue;
		n += !offset;
		if (n == wanted && offset == b->len)
			add_dumped(b, at);
	}
	return b->len;
}

/* A file of nothing but digits. */
static bool read_plain(char *text, struct bytes *b)
{
	char *save;

	for (char *word = strtok_r(text, " \t\r\n", &save); word;
	     word = strtok_r(NULL, " \t\r\n", &save))
		if (!add_word(b, word, strlen(word)))
			return false;
	return b->len;
}

/* ---- captures ---- */

enum { PCAP_HEAD = 24, PCAP_RECORD = 16, PCAP_ETHERNET = 1 };

static uint32_t word_of(const uint8_t *at, bool swapped)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return swapped ? __builtin_bswap32(v) : v;
}

/* With times in microseconds, or in nanoseconds (pcap-savefile(5)). */
static bool is_pcap(const uint8_t *at, size_t len, bool *swapped)
{
	uint32_t magic = len < PCAP_HEAD ? 0 : word_of(at, false);

	*swapped = magic == 0xd4c3b2a1 || magic == 0x4d3cb2a1;
	return *swapped || magic == 0xa1b2c3d4 || magic == 0xa1b23c4d;
}

static int read_pcap(const struct dvfw *d, const uint8_t *at, size_t len, bool swapped,
		     unsigned long wanted, struct bytes *b)
{
	const uint8_t *end = at + len;
	uint32_t n;

	if ((word_of(at + 20, swapped) & 0xffff) != PCAP_ETHERNET)
		return dvfw_usage(d, "the capture is not of Ethernet");
	for (at += PCAP_HEAD; (size_t)(end - at) >= PCAP_RECORD; at += n) {
		n = word_of(at + 8, swapped);
		at += PCAP_RECORD;
		if (n > (size_t)(end - at))
			break;
		if (--wanted)
			continue;
		if (n != word_of(at - 4, swapped))
			return dvfw_usage(d, "the packet was cut off when it was captured");
		if (n > b->size)
			return dvfw_usage(d, "the packet has more than %zu bytes", b->size);
		memcpy(b->at, at, n);
		b->len = n;
		return DVFW_OK;
	}
	return dvfw_usage(d, "the capture has no such packet");
}

/* ---- files ---- */

static int read_content(const struct dvfw *d, char *text, size_t len, unsigned long wanted,
			struct bytes *b)
{
	bool swapped, pcap = is_pcap((uint8_t *)text, len, &swapped);
	char *again;
	bool found;

	if (pcap)
		return read_pcap(d, (uint8_t *)text, len, swapped, wanted, b);
	if (len >= 4 && !memcmp(text, "\n\r\r\n", 4))
		return dvfw_usage(d, "this is pcapng; tcpdump -r FILE -w - makes a pcap of it");
	if (strlen(text) != len)
		return dvfw_usage(d, "neither a capture nor a dump");
	again = strdup(text);
	found = again && (read_dump(again, wanted, b) ||
			  (wanted == 1 && (b->len = 0, read_plain(text, b))));
	free(again);
	return found ? DVFW_OK : dvfw_usage(d, "there is no packet %lu in it", wanted);
}

/* "FILE:3" becomes FILE and 3, unless there is such a file. */
static unsigned long cut_number(char *name)
{
	char *colon = strrchr(name, ':'), *end;
	unsigned long n;

	if (!colon || !access(name, F_OK))
		return 1;
	n = strtoul(colon + 1, &end, 10);
	if (*end || !n)
		return 1;
	*colon = 0;
	return n;
}

/* All of a file, with a NUL after it; NULL: an error was printed. */
static char *load(const struct dvfw *d, const char *name, size_t *len)
{
	bool standard = !strcmp(name, "-");
	FILE *f = standard ? stdin : fopen(name, "rb");
	char *text = f ? malloc(FILE_MAX_BYTES + 1) : NULL;

	if (!f) {
		dvfw_usage(d, "'%s' is neither hex digits nor a file: %s", name,
			   strerror(errno));
		return NULL;
	}
	*len = text ? fread(text, 1, FILE_MAX_BYTES, f) : 0;
	if (!text || ferror(f) || !feof(f)) {
		dvfw_usage(d, "%s: %s", name,
			   !text       ? "no memory"
			   : ferror(f) ? strerror(errno)
				       : "longer than 64 MiB");
		free(text);
		text = NULL;
	} else {
		text[*len] = 0;
	}
	if (!standard)
		fclose(f);
	return text;
}

static int read_file(const struct dvfw *d, const char *word, struct bytes *b)
{
	char name[4096];
	unsigned long wanted;
	char *text;
	size_t len;
	int status;

	if (snprintf(name, sizeof(name), "%s", word) >= (int)sizeof(name))
		return dvfw_usage(d, "the name is too long");
	wanted = cut_number(name);
	text = load(d, name, &len);
	if (!text)
		return DVFW_USAGE;
	status = read_content(d, text, len, wanted, b);
	free(text);
	return status;
}

int packet_read(const struct dvfw *d, int n, char **word, uint8_t *bytes, size_t size,
		size_t *len)
{
	struct bytes b = { bytes, size, 0 };
	int status = DVFW_OK;

	if (!n)
		return dvfw_usage(d, "which packet? hex digits, or FILE[:N]");
	if (!add_words(&b, n, word)) {
		if (b.len == size)
			return dvfw_usage(d, "the packet has more than %zu bytes", size);
		b.len = 0;
		status = n > 1 ? dvfw_usage(d, "the packet has an odd digit, or no digit")
			       : read_file(d, word[0], &b);
	}
	*len = b.len;
	if (!status && b.len < ETHERNET)
		return dvfw_usage(d, "the packet has %zu bytes; an Ethernet header has %d",
				  b.len, ETHERNET);
	return status;
}
