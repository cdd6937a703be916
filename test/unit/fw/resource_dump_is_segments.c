/* SPDX-License-Identifier: BSD-2-Clause */
/* The register RESOURCE_DUMP: its parts, its segments, the menu, by inline_dump and into
 * memory; bytes as in mlx5_ifc.h. */
#include "device.h"

DEVICE_SUITE(resource_dump);

static uint8_t dump[4096];
static size_t dumped;

static uint32_t at(size_t byte)
{
	return core_be32(dump + byte);
}

static uint8_t *reg_box(unsigned int op)
{
	box(PRM_OP_ACCESS_REG);
	b.in_len += 256;
	b.out_len += 256;
	b.in[7] = op;
	b.in[10] = 0xc0;
	return b.in + 16;
}

static const uint8_t *out(void)
{
	return b.out + 16;
}

/* Reads it all by inline_dump, as mlx5ctl does; returns how many parts there were. */
static unsigned int read_all(uint16_t type, uint32_t index)
{
	uint8_t next[0x30] = { 0x40, 0, type >> 8, type };
	unsigned int parts = 0;

	core_put_be32(next + 8, index);
	dumped = 0;
	do {
		unsigned int size;

		BOX_OK(memcpy(reg_box(1), next, sizeof(next)));
		size = out()[0x26] << 8 | out()[0x27];
		memcpy(dump + dumped, out() + 0x30, size);
		dumped += size;
		cr_assert_eq(out()[1] & 0xf, (next[1] + 1) & 0xf); /* seq_num */
		memcpy(next, out(), 0x20);
		parts++;
	} while (out()[0] & 0x80 && parts < 32);
	return parts;
}

Test(resource_dump, a_dump_is_what_was_asked_the_resource_and_an_end)
{
	size_t bytes = PRM_SZ(query_cq_out);
	uint32_t cqn = new_needs().cq;

	cr_assert_eq(read_all(0x4020, cqn), (0x38 + bytes + 207) / 208);
	cr_assert_eq(at(0), 4u << 16 | 0xfffe); /* info: 4 dwords */
	cr_assert_eq(at(0x10), 5u << 16 | 0xfffa);
	cr_assert_eq(at(0x14), 0x4020u << 16 | 5); /* of VHCA 5 */
	cr_assert_eq(at(0x18), cqn);
	cr_assert_eq(at(0x24), (4 + bytes / 4) << 16 | 0x4020);
	cr_assert_eq(at(0x2c), cqn);
	cr_assert_eq(at(0x34 + bytes), 1u << 16 | 0xfffb);
	cr_assert_eq(dumped, 0x38 + bytes);
	cr_assert_eq(execute_on(PRM_OP_QUERY_CQ, cqn), FW_OK);
	cr_assert_arr_eq(dump + 0x34, b.out, bytes);
}

Test(resource_dump, the_menu_comes_in_parts)
{
	cr_assert_gt(read_all(0xffff, 0), 1);
	cr_assert_eq(at(0x24) & 0xffff, 0xffff);
	cr_assert_eq(at(0x28), 4);
	cr_assert_eq(at(0x2c), 0x00034000); /* PRM_QUERY_QP, with index 1, which is needed */
	cr_assert_str_eq((char *)dump + 0x30, "PRM_QUERY_QP");
	cr_assert_str_eq((char *)dump + 0x40, "QPN");
	cr_assert_str_eq((char *)dump + 0x50, "N/A");
	cr_assert_eq(dumped, 0x24 + 8 + 4 * 0x34 + 4);
	cr_assert_eq(at(dumped - 4), 1u << 16 | 0xfffb);
}

/* A key of pages[0]. */
static uint32_t new_key(void)
{
	pages_key_box(new_pd(0), 0, page(0), 4096);
	return made() << 8 | 0x42;
}

/* By the kernel's way: a write, with an mkey and an address. */
Test(resource_dump, parts_are_written_to_memory)
{
	uint32_t key = new_key();
	static const uint8_t terminate[4] = { 0, 1, 0xff, 0xfb };
	uint8_t *reg;
	size_t all = 0x24 + 8 + 4 * 0x34 + 4;

	read_all(0xffff, 0);
	memset(pages[0], 0xee, 4096);
	reg = reg_box(0);
	reg[2] = reg[3] = 0xff;
	BOX_OK(SET(resource_dump, reg, F(mkey, key), F(size, 4096), F(address, page(0))));
	cr_assert_eq(PRM_GET(resource_dump, out(), size), all);
	cr_assert_eq(out()[0] & 0x80, 0);
	cr_assert_arr_eq(pages[0] + 0x24, dump + 0x24, all - 0x24);
	cr_assert_arr_eq(pages[0] + all - 4, terminate, 4);
	cr_assert_eq(pages[0][all], 0xee);
}

Test(resource_dump, memory_has_to_be_the_mkeys)
{
	uint32_t key = new_key();
	uint8_t *reg;

	for (int i = 0; i < 3; i++) {
		reg = reg_box(0);
		reg[2] = reg[3] = 0xff;
		SET(resource_dump, reg, F(mkey, i == 0 ? key + 0x100 : key),
		    F(size, i == 1 ? 0 : 4096), F(address, i == 2 ? page(0) + 4096 : page(0)));
		cr_assert_eq(execute(), FW_BAD_PARAM);
	}
}

Test(resource_dump, no_object_is_an_error_in_the_dump)
{
	read_all(0x4000, 0xfffff0);
	cr_assert_eq(at(0x24), 12u << 16 | 0xfffc);
	cr_assert_str_eq((char *)dump + 0x34, "no such object");
	cr_assert_eq(at(0x54), 1u << 16 | 0xfffb);
	read_all(0x4000, 0xff000001); /* more than 24 bits */
	cr_assert_eq(at(0x24), 12u << 16 | 0xfffc);
}

Test(resource_dump, refusals)
{
	reg_box(1)[3] = 2; /* HW_CQPC: not in the menu */
	b.in[16] = 0x40;
	cr_assert_eq(execute(), FW_BAD_PARAM);
	for (int i = 0; i < 3; i++) {
		uint8_t *reg = reg_box(1);

		reg[0] = 0x40;
		reg[2] = reg[3] = 0xff;
		reg[7] = i == 0 ? 9 : 0;       /* another VHCA */
		reg[0x13] = i == 1 ? 1 : 0;    /* num_of_obj2 */
		reg[0x18] = i == 2 ? 0xff : 0; /* device_opaque beyond the end */
		cr_assert_eq(execute(), FW_BAD_PARAM);
	}
}

Test(resource_dump, is_for_tools)
{
	uint16_t user = new_uctx();
	uint8_t *reg = reg_box(1);

	b.in[0] = 0x0b;
	b.in[1] = 0x0c;
	uid(user);
	reg[0] = 0x40;
	reg[2] = reg[3] = 0xff;
	cr_assert_eq(execute(), FW_BAD_PARAM);
	cr_assert_eq(syndrome() & 0xff, WHY_UID);
}
