/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The routines that may fault. All of them are leaf functions without a frame and return in one
 * register, so after a fault in any of them the handler continues at "return 0".
 *
 *	begin … copy … fetch32 … store16 … end: return 0
 */
#include <endian.h>
#include <ucontext.h>

#include "core/core.h"

#if defined(__x86_64__) || defined(__aarch64__)
#define DIRECT 1
#else
#define DIRECT 0
#endif

#define HIDDEN __attribute__((visibility("hidden")))
/* clang-format off */
#define ROUTINE(name)                                                         \
	".balign 16\n"                                                        \
	".globl " #name "\n.hidden " #name "\n.type " #name ", %function\n"   \
	#name ":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " #name ", .-" #name "\n"

static atomic_bool handled;

#if DIRECT
HIDDEN int core_fault_copy(void *dst, const void *src, size_t len);
HIDDEN int core_fault_fetch32(uint32_t *dst, uint64_t va);
HIDDEN int core_fault_store16(uint64_t va, uint16_t value);
HIDDEN int core_fault_end(void);
#endif

/* Words of 8 bytes first: an aligned one is moved whole. Many bytes by the processor's own
 * loop. */
#if defined(__x86_64__)
__asm__(".text\n" ROUTINE(core_fault_copy)
	"	cmpq $256, %rdx\n"
	"	jae 4f\n"
	"	subq $32, %rdx\n"
	"	jb 1f\n"
	"5:	movq (%rsi), %rax\n"
	"	movq 8(%rsi), %rcx\n"
	"	movq 16(%rsi), %r8\n"
	"	movq 24(%rsi), %r9\n"
	"	movq %rax, (%rdi)\n"
	"	movq %rcx, 8(%rdi)\n"
	"	movq %r8, 16(%rdi)\n"
	"	movq %r9, 24(%rdi)\n"
	"	addq $32, %rsi\n"
	"	addq $32, %rdi\n"
	"	subq $32, %rdx\n"
	"	jae 5b\n"
	"1:	addq $32, %rdx\n"
	"	jz 3f\n"
	"6:	subq $8, %rdx\n"
	"	jb 2f\n"
	"	movq (%rsi), %rax\n"
	"	movq %rax, (%rdi)\n"
	"	addq $8, %rsi\n"
	"	addq $8, %rdi\n"
	"	jmp 6b\n"
	"2:	testb $4, %dl\n"
	"	jz 7f\n"
	"	movl (%rsi), %eax\n"
	"	movl %eax, (%rdi)\n"
	"	addq $4, %rsi\n"
	"	addq $4, %rdi\n"
	"7:	andl $3, %edx\n"
	"	jz 3f\n"
	"8:	movb (%rsi), %al\n"
	"	movb %al, (%rdi)\n"
	"	incq %rsi\n"
	"	incq %rdi\n"
	"	decl %edx\n"
	"	jnz 8b\n"
	"	jmp 3f\n"
	"4:	movq %rdx, %rcx\n"
	"	rep movsb\n"
	"3:	movl $1, %eax\n"
	"	ret\n" END(core_fault_copy) ROUTINE(core_fault_fetch32)
	"	movl (%rsi), %eax\n"
	"	movl %eax, (%rdi)\n"
	"	movl $1, %eax\n"
	"	ret\n" END(core_fault_fetch32) ROUTINE(core_fault_store16)
	"	movw %si, (%rdi)\n"
	"	movl $1, %eax\n"
	"	ret\n" END(core_fault_store16) ROUTINE(core_fault_end)
	"	xorl %eax, %eax\n"
	"	ret\n" END(core_fault_end));
#elif defined(__aarch64__)
__asm__(".text\n" ROUTINE(core_fault_copy)
	"1:	cmp x2, #8\n"
	"	b.lo 2f\n"
	"	ldr x3, [x1], #8\n"
	"	str x3, [x0], #8\n"
	"	sub x2, x2, #8\n"
	"	b 1b\n"
	"2:	cbz x2, 3f\n"
	"	ldrb w3, [x1], #1\n"
	"	strb w3, [x0], #1\n"
	"	sub x2, x2, #1\n"
	"	b 2b\n"
	"3:	mov w0, #1\n"
	"	ret\n" END(core_fault_copy) ROUTINE(core_fault_fetch32)
	"	ldar w2, [x1]\n"
	"	str w2, [x0]\n"
	"	mov w0, #1\n"
	"	ret\n" END(core_fault_fetch32) ROUTINE(core_fault_store16)
	"	stlrh w1, [x0]\n"
	"	mov w0, #1\n"
	"	ret\n" END(core_fault_store16) ROUTINE(core_fault_end)
	"	mov w0, #0\n"
	"	ret\n" END(core_fault_end));
/* clang-format on */
#endif

void core_fault_handled(void)
{
	atomic_store(&handled, DIRECT);
}

bool core_fault_recover(void *ucontext)
{
#if DIRECT
	mcontext_t *m = &((ucontext_t *)ucontext)->uc_mcontext;
#if defined(__x86_64__)
	greg_t *pc = &m->gregs[REG_RIP];
#else
	__typeof__(m->pc) *pc = &m->pc;
#endif
	if ((uintptr_t)*pc < (uintptr_t)core_fault_copy ||
	    (uintptr_t)*pc >= (uintptr_t)core_fault_end)
		return false;
	*pc = (__typeof__(*pc))(uintptr_t)core_fault_end;
	return true;
#else
	(void)ucontext;
	return false;
#endif
}

static inline bool direct(void)
{
	return DIRECT && atomic_load_explicit(&handled, memory_order_relaxed);
}

#if !DIRECT
#define core_fault_copy(dst, src, len) 0
#define core_fault_fetch32(dst, va)    0
#define core_fault_store16(va, value)  0
#endif

/* The address at which @len bytes at @bus can be accessed directly; 0: they cannot. */
static inline __attribute__((always_inline)) uint64_t place(uint64_t bus, size_t len)
{
	uint64_t run, va = direct() ? core_bus_at(bus, len, &run) : 0;

	return va && run == len ? va : 0;
}

bool core_fetch(void *dst, uint64_t bus, size_t len)
{
	uint64_t va = place(bus, len);

	return (va && core_fault_copy(dst, (const void *)(uintptr_t)va, len)) ||
	       core_bus_read(dst, bus, len);
}

bool core_fault_load(void *dst, uintptr_t va, size_t len)
{
	return direct() && core_fault_copy(dst, (const void *)va, len);
}

bool core_store(uint64_t bus, const void *src, size_t len)
{
	uint64_t va = place(bus, len);

	return (va && core_fault_copy((void *)(uintptr_t)va, src, len)) ||
	       core_bus_write(bus, src, len);
}

bool core_fetch32(uint32_t *dst, uint64_t bus)
{
	uint64_t va = place(bus, sizeof(*dst));
	bool there =
		(va && core_fault_fetch32(dst, va)) || core_bus_read(dst, bus, sizeof(*dst));

	atomic_thread_fence(memory_order_acquire);
	return there;
}

bool core_store16(uint64_t bus, uint16_t value)
{
	uint64_t va = place(bus, sizeof(value));

	atomic_thread_fence(memory_order_release);
	return (va && core_fault_store16(va, value)) ||
	       core_bus_write(bus, &value, sizeof(value));
}
