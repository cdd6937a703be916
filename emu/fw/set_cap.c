/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SET_HCA_CAP: the driver chooses, of what QUERY_HCA_CAP says is possible, before INIT_HCA.
 *
 *	inbox: a whole group, as the driver has read it, with some fields changed
 *	field of a row: up to its maximum; other fields: as they are, or 0
 */
#include "fw/rows.h"

struct settable {
	uint32_t group;
	struct fw_bits field;
};

#define GENERAL(field)                                 \
	{                                              \
		PRM_CAP_GENERAL, F(cmd_hca_cap, field) \
	}

/* mlx5_core, main.c: handle_hca_cap(), handle_hca_cap_roce(), handle_hca_cap_atomic() and
 * others. */
static const struct settable rows[] = {
	GENERAL(pkey_table_size),
	GENERAL(log_max_qp),
	GENERAL(cmdif_checksum),
	GENERAL(uar_4k),
	GENERAL(log_uar_page_sz),
	GENERAL(cache_line_128byte),
	GENERAL(dct),
	GENERAL(num_vhca_ports),
	GENERAL(release_all_pages),
	GENERAL(mkey_by_name),
	GENERAL(roce),
	{ PRM_CAP_ATOMIC, F(atomic_caps, atomic_req_8B_endianness_mode) },
	{ PRM_CAP_ROCE, F(roce_cap, sw_r_roce_src_udp_port) },
	{ PRM_CAP_GENERAL_2, F(cmd_hca_cap_2, sw_vhca_id_valid) },
};

/* Clears in @bits, an image of @group, what may be set. */
static void clear_settable(uint32_t group, uint8_t *bits)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].group == group)
			prm_store(bits, rows[i].field.first, rows[i].field.width, 0);
}

/* mlx5_core writes 0 in place of what it does not set in some groups, and what it has read in
 * others. 0, or why it is refused. */
static uint8_t check(const struct hca *hca, uint32_t group, size_t bytes, const uint8_t *wanted)
{
	const uint8_t *max = hca->caps_max[group];
	uint8_t left[HCA_CAP_LONGEST];

	for (size_t i = 0; i < bytes; i++)
		left[i] = wanted[i] & ~hca->caps[group][i];
	clear_settable(group, left);
	if (!fw_all_zero(left, bytes))
		return FW_WHY_READ_ONLY;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].group == group &&
		    prm_load(wanted, rows[i].field.first, rows[i].field.width) >
			    prm_load(max, rows[i].field.first, rows[i].field.width))
			return FW_WHY_VALUE;
	return 0;
}

static void set(struct hca *hca, uint32_t group, const uint8_t *wanted)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].group == group)
			prm_store(hca->caps[group], rows[i].field.first, rows[i].field.width,
				  prm_load(wanted, rows[i].field.first, rows[i].field.width));
}

/* Our choice: a capability above its maximum, and one that cannot be set,
 * is BAD_PARAM, and nothing is set. */
enum fw_status fw_set_hca_cap(struct fw_cmd *c)
{
	uint32_t group = PRM_GET(set_hca_cap_in, c->in, op_mod) >> 1;
	const uint8_t *wanted = PRM_ADDR(set_hca_cap_in, c->in, capability);
	size_t bytes, at = PRM_OFF(set_hca_cap_in, capability) / 8;
	uint8_t why;

	if (PRM_GET(set_hca_cap_in, c->in, op_mod) & 1 || group >= HCA_CAP_GROUPS ||
	    !(c->hca->cap_groups >> group & 1))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	if (PRM_GET(set_hca_cap_in, c->in, other_function) ||
	    PRM_GET(set_hca_cap_in, c->in, ec_vf_function) ||
	    PRM_GET(set_hca_cap_in, c->in, function_id))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VHCA);
	bytes = fw_cap_bytes(group);
	if (c->in_len < at + bytes)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (fw_more(c, at + bytes))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_RESERVED);
	why = bytes ? check(c->hca, group, bytes, wanted) : 0;
	if (why)
		return fw_refuse(c, FW_BAD_PARAM, why);
	if (bytes)
		set(c->hca, group, wanted);
	return FW_OK;
}
