/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of which the number of instructions, calls and repetitions is known; the status of a
 * program that is walked is its own. */
#include <criterion/criterion.h>

#include <signal.h>
#include <unistd.h>

#include "machine/machine.h"

static volatile sig_atomic_t handled;

static void note(int sig)
{
	handled = sig;
}

static int ends(void)
{
	signal(SIGUSR1, note);
	raise(SIGUSR1);
	_exit(handled == SIGUSR1 ? 7 : 0);
}

static int is_killed(void)
{
	return raise(SIGKILL);
}

Test(steps, leave_status_and_signals)
{
	cr_expect_eq(step_run(ends), 7);
	cr_expect_eq(step_run(is_killed), 1);
}

#if defined(__x86_64__)
/* Intel SDM, volume 2: E8 and FF /2 call, FF /4 jumps, FF /0 and /1 count, FF /6 pushes; with
 * any REX prefix. */
void code_empty(void), code_near(void), code_register(void), code_prefixed(void),
	code_others(void), code_loop(void), code_repeated(void);

__asm__(".text\n"
	"code_empty: ret\n"
	"code_near: call code_empty; .byte 0x48; call code_empty; ret\n"
	"code_register: lea code_empty(%rip), %rax; call *%rax; ret\n"
	"code_prefixed: lea code_empty(%rip), %r8; call *%r8; ret\n"
	"code_others: lea 1f(%rip), %rax; jmp *%rax; 1: lea 1f(%rip), %r8; jmp *%r8; 1: "
	"push %rax; incl (%rsp); decl (%rsp); push (%rsp); pop %rax; pop %rax; ret\n"
	"code_loop: mov $9, %ecx; 1: call code_empty; dec %ecx; jnz 1b; ret\n"
	"code_repeated: sub $136, %rsp; lea (%rsp), %rdi; mov $7, %ecx; xor %eax, %eax; "
	"rep stosb; add $136, %rsp; ret\n");

static const struct {
	const char *name;
	void (*code)(void);
	struct step_count more; /* than empty code: instructions, calls, repeats */
} rows[] = {
	{ "near", code_near, { 4, 2, 0 } },
	{ "through a register", code_register, { 3, 1, 0 } },
	{ "through a register with a prefix", code_prefixed, { 3, 1, 0 } },
	{ "others", code_others, { 10, 0, 0 } },
	{ "in a loop", code_loop, { 1 + 9 * 4, 9, 0 } },
	{ "repeated", code_repeated, { 5 + 7, 0, 6 } },
};

static struct step_count count_of(void (*code)(void))
{
	STEP_BEGIN();
	code();
	STEP_END();
	return step_count();
}

/* 0; 99: it cannot be walked; the first row that is wrong. */
static int walk_all(void)
{
	struct step_count empty;

	if (!step_possible)
		_exit(99);
	empty = count_of(code_empty);
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct step_count n = count_of(rows[i].code);

		if (n.instructions - empty.instructions != rows[i].more.instructions ||
		    n.calls - empty.calls != rows[i].more.calls ||
		    n.repeats - empty.repeats != rows[i].more.repeats)
			_exit((int)i + 1);
	}
	_exit(empty.calls == 1 && !empty.repeats ? 0 : 98);
}

Test(steps, of_known_code)
{
	int status = step_run(walk_all);

	if (status == 99)
		cr_skip_test("ptrace is forbidden");
	cr_expect_eq(status, 0, "%d: %s", status,
		     status < 98 ? rows[status - 1].name : "empty");
}
#endif
