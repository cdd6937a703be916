/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a filter; see filter.h. */
#include "filter.h"

#include <err.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <prm/prm.h>

#define OUTER(f) PRM_OFF(fte_match_set_lyr_2_4, f), PRM_W(fte_match_set_lyr_2_4, f)
#define MISC_3(f)                                                                      \
	PRM_OFF(fte_match_param, misc_parameters_3) + PRM_OFF(fte_match_set_misc3, f), \
		PRM_W(fte_match_set_misc3, f)
/* A dword of the addresses, counted from the most significant one. */
#define WORD(f, i) PRM_OFF(fte_match_set_lyr_2_4, f) + 32 * (i), 32

#define WHOLE  "ip[6:2] & 0x3fff = 0"
#define TCP_4  "ip and ip[9] = 6 and " WHOLE
#define TCP_6  "ip6 and ip6[6] = 6"
#define UDP_4  "ip and ip[9] = 17 and " WHOLE
#define UDP_6  "ip6 and ip6[6] = 17"
#define ICMP_4 "ip and ip[9] = 1 and " WHOLE
#define ICMP_6 "ip6 and ip6[6] = 58"
#define TAGGED "(ether[12:2] = 0x8100 or ether[12:2] = 0x88a8)"
#define TWICE  "(ether[16:2] = 0x8100 or ether[16:2] = 0x88a8)"

#define IP(bits, in4, in6)                        \
	{                                         \
		bits, "ip", in4, "ip6", in6, NULL \
	}
#define FRAME(bits, text)                          \
	{                                          \
		bits, NULL, NULL, NULL, NULL, text \
	}

const struct field fields[] = {
	FRAME(OUTER(dmac_47_16), "ether[0:4]"),
	FRAME(OUTER(dmac_15_0), "ether[4:2]"),
	FRAME(OUTER(smac_47_16), "ether[6:4]"),
	FRAME(OUTER(smac_15_0), "ether[10:2]"),
	/* a field of a tag is one of "IPv4 or IPv6" that is not: the tag is the condition */
	{ OUTER(first_prio), TAGGED, "ether[14] >> 5", NULL, NULL, NULL },
	{ OUTER(first_cfi), TAGGED, "(ether[14] >> 4) & 1", NULL, NULL, NULL },
	{ OUTER(first_vid), TAGGED, "ether[14:2] & 0xfff", NULL, NULL, NULL },
	{ OUTER(ip_version), "ip", "4", "ip6", "6", NULL },
	IP(OUTER(ip_protocol), "ip[9]", "ip6[6]"),
	IP(OUTER(ip_dscp), "ip[1] >> 2", "(ip6[0:2] >> 6) & 0x3f"),
	IP(OUTER(ip_ecn), "ip[1] & 3", "(ip6[1] >> 4) & 3"),
	IP(OUTER(ttl_hoplimit), "ip[8]", "ip6[7]"),
	{ OUTER(frag), "ip and ip[6:2] & 0x3fff != 0", "1", NULL, NULL, NULL },
	IP(WORD(src_ipv4_src_ipv6, 3), "ip[12:4]", "ip6[20:4]"),
	IP(WORD(dst_ipv4_dst_ipv6, 3), "ip[16:4]", "ip6[36:4]"),
	{ WORD(src_ipv4_src_ipv6, 0), NULL, NULL, "ip6", "ip6[8:4]", NULL },
	{ WORD(dst_ipv4_dst_ipv6, 0), NULL, NULL, "ip6", "ip6[24:4]", NULL },
	{ WORD(dst_ipv4_dst_ipv6, 2), NULL, NULL, "ip6", "ip6[32:4]", NULL },
	{ OUTER(tcp_sport), TCP_4, "tcp[0:2]", TCP_6, "ip6[40:2]", NULL },
	{ OUTER(tcp_dport), TCP_4, "tcp[2:2]", TCP_6, "ip6[42:2]", NULL },
	{ OUTER(tcp_flags), TCP_4, "tcp[12:2] & 0x1ff", TCP_6, "ip6[52:2] & 0x1ff", NULL },
	{ OUTER(udp_sport), UDP_4, "udp[0:2]", UDP_6, "ip6[40:2]", NULL },
	{ OUTER(udp_dport), UDP_4, "udp[2:2]", UDP_6, "ip6[42:2]", NULL },
	{ MISC_3(icmp_type), ICMP_4, "icmp[0]", NULL, NULL, NULL },
	{ MISC_3(icmp_code), ICMP_4, "icmp[1]", NULL, NULL, NULL },
	{ MISC_3(icmpv6_type), NULL, NULL, ICMP_6, "ip6[40]", NULL },
	{ MISC_3(outer_tcp_seq_num), TCP_4, "tcp[4:4]", TCP_6, "ip6[44:4]", NULL },
};
const size_t field_count = sizeof(fields) / sizeof(fields[0]);

struct text {
	char *at;
	size_t left;
};

static __attribute__((format(printf, 2, 3))) void add(struct text *t, const char *form, ...)
{
	va_list args;
	int n;

	va_start(args, form);
	n = vsnprintf(t->at, t->left, form, args);
	va_end(args);
	if (n < 0 || (size_t)n >= t->left)
		errx(2, "a filter is too long");
	t->at += n;
	t->left -= n;
}

/* The packet has it, and it is @relation to @v. */
static void add_one(struct text *t, const char *cond, const char *in, uint32_t mask,
		    const char *relation, uint32_t v)
{
	if (cond)
		add(t, "(%s and ((%s) & 0x%x) %s 0x%x)", cond, in, mask, relation, v);
	else
		add(t, "1 = 0");
}

static void add_field(struct text *t, const struct field *f, uint32_t mask, uint32_t v)
{
	if (f->frame) {
		add(t, "((%s) & 0x%x) = 0x%x", f->frame, mask, v);
		return;
	}
	/* a rule for 0: not (there, and something else) */
	add(t, "%s(", v ? "" : "not ");
	if (f->if4)
		add_one(t, f->if4, f->in4, mask, v ? "=" : "!=", v);
	if (f->if4 && f->if6)
		add(t, " or ");
	if (f->if6)
		add_one(t, f->if6, f->in6, mask, v ? "=" : "!=", v);
	add(t, ")");
}

static void add_all(struct text *t, const uint8_t *mask, const uint8_t *value)
{
	for (size_t i = 0; i < field_count; i++) {
		uint32_t m = prm_load(mask, fields[i].bit, fields[i].width);

		if (!m)
			continue;
		add(t, " and ");
		add_field(t, &fields[i], m, prm_load(value, fields[i].bit, fields[i].width));
	}
}

/* Once for each number of tags: "vlan" moves what "ip" and similar words mean, in all that
 * follows. */
void filter_text(char *text, size_t size, const uint8_t *mask, const uint8_t *value)
{
	struct text t = { text, size };

	add(&t, "(not " TAGGED);
	add_all(&t, mask, value);
	add(&t, ") or (" TAGGED " and not " TWICE " and vlan");
	add_all(&t, mask, value);
	add(&t, ") or (" TAGGED " and " TWICE " and vlan");
	add_all(&t, mask, value);
	add(&t, ")");
}
