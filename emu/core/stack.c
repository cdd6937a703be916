/* SPDX-License-Identifier: BSD-2-Clause */
/* A call on another stack. Where this is not implemented, it is a call on the own stack. */
#include "core/core.h"

void core_call_on(void *top, void (*fn)(void *), void *arg)
{
#if defined(__x86_64__)
	/* rbx is kept by what is called; all other registers may change (System V ABI, 3.2.1). */
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[fn]\n\t"
			 "movq %%rbx, %%rsp"
			 : [top] "+r"(top), [fn] "+r"(fn), "+D"(arg)
			 :
			 : "rbx", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0",
			   "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
			   "memory", "cc");
#else
	(void)top;
	fn(arg);
#endif
}
