/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Doorbells rung while the adapter sleeps, by programs that do unusual things with signals and stacks.
 *
 *	rings HOW	plain | many | blocked | own-handler | small-stack | threads | forked | traced | traced-late |
 *			hooked | hooked-later | patched | patched-later | patched-meanwhile
 *
 * Built with OWN_MMAP it has functions mmap and munmap that are used instead of the emulator's.
 *
 * Before it rings it prints whether its doorbell register is on a page that is read-only ("closed") or not ("open"),
 * as the kernel says it; at the end "as expected", after the data of each WRITE arrived.
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "lib/raw_call.h"

enum {
	SIZE = 8192,
	ASLEEP_US = 300000,
	LOOKS = 100,
	SECONDS = 20,
	RINGS = 1000,
	THREADS = 4,
	JUMP = 12, /* bytes of code */
};

struct bench {
	struct device dev;
	struct pair pair;
	struct ibv_mr *from, *to;
	char *src;
	volatile char *dst;
};

static volatile sig_atomic_t faults;
static char *other_page;

static struct bench bench(void)
{
	struct bench b = { .dev = device_open((struct options){ .port = 1, .gid_index = -1 }) };
	int both = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

	b.src = made(calloc(1, SIZE));
	b.dst = made(calloc(1, SIZE));
	b.from = made(ibv_reg_mr(b.dev.pd, b.src, SIZE, IBV_ACCESS_LOCAL_WRITE));
	b.to = made(ibv_reg_mr(b.dev.pd, (void *)b.dst, SIZE, both));
	b.pair = pair_create(&b.dev);
	return b;
}

/* May the program write to the page of @at? By /proc/self/maps (proc(5)). */
static bool is_writable(const void *at)
{
	FILE *f = made(fopen("/proc/self/maps", "r"));
	unsigned long start, end;
	char line[512], rights[8];
	bool writable = false;

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %7s", &start, &end, rights) == 3 &&
		    (uintptr_t)at >= start && (uintptr_t)at < end)
			writable = rights[1] == 'w';
	fclose(f);
	return writable;
}

static void sleep_and_look(struct bench *b)
{
	struct mlx5dv_qp qp = { 0 };
	struct mlx5dv_obj obj = { .qp = { b->pair.a, &qp } };

	ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
	for (int i = 0; i < LOOKS && is_writable(qp.bf.reg); i++)
		usleep(ASLEEP_US / 10);
	puts(is_writable(qp.bf.reg) ? "open" : "closed");
	fflush(stdout);
}

/* One WRITE of @len bytes that are @value, without a completion that is waited for. */
static void ring(struct bench *b, struct ibv_qp *qp, uint32_t len, char value, bool inlined)
{
	struct ibv_sge sge = { (uintptr_t)b->src, len, b->from->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED | (inlined ? IBV_SEND_INLINE : 0),
		.wr.rdma = { (uintptr_t)b->dst, b->to->rkey },
	}, *bad;

	memset(b->src, value, len);
	ok(ibv_post_send(qp, &wr, &bad));
}

static void arrives(const struct bench *b, uint32_t len, char value)
{
	for (int i = 0; b->dst[len - 1] != value; i++) {
		if (i == SECONDS * 1000)
			errx(1, "no data");
		usleep(1000);
	}
}

static void completes(struct bench *b)
{
	struct ibv_wc wc;
	int n;

	while ((n = ibv_poll_cq(b->pair.a_cq, 1, &wc)) == 0)
		;
	if (n < 0 || wc.status)
		errx(1, "completion: %d", n < 0 ? n : (int)wc.status);
}

/* A BlueFlame copy, a plain doorbell, and a message of more than one packet. */
static void rings(struct bench *b)
{
	ring(b, b->pair.a, 8, 'b', true);
	arrives(b, 8, 'b');
	ring(b, b->pair.a, 16, 'd', false);
	arrives(b, 16, 'd');
	ring(b, b->pair.a, SIZE, 'l', false);
	arrives(b, SIZE, 'l');
}

/* ---- the ways ---- */

static void plain(struct bench *b)
{
	sleep_and_look(b);
	rings(b);
}

