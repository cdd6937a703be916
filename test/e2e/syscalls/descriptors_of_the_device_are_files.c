/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each call that makes, moves or closes descriptors, on those of the device's files and of an
 * RDMA netlink socket: the right ones are the device's afterwards, and the adapter's own are
 * not the program's.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "points.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4
#endif

enum { UVERBS, CM, FWCTL, NETLINK, KINDS };
enum { GONE, OTHER, DEVICE };

/* O_NONBLOCK and O_CLOEXEC are also flags of socket(2). */
static int try_to_open(int kind, int flags)
{
	static const char *const paths[] = { "/dev/infiniband/uverbs0",
					     "/dev/infiniband/rdma_cm", "/dev/fwctl/fwctl0" };

	return kind == NETLINK ? socket(AF_NETLINK, SOCK_RAW | flags, NETLINK_RDMA)
			       : open(paths[kind], O_RDWR | flags);
}

static int open_it(int kind)
{
	int fd = try_to_open(kind, 0);

	cr_assert_geq(fd, 0, "%d: %m", kind);
	return fd;
}

/* An RDMA netlink socket answers; the device's files have no position, other files do. */
static int what_is(int kind, int fd)
{
	struct nlmsghdr h = { NLMSG_HDRLEN,
			      RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET),
			      NLM_F_REQUEST, 1, 0 };
	char answer[512];

	if (fcntl(fd, F_GETFD) < 0)
		return GONE;
	if (kind == NETLINK)
		return send(fd, &h, sizeof(h), 0) == sizeof(h) &&
				       recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0
			       ? DEVICE
			       : OTHER;
	return lseek(fd, 0, SEEK_CUR) < 0 && errno == ESPIPE ? DEVICE : OTHER;
}

#define EXPECT(fd, what)                                                                       \
	cr_expect_eq(what_is(kind, fd), what, "kind %d, descriptor %d: %d, line %d", kind, fd, \
		     what_is(kind, fd), __LINE__)

Test(descriptors, are_made_of_others)
{
	for (int kind = 0; kind < KINDS; kind++) {
		int fd = open_it(kind), null = open("/dev/zero", O_RDONLY), made[6];

		made[0] = dup(fd);
		made[1] = dup2(fd, 500);
		made[2] = dup3(fd, 501, O_CLOEXEC);
		made[3] = fcntl(fd, F_DUPFD, 600);
		made[4] = fcntl(fd, F_DUPFD_CLOEXEC, 600);
		made[5] = fcntl64(fd, F_DUPFD, 700);
		cr_expect_eq(made[1], 500);
		cr_expect_eq(made[2], 501);
		cr_expect_eq(made[3], 600);
		cr_expect_eq(made[4], 601);
		cr_expect_eq(made[5], 700);
		for (int i = 0; i < 6; i++) {
			EXPECT(made[i], DEVICE);
			cr_expect_eq(fcntl(made[i], F_GETFD),
				     i == 2 || i == 4 ? FD_CLOEXEC : 0);
		}
		cr_expect_eq(dup2(fd, fd), fd);
		EXPECT(fd, DEVICE);
		errno = 0;
		cr_expect_eq(dup3(fd, fd, 0), -1);
		cr_expect_eq(errno, EINVAL);
		cr_expect_eq(dup2(999, fd), -1, "of no file");
		EXPECT(fd, DEVICE);
		cr_expect_eq(close(fd), 0);
		EXPECT(fd, GONE);
		EXPECT(made[0], DEVICE);
		/* others take their places */
		cr_expect_eq(dup2(null, made[0]), made[0]);
		EXPECT(made[0], OTHER);
		cr_expect_eq(dup3(null, made[1], 0), made[1]);
		EXPECT(made[1], OTHER);
		cr_expect_eq(dup2(made[2], null), null);
		EXPECT(null, DEVICE);
		for (int i = 0; i < 6; i++)
			close(made[i]);
		EXPECT(null, DEVICE);
		close(null);
		EXPECT(null, GONE);
		expect_outside(open_it(UVERBS));
	}
}

Test(descriptors, are_closed_in_ranges)
{
	static const struct {
		unsigned int first, last;
		int flags;
	} rows[] = { { 501, 502, 0 },  { 500, 500, 0 },
		     { 503, ~0u, 0 },  { 499, 504, 0 },
		     { 504, 600, 0 },  { 400, 499, 0 },
		     { 502, 501, 0 },  { 501, 502, CLOSE_RANGE_CLOEXEC },
		     { 502, 502, 99 }, { 501, ~0u, 0x100 } };

	for (int kind = 0; kind < KINDS; kind++)
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			bool wrong = rows[i].first > rows[i].last || rows[i].flags == 99,
			     from = rows[i].flags == 0x100;
			int fd = open_it(kind), ret = 0;

			for (int k = 500; k < 504; k++)
				dup2(fd, k);
			close(fd);
			if (from)
				closefrom((int)rows[i].first);
			else
				ret = close_range(rows[i].first, rows[i].last, rows[i].flags);
			cr_expect_eq(ret, wrong ? -1 : 0, "row %zu", i);
			for (unsigned int k = 500; k < 504; k++) {
				bool inside = k >= rows[i].first && k <= rows[i].last,
				     kept = rows[i].flags == CLOSE_RANGE_CLOEXEC || wrong;

				EXPECT((int)k, inside && !kept ? GONE : DEVICE);
				if (inside && rows[i].flags == CLOSE_RANGE_CLOEXEC)
					cr_expect_eq(fcntl((int)k, F_GETFD), FD_CLOEXEC);
				close((int)k);
			}
		}
	expect_outside(open_it(UVERBS));
}

