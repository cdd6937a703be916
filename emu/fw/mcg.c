/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multicast groups: which UD QPs receive the packets for a GID.
 *
 *	ATTACH_TO_MCG    {GID, QPN} --> an attachment, which refers to the QP
 *	DETACH_FROM_MCG  {GID, QPN} --> it ends
 *
 * A group is created with its first QP, and ends with its last one.
 */
#include "fw/command.h"

struct group {
	struct hca_mcg *own; /* of the QP that is looked for, or NULL */
	uint32_t qps;
};

static struct group look_up(struct hca *hca, const uint8_t *gid, const struct hca_qp *qp)
{
	struct core_list *pos, *tmp, *bucket = hca_mcg_bucket(hca, gid);
	struct group g = { 0 };

	core_list_for_each(pos, tmp, bucket) {
		struct hca_mcg *m = core_container(pos, struct hca_mcg, in_bucket);

		if (memcmp(m->gid, gid, sizeof(m->gid)))
			continue;
		g.qps++;
		if (m->qp == qp)
			g.own = m;
	}
	return g;
}

/* assumed(mcg_limits_are_lim_err): a QP more than max_qp_mcg allows, and a group more than
 * log_max_mcg, are LIM_ERR. */
static bool at_limit(const struct fw_cmd *c, const struct group *g)
{
	return g->qps ? g->qps >= FW_GEN(c->hca, max_qp_mcg)
		      : c->hca->groups >= 1u << FW_GEN(c->hca, log_max_mcg);
}

static void leave(struct hca *hca, const uint8_t *gid)
{
	if (hca->leave)
		hca->leave(hca, gid);
}

static enum fw_status attach(struct fw_cmd *c, struct hca_qp *qp, const uint8_t *gid)
{
	struct hca_mcg *m = hca_mcg_new(c->hca);

	if (!m)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	memcpy(m->gid, gid, sizeof(m->gid));
	m->qp = qp;
	core_list_add(hca_mcg_bucket(c->hca, gid), &m->in_bucket);
	hca_mcg_publish(c->hca, gid);
	fw_begin(c, m);
	return FW_OK;
}

/* assumed(only_ud_qps_are_attached): a QP that is not UD, and a GID that is not multicast, are
 * BAD_PARAM; the QP may be in any state. */
/* assumed(attached_twice_is_attached_once): to attach a QP to a group that it is attached to
 * succeeds and changes nothing. */
enum fw_status fw_attach_to_mcg(struct fw_cmd *c)
{
	struct hca_qp *qp = fw_qp(c, PRM_GET(attach_to_mcg_in, c->in, qpn));
	const uint8_t *gid = PRM_ADDR(attach_to_mcg_in, c->in, multicast_gid);
	enum fw_status status;
	struct group g;

	if (!qp)
		return fw_absent(c);
	if (qp->st != PRM_QPC_ST_UD || !hca_is_multicast(gid))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	g = look_up(c->hca, gid, qp);
	if (g.own)
		return FW_OK;
	if (at_limit(c, &g))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	/* Without the network's part only QPs of this host would reach it. */
	if (!g.qps && c->hca->join && c->hca->join(c->hca, gid))
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	status = attach(c, qp, gid);
	if (!g.qps && status == FW_OK)
		c->hca->groups++;
	else if (!g.qps)
		leave(c->hca, gid);
	return status;
}

enum fw_status fw_detach_from_mcg(struct fw_cmd *c)
{
	struct hca_qp *qp = fw_qp(c, PRM_GET(detach_from_mcg_in, c->in, qpn));
	const uint8_t *gid = PRM_ADDR(detach_from_mcg_in, c->in, multicast_gid);
	struct group g;

	if (!qp)
		return fw_absent(c);
	g = look_up(c->hca, gid, qp);
	if (!g.own || !fw_may(c, g.own->uid))
		return fw_absent(c);
	if (g.qps == 1) {
		c->hca->groups--;
		leave(c->hca, gid);
	}
	return fw_destroy(c, g.own);
}
