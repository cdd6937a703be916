/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The signal handlers, which handle one store at a time. In between, from the fault to the
 * step, the thread holds a lock, since our page is one for all, and no other signal is
 * delivered to it.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "options/options.h"
#include "preload/boot.h"
#include "preload/environment.h"
#include "preload/signals.h"
#include "preload/store_insn.h"
#include "preload/watch.h"

#if defined(__x86_64__)

#define STORE	      64u /* bytes, at most */
#define TRIAL	      UINT32_MAX
#define TF	      0x100 /* of the flags: one step */
#define KERNEL_SIGSET 8	    /* bytes of a signal mask in the frame */

static bool wanted;
static atomic_bool on;
static atomic_uint delivering;
static uint8_t scratch[2 * HCA_PAGE_SIZE] __attribute__((aligned(HCA_PAGE_SIZE)));

/* The store that is being stepped over; of the thread that holds step_lock. */
static atomic_flag step_lock = ATOMIC_FLAG_INIT;
static struct {
	const struct uar_page *page;
	int reg; /* in gregs */
	intptr_t moved;
	uint16_t offset;
	bool traced; /* the program steps itself */
	uint8_t before[STORE], mask[KERNEL_SIGSET];
} step;
static __thread bool stepping __attribute__((tls_model("initial-exec")));
static sigset_t most;	    /* blocked meanwhile */
static uint8_t fill[STORE]; /* the bytes of our page before a store; no run of one value */
static struct engine_store trial;

/* Before the program blocks anything, or has threads. The process may have been started with
 * the two signals blocked. */
__attribute__((constructor)) static void read_wish(void)
{
	const uint64_t two = 1ull << (SIGSEGV - 1) | 1ull << (SIGTRAP - 1);
	const char *text = environment_options();
	struct options o;
	char why[64];

	wanted = text && options_parse(&o, text, why, sizeof(why)) && o.check &&
		 !o.poll_doorbells;
	if (wanted)
		core_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &two, NULL, sizeof(two));
}

bool watch_wanted(void)
{
	return wanted;
}

bool watch_on(void)
{
	return atomic_load_explicit(&on, memory_order_relaxed);
}

/* ---- a store ---- */

static int greg_of(int base)
{
	static const uint8_t gregs[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					   REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
					   REG_R12, REG_R13, REG_R14, REG_R15 };

	return gregs[base];
}

static void lock_step(void)
{
	while (atomic_flag_test_and_set(&step_lock))
		sched_yield();
}

static bool give_up(struct uar_page *m)
{
	if (uar_pages_open(m))
		return true;
	boot_complain("check: a page of doorbell registers cannot be made writable: %s; "
		      "try --poll-doorbells",
		      strerror(errno));
	return false;
}

/* Moves the address of the store to our page. False: the store cannot be executed. */
static bool begin(void *ucontext, struct uar_page *m, uintptr_t at)
{
	ucontext_t *uc = ucontext;
	greg_t *regs = uc->uc_mcontext.gregs;
	int base = store_base((const uint8_t *)regs[REG_RIP]);

	if (base < 0 || atomic_load(&m->open))
		return give_up(m);
	pthread_sigmask(SIG_SETMASK, &most, NULL);
	lock_step();
	step.page = m;
	step.reg = greg_of(base);
	step.offset = at % HCA_PAGE_SIZE;
	step.moved = (intptr_t)scratch - (intptr_t)(at - step.offset);
	step.traced = regs[REG_EFL] & TF;
	memcpy(scratch + step.offset, fill, STORE);
	memcpy(step.mask, &uc->uc_sigmask, KERNEL_SIGSET);
	memcpy(&uc->uc_sigmask, &most, KERNEL_SIGSET);
	regs[step.reg] += step.moved;
	regs[REG_EFL] |= TF;
	stepping = true;
	return true;
}

static void undo(void *ucontext)
{
	ucontext_t *uc = ucontext;
	greg_t *regs = uc->uc_mcontext.gregs;

	regs[step.reg] -= step.moved;
	if (!step.traced)
		regs[REG_EFL] &= ~TF;
	memcpy(&uc->uc_sigmask, step.mask, KERNEL_SIGSET);
	stepping = false;
}

