/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands that the kernel does not accept, or that the firmware does not have. */
#include <devx/counter.h>
#include <devx/general.h>
#include <devx/reg.h>
#include <devx/wq.h>

#include "rig.h"

TestSuite(commands, .init = rig_start, .fini = rig_stop);

static uint8_t in[0x200], out[0x1010];
static struct devx_obj obj;

static void set(uint16_t opcode)
{
	PRM_SET(mbox_in, in, opcode, opcode);
}

/* mistake: QUERY_SPECIAL_CONTEXTS, for the null mkey: a kernel-only command */
Test(commands, not_on_the_list)
{
	set(PRM_OP_QUERY_SPECIAL_CONTEXTS);
	says(devx_cmd(r.ctx, in, 16, out, 32), EINVAL,
	     "QUERY_SPECIAL_CONTEXTS: kernel: EINVAL: kernel-only command, not available "
	     "through DevX");
}

/* mistake: CREATE_EQ: only the kernel creates EQs; use devx_eqn_query() */
Test(commands, create_eq)
{
	set(PRM_OP_CREATE_EQ);
	says(devx_obj_create(&obj, r.ctx, in, PRM_SZ(create_eq_in), out, 16), EINVAL,
	     "CREATE_EQ: kernel: EINVAL: only the kernel creates event queues: devx_eqn_query "
	     "returns their numbers");
}

/* mistake: ALLOC_PD by devx_cmd: a command that creates an object needs devx_obj_create */
Test(commands, object_by_the_general_call)
{
	set(PRM_OP_ALLOC_PD);
	says(devx_cmd(r.ctx, in, 16, out, 16), EINVAL,
	     "ALLOC_PD: kernel: EINVAL: send it with devx_obj_create, not with devx_cmd");
}

/* mistake: NOP by devx_obj_create: it creates no object */
Test(commands, general_command_by_the_create_call)
{
	set(PRM_OP_NOP);
	says(devx_obj_create(&obj, r.ctx, in, 16, out, 16), EINVAL,
	     "NOP: kernel: EINVAL: send it with devx_cmd, not with devx_obj_create");
}

/* mistake: DESTROY_MKEY by hand: the kernel sends it, by devx_obj_destroy */
Test(commands, destroying_by_command)
{
	set(PRM_OP_DESTROY_MKEY);
	says(devx_cmd(r.ctx, in, 16, out, 16), EINVAL,
	     "DESTROY_MKEY: kernel: EINVAL: the kernel sends it: use devx_obj_destroy");
}

/* mistake: a query that names another object than the handle is of */
Test(commands, number_of_another_object)
{
	set(PRM_OP_QUERY_CQ);
	PRM_SET(query_cq_in, in, cqn, r.cq.obj.id + 1);
	says(devx_obj_query(&r.cq.obj, in, 16, out, PRM_SZ(query_cq_out)), EINVAL,
	     "QUERY_CQ: kernel: EINVAL: the number in the inbox is not that of the "
	     "object; before Linux 5.18 also a refusal of the firmware");
}

/* mistake: ACCESS_REG, the drivers' command for registers; users have another */
Test(commands, register_by_the_drivers_command)
{
	set(PRM_OP_ACCESS_REG);
	says(devx_cmd(r.ctx, in, 32, out, 32), EINVAL,
	     "ACCESS_REG: kernel: EINVAL: kernel-only command: use ACCESS_REGISTER_USER "
	     "(devx_reg_read)");
}

/* mistake: four PSVs at once */
Test(commands, more_than_one_psv)
{
	set(PRM_OP_CREATE_PSV);
	PRM_SET(create_psv_in, in, num_psv, 4);
	PRM_SET(create_psv_in, in, pd, r.pd.id);
	says(devx_obj_create(&obj, r.ctx, in, 16, out, 32), EINVAL,
	     "CREATE_PSV: kernel: EINVAL: num_psv has to be 1");
}

