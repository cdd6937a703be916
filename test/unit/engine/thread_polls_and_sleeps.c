/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread of the engine: it polls doorbells, and costs little when it is idle. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "rig.h"

static void setup(void)
{
	far_pair_open_with(4096, 7);
	engine_resume(near.e);
	engine_resume(far.e);
}

TestSuite(thread, .init = setup, .fini = rig_close, .timeout = 60);

static const uint8_t *poll_cqe(struct side *s)
{
	uint64_t end = core_now_ns() + 10000000000ull;
	const uint8_t *cqe = NULL;

	while (!cqe && core_now_ns() < end) {
		atomic_thread_fence(memory_order_acquire);
		cqe = next_cqe(s);
	}
	return cqe;
}

Test(thread, ping_pong)
{
	for (int i = 0; i < 200; i++) {
		struct side *from = i % 2 ? &b : &a, *to = i % 2 ? &a : &b;

		post(to, "recv 64 local=0x1000");
		from->h->buf[5] = (uint8_t)i;
		post(from, "send 64 sig");
		ring(from);
		cr_assert_not_null(poll_cqe(to), "message %d", i);
		cr_assert_not_null(poll_cqe(from), "message %d", i);
		cr_assert_eq(to->h->buf[0x1005], (uint8_t)i);
	}
}

Test(thread, long_message)
{
	for (size_t i = 0; i < 0x200000; i++)
		near.buf[i] = (uint8_t)(i ^ i >> 8);
	post_rung(&a, "write 0x200000 remote=0x200000 sig");
	cr_assert_not_null(poll_cqe(&a));
	cr_expect_eq(memcmp(far.buf + 0x200000, near.buf, 0x200000), 0);
}

/* Voluntary context switches of the engine threads of this process. */
static unsigned long sleeps(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned long total = 0;
	struct dirent *task;

	cr_assert_not_null(tasks);
	while ((task = readdir(tasks))) {
		char path[300], line[128];
		unsigned long n = 0;
		bool engine = false;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/status", task->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f)) {
			engine |= !strcmp(line, "Name:\tdvkit-emu\n");
			sscanf(line, "voluntary_ctxt_switches: %lu", &n);
		}
		if (f)
			fclose(f);
		total += engine ? n : 0;
	}
	closedir(tasks);
	return total;
}

/* Engines that do not sleep have 0; two that wake every 100 us without work, 20,000 a
 * second. */
Test(thread, idle_engine_sleeps)
{
	uint64_t begin, ms;
	unsigned long n;

	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
	begin = core_now_ns();
	n = sleeps();
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	n = sleeps() - n;
	ms = (core_now_ns() - begin) / 1000000;
	cr_expect_gt(n, 0);
	cr_expect_lt(n, 2 * ms, "%lu times in %lu ms", n, (unsigned long)ms);
}

/* The signal mask of the thread @tid of this process; false: not an engine's. */
static bool engine_mask(const char *tid, unsigned long *blocked)
{
	char path[300], line[128];
	bool ours = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		ours |= !strcmp(line, "Name:\tdvkit-emu\n");
		sscanf(line, "SigBlk: %lx", blocked);
	}
	if (f)
		fclose(f);
	return ours;
}

Test(thread, takes_no_signals)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned int engines = 0;
	struct dirent *task;

	cr_assert_not_null(tasks);
	while ((task = readdir(tasks))) {
		unsigned long blocked = 0;

		if (!engine_mask(task->d_name, &blocked))
			continue;
		engines++;
		cr_expect(blocked & 1ul << (SIGUSR1 - 1));
		cr_expect(blocked & 1ul << (SIGINT - 1));
		cr_expect(blocked & 1ul << (SIGALRM - 1));
	}
	closedir(tasks);
	cr_expect_eq(engines, 2);
}
