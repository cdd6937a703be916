/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DVKIT_EMU: text to options and back, by the rows of option.def.
 *
 *	"device=cx5,ip=10.0.0.7,pcap=/tmp/a%2cb.pcap"
 *	 '--key--' '- value, %xx decoded -'
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "options/options.h"

#define VALUE_MAX OPTIONS_WIRE_TEXT /* of a value: that of wire, or a path */

/* ---- text to a member of @size bytes; false: the value is a bad one ---- */

static bool take_text(void *to, size_t size, const char *text)
{
	size_t len = strlen(text);

	if (!len || len >= size)
		return false;
	memcpy(to, text, len + 1);
	return true;
}

static bool take_path(void *to, size_t size, const char *text)
{
	return *text == '/' && take_text(to, size, text);
}

static bool take_mtu(void *to, size_t size, const char *text)
{
	static const char *const known[] = { "256", "512", "1024", "2048", "4096" };

	(void)size;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(text, known[i])) {
			*(uint32_t *)to = 256u << i;
			return true;
		}
	}
	return false;
}

/* A unicast host address: neither 0/8, nor multicast, nor above. */
static bool take_ip(void *to, size_t size, const char *text)
{
	uint32_t *ipv4 = to;
	struct in_addr a;

	(void)size;
	if (inet_pton(AF_INET, text, &a) != 1)
		return false;
	*ipv4 = ntohl(a.s_addr);
	return *ipv4 >> 24 != 0 && *ipv4 >> 24 < 224;
}

static bool take_fabric(void *to, size_t size, const char *text)
{
	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return false;
	return take_text(to, size, text);
}

/* A name of an interface (kernel, net/core/dev.c: dev_valid_name); a comma separates two in an
 * option. */
static bool take_tap(void *to, size_t size, const char *text)
{
	for (const char *c = text; *c; c++)
		if (*c <= ' ' || strchr("/:%,", *c))
			return false;
	return strcmp(text, ".") && strcmp(text, "..") && take_text(to, size, text);
}

bool options_tap(const char *text)
{
	char name[sizeof(((struct options *)0)->tap)];

	return take_tap(name, sizeof(name), text);
}

bool options_netdev(const char *text, char separator, char names[2][16])
{
	size_t len = strcspn(text, (const char[]){ separator, 0 }), size = sizeof(names[0]);
	char first[17]; /* a longer one is cut, and still too long */

	memset(names, 0, 2 * size);
	snprintf(first, sizeof(first), "%.*s", (int)len, text);
	if (!take_tap(names[0], size, first))
		return false;
	return !text[len] ||
	       (take_tap(names[1], size, text + len + 1) && strcmp(names[0], names[1]));
}

static bool take_netdev(void *to, size_t size, const char *text)
{
	(void)size;
	return options_netdev(text, ':', to);
}

static bool take_trace(void *to, size_t size, const char *text)
{
	char *end;
	unsigned long mask = strtoul(text, &end, 0);

	(void)size;
	*(uint32_t *)to = mask;
	return isdigit((unsigned char)*text) && !*end && mask <= 0xffff;
}

static bool take_kernel(void *to, size_t size, const char *text)
{
	(void)size;
	return kernel_find(text, to);
}

static bool take_as(void *to, size_t size, const char *text)
{
	(void)size;
	*(uint8_t *)to = *text == 'h' ? OPTIONS_AS_HOST : OPTIONS_AS_DPU;
	return !strcmp(text, "host") || !strcmp(text, "dpu");
}

static bool take_wire(void *to, size_t size, const char *text)
{
	(void)size;
	return options_wire(text, to);
}

static bool take_faults(void *to, size_t size, const char *text)
{
	struct options_fault faults[OPTIONS_FAULTS];

	return options_faults(text, faults) > 0 && take_text(to, size, text);
}

/* ---- a member to text of VALUE_MAX bytes; empty: the key is left out ---- */

static void put_text(char *to, const void *from)
{
	snprintf(to, VALUE_MAX, "%s", (const char *)from);
}

static void put_number(char *to, const void *from)
{
	snprintf(to, VALUE_MAX, "%u", *(const uint32_t *)from);
}

static void put_ip(char *to, const void *from)
{
	struct in_addr a = { htonl(*(const uint32_t *)from) };

	inet_ntop(AF_INET, &a, to, VALUE_MAX);
}

static void put_netdev(char *to, const void *from)
{
	const char(*names)[16] = from;

	snprintf(to, VALUE_MAX, "%s%s%s", names[0], *names[1] ? ":" : "", names[1]);
}

