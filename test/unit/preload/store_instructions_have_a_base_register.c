/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions as an assembler writes them, and the register that their address begins with. */
#include <criterion/criterion.h>
#include <string.h>

#include "preload/store_insn.h"

enum {
	RAX,
	RCX,
	RDX,
	RBX,
	RSP,
	RBP,
	RSI,
	RDI,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
	NONE = -1
};

static const struct {
	const char *text;
	uint8_t bytes[12];
	int base;
} insns[] = {
	{ "mov %rax,0x800(%rdx)", "\x48\x89\x82\x00\x08\x00\x00", RDX },
	{ "mov %rax,(%rcx)", "\x48\x89\x01", RCX },
	{ "mov %eax,0x20(%rdi)", "\x89\x47\x20", RDI },
	{ "mov %ax,0x20(%rdi)", "\x66\x89\x47\x20", RDI },
	{ "mov %r9,(%r8)", "\x4d\x89\x08", R8 },
	{ "mov %rax,0x8(%r13)", "\x49\x89\x45\x08", R13 },
	{ "mov %rax,(%r12)", "\x49\x89\x04\x24", R12 },
	{ "mov %rax,(%rdx,%rcx,8)", "\x48\x89\x04\xca", RDX },
	{ "mov %rax,(%rdx,%r10,1)", "\x4a\x89\x04\x12", RDX },
	{ "mov %rax,0x8(%rbp,%r12,1)", "\x4a\x89\x44\x25\x08", RBP },
	{ "mov %rax,(%r10,%r11,1)", "\x4b\x89\x04\x1a", R10 },
	{ "movq $0x1,(%rax)", "\x48\xc7\x00\x01\x00\x00\x00", RAX },
	{ "movb $0x1,(%rsi)", "\xc6\x06\x01", RSI },
	{ "mov %al,(%rdx)", "\x88\x02", RDX },
	{ "movbe %rax,(%rbx)", "\x48\x0f\x38\xf1\x03", RBX },
	{ "movnti %rax,0x8(%rdx)", "\x48\x0f\xc3\x42\x08", RDX },
	{ "movdiri %rax,(%rdx)", "\x48\x0f\x38\xf9\x02", RDX },
	{ "movq %xmm0,(%rax)", "\x66\x0f\xd6\x00", RAX },
	{ "movq %xmm0,(%rax), the other form", "\x66\x48\x0f\x7e\x00", RAX },
	{ "movups %xmm0,(%rdi)", "\x0f\x11\x07", RDI },
	{ "movaps %xmm1,0x10(%rdi)", "\x0f\x29\x4f\x10", RDI },
	{ "movntps %xmm1,0x10(%rdi)", "\x0f\x2b\x4f\x10", RDI },
	{ "movntdq %xmm0,(%r9)", "\x66\x41\x0f\xe7\x01", R9 },
	{ "movdqu %xmm0,(%rdx)", "\xf3\x0f\x7f\x02", RDX },
	{ "movdqa %xmm8,(%rdx)", "\x66\x44\x0f\x7f\x02", RDX },
	{ "vmovdqu %ymm0,(%rdi)", "\xc5\xfe\x7f\x07", RDI },
	{ "vmovdqu %ymm8,(%rdi)", "\xc5\x7e\x7f\x07", RDI },
	{ "vmovdqu %ymm0,(%r9)", "\xc4\xc1\x7e\x7f\x01", R9 },
	{ "vmovntdq %ymm0,(%rdx,%r9,1)", "\xc4\xa1\x7d\xe7\x04\x0a", RDX },
	{ "vmovdqu64 %zmm0,(%rsi)", "\x62\xf1\xfe\x48\x7f\x06", RSI },
	{ "vmovdqu64 %zmm16,(%r15)", "\x62\xc1\xfe\x48\x7f\x07", R15 },
	/* loads, and what reads what it writes */
	{ "mov (%rdx),%rax", "\x48\x8b\x02", NONE },
	{ "add %rax,(%rdx)", "\x48\x01\x02", NONE },
	{ "xchg %rax,(%rdx)", "\x48\x87\x02", NONE },
	{ "lock orl $0x0,(%rdx)", "\xf0\x83\x0a\x00", NONE },
	{ "vmovdqu (%rdi),%ymm0", "\xc5\xfe\x6f\x07", NONE },
	{ "movnti with VEX, no instruction", "\xc5\xf8\xc3\x02", NONE },
	{ "movbe with VEX, no instruction", "\xc4\xe2\x78\xf1\x02", NONE },
	{ "crc32l (%rdx),%eax", "\xf2\x0f\x38\xf1\x02", NONE },
	{ "rep movsq", "\xf3\x48\xa5", NONE },
	{ "call *(%rdx)", "\xff\x12", NONE },
	/* the address is not in a register, or in one that may not change */
	{ "mov %rax,%rdx", "\x48\x89\xc2", NONE },
	{ "mov %rax,0x800(%rip)", "\x48\x89\x05\x00\x08\x00\x00", NONE },
	{ "mov %rax,0x800", "\x48\x89\x04\x25\x00\x08\x00\x00", NONE },
	{ "mov %rax,(%rsp)", "\x48\x89\x04\x24", NONE },
	{ "mov %rax,(%rax)", "\x48\x89\x00", NONE },
	{ "mov %r8,(%r8)", "\x4d\x89\x00", NONE },
	{ "mov %rax,(%rdx,%rdx,1)", "\x48\x89\x04\x12", NONE },
	{ "mov %rax,%fs:(%rdx)", "\x64\x48\x89\x02", NONE },
	{ "mov %rax,(%edx)", "\x67\x48\x89\x02", NONE },
};

Test(stores, have_a_base_register)
{
	for (size_t i = 0; i < sizeof(insns) / sizeof(insns[0]); i++) {
		uint8_t code[16] = { 0 };
		int base;

		memcpy(code, insns[i].bytes, sizeof(insns[i].bytes));
		base = store_base(code);
		cr_expect_eq(base, insns[i].base, "%s: %d and not %d", insns[i].text, base,
			     insns[i].base);
	}
}
