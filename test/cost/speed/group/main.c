/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * group FILE RANK RANKS PATTERN [OPTION...]: process RANK of a group (group.h); group.sh starts
 * all of them.
 *
 *	open, connect | idle | memory | traffic | memory | 2 s, or more rounds | memory | idle | last messages, compared
 *
 * Process 0 prints a line of NAME=VALUE. Exit status: 0 all bytes and counts are right; 1
 * something is not; 2 usage.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dvkit/emu.h>

#include "group.h"

#define SETTLE_MS   2000
#define PATIENCE_MS 20000

/* A number of KiB in a file of /proc/self. */
static long kib_of(const char *file, const char *key)
{
	FILE *f = fopen(file, "r");
	char line[256];
	long kib = -1;

	need(f, file);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			kib = atol(line + strlen(key));
	fclose(f);
	return kib;
}

static void read_memory(struct end *e, enum when when)
{
	group_wait(e);
	e->group->members[e->plan->rank].pss[when] = kib_of("/proc/self/smaps_rollup", "Pss:");
	group_wait(e);
}

/* Unused memory is given back some time after the traffic: waits for that, until it is at most
 * p->allowed KiB more than after the first round. */
static void await_memory(const struct plan *p, const struct member *m)
{
	for (unsigned int i = 0; p->allowed && i < PATIENCE_MS / 100; i++) {
		if (kib_of("/proc/self/smaps_rollup", "Pss:") <=
		    m->pss[AFTER] + (long)p->allowed)
			return;
		rest_ms(100);
	}
}

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Does nothing, after a second in which the emulator comes to rest. */
static void idle(struct end *e, unsigned int which)
{
	double cpu, start;

	if (!e->plan->idle)
		return;
	group_wait(e);
	rest_ms(1000);
	cpu = cpu_s();
	start = (double)now_ns();
	rest_ms(e->plan->idle * 1000);
	e->group->members[e->plan->rank].idle[which] =
		(cpu_s() - cpu) / (((double)now_ns() - start) / 1e9);
}

static uint64_t done_of(const struct group *g, unsigned int link)
{
	return atomic_load(&g->links[link].done);
}

static void check_counts(const struct end *e)
{
	uint64_t all = (uint64_t)e->plan->count * e->plan->rounds;

	for (unsigned int i = 0; !e->plan->seconds && i < e->nouts; i++)
		need(done_of(e->group, e->outs[i].link) == all, "a count of messages");
}

static void run(struct end *e)
{
	struct member *m = &e->group->members[e->plan->rank];
	struct dvkit_emu_counters counters = { 0 };

	end_open(e);
	group_wait(e);
	end_connect(e);
	group_wait(e);
	idle(e, 0);
	read_memory(e, BEFORE);
	traffic_run(e);
	read_memory(e, AFTER);
	if (e->plan->seconds)
		rest_ms(SETTLE_MS);
	for (unsigned int i = 1; i < e->plan->rounds; i++)
		traffic_run(e);
	await_memory(e->plan, m);
	read_memory(e, LATER);
	m->peak = kib_of("/proc/self/status", "VmHWM:");
	check_counts(e);
	idle(e, 1);
	group_wait(e);
	traffic_verify(e);
	if (dvkit_emu_present())
		dvkit_emu_query_counters(&counters, sizeof(counters));
	m->retransmits = counters.retransmits;
	group_wait(e);
	end_close(e);
}

/* The share of the process that sent least, of the mean of those that send. */
static double slowest_member(const struct plan *p, const struct group *g)
{
	uint64_t of[MEMBERS] = { 0 }, sum = 0, low = UINT64_MAX;
	bool sends[MEMBERS] = { false };
	unsigned int members = 0;

	for (unsigned int i = 0; i < p->nlinks; i++) {
		of[p->links[i].from] += done_of(g, i);
		sends[p->links[i].from] = true;
	}
	for (unsigned int i = 0; i < p->ranks; i++) {
		if (!sends[i])
			continue;
		members++;
		sum += of[i];
		low = of[i] < low ? of[i] : low;
	}
	return sum ? (double)low * members / (double)sum : 0;
}

static double share(uint64_t of, double mean)
{
	return mean > 0 ? (double)of / mean : 0;
}

