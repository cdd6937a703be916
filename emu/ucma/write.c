/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests: {command, bytes in, bytes out} and a structure; the answer is written to the
 * address in its "response" (kernel, ucma.c, ucma_write). The return value is the length of the
 * request.
 *
 * GET_EVENT is the only one that waits; the caller does it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "ucma/id.h"

/*
 * With a size: the structure is read and its id looked up before @act, which finds them in the
 * call. Without: @act does so itself, because it checks other members before the id.
 */
struct command {
	int (*act)(struct ucma_call *c);
	size_t size, id; /* of the structure; offset of the id in it */
	size_t out;	 /* least length of the answer */
};

#define WITH_ID(request) \
	.size = sizeof(struct rdma_ucm_##request), .id = offsetof(struct rdma_ucm_##request, id)

/* kernel, ucma.c: ucma_cmd_table. GET_OPTION has no row there either. QUERY is for programs
 * that use addresses of family AF_IB, and librdmacm tests for those before (BIND). */
static const struct command commands[] = {
	[RDMA_USER_CM_CMD_CREATE_ID] = { .act = ucma_create_id },
	[RDMA_USER_CM_CMD_DESTROY_ID] = { .act = ucma_destroy_id,
					  WITH_ID(destroy_id),
					  .out = sizeof(struct rdma_ucm_destroy_id_resp) },
	[RDMA_USER_CM_CMD_BIND_IP] = { .act = ucma_bind_ip },
	[RDMA_USER_CM_CMD_RESOLVE_IP] = { .act = ucma_resolve_ip },
	[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = { .act = ucma_resolve_route,
					     WITH_ID(resolve_route) },
	[RDMA_USER_CM_CMD_QUERY_ROUTE] = { .act = ucma_query_route,
					   WITH_ID(query),
					   .out = offsetof(struct rdma_ucm_query_route_resp,
							   ibdev_index) },
	[RDMA_USER_CM_CMD_CONNECT] = { .act = ucma_connect },
	[RDMA_USER_CM_CMD_LISTEN] = { .act = ucma_listen, WITH_ID(listen) },
	[RDMA_USER_CM_CMD_ACCEPT] = { .act = ucma_accept },
	[RDMA_USER_CM_CMD_REJECT] = { .act = ucma_reject },
	[RDMA_USER_CM_CMD_DISCONNECT] = { .act = ucma_disconnect, WITH_ID(disconnect) },
	[RDMA_USER_CM_CMD_INIT_QP_ATTR] = { .act = ucma_init_qp_attr },
	[RDMA_USER_CM_CMD_SET_OPTION] = { .act = ucma_set_option, WITH_ID(set_option) },
	[RDMA_USER_CM_CMD_NOTIFY] = { .act = ucma_notify, WITH_ID(notify) },
	[RDMA_USER_CM_CMD_JOIN_IP_MCAST] = { .act = ucma_join_ip_mcast },
	[RDMA_USER_CM_CMD_LEAVE_MCAST] = { .act = ucma_leave_mcast },
	[RDMA_USER_CM_CMD_MIGRATE_ID] = { .act = ucma_migrate_id },
	[RDMA_USER_CM_CMD_BIND] = { .act = ucma_bind },
	[RDMA_USER_CM_CMD_RESOLVE_ADDR] = { .act = ucma_resolve_addr },
	[RDMA_USER_CM_CMD_JOIN_MCAST] = { .act = ucma_join_mcast },
};

#define COMMANDS (ARRAY_SIZE(commands))

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

/* Another thread may have closed the descriptor since the file was looked up: the call
 * continues. */
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

	/* The two fields at the end are later additions (kernel, ucma.c, ucma_get_event). */
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

/* Runs @cmd, with the device lock held. */
static int run(struct ucma_call *c, const struct command *cmd)
{
	union {
		struct rdma_ucm_set_option longest; /* of WITH_ID */
		char bytes[sizeof(struct rdma_ucm_set_option)];
	} request;
	uint32_t number;
	int ret;

	if (c->out_len < cmd->out)
		return -ENOSPC;
	if (!cmd->size)
		return cmd->act(c);
	ret = ucma_get(c, &request, cmd->size);
	if (ret)
		return ret;
	memcpy(&number, request.bytes + cmd->id, sizeof(number));
	c->cmd = &request;
	ret = ucma_find(c, number, &c->id);
	return ret ? ret : cmd->act(c);
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
	ret = run(c, &commands[cmd]);
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
