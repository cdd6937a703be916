/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Binding to the adapter, in the order of mlx5_core and mlx5_ib:
 *
 *	capabilities -> identity (adapter, vport) -> a UAR -> event queues -> GID table -> clock
 *
 * and open files. An adapter that refuses one of these commands does not become a device.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "uverbs/flow_core.h"

/* hca.irq carries a struct hca; this finds the driver. Two adapters of one process have two
 * locks, hence one more here. */
static pthread_mutex_t probed_lock = PTHREAD_MUTEX_INITIALIZER;
static struct core_list probed = { &probed, &probed };

struct uverbs *uverbs_of(const struct hca *hca)
{
	struct uverbs *found = NULL;
	struct core_list *pos, *tmp;

	core_lock(&probed_lock);
	core_list_for_each(pos, tmp, &probed) {
		struct uverbs *u = core_container(pos, struct uverbs, on_probed);

		if (u->hca == hca)
			found = u;
	}
	core_unlock(&probed_lock);
	return found;
}

static uint64_t parse_fw_ver(const char *s)
{
	unsigned int major = 0, minor = 0, sub = 0;

	sscanf(s, "%u.%u.%u", &major, &minor, &sub);
	return (uint64_t)major << 32 | (uint64_t)minor << 16 | sub;
}

static int read_adapter(struct uverbs *u)
{
	uint8_t in[PRM_SZ(query_adapter_in)] = { 0 }, out[PRM_SZ(query_adapter_out)] = { 0 };
	int ret;

	PRM_SET(query_adapter_in, in, opcode, PRM_OP_QUERY_ADAPTER);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	u->vendor_id =
		PRM_GET(query_adapter_param_block,
			PRM_ADDR(query_adapter_out, out, query_adapter_struct), ieee_vendor_id);
	return ret;
}

static int read_vport(struct uverbs *u)
{
	uint8_t in[PRM_SZ(query_nic_vport_context_in)] = { 0 };
	uint8_t out[PRM_SZ(query_nic_vport_context_out)] = { 0 };
	const uint8_t *nic = PRM_ADDR(query_nic_vport_context_out, out, nic_vport_context);
	int ret;

	PRM_SET(query_nic_vport_context_in, in, opcode, PRM_OP_QUERY_NIC_VPORT_CONTEXT);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	u->node_guid = PRM_GET(nic_vport_context, nic, node_guid);
	u->sys_image_guid = PRM_GET(nic_vport_context, nic, system_image_guid);
	return ret;
}

/* The key that a scatter list names for bytes to be dropped. */
static int read_dump_fill_mkey(struct uverbs *u)
{
	uint8_t in[PRM_SZ(query_special_contexts_in)] = { 0 };
	uint8_t out[PRM_SZ(query_special_contexts_out)] = { 0 };
	int ret;

	if (!UVERBS_CAP(u, dump_fill_mkey))
		return 0;
	PRM_SET(query_special_contexts_in, in, opcode, PRM_OP_QUERY_SPECIAL_CONTEXTS);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	u->dump_fill_mkey = PRM_GET(query_special_contexts_out, out, dump_fill_mkey);
	return ret;
}

static int bind(struct uverbs *u, const struct uverbs_config *cfg)
{
	int ret = uverbs_caps_read(u);

	if (!ret)
		ret = read_adapter(u);
	if (!ret)
		ret = read_vport(u);
	if (!ret)
		ret = read_dump_fill_mkey(u);
	if (!ret)
		ret = uverbs_fw_alloc(u, PRM_OP_ALLOC_UAR, 0, &u->uar);
	u->has_uar = !ret;
	if (!ret)
		ret = uverbs_eqs_create(u);
	if (!ret)
		ret = uverbs_gids_set(u, cfg->addresses, cfg->naddresses);
	if (!ret)
		ret = uverbs_uid_create(u);
	if (!ret)
		uverbs_clock_info(u);
	return ret;
}

static void unbind(struct uverbs *u)
{
	uverbs_anchors_end(u);
	uverbs_uid_destroy(u);
	uverbs_eqs_destroy(u);
	if (u->xrc_pdn)
		uverbs_fw_number(u, PRM_OP_DEALLOC_PD, 0, u->xrc_pdn);
	if (u->has_uar)
		uverbs_fw_number(u, PRM_OP_DEALLOC_UAR, 0, u->uar);
	uverbs_flow_end(u);
	free(u->vars);
	free(u->rates);
	free(u->neighbours);
}

struct uverbs *uverbs_probe(struct hca *hca, const struct uverbs_config *cfg)
{
	struct uverbs *u = calloc(1, sizeof(*u));
	int ret;

	if (!u)
		return NULL;
	u->hca = hca;
	u->pci_id = cfg->pci_id;
	u->fw_ver = parse_fw_ver(cfg->fw_ver);
	u->w = cfg->w;
	u->kernel = cfg->kernel;
	u->memlock = !cfg->no_memlock;
	u->pinned = cfg->pinned ? cfg->pinned : &u->own_pinned;
	core_list_init(&u->files);
	core_list_init(&u->notified);
	core_list_init(&u->domains);
	core_list_init(&u->subscriptions);
	core_list_init(&u->anchors);
	hca_lock(hca);
	ret = bind(u, cfg);
	if (ret)
		unbind(u);
	hca_unlock(hca);
	if (ret) {
		free(u);
		errno = -ret;
		return NULL;
	}
	core_lock(&probed_lock);
	core_list_add(&probed, &u->on_probed);
	core_unlock(&probed_lock);
	return u;
}

void uverbs_remove(struct uverbs *u)
{
	core_lock(&probed_lock);
	core_list_del(&u->on_probed);
	core_unlock(&probed_lock);
	hca_lock(u->hca);
	unbind(u);
	hca_unlock(u->hca);
	free(u);
}

struct uverbs_file *uverbs_open(struct uverbs *u)
{
	struct uverbs_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->u = u;
	core_list_init(&f->objects);
	core_list_init(&f->record_pages);
	hca_lock(u->hca);
	f->number = u->next_file++;
	core_list_add(&u->files, &f->on_driver);
	uverbs_clock_info(u);
	hca_unlock(u->hca);
	return f;
}

void uverbs_release(struct uverbs_file *f)
{
	struct hca *hca = f->u->hca;

	hca_lock(hca);
	uverbs_objects_destroy_all(f);
	uverbs_context_end(f);
	core_list_del(&f->on_driver);
	hca_unlock(hca);
	free(f);
}
