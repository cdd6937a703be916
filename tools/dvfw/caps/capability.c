/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Current capabilities, one at a time.
 *
 *	file: { "caps": { "GENERAL": { "current": { "log_max_qp": 17, … } } } }
 *
 * Fields that a file does not have are 0, as dumps leave them out; a missing group is one that
 * the device does not have.
 */
#include <string.h>

#include "caps/caps.h"
#include "names/names.h"

int capability_open(const struct dvfw *d, struct capability_source *from, const char *file)
{
	from->file = json_object_from_file(file);
	if (!from->file)
		return dvfw_usage(d, "--caps: %s cannot be read as JSON", file);
	if (!json_object_is_type(json_get(from->file, "caps"), json_type_object)) {
		capability_close(from);
		return dvfw_usage(d,
				  "--caps: %s is not what 'dvfw caps --json' writes: no "
				  "object \"caps\" in it",
				  file);
	}
	return DVFW_OK;
}

void capability_close(struct capability_source *from)
{
	json_object_put(from->file);
	from->file = NULL;
}

/* Missing fields are 0. */
static bool get_from_file(struct json_object *file, const char *group, const char *field,
			  uint64_t *value)
{
	struct json_object *at = json_get(caps_tree_fields(file, group, CAPS_CURRENT), field);

	if (json_object_is_type(at, json_type_string))
		return parse_number(json_object_get_string(at), value);
	*value = json_object_get_uint64(at);
	return true;
}

bool capability_get(const struct capability_source *from, uint16_t group, const char *field,
		    uint64_t *value)
{
	const char *name = prm_value_name("CAP", group, NULL);
	const struct prm_struct *layout = devx_caps_struct(group);
	uint8_t caps[DEVX_CAPS_BYTES];

	if (from->file)
		return name && get_from_file(from->file, name, field, value);
	if (!from->device || !layout || caps_tree_query(from->device, group, PRM_CAP_CUR, caps))
		return false;
	return prm_get(layout, caps, sizeof(caps), field, value);
}
