/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of the link, from text:
 *
 *	"drop=5%:7;delay=0.1:tx:read_response:2ms"
 *	 kind=probability[:seed|tx|rx|operation|time|queue]…
 *
 * The words after the probability are in any order. Several operations add up.
 */
#include <ctype.h>
#include <stdlib.h>

#include "options/options.h"

#define TEXT_MAX  512
#define DELAY_MAX 10000000 /* us; longer than any transport timer that tests use */

static const char *const kinds[] = {
#define OPTION_FAULT(KIND, name, help) name,
#include "options/option.def"
};

/* InfiniBand specification, volume 1, chapter 9, table "OpCode field"; 0x1e and 0x1f are the
 * masked atomics of the emulator. */
static const struct {
	const char *name;
	uint32_t operations;
} words[] = {
	{ "send", 0x00c0003f },	  { "write", 0x00000fc0 },
	{ "read", 1u << 0x0c },	  { "read_response", 0xfu << 13 },
	{ "ack", 1u << 0x11 },	  { "atomic_response", 1u << 0x12 },
	{ "atomic", 0xc0180000 }, { "cnp", 1u << OPTIONS_CNP },
};

/* "0.05" or "5%" */
static bool take_chance(struct options_fault *f, const char *text)
{
	char *end;
	double p = isdigit((unsigned char)*text) ? strtod(text, &end) : -1;

	if (p < 0)
		return false;
	if (*end == '%') {
		p /= 100;
		end++;
	}
	if (*end || !(p <= 1))
		return false;
	f->chance = (uint64_t)(p * (1ull << 32));
	return true;
}

/* A number with the unit us, ms or s is the time of a delay; without a unit it is the seed. */
static bool take_number(struct options_fault *f, const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 0);
	unsigned int scale = !strcmp(end, "us") ? 1 : !strcmp(end, "ms") ? 1000 : 1000000;

	if (!*end) {
		f->seed = n;
		return true;
	}
	if ((scale == 1000000 && strcmp(end, "s")) || f->kind != OPTIONS_DELAY ||
	    n > DELAY_MAX / scale)
		return false;
	f->delay_us = n * scale;
	return true;
}

static bool take_word(struct options_fault *f, const char *text)
{
	if (isdigit((unsigned char)*text))
		return take_number(f, text);
	if (!strcmp(text, "tx") || !strcmp(text, "rx")) {
		f->tx |= *text == 't';
		f->rx |= *text == 'r';
		return true;
	}
	if (!strcmp(text, "queue") && f->kind == OPTIONS_ECN) {
		f->queue = true;
		return true;
	}
	if (!strcmp(text, "ethernet")) {
		f->ethernet = true;
		return true;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i].name))
			continue;
		f->operations |= words[i].operations;
		return true;
	}
	return false;
}

static bool take_kind(struct options_fault *f, const char *text)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(text, kinds[i]))
			continue;
		f->kind = i;
		return true;
	}
	return false;
}

/* Frames that are sent, if no word gives the direction: so a frame between two processes with
 * the same faults has them once. All operations, if no word names one. */
static bool take_fault(struct options_fault *f, char *item)
{
	char *rest = strchr(item, '='), *word;

	*f = (struct options_fault){ .delay_us = OPTIONS_DELAY_US };
	if (!rest)
		return false;
	*rest++ = 0;
	word = strsep(&rest, ":");
	if (!take_kind(f, item) || !take_chance(f, word))
		return false;
	while ((word = strsep(&rest, ":")))
		if (!take_word(f, word))
			return false;
	if (!f->tx && !f->rx)
		f->tx = true;
	if (f->queue && f->rx)
		return false;
	if (!f->operations && !f->ethernet) {
		f->operations = UINT32_MAX;
		f->ethernet = true;
	}
	return true;
}

int options_faults(const char *text, struct options_fault faults[OPTIONS_FAULTS])
{
	char copy[TEXT_MAX], *rest = copy, *item;
	int n = 0;

	if (strlen(text) >= sizeof(copy))
		return -1;
	strcpy(copy, text);
	while (*text && (item = strsep(&rest, ";"))) {
		if (n == OPTIONS_FAULTS || !take_fault(&faults[n], item))
			return -1;
		n++;
	}
	return n;
}
