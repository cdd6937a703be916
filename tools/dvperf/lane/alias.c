/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --remote-vhca: the client's key of the server's memory. Lanes whose records are equal share
 * it.
 *
 *	server  one export of a region, its record in each lane's address     --mr=one
 *	client  lane 0: an alias of it   lane 1, 2, …: the same key
 */
#include <stdlib.h>
#include <string.h>

#include <devx/pd.h>

#include "base/base.h"
#include "lane.h"

struct lane_alias {
	uint8_t record[DEVX_EXPORT_BYTES];
	uint32_t key;
	bool owned; /* else the alias is another lane's */
	struct devx_alias alias;
};

static void create(struct lane_alias *a, const struct device *dev)
{
	struct devx_export e;
	char line[256];
	uint32_t pdn;
	int err;

	if (devx_export_unpack(&e, a->record, sizeof(a->record)))
		base_fail(
			"the other side sent no export of memory: another version of dvperf?");
	base_ok(devx_pdn_query(&pdn, dev->pd));
	err = devx_alias_create(&a->alias, dev->ctx, pdn, &e);
	if (err)
		base_refuse(
			"%s cannot import memory of VHCA %u (--remote-vhca): %s; 'dvfw check "
			"cross-vhca' says what is missing",
			ibv_get_device_name(dev->ctx->device), e.vhca_id,
			devx_error_str(devx_last_error(), line, sizeof(line)));
	a->key = a->alias.key;
	a->owned = true;
}

void lane_import(struct lane *l, const struct device *dev, const struct address *peer,
		 const struct lane *before)
{
	struct lane_alias *a = base_made(calloc(1, sizeof(*a)));

	memcpy(a->record, peer->exported, sizeof(a->record));
	if (before && !memcmp(before->alias->record, a->record, sizeof(a->record)))
		a->key = before->alias->key;
	else
		create(a, dev);
	l->alias = a;
	l->op.remote.rkey = a->key;
}

void lane_drop_alias(struct lane *l)
{
	if (l->alias && l->alias->owned)
		base_ok(devx_alias_destroy(&l->alias->alias));
	free(l->alias);
	l->alias = NULL;
}
