/* SPDX-License-Identifier: BSD-2-Clause */
/* Every refusal of devx itself: no command goes out, and the line says why. */
#include <errno.h>
#include <criterion/criterion.h>
#include <devx/counter.h>
#include <devx/dct.h>
#include <devx/general.h>
#include <devx/mkey.h>
#include <devx/raw.h>
#include <devx/reg.h>
#include <devx/srq.h>
#include <prm/value.h>

#include "fake.h"

TestSuite(attributes_are_checked_before_the_command, .init = fake_reset);

static struct devx_obj obj;
static struct devx_mkey mkey;

static void refused(int err, int expected, const char *line)
{
	char buf[256];

	cr_assert_eq(err, expected, "%d instead of %d", err, expected);
	cr_assert_eq(fake.calls, 0);
	cr_assert_eq(devx_last_error()->origin, DEVX_FROM_LIBRARY);
	cr_assert_eq(devx_last_error()->err, expected);
	cr_assert_str_eq(devx_error_str(devx_last_error(), buf, sizeof(buf)), line);
}

static int mkey_with(struct devx_mkey_attr attr)
{
	return devx_mkey_create(&mkey, NULL, &attr);
}

#define MKEY(why, ...)                                                     \
	refused(mkey_with((struct devx_mkey_attr){ __VA_ARGS__ }), EINVAL, \
		"CREATE_MKEY: EINVAL: " why)

Test(attributes_are_checked_before_the_command, mkey)
{
	MKEY("len is 0", .pdn = 1);
	MKEY("pdn has more than 24 bits", .pdn = 1 << 24, .len = 1);
	refused(mkey_with((struct devx_mkey_attr){ .len = 1, .access = IBV_ACCESS_MW_BIND }),
		EINVAL, "CREATE_MKEY: EINVAL: an access flag that memory keys do not have");
	MKEY("log_page_size is not 12 to 31", .len = 1, .log_page_size = 11);
	MKEY("log_page_size is not 12 to 31", .len = 1, .log_page_size = 32);
}

static int klm_with(struct devx_mkey_attr attr, const struct devx_mkey_entry *entry, size_t n)
{
	return devx_mkey_create_klm(&mkey, NULL, &attr, entry, n);
}

static int ksm_with(struct devx_mkey_attr attr, const struct devx_mkey_entry *entry, size_t n)
{
	return devx_mkey_create_ksm(&mkey, NULL, &attr, entry, n);
}

#define KEYS(call, why) refused(call, EINVAL, "CREATE_MKEY: EINVAL: " why)

Test(attributes_are_checked_before_the_command, lists_of_keys)
{
	static struct devx_mkey_entry many[DEVX_MKEY_MAX_ENTRIES + 1] = { [0] = { .len = 8 } };
	const struct devx_mkey_attr nothing = { 0 };

	KEYS(klm_with(nothing, many, 0), "a list of no entries");
	KEYS(ksm_with(nothing, many, 0), "a list of no entries");
	KEYS(klm_with(nothing, many, DEVX_MKEY_MAX_ENTRIES + 1),
	     "the list does not fit an inbox: at most 4076 entries");
	KEYS(klm_with(nothing, many, 2), "an entry of length 0");
	KEYS(klm_with((struct devx_mkey_attr){ .len = 9 }, many, 1),
	     "len is more than the entries have");
	KEYS(klm_with((struct devx_mkey_attr){ .log_entity_size = 12 }, many, 1),
	     "log_entity_size is of KSM keys");
	KEYS(ksm_with(nothing, many, 1), "log_entity_size is not 1 to 31");
	KEYS(ksm_with((struct devx_mkey_attr){ .log_entity_size = 32 }, many, 1),
	     "log_entity_size is not 1 to 31");
	KEYS(ksm_with((struct devx_mkey_attr){ .log_entity_size = 12, .len = 8193 }, many, 2),
	     "len is more than the entries have");
}

/* The longest list that there can be is sent. */
Test(attributes_are_checked_before_the_command, longest_list)
{
	static struct devx_mkey_entry many[DEVX_MKEY_MAX_ENTRIES];
	struct devx_mkey_attr attr = { .log_entity_size = 12 };

	cr_assert_eq(devx_mkey_create_ksm(&mkey, NULL, &attr, many, DEVX_MKEY_MAX_ENTRIES), 0);
	cr_assert_eq(fake.in_len, 272 + 16 * 4076);
	cr_assert_leq(fake.in_len, 0xffff);
}

static int rq_with(struct devx_wq_attr wq)
{
	return devx_rq_create(&obj, NULL, &(struct devx_rq_attr){ .wq = wq });
}

