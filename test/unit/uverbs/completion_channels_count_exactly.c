/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion channels: records of 8 bytes with the user handle of the CQ, and counts that let
 * ibv_destroy_cq() return.
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "event/event.h"
#include "lib/descriptors.h"
#include "queues.h"

#define SUITE completion_channels_count_exactly

QP_SUITE(SUITE);

static int create_cq_on(struct rig *r, int64_t fd, uint32_t vector, uint64_t user_handle,
			struct cq *cq)
{
	struct cq_attr a = cq_attr(&r->uar);

	a.channel = fd;
	a.vector = vector;
	a.user_handle = user_handle;
	return create_cq(&r->b, &a, cq);
}

static struct cq cq_on(struct rig *r, int fd, uint64_t user_handle)
{
	struct cq cq;

	cr_assert_eq(create_cq_on(r, fd, 0, user_handle, &cq), 0);
	return cq;
}

static bool unread; /* Has the channel a record after complete()? */

static void complete(struct rig *r, const struct cq *cq, int times)
{
	hca_lock(&r->b.hca);
	while (times--)
		event_comp(&r->b.hca, hca_cq_find(&r->b.hca, cq->cqn));
	unread = uverbs_unread(&r->b.hca, hca_cq_find(&r->b.hca, cq->cqn));
	hca_unlock(&r->b.hca);
}

static uint64_t next_event(int fd)
{
	struct ib_uverbs_comp_event_desc e = { 0 };

	cr_assert(readable(fd));
	cr_assert_eq(read(fd, &e, sizeof(e)), sizeof(e));
	cr_assert(unread);
	return e.cq_handle;
}

static uint32_t comp_reported(struct rig *r, const struct cq *cq)
{
	struct ib_uverbs_destroy_cq_resp resp;

	cr_assert_eq(destroy_cq(&r->b, cq->handle, &resp), 0);
	cr_assert_eq(resp.async_events_reported, 0);
	return resp.comp_events_reported;
}

Test(SUITE, events_carry_the_user_handle)
{
	struct cq a, b;
	int fd;

	fd = channel(&r.b);
	cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	a = cq_on(&r, fd, 0xaaaa);
	b = cq_on(&r, fd, 0xbbbb);
	complete(&r, &b, 1);
	complete(&r, &a, 1);
	cr_assert_eq(next_event(fd), 0xbbbb);
	cr_assert_eq(next_event(fd), 0xaaaa);
	cr_assert_not(readable(fd));
	complete(&r, &r.cq, 1);
	cr_assert_not(readable(fd), "a CQ without a channel");
	rig_down(&r);
	close(fd);
}

/* Events that were read are reported; what was not vanishes with its CQ, and only that. */
Test(SUITE, only_what_was_read_is_reported)
{
	struct cq a, b;
	int fd;

	fd = channel(&r.b);
	a = cq_on(&r, fd, 0xaaaa);
	b = cq_on(&r, fd, 0xbbbb);
	complete(&r, &a, 2);
	complete(&r, &b, 2);
	complete(&r, &a, 1);
	cr_assert_eq(next_event(fd), 0xaaaa);
	cr_assert_eq(comp_reported(&r, &a), 1);
	cr_assert_eq(next_event(fd), 0xbbbb);
	cr_assert_eq(next_event(fd), 0xbbbb);
	cr_assert_not(readable(fd));
	cr_assert_eq(comp_reported(&r, &b), 2);
	rig_down(&r);
	close(fd);
}

/* A pipe holds 8192 records at first; the kernel's list has no bound. */
Test(SUITE, many_unread_events_are_kept)
{
	enum { MANY = 20000 };
	struct cq a;
	int fd;

	fd = channel(&r.b);
	a = cq_on(&r, fd, 0xaaaa);
	complete(&r, &a, MANY);
	for (int i = 0; i < MANY - 7; i++)
		cr_assert_eq(next_event(fd), 0xaaaa, "event %d", i);
	cr_assert_eq(comp_reported(&r, &a), MANY - 7);
	cr_assert_not(readable(fd));
	rig_down(&r);
	close(fd);
}

Test(SUITE, the_application_may_make_its_end_non_blocking)
{
	struct epoll_event e = { .events = EPOLLIN };
	int fd, copy, ep = epoll_create1(0);
	struct cq a;
	uint64_t v;

	fd = channel(&r.b);
	cr_assert_eq(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), 0);
	cr_assert_eq(read(fd, &v, sizeof(v)), -1);
	cr_assert_eq(errno, EAGAIN);
	copy = dup(fd);
	a = cq_on(&r, copy, 0xaaaa);
	cr_assert_eq(epoll_ctl(ep, EPOLL_CTL_ADD, copy, &e), 0);
	cr_assert_eq(epoll_wait(ep, &e, 1, 0), 0);
	complete(&r, &a, 1);
	cr_assert_eq(epoll_wait(ep, &e, 1, 0), 1);
	cr_assert_eq(next_event(fd), 0xaaaa, "read through the other number");
	cr_assert_eq(epoll_wait(ep, &e, 1, 0), 0);
	cr_assert_eq(comp_reported(&r, &a), 1);
}

