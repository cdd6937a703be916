/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <criterion/criterion.h>
#include <devx/async.h>
#include <devx/caps.h>
#include <devx/pd.h>
#include <dv/reason.h>

#include "fake_memory.h"
#include "prm/prm.h"

TestSuite(refusal, .init = fake_memory_reset);

/* As libmlx5 shows a refusal of the firmware: an errno value beside the outbox. */
static void fake_refuse(int err, uint8_t status, uint32_t syndrome)
{
	fake.err = err;
	answer_word(0, (uint32_t)status << 24);
	answer_word(4, syndrome);
}

static void check(const char *expected)
{
	char line[256];

	cr_assert_str_eq(devx_error_str(devx_last_error(), line, sizeof(line)), expected);
}

static int send(uint16_t opcode)
{
	uint8_t in[PRM_SZ(mbox_in)] = { 0 }, out[PRM_SZ(mbox_out)];

	PRM_SET(mbox_in, in, opcode, opcode);
	PRM_SET(mbox_in, in, op_mod, 0x41);
	return devx_cmd(NULL, in, sizeof(in), out, sizeof(out));
}

static int make(uint16_t opcode)
{
	uint8_t in[PRM_SZ(create_qp_in)] = { 0 }, out[PRM_SZ(mbox_out)];
	struct devx_obj obj;

	PRM_SET(mbox_in, in, opcode, opcode);
	return devx_obj_create(&obj, NULL, in, sizeof(in), out, sizeof(out));
}

Test(refusal, there_was_none_yet)
{
	cr_assert_eq(devx_last_error()->origin, DEVX_OK);
	check("nothing was refused");
}

Test(refusal, is_the_reason_of_all_of_dvkit)
{
	static const char expected[] = "QUERY_VPORT_STATE: firmware: BAD_PARAM (0x3), "
				       "syndrome 0x123456: ";
	char text[512];

	fake_refuse(EREMOTEIO, PRM_STATUS_BAD_PARAM, 0x123456);
	cr_assert_eq(send(PRM_OP_QUERY_VPORT_STATE), EREMOTEIO);
	cr_assert_eq(strncmp(dv_reason(), expected, sizeof(expected) - 1), 0, "%s",
		     dv_reason());
	cr_assert_str_eq(dv_reason(), devx_error_str(devx_last_error(), text, sizeof(text)));
}

Test(refusal, firmware_has_status_and_syndrome)
{
	const struct devx_error *e = devx_last_error();

	fake_refuse(EREMOTEIO, PRM_STATUS_BAD_PARAM, 0x123456);
	cr_assert_eq(send(PRM_OP_QUERY_VPORT_STATE), EREMOTEIO);
	cr_assert_eq(e->origin, DEVX_FROM_FIRMWARE);
	cr_assert_eq(e->err, EREMOTEIO);
	cr_assert_eq(e->opcode, PRM_OP_QUERY_VPORT_STATE);
	cr_assert_eq(e->op_mod, 0x41);
	cr_assert_eq(e->status, 3);
	cr_assert_eq(e->syndrome, 0x123456);
	cr_assert_str_eq(e->call, "devx_cmd");
	cr_assert_null(e->why);
	check("QUERY_VPORT_STATE: firmware: BAD_PARAM (0x3), syndrome 0x123456: a field is "
	      "out of range, or a reserved bit is set");
}

Test(refusal, libmlx5_replaces_the_status_by_an_errno)
{
	fake_refuse(EBUSY, PRM_STATUS_RES_BUSY, 0);
	cr_assert_eq(make(PRM_OP_CREATE_CQ), EREMOTEIO);
	check("CREATE_CQ: firmware: RES_BUSY (0x6), syndrome 0x0: another object still refers to "
	      "it: destroy that one first");
}