#define RQ(why, ...)                                                   \
	refused(rq_with((struct devx_wq_attr){ __VA_ARGS__ }), EINVAL, \
		"CREATE_RQ: EINVAL: " why)

Test(attributes_are_checked_before_the_command, work_queues)
{
	struct devx_wq_attr tilted = { .dbr_offset = 0x108 };
	struct devx_sq_attr sq = { .wq = tilted };

	RQ("log_size has more than 5 bits", .log_size = 32);
	RQ("log_stride has more than 4 bits", .log_stride = 16);
	RQ("log_page_size is not 12 to 43", .log_page_size = 4);
	refused(rq_with(tilted), EINVAL,
		"CREATE_RQ: EINVAL: the doorbell record is not at a multiple of 64 bytes");
	refused(devx_sq_create(&obj, NULL, &sq), EINVAL,
		"CREATE_SQ: EINVAL: the doorbell record is not at a multiple of 64 bytes");
	refused(devx_rmp_create(&obj, NULL, &tilted), EINVAL,
		"CREATE_RMP: EINVAL: the doorbell record is not at a multiple of 64 bytes");
}

static int tir_with(struct devx_tir_attr attr)
{
	return devx_tir_create(&obj, NULL, &attr);
}

#define TIR(why, ...)                                                    \
	refused(tir_with((struct devx_tir_attr){ __VA_ARGS__ }), EINVAL, \
		"CREATE_TIR: EINVAL: " why)
#define RQT_LIMITS                                                                           \
	"CREATE_RQT: EINVAL: a table has at least 1 RQ, at most max_size, and that at most " \
	"16315"

Test(attributes_are_checked_before_the_command, interfaces)
{
	const uint32_t rqn[2] = { 1, 2 };

	TIR("one of inline_rqn and rqtn is wanted", 0);
	TIR("one of inline_rqn and rqtn is wanted", .inline_rqn = 1, .rqtn = 2);
	TIR("an RQ table without a hash function", .rqtn = 2);
	refused(devx_tis_create(&obj, NULL, &(struct devx_tis_attr){ .prio = 16 }), EINVAL,
		"CREATE_TIS: EINVAL: prio has more than 4 bits");
	refused(devx_rqt_create(&obj, NULL, rqn, 2, 1), EINVAL, RQT_LIMITS);
	refused(devx_rqt_create(&obj, NULL, rqn, 2, DEVX_RQT_MAX + 1), EINVAL, RQT_LIMITS);
	refused(devx_rqt_modify(&obj, rqn, 0), EINVAL,
		"MODIFY_RQT: EINVAL: a table has at least 1 RQ, at most 16315");
	refused(devx_dct_create(&obj, NULL,
				&(struct devx_dct_attr){ .access = IBV_ACCESS_LOCAL_WRITE }),
		EINVAL, "CREATE_DCT: EINVAL: an access flag that a DCT does not have");
}

Test(attributes_are_checked_before_the_command, counters)
{
	struct devx_flow_count count[1];
	static const uint32_t none[] = { 64, 100, 32768 };

	for (int i = 0; i < 3; i++)
		refused(devx_flow_counter_create(&obj, NULL, none[i]), EINVAL,
			"ALLOC_FLOW_COUNTER: EINVAL: a bulk is a power of two, 128 to 16384");
	refused(devx_flow_counter_query(&obj, 0, count), EINVAL,
		"QUERY_FLOW_COUNTER: EINVAL: an outbox holds 1 to 4092 counters");
	refused(devx_flow_counter_query(&obj, DEVX_FLOW_COUNTS + 1, count), EINVAL,
		"QUERY_FLOW_COUNTER: EINVAL: an outbox holds 1 to 4092 counters");
}

Test(attributes_are_checked_before_the_command, registers)
{
	uint32_t reg[2] = { 0 };

	refused(devx_reg_write(NULL, 0x9055, 0, reg, 8, 0), EPERM,
		"ACCESS_REGISTER_USER: EPERM: a write changes the adapter for all: "
		"DEVX_REG_ALLOW_WRITE");
	refused(devx_reg_read(NULL, 0x9055, 0, reg, 7), EINVAL,
		"ACCESS_REGISTER_USER: EINVAL: a register has a multiple of 4 bytes, 4 to 65516");
	refused(devx_reg_read(NULL, 0x9055, 0, reg, 8), EOPNOTSUPP,
		"ACCESS_REGISTER_USER: EOPNOTSUPP: the device does not allow users to access "
		"registers: access_register_user");
	refused(devx_reg_write(NULL, 0x9055, 0, reg, 8, DEVX_REG_ALLOW_WRITE), EOPNOTSUPP,
		"ACCESS_REGISTER_USER: EOPNOTSUPP: the device does not allow users to access "
		"registers: access_register_user");
}

