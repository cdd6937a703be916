/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explanations of syndromes. NVIDIA publishes no table: those of real devices are from public
 * reports, which are named beside them.
 *
 * The syndromes of dvkit's own emulator are 0xE0000000 | opcode << 8 | reason.
 */
#include <devx/devx.h>
#include <prm/prm.h>

#include "prm/array.h"

static const struct devx_syndrome reports[] = {
	/* openucx/ucx pull request 8689 */
	{ PRM_OP_CREATE_MKEY, 0x317175,
	  "page offset of the umem and of start_addr differ: register the umem with pages no "
	  "larger than the address allows (devx_umem_reg)" },
	/* Linux commit 023d2a43ed0d (SHAMPO, hd_per_wq), and of iSER, linux-rdma, 2021 */
	{ PRM_OP_CREATE_MKEY, 0x03bf6f,
	  "translations_octword_size is 0, or more than log_max_klm_list_size allows" },
	/* openucx/ucx issue 9488 */
	{ PRM_OP_CREATE_MKEY, 0x35e6ec,
	  "parameters of the key; seen with signature (T10-PI) configurations" },
	/* snabbco/snabb issue 995 */
	{ PRM_OP_CREATE_CQ, 0x62bbc6,
	  "no MTT index could be allocated; seen while fwtrace ran" },
	/* openucx/ucx issue 10451 */
	{ PRM_OP_CREATE_QP, 0x2c4154,
	  "firmware too old for the attributes of the QP: upgrade it, or request fewer" },
	/* linux-rdma, July 2022, "Unable to create max_qp QPs on Mellanox ConnectX-4/6" */
	{ PRM_OP_CREATE_QP, 0x65b500, "out of QPs: the device has somewhat fewer than max_qp" },
	/* openucx/ucx issue 6049 */
	{ PRM_OP_ALLOC_UAR, 0x5a7939, "out of UARs: mlxconfig NUM_UARS" },
	/* Linux commit "RDMA/mlx5: Fix typo when prepare destroy_mkey inbox" */
	{ PRM_OP_DEALLOC_PD, 0x31b635, "an mkey of this protection domain still exists" },
	/* linux-pci, January 2022, "PCI: Reset IOV state on FLR to PF": mlx5_core's
	 * maintainer */
	{ PRM_OP_2ERR_QP, 0x7ea02d, "no such QP" },
	{ PRM_OP_2RST_QP, 0x7ea02d, "no such QP" },
	/* Linux commit c20767fd45e8 (hairpin RQT) */
	{ PRM_OP_CREATE_RQT, 0x538faf, "rqt_actual_size is above rqt_max_size" },
	/* nvidia-holoscan/daqiri issue 284 */
	{ PRM_OP_CREATE_RQ, 0x43d98f, "real-time timestamps are not supported: ts_format" },
};

/* Syndromes of dvkit's own emulator: enum fw_reason of emu/fw/command.h. */
#define EMULATOR 0xE0
static const char *const reasons[] = {
	[1] = "the emulator does not have this command",
	[2] = "the inbox is too short",
	[3] = "the outbox is too short",
	[4] = "a reserved bit is set: it has to be 0",
	[5] = "a bit or value that exists but is not emulated",
	[6] = "this user context (uid) does not exist, or may not send the command",
	[7] = "op_mod not supported by this command",
	[8] = "the object of the command does not exist in this context",
	[9] = "no such protection domain in this context (pd)",
	[10] = "no such UAR in this context (uar_page)",
	[11] = "no such event queue: ask devx_eqn_query (c_eqn)",
	[12] = "no such CQ in this context (cqn_snd, cqn_rcv)",
	[13] = "another object still refers to it: destroy that one first",
	[14] = "the limit in the capabilities is reached",
	[15] = "a table or the memory of the emulator is exhausted",
	[16] = "a size that the capabilities do not allow, or that the umem or the list does not have",
	[17] = "the page list: an address that is 0 or misaligned, or bytes after the list",
	[18] = "the page offset does not fit the entries",
	[19] = "the doorbell record: misaligned, or not in mapped memory",
	[20] = "the state of the object does not allow it: query the object first",
	[21] = "opt_param_mask has a bit that this transition does not support",
	[22] = "no GID at this src_addr_index",
	[23] = "an MTU that the port does not have",
	[24] = "a field is out of range",
	[25] = "no such XRC domain in this context (xrcd)",
	[26] = "no such shared receive queue in this context",
	[27] = "no such transport domain in this context",
	[28] = "no such TIS in this context",
	[29] = "no such RQ in this context",
	[30] = "no such umem in this context, or it ends before the queue does",
	[31] = "the device has to write to this umem, and its access does not allow it",
	[40] = "no such RQ table in this context",
	[41] = "no such scheduling element in this context",
	[42] = "no such counter in this context",
	[43] = "no function of this adapter has this VHCA id",
	[44] = "another access key than that with which the object was allowed",
	[45] = "no such flow table of this type in this context, or its level is not higher",
	[46] = "no such flow group in the table, or its range overlaps another's",
	[47] = "the flow index is outside of the group or the table, or taken",
	[48] = "a field that tables of this type do not match, or a value outside of the mask",
	[49] = "an action that tables of this type do not have, or not with the others",
	[50] = "no such destination in this context, or not one of such tables",
	[51] = "no such modify header or reformat context in this context, or of another table type",
	[52] = "the emulator does not have this register",
	[53] = "this register can only be read",
};

static const char *emulator_text(uint16_t opcode, uint32_t syndrome)
{
	uint32_t reason = syndrome & 0xff;

	if (syndrome >> 24 != EMULATOR || (syndrome >> 8 & 0xffff) != opcode)
		return NULL;
	return reason < ARRAY_SIZE(reasons) ? reasons[reason] : NULL;
}

const char *devx_syndrome_str(uint16_t opcode, uint32_t syndrome)
{
	for (size_t i = 0; i < ARRAY_SIZE(reports); i++)
		if (reports[i].opcode == opcode && reports[i].syndrome == syndrome)
			return reports[i].text;
	return emulator_text(opcode, syndrome);
}

const struct devx_syndrome *devx_syndrome_next(const struct devx_syndrome *s)
{
	if (!s)
		return reports;
	return s + 1 < reports + ARRAY_SIZE(reports) ? s + 1 : NULL;
}
