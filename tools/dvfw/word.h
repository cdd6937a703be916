/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kinds of values (value.def) and the words for numbers.
 */
#ifndef DVFW_WORD_H
#define DVFW_WORD_H

#include <stddef.h>
#include <stdint.h>

#include "prm/table.h"

/* How the field carries the values of its kind. */
enum word_form {
	WORD_VALUE,	 /* one of them */
	WORD_MASK,	 /* a union of them, each is a mask */
	WORD_BIT_NUMBERS /* a mask, each is the number of a bit */
};

/* The kind of a field's values, or NULL. CAP with WORD_VALUE in op_mod of QUERY_HCA_CAP: a group
 * and a mode (PRM_CAP_OP_MOD). */
const char *word_kind(const struct prm_struct *owner, const struct prm_field *f,
		      enum word_form *form);
/* Is it the op_mod of QUERY_HCA_CAP or SET_HCA_CAP? */
bool word_is_group(const struct prm_struct *owner, const struct prm_field *f);

/* "RST", "SRC_IP|DST_IP", "GENERAL.current"; NULL: the number has no name. @buf may hold it. */
const char *word_of(const struct prm_struct *owner, const struct prm_field *f, uint64_t value,
		    char *buf, size_t size);

#endif
