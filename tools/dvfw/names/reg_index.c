/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers by name, and which of their fields choose one of several.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "names/names.h"

/* Names of index fields (PRM: "index") in the registers of register.def. */
static const char *const indices[] = {
	"local_port",	      "port_number",	"proto_mask",	"grp",	      "prio_tc",
	"page_select",	      "module",		"sensor_index", "pin",	      "feature_group",
	"access_reg_group",   "pcie_index",	"depth",	"node",	      "component_index",
	"info_type",	      "segment_type",	"index1",	"index2",     "prio",
	"i2c_device_address", "device_address", "page_number",	"slot_index",
};

bool reg_is_index(const char *field, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(indices); i++)
		if (strlen(indices[i]) == length && !strncmp(indices[i], field, length))
			return true;
	return false;
}

const char *reg_indices(const struct prm_reg *reg, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (const struct prm_field *f = reg->layout->fields; f->name; f++)
		if (reg_is_index(f->name, strlen(f->name)) && used < size)
			used += (size_t)snprintf(buf + used, size - used, "%s%s",
						 used ? " " : "", f->name);
	return buf;
}

const struct prm_reg *reg_find(const char *name, struct near *near)
{
	const struct prm_reg *r = NULL;
	uint64_t id;

	near_begin(near, name);
	while ((r = prm_reg_next(r))) {
		if (!strcasecmp(r->name, name) || (parse_number(name, &id) && id == r->id))
			return r;
		near_offer(near, r->name);
	}
	return NULL;
}
