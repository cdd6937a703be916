/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests of RDMA netlink to three devices without an adapter: each command, allowed or not;
 * each attribute that is missing, wrong or too short; each length of a datagram. Commands and
 * checks are those of Linux 6.1, nldev.c and netlink.c.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nldev/nldev.h"

#define PORTID	 4711
#define SEQ	 77
#define NOTHING	 2
#define TYPE(op) ((RDMA_NL_NLDEV << 10) + (op))

static void count_nothing(const struct nldev_device *d, struct hca_counted *sum)
{
	(void)d;
	memset(sum, 0, sizeof(*sum));
}

static struct nldev_device devices[3];

static void begin(void)
{
	static const char *const names[3][2] = { { "mlx5_0", "uverbs0" },
						 { "mlx5_1", "uverbs1" },
						 { "mlx5_2", "uverbs2" } };
	static const unsigned int minors[3] = { 192, 193, 0x12345 };

	for (int i = 0; i < 3; i++)
		devices[i] = (struct nldev_device){ .name = names[i][0],
						    .fw_ver = "16.35.2000",
						    .netdev = "lo",
						    .uverbs_name = names[i][1],
						    .uverbs_node = makedev(231, minors[i]),
						    .cm_node = makedev(10, 58),
						    .kernel = KERNEL_RELEASE(6, 1),
						    .counted = count_nothing };
}

TestSuite(request, .init = begin);

/* ---- a request and its answers ---- */

static _Alignas(8) uint8_t request[512];

static struct nlmsghdr *head(void)
{
	return (struct nlmsghdr *)request;
}

static void make(uint16_t op, uint16_t flags)
{
	memset(request, 0, sizeof(request));
	*head() = (struct nlmsghdr){ NLMSG_HDRLEN, TYPE(op), NLM_F_REQUEST | flags, SEQ, 0 };
}

static void add(uint16_t type, const void *value, size_t len)
{
	struct nlattr a = { .nla_len = NLA_HDRLEN + len, .nla_type = type };

	memcpy(request + head()->nlmsg_len, &a, sizeof(a));
	memcpy(request + head()->nlmsg_len + NLA_HDRLEN, value, len);
	head()->nlmsg_len += NLA_ALIGN(NLA_HDRLEN + len);
}

static void add_u32(uint16_t type, uint32_t v)
{
	add(type, &v, sizeof(v));
}

/* About the device of @index. */
static void make_of(uint16_t op, uint16_t flags, uint32_t index)
{
	make(op, flags);
	add_u32(RDMA_NLDEV_ATTR_DEV_INDEX, index);
}

static struct {
	unsigned int n;
	size_t len[8];
	_Alignas(8) uint8_t bytes[8][4096];
} got;

static void take(void *to, const void *bytes, size_t len)
{
	const struct nlmsghdr *h = bytes;

	(void)to;
	cr_assert_lt(got.n, 8);
	cr_expect_eq(h->nlmsg_len, len);
	cr_expect_eq(h->nlmsg_pid, PORTID);
	cr_expect_eq(h->nlmsg_seq, SEQ);
	got.len[got.n] = len;
	memcpy(got.bytes[got.n++], bytes, len);
}

static const struct nlmsghdr *answer(unsigned int i)
{
	return (const void *)got.bytes[i];
}

static int error_of(unsigned int i)
{
	int error;

	memcpy(&error, got.bytes[i] + NLMSG_HDRLEN, sizeof(error));
	return error;
}

/* 1: data; 0 or -errno: this error and nothing else, or an empty dump; or NOTHING. */
static int ask_bytes(size_t len)
{
	got.n = 0;
	nldev_request(devices, 3, PORTID, request, len, take, NULL);
	if (!got.n)
		return NOTHING;
	if (answer(0)->nlmsg_type == NLMSG_ERROR) {
		cr_expect_eq(got.n, 1);
		cr_expect_eq(answer(0)->nlmsg_flags, 0);
		return error_of(0);
	}
	if (answer(got.n - 1)->nlmsg_type == NLMSG_DONE)
		return got.n > 1 ? 1 : error_of(0);
	cr_expect_eq(got.n, 1);
	return 1;
}

static int ask(void)
{
	return ask_bytes(head()->nlmsg_len);
}

