/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random sequences of stores to a page, loads and moves: executed by the processor, and by store_run() where the
 * page is read-only. Afterwards page, registers and program counter are equal.
 *
 *	ud2		all registers get random values, two of them point to page and source
 *	loads		of 32 and 64 bytes, where the processor has such registers
 *	instructions
 *	ud2		the registers are recorded
 *	ret
 */
#include <criterion/criterion.h>

#if defined(__x86_64__)

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/store_run.h"

#define PAGE	  4096u
#define SEQUENCES 3000
#define LENGTH	  24
#define STORES	  64
#define REGS	  16
#define RSP	  4
#define LOADS	  6 /* of long vectors */

static const uint8_t gregs[REGS] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
				     REG_RSI, REG_RDI, REG_R8,	REG_R9,	 REG_R10, REG_R11,
				     REG_R12, REG_R13, REG_R14, REG_R15 };

struct state {
	greg_t reg[REGS], pc;
	struct _libc_xmmreg xmm[REGS];
};

static uint8_t *page, *alias, *code;
static uint8_t source[PAGE] __attribute__((aligned(PAGE)));
static struct state begin, end;
static greg_t saved[NGREG];
static bool began;
static unsigned int faults, unknown;
static uint32_t seed;
static size_t len; /* of the code */
static unsigned int base, from, index_reg;

static uint32_t any(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)seed * n) >> 32);
}

/* ---- the code ---- */

static void byte(unsigned int b)
{
	code[len++] = (uint8_t)b;
}

/* ModRM, SIB and displacement of @reg and [@pointer + @off], with an index of 0 in some. */
static void operand(unsigned int reg, unsigned int pointer, uint32_t off, bool indexed)
{
	bool wide = off > 127 || any(2);
	unsigned int mod = wide ? 2 : 1;

	if (indexed || (pointer & 7) == 4) {
		byte(mod << 6 | (reg & 7) << 3 | 4);
		byte(any(4) << 6 | (indexed ? (index_reg & 7) << 3 : 4 << 3) | (pointer & 7));
	} else {
		byte(mod << 6 | (reg & 7) << 3 | (pointer & 7));
	}
	byte(off);
	for (unsigned int i = 1; wide && i < 4; i++)
		byte(off >> 8 * i);
}

static unsigned int free_reg(void)
{
	unsigned int r;

	do
		r = any(REGS);
	while (r == RSP || r == base || r == from || r == index_reg);
	return r;
}

static void insn(unsigned int prefix, bool wide, bool escape, unsigned int op, unsigned int reg,
		 bool store)
{
	unsigned int pointer = store ? base : from;
	bool indexed = any(3) == 0;
	unsigned int rex = 0x40 | wide << 3 | (reg & 8) >> 1 |
			   (indexed ? (index_reg & 8) >> 2 : 0) | (pointer & 8) >> 3;

	if (prefix)
		byte(prefix);
	if (rex != 0x40 || any(2))
		byte(rex);
	if (escape)
		byte(0x0f);
	byte(op);
	operand(reg, pointer, any(PAGE / 16) * 16, indexed);
}

/* A move of @size bytes with VEX or, of 64 bytes and of registers from 16 on, EVEX; not indexed. */
static void long_insn(unsigned int size, unsigned int pp, unsigned int op, unsigned int reg,
		      bool store)
{
	unsigned int pointer = store ? base : from, off = any(PAGE / 64) * 64;
	unsigned int low = (reg & 8 ? 0 : 0x80) | 0x40 | (pointer & 8 ? 0 : 0x20);

	if (size == 64 || reg >= REGS) {
		byte(0x62);
		byte(low | (reg & 16 ? 0 : 0x10) | 1);
		byte(0x7c | (pp != 0) << 7 | pp); /* W: elements of 64 bits, which PS has not */
		byte((size == 64 ? 2 : size == 32) << 5 | 8);
	} else if (any(2) || !(low & 0x20)) {
		byte(0xc4);
		byte(low | 1);
		byte(0x78 | (size == 32) << 2 | pp);
	} else {
		byte(0xc5);
		byte((low & 0x80) | 0x78 | (size == 32) << 2 | pp);
	}
	byte(op);
	if (size == 64 && any(2)) { /* a displacement of one byte is in vectors */
		byte(0x40 | (reg & 7) << 3 | ((pointer & 7) == RSP ? RSP : pointer & 7));
		if ((pointer & 7) == RSP)
			byte(0x24);
		byte(off / 64);
	} else {
		byte(0x80 | (reg & 7) << 3 | ((pointer & 7) == RSP ? RSP : pointer & 7));
		if ((pointer & 7) == RSP)
			byte(0x24);
		for (unsigned int i = 0; i < 4; i++)
			byte(off >> 8 * i);
	}
}

