/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of posting in other software, to compare a table of post with: measured once by the
 * same method. The machine, the builds and the method are in docs/benchmarking.md, "Reference
 * costs".
 */
#include <stdio.h>

#include "base/base.h"
#include "run.h"

static const struct quote {
	const char *what, *source;
	double instructions, cycles;
} quotes[] = {
	{ "UCX put_short 8 B, a BlueFlame copy for each",
	  "UCX 1.13.1, rc_mlx5, configure-release, one CQE per 65", 162, 36 },
	{ "UCX put_short 8 B, an 8-byte doorbell for each", "the same", 154, 30 },
	{ "UCX put_zcopy 64 B, each signaled", "the same", 143, 35 },
};

void post_quotes(void)
{
	printf("\nothers, measured once by the same method on another machine (docs/benchmarking.md): "
	       "instructions | cycles per operation\n");
	for (size_t i = 0; i < ARRAY_SIZE(quotes); i++)
		printf("  %-50s %6.1f | %4.1f  (%s)\n", quotes[i].what, quotes[i].instructions,
		       quotes[i].cycles, quotes[i].source);
}

struct json_object *post_quotes_json(void)
{
	struct json_object *all = json_object_new_array();

	for (size_t i = 0; i < ARRAY_SIZE(quotes); i++) {
		struct json_object *q = json_object_new_object();

		json_object_object_add(q, "what", json_object_new_string(quotes[i].what));
		json_object_object_add(q, "source", json_object_new_string(quotes[i].source));
		json_object_object_add(q, "instructions",
				       json_object_new_double(quotes[i].instructions));
		json_object_object_add(q, "cycles", json_object_new_double(quotes[i].cycles));
		json_object_array_add(all, q);
	}
	return all;
}
