/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests as a program writes them, right and wrong ones, and what the kernel answers to them
 * (netlink.c, nldev.c of drivers/infiniband/core); then random ones. Under dvkit-emu.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <rdma/rdma_netlink.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TYPE(op) ((RDMA_NL_NLDEV << 10) + (op))

static int failed;

#define EXPECT(condition)                                                      \
	do {                                                                   \
		if (!(condition)) {                                            \
			printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			failed = 1;                                            \
		}                                                              \
	} while (0)

static struct {
	struct nlmsghdr h;
	uint8_t rest[256];
} req;

static int open_socket(void)
{
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);

	EXPECT(fd >= 0);
	EXPECT(!bind(fd, (struct sockaddr *)&any, sizeof(any)));
	return fd;
}

static void begin(uint16_t type, uint16_t flags)
{
	memset(&req, 0, sizeof(req));
	req.h = (struct nlmsghdr){ .nlmsg_len = NLMSG_HDRLEN,
				   .nlmsg_type = type,
				   .nlmsg_flags = flags,
				   .nlmsg_seq = 77 };
}

static void add(uint16_t type, const void *value, size_t len)
{
	struct nlattr a = { .nla_len = NLA_HDRLEN + len, .nla_type = type };

	memcpy((uint8_t *)&req + req.h.nlmsg_len, &a, sizeof(a));
	memcpy((uint8_t *)&req + req.h.nlmsg_len + NLA_HDRLEN, value, len);
	req.h.nlmsg_len += NLA_ALIGN(NLA_HDRLEN + len);
}

static void add_u32(uint16_t type, uint32_t v)
{
	add(type, &v, sizeof(v));
}

static _Alignas(8) uint8_t got[65536];

/* The next datagram; its bytes, 0: there is none. */
static ssize_t next(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct sockaddr_nl from = { 0 };
	struct iovec part = { got, sizeof(got) };
	struct msghdr m = { .msg_name = &from,
			    .msg_namelen = sizeof(from),
			    .msg_iov = &part,
			    .msg_iovlen = 1 };
	ssize_t n;

	if (poll(&p, 1, 0) != 1)
		return 0;
	n = recvmsg(fd, &m, 0);
	EXPECT(n > 0);
	EXPECT(m.msg_namelen == sizeof(from) && from.nl_family == AF_NETLINK && !from.nl_pid);
	return n;
}

static const struct nlmsghdr *head(void)
{
	return (const void *)got;
}

static int error_in(void)
{
	int e;

	memcpy(&e, got + NLMSG_HDRLEN, sizeof(e));
	return e;
}

/* Sends the request, expects nothing but this error (0: an acknowledge). */
static void expect_error(int fd, int error)
{
	EXPECT(send(fd, &req, req.h.nlmsg_len, 0) == (ssize_t)req.h.nlmsg_len);
	EXPECT(next(fd) >= NLMSG_HDRLEN + 4);
	EXPECT(head()->nlmsg_type == NLMSG_ERROR && head()->nlmsg_seq == 77);
	EXPECT(error_in() == error);
	EXPECT(!memcmp(got + NLMSG_HDRLEN + 4, &req.h, NLMSG_HDRLEN));
	EXPECT(!next(fd));
}

/* All checks are in test/unit/nldev. */
static void wrong_ones(int fd)
{
	begin(TYPE(RDMA_NLDEV_CMD_GET), NLM_F_REQUEST); /* names no device */
	expect_error(fd, -EINVAL);
	begin(NLMSG_NOOP, NLM_F_REQUEST | NLM_F_ACK);
	expect_error(fd, 0);
}

/* A wrong dump ends with its error; no acknowledge follows, although one is asked for. */
static void wrong_dump(int fd)
{
	begin(TYPE(RDMA_NLDEV_CMD_RES_QP_GET), NLM_F_REQUEST | NLM_F_DUMP | NLM_F_ACK);
	EXPECT(send(fd, &req, req.h.nlmsg_len, 0) > 0);
	EXPECT(next(fd) == NLMSG_HDRLEN + 4);
	EXPECT(head()->nlmsg_type == NLMSG_DONE && head()->nlmsg_flags & NLM_F_MULTI);
	EXPECT(error_in() == -EINVAL);
	EXPECT(!next(fd));
}