Test(refusal, known_syndromes_are_explained)
{
	fake_refuse(EREMOTEIO, PRM_STATUS_BAD_PARAM, 0x317175);
	cr_assert_eq(make(PRM_OP_CREATE_MKEY), EREMOTEIO);
	check("CREATE_MKEY: firmware: BAD_PARAM (0x3), syndrome 0x317175: page offset of the umem "
	      "and of start_addr differ: register the umem with pages no larger than the address "
	      "allows (devx_umem_reg)");
	cr_assert_null(devx_syndrome_str(PRM_OP_CREATE_QP, 0x317175), "of another command");
}

/* Without a syndrome that is known, the status says what to do; the values are of the PRM,
 * "Command Interface Status". */
Test(refusal, statuses_are_explained)
{
	static const char *const words[] = {
		[0x01] = "health",  [0x02] = "op_mod",	 [0x03] = "a field",
		[0x04] = "health",  [0x05] = "a number", [0x06] = "refers",
		[0x08] = "a limit", [0x09] = "query it", [0x0a] = "a number",
		[0x0f] = "no free", [0x10] = "state",	 [0x40] = "poll",
		[0x50] = "inbox",   [0x51] = "outbox"
	};
	char line[256];

	for (uint8_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!words[i])
			continue;
		fake_refuse(EREMOTEIO, i, 1);
		send(PRM_OP_NOP);
		devx_error_str(devx_last_error(), line, sizeof(line));
		cr_expect_not_null(strstr(strstr(line, "0x1: "), words[i]), "%#x: %s", i, line);
	}
}

Test(refusal, unknown_statuses_are_shown_as_they_are)
{
	fake_refuse(EREMOTEIO, 0xee, 1);
	send(PRM_OP_NOP);
	check("NOP: firmware: status (0xee), syndrome 0x1: status not publicly documented: "
	      "report it with the syndrome");
	cr_assert_null(devx_status_name(0xee));
	cr_assert_str_eq(devx_status_name(0x10), "BAD_QP_STATE");
}

Test(refusal, some_commands_are_kernel_only)
{
	fake.err = EINVAL;
	cr_assert_eq(send(PRM_OP_QUERY_SPECIAL_CONTEXTS), EINVAL);
	cr_assert_eq(devx_last_error()->origin, DEVX_FROM_KERNEL);
	check("QUERY_SPECIAL_CONTEXTS: kernel: EINVAL: kernel-only command, not available "
	      "through DevX");
	cr_assert_eq(send(0x7ff), EINVAL);
	check("command 0x7ff: kernel: EINVAL: no such command in DevX");
}

Test(refusal, the_call_to_use_is_named)
{
	fake.err = EINVAL;
	send(PRM_OP_CREATE_EQ);
	check("CREATE_EQ: kernel: EINVAL: only the kernel creates event queues: devx_eqn_query "
	      "returns their numbers");
	send(PRM_OP_ACCESS_REG);
	check("ACCESS_REG: kernel: EINVAL: kernel-only command: use ACCESS_REGISTER_USER "
	      "(devx_reg_read)");
	make(PRM_OP_CREATE_PSV);
	check("CREATE_PSV: kernel: EINVAL: num_psv has to be 1");
	send(PRM_OP_DESTROY_QP);
	check("DESTROY_QP: kernel: EINVAL: the kernel sends it: use devx_obj_destroy");
	send(PRM_OP_DEALLOC_PD);
	check("DEALLOC_PD: kernel: EINVAL: the kernel sends it: use devx_obj_destroy");
	send(PRM_OP_ALLOC_PD);
	check("ALLOC_PD: kernel: EINVAL: send it with devx_obj_create, not with devx_cmd");
	make(PRM_OP_NOP);
	check("NOP: kernel: EINVAL: send it with devx_cmd, not with devx_obj_create");
	send(PRM_OP_QUERY_QP);
	check("QUERY_QP: kernel: EINVAL: send it with devx_obj_query, not with devx_cmd");
}

Test(refusal, the_right_call_may_be_refused)
{
	fake.err = EINVAL;
	send(PRM_OP_NOP);
	check("NOP: kernel: EINVAL: a context opened without DevX (devx_open); before Linux 5.18 "
	      "also a refusal of the firmware");
}

