/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices, their port, counters and objects in RDMA netlink: the attributes of each kind, in
 * the order of Linux 6.1 (nldev.c, fill_*; mlx5_ib, restrack.c), in a request for one and in
 * dumps of any length. The objects are those of this test, in place of an adapter's.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <rdma/rdma_netlink.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/steps.h"
#include "nldev/nldev.h"

/* ---- the objects ---- */

#define MOST 300

static struct uverbs_resource objects[8][MOST];
static size_t nobjects[8];
static struct ucma_resource ids[2];
static size_t nids;

static void *copy(const void *from, size_t n, size_t size)
{
	void *to = n ? malloc(n * size) : NULL;

	return to ? memcpy(to, from, n * size) : NULL;
}

struct uverbs_resource *uverbs_resources(struct uverbs *u, enum uverbs_resource_kind kind,
					 size_t *n)
{
	(void)u;
	*n = nobjects[kind];
	return copy(objects[kind], *n, sizeof(objects[0][0]));
}

struct ucma_resource *ucma_resources(struct ucma *u, size_t *n)
{
	(void)u;
	*n = nids;
	return copy(ids, nids, sizeof(ids[0]));
}

static struct uverbs_resource *add(enum uverbs_resource_kind kind, uint32_t number)
{
	struct uverbs_resource *r = &objects[kind][nobjects[kind]++];

	*r = (struct uverbs_resource){
		.number = number, .ctx = 9, .pd = 8, .uses = 0x100000003
	};
	return r;
}

/* ---- attributes as text ---- */

enum { NEST = 0, TEXT = 255 };

#define ATTR(name, type, bytes)                     \
	{                                           \
		RDMA_NLDEV_ATTR_##type, name, bytes \
	}

static const struct {
	uint16_t type;
	const char *name;
	uint8_t bytes;
} attributes[] = {
	ATTR("dev", DEV_INDEX, 4),
	ATTR("name", DEV_NAME, TEXT),
	ATTR("port", PORT_INDEX, 4),
	ATTR("pid", RES_PID, 4),
	ATTR("dma_lkey", RES_LOCAL_DMA_LKEY, 4),
	ATTR("uses", RES_USECNT, 8),
	ATTR("pdn", RES_PDN, 4),
	ATTR("ctxn", RES_CTXN, 4),
	ATTR("cqe", RES_CQE, 4),
	ATTR("dim", DEV_DIM, 1),
	ATTR("cqn", RES_CQN, 4),
	ATTR("rkey", RES_RKEY, 4),
	ATTR("lkey", RES_LKEY, 4),
	ATTR("mrlen", RES_MRLEN, 8),
	ATTR("mrn", RES_MRN, 4),
	ATTR("driver", DRIVER, NEST),
	ATTR("string", DRIVER_STRING, TEXT),
	ATTR("lqpn", RES_LQPN, 4),
	ATTR("rqpn", RES_RQPN, 4),
	ATTR("rq_psn", RES_RQ_PSN, 4),
	ATTR("sq_psn", RES_SQ_PSN, 4),
	ATTR("mig", RES_PATH_MIG_STATE, 1),
	ATTR("type", RES_TYPE, 1),
	ATTR("state", RES_STATE, 1),
	ATTR("srqn", RES_SRQN, 4),
	ATTR("qps", RES_QP, NEST),
	ATTR("qp", RES_QP_ENTRY, NEST),
	ATTR("min", MIN_RANGE, 4),
	ATTR("max", MAX_RANGE, 4),
	ATTR("ps", RES_PS, 4),
	ATTR("src", RES_SRC_ADDR, 128),
	ATTR("dst", RES_DST_ADDR, 128),
	ATTR("idn", RES_CM_IDN, 4),
	ATTR("pds", RES_PD, NEST),
	ATTR("pd", RES_PD_ENTRY, NEST),
	ATTR("summary", RES_SUMMARY, NEST),
	ATTR("entry", RES_SUMMARY_ENTRY, NEST),
	ATTR("kind", RES_SUMMARY_ENTRY_NAME, TEXT),
	ATTR("now", RES_SUMMARY_ENTRY_CURR, 8),
	ATTR("caps", CAP_FLAGS, 8),
	ATTR("fw", FW_VERSION, TEXT),
	ATTR("node_guid", NODE_GUID, 8),
	ATTR("sys_guid", SYS_IMAGE_GUID, 8),
	ATTR("node", DEV_NODE_TYPE, 1),
	ATTR("proto", DEV_PROTOCOL, TEXT),
	ATTR("port_state", PORT_STATE, 1),
	ATTR("phys", PORT_PHYS_STATE, 1),
	ATTR("ndev", NDEV_INDEX, 4),
	ATTR("ndev_name", NDEV_NAME, TEXT),
	ATTR("counters", STAT_HWCOUNTERS, NEST),
	ATTR("counter", STAT_HWCOUNTER_ENTRY, NEST),
	ATTR("of", STAT_HWCOUNTER_ENTRY_NAME, TEXT),
	ATTR("value", STAT_HWCOUNTER_ENTRY_VALUE, 8),
	ATTR("driver_id", UVERBS_DRIVER_ID, 4),
	ATTR("chardev", CHARDEV, 8),
	ATTR("abi", CHARDEV_ABI, 8),
	ATTR("chardev_name", CHARDEV_NAME, TEXT),
	{ RDMA_NLDEV_SYS_ATTR_NETNS_MODE, "netns", 1 },
	{ RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, "copy_on_fork", 1 },
	{ 101, "assigned", 1 }, /* <rdma/rdma_netlink.h> of Linux 6.12 */
	{ 103, "monitor", 1 },
};

