/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The syndromes of error CQEs (enum in mlx5dv.h) in words: what happened, and what to check
 * first. Texts of ours; the ibv_wc_status in brackets is the one that libmlx5 makes of it.
 */
#include <dv/print.h>
#include <prm/table.h>

/* clang-format off */
static const char *const hints[256] = {
	[0] = "nothing to check",
	[PRM_CQE_SYNDROME_LOCAL_LENGTH_ERR] =
		"the message is longer than the receive buffer, or than the port allows: compare the "
		"sizes of the receives with those of the sends",
	[PRM_CQE_SYNDROME_LOCAL_QP_OP_ERR] =
		"the QP cannot do what the WQE asks: check ds, the opcode, the QP's type and limits",
	[PRM_CQE_SYNDROME_LOCAL_PROT_ERR] =
		"an SGE is not covered by its MR: check lkey, address + length, LOCAL_WRITE, the PD",
	[PRM_CQE_SYNDROME_WR_FLUSH_ERR] =
		"this WQE is a victim: the QP was in error already; look for the first completion "
		"that failed with something else",
	[PRM_CQE_SYNDROME_MW_BIND_ERR] =
		"check the rights of the MR, the type of the window, the PD",
	[PRM_CQE_SYNDROME_BAD_RESP_ERR] =
		"an answer came that does not fit the request: check that the QP numbers, PSNs and "
		"the path belong to one and the same connection",
	[PRM_CQE_SYNDROME_LOCAL_ACCESS_ERR] =
		"as responder, we refused access to our own memory: check the rights of the MR",
	[PRM_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR] =
		"the peer calls the request invalid: check the size of its receives, its QP access "
		"flags, max_dest_rd_atomic",
	[PRM_CQE_SYNDROME_REMOTE_ACCESS_ERR] =
		"the peer's memory is not open to this: check rkey, raddr + length, the access flags, "
		"and that the peer still has the MR",
	[PRM_CQE_SYNDROME_REMOTE_OP_ERR] =
		"the peer could not finish: check its QP's state, its receives, its asynchronous events",
	[PRM_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR] =
		"no answer came. On the first message: check QP numbers, GID and GID index, PSN, and "
		"that the peer is in RTR. Later: the peer has ended, or the network drops",
	[PRM_CQE_SYNDROME_RNR_RETRY_EXC_ERR] =
		"the peer had no receive posted: post receives before the sender starts, or set "
		"rnr_retry to 7, for ever",
	[PRM_CQE_SYNDROME_REMOTE_ABORTED_ERR] =
		"the peer gave the operation up: look at its QP and its log",
};
/* clang-format on */

const char *dv_syndrome_str(uint8_t syndrome)
{
	const char *str = "unknown syndrome (GENERAL_ERR)";

	if (!syndrome)
		return "success";
	prm_value_name("CQE_SYNDROME", syndrome, &str);
	return str;
}

const char *dv_syndrome_hint(uint8_t syndrome)
{
	const char *hint = hints[syndrome];

	return hint ? hint : "not in mlx5dv.h: quote syndrome and vendor syndrome in a report";
}

/* Sources: 0x93 <infiniband/mlx5dv.h>, MLX5_CQE_VENDOR_SYNDROME_ODP_PFAULT; 0x99 UCX,
 * ib_mlx5.h. The meaning of the others is not public; in brackets is the error with which
 * public logs show them: openucx/ucx (issues 1151, 1569, 3618, 5472, 6414, 7774, 7863, 9515,
 * pull requests 7801, 11444), linux-rdma/perftest (173), spdk/spdk (961), Juniper/warp17 (81),
 * FDio/csit (3988), charmplusplus/charm (2532), Derecho-Project/derecho (141) and linux-rdma
 * (2023-07-19, "umem: Set iova in ODP flow"). */
/* clang-format off */
static const char *const vendor_syndromes[256] = {
	[0] = "no vendor syndrome",
	[0x32] = "(public logs: local protection of a receive)",
	[0x51] = "(public logs: local protection of a send, memory of a GPU above all)",
	[0x52] = "(public logs: local protection of a send)",
	[0x53] = "(public logs: local protection of a send, of raw packets)",
	[0x56] = "(public logs: local protection, of a receive and of a send)",
	[0x68] = "(public logs: a send WQE that the QP cannot execute)",
	[0x78] = "(public logs: memory window bind, UMR with too long a list)",
	[0x81] = "(public logs: transport retries exceeded)",
	[0x87] = "(public logs: receiver-not-ready retries exceeded)",
	[0x88] = "(public logs: remote access)",
	[0x89] = "(public logs: remote operation)",
	[0x8a] = "(public logs: remote invalid request)",
	[0xd6] = "(public logs: a receive WQE that is malformed, \"RDE_MAL_WQE\")",
	[0xf9] = "(public logs: flushed)",
};
/* clang-format on */

const char *dv_vendor_syndrome_str(uint8_t vendor_syndrome)
{
	const char *str = vendor_syndromes[vendor_syndrome];

	if (!str && !prm_value_name("CQE_VENDOR_SYNDROME", vendor_syndrome, &str))
		return "vendor syndrome that no public source explains";
	return str;
}