Test(attributes_are_checked_before_the_command, general_objects)
{
	static const uint16_t none[] = { PRM_OBJ_SAMPLER, PRM_OBJ_RTC, 0x1234 };
	static const uint8_t context[1 << 16];

	for (int i = 0; i < 3; i++)
		refused(devx_general_create(&obj, NULL, none[i], 0, context, 64), EOPNOTSUPP,
			"CREATE_GENERAL_OBJECT: EOPNOTSUPP: the device has no such type: "
			"general_obj_types");
	refused(devx_general_create(&obj, NULL, PRM_OBJ_MKEY, 32, context, 64), EINVAL,
		"CREATE_GENERAL_OBJECT: EINVAL: log_range has more than 5 bits");
	refused(devx_general_create(&obj, NULL, PRM_OBJ_MKEY, 0, context, sizeof(context)),
		E2BIG, "CREATE_GENERAL_OBJECT: E2BIG: the context does not fit an inbox");
	refused(devx_general_modify(&obj, context, sizeof(context)), E2BIG,
		"MODIFY_GENERAL_OBJECT: E2BIG: the context does not fit an inbox");
	refused(devx_general_query(&obj, fake.answer, sizeof(context)), E2BIG,
		"QUERY_GENERAL_OBJECT: E2BIG: the context does not fit an inbox");
}

Test(attributes_are_checked_before_the_command, commands_on_the_dead)
{
	struct devx_obj dead = { .handle = fake_handle(), .id = 7, .opcode = PRM_OP_CREATE_RQ };
	uint8_t rqc[240];

	cr_assert_eq(devx_obj_destroy(&dead), 0);
	cr_assert_eq(devx_obj_destroy(&dead), 0);
	refused(devx_rq_query(&dead, rqc), EINVAL,
		"QUERY_RQ: EINVAL: the object was destroyed, or never created");
	refused(devx_rq_modify(&dead, DEVX_WQ_RST, DEVX_WQ_RDY), EINVAL,
		"MODIFY_RQ: EINVAL: the object was destroyed, or never created");
}

/* Header, rqtc and RQs of 4 bytes; kernel: an inbox has 16 bits of length. */
Test(attributes_are_checked_before_the_command, largest_table)
{
	static const uint32_t rqn[DEVX_RQT_MAX + 1] = { 1, 2 };
	struct devx_obj rqt = { .handle = fake_handle(), .id = 7 };

	cr_assert_eq(DEVX_RQT_MAX, 16315);
	refused(devx_rqt_create(&obj, NULL, rqn, 0, 1), EINVAL, RQT_LIMITS);
	refused(devx_rqt_modify(&rqt, rqn, DEVX_RQT_MAX + 1), EINVAL,
		"MODIFY_RQT: EINVAL: a table has at least 1 RQ, at most 16315");
	AGAIN(devx_rqt_create(&obj, NULL, rqn, DEVX_RQT_MAX, DEVX_RQT_MAX));
	cr_assert_eq(fake.in_len, 272 + 4 * 16315);
	cr_assert_eq(devx_rqt_modify(&rqt, rqn, DEVX_RQT_MAX), 0);
	cr_assert_eq(fake.in_len, 272 + 4 * 16315);
}

/* The last value that is accepted, of each field with a limit. */
Test(attributes_are_checked_before_the_command, limits)
{
	static const struct devx_wq_attr wq = { .log_size = 31, .log_stride = 15 };
	static struct devx_flow_count count[DEVX_FLOW_COUNTS];
	struct devx_obj counter = { .handle = fake_handle(), .id = 7 };

	AGAIN(devx_tis_create(&obj, NULL, &(struct devx_tis_attr){ .prio = 15 }));
	AGAIN(rq_with(wq));
	AGAIN(rq_with((struct devx_wq_attr){ .log_page_size = 12 }));
	AGAIN(rq_with((struct devx_wq_attr){ .log_page_size = 43 }));
	AGAIN(mkey_with((struct devx_mkey_attr){ .pdn = (1 << 24) - 1, .len = 1 }));
	AGAIN(mkey_with((struct devx_mkey_attr){ .len = 1, .log_page_size = 12 }));
	AGAIN(mkey_with((struct devx_mkey_attr){ .len = 1, .log_page_size = 31 }));
	AGAIN(devx_flow_counter_create(&obj, NULL, 128));
	AGAIN(devx_flow_counter_create(&obj, NULL, 16384));
	AGAIN(devx_flow_counter_query(&counter, DEVX_FLOW_COUNTS, count));
	fake.calls = 0;
	RQ("log_page_size is not 12 to 43", .log_page_size = 11);
	RQ("log_page_size is not 12 to 43", .log_page_size = 44);
}