static size_t row_of(uint16_t type)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (attributes[i].type == (type & NLA_TYPE_MASK))
			return i;
	cr_assert_fail("attribute %u", type);
	return 0;
}

static char text[65536];

static void say(const char *fmt, ...)
{
	va_list args;
	size_t len = strlen(text);

	va_start(args, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, args);
	va_end(args);
}

/* An address is its family, address and port. */
static void describe(const uint8_t *at, size_t len)
{
	for (size_t pos = 0; pos < len;) {
		struct nlattr a;
		uint64_t v = 0;
		size_t row, bytes;
		const uint8_t *value = at + pos + NLA_HDRLEN;

		memcpy(&a, at + pos, sizeof(a));
		row = row_of(a.nla_type);
		bytes = a.nla_len - NLA_HDRLEN;
		memcpy(&v, value, bytes < 8 ? bytes : 8);
		if (attributes[row].bytes != NEST && attributes[row].bytes != TEXT)
			cr_expect_eq(bytes, attributes[row].bytes, "%s", attributes[row].name);
		if (attributes[row].bytes == NEST) {
			say("%s{ ", attributes[row].name);
			describe(value, bytes);
			say("} ");
		} else if (attributes[row].bytes == TEXT) {
			say("%s=%s ", attributes[row].name, (const char *)value);
		} else if (a.nla_type == RDMA_NLDEV_ATTR_RES_PID) {
			say(v == (uint64_t)getpid() ? "pid " : "PID? ");
		} else {
			say("%s=%llx ", attributes[row].name, (unsigned long long)v);
		}
		pos += NLA_ALIGN(a.nla_len);
	}
}

/* ---- asking ---- */

static struct nldev_device devices[2];
static int result;
static unsigned int messages;
static size_t longest;

static void take(void *to, const void *bytes, size_t len)
{
	const struct nlmsghdr *h = bytes;

	(void)to;
	if (h->nlmsg_type == NLMSG_ERROR || h->nlmsg_type == NLMSG_DONE) {
		memcpy(&result, (const uint8_t *)bytes + NLMSG_HDRLEN, sizeof(result));
		return;
	}
	messages++;
	longest = len > longest ? len : longest;
	describe((const uint8_t *)bytes + NLMSG_HDRLEN, len - NLMSG_HDRLEN);
}

/* @type 0: without that attribute. */
static const char *ask(uint16_t op, bool dump, uint32_t port, uint16_t type, uint32_t number)
{
	unsigned int n = 1;
	long allocations;
	struct {
		struct nlmsghdr h;
		struct {
			struct nlattr a;
			uint32_t v;
		} attr[3];
	} r = { .h = { .nlmsg_type = (RDMA_NL_NLDEV << 10) + op,
		       .nlmsg_flags = NLM_F_REQUEST | (dump ? NLM_F_DUMP : 0) },
		.attr = { { { 8, RDMA_NLDEV_ATTR_DEV_INDEX }, 1 } } };

	r.attr[n].a = (struct nlattr){ 8, RDMA_NLDEV_ATTR_PORT_INDEX };
	r.attr[n].v = port;
	n += port != 0;
	r.attr[n].a = (struct nlattr){ 8, type };
	r.attr[n].v = number;
	n += type != 0;
	r.h.nlmsg_len = sizeof(r.h) + n * sizeof(r.attr[0]);
	text[0] = 0;
	messages = result = longest = 0;
	allocations = steps.allocations;
	nldev_request(devices, 2, 1, &r, r.h.nlmsg_len, take, NULL);
	cr_expect_eq(steps.allocations, allocations, "memory is left");
	cr_expect_not(core_inside(), "a lock is held");
	return text;
}

