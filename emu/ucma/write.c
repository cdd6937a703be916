/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests: {command, bytes in, bytes out} and a structure; the answer goes to the address in its
 * "response" (kernel, ucma.c, ucma_write). The return value is the length of the request.
 *
 * GET_EVENT is the only one that waits, and that is left to the caller.
 */
#include <errno.h>
#include <fcntl.h>

#include "ucma/id.h"

struct command {
	int (*act)(struct ucma_call *c);
};

/* kernel, ucma.c: join needs a multicast group, which this adapter has none of. */
static int join(struct ucma_call *c)
{
	(void)c;
	return -EOPNOTSUPP;
}

static int leave(struct ucma_call *c)
{
	(void)c;
	return -ENOENT; /* no such membership */
}

/* kernel, ucma.c: ucma_cmd_table. GET_OPTION has no row there either. QUERY is for programs that
 * use addresses of family AF_IB, and librdmacm asks before whether those are there (BIND). */
static const struct command commands[] = {
	[RDMA_USER_CM_CMD_CREATE_ID] = { ucma_create_id },
	[RDMA_USER_CM_CMD_DESTROY_ID] = { ucma_destroy_id },
	[RDMA_USER_CM_CMD_BIND_IP] = { ucma_bind_ip },
	[RDMA_USER_CM_CMD_RESOLVE_IP] = { ucma_resolve_ip },
	[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = { ucma_resolve_route },
	[RDMA_USER_CM_CMD_QUERY_ROUTE] = { ucma_query_route },
	[RDMA_USER_CM_CMD_CONNECT] = { ucma_connect },
	[RDMA_USER_CM_CMD_LISTEN] = { ucma_listen },
	[RDMA_USER_CM_CMD_ACCEPT] = { ucma_accept },
	[RDMA_USER_CM_CMD_REJECT] = { ucma_reject },
	[RDMA_USER_CM_CMD_DISCONNECT] = { ucma_disconnect },
	[RDMA_USER_CM_CMD_INIT_QP_ATTR] = { ucma_init_qp_attr },
	[RDMA_USER_CM_CMD_SET_OPTION] = { ucma_set_option },
	[RDMA_USER_CM_CMD_NOTIFY] = { ucma_notify },
	[RDMA_USER_CM_CMD_JOIN_IP_MCAST] = { join },
	[RDMA_USER_CM_CMD_LEAVE_MCAST] = { leave },
	[RDMA_USER_CM_CMD_MIGRATE_ID] = { ucma_migrate_id },
	[RDMA_USER_CM_CMD_BIND] = { ucma_bind },
	[RDMA_USER_CM_CMD_RESOLVE_ADDR] = { ucma_resolve_addr },
	[RDMA_USER_CM_CMD_JOIN_MCAST] = { join },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

int ucma_get(const struct ucma_call *c, void *dst, size_t len)
{
	return core_peek(dst, c->in, len) ? 0 : -EFAULT;
}

int ucma_put(uint64_t va, const void *src, size_t len)
{
	return core_poke(va, src, len) ? 0 : -EFAULT;
}

int ucma_find(const struct ucma_call *c, uint32_t number, struct ucma_id **id)
{
	*id = core_ids_get(&c->file->u->ids, number);
	if (!*id)
		return -ENOENT;
	return (*id)->file == c->file ? 0 : -EINVAL;
}

/* Another thread may have closed the descriptor since the file was looked up: the call goes on. */
static bool waits(const struct ucma_call *c)
{
	int flags = c->fd < 0 ? -1 : fcntl(c->fd, F_GETFL);

	return flags < 0 || !(flags & O_NONBLOCK);
}

static int get_event(struct ucma_call *c)
{
	struct hca *hca = c->file->u->hca;
	struct rdma_ucm_get_event cmd;
	int ret = ucma_get(c, &cmd, sizeof(cmd));

	/* The two fields at the end came later (kernel, ucma.c, ucma_get_event). */
	if (c->out_len < offsetof(struct rdma_ucm_event_resp, reserved))
		return -ENOSPC;
	if (ret)
		return ret;
	hca_lock(hca);
	ret = ucma_get_event(c->file, cmd.response, c->out_len);
	*c->seen = ucma_events_seen();
	hca_unlock(hca);
	return ret == -EAGAIN && waits(c) ? -ERESTART : ret;
}

static int act(struct ucma_call *c, uint32_t cmd)
{
	struct hca *hca = c->file->u->hca;
	int ret;

	if (cmd == RDMA_USER_CM_CMD_GET_EVENT)
		return get_event(c);
	if (cmd >= COMMANDS)
		return -EINVAL;
	if (!commands[cmd].act)
		return -ENOSYS;
	hca_lock(hca);
	ret = commands[cmd].act(c);
	hca_unlock(hca);
	return ret;
}

ssize_t ucma_write(struct ucma_file *f, int fd, uint64_t buf, size_t len, uint32_t *seen)
{
	struct rdma_ucm_cmd_hdr hdr;
	struct ucma_call c = { .file = f, .in = buf + sizeof(hdr), .fd = fd, .seen = seen };
	int ret;

	if (len < sizeof(hdr))
		return -EINVAL;
	if (!core_peek(&hdr, buf, sizeof(hdr)))
		return -EFAULT;
	if (hdr.in + sizeof(hdr) > len)
		return -EINVAL;
	c.in_len = hdr.in;
	c.out_len = hdr.out;
	ret = act(&c, hdr.cmd);
	return ret ? ret : (ssize_t)len;
}
