/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CM, and ids: creation, options, migration between files, destruction.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_verbs.h>

#include "ucma/id.h"

#define IDS_MAX		65535 /* librdmacm, indexer.h: IDX_MAX_INDEX */
#define CONNS_MAX	(1u << 24)
#define MEMBERSHIPS_MAX (1u << 24)
#define PSN_MASK	0xffffff

/* The upcalls of hca pass a struct hca; this finds the CM. */
static pthread_mutex_t probed_lock = PTHREAD_MUTEX_INITIALIZER;
static struct core_list probed = { &probed, &probed };

struct ucma *ucma_of(const struct hca *hca)
{
	struct ucma *found = NULL;
	struct core_list *pos, *tmp;

	core_lock(&probed_lock);
	core_list_for_each(pos, tmp, &probed) {
		struct ucma *u = core_container(pos, struct ucma, on_probed);

		if (u->hca == hca)
			found = u;
	}
	core_unlock(&probed_lock);
	return found;
}

struct ucma *ucma_probe(struct hca *hca, struct wire *w, uint32_t ipv4, uint16_t kernel)
{
	struct ucma *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->hca = hca;
	u->w = w;
	u->ipv4 = ipv4;
	u->kernel = kernel;
	u->next_due = UINT64_MAX;
	u->chance = core_now_ns() ^ (uint64_t)hca->slot << 56;
	core_list_init(&u->files);
	core_list_init(&u->all);
	core_list_init(&u->ports);
	core_list_init(&u->refusals);
	core_ids_init(&u->ids, 0, IDS_MAX);
	core_ids_init(&u->memberships, 0, MEMBERSHIPS_MAX);
	/* The slot in the top byte says which process a message is for. A previous process with
	 * this slot may have used any of the other numbers. */
	core_ids_init(&u->conns, (uint32_t)hca->slot << 24, CONNS_MAX);
	core_ids_shift(&u->conns, core_random(&u->chance));
	u->tid = core_random(&u->chance);
	core_lock(&probed_lock);
	core_list_add(&probed, &u->on_probed);
	core_unlock(&probed_lock);
	hca_lock(hca);
	hca->mad = ucma_mad;
	hca->due = ucma_due;
	hca_unlock(hca);
	return u;
}

void ucma_remove(struct ucma *u)
{
	struct core_list *pos, *tmp;

	if (!u)
		return;
	hca_lock(u->hca);
	u->hca->mad = NULL;
	u->hca->due = NULL;
	/* A process that exits closes its files: the peers get a DREQ. */
	core_list_for_each(pos, tmp, &u->files) {
		struct ucma_file *f = core_container(pos, struct ucma_file, on_ucma);

		while (!core_list_empty(&f->ids))
			ucma_id_free(core_container(f->ids.next, struct ucma_id, on_file));
	}
	ucma_refusals_drop(u);
	wire_flush(u->w);
	ucma_host_leave(u);
	hca_unlock(u->hca);
	core_lock(&probed_lock);
	core_list_del(&u->on_probed);
	core_unlock(&probed_lock);
}

void ucma_free(struct ucma *u)
{
	if (!u)
		return;
	core_ids_fini(&u->ids);
	core_ids_fini(&u->memberships);
	core_ids_fini(&u->conns);
	free(u);
}

struct ucma_id *ucma_id_new(struct ucma_file *f, uint16_t ps, bool ud)
{
	struct ucma_id *id = calloc(1, sizeof(*id));

	if (!id)
		return NULL;
	if (!core_ids_add(&f->u->ids, id, &id->id)) {
		free(id);
		return NULL;
	}
	core_list_init(&id->memberships);
	id->file = f;
	id->ps = ps;
	id->ud = ud;
	id->seq_num = core_random(&f->u->chance) & PSN_MASK;
	core_list_add(&f->ids, &id->on_file);
	core_list_add(&f->u->all, &id->on_ucma);
	return id;
}

void ucma_enter(struct ucma_id *id, enum cm_state state)
{
	id->cm = state;
	if (state != CM_REQ_RCVD && state != CM_REP_SENT && state != CM_SIDR_REQ_RCVD)
		ucma_port_asked(id, NULL);
}

uint32_t ucma_id_free(struct ucma_id *id)
{
	struct ucma *u = id->file->u;
	uint32_t reported = id->reported;

	ucma_hang_up(id);
	ucma_leave_all(id);
	ucma_events_drop(id);
	ucma_port_drop(id);
	if (id->local_id)
		core_ids_del(&u->conns, id->local_id);
	core_ids_del(&u->ids, id->id);
	core_list_del(&id->on_file);
	core_list_del(&id->on_ucma);
	free(id);
	return reported;
}

