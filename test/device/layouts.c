/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of names that dv/freestanding.h has copies of. Compiled twice, with rdma-core's
 * headers and with -ffreestanding, and compared by main.c.
 */
#include <dv/cq.h>
#include <dv/post.h>

#include "layouts.h"

#define M(type, member)                                           \
	{                                                         \
#type "." #member, offsetof(struct type, member), \
			sizeof(((struct type *)0)->member)        \
	}
#define V(name)                                 \
	{                                       \
#name, (unsigned long)(name), 0 \
	}
#define S(type)                               \
	{                                     \
#type, 0, sizeof(struct type) \
	}

const struct layout LAYOUTS[] = {
	S(ibv_sge),
	M(ibv_sge, addr),
	M(ibv_sge, length),
	M(ibv_sge, lkey),
	S(ibv_data_buf),
	M(ibv_data_buf, addr),
	M(ibv_data_buf, length),
	S(mlx5_wqe_ctrl_seg),
	M(mlx5_wqe_ctrl_seg, opmod_idx_opcode),
	M(mlx5_wqe_ctrl_seg, qpn_ds),
	M(mlx5_wqe_ctrl_seg, signature),
	M(mlx5_wqe_ctrl_seg, dci_stream_channel_id),
	M(mlx5_wqe_ctrl_seg, fm_ce_se),
	M(mlx5_wqe_ctrl_seg, imm),
	S(mlx5_wqe_data_seg),
	M(mlx5_wqe_data_seg, byte_count),
	M(mlx5_wqe_data_seg, lkey),
	M(mlx5_wqe_data_seg, addr),
	S(mlx5_wqe_inl_data_seg),
	M(mlx5_wqe_inl_data_seg, byte_count),
	S(mlx5_wqe_raddr_seg),
	M(mlx5_wqe_raddr_seg, raddr),
	M(mlx5_wqe_raddr_seg, rkey),
	M(mlx5_wqe_raddr_seg, reserved),
	S(mlx5_wqe_atomic_seg),
	M(mlx5_wqe_atomic_seg, swap_add),
	M(mlx5_wqe_atomic_seg, compare),
	S(mlx5_wqe_av),
	M(mlx5_wqe_av, key),
	M(mlx5_wqe_av, dqp_dct),
	M(mlx5_wqe_av, stat_rate_sl),
	M(mlx5_wqe_av, fl_mlid),
	M(mlx5_wqe_av, rlid),
	M(mlx5_wqe_av, rmac),
	M(mlx5_wqe_av, tclass),
	M(mlx5_wqe_av, hop_limit),
	M(mlx5_wqe_av, grh_gid_fl),
	M(mlx5_wqe_av, rgid),
	S(mlx5_cqe64),
	M(mlx5_cqe64, wqe_id),
	M(mlx5_cqe64, ml_path),
	M(mlx5_cqe64, slid),
	M(mlx5_cqe64, flags_rqpn),
	M(mlx5_cqe64, hds_ip_ext),
	M(mlx5_cqe64, l4_hdr_type_etc),
	M(mlx5_cqe64, vlan_info),
	M(mlx5_cqe64, srqn_uidx),
	M(mlx5_cqe64, imm_inval_pkey),
	M(mlx5_cqe64, app),
	M(mlx5_cqe64, app_op),
	M(mlx5_cqe64, app_info),
	M(mlx5_cqe64, byte_cnt),
	M(mlx5_cqe64, timestamp),
	M(mlx5_cqe64, sop_drop_qpn),
	M(mlx5_cqe64, wqe_counter),
	M(mlx5_cqe64, signature),
	M(mlx5_cqe64, op_own),
	S(mlx5_err_cqe),
	M(mlx5_err_cqe, srqn),
	M(mlx5_err_cqe, vendor_err_synd),
	M(mlx5_err_cqe, syndrome),
	M(mlx5_err_cqe, s_wqe_opcode_qpn),
	M(mlx5_err_cqe, wqe_counter),
	M(mlx5_err_cqe, signature),
	M(mlx5_err_cqe, op_own),
	V(MLX5_INLINE_SEG),
	V(MLX5_WQE_CTRL_CQ_UPDATE),
	V(MLX5_WQE_CTRL_SOLICITED),
	V(MLX5_WQE_CTRL_FENCE),
	V(MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE),
	V(MLX5_OPCODE_NOP),
	V(MLX5_OPCODE_SEND_INVAL),
	V(MLX5_OPCODE_RDMA_WRITE),
	V(MLX5_OPCODE_RDMA_WRITE_IMM),
	V(MLX5_OPCODE_SEND),
	V(MLX5_OPCODE_SEND_IMM),
	V(MLX5_OPCODE_RDMA_READ),
	V(MLX5_OPCODE_ATOMIC_CS),
	V(MLX5_OPCODE_ATOMIC_FA),
	V(MLX5_CQE_OWNER_MASK),
	V(MLX5_CQE_REQ),
	V(MLX5_CQE_SIG_ERR),
	V(MLX5_CQE_REQ_ERR),
	V(MLX5_CQE_RESP_ERR),
	V(MLX5_CQE_INVALID),
	V(MLX5_INLINE_SCATTER_32),
	V(MLX5_INLINE_SCATTER_64),
	V(MLX5_CQ_DB_REQ_NOT),
	V(MLX5_CQ_DB_REQ_NOT_SOL),
	V(EIO),
	V(ENOMEM),
	V(EINVAL),
	V(EMSGSIZE),
	V(ETIMEDOUT),
	{ 0, 0, 0 },
};
