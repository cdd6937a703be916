/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagram -> messages -> commands (kernel, netlink.c: rdma_nl_rcv_skb, rdma_nl_rcv_msg).
 *
 *	an error, or NLM_F_ACK		NLMSG_ERROR with the request's header
 *	a dump				data messages, then NLMSG_DONE with the dump's error
 */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>

#include "nldev/message.h"

/* ---- building ---- */

void nldev_begin(struct nldev_message *m, const struct nldev_call *c, uint16_t type)
{
	m->h = (struct nlmsghdr){
		.nlmsg_len = NLMSG_HDRLEN,
		.nlmsg_type = type,
		.nlmsg_flags = c->dump ? NLM_F_MULTI : 0,
		.nlmsg_seq = c->request->nlmsg_seq,
		.nlmsg_pid = c->portid,
	};
	m->full = false;
}

void nldev_end(struct nldev_message *m, const struct nldev_call *c)
{
	c->send(c->to, m->bytes, m->h.nlmsg_len);
}

/* @len bytes at @offset. Out of line: with sanitizers, gcc 12 takes the address for a part of
 * h. */
static __attribute__((noinline)) void copy(uint8_t *bytes, size_t offset, const void *from,
					   size_t len)
{
	memcpy(bytes + offset, from, len);
}

void nldev_put(struct nldev_message *m, uint16_t type, const void *value, size_t len)
{
	struct nlattr a = { .nla_len = NLA_HDRLEN + len, .nla_type = type };
	size_t all = NLA_ALIGN(NLA_HDRLEN + len), at = m->h.nlmsg_len;

	if (len > NLDEV_MESSAGE || at + all > sizeof(m->bytes)) {
		m->full = true;
		return;
	}
	memset(m->bytes + at, 0, all);
	copy(m->bytes, at, &a, sizeof(a));
	if (len)
		copy(m->bytes, at + NLA_HDRLEN, value, len);
	m->h.nlmsg_len = at + all;
}

void nldev_put_u8(struct nldev_message *m, uint16_t type, uint8_t v)
{
	nldev_put(m, type, &v, sizeof(v));
}

void nldev_put_u32(struct nldev_message *m, uint16_t type, uint32_t v)
{
	nldev_put(m, type, &v, sizeof(v));
}

void nldev_put_u64(struct nldev_message *m, uint16_t type, uint64_t v)
{
	nldev_put(m, type, &v, sizeof(v));
}

void nldev_put_text(struct nldev_message *m, uint16_t type, const char *text)
{
	nldev_put(m, type, text, strlen(text) + 1);
}

/* As nla_nest_start_noflag(): without NLA_F_NESTED. */
uint32_t nldev_open(struct nldev_message *m, uint16_t type)
{
	uint32_t at = m->h.nlmsg_len;

	nldev_put(m, type, NULL, 0);
	return at;
}

void nldev_close(struct nldev_message *m, uint32_t nest)
{
	uint16_t len = m->h.nlmsg_len - nest;

	if (nest < m->h.nlmsg_len)
		memcpy(m->bytes + nest, &len, sizeof(len));
}

void nldev_cancel(struct nldev_message *m, uint32_t nest)
{
	m->h.nlmsg_len = nest;
	m->full = false;
}

/* ---- parsing ---- */

/* The kernel's policy (nldev.c, nldev_policy). */
enum kind { UNKNOWN, NUMBER, STRING, NEST };

#define U8(attr)      [RDMA_NLDEV_ATTR_##attr] = { NUMBER, 1 }
#define U32(attr)     [RDMA_NLDEV_ATTR_##attr] = { NUMBER, 4 }
#define U64(attr)     [RDMA_NLDEV_ATTR_##attr] = { NUMBER, 8 }
#define TEXT(attr, n) [RDMA_NLDEV_ATTR_##attr] = { STRING, n }
#define NESTED(attr)  [RDMA_NLDEV_ATTR_##attr] = { NEST, 0 }

