/* SPDX-License-Identifier: BSD-2-Clause */
/* The components, where the processor and the kernel have put them. */
#include "preload/store_vector.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <string.h>

#define XMM	     16u
#define YMM	     32u
#define ZMM	     64u
#define REGISTERS    16u
#define SW_BYTES     464	/* struct _fpx_sw_bytes of the kernel, asm/sigcontext.h */
#define MAGIC	     0x46505853 /* FP_XSTATE_MAGIC1 */
#define SW_FEATURES  8		/* _fpx_sw_bytes.xfeatures */
#define XSTATE_BV    512
#define CPUID_XSTATE 0xd

enum component { SSE = 1, AVX = 2, ZMM_HI256 = 6, HI16_ZMM = 7 };

static const uint8_t *area_of(const ucontext_t *uc)
{
	return (const uint8_t *)uc->uc_mcontext.fpregs;
}

static uint64_t quad(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Is there more than FXSAVE, with @c? */
static bool is_saved(const ucontext_t *uc, enum component c)
{
	const uint8_t *sw = area_of(uc) + SW_BYTES;
	uint32_t magic;

	memcpy(&magic, sw, sizeof(magic));
	return magic == MAGIC && quad(sw + SW_FEATURES) >> c & 1;
}

/* @len bytes at @off of component @c. */
static bool get(const ucontext_t *uc, enum component c, unsigned int off, unsigned int len,
		uint8_t *bytes)
{
	unsigned int size, at, unused1, unused2;

	if (!is_saved(uc, c) ||
	    !__get_cpuid_count(CPUID_XSTATE, c, &size, &at, &unused1, &unused2) ||
	    off + len > size)
		return false;
	if (quad(area_of(uc) + XSTATE_BV) >> c & 1)
		memcpy(bytes, area_of(uc) + at + off, len);
	else
		memset(bytes, 0, len);
	return true;
}

bool store_vector_get(const ucontext_t *uc, unsigned int n, unsigned int len, uint8_t *bytes)
{
	if (n >= REGISTERS)
		return get(uc, HI16_ZMM, (n - REGISTERS) * ZMM, len, bytes);
	memcpy(bytes, &uc->uc_mcontext.fpregs->_xmm[n], XMM);
	if (len > XMM && !get(uc, AVX, n * XMM, XMM, bytes + XMM))
		return false;
	return len <= YMM || get(uc, ZMM_HI256, n * YMM, YMM, bytes + YMM);
}

/* A register that was all zero may be marked as such. */
void store_vector_set(ucontext_t *uc, unsigned int n, const uint8_t *bytes)
{
	uint8_t *bv = (uint8_t *)uc->uc_mcontext.fpregs + XSTATE_BV;

	memcpy(&uc->uc_mcontext.fpregs->_xmm[n], bytes, XMM);
	if (uc->uc_flags & 1) /* UC_FP_XSTATE */
		*bv |= 1 << SSE;
}

#endif
