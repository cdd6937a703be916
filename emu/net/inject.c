/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of a file, which the launcher made of a capture. They arrive from outside, so all
 * ports get them that a switch delivers them to. Before a receive queue is ready in this
 * process they would only be lost: then the first one is played.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/inside.h"

/* The record at @at, if it is complete. */
static bool record_at(const struct net *n, const uint8_t *at, struct net_record *r)
{
	if ((size_t)(n->end - at) < sizeof(*r))
		return false;
	memcpy(r, at, sizeof(*r));
	return r->magic == NET_RECORD_MAGIC && r->len <= WIRE_MAX_ETHERNET &&
	       r->len <= (size_t)(n->end - at) - sizeof(*r);
}

static bool is_whole(const struct net *n)
{
	const uint8_t *at = n->records;
	struct net_record r;

	for (; at < n->end; at += sizeof(r) + r.len)
		if (!record_at(n, at, &r))
			return false;
	return true;
}

int net_inject(struct net *n, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;
	void *all;

	if (fd < 0)
		return errno;
	all = fstat(fd, &st) || !st.st_size
		      ? MAP_FAILED
		      : mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (all == MAP_FAILED)
		err = st.st_size ? errno : EINVAL;
	close(fd);
	if (err)
		return err;
	n->records = n->next = all;
	n->end = n->records + st.st_size;
	if (is_whole(n))
		return 0;
	inject_end(n);
	return EINVAL;
}

void inject_end(struct net *n)
{
	if (n->records)
		munmap(n->records, n->end - n->records);
	n->records = NULL;
}

static bool receives(struct hca *hca)
{
	uint32_t rqn = 0;
	struct hca_rq *rq;

	while ((rq = core_ids_next(&hca->rqs, &rqn)))
		if (rq->state == PRM_RQC_STATE_RDY)
			return true;
	return false;
}

bool inject_poll(struct net *n, uint64_t now)
{
	struct net_record r;
	unsigned int i = 0;

	if (!n->started && !receives(n->hca))
		return false;
	if (!n->started)
		n->started = now;
	for (; i < NET_BATCH; i++) {
		if (!record_at(n, n->next, &r)) {
			inject_end(n);
			break;
		}
		if (r.ns > now - n->started)
			break;
		net_forward(n, n->next + sizeof(r), r.len, true);
		n->next += sizeof(r) + r.len;
	}
	return i;
}
