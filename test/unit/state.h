/* SPDX-License-Identifier: BSD-2-Clause */
/* The objects of a device as text, their number and a sum of their bytes: to be compared before
 * and after a step that changes nothing. */
#ifndef TEST_UNIT_STATE_H
#define TEST_UNIT_STATE_H

#include <stdio.h>
#include <string.h>

#include "hca/hca.h"

#define STATE 512

static inline uint32_t state_sum(uint32_t sum, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len--)
		sum = (sum ^ *at++) * 16777619;
	return sum;
}

static inline void device_state(const struct hca *hca, char line[STATE])
{
	uint32_t sum = state_sum(0, &hca->port, sizeof(hca->port));
	size_t len;

	sum = state_sum(sum, &hca->vport, sizeof(hca->vport));
	sum = state_sum(sum, hca->roots, sizeof(hca->roots));
	sum = state_sum(sum, hca->rates, sizeof(hca->rates));
	sum = state_sum(sum, &hca->life, sizeof(hca->life));

	for (size_t i = HCA_KIND_NONE + 1; i < HCA_KINDS; i++) {
		const struct hca_object *o;
		uint32_t id = 0;

		while ((o = core_ids_next(hca_object_table(hca, i), &id)))
			sum = state_sum(sum, o, hca_kinds[i].size);
	}
	hca_objects_count(hca, line, STATE);
	len = strlen(line);
	snprintf(line + len, STATE - len, "; bytes %08x, %u groups", sum, hca->groups);
}

/* The numbers that are given next; @back to them after a failure. */
static inline void next_numbers(struct hca *hca, uint32_t next[HCA_KINDS], bool back)
{
	for (size_t i = HCA_KIND_NONE + 1; i < HCA_KINDS; i++) {
		struct core_ids *t = (void *)((char *)hca + hca_kinds[i].table);

		*(back ? &t->next : &next[i]) = back ? next[i] : t->next;
	}
}

#endif
