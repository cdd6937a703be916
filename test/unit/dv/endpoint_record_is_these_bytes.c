/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* An endpoint as 40 bytes written out here, and back; what is no record is refused; records
 * over a socket that delivers them in pieces. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <criterion/criterion.h>
#include <dv/endpoint.h>

static const uint8_t golden[40] = {
	'd',  'v',  'e',  'p',  1, 2 /* RC */, 2 /* Ethernet */, 3 /* 1024 */,
	0x00, 0x12, 0x34, 0x56, 0x00, 0xab, 0xcd, 0xef,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0xff, 0xff, 0xc0, 0xa8, 0x00, 0x01,
	0x00, 0x07, 2 /* RoCE v2 */, 16, 0, 0, 0, 0,
};

static struct dv_endpoint endpoint(void)
{
	struct dv_endpoint ep = { .qpn = 0x123456, .psn = 0xabcdef, .lid = 7,
				  .qp_type = IBV_QPT_RC,
				  .link_layer = IBV_LINK_LAYER_ETHERNET,
				  .mtu = IBV_MTU_1024, .gid_type = IBV_GID_TYPE_ROCE_V2,
				  .rd_atomic = 16, .port = 1, .gid_index = 3,
				  .init_rd_atomic = 8 };

	memcpy(ep.gid.raw, golden + 16, 16);
	return ep;
}

/* All of the record; what is of the other side only is 0. */
static void is_endpoint(const struct dv_endpoint *ep)
{
	cr_assert_eq(ep->qpn, 0x123456);
	cr_assert_eq(ep->psn, 0xabcdef);
	cr_assert_eq(ep->lid, 7);
	cr_assert_eq(ep->qp_type, IBV_QPT_RC);
	cr_assert_eq(ep->link_layer, IBV_LINK_LAYER_ETHERNET);
	cr_assert_eq(ep->mtu, IBV_MTU_1024);
	cr_assert_eq(ep->gid_type, IBV_GID_TYPE_ROCE_V2);
	cr_assert_eq(ep->rd_atomic, 16);
	cr_assert_eq(ep->port | ep->gid_index | ep->init_rd_atomic, 0);
	cr_assert_arr_eq(ep->gid.raw, golden + 16, 16);
}

Test(endpoint, record)
{
	struct dv_endpoint ep = endpoint();
	uint8_t record[DV_ENDPOINT_BYTES];

	cr_assert_eq(sizeof(golden), (size_t)DV_ENDPOINT_BYTES);
	cr_assert_leq((int)DV_ENDPOINT_BYTES, 56, "private data of an rdma_cm request");
	dv_endpoint_pack(record, &ep);
	cr_assert_arr_eq(record, golden, sizeof(golden));
	memset(&ep, 0xa5, sizeof(ep));
	cr_assert_eq(dv_endpoint_unpack(&ep, golden, sizeof(golden)), 0);
	is_endpoint(&ep);
}

/* A byte of the record, and a value that it never has. */
Test(endpoint, refused)
{
	static const uint8_t wrong[][2] = {
		{ 0, 'D' }, { 3, 0 }, { 4, 0 }, { 4, 2 }, { 6, 0 }, { 6, 3 }, { 7, 0 }, { 7, 6 },
		{ 8, 1 }, { 12, 1 }, { 34, 3 }, { 34, 0 }, { 6, 1 }, { 36, 1 }, { 39, 0x80 },
	};
	struct dv_endpoint ep = { .qpn = 1 };
	uint8_t record[40];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memcpy(record, golden, sizeof(record));
		record[wrong[i][0]] = wrong[i][1];
		cr_assert_eq(dv_endpoint_unpack(&ep, record, sizeof(record)), EPROTO,
			     "byte %u", wrong[i][0]);
		cr_assert_eq(ep.qpn, 1, "a refusal changes nothing");
	}
	memcpy(record, golden, sizeof(record));
	memset(record + 16, 0, 16);
	cr_assert_eq(dv_endpoint_unpack(&ep, record, sizeof(record)), EPROTO, "no GID");
	cr_assert_eq(dv_endpoint_unpack(&ep, golden, 39), EPROTO, "cut off");
}

/* InfiniBand: a LID, and a GID of type IB. */
Test(endpoint, infiniband)
{
	uint8_t record[40], again[40];
	struct dv_endpoint ep;

	memcpy(record, golden, sizeof(record));
	record[6] = IBV_LINK_LAYER_INFINIBAND;
	record[34] = IBV_GID_TYPE_IB;
	memset(record + 16, 0, 16);
	cr_assert_eq(dv_endpoint_unpack(&ep, record, sizeof(record)), 0);
	dv_endpoint_pack(again, &ep);
	cr_assert_arr_eq(again, record, sizeof(record));
}

