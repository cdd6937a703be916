/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --device FILE: a dump of a real device's capabilities, as dvfw caps --json writes it, becomes
 * a device here.
 *
 *	{ "device": { "name": "mlx5_0", "vendor_part_id": 4129, "fw_ver": "28.43.3608",
 *	              "board_id": "MT_0000000838" },
 *	  "caps": { "GENERAL": { "current": { "log_max_qp": 17, … }, "max": { … } }, … } }
 *
 * Groups have the names of kind CAP in prm/value.def. Numbers are integers or "0x…", bytes are
 * strings of hexadecimal digits, and a missing field is 0. Without "max" a group's maximum is
 * its current values.
 */
#ifndef EMU_LAUNCHER_DUMP_H
#define EMU_LAUNCHER_DUMP_H

#include <stdio.h>

#include "fw/fw.h"

/* Reads @file. False: @why (@len bytes) says in one line what is wrong with it. */
bool dump_read(struct fw_image *img, const char *file, char *why, size_t len);

/* Leaves of @img what the model executes; writes to @to, in lines of a group each, what else
 * @file claims. */
void dump_bound(struct fw_image *img, const char *file, FILE *to);

/* Writes @img into the tree at @root; @path (@len bytes) is the file's. 0 or an errno value. */
int dump_store(const struct fw_image *img, const char *root, char *path, size_t len);

#endif
