/* SPDX-License-Identifier: BSD-2-Clause */
/* Composes rules of the words of item.def and action.def, and damages a part of them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <flow/text.h>

#include "fuzz/chance.h"
#include "text.h"

enum kind { NUMBER, HEX, MAC, IPV4, IPV6, IP, BYTES, WORD, WORDS, NUMBERS };

struct row {
	int of; /* item or action */
	const char *word, *list;
	enum kind kind;
	unsigned int bits;
};

static const struct row fields[] = {
#define FLOW_ITEM(ITEM, word)
#define FLOW_FIELD(ITEM, FIELD, word, bit, bits, kind, ones, place, cap) \
	{ FLOW_ITEM_##ITEM, word, "", kind, bits },
#define FLOW_ALIAS(ITEM, FIELD, word, bit, bits, kind, place, cap) \
	{ FLOW_ITEM_##ITEM, word, "", kind, bits },
#include <flow/item.def>
};

static const struct row args[] = {
#define FLOW_ACTION(ACTION, word)
#define FLOW_ARG(ACTION, ARG, word, kind, bits, list) \
	{ FLOW_ACTION_##ACTION, word, #list, kind, bits },
#define FLOW_WORD(LIST, NAME, word, value)
#include <flow/action.def>
};

static const struct {
	const char *list, *word;
} words[] = {
#define FLOW_ACTION(ACTION, word)
#define FLOW_ARG(ACTION, ARG, word, kind, bits, list)
#define FLOW_WORD(LIST, NAME, word, value) { #LIST, word },
#include <flow/action.def>
};

static char text[1 << 16];

static void add(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, ap);
	va_end(ap);
}

static void add_word_of(const char *list)
{
	unsigned int n = 0, at;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		n += !strcmp(words[i].list, list);
	at = below(n);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].list, list) && !at--)
			add(" %s", words[i].word);
}

static void add_number(unsigned int bits)
{
	uint64_t v = odd_number();

	if (bits < 64 && !one_in(200))
		v &= (1ull << bits) - 1;
	add(one_in(2) ? " %llu" : one_in(2) ? " 0x%llx" : " 0%llo", (unsigned long long)v);
}

static void add_hex(void)
{
	unsigned int n = one_in(20) ? below(300) : below(20) * 2 + 2;

	add(one_in(2) ? " 0x" : " ");
	for (unsigned int i = 0; i < n; i++)
		add("%x", below(16));
}

static void add_value(const struct row *row)
{
	switch (row->kind) {
	case NUMBER:
	case HEX:
		add_number(row->bits);
		break;
	case MAC:
		add(" %x:%x:%x:%02x:%x:%x", below(256), below(256), below(256), below(256),
		    below(256), below(256));
		break;
	case IP:
		add(one_in(2) ? " ::ffff:%u.%u.%u.1" : " %u.%u.%u.1", below(256), below(256),
		    below(256));
		break;
	case IPV4:
		add(" %u.%u.%u.%u", below(256), below(256), below(256), below(2) * 255);
		break;
	case IPV6:
		add(one_in(2) ? " %x::%x" : " %x::ffff:%x:0:0", below(65536), below(65536));
		break;
	case BYTES:
		add_hex();
		break;
	case WORD:
		add_word_of(row->list);
		break;
	default:
		for (unsigned int n = below(4); n; n--)
			row->kind == WORDS ? add_word_of(row->list) : add_number(16);
		add(" end");
	}
}

static void add_field(const struct row *row)
{
	static const char *const parts[] = { "is", "spec", "last", "mask", "prefix" };
	const char *part = PICK(parts);

	add(" %s %s", row->word, part);
	if (!strcmp(part, "prefix"))
		add(" %u", below(row->bits + 1));
	else
		add_value(row);
}

static void add_item(void)
{
	unsigned int item = below(FLOW_ITEMS);

	add(" %s", dv_flow_item_name(item));
	for (unsigned int n = 4 * below(12); n; n--) {
		const struct row *row = &PICK(fields);

		if (row->of == (int)item)
			add_field(row);
	}
	for (size_t i = 0; i < FLOW_FIELDS; i++)
		if (fields[i].of == (int)item && one_in(4))
			add_field(&fields[i]);
	add(" /");
}

static void add_action(void)
{
	unsigned int action = below(FLOW_ACTIONS);

	add(" %s", dv_flow_action_name(action));
	for (size_t i = 0; i < FLOW_ARGS; i++)
		if (args[i].of == (int)action && !one_in(3)) {
			add(" %s", args[i].word);
			add_value(&args[i]);
		}
	add(" /");
}

static void compose(void)
{
	text[0] = 0;
	add("%s", one_in(4) ? "flow create 0 " : "");
	add("%s", one_in(2) ? "ingress" : one_in(2) ? "egress" : "transfer");
	if (one_in(3))
		add(" group %u priority %u", below(10), below(70000));
	add(" pattern");
	for (unsigned int n = below(one_in(50) ? 40 : 5); n; n--)
		add_item();
	add(" end actions");
	for (unsigned int n = below(one_in(50) ? 20 : 4); n; n--)
		add_action();
	add(" end");
}

/* The place of a random token. */
static char *token(void)
{
	char *at = text + below((uint32_t)strlen(text) + 1);

	while (at > text && at[-1] != ' ')
		at--;
	return at;
}

static void damage(void)
{
	char *at = token(), *end = strchr(at, ' ');
	uint32_t len = (uint32_t)strlen(text);

	if (!end)
		end = text + len;
	switch (below(5)) {
	case 0: /* a token less */
		memmove(at, end, strlen(end) + 1);
		break;
	case 1: /* the text ends early */
		text[below(len + 1)] = 0;
		break;
	case 2: /* another character */
		if (len)
			text[below(len)] = (char)(1 + below(255));
		break;
	case 3: /* a token twice */
		if (2 * len < sizeof(text) - 2)
			memmove(end, at, strlen(at) + 1);
		break;
	default: /* two characters for one another */
		if (len > 1) {
			char *p = &text[below(len)], *q = &text[below(len)], c = *p;

			*p = *q;
			*q = c;
		}
	}
}

char *text_make(void)
{
	char *copy;

	compose();
	for (unsigned int n = one_in(3) ? 1 + below(4) : 0; n; n--)
		damage();
	copy = malloc(strlen(text) + 1);
	return copy ? strcpy(copy, text) : NULL;
}
