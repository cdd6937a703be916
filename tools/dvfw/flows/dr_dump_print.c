/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of mlx5dv_dr as text: domain, tables by level, matchers by priority, rules. */
#include <stdio.h>

#include "dr_dump.h"

static void put_lookups(struct json_object *lookups)
{
	EACH(i, lookup, lookups)
	{
		printf("%s0x%04x", i ? ", " : "      lookups ",
		       (unsigned int)json_object_get_int(json_get(lookup, "number")));
		if (json_get(lookup, "definer format"))
			printf(" (match definer of format %s)",
			       json_text(lookup, "definer format"));
	}
	if (json_object_array_length(lookups))
		printf("\n");
}

static void put_rule(struct json_object *rule)
{
	size_t n = json_object_array_length(json_get(rule, "entries"));

	printf("      rule of %zu %s:", n, n == 1 ? "entry" : "entries");
	EACH(i, action, json_get(rule, "actions"))
	{
		struct json_object *counted = json_get(action, "counted");

		printf("%s %s", i ? " /" : "", json_text(action, "text"));
		if (counted)
			printf(" (%s packets, %s bytes)", json_text(counted, "packets"),
			       json_text(counted, "bytes"));
	}
	printf("\n");
}

static void put_domain(const struct dvfw *d, struct json_object *domain)
{
	printf("%s%s%s of %s, libmlx5 %s", dvfw_paint(d, DVFW_NAME), json_text(domain, "type"),
	       dvfw_paint(d, DVFW_PLAIN), json_text(domain, "device"),
	       json_text(domain, "version"));
	if (json_get(domain, "format"))
		printf(", entries of format %s", json_text(domain, "format"));
	printf("\n");
	EACH(t, table, json_get(domain, "tables"))
	{
		printf("  table of level %s%s\n", json_text(table, "level"),
		       json_object_get_int(json_get(table, "level")) ? "" : ", the root");
		EACH(m, matcher, json_get(table, "matchers"))
		{
			const char *mask = json_text(matcher, "mask");

			printf("    priority %s: %s\n", json_text(matcher, "priority"),
			       *mask ? mask : "all packets");
			put_lookups(json_get(matcher, "lookups"));
			EACH(l, rule, json_get(matcher, "rules"))
			put_rule(rule);
		}
	}
}

void dr_dump_print(const struct dvfw *d, struct json_object *domains)
{
	EACH(i, domain, domains)
	put_domain(d, domain);
}