/* kernel, ucma.c: ucma_get_qp_type */
static int is_ud(const struct rdma_ucm_create_id *cmd, bool *ud)
{
	switch (cmd->ps) {
	case RDMA_PS_TCP:
		*ud = false;
		return 0;
	case RDMA_PS_UDP:
	case RDMA_PS_IPOIB:
		*ud = true;
		return 0;
	case RDMA_PS_IB:
		*ud = cmd->qp_type == IB_UVERBS_QPT_UD;
		return 0;
	default:
		return -EINVAL;
	}
}

int ucma_create_id(struct ucma_call *c)
{
	struct rdma_ucm_create_id_resp resp;
	struct rdma_ucm_create_id cmd;
	struct ucma_id *id;
	bool ud;
	int ret;

	if (c->out_len < sizeof(resp))
		return -ENOSPC;
	ret = ucma_get(c, &cmd, sizeof(cmd));
	if (!ret)
		ret = is_ud(&cmd, &ud);
	if (ret)
		return ret;
	id = ucma_id_new(c->file, cmd.ps, ud);
	if (!id)
		return -ENOMEM;
	id->uid = cmd.uid;
	resp.id = id->id;
	ret = ucma_put(cmd.response, &resp, sizeof(resp));
	if (ret)
		ucma_id_free(id);
	return ret;
}

int ucma_destroy_id(struct ucma_call *c)
{
	const struct rdma_ucm_destroy_id *cmd = c->cmd;
	struct rdma_ucm_destroy_id_resp resp;

	resp.events_reported = ucma_id_free(c->id);
	wire_flush(c->file->u->w);
	return ucma_put(cmd->response, &resp, sizeof(resp));
}

/* kernel, ucma.c, ucma_set_option_id; values of the application, with the length that it
 * states. */
int ucma_set_option(struct ucma_call *c)
{
	const struct rdma_ucm_set_option *cmd = c->cmd;
	struct ucma_id *id = c->id;
	uint32_t number = 0;
	bool byte = cmd->optname == RDMA_OPTION_ID_TOS ||
		    cmd->optname == RDMA_OPTION_ID_ACK_TIMEOUT;

	if (!core_peek(&number, cmd->optval,
		       cmd->optlen < sizeof(number) ? cmd->optlen : sizeof(number)))
		return -EFAULT;
	if (cmd->level != RDMA_OPTION_ID || cmd->optname > RDMA_OPTION_ID_ACK_TIMEOUT)
		return -ENOSYS;
	if (cmd->optlen != (byte ? 1 : sizeof(number)))
		return -EINVAL;
	switch (cmd->optname) {
	case RDMA_OPTION_ID_TOS:
		id->tos = number;
		id->tos_set = true;
		return 0;
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		/* kernel, cma.c, rdma_set_ack_timeout */
		if (id->ud || number > 31)
			return -EINVAL;
		id->timeout = number;
		id->timeout_set = true;
		return 0;
	case RDMA_OPTION_ID_REUSEADDR:
		/* kernel, cma.c, rdma_set_reuseaddr */
		if (number ? id->state == UCMA_LISTEN : id->state != UCMA_IDLE)
			return -EINVAL;
		id->reuseaddr = number;
		return 0;
	default:
		if (id->state != UCMA_IDLE && id->state != UCMA_ADDR_BOUND)
			return -EINVAL;
		id->afonly = number;
		return 0;
	}
}

/* kernel, ucma.c, ucma_migrate_id, which does not look at the length of the answer: moves an id
 * of the file @fd to the file of the request. */
int ucma_migrate_id(struct ucma_call *c)
{
	struct rdma_ucm_migrate_resp resp;
	struct rdma_ucm_migrate_id cmd;
	struct ucma_call from = *c;
	struct ucma_id *id;
	int ret;

	ret = ucma_get(c, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	from.file = ucma_file_find(c->file->u, (int)cmd.fd);
	if (!from.file)
		return fcntl((int)cmd.fd, F_GETFD) < 0 ? -ENOENT : -EINVAL;
	ret = ucma_find(&from, cmd.id, &id);
	if (ret)
		return ret;
	resp.events_reported = id->reported;
	if (from.file != c->file) {
		ucma_events_move(id, c->file);
		core_list_del(&id->on_file);
		core_list_add(&c->file->ids, &id->on_file);
		id->file = c->file;
	}
	return ucma_put(cmd.response, &resp, sizeof(resp));
}
