/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files and their events. An event is a byte in the file's pipe, so that poll, epoll and fcntl
 * work on the application's end, and an element of a list, from which GET_EVENT takes it.
 *
 *	post --> list: | event | event | event |  --GET_EVENT--> application
 *	   '--> pipe:  |   .   |   .   |   .   |  --> poll()
 *
 * The application cannot read the pipe: preload refuses that.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ucma/id.h"

/* Counts events posted and files closed, of all files: the futex that GET_EVENT waits on. It
 * outlives every file, so a wait holds no reference. */
static _Atomic uint32_t news;

static void report(void)
{
	atomic_fetch_add(&news, 1);
	core_syscall(SYS_futex, &news, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

uint32_t ucma_events_seen(void)
{
	return atomic_load(&news);
}

/* write() is a cancellation point, and a futex without time-out is restarted as write() is. */
int ucma_wait_event(uint32_t seen)
{
	int type;
	long ret;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	ret = core_syscall(SYS_futex, &news, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	pthread_setcanceltype(type, &(int){ 0 });
	return ret < 0 && errno == EINTR ? -EINTR : 0;
}

/* Only bytes that are in the pipe are read, so it does not matter whether the application made
 * it non-blocking. */
static int open_pipe(struct ucma_file *f, bool cloexec, int *fd)
{
	struct stat st;
	int end[2];

	if (pipe2(end, O_CLOEXEC))
		return errno;
	*fd = end[0];
	f->write_fd = core_own(end[1]);
	f->read_fd = core_own(fcntl(end[0], F_DUPFD_CLOEXEC, 0));
	if (f->read_fd < 0 || fcntl(f->write_fd, F_SETFL, O_NONBLOCK) || fstat(end[0], &st) ||
	    (!cloexec && fcntl(end[0], F_SETFD, 0)))
		return errno;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	return 0;
}

static void close_pipe(struct ucma_file *f)
{
	core_own_close(f->read_fd);
	core_own_close(f->write_fd);
}

struct ucma_file *ucma_open(struct ucma *u, bool cloexec, int *fd)
{
	struct ucma_file *f = calloc(1, sizeof(*f));
	int err = ENOMEM;

	if (!f)
		return NULL; /* errno is calloc's */
	f->u = u;
	f->read_fd = f->write_fd = -1;
	core_list_init(&f->ids);
	core_list_init(&f->events);
	*fd = -1;
	err = open_pipe(f, cloexec, fd);
	if (err) {
		if (*fd >= 0)
			close(*fd);
		close_pipe(f);
		free(f);
		errno = err;
		return NULL;
	}
	hca_lock(u->hca);
	core_list_add(&u->files, &f->on_ucma);
	hca_unlock(u->hca);
	return f;
}

static struct ucma_id *first_id(const struct ucma_file *f)
{
	return core_list_empty(&f->ids) ? NULL
					: core_container(f->ids.next, struct ucma_id, on_file);
}

void ucma_release(struct ucma_file *f)
{
	struct hca *hca = f->u->hca;
	struct ucma_id *id;

	hca_lock(hca);
	while ((id = first_id(f)))
		ucma_id_free(id);
	core_list_del(&f->on_ucma);
	wire_flush(f->u->w);
	hca_unlock(hca);
	close_pipe(f);
	free(f);
	report();
}

struct ucma_file *ucma_file_find(struct ucma *u, int fd)
{
	struct core_list *pos, *tmp;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	core_list_for_each(pos, tmp, &u->files) {
		struct ucma_file *f = core_container(pos, struct ucma_file, on_ucma);

		if (f->dev == st.st_dev && f->ino == st.st_ino)
			return f;
	}
	return NULL;
}

/* As many bytes as events; while the pipe is full, poll() reports it readable anyway. */
static void adjust(struct ucma_file *f)
{
	char byte = 0;

	while (f->bytes < f->waiting && write(f->write_fd, &byte, 1) == 1)
		f->bytes++;
	while (f->bytes > f->waiting && read(f->read_fd, &byte, 1) == 1)
		f->bytes--;
}

struct ucma_event *ucma_event_new(struct ucma_id *id, enum ucma_event_type type, int status)
{
	struct ucma_event *e;

	/* kernel, ucma.c, ucma_event_handler: of a connection that the application has not
	 * accepted only the request is reported. */
	if (!id->uid)
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->id = id;
	e->resp.uid = id->uid;
	e->resp.id = id->id;
	e->resp.event = type;
	e->resp.status = status;
	return e;
}

void ucma_event_conn(struct ucma_event *e, const uint8_t *private_data, size_t len)
{
	memcpy(e->resp.param.conn.private_data, private_data, len);
	e->resp.param.conn.private_data_len = len;
}

void ucma_event_post(struct ucma_event *e)
{
	struct ucma_file *f;

	if (!e)
		return;
	f = e->id->file;
	core_list_add(&f->events, &e->on_file);
	f->waiting++;
	adjust(f);
	report();
}

static void take_out(struct ucma_event *e)
{
	core_list_del(&e->on_file);
	e->id->file->waiting--;
}

int ucma_get_event(struct ucma_file *f, uint64_t va, size_t len)
{
	struct ucma_event *e;
	int ret;

	if (core_list_empty(&f->events))
		return -EAGAIN;
	e = core_container(f->events.next, struct ucma_event, on_file);
	ret = ucma_put(va, &e->resp, len < sizeof(e->resp) ? len : sizeof(e->resp));
	if (ret)
		return ret;
	if (e->conn)
		e->id->backlog++;
	e->id->reported++;
	if (e->membership)
		e->membership->reported++;
	take_out(e);
	adjust(f);
	free(e);
	return 0;
}

void ucma_events_drop(struct ucma_id *id)
{
	struct ucma_file *f = id->file;
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &f->events) {
		struct ucma_event *e = core_container(pos, struct ucma_event, on_file);

		if (e->id != id)
			continue;
		take_out(e);
		/* The application does not know this id, so it has no events and the list does
		 * not change otherwise. */
		if (e->conn)
			ucma_id_free(e->conn);
		free(e);
	}
	adjust(f);
}

void ucma_events_forget(struct ucma_membership *m)
{
	struct ucma_file *f = m->id->file;
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &f->events) {
		struct ucma_event *e = core_container(pos, struct ucma_event, on_file);

		if (e->membership != m)
			continue;
		take_out(e);
		free(e);
	}
	adjust(f);
}

void ucma_events_move(struct ucma_id *id, struct ucma_file *to)
{
	struct ucma_file *f = id->file;
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &f->events) {
		struct ucma_event *e = core_container(pos, struct ucma_event, on_file);

		if (e->id != id)
			continue;
		core_list_del(&e->on_file);
		f->waiting--;
		core_list_add(&to->events, &e->on_file);
		to->waiting++;
	}
	adjust(f);
	adjust(to);
	report();
}