static const struct policy {
	uint8_t kind, size; /* of a number, or the most characters of a string */
} policy[RDMA_NLDEV_ATTR_MAX] = {
	/* clang-format off */
	U8(DEV_DIM), U8(DEV_NODE_TYPE), U8(DRIVER_PRINT_TYPE), U8(LMC), U8(PORT_PHYS_STATE),
	U8(PORT_STATE), U8(RES_PATH_MIG_STATE), U8(RES_POLL_CTX), U8(RES_STATE), U8(RES_TYPE),
	 U8(STAT_HWCOUNTER_DYNAMIC),
	U32(DEV_INDEX), U32(DRIVER_S32), U32(DRIVER_U32), U32(LID), U32(NDEV_INDEX),
	U32(PORT_INDEX), U32(RES_CM_IDN), U32(RES_CQE), U32(RES_CQN), U32(RES_CTXN),
	U32(RES_LKEY), U32(RES_LOCAL_DMA_LKEY), U32(RES_LQPN), U32(RES_MRN), U32(RES_PDN),
	U32(RES_PID), U32(RES_PS), U32(RES_RKEY), U32(RES_RQPN), U32(RES_RQ_PSN),
	U32(RES_SQ_PSN), U32(RES_UNSAFE_GLOBAL_RKEY), U32(RES_SRQN), U32(MIN_RANGE),
	U32(MAX_RANGE), U32(SM_LID), U32(STAT_AUTO_MODE_MASK), U32(STAT_MODE), U32(STAT_RES),
	U32(STAT_COUNTER_ID), U32(UVERBS_DRIVER_ID), U32(STAT_HWCOUNTER_INDEX),
	U64(CHARDEV), U64(CHARDEV_ABI), U64(DRIVER_S64), U64(DRIVER_U64), U64(NODE_GUID),
	U64(RES_IOVA), U64(RES_MRLEN), U64(RES_SUMMARY_ENTRY_CURR), U64(RES_USECNT),
	U64(SUBNET_PREFIX), U64(STAT_HWCOUNTER_ENTRY_VALUE), U64(SYS_IMAGE_GUID),
	TEXT(CHARDEV_NAME, 16), TEXT(CHARDEV_TYPE, 32), TEXT(DEV_NAME, 64),
	TEXT(DEV_PROTOCOL, 16), TEXT(DRIVER_STRING, 16), TEXT(FW_VERSION, 16),
	TEXT(LINK_TYPE, 16), TEXT(NDEV_NAME, 16), TEXT(RES_KERN_NAME, 16),
	TEXT(RES_SUMMARY_ENTRY_NAME, 16),
	TEXT(STAT_HWCOUNTER_ENTRY_NAME, UINT8_MAX),
	NESTED(DRIVER), NESTED(DRIVER_ENTRY), NESTED(RES_CM_ID), NESTED(RES_CM_ID_ENTRY),
	NESTED(RES_CQ), NESTED(RES_CQ_ENTRY), NESTED(RES_CTX), NESTED(RES_CTX_ENTRY),
	NESTED(RES_MR), NESTED(RES_MR_ENTRY), NESTED(RES_PD), NESTED(RES_PD_ENTRY),
	NESTED(RES_QP), NESTED(RES_QP_ENTRY), NESTED(RES_SUMMARY), NESTED(RES_SUMMARY_ENTRY),
	NESTED(RES_SRQ), NESTED(RES_SRQ_ENTRY), NESTED(STAT_COUNTER),
	NESTED(STAT_COUNTER_ENTRY), NESTED(STAT_HWCOUNTERS), NESTED(STAT_HWCOUNTER_ENTRY),
	[RDMA_NLDEV_SYS_ATTR_NETNS_MODE] = { NUMBER, 1 },
	[RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK] = { NUMBER, 1 },
	[RDMA_NLDEV_NET_NS_FD] = { NUMBER, 4 },
	[RDMA_NLDEV_ATTR_RES_SRC_ADDR] = { NUMBER, 128 },
	[RDMA_NLDEV_ATTR_RES_DST_ADDR] = { NUMBER, 128 },
	/* clang-format on */
};

/* kernel, nlattr.c, validate_nla: NLA_NUL_STRING */
static bool is_string(const char *text, size_t len, size_t most)
{
	size_t near = len < most + 1 ? len : most + 1;

	return strnlen(text, near) < near && len - !text[len - 1] <= most;
}