Test(refusal, other_errnos_keep_their_meaning)
{
	fake.err = ENODEV;
	cr_assert_eq(send(PRM_OP_NOP), ENODEV);
	check("NOP: kernel: ENODEV: the device was removed");
	fake.err = ENAMETOOLONG;
	send(PRM_OP_NOP);
	check("NOP: kernel: ENAMETOOLONG: File name too long");
}

Test(refusal, boxes_shorter_than_their_header_are_not_sent)
{
	uint8_t box[16] = { 0 };

	cr_assert_eq(devx_cmd(NULL, box, 8, box, 16), EINVAL);
	cr_assert_eq(devx_cmd(NULL, box, 16, box, 12), EINVAL);
	cr_assert_eq(fake.calls, 0);
	cr_assert_eq(devx_last_error()->origin, DEVX_FROM_LIBRARY);
	check("devx_cmd: EINVAL: inbox and outbox have at least 16 bytes");
}

Test(refusal, destroying_a_busy_object_leaves_it)
{
	struct devx_obj pd;

	cr_assert_eq(devx_pd_create(&pd, NULL), 0);
	fake.err = EINVAL;
	cr_assert_eq(devx_obj_destroy(&pd), EINVAL);
	check("devx_obj_destroy of what ALLOC_PD created: kernel: EINVAL: another object "
	      "still refers to it: destroy that one first");
	cr_assert_not_null(pd.handle);
	fake.err = 0;
	cr_assert_eq(devx_obj_destroy(&pd), 0);
	cr_assert_eq(devx_obj_destroy(&pd), 0, "again: nothing to do");
	cr_assert_null(pd.handle);
}

Test(refusal, answers_that_come_later_are_judged_too)
{
	struct devx_async async;
	uint8_t out[16];
	uint64_t wr_id = 0;

	cr_assert_eq(devx_async_create(&async, NULL), 0);
	cr_assert_eq(devx_async_get(&async, &wr_id, out, sizeof(out)), 0);
	cr_assert_eq(wr_id, 0x1234);
	cr_assert_eq(async.fd, 42);
	fake_refuse(0, PRM_STATUS_BAD_RES, 9);
	cr_assert_eq(devx_async_get(&async, &wr_id, out, sizeof(out)), EREMOTEIO);
	check("devx_async_get: firmware: BAD_RES (0x5), syndrome 0x9: no object of this "
	      "context has a number in the inbox");
	devx_async_destroy(&async);
}

Test(refusal, a_line_that_does_not_fit_is_cut)
{
	char line[12];

	fake.err = ENODEV;
	send(PRM_OP_NOP);
	cr_assert_str_eq(devx_error_str(devx_last_error(), line, sizeof(line)), "NOP: kernel");
	cr_assert_str_eq(devx_error_str(devx_last_error(), line, 3), "NO");
	cr_assert_str_eq(devx_error_str(devx_last_error(), line, 1), "");
	cr_assert_eq(devx_error_str(devx_last_error(), line, 0), line);
}

/* A result of libmlx5, errno then, and the error, which is never 0. */
Test(refusal, of_libmlx5_is_an_errno_value)
{
	static const int rows[][3] = {
		{ EPIPE, 0, EPIPE }, { -1, EPIPE, EPIPE }, { -1, 0, EIO }, { -EPIPE, 0, EPIPE }
	};
	uint8_t in[16] = { 0 }, out[16] = { 0 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct devx_obj obj = { .handle = fake_handle() };

		fake_reset();
		fake.err = rows[i][0];
		errno = rows[i][1];
		cr_expect_eq(devx_cmd(NULL, in, sizeof(in), out, sizeof(out)), rows[i][2],
			     "%zu", i);
		errno = rows[i][1];
		cr_expect_eq(devx_obj_destroy(&obj), rows[i][2], "%zu", i);
		cr_expect(obj.handle, "it exists");
	}
}
