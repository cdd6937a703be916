/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Back ends that execute rules: flow tables in this process (tables.c), mlx5dv_dr on a device
 * (dr.c).
 *
 *	begin --> group --> rule … --> group … --> ask … --> end
 *
 * Rules have indexes; of several that match a packet the lowest one counts.
 */
#ifndef ORACLE_STEER_BACKEND_H
#define ORACLE_STEER_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "packet.h"

#define GROUPS_MAX 4
#define RULES_MAX  24
#define SPAN	   16 /* indexes of a group */
#define PLACES	   16 /* of groups */

enum { NO_RULE = -1, NOT_ASKED = -2 };

struct backend {
	void (*begin)(void);
	/* Rules of indexes from @first on have the mask. The back end may change it to one that
	 * it has; false: another one is needed. */
	bool (*group)(uint32_t first, uint8_t *mask);
	/* The same of the value; false: there is no such rule. */
	bool (*rule)(uint32_t index, const uint8_t *mask, uint8_t *value);
	/* The index of the rule that the packet matches, or NO_RULE; NOT_ASKED: the packet does
	 * not come to rules. */
	int64_t (*ask)(const struct packet *p);
	/* Prints the way of the packet; NULL: nothing to print. */
	void (*explain)(const struct packet *p);
	void (*end)(void);
};

extern const struct backend backend;

#endif