static void put_trace(char *to, const void *from)
{
	const uint32_t *mask = from;

	if (*mask)
		snprintf(to, VALUE_MAX, "0x%x", *mask);
}

static void put_kernel(char *to, const void *from)
{
	const uint16_t *release = from;

	if (*release != KERNEL_DEFAULT)
		snprintf(to, VALUE_MAX, "%u.%u", *release >> 8, *release & 0xff);
}

static void put_as(char *to, const void *from)
{
	static const char *const words[] = { "", "host", "dpu" };

	strcpy(to, words[*(const uint8_t *)from]);
}

static void put_wire(char *to, const void *from)
{
	const struct options_wire *w = from;

	if (*w->netdev)
		options_wire_text(w, to);
}

/* ---- the keys ---- */

struct key {
	const char *name;
	size_t at, size; /* of the member */
	bool (*take)(void *to, size_t size, const char *text);
	void (*put)(char *to, const void *from);
	const char *initial;
	const char *on, *off; /* of a flag */
};

#define MEMBER(member) offsetof(struct options, member), sizeof(((struct options *)0)->member)

static const struct key keys[] = {
#define OPTION_KEY(member, type, key, first, reader, writer) \
	{ key, MEMBER(member), take_##reader, put_##writer, .initial = first },
#define OPTION_FLAG(member, key, set, unset, ...) \
	{ key, MEMBER(member), .on = set, .off = unset },
#include "options/option.def"
};

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

static const struct key *find(const char *name)
{
	for (const struct key *k = keys; k < keys + N_KEYS; k++)
		if (!strcmp(name, k->name))
			return k;
	return NULL;
}

static bool take(struct options *o, const struct key *k, const char *text)
{
	void *to = (char *)o + k->at;

	if (k->take)
		return k->take(to, k->size, text);
	*(bool *)to = !strcmp(text, k->on);
	return *(bool *)to || (k->off && !strcmp(text, k->off));
}

bool options_take(struct options *o, const char *key, const char *text)
{
	return take(o, find(key), text);
}

void options_default(struct options *o)
{
	memset(o, 0, sizeof(*o));
	for (const struct key *k = keys; k < keys + N_KEYS; k++)
		if (k->initial)
			take(o, k, k->initial);
}

/* %xx -> byte, in place. */
static bool decode(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '%') {
			if (!isxdigit((unsigned char)text[1]) ||
			    !isxdigit((unsigned char)text[2]))
				return false;
			char hex[3] = { text[1], text[2] };
			*to = strtoul(hex, NULL, 16);
			if (!*to++)
				return false;
			text += 2;
		} else {
			*to++ = *text;
		}
	}
	*to = 0;
	return true;
}

static bool take_one(struct options *o, char *item, uint32_t *seen, char *why, size_t len)
{
	char *eq = strchr(item, '=');
	const struct key *k;

	if (!eq) {
		snprintf(why, len, "'%s' is not key=value", item);
		return false;
	}
	*eq = 0;
	k = find(item);
	if (!k) {
		snprintf(why, len, "unknown key '%s'", item);
		return false;
	}
	if (*seen >> (k - keys) & 1) {
		snprintf(why, len, "'%s' is given twice", item);
		return false;
	}
	*seen |= 1u << (k - keys);
	if (decode(eq + 1) && take(o, k, eq + 1))
		return true;
	snprintf(why, len, "bad value for '%s': '%s'", item, eq + 1);
	return false;
}

bool options_parse(struct options *o, const char *text, char *why, size_t len)
{
	uint32_t seen = 0;
	bool ok = true;
	char *copy = strdup(text), *rest = copy, *item;

	_Static_assert(N_KEYS <= 32, "a bit of seen for each key");
	options_default(o);
	if (!copy) {
		snprintf(why, len, "out of memory");
		return false;
	}
	while (ok && *text && (item = strsep(&rest, ",")))
		ok = take_one(o, item, &seen, why, len);
	free(copy);
	return ok;
}

bool options_format(const struct options *o, char *text, size_t size)
{
	size_t at = 0;

	for (const struct key *k = keys; k < keys + N_KEYS; k++) {
		const void *from = (const char *)o + k->at;
		char value[VALUE_MAX] = "";

		if (k->put)
			k->put(value, from);
		else if (*(const bool *)from)
			strcpy(value, k->on);
		if (!*value)
			continue;
		at += snprintf(text + at, size - at, "%s%s=", at ? "," : "", k->name);
		for (const char *c = value; *c && at < size; c++)
			at += snprintf(text + at, size - at,
				       strchr(",%=", *c) ? "%%%02x" : "%c", *c);
		if (at >= size)
			return false;
	}
	return true;
}
