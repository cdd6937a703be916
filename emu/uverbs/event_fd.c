/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pipe of an event file descriptor.
 *
 * Records are smaller than PIPE_BUF: writes and reads of whole records are atomic. Taking
 * records out reads everything that is there and writes back what stays, in order; no one
 * else writes meanwhile (device lock), and a reader only sees an empty pipe for a moment.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>

#include "uverbs/event_fd.h"

/* By inode: device lock. */
#define CHAINS 4096
static struct uverbs_event_fd *chains[CHAINS];

static struct uverbs_event_fd **chain(ino_t ino)
{
	return &chains[ino % CHAINS];
}

static void link_in(struct uverbs_event_fd *e)
{
	e->next = *chain(e->ino);
	*chain(e->ino) = e;
}

static void unlink_from(struct uverbs_event_fd *e)
{
	struct uverbs_event_fd **at = chain(e->ino);

	while (*at && *at != e)
		at = &(*at)->next;
	if (*at)
		*at = e->next;
}

/* The application may change the flags of its end (O_NONBLOCK): a reader on this side needs a
 * separate open description. Without /proc it shares the application's. */
static int reopen(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
	return core_own(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

static int open_drain(struct uverbs_event_fd *e, int fd)
{
	e->drain_fd = reopen(fd);
	if (e->drain_fd < 0 && errno == ENOENT) {
		e->shared = true;
		e->drain_fd = core_own(fcntl(fd, F_DUPFD_CLOEXEC, 0));
	}
	return e->drain_fd;
}

static int open_pipe(struct uverbs_event_fd *e, int *fd)
{
	struct stat st;
	int end[2];

	if (pipe2(end, O_CLOEXEC))
		return -errno;
	e->write_fd = core_own(end[1]);
	if (open_drain(e, end[0]) < 0 || fstat(end[0], &st) ||
	    fcntl(e->write_fd, F_SETFL, O_NONBLOCK)) {
		int ret = -errno;

		core_own_close(e->drain_fd);
		core_own_close(e->write_fd);
		close(end[0]);
		return ret;
	}
	e->capacity = fcntl(e->write_fd, F_GETPIPE_SZ);
	e->dev = st.st_dev;
	e->ino = st.st_ino;
	*fd = end[0];
	return 0;
}

/* Did the application close all its ends? Our own one is out of the way while we look; one that
 * could not be opened again stays. */
static bool abandoned(struct uverbs_event_fd *e)
{
	struct pollfd p = { .fd = e->write_fd };

	if (e->shared)
		return false;
	core_own_close(e->drain_fd);
	poll(&p, 1, 0);
	e->drain_fd = reopen(e->write_fd);
	return p.revents & POLLERR;
}

static bool is_event_fd(const struct uverbs_object *o)
{
	return o->type == UVERBS_ASYNC_FD || o->type == UVERBS_COMP_FD;
}

/* How many are left. */
static uint32_t sweep(struct uverbs_file *f)
{
	struct core_list *pos, *tmp;
	uint32_t left = 0;

	core_list_for_each(pos, tmp, &f->objects) {
		struct uverbs_object *o = core_container(pos, struct uverbs_object, on_file);

		if (!is_event_fd(o))
			continue;
		if (!o->uses && abandoned(core_container(o, struct uverbs_event_fd, obj)))
			uverbs_object_destroy(o, NULL);
		else
			left++;
	}
	return left;
}

/* Each look at all of them is paid for by as many new ones. */
static void sweep_sometimes(struct uverbs_file *f)
{
	if (f->new_event_fds++ < f->swept_event_fds)
		return;
	f->swept_event_fds = sweep(f);
	f->new_event_fds = 1;
}

int uverbs_event_fd_open(void *obj, int *fd)
{
	struct uverbs_event_fd *e = obj;
	struct uverbs_file *f = e->obj.file;
	int ret;

	sweep_sometimes(f);
	ret = open_pipe(e, fd);
	if (ret == -EMFILE) {
		sweep(f);
		ret = open_pipe(e, fd);
	}
	if (ret)
		return ret;
	e->record = e->obj.type == UVERBS_COMP_FD ? sizeof(struct ib_uverbs_comp_event_desc)
						  : sizeof(struct ib_uverbs_async_event_desc);
	link_in(e);
	return 0;
}

void uverbs_event_fd_fini(struct uverbs *u, void *obj)
{
	struct uverbs_event_fd *e = obj;

	(void)u;
	if (e->obj.file->async == e)
		e->obj.file->async = NULL;
	unlink_from(e);
	core_own_close(e->write_fd);
	core_own_close(e->drain_fd);
}

struct uverbs_event_fd *uverbs_event_fd_find(struct uverbs_file *f, int64_t fd,
					     enum uverbs_type type)
{
	struct uverbs_event_fd *e;
	struct stat st;

	if (fd < 0 || fd > INT32_MAX || fstat((int)fd, &st))
		return NULL;
	e = *chain(st.st_ino);
	while (e && (e->ino != st.st_ino || e->dev != st.st_dev || e->obj.file != f ||
		     e->obj.type != type || e->obj.state != UVERBS_COMMITTED))
		e = e->next;
	return e;
}

/* The kernel's list has no bound; a pipe may be made larger, up to pipe-max-size (pipe(7)). */
static bool grow(struct uverbs_event_fd *e)
{
	if (fcntl(e->write_fd, F_SETPIPE_SZ, 2 * e->capacity) < 0)
		return false;
	e->capacity *= 2;
	return true;
}

bool uverbs_event_fd_post(struct uverbs_event_fd *e, const void *record)
{
	/* Without a reader on this side a closed pipe would mean SIGPIPE. */
	if (e->drain_fd < 0)
		return false;
	while (write(e->write_fd, record, e->record) != (ssize_t)e->record)
		if (errno != EAGAIN || !grow(e))
			return false;
	return true;
}

bool uverbs_event_fd_unread(const struct uverbs_event_fd *e)
{
	int size;

	return !ioctl(e->drain_fd, FIONREAD, &size) && size > 0;
}

static bool is_of(const struct uverbs_event_fd *e, const uint8_t *record, uint64_t user_handle,
		  uint64_t types)
{
	struct ib_uverbs_async_event_desc desc = { 0 };

	memcpy(&desc, record, e->record);
	if (e->obj.type == UVERBS_COMP_FD)
		return desc.element == user_handle;
	return desc.element == user_handle && desc.event_type < 64 &&
	       (types >> desc.event_type & 1);
}

/* Never waits, whatever the application's flags: a read that shares them could. */
static ssize_t take_shared(const struct uverbs_event_fd *e, uint8_t *to, size_t len)
{
	ssize_t n;
	int end[2];

	if (pipe2(end, O_CLOEXEC))
		return -1;
	fcntl(end[1], F_SETPIPE_SZ, len);
	n = splice(e->drain_fd, NULL, end[1], NULL, len, SPLICE_F_NONBLOCK);
	n = n > 0 ? read(end[0], to, n) : n;
	close(end[0]);
	close(end[1]);
	return n;
}

uint32_t uverbs_event_fd_purge(struct uverbs_event_fd *e, uint64_t user_handle, uint64_t types)
{
	uint32_t purged = 0;
	uint8_t *unread;
	ssize_t len;
	int size;

	if (ioctl(e->drain_fd, FIONREAD, &size) || size <= 0)
		return 0;
	unread = malloc(size);
	if (!unread)
		return 0;
	len = e->shared ? take_shared(e, unread, size) : read(e->drain_fd, unread, size);
	for (ssize_t at = 0; at + (ssize_t)e->record <= len; at += e->record) {
		if (is_of(e, unread + at, user_handle, types))
			purged++;
		else
			uverbs_event_fd_post(e, unread + at);
	}
	free(unread);
	return purged;
}