/* mistake: an opcode that no firmware has */
Test(commands, opcode_of_nothing)
{
	set(0xcfe);
	says(devx_cmd(r.ctx, in, 16, out, 16), EREMOTEIO,
	     "command 0xcfe: firmware: BAD_OP (0x2), syndrome 0xe00cfe01: the emulator "
	     "does not have this command");
}

/* mistake: an op_mod that the command does not have: a capability group that does not exist */
Test(commands, op_mod_of_nothing)
{
	set(PRM_OP_QUERY_HCA_CAP);
	PRM_SET(mbox_in, in, op_mod, PRM_CAP_OP_MOD(0x7f, PRM_CAP_CUR));
	says(devx_cmd(r.ctx, in, 16, out, sizeof(out)), EREMOTEIO,
	     "QUERY_HCA_CAP: firmware: BAD_PARAM (0x3), syndrome 0xe0010007: op_mod not "
	     "supported by this command");
}

/* mistake: a bit of the inbox that has to be 0 */
Test(commands, reserved_bit)
{
	set(PRM_OP_NOP);
	in[12] = 0x01;
	says(devx_cmd(r.ctx, in, 16, out, 16), EREMOTEIO,
	     "NOP: firmware: BAD_PARAM (0x3), syndrome 0xe0080d04: a reserved bit is set: it "
	     "has to be 0");
}

/* mistake: the inbox ends before the context of the command does */
Test(commands, inbox_too_short)
{
	set(PRM_OP_CREATE_TIS);
	says(devx_obj_create(&obj, r.ctx, in, 32, out, 16), EREMOTEIO,
	     "CREATE_TIS: firmware: BAD_INP_LEN (0x50), syndrome 0xe0091202: the inbox is "
	     "too short");
}

/* mistake: the outbox is too short for the answer */
Test(commands, outbox_too_short)
{
	set(PRM_OP_QUERY_CQ);
	PRM_SET(query_cq_in, in, cqn, r.cq.obj.id);
	says(devx_obj_query(&r.cq.obj, in, 16, out, 16), EREMOTEIO,
	     "QUERY_CQ: firmware: BAD_OUTP_LEN (0x51), syndrome 0xe0040203: the outbox is "
	     "too short");
}

/* mistake: boxes that do not even have their header */
Test(commands, box_without_the_header)
{
	set(PRM_OP_NOP);
	says(devx_cmd(r.ctx, in, 8, out, 8), EINVAL,
	     "devx_cmd: EINVAL: inbox and outbox have at least 16 bytes");
}

/* mistake: a completion vector that the device does not have */
Test(commands, vector_of_nothing)
{
	uint32_t eqn;

	says(devx_eqn_query(&eqn, r.ctx, 1000000), ENOENT,
	     "devx_eqn_query: kernel: ENOENT: no such completion vector: below "
	     "ibv_context.num_comp_vectors");
}

/* mistake: a register is written without saying that it is meant */
Test(commands, register_written_by_accident)
{
	uint8_t reg[16] = { 0 };

	says(devx_reg_write(r.ctx, 0x9055, 0, reg, sizeof(reg), 0), EPERM,
	     "ACCESS_REGISTER_USER: EPERM: a write changes the adapter for all: "
	     "DEVX_REG_ALLOW_WRITE");
}

/* mistake: a general object of a type that the device does not have */
Test(commands, general_object_of_no_type)
{
	says(devx_general_create(&obj, r.ctx, 0x3f, 0, in, 16), EOPNOTSUPP,
	     "CREATE_GENERAL_OBJECT: EOPNOTSUPP: the device has no such type: "
	     "general_obj_types");
}

/* mistake: a bulk of 100 flow counters */
Test(commands, bulk_of_an_odd_size)
{
	says(devx_flow_counter_create(&obj, r.ctx, 100), EINVAL,
	     "ALLOC_FLOW_COUNTER: EINVAL: a bulk is a power of two, 128 to 16384");
}
