/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DVKIT_EMU: text to options and back. One row per key; the row's function takes the decoded value.
 *
 *	"device=cx5,ip=10.0.0.7,pcap=/tmp/a%2cb.pcap"
 *	 '--key--' '- value, %xx decoded -'
 *
 * Which device names exist is known to fw; it is checked when the device boots.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "options/options.h"

struct key {
	const char *name;
	bool (*take)(struct options *o, const char *value);
};

bool options_mtu(const char *text, uint32_t *mtu)
{
	static const struct {
		const char *text;
		uint32_t mtu;
	} known[] = {
		{ "256", 256 },	  { "512", 512 },   { "1024", 1024 },
		{ "2048", 2048 }, { "4096", 4096 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(text, known[i].text)) {
			*mtu = known[i].mtu;
			return true;
		}
	}
	return false;
}

/* A unicast host address: neither 0/8, nor multicast, nor above. */
bool options_ip(const char *text, uint32_t *ipv4)
{
	struct in_addr a;

	if (inet_pton(AF_INET, text, &a) != 1)
		return false;
	*ipv4 = ntohl(a.s_addr);
	return *ipv4 >> 24 != 0 && *ipv4 >> 24 < 224;
}

bool options_fabric(const char *text)
{
	size_t len = strlen(text);

	if (!len || len >= sizeof(((struct options *)0)->fabric))
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("._-", *text))
			return false;
	return true;
}

/* A name of an interface (kernel, net/core/dev.c: dev_valid_name); a comma separates two in an option. */
bool options_tap(const char *text)
{
	size_t len = strlen(text);

	if (!len || len >= sizeof(((struct options *)0)->tap) || !strcmp(text, ".") ||
	    !strcmp(text, ".."))
		return false;
	for (; *text; text++)
		if (*text <= ' ' || strchr("/:%,", *text))
			return false;
	return true;
}

bool options_netdev(const char *text, char separator, char names[2][16])
{
	const char *second = strchr(text, separator);
	size_t len = second ? (size_t)(second - text) : strlen(text);

	if (len >= sizeof(names[0]))
		return false;
	memset(names, 0, 2 * sizeof(names[0]));
	memcpy(names[0], text, len);
	if (!options_tap(names[0]) || !second)
		return !second && options_tap(names[0]);
	if (!options_tap(second + 1) || !strcmp(names[0], second + 1))
		return false;
	memcpy(names[1], second + 1, strlen(second + 1));
	return true;
}

bool options_as(const char *text, uint8_t *as)
{
	if (strcmp(text, "host") && strcmp(text, "dpu"))
		return false;
	*as = *text == 'h' ? OPTIONS_AS_HOST : OPTIONS_AS_DPU;
	return true;
}

static bool take_text(char *dst, size_t size, const char *value)
{
	size_t len = strlen(value);

	if (!len || len >= size)
		return false;
	memcpy(dst, value, len + 1);
	return true;
}

static bool take_device(struct options *o, const char *value)
{
	return take_text(o->device, sizeof(o->device), value);
}

static bool take_image(struct options *o, const char *value)
{
	return *value == '/' && take_text(o->image, sizeof(o->image), value);
}

static bool take_mtu(struct options *o, const char *value)
{
	return options_mtu(value, &o->mtu);
}

static bool take_ip(struct options *o, const char *value)
{
	return options_ip(value, &o->ipv4);
}

static bool take_fabric(struct options *o, const char *value)
{
	return options_fabric(value) && take_text(o->fabric, sizeof(o->fabric), value);
}

static bool take_trace(struct options *o, const char *value)
{
	char *end;
	unsigned long mask = strtoul(value, &end, 0);

	if (!isdigit((unsigned char)*value) || *end || mask > 0xffff)
		return false;
	o->trace = mask;
	return true;
}

static bool take_trace_file(struct options *o, const char *value)
{
	return *value == '/' && take_text(o->trace_file, sizeof(o->trace_file), value);
}

static bool take_timeline(struct options *o, const char *value)
{
	return *value == '/' && take_text(o->timeline, sizeof(o->timeline), value);
}

static bool take_pcap(struct options *o, const char *value)
{
	return *value == '/' && take_text(o->pcap, sizeof(o->pcap), value);
}

static bool take_wire(struct options *o, const char *value)
{
	return options_wire(value, &o->wire);
}

static bool take_tap(struct options *o, const char *value)
{
	return options_tap(value) && take_text(o->tap, sizeof(o->tap), value);
}

static bool take_netdev(struct options *o, const char *value)
{
	return options_netdev(value, ':', o->netdev);
}

static bool take_inject(struct options *o, const char *value)
{
	return *value == '/' && take_text(o->inject, sizeof(o->inject), value);
}

static bool take_faults(struct options *o, const char *value)
{
	struct options_fault faults[OPTIONS_FAULTS];

	return options_faults(value, faults) > 0 &&
	       take_text(o->faults, sizeof(o->faults), value);
}

static bool take_check(struct options *o, const char *value)
{
	o->check = !strcmp(value, "1");
	return o->check || !strcmp(value, "0");
}

