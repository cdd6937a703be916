/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware commands on behalf of the driver, and what the kernel makes of their status.
 */
#include <errno.h>

#include "fw/fw.h"
#include "uverbs/driver.h"

/* mlx5_core, cmd.c: cmd_status_to_err */
static int status_to_errno(uint8_t status)
{
	switch (status) {
	case FW_OK:
		return 0;
	case FW_BAD_OP:
	case FW_BAD_PARAM:
	case FW_BAD_RES:
	case FW_BAD_RES_STATE:
	case FW_IX_ERR:
	case FW_BAD_QP_STATE:
	case FW_BAD_SIZE_OUTS_CQES:
		return -EINVAL;
	case FW_RES_BUSY:
		return -EBUSY;
	case FW_LIM_ERR:
		return -ENOMEM;
	case FW_NO_RES:
		return -EAGAIN;
	default: /* INT_ERR, BAD_SYS_STATE, the lengths */
		return -EIO;
	}
}

int uverbs_fw(struct uverbs *u, const void *in, size_t in_len, void *out, size_t out_len)
{
	fw_exec(u->hca, in, in_len, out, out_len);
	return status_to_errno(((const uint8_t *)out)[0]);
}

/* PRM: DEALLOC_*, DESTROY_* and 2ERR/2RST_QP are laid out alike: opcode, uid, and a number in
 * the low 24 bits of the third dword. */
int uverbs_fw_number(struct uverbs *u, uint16_t opcode, uint16_t uid, uint32_t number)
{
	uint8_t in[PRM_SZ(destroy_cq_in)] = { 0 }, out[PRM_SZ(destroy_cq_out)] = { 0 };

	PRM_SET(destroy_cq_in, in, opcode, opcode);
	PRM_SET(destroy_cq_in, in, uid, uid);
	PRM_SET(destroy_cq_in, in, cqn, number);
	return uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

/* PRM: so are ALLOC_PD, ALLOC_UAR, ALLOC_TRANSPORT_DOMAIN and their answers. */
int uverbs_fw_alloc(struct uverbs *u, uint16_t opcode, uint16_t uid, uint32_t *number)
{
	uint8_t in[PRM_SZ(alloc_pd_in)] = { 0 }, out[PRM_SZ(alloc_pd_out)] = { 0 };
	int ret;

	PRM_SET(alloc_pd_in, in, opcode, opcode);
	PRM_SET(alloc_pd_in, in, uid, uid);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (!ret)
		*number = PRM_GET(alloc_pd_out, out, pd);
	return ret;
}