/* So many that the page is opened, and closed again. */
static void many(struct bench *b)
{
	for (int round = 0; round < 3; round++) {
		sleep_and_look(b);
		for (int i = 0; i < RINGS; i++) {
			ring(b, b->pair.a, 8, (char)i, true);
			completes(b);
		}
	}
}

static void blocked(struct bench *b)
{
	sigset_t all;

	sigfillset(&all);
	ok(pthread_sigmask(SIG_BLOCK, &all, NULL));
	plain(b);
}

static void on_fault(int sig, siginfo_t *info, void *ctx)
{
	(void)sig, (void)ctx;
	faults++;
	if (info->si_addr != other_page)
		_exit(3);
	mprotect(other_page, SIZE, PROT_READ | PROT_WRITE);
}

/* A handler on a stack of the usual size; it gets the program's fault, and no other. */
static void own_handler(struct bench *b)
{
	struct sigaction act = { .sa_sigaction = on_fault,
				 .sa_flags = SA_SIGINFO | SA_ONSTACK };
	size_t size = (size_t)sysconf(_SC_SIGSTKSZ);
	stack_t stack = { .ss_sp = made(malloc(size)), .ss_size = size };

	other_page = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigfillset(&act.sa_mask);
	ok(sigaltstack(&stack, NULL));
	ok(sigaction(SIGSEGV, &act, NULL));
	plain(b);
	if (faults)
		errx(1, "%d faults reached the handler", (int)faults);
	*(volatile char *)other_page = 1;
	if (faults != 1)
		errx(1, "%d faults of the program's own", (int)faults);
	rings(b);
}

static void *in_thread(void *arg)
{
	plain(arg);
	return NULL;
}

static void small_stack(struct bench *b)
{
	pthread_attr_t attr;
	pthread_t thread;

	ok(pthread_attr_init(&attr));
	ok(pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN));
	ok(pthread_create(&thread, &attr, in_thread, b));
	ok(pthread_join(thread, NULL));
}

static void *alone(void *arg)
{
	struct bench *b = arg;

	for (int i = 0; i < RINGS / 10; i++) {
		ring(b, b->pair.a, 8, (char)('a' + i % 16), true);
		arrives(b, 8, (char)('a' + i % 16));
		completes(b);
	}
	return NULL;
}

/* Each with a device of its context, and so with pages and a QP that only it rings. */
static void threads(struct bench *b)
{
	struct bench benches[THREADS];
	pthread_t thread[THREADS];

	plain(b);
	for (int i = 0; i < THREADS; i++)
		benches[i] = bench();
	usleep(ASLEEP_US);
	for (int i = 0; i < THREADS; i++)
		ok(pthread_create(&thread[i], NULL, alone, &benches[i]));
	for (int i = 0; i < THREADS; i++)
		ok(pthread_join(thread[i], NULL));
}

/* A store of the child is no fault; the parent's device works on. */
static void forked(struct bench *b)
{
	struct mlx5dv_qp qp = { 0 };
	struct mlx5dv_obj obj = { .qp = { b->pair.a, &qp } };
	int status;
	pid_t pid;

	ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
	sleep_and_look(b);
	pid = fork();
	if (!pid) {
		*(volatile uint64_t *)qp.bf.reg = 0;
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the child ended with 0x%x", (unsigned int)status);
	rings(b);
}

/* A process that traces this one, as a debugger does; the child's status is 3 if it sees more than @most faults. */
static pid_t traced_by_child(int most)
{
	pid_t self = getpid(), child = fork();
	int status;

	if (child) {
		usleep(ASLEEP_US);
		return child;
	}
	if (ptrace(PTRACE_SEIZE, self, NULL, (void *)(long)PTRACE_O_TRACECLONE))
		_exit(77);
	for (;;) {
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0 || (pid == self && (WIFEXITED(status) || WIFSIGNALED(status))))
			_exit(0);
		if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGSEGV)
			most--;
		if (most < 0)
			_exit(3);
		ptrace(PTRACE_CONT, pid, NULL,
		       (void *)(long)(status >> 16 ? 0 : WSTOPSIG(status)));
	}
}

/* Attached while the pages are closed: it sees one fault, and then they are open. */
static void traced_late(struct bench *b)
{
	int status;
	pid_t child;

	sleep_and_look(b);
	child = traced_by_child(1);
	rings(b);
	if (waitpid(child, &status, WNOHANG))
		errx(1, "the tracer ended with 0x%x", (unsigned int)status);
}

