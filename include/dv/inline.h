/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the functions of these headers are declared. There are two ways:
 *
 *	DV_INLINE        what executes once per WQE or CQE, and the helpers of such functions. Always
 *	                 inlined: arguments that are constants fold, the fields of a queue stay in
 *	                 registers, and a post contains no call.
 *	static inline    the rest: what executes once per batch of receives, per queue or per event.
 *	                 The compiler decides.
 *
 * Names that end in an underscore are not API: they are what the functions of these headers are
 * made of, and may change.
 */
#ifndef DV_INLINE_H
#define DV_INLINE_H

/* CUDA and HIP: for both passes. */
#if defined(__CUDACC__) && !defined(__clang__)
#define DV_INLINE static __forceinline__ __host__ __device__
#elif defined(__CUDA__) || defined(__HIP__)
#define DV_INLINE static inline __attribute__((always_inline, host, device))
#else
#define DV_INLINE static inline __attribute__((always_inline))
#endif

#endif
