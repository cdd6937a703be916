/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transport interfaces: what stands between an Ethernet queue and the port.
 *
 *	SQ -> TIS -> transport domain	send: priority
 *	RQ <- TIR -> transport domain	receive: which RQ (disp_type DIRECT)
 *
 * Spreading over an RQ table (INDIRECT), LRO, tunnels, TLS and LAG are refused. A TIS or TIR is
 * never modified: mlx5_ib does it for LAG and for representors only.
 */
#include "fw/command.h"

#define DISP_DIRECT 0 /* tirc.disp_type: mlx5_ifc.h, MLX5_TIRC_DISP_TYPE_DIRECT */

static_assert(PRM_SZ(tisc) == DEV_TISC_SIZE && PRM_SZ(tirc) == DEV_TIRC_SIZE, "contexts");

static struct dev_td *td_of(const struct fw_cmd *c, uint32_t tdn)
{
	struct dev_td *td = core_ids_get(&c->d->tds, tdn);

	return td && fw_may(c, td->uid) ? td : NULL;
}

struct dev_tis *fw_tis(const struct fw_cmd *c, uint32_t tisn)
{
	struct dev_tis *tis = core_ids_get(&c->d->tiss, tisn);

	return tis && fw_may(c, tis->uid) ? tis : NULL;
}

static struct dev_tir *tir_of(const struct fw_cmd *c, uint32_t tirn)
{
	struct dev_tir *tir = core_ids_get(&c->d->tirs, tirn);

	return tir && fw_may(c, tir->uid) ? tir : NULL;
}

enum fw_status fw_create_tis(struct fw_cmd *c)
{
	const uint8_t *tisc = PRM_ADDR(create_tis_in, c->in, ctx);
	struct dev_td *td = td_of(c, PRM_GET(tisc, tisc, transport_domain));
	struct dev_tis *tis;

	if (!td)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_TD);
	if (fw_at_limit(&c->d->tiss, FW_GEN(c->d, log_max_tis)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	tis = dev_tis_new(c->d);
	if (!tis)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	memcpy(tis->tisc, tisc, DEV_TISC_SIZE);
	tis->uid = fw_own(c);
	tis->td = td;
	td->refs++;
	PRM_SET(create_tis_out, c->out, tisn, tis->tisn);
	return FW_OK;
}

enum fw_status fw_query_tis(struct fw_cmd *c)
{
	const struct dev_tis *tis = fw_tis(c, PRM_GET(query_tis_in, c->in, tisn));

	if (!tis)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_OBJECT);
	memcpy(PRM_ADDR(query_tis_out, c->out, tis_context), tis->tisc, DEV_TISC_SIZE);
	return FW_OK;
}

enum fw_status fw_destroy_tis(struct fw_cmd *c)
{
	struct dev_tis *tis = fw_tis(c, PRM_GET(destroy_tis_in, c->in, tisn));

	if (!tis)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_OBJECT);
	if (tis->refs)
		return fw_refuse(c, FW_RES_BUSY, FW_WHY_BUSY);
	tis->td->refs--;
	fw_disown(c->d, tis->uid);
	dev_tis_free(c->d, tis);
	return FW_OK;
}

enum fw_status fw_create_tir(struct fw_cmd *c)
{
	const uint8_t *tirc = PRM_ADDR(create_tir_in, c->in, ctx);
	struct dev_td *td = td_of(c, PRM_GET(tirc, tirc, transport_domain));
	struct dev_rq *rq = fw_rq(c, PRM_GET(tirc, tirc, inline_rqn));
	struct dev_tir *tir;

	if (PRM_GET(tirc, tirc, disp_type) != DISP_DIRECT)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!td)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_TD);
	if (!rq)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_RQ);
	if (fw_at_limit(&c->d->tirs, FW_GEN(c->d, log_max_tir)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	tir = dev_tir_new(c->d);
	if (!tir)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	memcpy(tir->tirc, tirc, DEV_TIRC_SIZE);
	tir->uid = fw_own(c);
	tir->td = td;
	td->refs++;
	tir->rq = rq;
	rq->refs++;
	PRM_SET(create_tir_out, c->out, tirn, tir->tirn);
	return FW_OK;
}

enum fw_status fw_query_tir(struct fw_cmd *c)
{
	const struct dev_tir *tir = tir_of(c, PRM_GET(query_tir_in, c->in, tirn));

	if (!tir)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_OBJECT);
	memcpy(PRM_ADDR(query_tir_out, c->out, tir_context), tir->tirc, DEV_TIRC_SIZE);
	return FW_OK;
}

enum fw_status fw_destroy_tir(struct fw_cmd *c)
{
	struct dev_tir *tir = tir_of(c, PRM_GET(destroy_tir_in, c->in, tirn));

	if (!tir)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_OBJECT);
	tir->td->refs--;
	tir->rq->refs--;
	fw_disown(c->d, tir->uid);
	dev_tir_free(c->d, tir);
	return FW_OK;
}
