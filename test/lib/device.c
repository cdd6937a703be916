/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>
#include <infiniband/mlx5dv.h>

#include "lib/device.h"

struct ibv_device *device_find(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	const char *name = getenv("DVKIT_DEVICE");

	for (; list && *list; list++)
		if (name ? !strcmp(ibv_get_device_name(*list), name)
			 : mlx5dv_is_supported(*list))
			return *list;
	return NULL;
}

uint8_t device_gid_index(struct ibv_context *ctx, const struct ibv_port_attr *port)
{
	struct ibv_gid_entry entry;
	uint8_t found = 0;

	for (int i = 0; i < port->gid_tbl_len; i++)
		if (!ibv_query_gid_ex(ctx, 1, (uint32_t)i, &entry, 0) &&
		    entry.gid_type == IBV_GID_TYPE_ROCE_V2)
			found = (uint8_t)i;
	return found;
}
