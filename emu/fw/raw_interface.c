/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transport interfaces: what is between an Ethernet queue and the port.
 *
 *	SQ -> TIS -> transport domain	send: priority
 *	RQ <- TIR -> transport domain	receive: which RQ (disp_type DIRECT)
 *	RQT <- TIR			… or, by a hash of the packet, which of several (INDIRECT)
 *
 * LRO, tunnels, TLS and LAG are refused. A TIR's hash and what it does with the function's own
 * packets may change, and so may a TIS's priority; of all else a new one is made.
 */
#include "fw/command.h"

static_assert(PRM_SZ(tisc) == HCA_TISC_SIZE && PRM_SZ(tirc) == HCA_TIRC_SIZE, "contexts");

static struct hca_td *td_of(const struct fw_cmd *c, uint32_t tdn)
{
	struct hca_td *td = core_ids_get(&c->hca->tds, tdn);

	return td && fw_may(c, td->uid) ? td : NULL;
}

enum fw_status fw_create_tis(struct fw_cmd *c)
{
	const uint8_t *tisc = PRM_ADDR(create_tis_in, c->in, ctx);
	struct hca_td *td = td_of(c, PRM_GET(tisc, tisc, transport_domain));
	struct hca_tis *tis;

	if (!td)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_TD);
	if (fw_at_limit(&c->hca->tiss, FW_GEN(c->hca, log_max_tis)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	tis = hca_tis_new(c->hca);
	if (!tis)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	memcpy(tis->tisc, tisc, HCA_TISC_SIZE);
	tis->td = td;
	fw_begin(c, tis);
	PRM_SET(create_tis_out, c->out, tisn, tis->tisn);
	return FW_OK;
}

enum fw_status fw_query_tis(struct fw_cmd *c)
{
	const struct hca_tis *tis = fw_tis(c, PRM_GET(query_tis_in, c->in, tisn));

	if (!tis)
		return fw_absent(c);
	memcpy(PRM_ADDR(query_tis_out, c->out, tis_context), tis->tisc, HCA_TISC_SIZE);
	return FW_OK;
}

enum fw_status fw_modify_tis(struct fw_cmd *c)
{
	struct hca_tis *tis = fw_tis(c, PRM_GET(modify_tis_in, c->in, tisn));
	const uint8_t *mask = PRM_ADDR(modify_tis_in, c->in, bitmask);
	const uint8_t *tisc = PRM_ADDR(modify_tis_in, c->in, ctx);

	if (!tis)
		return fw_absent(c);
	if (PRM_GET(modify_tis_bitmask, mask, prio))
		PRM_SET(tisc, tis->tisc, prio, PRM_GET(tisc, tisc, prio));
	return FW_OK;
}

enum fw_status fw_destroy_tis(struct fw_cmd *c)
{
	return fw_destroy(c, fw_tis(c, PRM_GET(destroy_tis_in, c->in, tisn)));
}

/* Everything that says how an INDIRECT TIR hashes is in one part of its context. */
#define HASH_KEY_AT    (PRM_OFF(tirc, rx_hash_toeplitz_key) / 8)
#define HASH_KEY_BYTES 40

static bool hashes(const uint8_t *tirc)
{
	static const uint8_t none[HASH_KEY_BYTES];

	return PRM_GET(tirc, tirc, rx_hash_fn) || PRM_GET(tirc, tirc, rx_hash_symmetric) ||
	       memcmp(tirc + HASH_KEY_AT, none, sizeof(none)) ||
	       PRM_GET(rx_hash_field_select, PRM_ADDR(tirc, tirc, rx_hash_field_selector_outer),
		       selected_fields);
}

static void copy_hash(uint8_t *to, const uint8_t *from)
{
	PRM_SET(tirc, to, rx_hash_fn, PRM_GET(tirc, from, rx_hash_fn));
	PRM_SET(tirc, to, rx_hash_symmetric, PRM_GET(tirc, from, rx_hash_symmetric));
	memcpy(to + HASH_KEY_AT, from + HASH_KEY_AT, HASH_KEY_BYTES);
	memcpy(PRM_ADDR(tirc, to, rx_hash_field_selector_outer),
	       PRM_ADDR(tirc, from, rx_hash_field_selector_outer),
	       PRM_SZ(rx_hash_field_select));
}

/* assumed(tir_is_direct_or_indirect): a DIRECT TIR that names a table or a hash, an INDIRECT
 * one that names an RQ, and a hash function beyond Toeplitz are BAD_PARAM. */
static enum fw_status check_tir(struct fw_cmd *c, const uint8_t *tirc)
{
	bool direct = PRM_GET(tirc, tirc, disp_type) == PRM_TIRC_DISP_TYPE_DIRECT;

	if (PRM_GET(tirc, tirc, disp_type) > PRM_TIRC_DISP_TYPE_INDIRECT)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(tirc, tirc, rx_hash_fn) > PRM_RX_HASH_FN_TOEPLITZ)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (direct ? hashes(tirc) || PRM_GET(tirc, tirc, indirect_table)
		   : PRM_GET(tirc, tirc, inline_rqn))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	/* assumed(tir_needs_no_transport_domain): a TIR may have transport domain 0, none: DPDK
	 * makes the TIR of its drop queue so where no send queue was made yet. */
	if (PRM_GET(tirc, tirc, transport_domain) &&
	    !td_of(c, PRM_GET(tirc, tirc, transport_domain)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_TD);
	if (direct && !fw_rq(c, PRM_GET(tirc, tirc, inline_rqn)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_RQ);
	if (!direct && !fw_rqt(c, PRM_GET(tirc, tirc, indirect_table)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_RQT);
	return FW_OK;
}

enum fw_status fw_create_tir(struct fw_cmd *c)
{
	const uint8_t *tirc = PRM_ADDR(create_tir_in, c->in, ctx);
	enum fw_status status = check_tir(c, tirc);
	struct hca_tir *tir;

	if (status != FW_OK)
		return status;
	if (fw_at_limit(&c->hca->tirs, FW_GEN(c->hca, log_max_tir)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	tir = hca_tir_new(c->hca);
	if (!tir)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	memcpy(tir->tirc, tirc, HCA_TIRC_SIZE);
	tir->td = td_of(c, PRM_GET(tirc, tirc, transport_domain));
	if (PRM_GET(tirc, tirc, disp_type) == PRM_TIRC_DISP_TYPE_DIRECT)
		tir->rq = fw_rq(c, PRM_GET(tirc, tirc, inline_rqn));
	else
		tir->rqt = fw_rqt(c, PRM_GET(tirc, tirc, indirect_table));
	fw_begin(c, tir);
	PRM_SET(create_tir_out, c->out, tirn, tir->tirn);
	PRM_SET(create_tir_out, c->out, icm_address_39_32,
		HCA_ICM_AT(HCA_ICM_TIR, tir->tirn) >> 32);
	PRM_SET(create_tir_out, c->out, icm_address_31_0,
		HCA_ICM_AT(HCA_ICM_TIR, tir->tirn) & UINT32_MAX);
	return FW_OK;
}

enum fw_status fw_query_tir(struct fw_cmd *c)
{
	const struct hca_tir *tir = fw_tir(c, PRM_GET(query_tir_in, c->in, tirn));

	if (!tir)
		return fw_absent(c);
	memcpy(PRM_ADDR(query_tir_out, c->out, tir_context), tir->tirc, HCA_TIRC_SIZE);
	return FW_OK;
}

enum fw_status fw_modify_tir(struct fw_cmd *c)
{
	struct hca_tir *tir = fw_tir(c, PRM_GET(modify_tir_in, c->in, tirn));
	const uint8_t *mask = PRM_ADDR(modify_tir_in, c->in, bitmask);
	const uint8_t *tirc = PRM_ADDR(modify_tir_in, c->in, ctx);
	bool hash = PRM_GET(modify_tir_bitmask, mask, hash);

	if (!tir)
		return fw_absent(c);
	if (hash && (!tir->rqt || PRM_GET(tirc, tirc, rx_hash_fn) > PRM_RX_HASH_FN_TOEPLITZ))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (hash)
		copy_hash(tir->tirc, tirc);
	if (PRM_GET(modify_tir_bitmask, mask, self_lb_en))
		PRM_SET(tirc, tir->tirc, self_lb_block, PRM_GET(tirc, tirc, self_lb_block));
	return FW_OK;
}

enum fw_status fw_destroy_tir(struct fw_cmd *c)
{
	return fw_destroy(c, fw_tir(c, PRM_GET(destroy_tir_in, c->in, tirn)));
}
