/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Senders and receivers among the ranks of an MPI job (--pattern), and the run over all of
 * them.
 *
 *	pairs         0 -> 1    2 -> 3
 *	incast        1 -> 0    2 -> 0    3 -> 0
 *	all-to-all    each -> each other
 *
 * Two ranks with a flow between them have -q lanes (of each group, see rig.h) at either end: a
 * rank is one side of a run over TCP whose peer is many. Its lanes lie peer by peer:
 *
 *	near[group * qps + peer * q + k]     qps = q * number of its peers
 *
 * Ranks that post are clients, those that only receive servers; of all-to-all each is both
 * (-b).
 */
#ifndef DVPERF_PATTERN_H
#define DVPERF_PATTERN_H

#include "rig.h"

/* The ranks that @rank of @n has lanes with, in ascending order, into @peers (NULL: only
 * counted); how many. */
unsigned int pattern_peers(enum pattern pattern, unsigned int rank, unsigned int n,
			   unsigned int *peers);
bool pattern_posts(enum pattern pattern, unsigned int rank);

/* NULL, or why @n ranks make no such pattern. The text is static. */
const char *pattern_check(enum pattern pattern, unsigned int n);

/* Shares @ours, the addresses of rig->near, and puts those of the other ends into @theirs. */
void pattern_addresses(const struct rig *rig, const struct address *ours,
		       struct address *theirs);

/* Sends the other ranks the part of @mops, the rate of this one, went to each of them, and
 * returns what they post here; NaN: nothing. The target of a WRITE or READ sees nothing of it,
 * so its requester reports it. */
double pattern_received(const struct rig *rig, double mops);

#endif