static bool take_stats(struct options *o, const char *value)
{
	o->stats = !strcmp(value, "1");
	return o->stats || !strcmp(value, "0");
}

static bool take_memlock(struct options *o, const char *value)
{
	o->no_memlock = !strcmp(value, "0");
	return o->no_memlock || !strcmp(value, "1");
}

static bool take_doorbells(struct options *o, const char *value)
{
	o->poll_doorbells = !strcmp(value, "poll");
	return o->poll_doorbells;
}

static bool take_kernel(struct options *o, const char *value)
{
	return kernel_find(value, &o->kernel);
}

static bool take_as(struct options *o, const char *value)
{
	return options_as(value, &o->as);
}

static const struct key keys[] = {
	{ "device", take_device },
	{ "image", take_image },
	{ "mtu", take_mtu },
	{ "ip", take_ip },
	{ "fabric", take_fabric },
	{ "trace", take_trace },
	{ "pcap", take_pcap },
	{ "trace_file", take_trace_file },
	{ "doorbells", take_doorbells },
	{ "check", take_check },
	{ "memlock", take_memlock },
	{ "kernel", take_kernel },
	{ "as", take_as },
	{ "tap", take_tap },
	{ "inject", take_inject },
	{ "netdev", take_netdev },
	{ "faults", take_faults },
	{ "timeline", take_timeline },
	{ "stats", take_stats },
	{ "wire", take_wire },
};

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

void options_default(struct options *o)
{
	memset(o, 0, sizeof(*o));
	strcpy(o->device, "cx5");
	o->mtu = 1024;
	o->ipv4 = 0xc0a80001;
	strcpy(o->fabric, "0");
	o->kernel = KERNEL_DEFAULT;
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

static bool take_one(struct options *o, char *item, unsigned int *seen, char *why, size_t len)
{
	char *eq = strchr(item, '=');

	if (!eq) {
		snprintf(why, len, "'%s' is not key=value", item);
		return false;
	}
	*eq = 0;
	for (size_t i = 0; i < N_KEYS; i++) {
		if (strcmp(item, keys[i].name))
			continue;
		if (*seen >> i & 1) {
			snprintf(why, len, "'%s' is given twice", item);
			return false;
		}
		*seen |= 1u << i;
		if (decode(eq + 1) && keys[i].take(o, eq + 1))
			return true;
		snprintf(why, len, "bad value for '%s': '%s'", item, eq + 1);
		return false;
	}
	snprintf(why, len, "unknown key '%s'", item);
	return false;
}

bool options_parse(struct options *o, const char *text, char *why, size_t len)
{
	unsigned int seen = 0;
	bool ok = true;
	char *copy = strdup(text), *rest = copy, *item;

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

struct text {
	char *to;
	size_t at, size;
	bool full;
};

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(t->to + t->at, t->size - t->at, fmt, args);
	va_end(args);
	if (n < 0 || t->at + n >= t->size)
		t->full = true;
	else
		t->at += n;
}

static void put_value(struct text *t, const char *key, const char *value)
{
	if (!*value)
		return;
	put(t, ",%s=", key);
	for (; *value && !t->full; value++)
		put(t, strchr(",%=", *value) ? "%%%02x" : "%c", *value);
}

bool options_format(const struct options *o, char *text, size_t size)
{
	struct text t = { .to = text, .size = size };

	put(&t, "mtu=%u,ip=%u.%u.%u.%u", o->mtu, o->ipv4 >> 24, o->ipv4 >> 16 & 255,
	    o->ipv4 >> 8 & 255, o->ipv4 & 255);
	put_value(&t, "device", o->device);
	put_value(&t, "image", o->image);
	put_value(&t, "fabric", o->fabric);
	if (o->trace)
		put(&t, ",trace=0x%x", o->trace);
	put_value(&t, "trace_file", o->trace_file);
	if (o->kernel != KERNEL_DEFAULT)
		put(&t, ",kernel=%u.%u", o->kernel >> 8, o->kernel & 0xff);
	if (o->as)
		put_value(&t, "as", o->as == OPTIONS_AS_DPU ? "dpu" : "host");
	put_value(&t, "timeline", o->timeline);
	put_value(&t, "pcap", o->pcap);
	put_value(&t, "tap", o->tap);
	if (*o->wire.netdev) {
		char wire[OPTIONS_WIRE_TEXT];

		t.full |= !options_wire_text(&o->wire, wire);
		put_value(&t, "wire", wire);
	}
	if (*o->netdev[0])
		put(&t, ",netdev=%s%s%s", o->netdev[0], *o->netdev[1] ? ":" : "", o->netdev[1]);
	put_value(&t, "inject", o->inject);
	put_value(&t, "faults", o->faults);
	if (o->check)
		put(&t, ",check=1");
	if (o->stats)
		put(&t, ",stats=1");
	if (o->no_memlock)
		put(&t, ",memlock=0");
	if (o->poll_doorbells)
		put(&t, ",doorbells=poll");
	return !t.full;
}