/* Sum, lowest and highest of the links. */
static void report_links(const struct plan *p, const struct group *g)
{
	uint64_t sum = 0, low = UINT64_MAX, high = 0, then = UINT64_MAX;
	double mean;

	for (unsigned int i = 0; i < p->nlinks; i++) {
		uint64_t done = done_of(g, i);

		sum += done;
		low = done < low ? done : low;
		high = done > high ? done : high;
		then = g->links[i].then < then ? g->links[i].then : then;
	}
	mean = (double)sum / p->nlinks;
	printf("links=%u messages=%lu", p->nlinks, (unsigned long)sum);
	if (p->seconds)
		printf(" rate=%.4f MiB/s=%.1f slowest=%.3f fastest=%.3f member=%.3f",
		       (double)sum / p->seconds / 1e6,
		       (double)sum * p->bytes / p->seconds / (1 << 20), share(low, mean),
		       share(high, mean), slowest_member(p, g));
	else
		printf(" least=%lu", (unsigned long)then);
}

static long most(long a, long b)
{
	return a > b ? a : b;
}

/* first, more: KiB by which the process grew that grew most, in the first round and after
 * it. */
static void report_members(const struct plan *p, const struct group *g)
{
	long pss[TIMES] = { 0 }, first = 0, more = 0, peak = 0;
	double idle[2] = { 0 };
	uint64_t retransmits = 0;

	for (unsigned int i = 0; i < p->ranks; i++) {
		const struct member *m = &g->members[i];

		for (unsigned int t = 0; t < TIMES; t++)
			pss[t] += m->pss[t];
		for (unsigned int t = 0; t < 2; t++)
			idle[t] = m->idle[t] > idle[t] ? m->idle[t] : idle[t];
		first = most(first, m->pss[AFTER] - m->pss[BEFORE]);
		more = most(more, m->pss[LATER] - m->pss[AFTER]);
		peak = most(peak, m->peak);
		retransmits += m->retransmits;
	}
	printf(" before=%ld after=%ld later=%ld first=%ld more=%ld peak=%ld retransmits=%lu",
	       pss[BEFORE], pss[AFTER], pss[LATER], first, more, peak,
	       (unsigned long)retransmits);
	if (p->idle)
		printf(" idle_before=%.2f idle_after=%.2f", idle[0] * 100, idle[1] * 100);
	printf("\n");
}

static int usage(void)
{
	fputs("usage: group FILE RANK RANKS PATTERN [-q QPS] [-s BYTES] [-t SECONDS | -n COUNT [-r ROUNDS [-m KIB]]] [-l BATCH] [-d DEPTH] [-i SECONDS] [-T TIMEOUT] [-p]\n",
	      stderr);
	return 2;
}

/* The number that option @c sets. */
static unsigned int *number(struct plan *p, int c)
{
	switch (c) {
	case 'q':
		return &p->qps;
	case 's':
		return &p->bytes;
	case 'n':
		return &p->count;
	case 'l':
		return &p->batch;
	case 'd':
		return &p->depth;
	case 'r':
		return &p->rounds;
	case 'm':
		return &p->allowed;
	case 'T':
		return &p->timeout;
	default:
		return &p->idle;
	}
}

static bool parse(struct plan *p, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "q:s:t:n:r:m:l:d:i:T:p")) >= 0) {
		if (c == '?')
			return false;
		if (c == 'p')
			p->paused = true;
		else if (c == 't')
			p->seconds = atof(optarg);
		else
			*number(p, c) = (unsigned int)strtoul(optarg, NULL, 0);
	}
	if (argc - optind != 4)
		return false;
	p->rank = (unsigned int)atoi(argv[optind + 1]);
	p->ranks = (unsigned int)atoi(argv[optind + 2]);
	p->pattern = argv[optind + 3];
	return p->rank < p->ranks && p->ranks <= MEMBERS && p->qps && p->bytes && p->depth &&
	       p->rounds && p->batch && p->batch <= MAX_BATCH && (p->count || p->seconds > 0);
}

int main(int argc, char **argv)
{
	static struct plan p = {
		.qps = 1, .bytes = 8, .batch = 32, .depth = 2, .rounds = 1, .timeout = 18
	};
	struct end e = { .plan = &p };

	if (!parse(&p, argc, argv))
		return usage();
	plan_links(&p);
	e.group = group_open(argv[optind]);
	run(&e);
	if (!p.rank) {
		report_links(&p, e.group);
		report_members(&p, e.group);
	}
	return 0;
}
