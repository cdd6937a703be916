/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of opcodes that are not executed; see wqe_report.h. (Opcodes: rdma-core, mlx5dv.h,
 * MLX5_OPCODE_*; kernel, <linux/mlx5/device.h>; DPDK, mlx5_prm.h.)
 */
#include "engine/hwqe.h"
#include "engine/wqe_report.h"

/* assumed(refused_work_requests_end_in_a_qp_operation_error): WAIT and SEND_EN on an RC QP that
 * was not created for them end in syndrome 0x02. */
static const char *const unsupported[256] = {
	[0x0e] = "TSO: of Ethernet queues",
	[0x0f] = "WAIT: there are no cross-channel queues",
	[0x17] = "SEND_EN: there are no cross-channel queues",
	[0x18] = "BIND_MW: the legacy bind, which libmlx5 posts as UMR",
	[0x19] = "FMR: the legacy registration, replaced by UMR",
	[0x1b] = "LOCAL_INVAL: the legacy invalidation, which libmlx5 posts as UMR",
	[0x1f] = "CONFIG_CMD: queues are configured by firmware commands",
	[0x20] = "SET_PSV: no mkey has a signature",
	[0x21] = "GET_PSV: no mkey has a signature",
	[0x22] = "CHECK_PSV: no mkey has a signature",
	[0x23] = "DUMP: there is no TLS offload",
	[0x26] = "RGET_PSV: no mkey has a signature",
	[0x27] = "RCHECK_PSV: no mkey has a signature",
	[0x2c] = "FLOW_TBL_ACCESS: of queues for steering (non_wire)",
	[0x28] = "TAG_MATCHING: there are no tag-matching SRQs",
	[0x29] = "ENHANCED_MPSW: of Ethernet queues that allow it (allow_multi_pkt_send_wqe)",
	[0x2d] = "ACCESS_ASO: ASO objects have no state",
};

const char *wqe_unsupported(uint8_t opcode)
{
	return unsupported[opcode];
}

static const char *mmo(uint8_t opmod)
{
	return opmod == HWQE_OPMOD_MMO_DMA ? NULL : "MMO: only DMA (opmod 1) is executed";
}

void wqe_report_unsupported(const struct hca_qp *qp, uint16_t index, const uint8_t *ctrl)
{
	uint8_t opcode = core_bits(ctrl, HWQE_CTRL_OPCODE);
	const char *why = unsupported[opcode];
	enum core_finding kind = CORE_NOT_EXECUTED;

	if (opcode == HWQE_ARGUMENT)
		why = "FLOW_TBL_ACCESS: a QP writes arguments of header changes only (opmod 1)";
	if (opcode == HWQE_MMO)
		why = mmo(core_bits(ctrl, HWQE_CTRL_OPMOD));
	if (opcode == HWQE_MMO && !why && !qp->mmo) {
		why = "MMO: the QP was not enabled for it";
		kind = CORE_MMO_NOT_ENABLED;
	}
	if (why)
		core_check(kind, "QP", qp->qpn, "the WQE at 0x%x ends in an error: %s", index,
			   why);
}

void wqe_report_umr(enum core_finding kind, const struct hca_qp *qp, uint16_t index,
		    const char *what)
{
	core_check(kind, "QP", qp->qpn, "the UMR WQE at 0x%x ends in an error: %s", index,
		   what);
}