/* The attribute @type of the first answer; NULL: it has none. */
static const void *attribute(uint16_t type)
{
	const struct nlattr *a;

	for (size_t at = NLMSG_HDRLEN; at < got.len[0]; at += NLA_ALIGN(a->nla_len)) {
		a = (const void *)(got.bytes[0] + at);
		if (a->nla_type == type)
			return a + 1;
	}
	return NULL;
}

static uint64_t number(uint16_t type, size_t len)
{
	uint64_t v = 0;

	cr_assert_not_null(attribute(type), "no attribute %u", type);
	memcpy(&v, attribute(type), len);
	return v;
}

/* ---- commands ---- */

/* Does the process have the right now? */
static bool set_net_admin(bool on)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2];

	cr_assert_eq(syscall(SYS_capget, &h, d), 0);
	d[0].effective = on ? d[0].effective | (d[0].permitted & 1u << CAP_NET_ADMIN)
			    : d[0].effective & ~(1u << CAP_NET_ADMIN);
	cr_assert_eq(syscall(SYS_capset, &h, d), 0);
	return d[0].effective & 1u << CAP_NET_ADMIN;
}

/* nldev_cb_table of Linux 6.1, and its rows since 6.12: 'd' doit, 'D' dump, 'a' for
 * administrators; '!': the emulator does not have it. */
static const char *row_of(unsigned int op, bool new)
{
	static const char *const rows[28] = {
		[1] = "dD",   [2] = "da!",  [3] = "da!",   [4] = "da!",	  [5] = "dD",
		[6] = "d",    [7] = "da!",  [9] = "dD",	   [10] = "dD",	  [11] = "dD",
		[12] = "dD",  [13] = "dD",  [14] = "dD",   [15] = "d",	  [16] = "da!",
		[17] = "dD",  [18] = "da!", [19] = "dDa!", [20] = "dDa!", [21] = "dDa!",
		[22] = "dD",  [23] = "dD",  [24] = "d!",   [25] = "dDa!", [26] = "da!",
		[27] = "da!",
	};

	return op < (new ? 28 : 25) ? rows[op] : NULL;
}

static int result_of(const char *row, bool dump, bool admin, int else_)
{
	if (row && strchr(row, 'a') && !admin)
		return -EPERM;
	if (!row || !strchr(row, dump ? 'D' : 'd'))
		return -EINVAL;
	return strchr(row, '!') ? -EOPNOTSUPP : else_ == -EOPNOTSUPP ? 0 : else_;
}

Test(request, of_each_command)
{
	static const uint16_t kernels[2] = { KERNEL_RELEASE(6, 1), KERNEL_RELEASE(6, 12) };
	static const uint16_t flags[4] = { 0, NLM_F_ROOT, NLM_F_MATCH, NLM_F_DUMP };

	for (unsigned int i = 0; i < 64 * 4 * 2 * 2; i++) {
		unsigned int op = i % 64, dump = i / 64 % 4, new = i / 512;
		bool admin = set_net_admin(i / 256 % 2);
		int ret, expected;

		for (int d = 0; d < 3; d++)
			devices[d].kernel = kernels[new];
		make_of(op, flags[dump], 0);
		ret = ask();
		expected = result_of(row_of(op, new), dump, admin, ret);
		cr_expect_eq(ret, expected, "command %u, %u, %d: %d", op, dump, admin, ret);
	}
}

/* ---- attributes ---- */

enum { INDEX = RDMA_NLDEV_ATTR_DEV_INDEX, PORT = RDMA_NLDEV_ATTR_PORT_INDEX };

struct value {
	uint16_t type;
	uint32_t good, bad[3]; /* bad[0] 0: none is wrong */
};

#define OF_DEVICE    ((struct value){ INDEX, 2, { 3, UINT32_MAX, 0x80000002 } })
#define OF_PORT	     ((struct value){ PORT, 1, { 2, 0, UINT32_MAX } })
#define OBJECT(attr) ((struct value){ RDMA_NLDEV_ATTR_RES_##attr, 1, { 0 } })
#define GET(word)    RDMA_NLDEV_CMD_##word##_GET, false

/* The attributes that each command needs. Objects are looked for at last: there are no objects
 * here. */
