/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each call that sends a command, when the kernel refuses it and when the firmware does: the
 * error is returned, no second command is sent, no memory is left, and what the call would
 * have filled is as it was.
 */
#include <errno.h>
#include <criterion/criterion.h>
#include <devx/counter.h>
#include <devx/cq.h>
#include <devx/dct.h>
#include <devx/flow.h>
#include <devx/general.h>
#include <devx/mkey.h>
#include <devx/pd.h>
#include <devx/psv.h>
#include <devx/qp.h>
#include <devx/raw.h>
#include <devx/reg.h>
#include <devx/srq.h>
#include <devx/vhca.h>
#include <prm/prm.h>

#include "fake_memory.h"
#include "lib/steps.h"

static struct devx_obj obj;
static struct devx_cq cq;
static struct devx_qp qp;
static struct devx_mkey mkey;
static struct devx_alias alias;
static uint8_t box[4096], outbox[4096]; /* outbox: with its status */
static long allocations;
static int refusal; /* of the kernel; 0: of the firmware */

static void prepare(void)
{
	const struct devx_obj alive = { .handle = fake_handle(), .id = 0x123456 };

	fake_memory_reset();
	PRM_SET(cmd_hca_cap, fake.caps + 16, access_register_user, 1);
	PRM_SET(cmd_hca_cap, fake.caps + 16, crossing_vhca_mkey, 1);
	fake.err = refusal ? refusal : EREMOTEIO;
	fake.answer[0] = refusal ? 0 : 0x05; /* BAD_RES */
	obj = cq.obj = qp.obj = mkey.obj = alias.obj = alive;
	qp.st = PRM_QPC_ST_UD;
	memset(box, 0xee, sizeof(box));
	allocations = steps.allocations;
}

static void check(const char *call, int err)
{
	cr_expect_eq(err, refusal ? refusal : EREMOTEIO, "%s: %d", call, err);
	cr_expect_eq(fake.calls, 1, "%s: %d commands", call, fake.calls);
	cr_expect_eq(steps.allocations, allocations, "%s: memory is left", call);
	for (size_t i = 0; i < sizeof(box); i++)
		cr_assert_eq(box[i], 0xee, "%s: byte %zu", call, i);
}

#define REFUSED(call) (prepare(), check(#call, call))

static void queries(void)
{
	struct devx_flow_count count[2];

	REFUSED(devx_alias_query(&alias, box));
	REFUSED(devx_cq_query(&cq, box));
	REFUSED(devx_dct_query(&obj, box));
	REFUSED(devx_flow_counter_query(&obj, 2, count));
	REFUSED(devx_flow_table_query(&obj, 0, box));
	REFUSED(devx_general_query(&obj, box, 64));
	REFUSED(devx_mkey_query(&mkey, box));
	REFUSED(devx_q_counter_query(&obj, false, outbox));
	REFUSED(devx_qp_query(&qp, box));
	REFUSED(devx_reg_read(NULL, 0x9055, 0, box, 8));
	REFUSED(devx_rmp_query(&obj, box));
	REFUSED(devx_rq_query(&obj, box));
	REFUSED(devx_sq_query(&obj, box));
	REFUSED(devx_tir_query(&obj, box));
	REFUSED(devx_tis_query(&obj, box));
	REFUSED(devx_vnic_env_query(NULL, outbox));
	REFUSED(devx_vport_counter_query(NULL, 1, outbox));
}

static void changes(void)
{
	static const struct dv_endpoint end;
	static const struct devx_flow_entry_attr entry;
	const uint32_t rqn[2] = { 1, 2 };
	static const uint8_t key[DEVX_ACCESS_KEY_BYTES];
	static const struct devx_av av;

	REFUSED(devx_allow_other_vhca(NULL, 1, 2, key));
	REFUSED(devx_cq_moderate(&cq, 1, 2));
	REFUSED(devx_flow_entry_modify(&obj, &entry));
	REFUSED(devx_flow_table_miss(&obj, 0, 1, 2));
	REFUSED(devx_general_modify(&obj, key, sizeof(key)));
	REFUSED(devx_qp_init(&qp, &end, NULL));
	REFUSED(devx_qp_rtr(&qp, &av, &end, &end, NULL));
	REFUSED(devx_qp_rts(&qp, &end, &end, NULL));
	REFUSED(devx_qp_connect(&qp, NULL, &end, &end, NULL));
	REFUSED(devx_qp_sqerr2rts(&qp));
	REFUSED(devx_qp_err(&qp));
	REFUSED(devx_qp_reset(&qp));
	REFUSED(devx_reg_write(NULL, 0x9055, 0, box, 8, DEVX_REG_ALLOW_WRITE));
	REFUSED(devx_rmp_arm(&obj, 1));
	REFUSED(devx_rq_modify(&obj, DEVX_WQ_RST, DEVX_WQ_RDY));
	REFUSED(devx_rqt_modify(&obj, rqn, 2));
	REFUSED(devx_sq_modify(&obj, DEVX_WQ_RST, DEVX_WQ_RDY));
}

static void creations(void)
{
	static const struct devx_flow_table_attr table;
	static const struct devx_flow_group_attr group;
	static const struct devx_flow_entry_attr entry;
	static const struct devx_tis_attr tis;
	static const struct devx_tir_attr tir = { .inline_rqn = 1 };
	static const struct devx_mkey_attr key = { .len = 4096, .log_entity_size = 12 };
	static const struct devx_mkey_entry of = { .key = 1, .len = 4096 };
	const uint32_t rqn[2] = { 1, 2 };

	REFUSED(devx_flow_counter_create(&obj, NULL, 0));
	REFUSED(devx_flow_entry_create(&obj, NULL, &entry));
	REFUSED(devx_flow_group_create(&obj, NULL, &group));
	REFUSED(devx_flow_table_create(&obj, NULL, &table));
	REFUSED(devx_general_create(&obj, NULL, 0xff01, 0, box, 64));
	REFUSED(devx_mkey_create(&mkey, NULL, &(struct devx_mkey_attr){ .len = 4096 }));
	REFUSED(devx_mkey_create_crossing(&mkey, NULL, &(struct devx_mkey_attr){ .len = 4096 },
					  1, 2));
	REFUSED(devx_mkey_create_klm(&mkey, NULL, &(struct devx_mkey_attr){ .len = 4096 }, &of,
				     1));
	REFUSED(devx_mkey_create_ksm(&mkey, NULL, &key, &of, 1));
	REFUSED(devx_modify_header_create(&obj, NULL, 0, box, 1));
	REFUSED(devx_packet_reformat_create(&obj, NULL, 0, box, 14));
	REFUSED(devx_pd_create(&obj, NULL));
	REFUSED(devx_psv_create(&obj, NULL, 1));
	REFUSED(devx_q_counter_create(&obj, NULL));
	REFUSED(devx_rqt_create(&obj, NULL, rqn, 2, 2));
	REFUSED(devx_td_create(&obj, NULL));
	REFUSED(devx_tir_create(&obj, NULL, &tir));
	REFUSED(devx_tis_create(&obj, NULL, &tis));
	REFUSED(devx_xrcd_create(&obj, NULL));
}

Test(errors_of_commands, are_returned)
{
	for (int i = 0; i < 2; i++) {
		refusal = i ? EIO : 0;
		queries();
		changes();
		creations();
	}
}
