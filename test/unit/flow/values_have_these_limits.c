/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values in the text of a rule and the lengths that a caller gives: the last one that is
 * accepted and the first one that is refused.
 */
#include <limits.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <criterion/criterion.h>
#include <flow/port.h>
#include <flow/text.h>

static struct dv_flow_rule rule;
static struct dv_flow_error error;

static int parse(const char *fmt, const char *value)
{
	char text[512];

	snprintf(text, sizeof(text), fmt, value);
	return dv_flow_parse(&rule, text, &error);
}

#define GROUP	  "group %s pattern end actions end"
#define UDP	  "pattern udp dst is %s / end actions end"
#define MAC	  "pattern eth dst is %s / end actions end"
#define IPV4	  "pattern ipv4 dst is %s / end actions end"
#define IPV6	  "pattern ipv6 dst is %s / end actions end"
#define V4_PREFIX "pattern ipv4 dst spec 1.2.3.4 dst prefix %s / end actions end"
#define V6_PREFIX "pattern ipv6 dst spec ::1 dst prefix %s / end actions end"
#define ENCAP	  "pattern end actions vxlan_encap ip-src %s / end"
#define DATA	  "pattern end actions raw_encap data %s / end"
#define X16	  "xxxxxxxxxxxxxxxx"
#define ZERO16	  "0000000000000000"
#define Z128	  ZERO16 ZERO16 ZERO16 ZERO16 ZERO16 ZERO16 ZERO16 ZERO16

/* Numbers are those of strtoull(3), addresses those of inet_pton(3). */
static const struct {
	const char *name, *fmt, *accepted, *refused;
} rows[] = {
	{ "32 bits", GROUP, "4294967295", "4294967296" },
	{ "32 bits, hexadecimal", GROUP, "0xffffffff", "0x100000000" },
	{ "32 bits, capitals", GROUP, "0XFFFFFFFF", "0X100000000" },
	{ "32 bits, octal", GROUP, "037777777777", "040000000000" },
	{ "64 bits are not cut to 32", GROUP, "1", "0x8000000000000001" },
	{ "65 bits", GROUP, "1", "0x10000000000000001" },
	{ "octal digits", GROUP, "07", "08" },
	{ "decimal digits", GROUP, "9", "a" },
	{ "hexadecimal digits", GROUP, "0xf", "0xg" },
	{ "no sign", GROUP, "7", "-7" },
	{ "no plus", GROUP, "7", "+7" },
	{ "63 digits", GROUP, ZERO16 ZERO16 ZERO16 "000000000000001",
	  ZERO16 ZERO16 ZERO16 ZERO16 },
	{ "16 bits", UDP, "65535", "65536" },
	{ "six groups", MAC, "1:2:3:4:5:6", "1:2:3:4:5:6:7" },
	{ "not five groups", MAC, "01:02:03:04:05:06", "01:02:03:04:05" },
	{ "two digits in a group", MAC, "ff:FF:0:0:0:0", "fff:0:0:0:0:0" },
	{ "four bytes", IPV4, "255.255.255.255", "255.255.255.256" },
	{ "not three bytes", IPV4, "1.2.3.4", "1.2.3" },
	{ "eight groups", IPV6, "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9" },
	{ "the longest address", IPV6, "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
	  "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.2555" },
	{ "200 characters, MAC", MAC, "0:0:0:0:0:0",
	  X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 },
	{ "200 characters, IPv4", IPV4, "0.0.0.0",
	  X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 },
	{ "200 characters, IPv6", IPV6, "::", X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 X16 },
	{ "either address, IPv4", ENCAP, "1.2.3.4", "1.2.3.4.5" },
	{ "either address, IPv6", ENCAP, "fd00::1", "fd00:::1" },
	{ "128 bytes", DATA, Z128 Z128, Z128 Z128 "00" },
	{ "whole bytes", DATA, "0xaF", "0xaf1" },
	{ "hexadecimal digits of bytes", DATA, "9f", "9g" },
	{ "hexadecimal digits of bytes, the first", DATA, "f9", "g9" },
	{ "no bytes", DATA, "0x00", "0x" },
	{ "prefix of IPv4", V4_PREFIX, "32", "33" },
	{ "prefix of IPv6", V6_PREFIX, "128", "129" },
};

Test(values_have_these_limits, in_text)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cr_expect_eq(parse(rows[i].fmt, rows[i].accepted), 0, "%s: %s", rows[i].name,
			     error.message);
		cr_expect_eq(parse(rows[i].fmt, rows[i].refused), EINVAL, "%s", rows[i].name);
	}
}

/* Each list full, and with one more. The back end refuses the group, after the limits. */
Test(values_have_these_limits, of_a_callers_rule)
{
	struct dv_flow_port *port;
	struct dv_flow *f;

	cr_assert_eq(dv_flow_open(&port, NULL, "verbs", NULL, &error), 0);
	for (int list = 0; list < 4; list++)
		for (unsigned int more = 0; more < 2; more++) {
			cr_assert_eq(parse("ingress pattern end actions %s / end", "drop"), 0);
			rule.items = list == 0 ? FLOW_MAX_ITEMS + more : 0;
			rule.actions = list == 1 ? FLOW_MAX_ACTIONS + more : 1;
			rule.action[0].queues = list == 2 ? FLOW_MAX_QUEUES + more : 0;
			rule.action[0].bytes_len = list == 3 ? FLOW_MAX_BYTES + more : 0;
			rule.group = 1;
			cr_expect_eq(dv_flow_create(&f, port, &rule, &error) == E2BIG, more,
				     "list %d, %u more: %s", list, more, error.message);
		}
	dv_flow_close(port);
}

/* Only so many actions as the rule says are read. */
Test(values_have_these_limits, end_the_list_of_actions)
{
	struct dv_flow_port *port;
	struct dv_flow *f;

	cr_assert_eq(dv_flow_open(&port, NULL, "verbs", NULL, &error), 0);
	cr_assert_eq(parse("ingress pattern end actions %s / end", "drop"), 0);
	rule.action[1].type = (enum dv_flow_action_type)1000;
	rule.group = 1;
	cr_expect_neq(dv_flow_create(&f, port, &rule, &error), 0);
	cr_expect_str_neq(error.message, "no such action");
	rule.actions = 2;
	cr_expect_neq(dv_flow_create(&f, port, &rule, &error), 0);
	cr_expect_str_eq(error.message, "no such action");
	dv_flow_close(port);
}

/* The rule of a sample is the caller's, too. */
Test(values_have_these_limits, of_a_sample)
{
	static struct dv_flow_rule sample = { .items = UINT_MAX }; /* not read */
	struct dv_flow_targets targets = { .sample = &sample, .n_sample = 1 };
	struct dv_flow_port *port;
	struct dv_flow *f;

	cr_assert_eq(dv_flow_open(&port, NULL, "verbs", &targets, &error), 0);
	cr_assert_eq(parse("ingress pattern end actions sample ratio 1 index 0 / %s / end",
			   "queue index 0"),
		     0);
	sample.actions = FLOW_MAX_ACTIONS + 1;
	cr_expect_eq(dv_flow_create(&f, port, &rule, &error), E2BIG, "%s", error.message);
	sample.actions = 1;
	sample.action[0].type = (enum dv_flow_action_type)1000;
	cr_expect_eq(dv_flow_create(&f, port, &rule, &error), EINVAL);
	cr_expect_str_eq(error.message, "sample: no such action");
	sample.action[0].type = FLOW_ACTION_MARK;
	cr_expect_eq(dv_flow_create(&f, port, &rule, &error), EOPNOTSUPP);
	dv_flow_close(port);
}
