/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments by hand (dv/wqe.h, dv/av.h): what dvperf counts a WQE to be is what dv writes. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "lane/lane.h"
#include "unit/dvperf/given.h"

/* Computed blocks, and blocks that 5 WQEs took of a ring in memory; @av: UD and DC need an
 * address. */
static void takes(unsigned int blocks, const char *text)
{
	struct lane *l = aligned_alloc(64, sizeof(*l));
	struct options o;
	char words[100];

	snprintf(words, sizeof(words), "mode=post %s", text);
	o = given_well(words);
	lane_open_memory(l, &o);
	cr_assert_eq(l->op.blocks, blocks, "%s %s: %u", service_word(o.service), op_word(o.op),
		     l->op.blocks);
	l->op.destination.bytes = o.service == SERVICE_XRC ? 16 : 48;
	cr_assert_eq(l->poster->post(l, 5, 4, 5), 5);
	cr_assert_eq(lane_blocks(l), 5 * blocks);
	lane_close(l);
	free(l);
}

/* control 16 | raddr 16 | inline 4 + 28, or a pointer of 16 */
Test(wqe, of_a_connected_qp)
{
	takes(1, "size=28");
	takes(2, "size=29 inline_size=29");
	takes(1, "size=29");
	takes(1, "op=write_imm size=28");
	takes(2, "op=write_imm size=92 inline_size=92");
	takes(1, "op=send size=44 inline_size=44");
	takes(1, "op=atomic");
	takes(1, "op=nop");
}

/* 16 more between control and raddr */
Test(wqe, of_xrc)
{
	takes(1, "connection=XRC size=64");
	takes(1, "connection=XRC size=12");
	takes(2, "connection=XRC size=13");
	takes(1, "connection=XRC op=send size=28");
	takes(2, "connection=XRC op=atomic");
}

/* 48 more */
Test(wqe, of_ud_and_dc)
{
	takes(2, "connection=UD op=send size=60 inline_size=60");
	takes(3, "connection=UD op=send size=61 inline_size=61");
	takes(2, "connection=DC size=44 inline_size=44");
	takes(3, "connection=DC size=45 inline_size=45");
	takes(2, "connection=DC op=read size=4096");
	takes(1, "connection=DC op=nop");
}

/* A data segment of 0 bytes would be one of 2 GB: there is none. */
Test(wqe, of_nothing)
{
	static const char *const ops[] = { "mode=post op=write size=0",
					   "mode=post op=write_imm size=0",
					   "mode=post op=send size=0",
					   "mode=post op=read size=0" };

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		struct options o = given_well(ops[i]);
		struct lane *l = aligned_alloc(64, sizeof(*l));

		lane_open_memory(l, &o);
		cr_assert_eq(l->poster->post(l, 1, 0, 1), 1);
		cr_assert_eq(dv_wqe_ds(l->sq.last), i == 2 ? 1 : 2, "%s", ops[i]);
		lane_close(l);
		free(l);
	}
}
