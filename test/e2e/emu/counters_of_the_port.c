/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters in sysfs, RDMA netlink and firmware commands for the same traffic, which is known:
 * marked WRITEs and READs within the process. The names are those of mlx5_ib, written by hand.
 */
#include <dirent.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <dvkit/emu.h>
#include <prm/prm.h>

#include "lib/qp_traffic.h"

#define WRITES 7
#define READS  3

/* Linux 6.1 and 6.12, counters.c: basic_q_cnts, out_of_seq_q_cnts, retrans_q_cnts,
 * extended_err_cnts, cong_cnts. */
#define BASIC	 "rx_write_requests", "rx_read_requests", "rx_atomic_requests"
#define SEQUENCE "out_of_sequence"
#define RETRANS                                                                            \
	"duplicate_request", "rnr_nak_retry_err", "packet_seq_err", "implied_nak_seq_err", \
		"local_ack_timeout_err"
#define EXTENDED                                                          \
	"resp_local_length_error", "resp_cqe_error", "req_cqe_error",     \
		"req_remote_invalid_request", "req_remote_access_errors", \
		"resp_remote_access_errors", "resp_cqe_flush_error", "req_cqe_flush_error"
#define CONG "rp_cnp_ignored", "rp_cnp_handled", "np_ecn_marked_roce_packets", "np_cnp_sent"
static const char *const names_6_1[] = { BASIC,	  "out_of_buffer", SEQUENCE,
					 RETRANS, EXTENDED,	   CONG,
					 NULL };
static const char *const names_6_12[] = { BASIC,
					  "rx_dct_connect",
					  "out_of_buffer",
					  SEQUENCE,
					  RETRANS,
					  EXTENDED,
					  "req_transport_retries_exceeded",
					  "req_rnr_retries_exceeded",
					  CONG,
					  NULL };

static const char *const *names(void)
{
	const char *release = getenv("RELEASE");

	return release && !strcmp(release, "6.12") ? names_6_12 : names_6_1;
}

static struct dvkit_emu_counters emu;

/* All frames are marked; the engine is paused when nothing happens any more. */
static void setup(void)
{
	struct dvkit_emu_counters now;

	rig_start();
	wired();
	cr_assert_eq(dvkit_emu_faults("ecn=1"), 0);
	for (int i = 0; i < WRITES; i++) {
		do_op(IBV_WR_RDMA_WRITE, src_sge(0, 3000), 0, r.dst_mr->rkey);
		ends_in(&r.a, IBV_WC_SUCCESS);
	}
	for (int i = 0; i < READS; i++) {
		do_op(IBV_WR_RDMA_READ, src_sge(0, 3000), 0, r.dst_mr->rkey);
		ends_in(&r.a, IBV_WC_SUCCESS);
	}
	do {
		dvkit_emu_query_counters(&now, sizeof(now));
		usleep(10000);
		dvkit_emu_query_counters(&emu, sizeof(emu));
	} while (now.rx_frames != emu.rx_frames || emu.rx_frames != emu.tx_frames);
	cr_assert_eq(dvkit_emu_pause(), 0);
}

TestSuite(counters_of_the_port, .init = setup, .fini = rig_stop);

static uint64_t in_sysfs(const char *folder, const char *name)
{
	uint64_t value;
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/%s/%s",
		 ibv_get_device_name(r.ctx->device), folder, name);
	f = fopen(path, "r");
	cr_assert(f, "%s", path);
	cr_assert_eq(fscanf(f, "%" SCNu64, &value), 1, "%s", path);
	fclose(f);
	return value;
}

static uint64_t hw(const char *name)
{
	return in_sysfs("hw_counters", name);
}

