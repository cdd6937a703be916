/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of connections: DISCONNECT, a destroyed id, or a peer that does not answer.
 *
 *	DISCONNECT --DREQ-->                       event DISCONNECTED
 *	event DISCONNECTED      <--DREP--          DISCONNECT
 *	event TIMEWAIT_EXIT, when no packet can be in flight
 *
 * (InfiniBand specification, chapter 12, "Communication release"; kernel, cm.c and cma.c.)
 */
#include "ucma/id.h"

static void enter_timewait(struct ucma_id *id)
{
	ucma_enter(id, CM_TIMEWAIT);
	id->watched = false;
	ucma_quiet(id);
	ucma_wait(id, ucma_ns(id->ack_timeout));
}

void ucma_disconnected(struct ucma_id *id, int status)
{
	if (id->state != UCMA_CONNECT)
		return;
	id->state = UCMA_DISCONNECT;
	ucma_event_post(ucma_event_new(id, UCMA_DISCONNECTED, status));
}

/* kernel, cm.c: the same timeout and retries as for a REQ */
static uint64_t patience(const struct ucma_id *id)
{
	return 2 * ucma_ns(id->path.life) + ucma_ns(UCMA_RESPONSE_TIMEOUT);
}

static void fill_dreq(struct ucma_id *id, uint8_t *mad)
{
	id->tid = ++id->file->u->tid;
	ucma_message(id, CM_DREQ, mad);
	mad_set(mad, DREQ_REMOTE_QPN, id->remote_qpn);
}

static void send_drep(struct ucma_id *id)
{
	uint8_t mad[MAD_BYTES];

	ucma_message(id, CM_DREP, mad);
	ucma_send(id, mad);
}

int ucma_disconnect(struct ucma_call *c)
{
	struct ucma_id *id = c->id;

	if (!id->local_id)
		return -EINVAL;
	/* kernel, cma.c, rdma_disconnect: nothing to do unless connected. */
	if (id->cm == CM_ESTABLISHED) {
		fill_dreq(id, id->sent.mad);
		ucma_enter(id, CM_DREQ_SENT);
		ucma_send_until(id, patience(id), UCMA_MAX_RETRIES);
	} else if (id->cm == CM_DREQ_RCVD) {
		send_drep(id);
		enter_timewait(id);
	}
	return 0;
}

void ucma_answer_drep(struct ucma *u, const struct hca_mad *m)
{
	uint8_t mad[MAD_BYTES];

	mad_new(mad, CM_DREP, mad_get(m->bytes, MAD_TID));
	mad_set(mad, CM_LOCAL_ID, mad_get(m->bytes, CM_REMOTE_ID));
	mad_set(mad, CM_REMOTE_ID, mad_get(m->bytes, CM_LOCAL_ID));
	ucma_answer(u, m, mad);
}

void ucma_take_dreq(struct ucma_id *id, const struct hca_mad *m)
{
	switch (id->cm) {
	case CM_REP_SENT:
	case CM_REP_RCVD:
	case CM_ESTABLISHED:
	case CM_DREQ_SENT:
		ucma_quiet(id);
		id->tid = mad_get(m->bytes, MAD_TID);
		ucma_enter(id, CM_DREQ_RCVD);
		id->watched = false;
		ucma_disconnected(id, 0);
		break;
	case CM_DREQ_RCVD:
		break;
	default:
		/* kernel, cm.c, cm_issue_drep: over already, or never begun */
		ucma_answer_drep(id->file->u, m);
	}
}

void ucma_take_drep(struct ucma_id *id)
{
	if (id->cm != CM_DREQ_SENT && id->cm != CM_DREQ_RCVD)
		return;
	enter_timewait(id);
	ucma_disconnected(id, 0);
}

/* The message of this state was not answered in time, or a wait is over. */
void ucma_late(struct ucma_id *id)
{
	switch (id->cm) {
	case CM_REQ_SENT:
	case CM_REP_SENT:
		ucma_send_rej(id, CM_REJ_TIMEOUT, NULL, 0);
		/* fall through */
	case CM_SIDR_REQ_SENT:
		ucma_enter(id, CM_IDLE);
		ucma_event_post(ucma_event_new(id, UCMA_UNREACHABLE, -ETIMEDOUT));
		break;
	case CM_DREQ_SENT:
		enter_timewait(id);
		ucma_disconnected(id, -ETIMEDOUT);
		break;
	case CM_TIMEWAIT:
		ucma_enter(id, CM_IDLE);
		ucma_event_post(ucma_event_new(id, UCMA_TIMEWAIT_EXIT, 0));
		break;
	default:
		break;
	}
}

/* kernel, cm.c, cm_destroy_id: one message to the peer, without waiting for an answer */
void ucma_hang_up(struct ucma_id *id)
{
	uint8_t mad[MAD_BYTES];

	ucma_quiet(id);
	switch (id->cm) {
	case CM_REQ_SENT:
		ucma_send_rej(id, CM_REJ_TIMEOUT, NULL, 0);
		break;
	case CM_REQ_RCVD:
	case CM_REP_SENT:
	case CM_REP_RCVD:
		ucma_send_rej(id, CM_REJ_CONSUMER, NULL, 0);
		break;
	case CM_ESTABLISHED:
		fill_dreq(id, mad);
		ucma_send(id, mad);
		break;
	case CM_DREQ_RCVD:
		send_drep(id);
		break;
	case CM_SIDR_REQ_RCVD:
		ucma_sidr_answer(id, CM_SIDR_REJECT, NULL);
		break;
	default:
		break;
	}
	ucma_enter(id, CM_IDLE);
}

/* A killed peer sends no DREQ: the kernel that would send it was emulated in the same
 * process. */
void ucma_look_after(struct ucma *u)
{
	struct core_list *pos, *tmp;
	bool any = false;

	core_list_for_each(pos, tmp, &u->all) {
		struct ucma_id *id = core_container(pos, struct ucma_id, on_ucma);

		if (!id->watched)
			continue;
		if (wire_present(u->w, id->slot)) {
			any = true;
			continue;
		}
		id->watched = false;
		ucma_quiet(id);
		ucma_enter(id, CM_DREQ_RCVD);
		ucma_disconnected(id, 0);
	}
	if (!any)
		u->next_look = 0;
}
