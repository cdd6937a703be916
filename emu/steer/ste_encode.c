/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions in the form of firmware commands, as STEs of format 1 and later have them: what
 * firmware does with an STC or with a pattern.
 *
 *	SET, ADD, COPY of fields		-> of bits of words of the device
 *	REMOVE, REMOVE_WORDS, INSERT		-> the same with other places of its bits
 *
 * Layouts: DPDK, mlx5_prm.h, struct mlx5_ifc_stc_ste_param_*_bits; rdma-core, mlx5_ifc.h,
 * struct mlx5_ifc_ste_*_action_*_v1_bits.
 */
#include <string.h>

#include "steer/ste.h"

#define WORDS_MAX 63 /* of 2 bytes, which an STE can insert */

static void put_header(uint8_t format, uint8_t *to, uint32_t anchor)
{
	core_put_be32(to, core_be32(to) | anchor << (format == 3 ? 17 : 16));
}

static void put_bits(uint8_t *to, uint32_t v)
{
	core_put_be32(to, core_be32(to) | v);
}

static bool is_known(uint32_t anchor)
{
	return anchor == START || anchor == TAG_1 || anchor == IP || anchor == INNER_MAC ||
	       anchor == INNER_IP;
}

static bool put_place(uint8_t format, uint16_t field, uint8_t offset, uint8_t length,
		      struct ste_bits *to)
{
	to->length = length;
	return ste_place(format, field, offset, to);
}

static void put_word(uint8_t *to, const struct ste_bits *b)
{
	put_bits(to, (uint32_t)b->word << 16 | (uint32_t)b->shift << 8);
}

/* An action on the bits @b. */
static void put_change(uint8_t *to, uint8_t type, const struct ste_bits *b)
{
	to[0] = type;
	put_word(to, b);
	put_bits(to, b->length);
}

static uint8_t bits_of(uint32_t length)
{
	return length ? (uint8_t)length : 32;
}

static bool set(uint8_t format, const uint8_t *a, uint8_t *to)
{
	struct ste_bits b;

	if (!put_place(format, PRM_GET(set_action_in, a, field),
		       PRM_GET(set_action_in, a, offset),
		       bits_of(PRM_GET(set_action_in, a, length)), &b))
		return false;
	put_change(to, SET_1, &b);
	memcpy(to + 4, a + 4, 4);
	return true;
}

static bool add(uint8_t format, const uint8_t *a, uint8_t *to)
{
	struct ste_bits b;

	if (!put_place(format, PRM_GET(add_action_in, a, field), 0, 0, &b))
		return false;
	put_change(to, ADD_1, &b);
	memcpy(to + 4, a + 4, 4);
	return true;
}

static bool copy(uint8_t format, const uint8_t *a, uint8_t *to)
{
	uint8_t length = bits_of(PRM_GET(copy_action_in, a, length));
	struct ste_bits from, b;

	if (!put_place(format, PRM_GET(copy_action_in, a, src_field),
		       PRM_GET(copy_action_in, a, src_offset), length, &from) ||
	    !put_place(format, PRM_GET(copy_action_in, a, dst_field),
		       PRM_GET(copy_action_in, a, dst_offset), length, &b))
		return false;
	put_change(to, COPY_1, &b);
	put_word(to + 4, &from);
	return true;
}

static bool remove_headers(uint8_t format, const uint8_t *a, uint8_t *to)
{
	uint32_t from = PRM_GET(stc_ste_param_remove, a, remove_start_anchor);
	uint32_t end = PRM_GET(stc_ste_param_remove, a, remove_end_anchor);

	if (!is_known(from) || !is_known(end))
		return false;
	to[0] = REMOVE_HEADERS;
	put_header(format, to, from);
	put_bits(to, end << (format == 3 ? 10 : 8));
	put_bits(to, (uint32_t)PRM_GET(stc_ste_param_remove, a, decap) << 3);
	return true;
}

static bool remove_words(uint8_t format, const uint8_t *a, uint8_t *to)
{
	uint32_t from = PRM_GET(stc_ste_param_remove_words, a, remove_start_anchor);

	if (!is_known(from))
		return false;
	to[0] = REMOVE_SIZE;
	put_header(format, to, from);
	put_bits(to, (uint32_t)PRM_GET(stc_ste_param_remove_words, a, remove_offset)
			     << (format == 3 ? 9 : 7));
	put_bits(to, PRM_GET(stc_ste_param_remove_words, a, remove_size));
	return true;
}

/* An argument is of the STC's PD; a WQE adds to its number. */
static bool insert(uint8_t format, const uint8_t *a, uint8_t *to)
{
	bool is_inline = PRM_GET(stc_ste_param_insert, a, inline_data);
	uint32_t at = PRM_GET(stc_ste_param_insert, a, insert_anchor);
	uint32_t words = PRM_GET(stc_ste_param_insert, a, insert_size);

	if (!is_known(at) || PRM_GET(stc_ste_param_insert, a, push_esp) || !words ||
	    words > (is_inline ? 2 : WORDS_MAX))
		return false;
	if (is_inline && (words != 2 || PRM_GET(stc_ste_param_insert, a, encap)))
		return false;
	to[0] = is_inline ? INSERT_INLINE : INSERT_POINTER;
	put_header(format, to, at);
	put_bits(to, (uint32_t)PRM_GET(stc_ste_param_insert, a, insert_offset) << 9);
	memcpy(to + 4, a + 4, 4);
	if (is_inline)
		return true;
	put_bits(to, words << 3 | (uint32_t)PRM_GET(stc_ste_param_insert, a, encap));
	put_bits(to + 4, HCA_STE_ARGUMENT);
	return true;
}

bool steer_ste_change(const struct hca *hca, const uint8_t action[8], uint8_t change[8])
{
	uint8_t format =
		PRM_GET(cmd_hca_cap, hca->caps[PRM_CAP_GENERAL], steering_format_version);

	memset(change, 0, 8);
	switch (PRM_GET(set_action_in, action, action_type)) {
	case PRM_ACTION_SET:
		return set(format, action, change);
	case PRM_ACTION_ADD:
		return add(format, action, change);
	case PRM_ACTION_COPY:
		return copy(format, action, change);
	case PRM_ACTION_INSERT:
		return insert(format, action, change);
	case PRM_ACTION_REMOVE:
		return remove_headers(format, action, change);
	case PRM_ACTION_NOP:
		return true;
	case PRM_ACTION_REMOVE_WORDS:
		return remove_words(format, action, change);
	default:
		return false;
	}
}
