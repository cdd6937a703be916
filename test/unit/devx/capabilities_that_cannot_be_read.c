/* SPDX-License-Identifier: BSD-2-Clause */
/* A capability query that fails is what the call answers, and it sends no command. */
#include <errno.h>
#include <criterion/criterion.h>
#include <devx/cross_vhca.h>
#include <devx/general.h>
#include <devx/mkey.h>
#include <devx/qp.h>
#include <devx/reg.h>
#include <devx/vhca.h>
#include <prm/prm.h>
#include <prm/value.h>

#include "fake_memory.h"

TestSuite(no_caps, .init = fake_memory_reset);

static struct devx_obj obj;
static struct devx_mkey mkey;
static uint8_t context[64];

static int general_object(void)
{
	return devx_general_create(&obj, NULL, 63, 0, context, sizeof(context));
}

static int general_object_64(void)
{
	return devx_general_create(&obj, NULL, 64, 0, context, sizeof(context));
}

static int relaxed_mkey(void)
{
	struct devx_mkey_attr attr = { .len = 1, .access = IBV_ACCESS_RELAXED_ORDERING };

	return devx_mkey_create(&mkey, NULL, &attr);
}

static int crossing_mkey(void)
{
	struct devx_mkey_attr attr = { .len = 1 };

	return devx_mkey_create_crossing(&mkey, NULL, &attr, 1, 2);
}

static int qp_with(struct devx_qp_attr attr)
{
	static struct devx_uar uar;
	struct devx_qp qp;

	attr.uar = &uar;
	attr.st = PRM_QPC_ST_RC;
	attr.sq_wqe_cnt = 4;
	return devx_qp_create(&qp, NULL, &attr);
}

static int qp_of_mmo(void)
{
	return qp_with((struct devx_qp_attr){ .mmo = true });
}

static int qp_without_record(void)
{
	return qp_with(
		(struct devx_qp_attr){ .send_dbr_mode = PRM_QPC_SEND_DBR_MODE_NO_DBR_EXT });
}

static int register_read(void)
{
	uint32_t reg[2];

	return devx_reg_read(NULL, 0x9055, 0, reg, sizeof(reg));
}

static int uar(void)
{
	struct devx_uar uar;
	int err = devx_uar_alloc(&uar, NULL, DEVX_UAR_ANY);

	cr_expect_eq(fake_memory.uars, 0);
	return err;
}

static int vhca_caps(void)
{
	struct devx_vhca_caps caps;

	return devx_vhca_caps_query(&caps, NULL, 1);
}

static int export_of_mr(void)
{
	static uint8_t memory[4096];
	struct ibv_mr mr = { .addr = memory, .length = sizeof(memory) };
	struct devx_export_attr attr = { .pdn = 1 };
	struct devx_exported x;

	return devx_export_create_mr(&x, &mr, &attr);
}

Test(no_caps, are_reported)
{
	static const struct {
		int (*call)(void);
		int queries;
	} rows[] = {
		{ general_object, 1 }, { general_object_64, 1 },
		{ relaxed_mkey, 1 },   { crossing_mkey, 1 },
		{ qp_of_mmo, 1 },      { qp_without_record, 1 },
		{ register_read, 1 },  { uar, 1 },
		{ vhca_caps, 2 },      { export_of_mr, 2 },
	};

	PRM_SET(cmd_hca_cap, fake.caps + 16, hca_cap_2, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int n = 1; n <= rows[i].queries; n++) {
			fake.caps_left = n;
			cr_expect_eq(rows[i].call(), EIO, "row %zu, query %d", i, n);
			cr_expect_eq(fake.caps_left, 0, "row %zu asks less than %d", i, n);
			cr_expect_eq(fake.calls, 0, "row %zu, query %d", i, n);
			cr_expect_eq(devx_last_error()->err, EIO);
			cr_expect_eq(devx_last_error()->opcode, PRM_OP_QUERY_HCA_CAP);
		}
}
