/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities as a tree: what 'caps --json' prints, what 'caps --diff' compares and what
 * 'dvkit-emu --device FILE' reads.
 *
 *	{ "device": { "name": "mlx5_0", "vendor_part_id": 4119, "fw_ver": "16.35.2000", … },	and cross_vhca.h
 *	  "caps":   { "ODP": { "current": { "…scheme_cap.rc_odp_caps.send": 1, … },
 *			       "max":     { … },
 *			       "unnamed": [ "dw3[27]" ] },
 *		      … } }
 *
 * Groups and paths are those of prm; a group that the device does not have is not there. Numbers
 * are integers, those of more than 53 bits "0x…", bytes are hex digits, arrays are arrays. unnamed
 * are the current bits that are set and that prm has no name for; they are not compared.
 */
#ifndef DVFW_CAPS_TREE_H
#define DVFW_CAPS_TREE_H

#include <stdint.h>

#include "devx/caps.h"
#include "dvfw.h"
#include "prm/table.h"

#define CAPS_CURRENT "current"
#define CAPS_MAX     "max"
#define CAPS_UNNAMED "unnamed"

/* The image of a group from what dvfw_connect() opened: 0 or an errno value, which caps_tree_refused() prints. */
int caps_tree_query(struct dvfw *d, uint16_t group, enum prm_cap_mode mode,
		    uint8_t caps[DEVX_CAPS_BYTES]);
int caps_tree_refused(const struct dvfw *d, int err);

/* Reads @group, or all (NULL), from the device. An exit status; the error is printed. A group
 * that the device refuses is left out; that there is none at all is an error. */
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

#endif
