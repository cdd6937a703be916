/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the device, or from a file, to a tree.
 *
 *	QUERY_HCA_CAP, a group and a mode  --prm_walk-->  { path: value, … }
 *
 * The tree has all fields, zero or not, so that a comparison shows fields that one tree does
 * not have. Where bits have two meanings, the walk decides which one applies.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <infiniband/verbs.h>

#include "base/base.h"
#include "caps/caps.h"
#include "devx/caps.h"
#include "prm/prm.h"
#include "prm/walk.h"

/* Bits that every reader of JSON keeps exactly, including ECMAScript's. */
#define EXACT_BITS 53

static struct json_object *number(uint64_t value, unsigned int width)
{
	char text[24];

	if (width <= EXACT_BITS)
		return json_object_new_int64((int64_t)value);
	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_object_new_string(text);
}

static struct json_object *value_of(const uint8_t *caps, const struct prm_item *it)
{
	if (!it->field || it->field->bytes)
		return json_hex(caps + it->bit / 8, it->count);
	if (!it->field->array)
		return number(prm_load(caps, it->bit, it->width), it->width);

	struct json_object *all = json_object_new_array();
	for (size_t i = 0; i < it->count; i++)
		json_object_array_add(
			all,
			number(prm_load(caps, it->bit + i * it->width, it->width), it->width));
	return all;
}

static struct json_object *fields_of(const struct prm_struct *layout, const uint8_t *caps)
{
	struct json_object *fields = json_object_new_object();
	struct prm_walk w;
	struct prm_item it;

	prm_walk_begin(&w, layout, caps, layout->bytes);
	while (prm_walk_next(&w, &it))
		json_set(fields, it.path, value_of(caps, &it));
	return fields;
}

/* Set bits that no row names, as "dw3[27]": what firmware knows and prm does not. */
static struct json_object *unnamed(const struct prm_struct *layout, uint8_t *caps)
{
	struct json_object *bits = json_object_new_array();
	char text[32];
	size_t bit;

	while (prm_unnamed(layout, caps, DEVX_CAPS_BYTES, &bit)) {
		snprintf(text, sizeof(text), "dw%zu[%zu]", bit / 32, 31 - bit % 32);
		json_object_array_add(bits, json_object_new_string(text));
		caps[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
	}
	return bits;
}

int caps_tree_query(struct dvfw *d, uint16_t group, enum prm_cap_mode mode,
		    uint8_t caps[DEVX_CAPS_BYTES])
{
	uint8_t in[PRM_SZ(query_hca_cap_in)] = { 0 }, out[PRM_SZ(query_hca_cap_out)];
	int err;

	if (d->ctx)
		return devx_caps_query(caps, d->ctx, group, mode);
	PRM_SET(query_hca_cap_in, in, opcode, PRM_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, in, op_mod, PRM_CAP_OP_MOD(group, mode));
	err = dvfw_command(d, in, sizeof(in), out, sizeof(out));
	if (!err)
		memcpy(caps, PRM_ADDR(query_hca_cap_out, out, capability), DEVX_CAPS_BYTES);
	return err;
}

int caps_tree_refused(const struct dvfw *d, int err)
{
	uint8_t in[PRM_SZ(query_hca_cap_in)] = { 0 };

	PRM_SET(query_hca_cap_in, in, opcode, PRM_OP_QUERY_HCA_CAP);
	return dvfw_command_refused(d, in, err);
}

/* 0, or the errno value that the device's refusal came as. */
static int add_group(struct dvfw *d, const struct prm_cap_group *g, struct json_object *caps)
{
	uint8_t current[DEVX_CAPS_BYTES], max[DEVX_CAPS_BYTES];
	struct json_object *group;
	int err = caps_tree_query(d, g->id, PRM_CAP_CUR, current);

	if (!err)
		err = caps_tree_query(d, g->id, PRM_CAP_MAX, max);
	if (err)
		return err;
	group = json_object_new_object();
	json_set(group, CAPS_CURRENT, fields_of(g->layout, current));
	json_set(group, CAPS_MAX, fields_of(g->layout, max));
	json_set(group, CAPS_UNNAMED, unnamed(g->layout, current));
	json_set(caps, g->name, group);
	return 0;
}

/* The PSID: mlx5_ib shows it in sysfs, QUERY_ADAPTER has it in the vendor's data. */
static void board_id(struct dvfw *d, char *buf, size_t size)
{
	uint8_t in[PRM_SZ(query_adapter_in)] = { 0 }, out[PRM_SZ(query_adapter_out)] = { 0 };
	char path[IBV_SYSFS_PATH_MAX + 16];
	FILE *f;

	buf[0] = '\0';
	if (d->ctx)
		snprintf(path, sizeof(path), "%s/board_id", d->ctx->device->ibdev_path);
	f = d->ctx ? fopen(path, "re") : NULL;
	if (f) {
		if (!fgets(buf, (int)size, f))
			buf[0] = '\0';
		fclose(f);
	}
	buf[strcspn(buf, "\n")] = '\0';
	if (*buf)
		return;
	PRM_SET(query_adapter_in, in, opcode, PRM_OP_QUERY_ADAPTER);
	if (dvfw_command(d, in, sizeof(in), out, sizeof(out)))
		return;
	snprintf(buf, size, "%.16s",
		 (char *)PRM_ADDR(query_adapter_param_block,
				  PRM_ADDR(query_adapter_out, out, query_adapter_struct),
				  vsd_contd_psid));
}

static struct json_object *device_of(struct dvfw *d)
{
	struct json_object *device = json_object_new_object();
	struct ibv_context *ctx = d->ctx;
	struct ibv_device_attr attr = { 0 };
	char text[64];

