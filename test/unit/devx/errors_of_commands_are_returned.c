/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each call that sends a command, when the kernel refuses it and when the firmware does, and
 * each of its steps fails: the error is returned and names the command, no second command is
 * sent, nothing is left of the steps before, and what the call would have filled is as it was.
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
#include <dv/reason.h>
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

/* The firmware refuses if @status, or the kernel, or step @n fails. */
static void prepare(uint8_t status, int err, unsigned int n)
{
	const struct devx_obj alive = { .handle = fake_handle(), .id = 0x123456 };

	fake_memory_reset();
	memset(fake.caps + 16, 0xff, sizeof(fake.caps) - 16);
	fake.err = err;
	fake.answer[0] = status;
	obj = cq.obj = qp.obj = mkey.obj = alias.obj = alive;
	qp.st = PRM_QPC_ST_UD;
	memset(box, 0xee, sizeof(box));
	allocations = steps.allocations;
	steps.fail_at = n;
}

static void nothing_is_left(const char *call, unsigned int n)
{
	cr_expect_eq(fake.made, fake.destroyed, "%s, step %u: an object is left", call, n);
	cr_expect_eq(fake_memory.umems, 0, "%s, step %u: a umem is left", call, n);
	cr_expect_eq(fake_memory.uars, 0, "%s, step %u: a UAR is left", call, n);
	cr_expect_eq(fake_memory.mrs, 0, "%s, step %u: an MR is left", call, n);
	cr_expect_eq(fake_memory.ahs, 0, "%s, step %u: an AH is left", call, n);
	for (size_t i = 0; i < sizeof(box); i++)
		cr_assert_eq(box[i], 0xee, "%s, step %u: byte %zu", call, n, i);
}

static void check(const char *call, int err, int expected)
{
	cr_expect_eq(err, expected, "%s: %d", call, err);
	cr_expect_eq(fake.calls, 1, "%s: %d commands", call, fake.calls);
	cr_expect_eq(devx_last_error()->opcode, fake.in[0] << 8 | fake.in[1], "%s", call);
	cr_expect_eq(steps.allocations, allocations, "%s: memory is left", call);
	nothing_is_left(call, 0);
}

/* Was step @n reached? Its error names a call or a command that exists. */
static bool failed(const char *call, int err, unsigned int n)
{
	bool failed = !steps.fail_at;

	steps.fail_at = 0;
	cr_expect(!failed || err, "%s, step %u: no error", call, n);
	cr_expect_eq(steps.allocations, allocations, "%s, step %u: memory is left", call, n);
	if (!failed)
		return false;
	nothing_is_left(call, n);
	cr_expect(strncmp(dv_reason(), "command ", 8), "%s, step %u: %s", call, n, dv_reason());
	return true;
}