Test(counters_of_the_port, count_what_happened)
{
	cr_expect_eq(hw("rx_write_requests"), WRITES);
	cr_expect_eq(hw("rx_read_requests"), READS);
	cr_expect_eq(hw("rx_atomic_requests"), 0);
	cr_expect_eq(hw("np_ecn_marked_roce_packets"), emu.marked);
	/* 3 packets a WRITE and a READ response, an ACK each WRITE, a request each READ. */
	cr_expect_geq(emu.marked, WRITES * 4 + READS * 4);
	cr_expect_geq(hw("np_cnp_sent"), 1);
	cr_expect_eq(hw("np_cnp_sent"), emu.tx_frames - emu.marked);
	cr_expect_eq(hw("rp_cnp_handled"), hw("np_cnp_sent"));
	cr_expect_eq(hw("rp_cnp_ignored"), 0);
	cr_expect_eq(in_sysfs("counters", "port_xmit_packets"), emu.tx_frames);
	cr_expect_eq(in_sysfs("counters", "port_rcv_packets"), emu.rx_frames);
	cr_expect_eq(in_sysfs("counters", "unicast_xmit_packets"), emu.tx_frames);
	cr_expect_eq(in_sysfs("counters", "multicast_xmit_packets"), 0);
	/* words of 4 bytes */
	cr_expect_geq(in_sysfs("counters", "port_xmit_data"), (WRITES + READS) * 3000 / 4);
	cr_expect_eq(in_sysfs("counters", "port_rcv_errors"), 0);
}

/* As many files as counters, and lifespan. */
Test(counters_of_the_port, have_a_file_each)
{
	char path[200];
	unsigned int files = 0, n = 0;
	struct dirent *file;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters",
		 ibv_get_device_name(r.ctx->device));
	dir = opendir(path);
	cr_assert(dir);
	while ((file = readdir(dir)))
		files += file->d_name[0] != '.';
	closedir(dir);
	while (names()[n])
		n++;
	cr_expect_eq(files, n + 1);
}

static void command(void *in, size_t in_len, void *out, size_t out_len)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *ctx = mlx5dv_open_device(r.ctx->device, &attr);

	cr_assert(ctx);
	cr_assert_eq(mlx5dv_devx_general_cmd(ctx, in, in_len, out, out_len), 0);
	ibv_close_device(ctx);
}