	json_set(device, "name", ctx ? ibv_get_device_name(ctx->device) : d->fwctl->name);
	if (ctx && !ibv_query_device(ctx, &attr)) {
		json_set(device, "vendor_id", attr.vendor_id);
		json_set(device, "vendor_part_id", attr.vendor_part_id);
		json_set(device, "hw_ver", attr.hw_ver);
		json_set(device, "fw_ver", attr.fw_ver);
		cross_vhca_add(device, ctx, attr.phys_port_cnt);
	}
	board_id(d, text, sizeof(text));
	json_set(device, "board_id", text);
	return device;
}

int caps_tree_read(struct dvfw *d, const struct prm_cap_group *group, struct json_object **tree)
{
	struct json_object *caps = json_object_new_object();
	int err = 0, status = dvfw_connect(d);

	for (const struct prm_cap_group *g = NULL; !status && (g = prm_cap_group_next(g));)
		if (!group || group == g)
			err = add_group(d, g, caps);
	if (!status && !json_object_object_length(caps))
		status = caps_tree_refused(d, err);
	if (status) {
		json_object_put(caps);
		return status;
	}
	*tree = json_object_new_object();
	json_set(*tree, "device", device_of(d));
	json_set(*tree, "caps", caps);
	return DVFW_OK;
}

int caps_tree_load(struct dvfw *d, const char *file, struct json_object **tree)
{
	errno = 0;
	*tree = json_object_from_file(file);
	if (!*tree)
		return dvfw_usage(d, "%s: %s", file,
				  errno ? strerror(errno) : "this is not JSON");
	if (json_object_is_type(json_get(*tree, "caps"), json_type_object))
		return DVFW_OK;
	json_object_put(*tree);
	return dvfw_usage(d, "%s has no \"caps\": it is not what 'dvfw caps --json' prints",
			  file);
}

struct json_object *caps_tree_fields(struct json_object *tree, const char *group,
				     const char *mode)
{
	struct json_object *fields = json_get(json_get(json_get(tree, "caps"), group), mode);

	return json_object_is_type(fields, json_type_object) ? fields : NULL;
}

const struct prm_cap_group *caps_group_find(const char *name)
{
	char *end;
	unsigned long id = strtoul(name, &end, 0);

	if (*name && !*end)
		return id <= UINT16_MAX ? prm_cap_group((unsigned int)id) : NULL;
	for (const struct prm_cap_group *g = NULL; (g = prm_cap_group_next(g));)
		if (!strcasecmp(g->name, name))
			return g;
	return NULL;
}

const char *caps_text(struct json_object *value, char *buf, size_t size)
{
	size_t used;

	if (!json_object_is_type(value, json_type_array)) {
		snprintf(buf, size, "%s", value ? json_object_get_string(value) : "-");
		return buf;
	}
	used = (size_t)snprintf(buf, size, "{");
	for (size_t i = 0; i < json_object_array_length(value) && used < size; i++)
		used += (size_t)snprintf(
			buf + used, size - used, "%s%s", i ? ", " : "",
			json_object_get_string(json_object_array_get_idx(value, i)));
	if (used < size)
		snprintf(buf + used, size - used, "}");
	return buf;
}

/* True: @value is a number, or the text of one. */
static bool as_number(struct json_object *value, uint64_t *n)
{
	char *end;

	if (json_object_is_type(value, json_type_int)) {
		*n = json_object_get_uint64(value);
		return true;
	}
	if (!json_object_is_type(value, json_type_string))
		return false;

	const char *text = json_object_get_string(value);
	if (strncmp(text, "0x", 2))
		return false;
	*n = strtoull(text, &end, 16);
	return !*end;
}

bool caps_same(struct json_object *a, struct json_object *b)
{
	char text[2][1024];
	uint64_t x, y;

	if (!a || !b)
		return a == b;
	if (as_number(a, &x) && as_number(b, &y))
		return x == y;
	return !strcmp(caps_text(a, text[0], sizeof(text[0])),
		       caps_text(b, text[1], sizeof(text[1])));
}
