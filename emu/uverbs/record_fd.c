/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket pair of a DevX descriptor. Our end never blocks.
 *
 * The application closes its end without a word to the driver: objects whose reader is closed
 * go away when the next one is made.
 */
#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "uverbs/devx.h"
#include "uverbs/record_fd.h"

#define SEND_BUFFER (1 << 20) /* mlx5_ib, devx.c: MAX_ASYNC_BYTES_IN_USE */

static int open_pair(struct uverbs_record_fd *r, int *fd)
{
	int end[2], size = SEND_BUFFER;
	struct stat st;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end))
		return -errno;
	if (fstat(end[0], &st)) {
		int ret = -errno;

		close(end[0]);
		close(end[1]);
		return ret;
	}
	/* As much as the system allows; it is not an error to get less. */
	setsockopt(end[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	/* The application only reads. */
	shutdown(end[0], SHUT_WR);
	r->fd = core_own(end[1]);
	r->dev = st.st_dev;
	r->ino = st.st_ino;
	*fd = end[0];
	return 0;
}

static bool is_record_fd(const struct uverbs_object *o)
{
	return o->type == UVERBS_DEVX_CMD_FD || o->type == UVERBS_DEVX_EVENT_FD;
}

static bool abandoned(const struct uverbs_record_fd *r)
{
	struct pollfd p = { .fd = r->fd };

	poll(&p, 1, 0);
	return p.revents & (POLLHUP | POLLERR);
}

static void sweep(struct uverbs_file *f)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &f->objects) {
		struct uverbs_object *o = core_container(pos, struct uverbs_object, on_file);

		if (is_record_fd(o) &&
		    abandoned(core_container(o, struct uverbs_record_fd, obj)))
			uverbs_object_destroy(o, NULL);
	}
}

int uverbs_record_fd_open(void *obj, int *fd)
{
	struct uverbs_record_fd *r = obj;
	int ret;

	sweep(r->obj.file);
	ret = open_pair(r, fd);
	if (!ret)
		uverbs_record_read_add(r, *fd);
	return ret;
}

void uverbs_record_fd_fini(struct uverbs *u, void *obj)
{
	struct uverbs_record_fd *r = obj;

	uverbs_devx_unsubscribe_fd(u, r);
	uverbs_record_read_del(r);
	core_own_close(r->fd);
}

struct uverbs_record_fd *uverbs_record_fd_find(struct uverbs_file *f, int64_t fd,
					       enum uverbs_type type)
{
	struct core_list *pos, *tmp;
	struct stat st;

	if (fd < 0 || fd > INT32_MAX || fstat((int)fd, &st))
		return NULL;
	core_list_for_each(pos, tmp, &f->objects) {
		struct uverbs_object *o = core_container(pos, struct uverbs_object, on_file);
		struct uverbs_record_fd *r = core_container(o, struct uverbs_record_fd, obj);

		if (o->type == type && r->dev == st.st_dev && r->ino == st.st_ino)
			return r;
	}
	return NULL;
}

static int queued(const struct uverbs_record_fd *r)
{
	int bytes = 0;

	return ioctl(r->fd, SIOCOUTQ, &bytes) ? 0 : bytes;
}

int uverbs_record_fd_post(struct uverbs_record_fd *r, const void *record, size_t len)
{
	int before = r->weight ? 0 : queued(r);

	if (send(r->fd, record, len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		int ret = errno == ENOBUFS ? -EAGAIN : -errno;

		uverbs_record_read_lost(r);
		return ret;
	}
	r->posted++;
	/* The kernel counts more than the bytes of a record, and the same each time. If the
	 * reader was faster, the next record measures it. */
	if (!r->weight && !before)
		r->weight = queued(r);
	return 0;
}

uint64_t uverbs_record_fd_unread(struct uverbs_record_fd *r)
{
	return r->weight ? (uint64_t)queued(r) / r->weight : 0;
}