/* ---- libraries that overwrite the code of mmap, as UCX does (src/ucm/bistro) ---- */

/* The kernel's call by syscall(2), which UCX uses, or by its instruction. */
#ifdef OWN_MMAP
static bool by_instruction = true;
#else
static bool by_instruction;
#endif

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	return by_instruction ? raw_call(number, a, b, c, d, e, f)
			      : syscall(number, a, b, c, d, e, f);
}

static void *raw_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	return (void *)call(SYS_mmap, (long)addr, (long)len, prot, flags, fd, offset);
}

static int raw_munmap(void *addr, size_t len)
{
	return (int)call(SYS_munmap, (long)addr, (long)len, 0, 0, 0, 0);
}

#ifdef OWN_MMAP
__attribute__((visibility("default"))) void *mmap(void *addr, size_t len, int prot, int flags,
						  int fd, off_t offset)
{
	return raw_mmap(addr, len, prot, flags, fd, offset);
}

__attribute__((visibility("default"))) int munmap(void *addr, size_t len)
{
	return raw_munmap(addr, len);
}
#endif

/* Overwrites what the program calls under @name: movabs $to, %rax; jmp *%rax. Its first bytes are then in @before. */
static void patch(const char *name, const void *to, uint8_t before[JUMP])
{
	uint8_t *at = made(dlsym(RTLD_DEFAULT, name));
	uint8_t jump[JUMP] = { 0x48, 0xb8, [10] = 0xff, 0xe0 };
	uintptr_t page = (uintptr_t)at & ~(uintptr_t)4095;

	memcpy(jump + 2, &to, sizeof(to));
	ok(mprotect((void *)page, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC));
	memcpy(before, at, JUMP);
	memcpy(at, jump, JUMP);
}

static void patch_all(uint8_t before[3][JUMP])
{
	patch("mmap", raw_mmap, before[0]);
	patch("mmap64", raw_mmap, before[1]);
	patch("munmap", raw_munmap, before[2]);
}

/* A second device whose pages are mapped without the hooks. */
static struct bench without_hooks(bool to_the_end)
{
	static const char *const names[] = { "mmap", "mmap64", "munmap" };
	uint8_t before[3][JUMP];
	struct bench b;

	patch_all(before);
	b = bench();
	for (int i = 0; i < 3 && !to_the_end; i++)
		memcpy(made(dlsym(RTLD_DEFAULT, names[i])), before[i], JUMP);
	return b;
}

static void patched_after(struct bench *b, bool to_the_end)
{
	struct bench second;

	usleep(ASLEEP_US);
	second = without_hooks(to_the_end);
	usleep(ASLEEP_US);
	rings(b);
	rings(&second);
	sleep_and_look(b);
	rings(b);
}

static void hooked_later(struct bench *b)
{
	patched_after(b, true);
}

static void patched_later(struct bench *b)
{
	by_instruction = true;
	patched_after(b, true);
}

static void patched_meanwhile(struct bench *b)
{
	by_instruction = true;
	patched_after(b, false);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct bench *b);
	} ways[] = { { "plain", plain },
		     { "many", many },
		     { "blocked", blocked },
		     { "own-handler", own_handler },
		     { "small-stack", small_stack },
		     { "threads", threads },
		     { "traced-late", traced_late },
		     { "forked", forked },
		     { "hooked", plain },
		     { "hooked-later", hooked_later },
		     { "patched", plain },
		     { "patched-later", patched_later },
		     { "patched-meanwhile", patched_meanwhile },
		     { "traced", plain } };
	uint8_t before[3][JUMP];
	struct bench b;

	if (argc != 2)
		errx(2, "usage: rings HOW");
	if (!strcmp(argv[1], "traced"))
		traced_by_child(0);
	by_instruction |= !strcmp(argv[1], "patched");
	if (!strcmp(argv[1], "patched") || !strcmp(argv[1], "hooked"))
		patch_all(before);
	b = bench();
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			ways[i].run(&b);
			puts("as expected");
			return 0;
		}
	errx(2, "no such way: %s", argv[1]);
}