/* One object, by its number; all of a kind; what a port, or with 0 the device, has. */
#define ONE(kind, port, attribute, number)                                                 \
	ask(RDMA_NLDEV_CMD_RES_##kind##_GET, false, port, RDMA_NLDEV_ATTR_RES_##attribute, \
	    number)
#define ALL(kind, port) ask(RDMA_NLDEV_CMD_##kind##_GET, true, port, 0, 0)
#define OF(kind, port)	ask(RDMA_NLDEV_CMD_##kind##_GET, false, port, 0, 0)

static bool is_admin(void)
{
	return uverbs_capable(CAP_NET_ADMIN);
}

static void counted(const struct nldev_device *d, struct hca_counted *sum)
{
	memset(sum, 0, sizeof(*sum));
	sum->no_set.rx_write_requests = d == &devices[1] ? 0x11 : 1;
	sum->congestion.np_cnp_sent = 0x200000022;
}

static void begin(void)
{
	for (int i = 0; i < 2; i++)
		devices[i] = (struct nldev_device){ .name = i ? "mlx5_1" : "mlx5_0",
						    .netdev = "lo",
						    .fw_ver = i ? "16.1.2" : "20.1.2",
						    .node_guid = 0x1122334455667788 + i,
						    .sys_image_guid = 0x99aabbccddeeff00 + i,
						    .cap_flags = 0x8765432100000011 + i,
						    .counted = counted,
						    .kernel = KERNEL_RELEASE(6, 1) };
	devices[1].uverbs = (void *)devices; /* not looked into */
	devices[1].ucma = (void *)devices;
	memset(nobjects, 0, sizeof(nobjects));
	nids = 0;
}

TestSuite(object, .init = begin);

#define HANDLE "dev=1 name=mlx5_1 "

Test(object, that_is_a_domain_context_or_completion_queue)
{
	struct uverbs_resource *r;

	add(UVERBS_RES_PD, 0x07000001);
	add(UVERBS_RES_PD, 0x07000002);
	add(UVERBS_RES_CTX, 5);
	add(UVERBS_RES_CTX, 0x80000005);
	r = add(UVERBS_RES_CQ, 6);
	r->cqe = 127;
	cr_expect_str_eq(ONE(PD, 0, PDN, 0x07000002),
			 is_admin() ? HANDLE "dma_lkey=0 uses=100000003 pdn=7000002 ctxn=9 pid "
				    : HANDLE "uses=100000003 pdn=7000002 ctxn=9 pid ");
	cr_expect_str_eq(ONE(CTX, 0, CTXN, 0x80000005), HANDLE "ctxn=80000005 pid ");
	cr_expect_str_eq(ONE(CQ, 0, CQN, 6),
			 HANDLE "cqe=7f uses=100000003 dim=0 cqn=6 ctxn=9 pid ");
	cr_expect_str_eq(ONE(CQ, 0, CQN, 7), "");
	cr_expect_eq(result, -ENOENT);
}

Test(object, that_is_a_memory_region)
{
	static const struct {
		bool on_demand, implicit;
		const char *driver;
	} rows[] = { { false, false, "" },
		     { true, false, "driver{ string=odp string=explicit } " },
		     { true, true, "driver{ string=odp string=implicit } " } };
	const char *keys = is_admin() ? "rkey=abcd lkey=abcd " : "";

	for (uint32_t i = 0; i < 3; i++) {
		struct uverbs_resource *r = add(UVERBS_RES_MR, i);
		char expected[200];

		r->key = 0xabcd;
		r->len = 0x200000000;
		r->on_demand = rows[i].on_demand;
		r->implicit = rows[i].implicit;
		snprintf(expected, sizeof(expected),
			 HANDLE "%smrlen=200000000 mrn=%x pdn=8 pid %s", keys, i,
			 rows[i].driver);
		cr_expect_str_eq(ONE(MR, 0, MRN, i), expected);
	}
}

