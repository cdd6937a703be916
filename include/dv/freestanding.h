/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For port.h: the part of libc and rdma-core that the data path uses, for code of a GPU and for
 * -ffreestanding, where neither is. Names and layouts are those of <infiniband/mlx5dv.h> and
 * <infiniband/verbs.h>; test/device/layouts.c compares all members and values.
 */
#ifndef DV_FREESTANDING_H
#define DV_FREESTANDING_H

#ifdef DV_FREESTANDING /* port.h; otherwise nothing of this is needed */

#ifdef __OPENCL_C_VERSION__
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef short int16_t;
typedef uint uint32_t;
typedef int int32_t;
typedef ulong uint64_t;
typedef long int64_t;
#define offsetof(type, member) __builtin_offsetof(type, member)
#define UINT32_MAX	       0xffffffffu
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif

#define memcpy(to, from, n) __builtin_memcpy(to, from, n)
#define memset(to, byte, n) __builtin_memset(to, byte, n)

/* Linux, asm-generic/errno*.h */
enum {
	EIO = 5,
	ENOMEM = 12,
	EINVAL = 22,
	EMSGSIZE = 90,
	ETIMEDOUT = 110,
};

typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint64_t __be64;

struct mlx5dv_cq; /* of functions of the library, which is not there */

struct ibv_sge {
	uint64_t addr;
	uint32_t length, lkey;
};

struct ibv_data_buf {
	void *addr;
	size_t length;
};

/* ---- WQEs ---- */

struct mlx5_wqe_ctrl_seg {
	__be32 opmod_idx_opcode, qpn_ds;
	uint8_t signature;
	__be16 dci_stream_channel_id;
	uint8_t fm_ce_se;
	__be32 imm;
} __attribute__((packed, aligned(4)));

struct mlx5_wqe_data_seg {
	__be32 byte_count, lkey;
	__be64 addr;
};

struct mlx5_wqe_inl_data_seg {
	uint32_t byte_count;
};

struct mlx5_wqe_raddr_seg {
	__be64 raddr;
	__be32 rkey, reserved;
};

struct mlx5_wqe_atomic_seg {
	__be64 swap_add, compare;
};

struct mlx5_wqe_av {
	union {
		struct {
			__be32 qkey, reserved;
		} qkey;
		__be64 dc_key;
	} key;
	__be32 dqp_dct;
	uint8_t stat_rate_sl, fl_mlid;
	__be16 rlid;
	uint8_t reserved0[4];
	uint8_t rmac[6];
	uint8_t tclass, hop_limit;
	__be32 grh_gid_fl;
	uint8_t rgid[16];
};

enum {
	MLX5_INLINE_SEG = 0x80000000,
	MLX5_WQE_CTRL_CQ_UPDATE = 2 << 2,
	MLX5_WQE_CTRL_SOLICITED = 1 << 1,
	MLX5_WQE_CTRL_FENCE = 4 << 5,
	MLX5_WQE_CTRL_INITIATOR_SMALL_FENCE = 1 << 5,

	MLX5_OPCODE_NOP = 0x00,
	MLX5_OPCODE_SEND_INVAL = 0x01,
	MLX5_OPCODE_RDMA_WRITE = 0x08,
	MLX5_OPCODE_RDMA_WRITE_IMM = 0x09,
	MLX5_OPCODE_SEND = 0x0a,
	MLX5_OPCODE_SEND_IMM = 0x0b,
	MLX5_OPCODE_RDMA_READ = 0x10,
	MLX5_OPCODE_ATOMIC_CS = 0x11,
	MLX5_OPCODE_ATOMIC_FA = 0x12,
};

/* ---- CQEs ---- */

struct mlx5_cqe64 {
	uint8_t rsvd0[2];
	__be16 wqe_id;
	uint8_t rsvd4[13], ml_path, rsvd20[4];
	__be16 slid;
	__be32 flags_rqpn;
	uint8_t hds_ip_ext, l4_hdr_type_etc;
	__be16 vlan_info;
	__be32 srqn_uidx, imm_inval_pkey;
	uint8_t app, app_op;
	__be16 app_info;
	__be32 byte_cnt;
	__be64 timestamp;
	__be32 sop_drop_qpn;
	__be16 wqe_counter;
	uint8_t signature, op_own;
};

struct mlx5_err_cqe {
	uint8_t rsvd0[32];
	uint32_t srqn;
	uint8_t rsvd1[18], vendor_err_synd, syndrome;
	uint32_t s_wqe_opcode_qpn;
	uint16_t wqe_counter;
	uint8_t signature, op_own;
};

enum {
	MLX5_CQE_OWNER_MASK = 1,
	MLX5_CQE_REQ = 0,
	MLX5_CQE_SIG_ERR = 12,
	MLX5_CQE_REQ_ERR = 13,
	MLX5_CQE_RESP_ERR = 14,
	MLX5_CQE_INVALID = 15,
	MLX5_INLINE_SCATTER_32 = 4,
	MLX5_INLINE_SCATTER_64 = 8,
	MLX5_CQ_DB_REQ_NOT = 0 << 24,
	MLX5_CQ_DB_REQ_NOT_SOL = 1 << 24,
};

#endif /* DV_FREESTANDING */

#endif
