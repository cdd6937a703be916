/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk hands out each number once, in the order of the rows, with its path; of a union the
 * arm that its discriminator names, and nothing beyond the buffer.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "prm/prm.h"
#include "prm/walk.h"

static struct prm_walk w;
static struct prm_item it;

static bool find(const char *path)
{
	while (prm_walk_next(&w, &it))
		if (!strcmp(it.path, path))
			return true;
	return false;
}

Test(prm_walk, nested_paths)
{
	uint8_t in[PRM_SZ(create_qp_in) + 16] = { 0 };

	prm_walk_begin(&w, prm_struct("create_qp_in"), in, sizeof(in));
	cr_assert(find("opcode"));
	cr_expect_eq(it.bit, 0);
	cr_expect_eq(it.width, 16);
	cr_assert(find("qpc.primary_address_path.rgid_rip"));
	cr_expect_eq(it.count, 16);
	cr_expect(it.field->bytes);
	cr_assert(find("pas"));
	cr_expect_eq(it.count, 2, "a tail is as long as the buffer");
	cr_expect_not(prm_walk_next(&w, &it));
	cr_expect_not(prm_walk_next(&w, &it), "the end stays the end");
}

Test(prm_walk, elements_of_nested_arrays)
{
	uint8_t in[PRM_SZ(create_mkey_in) + 32] = { 0 };

	PRM_SET(mkc, PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry), access_mode_1_0, 3);
	prm_walk_begin(&w, prm_struct("create_mkey_in"), in, sizeof(in));
	cr_assert(find("klms[0].mkey"));
	cr_assert(find("klms[1].address"));
	cr_expect_eq(it.bit, (PRM_SZ(create_mkey_in) + 16 + 8) * 8);
}

Test(prm_walk, end_of_the_buffer)
{
	uint8_t in[8] = { 0 };

	prm_walk_begin(&w, prm_struct("create_qp_in"), in, sizeof(in));
	while (prm_walk_next(&w, &it))
		cr_expect_leq(it.bit + it.width * it.count, sizeof(in) * 8, "%s", it.path);
}

Test(prm_walk, unions)
{
	uint8_t in[PRM_SZ(query_hca_cap_in)] = { 0 };
	static uint8_t out[PRM_SZ(query_hca_cap_out)];

	prm_walk_begin(&w, prm_struct("query_hca_cap_out"), out, sizeof(out));
	cr_assert(find("capability"));
	cr_expect_null(it.field, "without an inbox the arm is unknown");
	cr_expect_eq(it.width, 8);
	cr_expect_eq(it.count, 0x1000);

	PRM_SET(query_hca_cap_in, in, op_mod, PRM_CAP_OP_MOD(PRM_CAP_ROCE, PRM_CAP_CUR));
	prm_walk_begin_out(&w, prm_cmd(PRM_OP_QUERY_HCA_CAP), in, sizeof(in), out, sizeof(out));
	cr_expect(find("capability.roce_cap.roce_address_table_size"));
	prm_walk_begin_out(&w, prm_cmd(PRM_OP_QUERY_HCA_CAP), in, sizeof(in), out, sizeof(out));
	cr_expect_not(find("capability.cmd_hca_cap.log_max_qp"));
}

Test(prm_walk, words)
{
	const struct prm_struct *qpc = prm_struct("qpc"), *box = prm_struct("mbox_in");

	cr_expect_str_eq(prm_word(qpc, prm_field(qpc, "state"), 3), "RTS");
	cr_expect_str_eq(prm_word(box, prm_field(box, "opcode"), 0x500), "CREATE_QP");
	cr_expect_null(prm_word(qpc, prm_field(qpc, "pd"), 3));
}