/* The same; strict: NL_VALIDATE_STRICT. */
static bool obeys_policy(const struct nlattr *a, uint16_t type, bool strict)
{
	const struct policy *p = &policy[type];
	size_t len = a->nla_len - NLA_HDRLEN;

	if (strict && (a->nla_type & NLA_F_NESTED ? p->kind != NEST : p->kind == NEST))
		return false;
	switch (p->kind) {
	case NUMBER:
		return strict ? len == p->size : len >= p->size;
	case STRING:
		return is_string((const char *)a + NLA_HDRLEN, len, p->size);
	case NEST:
		return !len || len >= NLA_HDRLEN;
	default:
		return !strict;
	}
}

/* Newer commands are strict (nlmsg_parse); others ignore unknown attributes and bytes after the
 * last one (nlmsg_parse_deprecated). */
static int parse(struct nldev_call *c, bool strict)
{
	const uint8_t *p = (const uint8_t *)c->request + NLMSG_HDRLEN;
	size_t left = c->request->nlmsg_len - NLMSG_HDRLEN;

	while (left >= NLA_HDRLEN) {
		const struct nlattr *a = (const void *)p;
		uint16_t type = a->nla_type & NLA_TYPE_MASK;
		size_t all = NLA_ALIGN(a->nla_len);

		if (a->nla_len < NLA_HDRLEN || a->nla_len > left)
			break;
		if (type && type < RDMA_NLDEV_ATTR_MAX) {
			if (!obeys_policy(a, type, strict))
				return -EINVAL;
			c->attr[type] = a;
		} else if (strict) {
			return -EINVAL;
		}
		all = all < left ? all : left;
		p += all;
		left -= all;
	}
	return strict && left ? -EINVAL : 0;
}

bool nldev_get_u32(const struct nldev_call *c, uint16_t type, uint32_t *v)
{
	if (!c->attr[type])
		return false;
	memcpy(v, (const uint8_t *)c->attr[type] + NLA_HDRLEN, sizeof(*v));
	return true;
}

/* ---- commands ---- */

enum { ADMIN = 1, DO = 2, DUMP = 4, STRICT = 8 };

static const struct {
	int (*run)(struct nldev_call *c); /* NULL: only the kernel does it */
	uint8_t how;
} commands[] = {
	[RDMA_NLDEV_CMD_GET] = { nldev_get, DO | DUMP },
	[RDMA_NLDEV_CMD_SET] = { NULL, DO | ADMIN },
	[RDMA_NLDEV_CMD_NEWLINK] = { NULL, DO | ADMIN },
	[RDMA_NLDEV_CMD_DELLINK] = { NULL, DO | ADMIN },
	[RDMA_NLDEV_CMD_PORT_GET] = { nldev_port_get, DO | DUMP },
	[RDMA_NLDEV_CMD_SYS_GET] = { nldev_sys_get, DO },
	[RDMA_NLDEV_CMD_SYS_SET] = { NULL, DO | ADMIN },
	[RDMA_NLDEV_CMD_RES_GET] = { nldev_res_get, DO | DUMP },
	[RDMA_NLDEV_CMD_RES_QP_GET] = { nldev_res_list, DO | DUMP },
	[RDMA_NLDEV_CMD_RES_CM_ID_GET] = { nldev_res_list, DO | DUMP },
	[RDMA_NLDEV_CMD_RES_CQ_GET] = { nldev_res_list, DO | DUMP },
	[RDMA_NLDEV_CMD_RES_MR_GET] = { nldev_res_list, DO | DUMP },
	[RDMA_NLDEV_CMD_RES_PD_GET] = { nldev_res_list, DO | DUMP },
	[RDMA_NLDEV_CMD_GET_CHARDEV] = { nldev_get_chardev, DO | STRICT },
	[RDMA_NLDEV_CMD_STAT_SET] = { NULL, DO | ADMIN },
	[RDMA_NLDEV_CMD_STAT_GET] = { nldev_stat_get, DO | DUMP | STRICT },
	[RDMA_NLDEV_CMD_STAT_DEL] = { NULL, DO | ADMIN },
	[RDMA_NLDEV_CMD_RES_QP_GET_RAW] = { NULL, DO | DUMP | ADMIN },
	[RDMA_NLDEV_CMD_RES_CQ_GET_RAW] = { NULL, DO | DUMP | ADMIN },
	[RDMA_NLDEV_CMD_RES_MR_GET_RAW] = { NULL, DO | DUMP | ADMIN },
	[RDMA_NLDEV_CMD_RES_CTX_GET] = { nldev_res_list, DO | DUMP },
	[RDMA_NLDEV_CMD_RES_SRQ_GET] = { nldev_res_list, DO | DUMP },
	[RDMA_NLDEV_CMD_STAT_GET_STATUS] = { NULL, DO },
	[NLDEV_CMD_RES_SRQ_GET_RAW] = { NULL, DO | DUMP | ADMIN },
	[NLDEV_CMD_NEWDEV] = { NULL, DO | ADMIN },
	[NLDEV_CMD_DELDEV] = { NULL, DO | ADMIN },
};

