/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each call that sends and each that receives: on a socket of RDMA netlink the answer is that
 * of the kernel, port 0; between other sockets the bytes and the sender are what they are.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "points.h"

ssize_t __recv_chk(int fd, void *buf, size_t len, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t size, int flags,
		       __SOCKADDR_ARG name, socklen_t *name_len);

#define SENDS	 4
#define RECEIVES 7

#define SYS_GET                                                                        \
	{                                                                              \
		NLMSG_HDRLEN, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_GET), \
			NLM_F_REQUEST, 0, 0                                            \
	}

static ssize_t send_by(int how, int fd, void *bytes, size_t len, struct sockaddr_nl *to)
{
	struct iovec part[] = { { bytes, 4 }, { (char *)bytes + 4, len - 4 } };
	struct msghdr m = { to, to ? sizeof(*to) : 0, part, 2, NULL, 0, 0 };

	switch (how) {
	case 0:
		return sendmsg(fd, &m, 0);
	case 1:
		return sendto(fd, bytes, len, 0, (struct sockaddr *)to, to ? sizeof(*to) : 0);
	case 2:
		return send(fd, bytes, len, 0);
	default:
		return write(fd, bytes, len);
	}
}

/* The first three have a name, of *@size bytes. */
static ssize_t receive_named(int how, int fd, char bytes[512], void *from, socklen_t *size)
{
	struct iovec part = { bytes, 512 };
	struct msghdr m = { from, *size, &part, 1, NULL, 0, 0 };
	ssize_t ret;

	if (how)
		return how == 1 ? recvfrom(fd, bytes, 512, MSG_DONTWAIT, from, size)
				: __recvfrom_chk(fd, bytes, 512, 512, MSG_DONTWAIT, from, size);
	ret = recvmsg(fd, &m, MSG_DONTWAIT);
	*size = m.msg_namelen;
	return ret;
}

static ssize_t receive_by(int how, int fd, char bytes[512], struct sockaddr_nl *from)
{
	socklen_t size = sizeof(*from);

	switch (how) {
	case 0 ... 2:
		return receive_named(how, fd, bytes, from, &size);
	case 3:
		return recvfrom(fd, bytes, 512, MSG_DONTWAIT, NULL, NULL);
	case 4:
		return recv(fd, bytes, 512, MSG_DONTWAIT);
	case 5:
		return __recv_chk(fd, bytes, 512, 512, MSG_DONTWAIT);
	default:
		return read(fd, bytes, 512);
	}
}

static int netlink(int protocol, struct sockaddr_nl *own)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK, protocol);
	socklen_t size = sizeof(*own);

	cr_assert_geq(fd, 0, "%m");
	*own = (struct sockaddr_nl){ .nl_family = AF_NETLINK };
	if (protocol == NETLINK_USERSOCK)
		cr_assert_eq(bind(fd, (struct sockaddr *)own, size), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)own, &size), 0);
	return fd;
}

/* One message by each pair of calls, from @a to @b; the sender's port is @port. */
static void check_pairs(int a, int b, struct sockaddr_nl *to, uint32_t port)
{
	struct nlmsghdr h = SYS_GET;

	for (int i = 0; i < SENDS * RECEIVES; i++) {
		struct sockaddr_nl from = { .nl_pid = 99 };
		struct nlmsghdr got[32] = { 0 };

		h.nlmsg_seq = 1000 + (uint32_t)i;
		if (i / RECEIVES > 1 && to && a != b) /* they have no address */
			break;
		cr_expect_eq(send_by(i / RECEIVES, a, &h, sizeof(h), to), sizeof(h), "%d: %m",
			     i);
		cr_expect_geq(receive_by(i % RECEIVES, b, (char *)got, &from),
			      (ssize_t)sizeof(h), "%d: %m", i);
		cr_expect_eq(got->nlmsg_seq, h.nlmsg_seq, "%d", i);
		cr_expect(a != b || got->nlmsg_len > sizeof(h), "%d is no answer", i);
		cr_expect_eq(from.nl_pid, i % RECEIVES < 3 ? port : 99, "%d: %u", i,
			     from.nl_pid);
		errno = 0;
		cr_expect_eq(receive_by(i % RECEIVES, b, (char *)got, &from), -1, "%d", i);
		cr_expect_eq(errno, EAGAIN, "%d: %m", i);
	}
}

/* recvfrom(2): a name is cut to its space, its length is the whole one's. */
Test(sockets, names_are_cut)
{
	struct sockaddr_nl own;
	int fd = netlink(NETLINK_RDMA, &own);
	struct nlmsghdr h = SYS_GET;
	char got[512];

	for (unsigned int i = 0; i < 3 * 15; i++) {
		struct sockaddr_nl name[2] = { { .nl_family = AF_NETLINK } }, kernels[2];
		socklen_t space = i / 3, size = space;

		memcpy(kernels, name, sizeof(name));
		memset((char *)kernels + space, 0xee, sizeof(name) - space);
		memset((char *)kernels + sizeof(*name), 0xee, sizeof(*name));
		memset(name, 0xee, sizeof(name));
		cr_expect_eq(send_by(0, fd, &h, sizeof(h), NULL), sizeof(h));
		cr_expect_gt(receive_named((int)i % 3, fd, got, name, &size), 0);
		cr_expect_eq(size, sizeof(*name), "%u: %u", i, size);
		cr_expect_arr_eq(name, kernels, sizeof(name), "%u", i);
	}
	cr_expect_eq(send_by(0, fd, &h, sizeof(h), NULL), sizeof(h));
	cr_expect_gt(recvmsg(fd,
			     &(struct msghdr){ .msg_namelen = sizeof(own),
					       .msg_iov = &(struct iovec){ got, sizeof(got) },
					       .msg_iovlen = 1 },
			     0),
		     0);
	close(fd);
}

/* By each call, more answers than the socket's buffer has space for. */
Test(sockets, receive_what_waits)
{
	struct sockaddr_nl own;
	struct nlmsghdr h = SYS_GET;
	char got[512];
	int size = 0;

	for (int how = 0; how < RECEIVES; how++) {
		int fd = netlink(NETLINK_RDMA, &own);

		cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
		for (h.nlmsg_seq = 0; h.nlmsg_seq < 50; h.nlmsg_seq++)
			cr_expect_eq(send_by(2, fd, &h, sizeof(h), NULL), sizeof(h));
		for (uint32_t i = 0; i < 50; i++) {
			cr_expect_gt(receive_by(how, fd, got, &own), 0, "%d: %u", how, i);
			cr_expect_eq(((struct nlmsghdr *)got)->nlmsg_seq, i, "%d", how);
		}
		close(fd);
	}
}

Test(sockets, of_rdma_netlink_and_others)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK }, one, other;
	int fd = netlink(NETLINK_RDMA, &one), a, b;

	check_pairs(fd, fd, NULL, 0);
	check_pairs(fd, fd, &kernel, 0);
	close(fd);
	a = netlink(NETLINK_USERSOCK, &one);
	b = netlink(NETLINK_USERSOCK, &other);
	cr_assert_neq(one.nl_pid, 0);
	check_pairs(a, b, &other, one.nl_pid);
	cr_assert_eq(connect(a, (struct sockaddr *)&other, sizeof(other)), 0);
	check_pairs(a, b, NULL, one.nl_pid);
	close(a);
	close(b);
	expect_outside(open("/dev/infiniband/uverbs0", O_RDWR));
}