/* Stores are of 1, 2, 4 … 64 bytes. A store looks shorter only if all of its second half are
 * the bytes that were there before. */
static uint8_t stored(void)
{
	uint8_t n = STORE, size = 1;

	while (n > 1 && scratch[step.offset + n - 1] == fill[n - 1])
		n--;
	while (size < n)
		size *= 2;
	return size;
}

static void deliver(const struct engine_store *s, unsigned int function)
{
	struct boot *b;

	if (s->uar == TRIAL) {
		trial = *s;
		return;
	}
	atomic_fetch_add(&delivering, 1);
	b = watch_on() ? boot_running(function) : NULL;
	if (b)
		engine_store(b->engine, s);
	atomic_fetch_sub(&delivering, 1);
}

bool watch_fault(int sig, const siginfo_t *info, void *ucontext)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	struct uar_page *m = NULL;

	if (stepping) { /* the store has another operand, which is not mapped */
		undo(ucontext);
		atomic_flag_clear(&step_lock);
	} else if (watch_on() && sig == SIGSEGV && info->si_code == SEGV_ACCERR) {
		m = uar_pages_find(at);
	}
	return m && begin(ucontext, m, at);
}

bool watch_step(void *ucontext)
{
	struct engine_store s = { 0 };
	unsigned int function;
	bool traced;

	if (!stepping)
		return false;
	traced = step.traced;
	s.uar = step.page->uar;
	function = step.page->function;
	s.offset = step.offset;
	s.thread = gettid();
	s.len = stored();
	memcpy(s.bytes, scratch + step.offset, s.len);
	undo(ucontext);
	atomic_flag_clear(&step_lock);
	deliver(&s, function);
	return !traced;
}

/* ---- on and off ---- */

static void not_stepped(void)
{
	sigset_t mask;

	sigemptyset(&mask);
	memcpy(&mask, step.mask, sizeof(step.mask));
	stepping = false;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	atomic_flag_clear(&step_lock);
}

/* One store to a private page: does stepping work here? It does not under valgrind. */
static bool try_it(void)
{
	void *page = mmap(NULL, HCA_PAGE_SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t value = 0x0123456789abcdef;
	uint8_t *at = page;

	if (page == MAP_FAILED || !uar_pages_add(page, HCA_PAGE_SIZE, TRIAL, 0))
		return false;
	memset(&trial, 0, sizeof(trial));
	__asm__ volatile("movq %1, 0x800(%0)" : "+r"(at) : "r"(value) : "memory");
	if (stepping)
		not_stepped();
	uar_pages_remove(page, HCA_PAGE_SIZE);
	munmap(page, HCA_PAGE_SIZE);
	return at == page && trial.offset == 0x800 && trial.len == sizeof(value) &&
	       !memcmp(trial.bytes, &value, sizeof(value));
}

bool watch_start(void)
{
	sigfillset(&most);
	sigdelset(&most, SIGSEGV);
	sigdelset(&most, SIGBUS);
	sigdelset(&most, SIGTRAP);
	for (unsigned int i = 0; i < STORE; i++)
		fill[i] = (uint8_t)((i + 1) * 0x9d ^ 0x5a);
	if (!wanted || !signals_start_traps())
		return false;
	signals_open_masks();
	atomic_store(&on, true);
	if (try_it())
		return true;
	atomic_store(&on, false);
	return false;
}

void watch_stop(void)
{
	if (!atomic_exchange(&on, false))
		return;
	uar_pages_open_all();
	while (atomic_load(&delivering))
		sched_yield();
}

void watch_fork_child(void)
{
	atomic_store(&delivering, 0);
	atomic_flag_clear(&step_lock);
	if (atomic_exchange(&on, false))
		uar_pages_open_all();
}

#else

bool watch_wanted(void)
{
	return false;
}

bool watch_on(void)
{
	return false;
}

bool watch_fault(int sig, const siginfo_t *info, void *ucontext)
{
	(void)sig, (void)info, (void)ucontext;
	return false;
}

bool watch_step(void *ucontext)
{
	(void)ucontext;
	return false;
}

bool watch_start(void)
{
	return false;
}

void watch_stop(void)
{
}

void watch_fork_child(void)
{
}

#endif