/* Any bytes are refused, or are those that a pack of the result returns. */
Test(endpoint, garbage)
{
	uint8_t record[40], again[40];
	unsigned int accepted = 0;
	struct dv_endpoint ep;

	srand(1);
	for (int i = 0; i < 200000; i++) {
		memcpy(record, golden, sizeof(record));
		for (int changes = rand() % 4; changes >= 0; changes--)
			record[rand() % 40] = (uint8_t)rand();
		if (dv_endpoint_unpack(&ep, record, (size_t)(rand() % 50) + 30))
			continue;
		accepted++;
		dv_endpoint_pack(again, &ep);
		cr_assert_arr_eq(again, record, sizeof(record));
		cr_assert_leq(ep.qpn | ep.psn, 0xffffffu);
	}
	cr_assert_gt(accepted, 1000);
}

/* ---- over a socket ---- */

static void pair_of_sockets(int fd[2])
{
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
}

/* Two processes exchange theirs. */
Test(endpoint, exchanged, .timeout = 60)
{
	struct dv_endpoint ours = endpoint(), theirs;
	int fd[2], status;
	pid_t child;

	pair_of_sockets(fd);
	child = fork();
	if (!child) {
		close(fd[0]);
		ours.qpn = 0x42;
		_exit(dv_endpoint_exchange(fd[1], &ours, &theirs) || theirs.qpn != 0x123456);
	}
	close(fd[1]);
	cr_assert_eq(dv_endpoint_exchange(fd[0], &ours, &theirs), 0);
	cr_assert_eq(theirs.qpn, 0x42);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	close(fd[0]);
}

static void on_signal(int sig)
{
	(void)sig;
}

struct slow {
	int fd;
	pthread_t reader;
};

/* A byte at a time, and between them a signal, without SA_RESTART, for the reader. Returns what
 * failed; NULL: nothing. */
static void *write_slowly(void *arg)
{
	const struct slow *slow = arg;

	for (size_t i = 0; i < sizeof(golden); i++) {
		pthread_kill(slow->reader, SIGUSR1);
		if (send(slow->fd, golden + i, 1, 0) != 1)
			return "send";
		usleep(200);
	}
	return NULL;
}

Test(endpoint, in_pieces, .timeout = 60)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct dv_endpoint ep;
	struct slow slow;
	pthread_t writer;
	void *failed;
	int fd[2];

	pair_of_sockets(fd);
	sigaction(SIGUSR1, &action, NULL);
	slow = (struct slow){ fd[1], pthread_self() };
	cr_assert_eq(pthread_create(&writer, NULL, write_slowly, &slow), 0);
	cr_assert_eq(dv_endpoint_recv(fd[0], &ep), 0);
	pthread_join(writer, &failed);
	cr_assert_null(failed);
	is_endpoint(&ep);
}

Test(endpoint, connection_that_ends, .timeout = 60)
{
	struct dv_endpoint ep = endpoint();
	uint8_t wrong[40] = "HTTP/1.1 400 Bad Request, and so on ...";
	int fd[2];

	pair_of_sockets(fd);
	cr_assert_eq(send(fd[1], golden, 39, 0), 39);
	shutdown(fd[1], SHUT_WR);
	cr_assert_eq(dv_endpoint_recv(fd[0], &ep), ECONNRESET);
	close(fd[1]);
	cr_assert_eq(dv_endpoint_send(fd[0], &ep), ECONNRESET, "and no SIGPIPE");
	close(fd[0]);

	pair_of_sockets(fd);
	cr_assert_eq(send(fd[1], wrong, 40, 0), 40);
	cr_assert_eq(dv_endpoint_recv(fd[0], &ep), EPROTO);
	cr_assert_eq(dv_endpoint_recv(-1, &ep), EBADF);
}

/* How long it waits is what the socket says. */
Test(endpoint, peer_that_is_silent, .timeout = 60)
{
	struct timeval soon = { .tv_usec = 1000 };
	struct dv_endpoint ep;
	int fd[2];

	pair_of_sockets(fd);
	cr_assert_eq(setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon)), 0);
	cr_assert_eq(dv_endpoint_recv(fd[0], &ep), EAGAIN);
}
