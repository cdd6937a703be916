/* SPDX-License-Identifier: BSD-2-Clause */
/* FLOW_TBL_ACCESS with modifier 1: 64 bytes of an argument of header changes, from the WQE. */
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define NUMBERS 3 /* of the object, 64 bytes each */

static struct hca_general *argument;

static void setup(void)
{
	pair_open();
	argument = hca_object_new(&near.hca, HCA_KIND_general, NUMBERS);
	argument->type = PRM_OBJ_MODIFY_HEADER_ARG;
	argument->pd = near.pd;
	argument->memory.size = NUMBERS * 64;
	argument->memory.bytes = calloc(NUMBERS, 64);
}

TestSuite(argument, .init = setup, .fini = rig_close);

/* Posts the WQE for @number, with the changes of the text. */
static void write_argument(uint32_t number, const char *changes)
{
	uint8_t wqe[WQE_TEXT_MAX] = { 1,
				      0,
				      0,
				      0x2c,
				      0x01,
				      0x00,
				      0x01,
				      8,
				      [11] = SIGNALED,
				      [13] = (uint8_t)(number >> 16),
				      (uint8_t)(number >> 8),
				      (uint8_t)number };

	wqe[2] = (uint8_t)a.pi;
	for (int i = 0; i < 64; i++)
		wqe[64 + i] = (uint8_t)(i + 1);
	wqe_change(wqe, changes);
	post_bytes(&a, wqe, 8);
	work(&a);
}

Test(argument, each_number_has_its_64_bytes)
{
	for (uint32_t n = 0; n < NUMBERS; n++) {
		memset(argument->memory.bytes, 0, NUMBERS * 64);
		write_argument(argument->id + n, "");
		expect_cqe(&a, "sent");
		for (uint32_t i = 0; i < NUMBERS * 64; i++)
			cr_expect_eq(argument->memory.bytes[i], i / 64 == n ? i % 64 + 1 : 0,
				     "number %u, byte %u", n, i);
	}
}

Test(argument, refusals)
{
	static const struct {
		const char *what, *changes;
		uint32_t number;
		uint8_t service;
		bool other_pd, other_type;
		const char *finding;
	} rows[] = {
		{ "number after the last", "", NUMBERS, RIG_RC, false, false, "" },
		{ "argument of another pd", "", 0, RIG_RC, true, false, "" },
		{ "object of another type", "", 0, RIG_RC, false, true, "" },
		{ "too short", "ds=7", 0, RIG_RC, false, false,
		  "FLOW_TBL_ACCESS: a QP writes arguments" },
		{ "another modifier", "byte0=2", 0, RIG_RC, false, false,
		  "FLOW_TBL_ACCESS: a QP writes arguments" },
		{ "service uc", "", 0, RIG_UC, false, false,
		  "FLOW_TBL_ACCESS: a QP writes arguments" },
	};

	FOR_EACH_ROW(row, rows, setup) {
		be_service(&a, &b, row->service);
		if (row->other_pd)
			argument->pd = hca_pd_new(&near.hca);
		if (row->other_type)
			argument->type = PRM_OBJ_SAMPLER;
		write_argument(argument->id + row->number, row->changes);
		expect_cqe(&a, "req_err local_qp_op wqe=0");
		expect_finding("%s", row->finding);
		cr_expect_eq(argument->memory.bytes[0], 0, "%s", row->what);
	}
}
