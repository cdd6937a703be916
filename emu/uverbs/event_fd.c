/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pipe behind an event file descriptor.
 *
 * Records are smaller than PIPE_BUF: writes and reads of whole records are atomic. Taking
 * records out reads everything that is there and writes back what stays, in order; nobody
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

/* The application may change the flags of its end (O_NONBLOCK): a reader of our own needs an
 * open description of its own. */
static int reopen(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static int open_pipe(struct uverbs_event_fd *e, int *fd)
{
	struct stat st;
	int end[2];

	if (pipe2(end, O_CLOEXEC))
		return -errno;
	e->write_fd = end[1];
	e->drain_fd = reopen(end[0]);
	if (e->drain_fd < 0 || fstat(end[0], &st) || fcntl(end[1], F_SETFL, O_NONBLOCK)) {
		int ret = -errno;

		if (e->drain_fd >= 0)
			close(e->drain_fd);
		close(end[0]);
		close(end[1]);
		return ret;
	}
	e->capacity = fcntl(end[1], F_GETPIPE_SZ);
	e->dev = st.st_dev;
	e->ino = st.st_ino;
	*fd = end[0];
	return 0;
}

/* Did the application close all its ends? Our own one is out of the way while we look. */
static bool abandoned(struct uverbs_event_fd *e)
{
	struct pollfd p = { .fd = e->write_fd };

	close(e->drain_fd);
	poll(&p, 1, 0);
	e->drain_fd = reopen(e->write_fd);
	return p.revents & POLLERR;
}

static bool is_event_fd(const struct uverbs_object *o)
{
	return o->type == UVERBS_ASYNC_FD || o->type == UVERBS_COMP_FD;
}

static void sweep(struct uverbs_file *f)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &f->objects)
	{
		struct uverbs_object *o = core_container(pos, struct uverbs_object, on_file);

		if (is_event_fd(o) && !o->uses &&
		    abandoned(core_container(o, struct uverbs_event_fd, obj)))
			uverbs_object_destroy(o, NULL);
	}
}

int uverbs_event_fd_new(struct uverbs_file *f, enum uverbs_type type,
			struct uverbs_event_fd **out, int *fd)
{
	struct uverbs_event_fd *e = calloc(1, sizeof(*e));
	int ret;

	sweep(f);
	ret = e ? open_pipe(e, fd) : -ENOMEM;
	if (ret) {
		free(e);
		return ret;
	}
	e->record = type == UVERBS_COMP_FD ? sizeof(struct ib_uverbs_comp_event_desc)
					   : sizeof(struct ib_uverbs_async_event_desc);
	uverbs_object_add_fd(f, &e->obj, type);
	*out = e;
	return 0;
}

int uverbs_event_fd_destroy(struct uverbs_event_fd *e)
{
	if (e->obj.file->async == e)
		e->obj.file->async = NULL;
	close(e->write_fd);
	if (e->drain_fd >= 0)
		close(e->drain_fd);
	return 0;
}

struct uverbs_event_fd *uverbs_event_fd_find(struct uverbs_file *f, int64_t fd,
					     enum uverbs_type type)
{
	struct core_list *pos, *tmp;
	struct stat st;

	if (fd < 0 || fd > INT32_MAX || fstat((int)fd, &st))
		return NULL;
	core_list_for_each(pos, tmp, &f->objects)
	{
		struct uverbs_object *o = core_container(pos, struct uverbs_object, on_file);
		struct uverbs_event_fd *e = core_container(o, struct uverbs_event_fd, obj);

		if (o->type == type && e->dev == st.st_dev && e->ino == st.st_ino)
			return e;
	}
	return NULL;
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
	/* Without a reader of our own a closed pipe would mean SIGPIPE. */
	if (e->drain_fd < 0)
		return false;
	while (write(e->write_fd, record, e->record) != (ssize_t)e->record)
		if (errno != EAGAIN || !grow(e))
			return false;
	return true;
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
	len = read(e->drain_fd, unread, size);
	for (ssize_t at = 0; at + (ssize_t)e->record <= len; at += e->record) {
		if (is_of(e, unread + at, user_handle, types))
			purged++;
		else
			uverbs_event_fd_post(e, unread + at);
	}
	free(unread);
	return purged;
}
