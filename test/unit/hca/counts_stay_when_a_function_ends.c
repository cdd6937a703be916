/* SPDX-License-Identifier: BSD-2-Clause */
/* A function that ends leaves what it has counted to its adapter: each counter, once. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "hca/hca.h"

#define WORDS (sizeof(struct hca_counted) / sizeof(uint64_t))

static void expect_words(const struct hca_counted *counted, uint64_t factor)
{
	const uint64_t *n = (const uint64_t *)counted;

	for (size_t i = 0; i < WORDS; i++)
		cr_expect_eq(n[i], factor * (i + 1), "counter %zu", i);
}

Test(counts, stay_with_the_adapter)
{
	struct hca_adapter *adapters = calloc(HCA_ADAPTERS, sizeof(*adapters));
	struct hca_vhca *v = calloc(1, sizeof(*v));
	struct hca_adapter *last = &adapters[HCA_ADAPTERS - 1];

	last->id = v->adapter = 7;
	adapters[0].id = 8;
	for (unsigned int end = 0; end < 2 * HCA_ROLES; end++) {
		v->role = end % HCA_ROLES;
		for (size_t i = 0; i < WORDS; i++)
			((uint64_t *)&v->counted)[i] = i + 1;
		hca_counted_keep(adapters, v);
		expect_words(&v->counted, 0);
		for (unsigned int role = 0; role < HCA_ROLES; role++)
			expect_words(&last->ended[role], (end + HCA_ROLES - role) / HCA_ROLES);
		expect_words(&adapters[0].ended[0], 0);
		cr_expect_eq(last->ended_begun, end + 1);
		cr_expect_eq(last->ended_done, end + 1);
	}
	v->role = HCA_ROLES;
	hca_counted_keep(adapters, v);
	v->role = 0;
	v->adapter = 9;
	hca_counted_keep(adapters, v);
	cr_expect_eq(last->ended_begun, 2 * HCA_ROLES, "no such role, no such adapter");
	free(v);
	free(adapters);
}
