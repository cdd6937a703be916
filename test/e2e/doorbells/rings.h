/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Doorbells rung while the adapter sleeps, by programs that do unusual things with signals,
 * stacks and memory. On an adapter a doorbell is a store: it needs no stack, takes no lock and
 * raises no signal.
 *
 *	rings		prints the names
 *	rings NAME	"as expected", after the data arrived, and nothing of the program's was changed
 */
#ifndef RINGS_H
#define RINGS_H

#include <stdbool.h>

#include "common.h"

enum {
	SIZE = 8192,
	PAGE = 4096,
	ASLEEP_US = 150000,
	RINGS = 1000,
};

extern struct device dev;
extern struct pair pair;  /* of the device, for WRITEs from one to the other */
extern struct ibv_qp *qp; /* that rings: pair.a, unless a way sets another one */
extern struct ibv_mr *mr; /* of @src and @dst, SIZE bytes each */
extern char *src;
extern volatile char *dst;
extern char value; /* of the bytes that were written last */

/* One WRITE of @len bytes. It calls nothing that a handler of signals may not call. */
void post(uint32_t len, int flags);
/* The same, of 8 bytes. */
void ring(void);
/* The last WRITE, of @len bytes, is there; or the program ends. */
void arrives(uint32_t len);
void completes(struct ibv_cq *cq);
/* A BlueFlame copy, a plain doorbell, and a message of more than one packet. */
void plain(void);
void many(void);

struct way {
	const char *name; /* NULL: the last */
	void (*run)(void);
};

#define WAY(name)           \
	{                   \
#name, name \
	}

extern const struct way by_signals[], on_stacks[], at_memory[];

#endif