static bool has_long(unsigned int size)
{
	return size == 64 ? __builtin_cpu_supports("avx512f") : __builtin_cpu_supports("avx2");
}

/* MOVDQU of registers, all 32 in EVEX. */
static void load_long(void)
{
	for (unsigned int i = 0; i < LOADS; i++)
		if (has_long(64))
			long_insn(64, 2, 0x6f, any(2 * REGS), false);
		else if (has_long(32))
			long_insn(32, 2, 0x6f, any(REGS), false);
}

static void store_long(void)
{
	static const struct {
		uint8_t pp, op;
	} stores[] = { { 0, 0x11 }, { 1, 0x11 }, { 0, 0x29 }, { 1, 0x29 },
		       { 0, 0x2b }, { 1, 0x7f }, { 2, 0x7f }, { 1, 0xe7 } };
	unsigned int s = any(sizeof(stores) / sizeof(stores[0]));
	unsigned int size = has_long(64) && any(2) ? 64 : 32;
	unsigned int reg = any(size == 64 ? 2 * REGS : REGS);

	if (!has_long(size))
		return;
	/* EVEX has VMOVNTDQ only of 32-bit elements (W 0). */
	if (size == 64 && stores[s].op == 0xe7)
		s = 0;
	long_insn(size, stores[s].pp, stores[s].op, reg, true);
}

static void one(void)
{
	static const struct {
		uint8_t prefix, op;
		bool store;
	} vectors[] = { { 0, 0x10, false },    { 0x66, 0x10, false }, { 0, 0x28, false },
			{ 0x66, 0x6f, false }, { 0xf3, 0x6f, false }, { 0, 0x11, true },
			{ 0, 0x29, true },     { 0x66, 0x29, true },  { 0, 0x2b, true },
			{ 0x66, 0x7f, true },  { 0xf3, 0x7f, true },  { 0x66, 0xe7, true } };
	unsigned int v;

	switch (any(6)) {
	case 4:
		store_long();
		break;
	case 0:
		insn(0, any(2), false, 0x8b, free_reg(), false);
		break;
	case 1:
		insn(0, any(2), false, 0x89, any(REGS), true);
		break;
	case 2:
		insn(0, any(2), false, 0xc7, 0, true);
		for (unsigned int i = 0; i < 4; i++)
			byte(any(256));
		break;
	case 3:
		insn(0, any(2), false, 0x8d, free_reg(), false);
		break;
	default:
		v = any(sizeof(vectors) / sizeof(vectors[0]));
		insn(vectors[v].prefix, false, true, vectors[v].op, any(REGS),
		     vectors[v].store);
	}
}

static void make_code(void)
{
	base = any(REGS - 5) + 5;
	do
		from = any(REGS);
	while (from == RSP || from == base);
	do
		index_reg = any(REGS);
	while (index_reg == RSP || index_reg == base || index_reg == from);
	len = 0;
	byte(0x0f);
	byte(0x0b);
	load_long();
	insn(0, true, false, 0x89, any(REGS), true);
	for (unsigned int i = 0; i < LENGTH; i++)
		one();
	byte(0x0f);
	byte(0x0b);
	byte(0xc3);
}

/* ---- running it ---- */