/* Every call that makes a descriptor, where 0 is the lowest free number. */
Test(descriptors, may_have_number_0)
{
	static const char counter[] =
		"/sys/class/infiniband/mlx5_0/ports/1/counters/link_downed";
	char text[2];

	for (int kind = 0; kind < KINDS; kind++) {
		int fd = open_it(kind);

		for (int how = 0; how < 6; how++) {
			int flags = how % 2 ? FD_CLOEXEC : 0;

			close_range(0, 0, 0);
			EXPECT(0, GONE);
			cr_expect_eq(how == 0	? dup(fd)
				     : how == 1 ? dup3(fd, 0, O_CLOEXEC)
				     : how == 2 ? dup2(fd, 0)
				     : how == 3 ? fcntl(fd, F_DUPFD_CLOEXEC, 0)
				     : how == 4 ? fcntl(fd, F_DUPFD, 0)
						: try_to_open(kind, O_CLOEXEC),
				     0, "%d: %d", kind, how);
			EXPECT(0, DEVICE);
			cr_expect_eq(fcntl(0, F_GETFD), flags, "%d: %d", kind, how);
		}
		cr_expect_eq(close(0), 0);
		cr_expect_eq(open(counter, O_RDONLY), 0);
		EXPECT(0, OTHER);
		cr_expect(read(0, text, 2) == 2 && !memcmp(text, "0\n", 2));
		EXPECT(fd, DEVICE);
		close(fd);
	}
	expect_outside(open_it(UVERBS));
}

/* open(2), mmap(2): what is refused leaves no descriptor, and what is not leaves errno. */
Test(descriptors, are_refused_as_those_of_other_files)
{
	struct rlimit all, none;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	none = (struct rlimit){ 1, all.rlim_max };
	for (int kind = 0; kind < KINDS; kind++) {
		int fd = open_it(kind), again;

		errno = 0;
		cr_expect_eq(mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, 0), MAP_FAILED);
		cr_expect_eq(errno, EINVAL, "%d: %m", kind);
		errno = 0;
		cr_expect_eq(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), MAP_FAILED);
		cr_expect_eq(errno, kind == UVERBS ? EINVAL : ENODEV, "%d: %m", kind);
		cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
		for (int i = 0; i < 100; i++) {
			errno = 0;
			cr_expect_eq(try_to_open(kind, 0), -1);
			cr_expect_eq(errno, EMFILE, "%d: %m", kind);
		}
		cr_assert_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
		errno = EDOM;
		again = open_it(kind);
		cr_expect_lt(again, fd + 100, "100 are left"); /* threads may have some */
		cr_expect_eq(errno, EDOM, "%d: %m", kind);
		if (kind != NETLINK) {
			cr_expect_eq(try_to_open(kind, O_DIRECTORY), -1);
			cr_expect_eq(errno, ENOTDIR);
		}
		close(again);
		close(fd);
		again = try_to_open(kind, O_NONBLOCK);
		cr_expect(kind == UVERBS || fcntl(again, F_GETFL) & O_NONBLOCK, "%d", kind);
		close(again);
	}
	expect_outside(open_it(UVERBS));
}

/* The adapter's first descriptor, if the device is open. */
static int adapters(void)
{
	int fd = 1024;

	while (fd < 65536 && fcntl(fd, F_GETFD) < 0)
		fd++;
	return fd;
}

static bool is_refused(int ret)
{
	return ret == -1 && errno == EBADF;
}

static int answer; /* of close_range() */

static void closes_all(void)
{
	int fd = open_it(UVERBS), own = adapters();

	CHILD_CHECK(is_refused(close(own)));
	CHILD_CHECK(is_refused(dup2(fd, own)));
	CHILD_CHECK(is_refused(dup3(fd, own, O_CLOEXEC)));
	CHILD_CHECK(!close_range((unsigned int)own, (unsigned int)own, 0));
	CHILD_CHECK(close_range(1024, ~0u, 0) == answer);
	CHILD_CHECK(fcntl(own, F_GETFD) == FD_CLOEXEC);
	CHILD_CHECK(what_is(UVERBS, fd) == DEVICE);
	closefrom(-1);
	CHILD_CHECK(fcntl(own, F_GETFD) == FD_CLOEXEC);
	CHILD_CHECK(fcntl(0, F_GETFD) < 0);
	CHILD_CHECK(what_is(UVERBS, open_it(UVERBS)) == DEVICE);
}

/* Before Linux 5.9 */
static void closes_all_without_close_range(void)
{
	in_child_refuse(SYS_close_range, ENOSYS);
	answer = -1;
	closes_all();
}

Test(descriptors, of_the_adapter_are_not_closed)
{
	in_child(closes_all);
	in_child(closes_all_without_close_range);
}
