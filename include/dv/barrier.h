/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Barriers, named by their use. The device reads and writes the same memory as the CPU; each
 * sees the stores of the other in an order that CPU and compiler choose unless a barrier
 * prevents it. Each function below orders exactly two things:
 *
 *	we write      WQE ----1----> doorbell record ----2----> register ----3----> (bus)
 *	we read       owner bit ----4----> rest of the CQE ----5----> consumer record
 *
 * x86-64 keeps stores to normal memory in order, and loads too: 1, 4 and 5 only hold the
 * compiler. The register page is mapped write-combining: stores to it may pass earlier ones
 * and may linger in the CPU, so 2 and 3 are real (sfence). lfence is never needed.
 * aarch64 orders nothing by itself, and the device is in the outer-shareable domain.
 *
 * Other sources: Intel SDM volume 3, "Memory Ordering"; Arm ARM, "Memory barriers";
 * rdma-core's util/udma_barrier.h explains the same needs at more length.
 */
#ifndef DV_BARRIER_H
#define DV_BARRIER_H

#include <dv/inline.h>

/* A GPU orders nothing by itself either, and needs a fence of a scope that reaches the reader:
 * by default the system, for rings in memory of the host; DV_SCOPE_DEVICE: the GPU itself, for
 * rings in its memory, as NVIDIA/gpunetio, NVSHMEM and UCX have it. This comes first: the
 * device pass of a CUDA compilation defines __x86_64__ too. */
#if defined(__NVPTX__) || defined(__CUDA_ARCH__)
#ifdef DV_SCOPE_DEVICE
#define DV_BARRIER_FENCE() __asm__ volatile("fence.acq_rel.gpu;" ::: "memory")
#else
#define DV_BARRIER_FENCE() __asm__ volatile("fence.acq_rel.sys;" ::: "memory")
#endif
#define DV_BARRIER_TO_DEVICE()	 DV_BARRIER_FENCE()
#define DV_BARRIER_FROM_DEVICE() DV_BARRIER_FENCE()
#define DV_BARRIER_MMIO()	 DV_BARRIER_FENCE()
#elif defined(__AMDGCN__)
#ifdef DV_SCOPE_DEVICE
#define DV_BARRIER_SCOPE "agent"
#else
#define DV_BARRIER_SCOPE "" /* the system */
#endif
#define DV_BARRIER_TO_DEVICE()	 __builtin_amdgcn_fence(__ATOMIC_RELEASE, DV_BARRIER_SCOPE)
#define DV_BARRIER_FROM_DEVICE() __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, DV_BARRIER_SCOPE)
#define DV_BARRIER_MMIO()	 DV_BARRIER_TO_DEVICE()
#elif defined(__SPIR__) || defined(__SPIRV__)
#define DV_BARRIER_TO_DEVICE()	 __atomic_thread_fence(__ATOMIC_RELEASE)
#define DV_BARRIER_FROM_DEVICE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define DV_BARRIER_MMIO()	 DV_BARRIER_TO_DEVICE()
#elif defined(__x86_64__)
#define DV_BARRIER_COMPILER()	 __asm__ volatile("" ::: "memory")
#define DV_BARRIER_TO_DEVICE()	 DV_BARRIER_COMPILER()
#define DV_BARRIER_FROM_DEVICE() DV_BARRIER_COMPILER()
#define DV_BARRIER_MMIO()	 __asm__ volatile("sfence" ::: "memory")
#elif defined(__aarch64__)
#define DV_BARRIER_TO_DEVICE()	 __asm__ volatile("dmb oshst" ::: "memory")
#define DV_BARRIER_FROM_DEVICE() __asm__ volatile("dmb oshld" ::: "memory")
#define DV_BARRIER_MMIO()	 __asm__ volatile("dsb st" ::: "memory")
#else
#error "dv knows the barriers of x86-64, aarch64, NVPTX and AMDGCN"
#endif

/* 1: the WQEs before the record that says they are there. */
DV_INLINE void dv_barrier_wqe_before_dbrec(void)
{
	DV_BARRIER_TO_DEVICE();
}

/* 2: the record before the register, whose write makes the device read the record. */
DV_INLINE void dv_barrier_dbrec_before_bf_reg(void)
{
	DV_BARRIER_MMIO();
}

/* 2 where the register is not write-combining (NC): its stores pass nothing on x86-64. */
DV_INLINE void dv_barrier_dbrec_before_nc_reg(void)
{
	DV_BARRIER_TO_DEVICE();
}

/* 3: the register write out of the CPU's write-combining buffer, before the next one. */
DV_INLINE void dv_barrier_bf_reg_flush(void)
{
	DV_BARRIER_MMIO();
}

/* 4: the owner bit before every other field of the CQE. */
DV_INLINE void dv_barrier_owner_before_cqe(void)
{
	DV_BARRIER_FROM_DEVICE();
}

/* 5: our last read of a CQE before the record that gives its slot back. */
DV_INLINE void dv_barrier_cqe_before_dbrec(void)
{
	DV_BARRIER_FROM_DEVICE();
}

#endif