static const struct command {
	uint16_t op;
	bool strict;
	int result;
	struct value value[3];
} needing[] = {
	{ RDMA_NLDEV_CMD_GET, false, 1, { OF_DEVICE } },
	{ GET(PORT), 1, { OF_DEVICE, OF_PORT } },
	{ GET(RES), 1, { OF_DEVICE } },
	{ GET(RES_QP), -ENOENT, { OF_DEVICE, OF_PORT, OBJECT(LQPN) } },
	{ GET(RES_CM_ID), -ENOENT, { OF_DEVICE, OF_PORT, OBJECT(CM_IDN) } },
	{ GET(RES_CQ), -ENOENT, { OF_DEVICE, OBJECT(CQN) } },
	{ GET(RES_MR), -ENOENT, { OF_DEVICE, OBJECT(MRN) } },
	{ GET(RES_PD), -ENOENT, { OF_DEVICE, OBJECT(PDN) } },
	{ GET(RES_CTX), -ENOENT, { OF_DEVICE, OBJECT(CTXN) } },
	{ GET(RES_SRQ), -ENOENT, { OF_DEVICE, OBJECT(SRQN) } },
	{ RDMA_NLDEV_CMD_STAT_GET, true, 1, { OF_DEVICE, OF_PORT } },
};

/* The mistake in one attribute: none, it is missing, its bytes, its value. */
enum { MISSING = 1, BYTES_0, BYTES_1, BYTES_2, BYTES_3, BYTES_5, BAD_0, BAD_1, BAD_2, WRONGS };

static void put(const struct value *v, int wrong)
{
	uint32_t bytes[2] = { wrong >= BAD_0 ? v->bad[wrong - BAD_0] : v->good, 0 };
	size_t len = wrong == BYTES_5 ? 5 : wrong && wrong < BAD_0 ? wrong - BYTES_0 : 4;

	if (wrong != MISSING)
		add(v->type, bytes, len);
}

static void check(const struct command *c, unsigned int which, int wrong)
{
	bool refused = wrong && (wrong != BYTES_5 || c->strict);
	int ret;

	make(c->op, 0);
	for (unsigned int i = 0; i < 3 && c->value[i].type; i++)
		put(&c->value[i], i == which ? wrong : 0);
	ret = ask();
	cr_expect_eq(ret, refused ? -EINVAL : c->result, "command %u, attribute %u, %d: %d",
		     c->op, c->value[which].type, wrong, ret);
	if (ret == 1)
		cr_expect_eq(number(INDEX, 4), 2, "command %u", c->op);
}

Test(request, with_each_attribute_missing_or_wrong)
{
	for (size_t i = 0; i < sizeof(needing) / sizeof(needing[0]); i++)
		for (unsigned int k = 0; k < 3 && needing[i].value[k].type; k++)
			for (int wrong = 0; wrong < WRONGS; wrong++)
				if (wrong < BAD_0 || needing[i].value[k].bad[0])
					check(&needing[i], k, wrong);
}

/* kernel, nldev.c, res_get_common_doit: some objects belong to a port, others to the device. */
Test(request, for_an_object_names_the_port_or_does_not)
{
	static const uint16_t rows[][2] = {
		{ RDMA_NLDEV_CMD_RES_CQ_GET, RDMA_NLDEV_ATTR_RES_CQN },
		{ RDMA_NLDEV_CMD_RES_MR_GET, RDMA_NLDEV_ATTR_RES_MRN },
		{ RDMA_NLDEV_CMD_RES_PD_GET, RDMA_NLDEV_ATTR_RES_PDN },
		{ RDMA_NLDEV_CMD_RES_CTX_GET, RDMA_NLDEV_ATTR_RES_CTXN },
		{ RDMA_NLDEV_CMD_RES_SRQ_GET, RDMA_NLDEV_ATTR_RES_SRQN },
	};

	for (int i = 0; i < 5; i++) {
		make_of(rows[i][0], 0, 0);
		add_u32(PORT, 1);
		add_u32(rows[i][1], 1);
		cr_expect_eq(ask(), -EINVAL, "command %u", rows[i][0]);
	}
}

/* ---- GET_CHARDEV ---- */

#define NO_INDEX 99

