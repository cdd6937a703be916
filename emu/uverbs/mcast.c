/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multicast groups of QPs (ib_uverbs, uverbs_cmd.c, ib_uverbs_attach_mcast; ib_core, verbs.c,
 * ib_attach_mcast; mlx5_ib, main.c, mlx5_ib_mcg_attach).
 *
 *	QP -> {GID, LID} -> {GID, LID} …
 *
 * On RoCE any LID is valid (is_valid_mcast_lid), but it is part of the name of a group. A QP
 * cannot be destroyed while it is attached; when the file is closed, it is detached.
 */
#include <assert.h>
#include <stdlib.h>

#include "uverbs/qp.h"

struct attachment {
	struct core_list on_qp; /* uverbs_qp.groups */
	uint8_t gid[16];
	uint16_t lid;
};

static_assert(sizeof(struct ib_uverbs_attach_mcast) == sizeof(struct ib_uverbs_detach_mcast) &&
		      offsetof(struct ib_uverbs_attach_mcast, mlid) ==
			      offsetof(struct ib_uverbs_detach_mcast, mlid),
	      "both name a group in the same way");

static int read_group(struct uverbs_call *c, struct ib_uverbs_attach_mcast *cmd,
		      struct uverbs_qp **qp)
{
	int ret = uverbs_request(c, cmd);

	if (ret)
		return ret;
	*qp = uverbs_named(c, cmd->qp_handle, UVERBS_QP);
	return *qp ? 0 : -EINVAL;
}

static struct attachment *find(const struct uverbs_qp *qp,
			       const struct ib_uverbs_attach_mcast *cmd)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &qp->groups) {
		struct attachment *a = core_container(pos, struct attachment, on_qp);

		if (a->lid == cmd->mlid && !memcmp(a->gid, cmd->gid, sizeof(a->gid)))
			return a;
	}
	return NULL;
}

/* The commands differ in their opcode only. */
static int command(struct uverbs_qp *qp, uint16_t opcode, const uint8_t gid[16])
{
	uint8_t in[PRM_SZ(attach_to_mcg_in)] = { 0 }, out[PRM_SZ(attach_to_mcg_out)];

	PRM_SET(attach_to_mcg_in, in, opcode, opcode);
	PRM_SET(attach_to_mcg_in, in, uid, qp->uid);
	PRM_SET(attach_to_mcg_in, in, qpn, qp->qpn);
	memcpy(PRM_ADDR(attach_to_mcg_in, in, multicast_gid), gid, 16);
	return uverbs_fw(qp->obj.file->u, in, sizeof(in), out, sizeof(out));
}

int uverbs_attach_mcast(struct uverbs_call *c)
{
	struct ib_uverbs_attach_mcast cmd;
	struct attachment *a;
	struct uverbs_qp *qp;
	int ret = read_group(c, &cmd, &qp);

	if (ret || find(qp, &cmd))
		return ret;
	if (!hca_is_multicast(cmd.gid) || qp->type != IB_UVERBS_QPT_UD)
		return -EINVAL;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	ret = command(qp, PRM_OP_ATTACH_TO_MCG, cmd.gid);
	if (ret) {
		free(a);
		return ret;
	}
	memcpy(a->gid, cmd.gid, sizeof(a->gid));
	a->lid = cmd.mlid;
	core_list_add(&qp->groups, &a->on_qp);
	return 0;
}

/* The group is forgotten even if the command fails. */
static int detach(struct uverbs_qp *qp, struct attachment *a)
{
	int ret = command(qp, PRM_OP_DETACH_FROM_MCG, a->gid);

	core_list_del(&a->on_qp);
	free(a);
	return ret;
}

int uverbs_detach_mcast(struct uverbs_call *c)
{
	struct ib_uverbs_attach_mcast cmd;
	struct attachment *a;
	struct uverbs_qp *qp;
	int ret = read_group(c, &cmd, &qp);

	if (ret)
		return ret;
	a = find(qp, &cmd);
	return a ? detach(qp, a) : -EINVAL;
}

void uverbs_detach_all(struct uverbs_qp *qp)
{
	while (!core_list_empty(&qp->groups))
		detach(qp, core_container(qp->groups.next, struct attachment, on_qp));
}