static enum kernel_change since(unsigned int op)
{
	return op < NLDEV_CMD_RES_SRQ_GET_RAW ? KERNEL_ALWAYS : KERNEL_NLDEV_SUB_DEVICES;
}

static void done(const struct nldev_call *c, int32_t error)
{
	struct nldev_message m;

	nldev_begin(&m, c, NLMSG_DONE);
	memcpy(m.bytes + m.h.nlmsg_len, &error, sizeof(error));
	m.h.nlmsg_len += sizeof(error);
	nldev_end(&m, c);
}

/* kernel, netlink_ack(): an error brings the request back, a success its header. */
static void acknowledge(struct nldev_call *c, int32_t error)
{
	size_t back = error ? c->request->nlmsg_len : NLMSG_HDRLEN;
	struct nldev_message m;

	if (NLMSG_HDRLEN + sizeof(error) + back > sizeof(m.bytes))
		back = NLMSG_HDRLEN;
	c->dump = false;
	nldev_begin(&m, c, NLMSG_ERROR);
	if (!error)
		m.h.nlmsg_flags = NLM_F_CAPPED;
	memcpy(m.bytes + NLMSG_HDRLEN, &error, sizeof(error));
	memcpy(m.bytes + NLMSG_HDRLEN + sizeof(error), c->request, back);
	m.h.nlmsg_len = NLMSG_HDRLEN + sizeof(error) + back;
	nldev_end(&m, c);
}

/* 0, -errno; -EINTR: the end of a dump was the answer. */
static int run(struct nldev_call *c)
{
	unsigned int op = RDMA_NL_GET_OP(c->request->nlmsg_type), how;
	int ret;

	if (RDMA_NL_GET_CLIENT(c->request->nlmsg_type) != RDMA_NL_NLDEV ||
	    op >= ARRAY_SIZE(commands) || !commands[op].how ||
	    !kernel_has(c->d->kernel, since(op)))
		return -EINVAL;
	how = commands[op].how;
	if (how & ADMIN && !c->admin)
		return -EPERM;
	c->dump = c->request->nlmsg_flags & NLM_F_DUMP;
	if (!(how & (c->dump ? DUMP : DO)))
		return -EINVAL;
	if (!commands[op].run)
		return -EOPNOTSUPP;
	ret = parse(c, how & STRICT);
	if (!ret)
		ret = commands[op].run(c);
	if (!c->dump)
		return ret;
	done(c, ret);
	return -EINTR;
}

static void answer(struct nldev_call *c)
{
	const struct nlmsghdr *h = c->request;
	int ret = 0;

	if (h->nlmsg_flags & NLM_F_REQUEST && h->nlmsg_type >= NLMSG_MIN_TYPE)
		ret = run(c);
	if (ret != -EINTR && (ret || h->nlmsg_flags & NLM_F_ACK))
		acknowledge(c, ret);
}

void nldev_request(const struct nldev_device *d, size_t n, uint32_t portid, const void *bytes,
		   size_t len, nldev_send *send, void *to)
{
	const uint8_t *p = bytes;

	while (len >= NLMSG_HDRLEN) {
		struct nldev_call c = {
			.devices = d,
			.ndevices = n,
			.d = d,
			.portid = portid,
			.request = (const void *)p,
			.admin = uverbs_capable(CAP_NET_ADMIN),
			.send = send,
			.to = to,
		};
		size_t all = NLMSG_ALIGN(c.request->nlmsg_len);

		if (c.request->nlmsg_len < NLMSG_HDRLEN || c.request->nlmsg_len > len)
			return;
		answer(&c);
		if (all >= len)
			return;
		p += all;
		len -= all;
	}
}
