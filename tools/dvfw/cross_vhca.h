/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function of an adapter as dvfw check cross-vhca compares it with another one: queried here, or read
 * from the dump that 'dvfw caps --json' wrote there. Of such a dump:
 *
 *	device   sys_image_guid "0x…", max_wr_memcpy_length, vendor_part_id, fw_ver,
 *	         ports: [ { "port": 1, "state": "active", "link_layer": "Ethernet", "has_gid": true } ]
 *	caps     GENERAL and GENERAL_2, current
 */
#ifndef DVFW_CROSS_VHCA_H
#define DVFW_CROSS_VHCA_H

#include <stdint.h>

#include "devx/cross_vhca.h"
#include "dvfw.h"

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

/* What identifies a function, of a result. */
struct json_object *cross_vhca_json(const struct cross_vhca_function *f);

#endif
