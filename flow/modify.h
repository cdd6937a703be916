/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of fields as a list of modify header actions. A field is one of action.def's
 * MODIFY_FIELD, whatever the number of actions that it takes; its bits are counted from the
 * least significant.
 *
 *	mac_dst	47……………………16 15……0	two fields of the device
 */
#ifndef FLOW_MODIFY_H
#define FLOW_MODIFY_H

#include "error.h"
#include "table.h"

enum { MODIFY_MAX = 64 };

struct modify_list {
	/* set_action_in, add_action_in, copy_action_in; mlx5dv takes them as __be64 */
	uint8_t action[MODIFY_MAX][8] __attribute__((aligned(8)));
	unsigned int n;
	bool ingress; /* decides which register meta is */
};

/* Bits of a field of MODIFY_FIELD. */
struct modify_bits {
	uint32_t field; /* FLOW_MODIFY_FIELD_* */
	uint32_t index; /* of tag: which register */
	unsigned int offset;
};

/* Bits of the field; 0: there is no such field. */
unsigned int modify_width(uint32_t field);

/* @width bits of @to become those of the number @value, which begin at its bit @from. */
int modify_set(struct modify_list *l, struct modify_bits to, unsigned int width,
	       const uint8_t value[16], unsigned int from, struct dv_flow_error *error);
/* @width bits of @to become those of @from. */
int modify_copy(struct modify_list *l, struct modify_bits to, struct modify_bits from,
		unsigned int width, struct dv_flow_error *error);
/* The whole field, modulo its size. EOPNOTSUPP: one of several fields of the device. */
int modify_add(struct modify_list *l, struct modify_bits to, uint32_t value,
	       struct dv_flow_error *error);

/* The action modify_field. */
int modify_field(struct modify_list *l, const struct dv_flow_action *a,
		 struct dv_flow_error *error);

#endif
