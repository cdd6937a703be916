/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * caps: capabilities by name, of the device or of a file that 'dvfw caps --json' wrote.
 */
#ifndef DVFW_CAPS_H
#define DVFW_CAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "devx/caps.h"
#include "devx/cross_vhca.h"
#include "prm/table.h"

/*
 * ---- as a tree (caps_tree.c) ----
 *
 * Capabilities as a tree: what 'caps --json' prints, what 'caps --diff' compares and what
 * 'dvkit-emu --device FILE' reads.
 *
 *	{ "device": { "name": "mlx5_0", "vendor_part_id": 4119, "fw_ver": "16.35.2000", … },	and cross_vhca_file.c
 *	  "caps":   { "ODP": { "current": { "…scheme_cap.rc_odp_caps.send": 1, … },
 *			       "max":     { … },
 *			       "unnamed": [ "dw3[27]" ] },
 *		      … } }
 *
 * Groups and paths are those of prm; groups that the device does not have are absent. Numbers
 * are integers, those of more than 53 bits "0x…", bytes are hex digits, arrays are arrays.
 * unnamed are the current bits that are set and that prm has no name for; they are not
 * compared.
 */

#define CAPS_CURRENT "current"
#define CAPS_MAX     "max"
#define CAPS_UNNAMED "unnamed"

/* The image of a group from what dvfw_connect() opened: 0 or an errno value, which
 * caps_tree_refused() prints. */
int caps_tree_query(struct dvfw *d, uint16_t group, enum prm_cap_mode mode,
		    uint8_t caps[DEVX_CAPS_BYTES]);
int caps_tree_refused(const struct dvfw *d, int err);

/* Reads @group, or all (NULL), from the device. An exit status; the error is printed. A group
 * that the device refuses is left out; a device without any is an error. */
int caps_tree_read(struct dvfw *d, const struct prm_cap_group *group,
		   struct json_object **tree);

/* Reads a tree that was printed. An exit status; the error is printed. */
int caps_tree_load(struct dvfw *d, const char *file, struct json_object **tree);

/* The fields of a group; NULL: not there. @mode: CAPS_CURRENT, CAPS_MAX. */
struct json_object *caps_tree_fields(struct json_object *tree, const char *group,
				     const char *mode);

/* By name or number; NULL: there is none. */
const struct prm_cap_group *caps_group_find(const char *name);

/* Whether both are there and the same; an integer equals its text in hex. */
bool caps_same(struct json_object *a, struct json_object *b);
/* A value as people read it: "18", "0x1234", "{1, 2}". */
const char *caps_text(struct json_object *value, char *buf, size_t size);

/*
 * ---- capability.c ----
 *
 * Capabilities by name, from wherever there are some: the open device, or a file that
 * 'dvfw caps --json' wrote.
 */

/* Either of the two; with none, nothing is known. */
struct capability_source {
	struct json_object *file;
	struct dvfw *device; /* opened by dvfw_connect() */
};

/* Reads --caps FILE. An exit status. */
int capability_open(const struct dvfw *d, struct capability_source *from, const char *file);
void capability_close(struct capability_source *from);

/* The current value of "log_max_qp" of group PRM_CAP_*. False: not known. */
bool capability_get(const struct capability_source *from, uint16_t group, const char *field,
		    uint64_t *value);

/*
 * ---- cross_vhca_file.c ----
 *
 * A function of an adapter as dvfw check cross-vhca compares it with another one: queried here,
 * or read from the dump that 'dvfw caps --json' wrote there. Used members of it:
 *
 *	device   sys_image_guid "0x…", max_wr_memcpy_length, vendor_part_id, fw_ver,
 *	         ports: [ { "port": 1, "state": "active", "link_layer": "Ethernet", "has_gid": true } ]
 *	caps     GENERAL and GENERAL_2, current
 */

struct cross_vhca_function {
	char name[128]; /* of the device, or of the file */
	struct devx_vhca_caps caps;
	bool is_old; /* the file is of a dvfw that did not write what the device's ports are */
};

/* Reads a dump. An exit status; the error is printed. */
int cross_vhca_load(struct dvfw *d, const char *file, uint8_t port,
		    struct cross_vhca_function *f);

/* Adds to @device, an object of a dump, what no capability says. */
void cross_vhca_add(struct json_object *device, struct ibv_context *ctx, uint8_t ports);

/* The identity of a function, for a result. */
struct json_object *cross_vhca_json(const struct cross_vhca_function *f);

#endif