static void right_ones(int fd)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK }, other = kernel;

	begin(TYPE(RDMA_NLDEV_CMD_GET), NLM_F_REQUEST | NLM_F_ACK);
	add_u32(RDMA_NLDEV_ATTR_DEV_INDEX, 0);
	EXPECT(sendto(fd, &req, req.h.nlmsg_len, 0, (struct sockaddr *)&kernel,
		      sizeof(kernel)) == (ssize_t)req.h.nlmsg_len);
	EXPECT(next(fd) > NLMSG_HDRLEN);
	EXPECT(head()->nlmsg_type == TYPE(RDMA_NLDEV_CMD_GET) && !head()->nlmsg_flags);
	EXPECT(memmem(got, sizeof(got), "mlx5_0", 7) != NULL);
	EXPECT(next(fd) && head()->nlmsg_type == NLMSG_ERROR && !error_in());
	begin(TYPE(RDMA_NLDEV_CMD_GET), NLM_F_REQUEST | NLM_F_DUMP);
	EXPECT(write(fd, &req, req.h.nlmsg_len) == (ssize_t)req.h.nlmsg_len);
	EXPECT(next(fd) && head()->nlmsg_flags == NLM_F_MULTI);
	EXPECT(next(fd) && head()->nlmsg_type == NLMSG_DONE && !error_in());
	other.nl_pid = 1; /* another process */
	EXPECT(sendto(fd, &req, 16, 0, (struct sockaddr *)&other, sizeof(other)) < 0 &&
	       errno == ECONNREFUSED);
	EXPECT(sendto(fd, (void *)1, 16, 0, NULL, 0) < 0 && errno == EFAULT);
}

/* In Linux 6.12 and not in 6.1: commands 25 to 27, and attributes. */
static void releases(int fd, int is_new)
{
	const int refusal = geteuid() ? -EPERM : -EOPNOTSUPP;
	const struct nlattr *a;
	int seen = 0;

	for (int op = 25; op <= 28; op++) {
		begin(TYPE(op), NLM_F_REQUEST);
		expect_error(fd, is_new && op < 28 ? refusal : -EINVAL);
	}
	begin(TYPE(RDMA_NLDEV_CMD_SYS_GET), NLM_F_REQUEST);
	EXPECT(send(fd, &req, req.h.nlmsg_len, 0) > 0 && next(fd));
	for (uint32_t at = NLMSG_HDRLEN; at < head()->nlmsg_len; at += NLA_ALIGN(a->nla_len)) {
		a = (const void *)(got + at);
		seen |= a->nla_type == 103 && got[at + NLA_HDRLEN] == 1; /* MONITOR_MODE */
	}
	EXPECT(seen == is_new);
	seen = 0;
	begin(TYPE(RDMA_NLDEV_CMD_GET), NLM_F_REQUEST);
	add_u32(RDMA_NLDEV_ATTR_DEV_INDEX, 0);
	EXPECT(send(fd, &req, req.h.nlmsg_len, 0) > 0 && next(fd));
	for (uint32_t at = NLMSG_HDRLEN; at < head()->nlmsg_len; at += NLA_ALIGN(a->nla_len)) {
		a = (const void *)(got + at);
		seen |= a->nla_type == 101; /* NAME_ASSIGN_TYPE */
	}
	EXPECT(seen == is_new);
}

static void descriptors(int fd)
{
	int copy = dup(fd), status;

	close(fd);
	begin(TYPE(RDMA_NLDEV_CMD_SYS_GET), NLM_F_REQUEST);
	EXPECT(send(copy, &req, req.h.nlmsg_len, 0) > 0 && next(copy));
	if (!fork()) { /* a child's requests are answered, too */
		EXPECT(send(copy, &req, req.h.nlmsg_len, 0) > 0 && next(copy));
		_exit(failed);
	}
	wait(&status);
	EXPECT(!status);
	close(copy);
	EXPECT(send(copy, &req, 16, 0) < 0 && errno == EBADF);
	fd = open("/dev/null", O_RDWR); /* the number is another file's now */
	EXPECT(fd == copy || dup2(fd, copy) == copy);
	EXPECT(send(copy, &req, 16, 0) < 0 && errno == ENOTSOCK);
}

/* Whatever comes, the answers are whole messages. */
static void noise(int fd)
{
	uint8_t bytes[128];

	srandom(1);
	for (int round = 0; round < 20000; round++) {
		size_t len = random() % sizeof(bytes);
		struct nlmsghdr h = { .nlmsg_len = random() % 3 ? (uint32_t)len
								: (uint32_t)random() % 200,
				      .nlmsg_type = TYPE(random() % 40),
				      .nlmsg_flags = random() };
		ssize_t n;

		for (size_t i = 0; i < len; i++)
			bytes[i] = random() % 4 ? random() % 12 : random();
		if (len >= sizeof(h) && random() % 8)
			memcpy(bytes, &h, sizeof(h));
		EXPECT(send(fd, bytes, len, 0) == (ssize_t)len);
		while ((n = next(fd))) {
			EXPECT((size_t)n >= sizeof(struct nlmsghdr));
			EXPECT(head()->nlmsg_len == (size_t)n);
		}
	}
}

int main(int argc, char **argv)
{
	int fd = open_socket();

	right_ones(fd);
	wrong_ones(fd);
	wrong_dump(fd);
	releases(fd, argc > 1 && !strcmp(argv[1], "6.12"));
	noise(fd);
	descriptors(fd);
	return failed;
}
