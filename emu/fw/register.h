/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A register: what a read may ask, what a write may set, and what is done then.
 *
 * A write that is accepted answers with the register as it is then. Fields that cannot be
 * written may have any value in it: tools write back what they read.
 */
#ifndef EMU_FW_REGISTER_H
#define EMU_FW_REGISTER_H

#include "fw/rows.h"

struct fw_register {
	uint16_t id;
	const char *layout;
	uint16_t bytes;
	struct fw_bits port;	   /* where it says which port; width 0: nowhere */
	const struct fw_bits *ask; /* fields that a read may also name */
	const struct fw_bits *set; /* fields that a write may contain; NULL: read-only */
	/* Fills @reg, which has the question's fields; the reason to refuse, or 0. */
	uint8_t (*read)(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg);
	/* Does what @reg says; the reason to refuse, or 0. */
	uint8_t (*write)(struct fw_cmd *c, const uint8_t *reg);
};

#define PRM_REGISTER(name, id, s) FW_REGISTER_##name = id,
enum {
#include "prm/register.def"
};

bool fw_register_is_there(uint32_t id);

/* The families; an entry without layout ends each. */
extern const struct fw_register fw_host_registers[], fw_port_registers[], fw_cable_registers[],
	fw_image_registers[], fw_dump_registers[];

#endif
