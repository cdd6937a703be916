/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where two fte_match_param differ under a mask: field by field, in the words of prm. A MAC
 * address is two fields of the layout, an IPv6 address a union; they are shown as one.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "flow/match.h"
#include "flow_differs.h"
#include "prm/prm.h"
#include "prm/table.h"

enum { MAC = 6, IP = 16, IPV4_AT = 12 };

struct look {
	const uint8_t *mask, *value, *packet;
	struct flow_difference *d;
};

static bool bytes_differ(const struct look *l, size_t at, size_t n)
{
	for (size_t i = at; i < at + n; i++)
		if ((l->value[i] ^ l->packet[i]) & l->mask[i])
			return true;
	return false;
}

static bool all_ones(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != 0xff)
			return false;
	return true;
}

/* ---- addresses ---- */

static void put_mac(char *to, size_t size, const uint8_t *p)
{
	snprintf(to, size, "%02x:%02x:%02x:%02x:%02x:%02x", p[0], p[1], p[2], p[3], p[4], p[5]);
}

static bool mac_differs(const struct look *l, const char *path, const char *name, size_t at)
{
	struct flow_difference *d = l->d;

	if (!bytes_differ(l, at, MAC))
		return false;
	snprintf(d->field, sizeof(d->field), "%s%s", path, name);
	put_mac(d->packet, sizeof(d->packet), l->packet + at);
	put_mac(d->value, sizeof(d->value), l->value + at);
	put_mac(d->mask, sizeof(d->mask), l->mask + at);
	d->whole = all_ones(l->mask + at, MAC);
	return true;
}

/* An IPv4 address is in the last four bytes, and the others are not in its mask. */
static bool ip_differs(const struct look *l, const char *path, const char *name, size_t at)
{
	static const uint8_t none[IPV4_AT];
	bool v4 = !memcmp(l->mask + at, none, IPV4_AT);
	struct flow_difference *d = l->d;

	if (!bytes_differ(l, at, IP))
		return false;
	at += v4 ? IPV4_AT : 0;
	snprintf(d->field, sizeof(d->field), "%s%s_ipv%u", path, name, v4 ? 4 : 6);
	inet_ntop(v4 ? AF_INET : AF_INET6, l->packet + at, d->packet, sizeof(d->packet));
	inet_ntop(v4 ? AF_INET : AF_INET6, l->value + at, d->value, sizeof(d->value));
	inet_ntop(v4 ? AF_INET : AF_INET6, l->mask + at, d->mask, sizeof(d->mask));
	d->whole = all_ones(l->mask + at, v4 ? IP - IPV4_AT : IP);
	return true;
}

/* ---- numbers ---- */

static bool number_differs(const struct look *l, const char *path, const struct prm_field *f,
			   size_t bit)
{
	uint64_t mask = prm_load(l->mask, bit, f->width);
	uint64_t value = prm_load(l->value, bit, f->width) & mask;
	uint64_t packet = prm_load(l->packet, bit, f->width);
	struct flow_difference *d = l->d;

	if ((packet & mask) == value)
		return false;
	snprintf(d->field, sizeof(d->field), "%s%s", path, f->name);
	snprintf(d->packet, sizeof(d->packet), "0x%llx", (unsigned long long)packet);
	snprintf(d->value, sizeof(d->value), "0x%llx", (unsigned long long)value);
	snprintf(d->mask, sizeof(d->mask), "0x%llx", (unsigned long long)mask);
	d->whole = mask == (f->width < 64 ? (1ull << f->width) - 1 : UINT64_MAX);
	return true;
}

static bool is_address(const char *name)
{
	return strstr(name, "mac_") || strstr(name, "_ipv4_");
}

static bool struct_differs(const struct look *l, const struct prm_struct *s, const char *path,
			   size_t bit, bool addresses)
{
	char below[96];

	for (const struct prm_field *f = s->fields; f->name; f++) {
		if ((s->is_union && f[1].name) || f->array ||
		    (addresses && is_address(f->name)))
			continue; /* of a union the last member, which is a whole number */
		if (!f->type) {
			if (number_differs(l, path, f, bit + f->bit))
				return true;
			continue;
		}
		snprintf(below, sizeof(below), "%s%s.", path, f->name);
		if (struct_differs(l, f->type, below, bit + f->bit, addresses))
			return true;
	}
	return false;
}

/* ---- in the order of what says most ---- */

static const char *const layers[] = { "outer_headers", "inner_headers" };

static bool kind_differs(const struct look *l)
{
	static const char *const kinds[] = { "ethertype",  "cvlan_tag",	  "svlan_tag",
					     "ip_version", "ip_protocol", "frag" };
	const struct prm_struct *s = prm_struct("fte_match_param");
	struct prm_pos pos;
	char path[96];

	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
			snprintf(path, sizeof(path), "%s.%s", layers[i], kinds[k]);
			if (!prm_find(s, path, &pos))
				continue;
			snprintf(path, sizeof(path), "%s.", layers[i]);
			if (number_differs(l, path, pos.field, pos.bit))
				return true;
		}
	}
	return false;
}

/* Offsets are those of fte_match_set_lyr_2_4. */
static bool address_differs(const struct look *l)
{
	struct prm_pos pos;
	char path[96];

	for (size_t i = 0; i < 2; i++) {
		size_t at;

		if (!prm_find(prm_struct("fte_match_param"), layers[i], &pos))
			continue;
		at = pos.bit / 8;
		snprintf(path, sizeof(path), "%s.", layers[i]);
		if (mac_differs(l, path, "dmac", at + 8) || mac_differs(l, path, "smac", at) ||
		    ip_differs(l, path, "src", at + 0x20) ||
		    ip_differs(l, path, "dst", at + 0x30))
			return true;
	}
	return false;
}

bool flow_differs(const uint8_t *mask, const uint8_t *value, const uint8_t *packet,
		  struct flow_difference *d)
{
	const struct look l = { mask, value, packet, d };

	memset(d, 0, sizeof(*d));
	return kind_differs(&l) || address_differs(&l) ||
	       struct_differs(&l, prm_struct("fte_match_param"), "", 0, true);
}
