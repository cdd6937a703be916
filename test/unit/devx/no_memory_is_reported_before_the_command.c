/* SPDX-License-Identifier: BSD-2-Clause */
/* An inbox or outbox that cannot be allocated: ENOMEM, the call's opcode and words, no command,
 * and nothing is left. */
#include <errno.h>
#include <criterion/criterion.h>
#include <devx/async.h>
#include <devx/counter.h>
#include <devx/general.h>
#include <devx/mkey.h>
#include <devx/raw.h>
#include <devx/reg.h>
#include <prm/prm.h>
#include <prm/value.h>

#include "fake.h"
#include "lib/steps.h"

TestSuite(no_memory, .init = fake_reset);

static struct devx_obj obj;
static uint8_t context[64];

static int counters(void)
{
	struct devx_flow_count count[2];

	return devx_flow_counter_query(&obj, 2, count);
}

static int klm(void)
{
	struct devx_mkey_attr attr = { .pdn = 1, .len = 4096 };
	struct devx_mkey_entry entry = { .key = 1, .addr = 0, .len = 4096 };
	struct devx_mkey mkey;

	return devx_mkey_create_klm(&mkey, NULL, &attr, &entry, 1);
}

static int rqt_create(void)
{
	uint32_t rqn[2] = { 1, 2 };

	return devx_rqt_create(&obj, NULL, rqn, 2, 2);
}

static int rqt_modify(void)
{
	uint32_t rqn[2] = { 1, 2 };

	return devx_rqt_modify(&obj, rqn, 2);
}

static int general_create(void)
{
	return devx_general_create(&obj, NULL, PRM_OBJ_MKEY, 0, context, sizeof(context));
}

static int general_modify(void)
{
	return devx_general_modify(&obj, context, sizeof(context));
}

static int general_query(void)
{
	return devx_general_query(&obj, context, sizeof(context));
}

static int register_read(void)
{
	uint32_t reg[2];

	return devx_reg_read(NULL, 0x9055, 0, reg, sizeof(reg));
}

static int async_get(void)
{
	struct devx_async async;
	uint8_t out[16];
	uint64_t wr_id;

	devx_async_create(&async, NULL);
	return devx_async_get(&async, &wr_id, out, sizeof(out));
}

Test(no_memory, is_reported)
{
	static const struct {
		int (*call)(void);
		const char *line;
	} calls[] = {
		{ counters, "QUERY_FLOW_COUNTER" },
		{ klm, "CREATE_MKEY" },
		{ rqt_create, "CREATE_RQT" },
		{ rqt_modify, "MODIFY_RQT" },
		{ general_create, "CREATE_GENERAL_OBJECT" },
		{ general_modify, "MODIFY_GENERAL_OBJECT" },
		{ general_query, "QUERY_GENERAL_OBJECT" },
		{ register_read, "ACCESS_REGISTER_USER" },
		{ async_get, "devx_async_get" },
	};

	PRM_SET(cmd_hca_cap, fake.caps + 16, access_register_user, 1);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		long before = steps.allocations;
		char line[128], expected[128];

		steps.fail_at = 1;
		cr_expect_eq(calls[i].call(), ENOMEM, "%s", calls[i].line);
		cr_assert_eq(steps.fail_at, 0, "%s allocates nothing", calls[i].line);
		snprintf(expected, sizeof(expected), "%s: ENOMEM: no memory", calls[i].line);
		devx_error_str(devx_last_error(), line, sizeof(line));
		cr_expect_str_eq(line, expected);
		cr_expect_eq(fake.calls, 0, "%s", expected);
		cr_expect_eq(steps.allocations, before, "%s", expected);
	}
}
