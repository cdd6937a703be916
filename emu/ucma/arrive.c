/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages in: for which id? REQ and SIDR_REQ look for a listener, all others name the id that
 * they are for, and are heard only if they come from its peer.
 */
#include "ucma/id.h"

/* The id that @m is for; NULL: there is none. */
static struct ucma_id *receiver(struct ucma *u, const uint8_t *m)
{
	struct ucma_id *id = core_ids_get(&u->conns, mad_get(m, CM_REMOTE_ID));
	uint32_t peer = mad_get(m, CM_LOCAL_ID);

	/* Until the peer's id is known, any will do. A REJ of somebody who has no connection for
	 * it has no id, and comes too late once the peer has answered. */
	if (!id || (id->remote_id && id->remote_id != peer))
		return NULL;
	return id;
}

/* kernel, cm.c: who speaks of a connection that is not there is told so */
static void stranger(struct ucma *u, const struct hca_mad *m, uint32_t attribute)
{
	if (attribute == CM_REP)
		ucma_refuse(u, m, CM_ABOUT_REP, CM_REJ_INVALID_COMM_ID);
	else if (attribute == CM_DREQ)
		ucma_answer_drep(u, m);
}

static void take(struct ucma *u, const struct hca_mad *m, uint32_t attribute)
{
	struct ucma_id *id = receiver(u, m->bytes);

	if (!id) {
		stranger(u, m, attribute);
		return;
	}
	switch (attribute) {
	case CM_REP:
		ucma_take_rep(id, m);
		break;
	case CM_RTU:
		ucma_take_rtu(id, m);
		break;
	case CM_REJ:
		ucma_take_rej(id, m);
		break;
	case CM_MRA:
		ucma_take_mra(id, m);
		break;
	case CM_DREQ:
		ucma_take_dreq(id, m);
		break;
	case CM_DREP:
		ucma_take_drep(id);
		break;
	default:
		break;
	}
}

void ucma_mad(struct hca *hca, const struct hca_mad *m)
{
	struct ucma *u = ucma_of(hca);
	uint32_t attribute = mad_get(m->bytes, MAD_ATTR_ID);
	struct ucma_id *id;

	if (!mad_is_cm(m->bytes))
		return;
	switch (attribute) {
	case CM_REQ:
		ucma_take_req(u, m);
		break;
	case CM_SIDR_REQ:
		ucma_take_sidr_req(u, m);
		break;
	case CM_SIDR_REP:
		id = core_ids_get(&u->conns, mad_get(m->bytes, SIDR_REQUEST_ID));
		if (id)
			ucma_take_sidr_rep(id, m);
		break;
	default:
		take(u, m, attribute);
	}
}