/* kernel, nldev.c: nldev_get_chardev; huge_encode_dev */
Test(request, for_a_character_device)
{
	static const struct {
		const char *type;
		size_t len;
		uint32_t index, port; /* 99: none */
		int result;
		const char *name;
		uint64_t node;
	} rows[] = {
		{ "uverbs", 7, 0, 99, 1, "uverbs0", 231 << 8 | 192 },
		{ "uverbs", 7, 1, 99, 1, "uverbs1", 231 << 8 | 193 },
		{ "uverbs", 7, 2, 1, 1, "uverbs2", 0x12300000 | 231 << 8 | 0x45 },
		{ "uverbs", 7, 3, 99, -EINVAL, NULL, 0 },
		{ "uverbs", 7, 2, 0, -EINVAL, NULL, 0 },
		{ "uverbs", 7, 2, 2, -EINVAL, NULL, 0 },
		{ "uverbs", 7, 99, 99, -EOPNOTSUPP, NULL, 0 },
		{ "uverbs", 6, 0, 99, -EINVAL, NULL, 0 },
		{ "uverbs\0x", 9, 0, 99, 1, "uverbs0", 231 << 8 | 192 },
		{ "rdma_cm", 8, 99, 99, 1, "rdma_cm", 10 << 8 | 58 },
		{ "rdma_cm", 8, 0, 99, -EOPNOTSUPP, NULL, 0 },
		{ "rdma_cm", 8, 99, 1, -EINVAL, NULL, 0 },
		{ "uverb", 6, 0, 99, -EOPNOTSUPP, NULL, 0 },
		{ "uverbs1", 8, 0, 99, -EOPNOTSUPP, NULL, 0 },
		{ "", 1, 0, 99, -EOPNOTSUPP, NULL, 0 },
		{ "", 0, 0, 99, -EINVAL, NULL, 0 },
		{ "12345678901234567890123456789012", 33, 0, 99, -EOPNOTSUPP, NULL, 0 },
		{ "123456789012345678901234567890123", 34, 0, 99, -EINVAL, NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool cm = rows[i].index == NO_INDEX;

		make(RDMA_NLDEV_CMD_GET_CHARDEV, 0);
		add(RDMA_NLDEV_ATTR_CHARDEV_TYPE, rows[i].type, rows[i].len);
		if (rows[i].index != NO_INDEX)
			add_u32(INDEX, rows[i].index);
		if (rows[i].port != NO_INDEX)
			add_u32(PORT, rows[i].port);
		cr_expect_eq(ask(), rows[i].result, "row %zu", i);
		if (rows[i].result != 1)
			continue;
		cr_expect_str_eq(attribute(RDMA_NLDEV_ATTR_CHARDEV_NAME), rows[i].name);
		cr_expect_eq(number(RDMA_NLDEV_ATTR_CHARDEV, 8), rows[i].node, "row %zu", i);
		cr_expect_eq(number(RDMA_NLDEV_ATTR_CHARDEV_ABI, 8), cm ? 4 : 1);
		cr_expect_eq(!attribute(RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID), cm);
	}
	make_of(RDMA_NLDEV_CMD_GET_CHARDEV, 0, 0);
	cr_expect_eq(ask(), -EINVAL, "no type");
}

/* ---- STAT_GET ---- */

Test(request, for_statistics_of_objects)
{
	static const struct {
		uint32_t kind, index;
		int one, dump;
	} rows[] = {
		{ RDMA_NLDEV_ATTR_RES_QP, 2, -ENOENT, 0 },
		{ RDMA_NLDEV_ATTR_RES_QP, 3, -EINVAL, -EINVAL },
		{ RDMA_NLDEV_ATTR_RES_QP, NO_INDEX, -EINVAL, -EINVAL },
		{ RDMA_NLDEV_ATTR_RES_MR, 2, -EOPNOTSUPP, -EOPNOTSUPP },
		{ RDMA_NLDEV_ATTR_RES_CQ, 2, -EINVAL, -EINVAL },
		{ 0, 2, -EINVAL, -EINVAL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int dump = 0; dump < 2; dump++) {
			make(RDMA_NLDEV_CMD_STAT_GET, dump ? NLM_F_DUMP : 0);
			add_u32(RDMA_NLDEV_ATTR_STAT_RES, rows[i].kind);
			if (rows[i].index != NO_INDEX)
				add_u32(INDEX, rows[i].index);
			cr_expect_eq(ask(), dump ? rows[i].dump : rows[i].one, "row %zu, %d", i,
				     dump);
		}
	make_of(RDMA_NLDEV_CMD_STAT_GET, NLM_F_DUMP, 2);
	cr_expect_eq(ask(), -EINVAL, "a dump of no objects");
}

/* ---- dumps ---- */

Test(request, for_all_devices_lists_them_in_order)
{
	make(RDMA_NLDEV_CMD_GET, NLM_F_DUMP | NLM_F_ACK);
	cr_assert_eq(ask(), 1);
	cr_assert_eq(got.n, 4, "three devices, and the end; no acknowledge");
	for (unsigned int i = 0; i < 4; i++)
		cr_expect_eq(answer(i)->nlmsg_flags, NLM_F_MULTI);
	for (unsigned int i = 0; i < 3; i++) {
		cr_expect_eq(answer(i)->nlmsg_type, TYPE(RDMA_NLDEV_CMD_GET));
		cr_expect_not_null(memmem(got.bytes[i], got.len[i], devices[i].name, 7));
	}
	cr_expect_eq(error_of(3), 0);
	make(RDMA_NLDEV_CMD_RES_GET, NLM_F_DUMP);
	cr_assert_eq(ask(), 1);
	cr_expect_eq(got.n, 4);
	make(RDMA_NLDEV_CMD_PORT_GET, NLM_F_DUMP);
	cr_expect_eq(ask(), -EINVAL, "ports of one device only");
	add_u32(INDEX, 1);
	cr_assert_eq(ask(), 1);
	cr_expect_eq(answer(0)->nlmsg_type, TYPE(RDMA_NLDEV_CMD_PORT_GET));
	cr_expect_eq(number(INDEX, 4), 1);
	devices[0].name = NULL;
	make(RDMA_NLDEV_CMD_GET, NLM_F_DUMP);
	cr_expect_eq(ask(), 0, "no device");
}

/* ---- the datagram ---- */

/* Cut at each length: the message is not there, and nothing comes back. */
Test(request, that_is_cut_off)
{
	size_t all;

	make_of(RDMA_NLDEV_CMD_GET, 0, 1);
	all = head()->nlmsg_len;
	for (size_t len = 0; len < all; len++)
		cr_expect_eq(ask_bytes(len), NOTHING, "%zu bytes", len);
	cr_expect_eq(ask_bytes(all), 1);
	for (uint32_t len = 0; len < NLMSG_HDRLEN; len++) {
		head()->nlmsg_len = len;
		cr_expect_eq(ask_bytes(all), NOTHING, "a message of %u bytes", len);
	}
	for (uint32_t len = NLMSG_HDRLEN; len < all; len++) {
		head()->nlmsg_len = len;
		cr_expect_eq(ask_bytes(all), -EINVAL, "a message of %u bytes", len);
	}
}

/* Bytes after the last attribute, an unknown one, and one of type 0. */
Test(request, of_newer_commands_is_read_strictly)
{
	static const uint16_t types[] = { 0, RDMA_NLDEV_ATTR_MAX, 0x3fff };
	static const uint16_t ops[] = { RDMA_NLDEV_CMD_GET, RDMA_NLDEV_CMD_STAT_GET };

	for (int strict = 0; strict < 2; strict++) {
		for (int i = 0; i < 4; i++) {
			make_of(ops[strict], 0, 1);
			add_u32(PORT, 1);
			if (i < 3)
				add_u32(types[i], 7);
			else
				head()->nlmsg_len += 2;
			cr_expect_eq(ask(), strict ? -EINVAL : 1, "%d, %d", strict, i);
		}
		make(ops[strict], 0);
		add_u32(INDEX | NLA_F_NESTED, 1);
		add_u32(PORT, 1);
		cr_expect_eq(ask(), strict ? -EINVAL : 1, "%d: a nest", strict);
	}
}

/* The size of an attribute that is not read counts as well; names have 64 characters. */
Test(request, has_attributes_of_their_size)
{
	static const struct {
		uint16_t type;
		size_t len;
		int result;
	} rows[] = {
		{ RDMA_NLDEV_ATTR_DEV_NAME, 65, 1 },
		{ RDMA_NLDEV_ATTR_DEV_NAME, 66, -EINVAL },
		{ RDMA_NLDEV_ATTR_NDEV_NAME, 17, 1 },
		{ RDMA_NLDEV_ATTR_NDEV_NAME, 18, -EINVAL },
		{ RDMA_NLDEV_ATTR_LMC, 1, 1 },
		{ RDMA_NLDEV_ATTR_LMC, 0, -EINVAL },
		{ RDMA_NLDEV_ATTR_NODE_GUID, 8, 1 },
		{ RDMA_NLDEV_ATTR_NODE_GUID, 7, -EINVAL },
		{ RDMA_NLDEV_ATTR_RES_QP, 0, 1 },
		{ RDMA_NLDEV_ATTR_RES_QP, 1, -EINVAL },
		{ RDMA_NLDEV_ATTR_RES_QP, 3, -EINVAL },
		{ RDMA_NLDEV_ATTR_RES_QP, 4, 1 },
	};
	static const char text[80] =
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_of(RDMA_NLDEV_CMD_GET, 0, 1);
		add(rows[i].type, text, rows[i].len);
		if (rows[i].len > 8) /* its NUL */
			request[head()->nlmsg_len - NLA_ALIGN(rows[i].len) + rows[i].len - 1] =
				0;
		cr_expect_eq(ask(), rows[i].result, "row %zu", i);
	}
}

/* Two messages in a datagram: both are answered, the second also after a wrong one, but not if
 * it is cut. */
Test(request, may_be_one_of_several)
{
	static uint8_t two[512];
	size_t len;

	for (int wrong = 0; wrong < 2; wrong++) {
		make_of(RDMA_NLDEV_CMD_GET, 0, wrong ? 3 : 0);
		len = head()->nlmsg_len;
		memcpy(two, request, len);
		make_of(RDMA_NLDEV_CMD_GET, NLM_F_ACK, 2);
		memcpy(two + len, request, len);
		for (size_t all = len; all <= 2 * len; all++) {
			got.n = 0;
			nldev_request(devices, 3, PORTID, two, all, take, NULL);
			cr_assert_eq(got.n, all < 2 * len ? 1 : 3, "%zu bytes", all);
			cr_expect_eq(answer(0)->nlmsg_type,
				     wrong ? NLMSG_ERROR : TYPE(RDMA_NLDEV_CMD_GET));
		}
		cr_expect_eq(answer(1)->nlmsg_type, TYPE(RDMA_NLDEV_CMD_GET));
		cr_expect_not_null(memmem(got.bytes[1], got.len[1], "mlx5_2", 7));
		cr_expect_eq(answer(2)->nlmsg_type, NLMSG_ERROR);
		cr_expect_eq(error_of(2), 0);
	}
}

/* kernel, af_netlink.c, netlink_ack: an error has the whole request, a success its header. */
Test(request, comes_back_with_its_error)
{
	make_of(RDMA_NLDEV_CMD_GET, 0, 3);
	cr_assert_eq(ask(), -EINVAL);
	cr_expect_eq(got.len[0], NLMSG_HDRLEN + 4 + head()->nlmsg_len);
	cr_expect_arr_eq(got.bytes[0] + NLMSG_HDRLEN + 4, request, head()->nlmsg_len);
	head()->nlmsg_type = NLMSG_NOOP;
	head()->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	got.n = 0;
	nldev_request(devices, 3, PORTID, request, head()->nlmsg_len, take, NULL);
	cr_assert_eq(got.n, 1);
	cr_expect_eq(got.len[0], NLMSG_HDRLEN + 4 + NLMSG_HDRLEN);
	cr_expect_eq(answer(0)->nlmsg_flags, NLM_F_CAPPED);
}

/* kernel, netlink.c: rdma_nl_rcv_skb; clients that are not there, and no requests. */
Test(request, is_one_to_nldev)
{
	static const struct {
		uint16_t type, flags;
		int result;
	} rows[] = {
		{ TYPE(RDMA_NLDEV_CMD_GET), NLM_F_REQUEST, -EINVAL }, /* without its device */
		{ TYPE(200), NLM_F_REQUEST, -EINVAL },
		{ (RDMA_NL_IWCM << 10) + 1, NLM_F_REQUEST, -EINVAL },
		{ (RDMA_NL_NUM_CLIENTS << 10) + 1, NLM_F_REQUEST, -EINVAL },
		{ 16, NLM_F_REQUEST, -EINVAL }, /* NLMSG_MIN_TYPE */
		{ 15, NLM_F_REQUEST | NLM_F_ACK, 0 },
		{ 15, NLM_F_REQUEST, NOTHING },
		{ TYPE(RDMA_NLDEV_CMD_GET), NLM_F_ACK, 0 },
		{ TYPE(RDMA_NLDEV_CMD_GET), 0, NOTHING },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make(0, 0);
		head()->nlmsg_type = rows[i].type;
		head()->nlmsg_flags = rows[i].flags;
		got.n = 0;
		nldev_request(devices, 3, PORTID, request, NLMSG_HDRLEN, take, NULL);
		cr_expect_eq(got.n, rows[i].result != NOTHING, "row %zu", i);
		cr_expect(!got.n || error_of(0) == rows[i].result, "row %zu", i);
	}
}
