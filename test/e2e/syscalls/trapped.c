/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "trapped.h"

#if defined(__x86_64__)

#define NUMBERS 16

static void (*on_call)(void);

/* The call from here is let pass. Returns the kernel's value. */
long passed(long number, const greg_t *args);
extern const char passed_end[];
__asm__(".text\n.globl passed\npassed:\n"
	"	movq %rdi, %rax\n"
	"	movq 40(%rsi), %r9\n"
	"	movq 32(%rsi), %r8\n"
	"	movq 24(%rsi), %r10\n"
	"	movq 16(%rsi), %rdx\n"
	"	movq (%rsi), %rdi\n"
	"	movq 8(%rsi), %rsi\n"
	"	syscall\n"
	".globl passed_end\npassed_end:\n"
	"	ret\n");

static void on_sigsys(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	greg_t args[] = {
		r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]
	};

	(void)sig;
	on_call();
	r[REG_RAX] = passed(info->si_syscall, args);
}

#define LOAD(member)	   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)
#define RETURN(what)	   BPF_STMT(BPF_RET | BPF_K, what)

/* One number, unless the call is from passed(). */
static void add(int number)
{
	uint64_t from = (uintptr_t)passed_end;
	struct sock_filter code[] = {
		LOAD(nr),
		IS(number, 0, 4),
		LOAD(instruction_pointer),
		IS(from, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, instruction_pointer) + 4),
		IS(from >> 32, 0, 1),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(SECCOMP_RET_TRAP),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

void trapped(const int *numbers, void (*came)(void))
{
	struct sigaction act = { .sa_sigaction = on_sigsys,
				 .sa_flags = SA_SIGINFO | SA_NODEFER };

	on_call = came;
	cr_assert_eq(sigaction(SIGSYS, &act, NULL), 0);
	cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	while (*numbers >= 0)
		add(*numbers++);
}

#else

void trapped(const int *numbers, void (*came)(void))
{
	(void)numbers, (void)came;
	cr_skip_test("calls are not trapped on this machine");
}

#endif
