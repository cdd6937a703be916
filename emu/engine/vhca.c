/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of this function, for the work requests of other functions of the adapter. A
 * request names an mkey by number and by the serial of its grant, so that it never reaches a
 * later mkey of that number; from a function that controls this one, a crossing mkey, by its
 * key.
 *
 *	request -> still this process? -> grant, mkey -> mem: rights, range, pages -> answer
 *
 * If there is no space for an answer, the request waits in a list and is executed later; if
 * there is no space in that either it is lost, and will be repeated. The requests of a function
 * are executed in their order: once a repeated WRITE is answered, the one before it cannot be
 * executed any more.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/mmo.h"
#include "engine/vhca.h"
#include "mem/mem.h"

#define ANSWERS_MAX 4096

static_assert(sizeof(struct wire_message) == 56, "no padding in a message");
static_assert(sizeof(struct wire_message) + VHCA_BYTES <= WIRE_MAX_FRAME, "a piece fits");

/* A request for which there was no space to answer. */
struct late {
	struct core_list on_engine;
	uint8_t from;
	struct wire_message m;
	uint8_t data[]; /* of a WRITE */
};

static uint64_t own_epoch(const struct engine *e)
{
	const struct hca *hca = e->hca;

	return hca->vhcas ? atomic_load(&hca->vhcas[hca->slot].epoch) : 0;
}

/* ---- the function that has the bytes ---- */

/* A function of the same adapter that controls this one: a DPU's is the e-switch manager. */
static bool controls(const struct engine *e, uint8_t from)
{
	const struct hca_vhca *v = hca_vhca_at(e->hca, from);

	return v && atomic_load(&v->role) == HCA_ROLE_DPU;
}

static struct hca_mkey *mkey_of(const struct engine *e, const struct wire_message *m,
				uint8_t from)
{
	struct hca_mkey *k;

	if (!m->grant)
		return controls(e, from) ? hca_mkey_find(e->hca, m->key) : NULL;
	k = core_ids_get(&e->hca->mkeys, m->key);
	return k && k->grant == m->grant ? k : NULL;
}

static uint8_t status_of(enum mem_status status)
{
	switch (status) {
	case MEM_OK:
		return WIRE_DONE;
	case MEM_RIGHTS:
		return WIRE_NO_RIGHT;
	case MEM_BOUNDS:
		return WIRE_OUTSIDE;
	case MEM_FAULT:
		return WIRE_NO_MEMORY;
	default:
		return WIRE_UNUSABLE;
	}
}

/* Executes @m; the bytes of a READ are in e->payload. */
/* assumed(alias_needs_the_local_rights_of_its_mkey): a copy through an alias needs of the mkey
 * that its function allowed the right that the function itself would need, lr to read it and lw
 * to write to it; not rr and rw. */
static uint8_t execute(struct engine *e, const struct wire_message *m, const uint8_t *data,
		       uint8_t from)
{
	const struct hca_mkey *k;
	struct mem_ref ref;

	if (m->to != own_epoch(e))
		return WIRE_GONE;
	k = mkey_of(e, m, from);
	if (!k)
		return WIRE_NO_KEY;
	ref = (struct mem_ref){ .pd = k->pd,
				.key = k->index << 8 | k->variant,
				.addr = m->addr,
				.len = m->len,
				.qpn = m->qpn,
				.rights = m->rights };
	switch (m->kind) {
	case WIRE_CHECK:
		return status_of(mem_check(e->hca, &ref));
	case WIRE_READ:
		return status_of(mem_read(e->hca, &ref, e->payload));
	default:
		return status_of(mem_write(e->hca, &ref, data));
	}
}

/* Only after wire_has_space(). */
static void answer(struct engine *e, const struct wire_message *m, const uint8_t *data,
		   uint8_t from)
{
	struct wire_message a = *m;

	a.status = execute(e, m, data, from);
	a.kind |= WIRE_ANSWER;
	wire_send_message(e->w, from, &a, e->payload,
			  m->kind == WIRE_READ && !a.status ? m->len : 0);
}

static void keep(struct engine *e, const struct wire_message *m, const uint8_t *data,
		 size_t len, uint8_t from)
{
	struct late *l = e->nanswers < ANSWERS_MAX ? calloc(1, sizeof(*l) + len) : NULL;

	if (!l)
		return;
	l->m = *m;
	l->from = from;
	if (len)
		memcpy(l->data, data, len);
	core_list_add(&e->answers, &l->on_engine);
	e->nanswers++;
	e->waits[from]++;
}

bool vhca_run(struct engine *e)
{
	bool full[HCA_VHCAS] = { false }, moved = false;
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &e->answers) {
		struct late *l = core_container(pos, struct late, on_engine);

		/* Asked once: it may have space a moment later. */
		if (full[l->from] || !wire_has_space(e->w, l->from)) {
			full[l->from] = e->blocked = true;
			continue;
		}
		answer(e, &l->m, l->data, l->from);
		core_list_del(pos);
		e->waits[l->from]--;
		free(l);
		e->nanswers--;
		moved = true;
	}
	return moved;
}

void vhca_stop(struct engine *e)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &e->answers)
		free(core_container(pos, struct late, on_engine));
}

/* ---- both ---- */

/* Is @m what another engine sends? @data: bytes that follow it. */
static bool is_request(const struct wire_message *m, size_t data)
{
	switch (m->kind) {
	case WIRE_CHECK:
		return !data && (m->rights == HCA_LOCAL_READ || m->rights == HCA_LOCAL_WRITE);
	case WIRE_READ:
		return !data && m->len <= VHCA_BYTES && m->rights == HCA_LOCAL_READ;
	case WIRE_WRITE:
		return data == m->len && data <= VHCA_BYTES && m->rights == HCA_LOCAL_WRITE;
	default:
		return false;
	}
}

void vhca_take(struct engine *e, const uint8_t *bytes, size_t len, uint8_t from)
{
	struct wire_message m;
	const uint8_t *data = bytes + sizeof(m);

	if (len < sizeof(m))
		return;
	memcpy(&m, bytes, sizeof(m));
	len -= sizeof(m);
	if (m.kind & WIRE_ANSWER) {
		if (m.from == own_epoch(e))
			mmo_take(e, &m, data, len);
		return;
	}
	if (!is_request(&m, len))
		return;
	if (!e->waits[from] && wire_has_space(e->w, from))
		answer(e, &m, data, from);
	else
		keep(e, &m, data, len, from);
}

/* ---- the function whose work request it is ---- */

uint32_t vhca_ask(struct engine *e, const struct hca_target *t, struct wire_message *m,
		  const uint8_t *data)
{
	if (!wire_has_space(e->w, t->vhca_id)) {
		e->blocked = true;
		return 0;
	}
	m->to = t->epoch;
	m->from = own_epoch(e);
	m->grant = t->serial;
	m->key = t->key;
	if (!++e->serials)
		e->serials++;
	m->serial = e->serials;
	wire_send_message(e->w, t->vhca_id, m, data, m->kind == WIRE_WRITE ? m->len : 0);
	return m->serial;
}

bool vhca_lives(const struct engine *e, const struct hca_target *t)
{
	const struct hca_vhca *v = hca_vhca_at(e->hca, t->vhca_id);

	return v && atomic_load(&v->epoch) == t->epoch;
}