/* By its type: ib_verbs.h, enum ib_qp_type. */
Test(object, that_is_a_queue_pair)
{
	static const struct {
		uint8_t type, port;
		const char *attributes;
	} rows[] = {
		{ 2, 1,
		  "port=1 lqpn=102 pdn=8 pid rqpn=a rq_psn=b sq_psn=c mig=1 type=2 state=3 " },
		{ 3, 1,
		  "port=1 lqpn=103 pdn=8 pid rqpn=a rq_psn=b sq_psn=c mig=1 type=3 state=3 " },
		{ 4, 1, "port=1 lqpn=104 pdn=8 pid sq_psn=c type=4 state=3 " },
		{ 8, 0, "lqpn=108 pdn=8 pid sq_psn=c type=8 state=3 " },
		{ 9, 1, "port=1 lqpn=109 pdn=8 pid sq_psn=c mig=1 type=9 state=3 " },
		{ 10, 1, "port=1 lqpn=10a pdn=8 pid sq_psn=c mig=1 type=a state=3 " },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uverbs_resource *r = add(UVERBS_RES_QP, 0x100 + rows[i].type);
		char expected[200] = "";

		r->type = rows[i].type;
		r->port = rows[i].port;
		r->remote_qpn = 0xa;
		r->rq_psn = 0xb;
		r->sq_psn = 0xc;
		r->mig_state = 1;
		r->state = 3;
		if (rows[i].port)
			snprintf(expected, sizeof(expected), HANDLE "%s", rows[i].attributes);
		cr_expect_str_eq(ask(RDMA_NLDEV_CMD_RES_QP_GET, false, 1,
				     RDMA_NLDEV_ATTR_RES_LQPN, r->number),
				 expected);
		cr_expect_eq(result, rows[i].port ? 0 : -EAGAIN, "a QP of no port yet");
	}
	cr_expect_null(strstr(ALL(RES_QP, 1), "lqpn=108"));
	cr_expect_not_null(strstr(ALL(RES_QP, 0), "lqpn=108"));
	cr_expect_not_null(strstr(text, "lqpn=102"));
	cr_expect_not_null(strstr(text, "lqpn=10a"));
}

/* Its QPs are ranges; those of another SRQ or of none end one. */
Test(object, that_is_a_shared_receive_queue)
{
	static const uint32_t qpns[] = { 5, 6, 7, 9, 11, 12, 14 };
	static const uint8_t srqs[] = { 3, 3, 3, 3, 3, 3, 2 };
	struct uverbs_resource *r;

	for (int i = 0; i < 7; i++) {
		r = add(UVERBS_RES_QP, qpns[i]);
		r->has_srq = true;
		r->srq = srqs[i];
	}
	add(UVERBS_RES_QP, 13)->srq = 3; /* has none */
	r = add(UVERBS_RES_SRQ, 3);
	r->type = 1;
	r->has_cq = true;
	r->cq = 4;
	add(UVERBS_RES_SRQ, 2);
	add(UVERBS_RES_SRQ, 1);
	cr_expect_str_eq(ONE(SRQ, 0, SRQN, 3),
			 HANDLE "srqn=3 type=1 pdn=8 cqn=4 qps{ qp{ min=5 max=7 } qp{ lqpn=9 } "
				"qp{ min=b max=c } } pid ");
	cr_expect_str_eq(ONE(SRQ, 0, SRQN, 2),
			 HANDLE "srqn=2 type=0 pdn=8 qps{ qp{ lqpn=e } } pid ");
	cr_expect_str_eq(ONE(SRQ, 0, SRQN, 1), HANDLE "srqn=1 type=0 pdn=8 qps{ } pid ");
}

Test(object, that_is_a_connection)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = 0x3412,
				 .sin_addr.s_addr = 0x100007f };

	nids = 2;
	ids[0] = (struct ucma_resource){ .number = 1, .ps = 0x106, .state = 8, .type = 2 };
	ids[1] = (struct ucma_resource){
		.number = 2, .ps = 0x111, .state = 5, .type = 4, .qpn = 0x77
	};
	memcpy(&ids[0].src, &a, sizeof(a));
	memcpy(&ids[1].src, &a, sizeof(a));
	memcpy(&ids[1].dst, &a, sizeof(a));
	cr_expect_str_eq(ONE(CM_ID, 1, CM_IDN, 1),
			 HANDLE "port=1 ps=106 state=8 src=100007f34120002 idn=1 pid ");
	cr_expect_str_eq(ONE(CM_ID, 1, CM_IDN, 2),
			 HANDLE "port=1 lqpn=77 type=4 ps=111 state=5 src=100007f34120002 "
				"dst=100007f34120002 idn=2 pid ");
}

