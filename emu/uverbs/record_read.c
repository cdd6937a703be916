/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's checks before it returns a record (mlx5_ib, devx.c, devx_async_cmd_event_read,
 * devx_async_event_read): a buffer that is too short is refused and the record stays; lost
 * events are reported once. A socket would cut the record and say nothing.
 *
 *	number -> slot (seen with one load: not ours) -> still the same socket? -> lost? fits?
 *
 * Runs on any thread and takes no lock. A descriptor known by its second name (dup) is read as
 * the socket that it is.
 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "uverbs/record_fd.h"

#define NUMBERS 65536
#define SLOTS	255

static struct slot {
	_Atomic uint64_t ino; /* 0: free */
	atomic_bool events, lost;
} slots[SLOTS];

static atomic_uchar by_number[NUMBERS]; /* slot + 1; 0: not ours */

static struct slot *find(uint64_t ino)
{
	for (unsigned int i = 0; i < SLOTS; i++)
		if (atomic_load_explicit(&slots[i].ino, memory_order_acquire) == ino)
			return &slots[i];
	return NULL;
}

void uverbs_record_read_add(const struct uverbs_record_fd *r, int fd)
{
	struct slot *s = find(0);

	/* More of them than slots: those are read without questions. */
	if (!s || fd >= NUMBERS)
		return;
	atomic_store(&s->events, r->obj.type == UVERBS_DEVX_EVENT_FD);
	atomic_store(&s->lost, false);
	atomic_store(&s->ino, r->ino);
	atomic_store(&by_number[fd], s - slots + 1);
}

void uverbs_record_read_del(const struct uverbs_record_fd *r)
{
	struct slot *s = find(r->ino);

	if (s)
		atomic_store(&s->ino, 0);
}

void uverbs_record_read_lost(const struct uverbs_record_fd *r)
{
	struct slot *s = find(r->ino);

	if (s)
		atomic_store(&s->lost, true);
}

static struct slot *slot_of(int fd)
{
	uint8_t n = fd >= 0 && fd < NUMBERS
			    ? atomic_load_explicit(&by_number[fd], memory_order_relaxed)
			    : 0;
	struct stat st;

	if (!n)
		return NULL;
	/* The application may have closed it, and the number may be another file's by now. */
	if (!fstat(fd, &st) && S_ISSOCK(st.st_mode) && st.st_ino == slots[n - 1].ino)
		return &slots[n - 1];
	atomic_store(&by_number[fd], 0);
	return NULL;
}

int uverbs_read_check(int fd, size_t count)
{
	struct slot *s = slot_of(fd);
	ssize_t len;

	if (!s)
		return 0;
	if (s->events && atomic_exchange(&s->lost, false))
		return -EOVERFLOW;
	/* Waits as the read would. */
	len = recv(fd, NULL, 0, MSG_PEEK | MSG_TRUNC);
	if (len < 0)
		return -errno;
	if ((size_t)len > count)
		return s->events ? -EINVAL : -ENOSPC;
	return 0;
}