/* The call has @steps steps: allocations, commands and calls of libmlx5. */
#define STEPS(steps, call)                                                       \
	do {                                                                     \
		unsigned int n = 0;                                              \
		do                                                               \
			prepare(0, 0, ++n);                                      \
		while (failed(#call, call, n));                                  \
		cr_expect_eq(n - 1, steps, "%s has not %u steps", #call, n - 1); \
	} while (0)

/* The last of the @steps is a command. */
#define REFUSED_OF(steps, call)                \
	do {                                   \
		prepare(0x05, EREMOTEIO, 0);   \
		check(#call, call, EREMOTEIO); \
		prepare(0, EIO, 0);            \
		check(#call, call, EIO);       \
		STEPS(steps, call);            \
	} while (0)
#define REFUSED(call) REFUSED_OF(1, call)

static void queries(void)
{
	struct devx_flow_count count[2];

	REFUSED(devx_alias_query(&alias, box));
	REFUSED(devx_cq_query(&cq, box));
	REFUSED(devx_dct_query(&obj, box));
	REFUSED_OF(2, devx_flow_counter_query(&obj, 2, count));
	REFUSED(devx_flow_table_query(&obj, 0, box));
	REFUSED_OF(2, devx_general_query(&obj, box, 64));
	REFUSED(devx_mkey_query(&mkey, box));
	REFUSED(devx_q_counter_query(&obj, false, outbox));
	REFUSED(devx_qp_query(&qp, box));
	REFUSED_OF(3, devx_reg_read(NULL, 0x9055, 0, box, 8));
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
	REFUSED_OF(2, devx_general_modify(&obj, key, sizeof(key)));
	REFUSED(devx_qp_init(&qp, &end, NULL));
	REFUSED(devx_qp_rtr(&qp, &av, &end, &end, NULL));
	REFUSED(devx_qp_rts(&qp, &end, &end, NULL));
	REFUSED_OF(3, devx_qp_connect(&qp, NULL, &end, &end, NULL));
	REFUSED(devx_qp_sqerr2rts(&qp));
	REFUSED(devx_qp_err(&qp));
	REFUSED(devx_qp_reset(&qp));
	REFUSED_OF(3, devx_reg_write(NULL, 0x9055, 0, box, 8, DEVX_REG_ALLOW_WRITE));
	REFUSED(devx_rmp_arm(&obj, 1));
	REFUSED(devx_rq_modify(&obj, DEVX_WQ_RST, DEVX_WQ_RDY));
	REFUSED_OF(2, devx_rqt_modify(&obj, rqn, 2));
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
	static const struct devx_mkey_attr relaxed = { .len = 1,
						       .access = IBV_ACCESS_RELAXED_ORDERING };
	static const struct devx_mkey_entry of = { .key = 1, .len = 4096 };
	const uint32_t rqn[2] = { 1, 2 };

	REFUSED(devx_flow_counter_create(&obj, NULL, 0));
	REFUSED(devx_flow_entry_create(&obj, NULL, &entry));
	REFUSED(devx_flow_group_create(&obj, NULL, &group));
	REFUSED(devx_flow_table_create(&obj, NULL, &table));
	REFUSED_OF(3, devx_general_create(&obj, NULL, 63, 0, box, 64));
	REFUSED(devx_mkey_create(&mkey, NULL, &(struct devx_mkey_attr){ .len = 4096 }));
	REFUSED_OF(2, devx_mkey_create(&mkey, NULL, &relaxed));
	REFUSED_OF(2, devx_mkey_create_crossing(&mkey, NULL,
						&(struct devx_mkey_attr){ .len = 4096 }, 1, 2));
	REFUSED_OF(2, devx_mkey_create_klm(&mkey, NULL, &(struct devx_mkey_attr){ .len = 4096 },
					   &of, 1));
	REFUSED_OF(2, devx_mkey_create_ksm(&mkey, NULL, &key, &of, 1));
	REFUSED(devx_modify_header_create(&obj, NULL, 0, box, 1));
	REFUSED(devx_packet_reformat_create(&obj, NULL, 0, box, 14));
	REFUSED(devx_pd_create(&obj, NULL));
	REFUSED(devx_psv_create(&obj, NULL, 1));
	REFUSED(devx_q_counter_create(&obj, NULL));
	REFUSED_OF(2, devx_rqt_create(&obj, NULL, rqn, 2, 2));
	REFUSED(devx_td_create(&obj, NULL));
	REFUSED(devx_tir_create(&obj, NULL, &tir));
	REFUSED(devx_tis_create(&obj, NULL, &tis));
	REFUSED(devx_xrcd_create(&obj, NULL));
}

Test(errors_of_commands, are_returned)
{
	queries();
	changes();
	creations();
}

/* ---- calls of several steps: each makes an object, and destroys it ---- */

static struct devx_uar uar = { .reg = fake_page, .base = fake_page };
static struct ibv_context context;
static struct ibv_pd pd = { .context = &context };

static int make_cq(void)
{
	int err =
		devx_cq_create(&cq, NULL, &(struct devx_cq_attr){ .uar = &uar, .cqe_cnt = 2 });

	return err ? err : devx_cq_destroy(&cq);
}

static int make_qp(struct devx_qp_attr attr)
{
	int err;

	attr.uar = &uar;
	attr.sq_wqe_cnt = 2;
	err = devx_qp_create(&qp, NULL, &attr);
	return err ? err : devx_qp_destroy(&qp);
}

static int make_uar(void)
{
	struct devx_uar u;
	int err = devx_uar_alloc(&u, NULL, DEVX_UAR_ANY);

	if (!err)
		devx_uar_free(&u);
	return err;
}

static int export(void)
{
	struct devx_export_attr attr = { .access = IBV_ACCESS_LOCAL_WRITE };
	struct devx_exported x;
	int err = devx_export_create(&x, NULL, fake_page, sizeof(fake_page), &attr);

	return err ? err : devx_export_destroy(&x);
}

static int resolve(void)
{
	struct ibv_ah_attr path = { .port_num = 1 };
	struct devx_av av;

	return devx_av_resolve(&av, &pd, &path);
}

static int connect_self(void)
{
	qp.st = PRM_QPC_ST_RC;
	return devx_qp_connect_self(&qp, &pd, 1, 3);
}

/* The queue is destroyed, its memory is still registered: it is freed only later. */
Test(errors_of_commands, keep_a_umem_that_is_in_use)
{
	static const struct devx_cq_attr cq_attr = { .uar = &uar, .cqe_cnt = 2 };
	static const struct devx_qp_attr qp_attr = { .uar = &uar, .rq_wqe_cnt = 2 };

	prepare(0, 0, 0);
	cr_assert_eq(devx_cq_create(&cq, NULL, &cq_attr), 0);
	cr_assert_eq(devx_qp_create(&qp, NULL, &qp_attr), 0);
	fake.err = EINVAL;
	cr_expect_eq(devx_cq_destroy(&cq), EINVAL);
	cr_expect_eq(devx_qp_destroy(&qp), EINVAL);
	cr_expect_eq(fake_memory.umems, 2);
	fake.err = 0;
	fake_memory.busy = true;
	for (int i = 1; i <= 2; i++) {
		cr_expect_eq(devx_cq_destroy(&cq), EINVAL);
		cr_expect_eq(devx_qp_destroy(&qp), EINVAL);
		REFUSES(devx_umem_dereg(&qp.umem), EINVAL);
		cr_expect_eq(fake.destroyed, 2);
		cr_expect_eq(steps.allocations, allocations + 4,
			     "two rings, two umems of the fake");
	}
	fake_memory.busy = false;
	for (int i = 1; i <= 2; i++) {
		cr_expect_eq(devx_cq_destroy(&cq), 0);
		cr_expect_eq(devx_qp_destroy(&qp), 0);
		cr_expect_eq(steps.allocations, allocations);
	}
}

Test(errors_of_commands, leave_nothing_of_the_steps_before)
{
	context.device = (struct ibv_device *)&context;
	STEPS(4, resolve());	  /* port, GID, AH, its address vector */
	STEPS(9, connect_self()); /* port, GID, these four, three commands */
	STEPS(3, make_cq());	  /* memory, umem, command */
	STEPS(4, make_qp((struct devx_qp_attr){ .mmo = true }));
	STEPS(4, make_qp((struct devx_qp_attr){ .send_dbr_mode = 1 }));
	STEPS(1, make_uar()); /* the capabilities */
	/* two groups, the device, epoch, key, umem, CREATE_MKEY, ALLOW_OTHER_VHCA_ACCESS */
	STEPS(8, export());
	/* a page, MR, PDN, the first five of these, two lists, the two commands */
	STEPS(12, devx_export_probe_mr(&pd));
}
