/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of functions. A grant is written between two versions, the first of them odd; a
 * reader that sees the same even version before and after has read one grant. Its owner may be
 * stopped while it writes: then there is no grant yet.
 */
#include <string.h>

#include "hca/hca.h"

#define TRIES 4

/* A reader's copy of a grant. */
struct copy {
	uint64_t serial, mkey, key[HCA_ACCESS_KEY_WORDS];
};

static uint64_t load(const _Atomic uint64_t *from)
{
	return atomic_load_explicit(from, memory_order_relaxed);
}

static void store(_Atomic uint64_t *to, uint64_t value)
{
	atomic_store_explicit(to, value, memory_order_relaxed);
}

static void put(struct hca_grant *g, const struct copy *c)
{
	uint64_t version = load(&g->version);

	store(&g->version, version + 1);
	atomic_thread_fence(memory_order_release);
	store(&g->serial, c->serial);
	store(&g->mkey, c->mkey);
	for (int i = 0; i < HCA_ACCESS_KEY_WORDS; i++)
		store(&g->key[i], c->key[i]);
	atomic_store_explicit(&g->version, version + 2, memory_order_release);
}

static bool get(const struct hca_grant *g, struct copy *c)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t version = atomic_load_explicit(&g->version, memory_order_acquire);

		c->serial = load(&g->serial);
		c->mkey = load(&g->mkey);
		for (int j = 0; j < HCA_ACCESS_KEY_WORDS; j++)
			c->key[j] = load(&g->key[j]);
		atomic_thread_fence(memory_order_acquire);
		if (!(version & 1) && version == load(&g->version))
			return c->serial;
	}
	return false;
}

void hca_vhca_publish(struct hca *hca, uint32_t adapter)
{
	struct hca_vhca *own = &hca->vhcas[hca->slot];

	atomic_store(&own->role, hca->role);
	atomic_store(&own->adapter, adapter);
	hca_count_in(hca, &own->counted);
	hca_adapter_join(hca, adapter);
	hca_port_publish(hca);
}

void hca_port_publish(struct hca *hca)
{
	uint64_t port = (uint64_t)core_be16(hca->port.mac) << 32 | core_be32(hca->port.mac + 2);

	if (!hca->vhcas)
		return;
	port |= hca->port.promisc ? HCA_PORT_PROMISC : 0;
	port |= hca->port.tap ? HCA_PORT_TAP : 0;
	atomic_store(&hca->vhcas[hca->slot].port, port);
	atomic_fetch_add(&hca->vhcas[0].port, 1);
}

void hca_loopback_need(struct hca *hca, int contexts, int loops)
{
	hca->contexts += contexts;
	hca->loops += loops;
	if (!hca->vhcas)
		return;
	atomic_store(&hca->vhcas[hca->slot].contexts, hca->contexts);
	atomic_store(&hca->vhcas[hca->slot].loops, hca->loops);
}

bool hca_loops_back(const struct hca *hca)
{
	int contexts = hca->contexts, loops = hca->loops;

	for (unsigned int slot = 1; hca->vhcas && slot < HCA_VHCAS; slot++) {
		const struct hca_vhca *v = &hca->vhcas[slot];

		if (contexts > 1 || loops)
			return true;
		if (slot == hca->slot || atomic_load(&v->role) != hca->role ||
		    !atomic_load(&v->contexts) || !hca_vhca_at(hca, slot))
			continue;
		contexts += atomic_load(&v->contexts);
		loops += atomic_load(&v->loops);
	}
	return contexts > 1 || loops;
}

uint64_t hca_port_changes(const struct hca *hca)
{
	return hca->vhcas ? atomic_load(&hca->vhcas[0].port) : 0;
}

bool hca_of_adapter(const struct hca *hca, const struct hca_vhca *v)
{
	return atomic_load(&v->adapter) == atomic_load(&hca->vhcas[hca->slot].adapter);
}

struct hca_vhca *hca_vhca_at(const struct hca *hca, uint32_t vhca_id)
{
	if (!hca->vhcas || !vhca_id || vhca_id >= HCA_VHCAS)
		return NULL;
	if (vhca_id != hca->slot && !(hca->present && hca->present(hca, (uint8_t)vhca_id)))
		return NULL;
	return hca_of_adapter(hca, &hca->vhcas[vhca_id]) ? &hca->vhcas[vhca_id] : NULL;
}

bool hca_allow(struct hca *hca, struct hca_mkey *m, const uint8_t *key)
{
	struct hca_grant *all = hca->vhcas ? hca->vhcas[hca->slot].grants : NULL;
	struct copy c = { .mkey = m->index };
	uint32_t at = m->grant ? m->grant_at : 0;

	if (!all)
		return false;
	while (!m->grant && at < HCA_GRANTS && load(&all[at].serial))
		at++;
	if (at == HCA_GRANTS)
		return false;
	if (!m->grant)
		m->grant = ++hca->grants;
	m->grant_at = at;
	c.serial = m->grant;
	memcpy(c.key, key, HCA_ACCESS_KEY_BYTES);
	put(&all[at], &c);
	return true;
}

void hca_revoke(struct hca *hca, struct hca_mkey *m)
{
	if (m->grant)
		put(&hca->vhcas[hca->slot].grants[m->grant_at], &(struct copy){ 0 });
	m->grant = 0;
}

uint64_t hca_granted(const struct hca_vhca *v, uint32_t mkey, const uint8_t *key, bool *same)
{
	struct copy c;

	for (uint32_t i = 0; i < HCA_GRANTS; i++) {
		if (!get(&v->grants[i], &c) || c.mkey != mkey)
			continue;
		*same = !memcmp(c.key, key, HCA_ACCESS_KEY_BYTES);
		return c.serial;
	}
	return 0;
}

static bool is_granted(const struct hca_vhca *v, uint64_t serial)
{
	struct copy c;

	for (uint32_t i = 0; i < HCA_GRANTS; i++)
		if (get(&v->grants[i], &c) && c.serial == serial)
			return true;
	return false;
}

bool hca_target_is_good(const struct hca *hca, const struct hca_target *t)
{
	const struct hca_vhca *v = hca_vhca_at(hca, t->vhca_id);

	if (!v || atomic_load(&v->epoch) != t->epoch)
		return false;
	return t->kind == HCA_TARGET_CROSSING || (t->serial && is_granted(v, t->serial));
}