/* fill_dev_info, fill_port_info; mlx5_ib moderates its CQs by DIM. */
Test(object, that_is_a_device_or_its_port)
{
	const char *port = HANDLE "port=1 port_state=4 phys=5 ndev=1 ndev_name=lo ";

	devices[1].uverbs = NULL;
	cr_expect_str_eq(ask(RDMA_NLDEV_CMD_GET, false, 0, 0, 0), HANDLE
			 "port=1 caps=8765432100000012 fw=16.1.2 "
			 "node_guid=1122334455667789 sys_guid=99aabbccddeeff01 node=1 dim=1 "
			 "proto=roce ");
	cr_expect_str_eq(OF(PORT, 1), port);
	cr_expect_str_eq(ALL(PORT, 0), port);
	cr_expect_str_eq(OF(SYS, 0), "netns=1 copy_on_fork=1 ");
	devices[1].netdev = "none";
	cr_expect_str_eq(OF(PORT, 1), HANDLE "port=1 port_state=4 phys=5 ");
	devices[1].kernel = KERNEL_RELEASE(6, 12);
	cr_expect_not_null(strstr(ask(RDMA_NLDEV_CMD_GET, false, 0, 0, 0),
				  "dim=1 assigned=0 proto=roce "));
	cr_expect_not_null(strstr(OF(SYS, 0), "netns=1"));
}

/* stat_get_doit_default_counter: all counters of mlx5_ib, each with its name. */
Test(object, that_is_a_counter)
{
	static const char first[] =
		HANDLE "port=1 counters{ counter{ of=rx_write_requests value=11 } counter{ ";
	unsigned int n = 0;

	OF(STAT, 1);
	cr_expect_eq(strncmp(text, first, sizeof(first) - 1), 0, "%s", text);
	for (const char *at = text; (at = strstr(at, "counter{ of=")); at++)
		n++;
	cr_expect_eq(n, 22, "%u", n);
	cr_expect_not_null(strstr(text, "counter{ of=np_cnp_sent value=200000022 } } "));
}

/* A dump of each number of objects: each of them once, in order, in messages of a page. */
Test(object, in_a_dump_of_any_length)
{
	for (uint32_t n = 0; n < MOST; n++) {
		uint32_t seen = 0;

		ALL(RES_PD, 0);
		for (const char *at = text; (at = strstr(at, "pdn=")); at += 4, seen++)
			cr_assert_eq(strtoul(at + 4, NULL, 16), 0x1000 + seen, "%u of %u", seen,
				     n);
		cr_assert_eq(seen, n);
		seen = 0;
		for (const char *at = text; (at = strstr(at, "pd{ ")); at++)
			seen++;
		cr_assert_eq(seen, n, "entries, each of them whole");
		seen = 0;
		for (const char *at = text; (at = strstr(at, HANDLE "pds{ pd{ ")); at++)
			seen++;
		cr_assert_eq(seen, messages);
		cr_assert_eq(result, 0);
		cr_assert_leq(longest, 3600);
		cr_assert_eq(!messages, !n);
		add(UVERBS_RES_PD, 0x1000 + n);
	}
	cr_expect_gt(messages, 2);
	cr_expect_gt(longest, 3500, "messages are filled");
}

/* restrack.h: enum rdma_restrack_type. */
Test(object, is_counted)
{
	static const enum uverbs_resource_kind kinds[] = { UVERBS_RES_PD,  UVERBS_RES_CQ,
							   UVERBS_RES_QP,  UVERBS_RES_MR,
							   UVERBS_RES_CTX, UVERBS_RES_SRQ };

	for (uint32_t i = 0; i < 6; i++)
		for (uint32_t k = 0; k <= i; k++)
			add(kinds[i], k);
	nids = 2;
	cr_expect_str_eq(OF(RES, 0),
			 HANDLE "summary{ entry{ kind=pd now=1 } entry{ kind=cq now=2 } "
				"entry{ kind=qp now=3 } entry{ kind=cm_id now=2 } "
				"entry{ kind=mr now=4 } entry{ kind=ctx now=5 } "
				"entry{ kind=srq now=6 } } ");
}
