/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Received messages, and the id that each is for. For REQ and SIDR_REQ that is a listener; all
 * others name the id, and are dropped unless its peer sent them.
 */
#include "ucma/id.h"

/* The id that @m is for; NULL: there is none. */
static struct ucma_id *receiver(struct ucma *u, const uint8_t *m)
{
	struct ucma_id *id = core_ids_get(&u->conns, mad_get(m, CM_REMOTE_ID));
	uint32_t peer = mad_get(m, CM_LOCAL_ID);

	/* Until the peer's id is known, any is accepted. A REJ of a process without such a connection
	 * has no id, and is ignored once the peer has answered. */
	if (!id || (id->remote_id && id->remote_id != peer))
		return NULL;
	return id;
}

/* kernel, cm.c: messages for a connection that does not exist are answered with an error. */
static void no_connection(struct ucma *u, const struct hca_mad *m, uint32_t attribute)
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
		no_connection(u, m, attribute);
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

/* Each process of this host gets the messages of other hosts. An answer is for the process that has the id;
 * its highest byte is the slot. */
static bool is_of_other(const struct hca *hca, const struct hca_mad *m, uint32_t attribute)
{
	uint32_t id = mad_get(m->bytes, CM_REMOTE_ID);

	if (m->from != WIRE_NETWORK || attribute == CM_REQ || attribute == CM_SIDR_REQ)
		return false;
	if (attribute == CM_SIDR_REP)
		id = mad_get(m->bytes, SIDR_REQUEST_ID);
	return id >> 24 != hca->slot;
}

void ucma_mad(struct hca *hca, const struct hca_mad *m)
{
	struct ucma *u = ucma_of(hca);
	uint32_t attribute = mad_get(m->bytes, MAD_ATTR_ID);
	struct ucma_id *id;

	if (!mad_is_cm(m->bytes) || is_of_other(hca, m, attribute))
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