static void on_ud2(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	greg_t *g = uc->uc_mcontext.gregs;

	(void)sig, (void)info;
	for (unsigned int i = 0; i < REGS; i++) {
		if (!began) {
			saved[gregs[i]] = g[gregs[i]];
			if (i != RSP)
				g[gregs[i]] = begin.reg[i];
			uc->uc_mcontext.fpregs->_xmm[i] = begin.xmm[i];
			continue;
		}
		end.reg[i] = i == RSP ? 0 : g[gregs[i]];
		end.xmm[i] = uc->uc_mcontext.fpregs->_xmm[i];
		g[gregs[i]] = saved[gregs[i]];
	}
	end.pc = g[REG_RIP];
	g[REG_RIP] += 2;
	began = true;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct engine_store s[STORES];
	size_t n;

	(void)sig;
	if (core_fault_recover(context))
		return;
	n = store_run(context, (uintptr_t)page, s, STORES);
	if ((uintptr_t)info->si_addr - (uintptr_t)page >= PAGE || faults++ > LENGTH)
		_exit(1);
	for (size_t i = 0; i < n; i++)
		memcpy(alias + s[i].offset, s[i].bytes, s[i].len);
	if (n)
		return;
	unknown++;
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void run(bool closed, uint8_t *bytes)
{
	memset(alias, 0x5a, PAGE);
	mprotect(page, PAGE, closed ? PROT_READ : PROT_READ | PROT_WRITE);
	began = false;
	faults = unknown = 0;
	((void (*)(void))(uintptr_t)code)();
	memcpy(bytes, alias, PAGE);
}

static void set_up(void)
{
	struct sigaction act = { .sa_sigaction = on_ud2, .sa_flags = SA_SIGINFO | SA_NODEFER };
	int fd = memfd_create("page", 0);

	sigaction(SIGILL, &act, NULL);
	act.sa_sigaction = on_fault;
	sigaction(SIGSEGV, &act, NULL);
	core_fault_handled();
	cr_assert_eq(ftruncate(fd, PAGE), 0);
	page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	alias = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	close(fd);
}

static void random_state(void)
{
	for (unsigned int i = 0; i < REGS; i++)
		begin.reg[i] = (greg_t)((uint64_t)any(UINT32_MAX) << 32 | any(UINT32_MAX));
	for (size_t i = 0; i < sizeof(begin.xmm); i++)
		((uint8_t *)begin.xmm)[i] = (uint8_t)any(256);
	for (size_t i = 0; i < PAGE; i++)
		source[i] = (uint8_t)any(256);
	begin.reg[base] = (greg_t)(uintptr_t)page;
	begin.reg[from] = (greg_t)(uintptr_t)source;
	begin.reg[index_reg] = 0;
}

Test(stores, that_fault_are_executed, .init = set_up)
{
	static uint8_t native[PAGE], executed[PAGE];
	struct state by_processor;
	uint32_t first = (uint32_t)time(NULL);

	for (uint32_t i = 0; i < SEQUENCES; i++) {
		seed = first + i;
		make_code();
		random_state();
		run(false, native);
		by_processor = end;
		run(true, executed);
		/* Not an assertion for each: Criterion counts them in another process. */
		if (faults != 1 || unknown || memcmp(executed, native, PAGE) ||
		    memcmp(&end, &by_processor, sizeof(end)))
			cr_assert_fail("seed %u: %u faults, %u of them not known; page %s, "
				       "registers %s",
				       first + i, faults, unknown,
				       memcmp(executed, native, PAGE) ? "differs" : "equal",
				       memcmp(&end, &by_processor, sizeof(end)) ? "differ"
										: "equal");
	}
}

/* What store_run() does not know is left to the processor. */
Test(stores, that_are_not_known_are_left, .init = set_up)
{
	static const char *const left[] = {
		"\x88\x02",		    /* mov %al,(%rdx) */
		"\x66\x89\x02",		    /* mov %ax,(%rdx) */
		"\xc5\xfe\x6f\x02",	    /* vmovdqu (%rdx),%ymm0 */
		"\xc5\xff\x11\x02",	    /* vmovsd %xmm0,(%rdx): pp F2 */
		"\x62\xf1\xfe\x49\x7f\x02", /* vmovdqu64 %zmm0,(%rdx){%k1} */
		"\xf0\x48\x01\x02",	    /* lock add %rax,(%rdx) */
		"\x48\x01\x02",		    /* add %rax,(%rdx) */
		"\x48\x87\x02",		    /* xchg %rax,(%rdx) */
		"\x64\x48\x89\x02",	    /* mov %rax,%fs:(%rdx) */
		"\x48\x89\x82\xfc\x0f",	    /* mov %rax,0xffc(%rdx): beyond the page */
	};
	ucontext_t uc = { 0 };
	struct engine_store s;

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		uint8_t bytes[16] = { 0 };

		memcpy(bytes, left[i], strlen(left[i]));
		uc.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)bytes;
		uc.uc_mcontext.gregs[REG_RDX] = (greg_t)(uintptr_t)page;
		cr_expect_eq(store_run(&uc, (uintptr_t)page, &s, 1), 0, "%zu", i);
		cr_expect_eq(uc.uc_mcontext.gregs[REG_RIP], (greg_t)(uintptr_t)bytes);
	}
}

/* A load from memory that is not mapped faults when the processor executes it. */
Test(stores, end_before_a_load_that_faults, .init = set_up)
{
	uint8_t bytes[16] =
		"\x48\x89\x02" /* mov %rax,(%rdx) */ "\x48\x8b\x01" /* mov (%rcx),%rax */;
	ucontext_t uc = { 0 };
	struct engine_store s;

	munmap(page, PAGE);
	uc.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)bytes;
	uc.uc_mcontext.gregs[REG_RDX] = (greg_t)(uintptr_t)alias;
	uc.uc_mcontext.gregs[REG_RCX] = (greg_t)(uintptr_t)page;
	cr_expect_eq(store_run(&uc, (uintptr_t)alias, &s, 1), 1);
	cr_expect_eq(uc.uc_mcontext.gregs[REG_RIP], (greg_t)(uintptr_t)(bytes + 3));
}

#endif