#define COMMAND(name, NAME)                            \
	uint8_t in[PRM_SZ(name##_in)] = { 0 };         \
	uint8_t out[PRM_SZ(name##_out)] = { 0 };       \
	PRM_SET(name##_in, in, opcode, PRM_OP_##NAME); \
	command(in, sizeof(in), out, sizeof(out))

/* QUERY_Q_COUNTER of the kernel's set is not for programs (kernel, devx.c,
 * devx_is_general_cmd). */
Test(counters_of_the_port, agree_with_query_cong_statistics)
{
	COMMAND(query_cong_statistics, QUERY_CONG_STATISTICS);
	cr_expect_eq(PRM_GET(query_cong_statistics_out, out, np_ecn_marked_roce_packets_low),
		     hw("np_ecn_marked_roce_packets"));
	cr_expect_eq(PRM_GET(query_cong_statistics_out, out, np_cnp_sent_low),
		     hw("np_cnp_sent"));
	cr_expect_eq(PRM_GET(query_cong_statistics_out, out, rp_cnp_handled_low),
		     hw("rp_cnp_handled"));
}

Test(counters_of_the_port, agree_with_query_vport_counter)
{
	const uint8_t *t;

	COMMAND(query_vport_counter, QUERY_VPORT_COUNTER);
	t = PRM_ADDR(query_vport_counter_out, out, transmitted_ib_unicast);
	cr_expect_eq(PRM_GET(traffic_counter, t, octets) / 4,
		     in_sysfs("counters", "port_xmit_data"));
	t = PRM_ADDR(query_vport_counter_out, out, received_ib_unicast);
	cr_expect_eq(PRM_GET(traffic_counter, t, packets),
		     in_sysfs("counters", "unicast_rcv_packets"));
}

/* ---- netlink ---- */

static _Alignas(8) uint8_t got[8192];

/* The answer to STAT_GET for port @port. */
static const struct nlmsghdr *ask(uint32_t port)
{
	struct nlmsghdr h = { .nlmsg_len = 32,
			      .nlmsg_type = (RDMA_NL_NLDEV << 10) + RDMA_NLDEV_CMD_STAT_GET,
			      .nlmsg_flags = NLM_F_REQUEST };
	uint32_t words[8] = { 0 };
	struct nlattr a = { 8, RDMA_NLDEV_ATTR_DEV_INDEX };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA);

	memcpy(words, &h, 16);
	memcpy(words + 4, &a, 4);
	a.nla_type = RDMA_NLDEV_ATTR_PORT_INDEX;
	memcpy(words + 6, &a, 4);
	words[7] = port;
	cr_assert_geq(fd, 0);
	cr_assert_eq(send(fd, words, sizeof(words), 0), sizeof(words));
	cr_assert_gt(recv(fd, got, sizeof(got), 0), 16);
	close(fd);
	return (const void *)got;
}

/* The attribute of @type in the @len bytes at @at. */
static const struct nlattr *find(const uint8_t *at, size_t len, uint16_t type)
{
	for (size_t i = 0; i + 4 <= len;) {
		const struct nlattr *a = (const void *)(at + i);

		if (a->nla_type == type)
			return a;
		i += NLA_ALIGN(a->nla_len);
	}
	cr_assert_fail("no attribute %u", type);
	return NULL;
}

#define BODY(a) (const uint8_t *)(a) + 4, (a)->nla_len - 4u

/* In the order of mlx5_ib, and with the values of sysfs. */
Test(counters_of_the_port, agree_with_netlink)
{
	const struct nlmsghdr *h = ask(1);
	const struct nlattr *table, *entry, *name, *number;
	unsigned int n = 0;
	uint64_t value;

	cr_assert_eq(h->nlmsg_type, (RDMA_NL_NLDEV << 10) + RDMA_NLDEV_CMD_STAT_GET);
	table = find(got + 16, h->nlmsg_len - 16, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	for (size_t i = 4; i < table->nla_len; i += NLA_ALIGN(entry->nla_len), n++) {
		entry = (const void *)((const uint8_t *)table + i);
		cr_assert_eq(entry->nla_type, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
		name = find(BODY(entry), RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME);
		number = find(BODY(entry), RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE);
		cr_assert(names()[n]);
		cr_expect_str_eq((const char *)name + 4, names()[n]);
		memcpy(&value, (const uint8_t *)number + 4, sizeof(value));
		cr_expect_eq(value, hw(names()[n]), "%s", names()[n]);
	}
	cr_expect_null(names()[n]);
}

Test(counters_of_the_port, netlink_has_one_port)
{
	int32_t error;

	cr_assert_eq(ask(2)->nlmsg_type, NLMSG_ERROR);
	memcpy(&error, got + 16, sizeof(error));
	cr_expect_eq(error, -EINVAL);
}

/* ---- faults of the link ---- */

TestSuite(faults_of_the_link, .init = rig_start, .fini = rig_stop);

static struct dvkit_emu_counters after(const char *faults)
{
	struct dvkit_emu_counters c;

	cr_assert_eq(dvkit_emu_faults(faults), 0);
	for (int i = 0; i < 50; i++) {
		do_op(IBV_WR_RDMA_WRITE, src_sge(0, 3000), 0, r.dst_mr->rkey);
		ends_in(&r.a, IBV_WC_SUCCESS);
	}
	cr_assert_eq(dvkit_emu_query_counters(&c, sizeof(c)), 0);
	return c;
}

Test(faults_of_the_link, are_counted_as_what_they_are)
{
	static const char *const faults[] = { "drop=5%:5",   "dup=1",	     "reorder=1",
					      "delay=1:1ms", "corrupt=5%:5", "ecn=1" };
	struct dvkit_emu_counters last = { 0 };

	with.retry_cnt = 7;
	pair(with);
	for (unsigned int i = 0; i < 6; i++) {
		struct dvkit_emu_counters c = after(faults[i]);
		const uint64_t counts[] = {
			c.dropped - last.dropped,     c.duplicated - last.duplicated,
			c.reordered - last.reordered, c.delayed - last.delayed,
			c.corrupted - last.corrupted, c.marked - last.marked,
		};

		last = after(""); /* until late frames have arrived */
		for (unsigned int k = 0; k < 6; k++)
			cr_expect_eq(counts[k] != 0, k == i, "%s: %" PRIu64 " of kind %u",
				     faults[i], counts[k], k);
	}
}
