/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names that the data path takes from libc and from rdma-core's headers. In a program of a
 * hosted CPU these are included. Code without them gets builtins of the compiler and the
 * layouts of the adapter from here:
 *
 *	-ffreestanding, or DV_FREESTANDING	of any target: kernels of a GPU, OpenCL C
 *	CUDA, HIP				hosted: both passes read the headers of the host
 *
 * Which headers can be used so: post.h and all that it includes, cq.h, many.h. The layouts are
 * those of rdma-core's mlx5dv.h; test/device compares each member.
 */
#ifndef DV_PORT_H
#define DV_PORT_H

#if defined(__STDC_HOSTED__) && !__STDC_HOSTED__ && !defined(DV_FREESTANDING)
#define DV_FREESTANDING
#endif

#ifndef DV_FREESTANDING
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <infiniband/mlx5dv.h>
#else
#include <dv/freestanding.h>
#endif

/* @p, said to be a multiple of @n bytes. */
#ifdef __OPENCL_C_VERSION__ /* its builtin has no pointers of OpenCL C */
#define dv_aligned_(p, n) (p)
#else
#define dv_aligned_(p, n) __builtin_assume_aligned(p, n)
#endif

/* libc's are functions of the host, or are not there. */
#if defined(DV_FREESTANDING) || defined(__CUDACC__) || defined(__CUDA__) || defined(__HIP__)
#undef htobe16
#undef htobe32
#undef htobe64
#undef be16toh
#undef be32toh
#undef be64toh
#if defined(__NVCC__) && !defined(__clang__) /* its builtins are functions of the host, too */
#define dv_swap16_(v) ((uint16_t)((uint16_t)(v) >> 8 | (uint16_t)(v) << 8))
static __host__ __device__ inline uint32_t dv_swap32_(uint32_t v)
{
	return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}
static __host__ __device__ inline uint64_t dv_swap64_(uint64_t v)
{
	return (uint64_t)dv_swap32_((uint32_t)v) << 32 | dv_swap32_((uint32_t)(v >> 32));
}
#else
#define dv_swap16_(v) __builtin_bswap16(v)
#define dv_swap32_(v) __builtin_bswap32(v)
#define dv_swap64_(v) __builtin_bswap64(v)
#endif
#define htobe16(v) dv_swap16_(v)
#define htobe32(v) dv_swap32_(v)
#define htobe64(v) dv_swap64_(v)
#define be16toh(v) dv_swap16_(v)
#define be32toh(v) dv_swap32_(v)
#define be64toh(v) dv_swap64_(v)
#endif

#endif
