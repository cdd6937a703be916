/* SPDX-License-Identifier: BSD-2-Clause */
/* Senders and receivers, and the file that all of them map. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "group.h"

static struct group *shared;

void need(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "group: %s: %s\n", what, strerror(errno));
	if (shared)
		atomic_store(&shared->failed, true);
	exit(1);
}

void rest_ms(unsigned int ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	while (nanosleep(&t, &t))
		;
}

static void add(struct plan *p, unsigned int from, unsigned int to)
{
	static uint32_t places[MEMBERS];

	for (unsigned int i = 0; i < p->qps; i++) {
		need(p->nlinks < LINKS, "too many links");
		p->links[p->nlinks].from = (uint16_t)from;
		p->links[p->nlinks].to = (uint16_t)to;
		p->links[p->nlinks++].place = places[to]++;
	}
}

static bool sends(const struct plan *p, unsigned int from, unsigned int to)
{
	if (!strcmp(p->pattern, "self"))
		return from == to;
	if (!strcmp(p->pattern, "ring"))
		return to == (from + 1) % p->ranks;
	if (!strcmp(p->pattern, "incast"))
		return from && !to;
	return !strcmp(p->pattern, "all") && from != to;
}

void plan_links(struct plan *p)
{
	for (unsigned int from = 0; from < p->ranks; from++)
		for (unsigned int to = 0; to < p->ranks; to++)
			if (sends(p, from, to))
				add(p, from, to);
	need(p->nlinks, "a pattern without links");
}

size_t plan_block(const struct plan *p)
{
	return p->bytes < 64 ? 64 : p->bytes;
}

struct group *group_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	void *at;

	need(fd >= 0 && !ftruncate(fd, sizeof(struct group)), path);
	at = mmap(NULL, sizeof(struct group), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(at != MAP_FAILED, "mmap");
	close(fd);
	shared = at;
	return shared;
}

void group_wait(const struct end *e)
{
	static unsigned int barrier;
	atomic_uint *arrived;

	need(barrier < BARRIERS, "too many barriers");
	arrived = &e->group->arrived[barrier++];
	atomic_fetch_add(arrived, 1);
	while (atomic_load(arrived) < e->plan->ranks) {
		if (atomic_load(&e->group->failed))
			exit(1); /* the one that failed has printed why */
		rest_ms(1);
	}
}
