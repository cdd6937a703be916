/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access registers: what the driver asks of the port by ACCESS_REG, and a user by
 * ACCESS_REGISTER_USER.
 *
 *	inbox  | op_mod read, write | register_id | argument 0 | register: local_port 1, group, …
 *	outbox |                                               | register: the same, and its values
 *
 * Which registers there are is in the tables of their families; all else is refused.
 */
#include "fw/register.h"

#define PORT 1

static const struct fw_register *find(uint32_t id)
{
	static const struct fw_register *const families[] = {
		fw_host_registers, fw_port_registers, fw_cable_registers, fw_image_registers,
		fw_dump_registers
	};

	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		for (const struct fw_register *r = families[i]; r->layout; r++)
			if (r->id == id)
				return r;
	return NULL;
}

bool fw_register_is_there(uint32_t id)
{
	return find(id);
}

/* assumed(register_writes_need_tools_rights): the driver, and user contexts with the right
 * TOOLS_RESOURCES, write registers; other users only read them. */
static bool may_write(const struct fw_cmd *c)
{
	return !c->uid || c->tools;
}

static enum fw_status check_write(struct fw_cmd *c, const struct fw_register *r)
{
	if (!r->set)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_READ_ONLY);
	return may_write(c) ? FW_OK : fw_refuse(c, FW_BAD_PARAM, FW_WHY_UID);
}

static enum fw_status check_box(struct fw_cmd *c, const struct fw_register *r,
				const struct fw_bits *accepts)
{
	const uint8_t *reg = PRM_ADDR(access_register_in, c->in, register_data);
	size_t end = PRM_SZ(access_register_in) + r->bytes;
	uint8_t why;

	/* mlx5ctl reads all registers with boxes of one length, that of the longest
	 * register. */
	if (c->in_len < end || !fw_all_zero(c->in + end, c->in_len - end))
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (c->out_len < PRM_SZ(access_register_out) + r->bytes)
		return fw_refuse(c, FW_BAD_OUTP_LEN, FW_WHY_OUT_LEN);
	why = fw_accept(r->layout, accepts, reg, r->bytes);
	if (why)
		return fw_refuse(c, FW_BAD_PARAM, why);
	/* There is one port. All else is BAD_PARAM by our choice: the kernel only queries
	 * existing ones. */
	if (r->port.width && prm_load(reg, r->port.first, r->port.width) != PORT)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	return FW_OK;
}

/* Copies those fields of a write that a read may also have. */
static void ask_again(const struct fw_register *r, const uint8_t *reg, uint8_t *ask)
{
	memset(ask, 0, r->bytes);
	for (const struct fw_bits *f = r->ask; f->width; f++)
		prm_store(ask, f->first, f->width, prm_load(reg, f->first, f->width));
}

static enum fw_status access_it(struct fw_cmd *c, const struct fw_register *r, bool write)
{
	const uint8_t *reg = PRM_ADDR(access_register_in, c->in, register_data);
	uint8_t *to = PRM_ADDR(access_register_out, c->out, register_data);
	uint8_t ask[FW_MAX_INBOX], why = write ? r->write(c, reg) : 0;

	if (why)
		return fw_refuse(c, FW_BAD_PARAM, why);
	ask_again(r, reg, ask);
	memcpy(to, ask, r->bytes);
	why = r->read(c, ask, to);
	if (why)
		return fw_refuse(c, why == FW_WHY_FULL ? FW_NO_RES : FW_BAD_PARAM, why);
	return FW_OK;
}

/* assumed(register_not_there_is_bad_param): a register that the device does not have, and
 * writing one that cannot be written, is BAD_PARAM. */
enum fw_status fw_access_reg(struct fw_cmd *c)
{
	const struct fw_register *r = find(PRM_GET(access_register_in, c->in, register_id));
	uint32_t op = PRM_GET(access_register_in, c->in, op_mod);
	enum fw_status status = FW_OK;

	if (c->opcode == PRM_OP_ACCESS_REGISTER_USER && !FW_GEN(c->hca, access_register_user))
		return fw_refuse(c, FW_BAD_OP, FW_WHY_OPCODE);
	if (op != PRM_REG_OP_READ && op != PRM_REG_OP_WRITE)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	if (!r)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_REGISTER);
	if (op == PRM_REG_OP_WRITE)
		status = check_write(c, r);
	if (status == FW_OK)
		status = check_box(c, r, op == PRM_REG_OP_WRITE ? r->set : r->ask);
	return status == FW_OK ? access_it(c, r, op == PRM_REG_OP_WRITE) : status;
}
