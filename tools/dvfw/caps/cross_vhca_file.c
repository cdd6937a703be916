/* SPDX-License-Identifier: BSD-2-Clause */
/* A function in a dump of 'dvfw caps --json': written, and read. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "base/base.h"
#include "caps/caps.h"
#include "names/names.h"
#include "prm/prm.h"

/* ---- written ---- */

static struct json_object *guid_text(uint64_t guid)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016" PRIx64, guid);
	return json_object_new_string(text);
}

static struct json_object *port_json(const struct devx_vhca_caps *c, uint8_t port)
{
	struct json_object *p = json_object_new_object();
	bool ethernet = c->link_layer == IBV_LINK_LAYER_ETHERNET;

	json_set(p, "port", port);
	json_set(p, "state", ibv_port_state_str((enum ibv_port_state)c->port_state));
	json_set(p, "link_layer", ethernet ? "Ethernet" : "InfiniBand");
	json_set(p, "has_gid", (bool)c->has_gid);
	return p;
}

void cross_vhca_add(struct json_object *device, struct ibv_context *ctx, uint8_t ports)
{
	struct json_object *list = json_object_new_array();
	struct devx_vhca_caps c = { 0 };

	for (uint8_t port = 1; port <= ports; port++)
		if (!devx_vhca_caps_query(&c, ctx, port))
			json_object_array_add(list, port_json(&c, port));
	json_set(device, "sys_image_guid", guid_text(c.sys_image_guid));
	json_set(device, "max_wr_memcpy_length", c.max_wr_memcpy_length);
	json_set(device, "ports", list);
}

struct json_object *cross_vhca_json(const struct cross_vhca_function *f)
{
	struct json_object *j = json_object_new_object();

	json_set(j, "name", f->name);
	json_set(j, "vhca_id", f->caps.vhca_id);
	json_set(j, "sys_image_guid", guid_text(f->caps.sys_image_guid));
	json_set(j, "vendor_part_id", f->caps.vendor_part_id);
	json_set(j, "fw_ver", f->caps.fw_ver);
	return j;
}

/* ---- read ---- */

#define MEMBER(member) \
	offsetof(struct devx_vhca_caps, member), sizeof(((struct devx_vhca_caps *)0)->member)
#define GENERAL(field)                                 \
	{                                              \
		PRM_CAP_GENERAL, #field, MEMBER(field) \
	}
#define GENERAL_2(field)                                 \
	{                                                \
		PRM_CAP_GENERAL_2, #field, MEMBER(field) \
	}

static const struct {
	uint16_t group;
	const char *field;
	size_t at, size;
} fields[] = {
	GENERAL(vhca_id),
	GENERAL(hca_cap_2),
	GENERAL(dma_mmo_qp),
	GENERAL(dma_mmo_sq),
	GENERAL(log_dma_mmo_max_size),
	GENERAL(log_max_umem),
	GENERAL(log_max_uctx),
	GENERAL(fixed_buffer_size),
	GENERAL(crossing_vhca_mkey),
	GENERAL_2(cross_vhca_object_to_object_supported),
	GENERAL_2(allowed_object_for_other_vhca_access),
};

static void store(void *at, size_t size, uint64_t value)
{
	const uint8_t v8 = (uint8_t)value;
	const uint16_t v16 = (uint16_t)value;
	const uint32_t v32 = (uint32_t)value;

	memcpy(at,
	       size == 1   ? (const void *)&v8
	       : size == 2 ? (const void *)&v16
	       : size == 4 ? (const void *)&v32
			   : &value,
	       size);
}

static int take_caps(struct dvfw *d, const char *file, struct json_object *tree,
		     struct devx_vhca_caps *c)
{
	const struct capability_source from = { .file = tree };
	uint64_t value;

	if (!caps_tree_fields(tree, "GENERAL", CAPS_CURRENT))
		return dvfw_usage(d, "%s has no group GENERAL: write it by 'dvfw caps --json'",
				  file);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!capability_get(&from, fields[i].group, fields[i].field, &value))
			return dvfw_usage(d, "%s: %s is not a number", file, fields[i].field);
		if (fields[i].size < 8 && value >> 8 * fields[i].size)
			return dvfw_usage(d, "%s: %s is 0x%llx, more than it can be", file,
					  fields[i].field, (unsigned long long)value);
		store((char *)c + fields[i].at, fields[i].size, value);
	}
	return DVFW_OK;
}

/* A number or the text of one; what is neither is 0. */
static uint64_t number_of(struct json_object *from, const char *name)
{
	uint64_t value = 0;

	return parse_number(json_text(from, name), &value) ? value : 0;
}

static uint8_t state_of(const char *text)
{
	int state = IBV_PORT_NOP;

	while (state < IBV_PORT_ACTIVE_DEFER &&
	       strcmp(ibv_port_state_str((enum ibv_port_state)state), text) != 0)
		state++;
	return (uint8_t)state;
}

/* False: there is no such port. */
static bool take_port(struct json_object *ports, uint8_t port, struct devx_vhca_caps *c)
{
	for (size_t i = 0; i < json_object_array_length(ports); i++) {
		struct json_object *p = json_object_array_get_idx(ports, i);

		if (number_of(p, "port") != port)
			continue;
		c->port_state = state_of(json_text(p, "state"));
		c->link_layer = !strcmp(json_text(p, "link_layer"), "Ethernet")
					? IBV_LINK_LAYER_ETHERNET
					: IBV_LINK_LAYER_INFINIBAND;
		c->has_gid = json_object_get_boolean(json_get(p, "has_gid"));
		return true;
	}
	return false;
}

/* Members that an older dump lacks count as supported. */
static void assume(struct devx_vhca_caps *c)
{
	if (c->dma_mmo_qp || c->dma_mmo_sq)
		c->max_wr_memcpy_length =
			1ull << (c->log_dma_mmo_max_size ? c->log_dma_mmo_max_size & 31 : 31);
	c->port_state = IBV_PORT_ACTIVE;
	c->link_layer = IBV_LINK_LAYER_ETHERNET;
	c->has_gid = 1;
}

static int take_device(struct dvfw *d, struct json_object *device, uint8_t port,
		       struct cross_vhca_function *f)
{
	struct devx_vhca_caps *c = &f->caps;
	struct json_object *ports = json_get(device, "ports");

	c->sys_image_guid = number_of(device, "sys_image_guid");
	c->vendor_part_id = (uint32_t)number_of(device, "vendor_part_id");
	snprintf(c->fw_ver, sizeof(c->fw_ver), "%s", json_text(device, "fw_ver"));
	f->is_old = !json_object_is_type(ports, json_type_array);
	if (f->is_old) {
		assume(c);
		return DVFW_OK;
	}
	c->max_wr_memcpy_length = number_of(device, "max_wr_memcpy_length");
	if (take_port(ports, port, c))
		return DVFW_OK;
	return dvfw_usage(d, "%s has no port %u", f->name, port);
}

int cross_vhca_load(struct dvfw *d, const char *file, uint8_t port,
		    struct cross_vhca_function *f)
{
	struct json_object *tree;
	int status = caps_tree_load(d, file, &tree);

	if (status)
		return status;
	*f = (struct cross_vhca_function){ 0 };
	snprintf(f->name, sizeof(f->name), "%s", file);
	status = take_caps(d, file, tree, &f->caps);
	if (!status)
		status = take_device(d, json_get(tree, "device"), port, f);
	json_object_put(tree);
	return status;
}