/* The channel is a file: it exists while CQs refer to it, also when it was closed. */
Test(SUITE, a_closed_channel_stays_for_its_cqs)
{
	struct cq a;
	int fd;

	fd = channel(&r.b);
	a = cq_on(&r, fd, 0xaaaa);
	complete(&r, &a, 3);
	cr_assert_eq(next_event(fd), 0xaaaa);
	close(fd);
	complete(&r, &a, 2);
	cr_assert_eq(comp_reported(&r, &a), 1);
}

Test(SUITE, closed_channels_give_their_descriptors_back)
{
	struct cq a;
	int fd, before;

	fd = channel(&r.b);
	before = open_descriptors();
	for (int i = 0; i < 50; i++) {
		int other = channel(&r.b);

		close(other);
	}
	cr_assert_leq(open_descriptors(), before + 2, "those of the last one");
	a = cq_on(&r, fd, 0xaaaa);
	complete(&r, &a, 1);
	cr_assert_eq(next_event(fd), 0xaaaa, "the one that was kept works on");
}

/* Channels are found by their inode, whose low bits may be equal (event_fd.c, CHAINS). */
Test(SUITE, channels_of_one_chain_are_all_found)
{
	struct stat first, other = { 0 };
	int end[2], fd[3];

	fd[0] = channel(&r.b);
	cr_assert_eq(fstat(fd[0], &first), 0);
	for (int i = 1; i < 3; i++) {
		while ((other.st_ino - first.st_ino) % 4096 != 4095) {
			cr_assert_eq(pipe(end), 0);
			cr_assert_eq(fstat(end[0], &other), 0);
			close(end[0]);
			close(end[1]);
		}
		fd[i] = channel(&r.b);
		cr_assert_eq(fstat(fd[i], &other), 0);
	}
	for (int i = 0; i < 3; i++)
		cq_on(&r, fd[i], 0xaaaa);
}

Test(SUITE, a_used_channel_is_not_swept_away)
{
	struct cq a;
	int fd;

	fd = channel(&r.b);
	a = cq_on(&r, fd, 0xaaaa);
	close(fd);
	close(channel(&r.b));
	close(channel(&r.b));
	complete(&r, &a, 1);
	cr_assert_eq(comp_reported(&r, &a), 0);
}

/* fork() without exec: the child holds a copy of the application's end. */
Test(SUITE, a_child_may_hold_the_channel)
{
	struct cq a;
	int fd, status;
	pid_t child;

	fd = channel(&r.b);
	a = cq_on(&r, fd, 0xaaaa);
	complete(&r, &a, 2);
	child = fork();
	if (!child)
		_exit(next_event(fd) != 0xaaaa);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	cr_assert_eq(next_event(fd), 0xaaaa, "one pipe, two readers");
	cr_assert_not(readable(fd));
	cr_assert_eq(comp_reported(&r, &a), 2);
}

Test(SUITE, any_vector_will_do)
{
	struct cq cq;
	int fd;

	fd = channel(&r.b);
	for (uint32_t v = 0; create_cq_on(&r, fd, v, v, &cq) == 0; v++) {
		complete(&r, &cq, 1);
		cr_assert_eq(next_event(fd), v);
		cr_assert_lt(v, 64);
	}
	cr_assert_eq(create_cq_on(&r, fd, 1u << 31, 0, &cq), -EINVAL);
	rig_down(&r);
	close(fd);
}

Test(SUITE, only_a_channel_is_a_channel)
{
	struct cq cq;
	int fd, stranger[2];

	fd = alloc_async_fd(&r.b);
	cr_assert_eq(create_cq_on(&r, fd, 0, 0, &cq), -EBADF);
	cr_assert_eq(pipe(stranger), 0);
	cr_assert_eq(create_cq_on(&r, stranger[0], 0, 0, &cq), -EBADF);
	cr_assert_eq(create_cq_on(&r, -1, 0, 0, &cq), -EBADF);
}

Test(SUITE, a_channel_is_closed_when_its_number_cannot_be_returned)
{
	struct ib_uverbs_create_comp_channel cmd = { 0 };
	int before;

	before = open_descriptors();
	cr_assert_eq(write_cmd(&r.b, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, &cmd, sizeof(cmd),
			       WILD, 4),
		     -EFAULT);
	cr_assert_eq(open_descriptors(), before);
	cr_assert_eq(write_cmd(&r.b, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, &cmd, 4, WILD, 4),
		     -ENOSPC);
}
