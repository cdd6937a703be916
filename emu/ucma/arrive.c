/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Received messages, and the id that each is for. For REQ and SIDR_REQ that is a listener; all
 * others name the id, and are dropped unless its peer sent them.
 */
#include <stdlib.h>

#include "ucma/id.h"

/* The id that @m is for; NULL: there is none. */
static struct ucma_id *receiver(struct ucma *u, const uint8_t *m)
{
	struct ucma_id *id = core_ids_get(&u->conns, mad_get(m, CM_REMOTE_ID));
	uint32_t peer = mad_get(m, CM_LOCAL_ID);

	/* Until the peer's id is known, any is accepted. A REJ of a process without such a
	 * connection has no id, and is ignored once the peer has answered. */
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

/* Each process of this host gets requests, and the messages of other hosts. */
static bool is_for_all(const struct hca_mad *m, uint32_t attribute)
{
	return m->from == WIRE_NETWORK || attribute == CM_REQ || attribute == CM_SIDR_REQ;
}

/* An answer is for the process that has the id; its highest byte is the slot. */
static bool is_of_other(const struct hca *hca, const struct hca_mad *m, uint32_t attribute)
{
	uint32_t id = mad_get(m->bytes, CM_REMOTE_ID);

	if (m->from != WIRE_NETWORK || attribute == CM_REQ || attribute == CM_SIDR_REQ)
		return false;
	if (attribute == CM_SIDR_REP)
		id = mad_get(m->bytes, SIDR_REQUEST_ID);
	return id >> 24 != hca->slot;
}

static void dispatch(struct ucma *u, const struct hca_mad *m, uint32_t attribute)
{
	struct ucma_id *id;

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

/* ---- refusals ---- */

/*
 * A process that has the port answers a request, and may then close the port. Another process
 * of that host that sees the request only now refuses it, as no process has the port. The
 * answer was sent before the refusal, but they are in two rings. So a refusal waits until
 * everything that was sent before it has arrived.
 */
static bool is_refusal(const struct hca_mad *m, uint32_t attribute)
{
	if (m->from == WIRE_NETWORK)
		return false;
	if (attribute == CM_SIDR_REP)
		return mad_get(m->bytes, SIDR_REP_STATUS) == CM_SIDR_UNSUPPORTED;
	return attribute == CM_REJ && !mad_get(m->bytes, CM_LOCAL_ID) &&
	       mad_get(m->bytes, REJ_REASON) == CM_REJ_INVALID_SERVICE_ID;
}

/* false: no memory */
static bool keep(struct ucma *u, const struct hca_mad *m)
{
	struct ucma_refusal *r = calloc(1, sizeof(*r));

	if (!r)
		return false;
	r->drained = wire_drained(u->w);
	memcpy(r->mad, m->bytes, MAD_BYTES);
	core_list_add(&u->refusals, &r->on_ucma);
	return true;
}

void ucma_refusals_due(struct ucma *u)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &u->refusals) {
		struct ucma_refusal *r = core_container(pos, struct ucma_refusal, on_ucma);
		struct hca_mad m = { .bytes = r->mad, .from = u->hca->slot };

		if (r->drained == wire_drained(u->w))
			return;
		core_list_del(&r->on_ucma);
		dispatch(u, &m, mad_get(r->mad, MAD_ATTR_ID));
		free(r);
	}
}

void ucma_refusals_drop(struct ucma *u)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &u->refusals)
		free(core_container(pos, struct ucma_refusal, on_ucma));
	core_list_init(&u->refusals);
}

bool ucma_mad(struct hca *hca, const struct hca_mad *m)
{
	struct ucma *u = ucma_of(hca);
	uint32_t attribute = mad_get(m->bytes, MAD_ATTR_ID);

	if (mad_is_cm(m->bytes) && !is_of_other(hca, m, attribute) &&
	    (!is_refusal(m, attribute) || !keep(u, m)))
		dispatch(u, m, attribute);
	return !is_for_all(m, attribute);
}
