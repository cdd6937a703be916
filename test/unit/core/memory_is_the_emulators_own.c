/* SPDX-License-Identifier: BSD-2-Clause */
/* memory: blocks of all sizes are apart, keep their bytes and are used again. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <criterion/criterion.h>

#include "core/core.h"
#include "core/memory.h"

#define LARGEST (32768 - 16) /* of the blocks that are no mappings */

static const size_t sizes[] = {
	0,   1,	  47,  48,   49,   63,	 64,	  65,	       100,
	112, 113, 496, 4080, 4096, 4097, LARGEST, LARGEST + 1, 1 << 20
};

#define SIZES ARRAY_SIZE(sizes)

static bool all_are(const uint8_t *p, size_t n, uint8_t value)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != value)
			return false;
	return true;
}

Test(memory, blocks_are_apart)
{
	uint8_t *p[2 * SIZES];

	for (size_t i = 0; i < 2 * SIZES; i++) {
		p[i] = core_memory_get(sizes[i / 2]);
		cr_assert_not_null(p[i]);
		cr_expect_eq((uintptr_t)p[i] % 16, 0);
		memset(p[i], (int)i + 1, sizes[i / 2]);
	}
	for (size_t i = 0; i < 2 * SIZES; i++)
		cr_expect(all_are(p[i], sizes[i / 2], (uint8_t)(i + 1)), "%zu bytes",
			  sizes[i / 2]);
	for (size_t i = 0; i < 2 * SIZES; i++)
		core_memory_put(p[i]);
}

Test(memory, a_free_block_is_the_next_of_its_class)
{
	for (size_t i = 0; i < SIZES && sizes[i] <= LARGEST; i++) {
		void *a = core_memory_get(sizes[i]), *b = core_memory_get(sizes[i]);

		core_memory_put(a);
		core_memory_put(b);
		cr_expect_eq(core_memory_get(sizes[i]), b, "%zu bytes", sizes[i]);
		cr_expect_eq(core_memory_get(sizes[i]), a, "%zu bytes", sizes[i]);
	}
}

/* Mappings of 1 MiB are cut to their last byte: of the largest blocks 32 are one. */
Test(memory, mappings_are_used_to_their_end)
{
	char *p[128], *last = NULL;
	unsigned int n = 0, most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(p); i++) {
		p[i] = core_memory_get(LARGEST);
		n = last && p[i] == last + 32768 ? n + 1 : 1;
		most = n > most ? n : most;
		last = p[i];
	}
	cr_expect_geq(most, 32, "%u", most);
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		core_memory_put(p[i]);
}

/* 48 bytes and the 16 before them are the smallest block; the next is of 80. */
Test(memory, other_sizes_are_of_other_classes)
{
	void *small = core_memory_get(48);

	core_memory_put(small);
	cr_expect_neq(core_memory_get(49), small);
	cr_expect_eq(core_memory_get(0), small);
}

Test(memory, zeroed_where_others_were)
{
	for (size_t i = 1; i < SIZES; i++) {
		uint8_t *p = core_memory_get(sizes[i]);

		memset(p, 0xff, sizes[i]);
		core_memory_put(p);
		p = core_memory_get_zeroed(1, sizes[i]);
		cr_assert_not_null(p);
		cr_expect(all_are(p, sizes[i], 0), "%zu bytes", sizes[i]);
		core_memory_put(p);
	}
}

Test(memory, zeroed_has_n_times_size)
{
	uint8_t *p = core_memory_get_zeroed(1000, 100);

	memset(p, 1, 100000);
	core_memory_put(p);
	errno = 0;
	cr_expect_null(core_memory_get_zeroed((size_t)1 << 33, (size_t)1 << 31));
	cr_expect_eq(errno, ENOMEM);
}

Test(memory, too_much_is_refused)
{
	errno = 0;
	cr_expect_null(core_memory_get(SIZE_MAX));
	cr_expect_eq(errno, ENOMEM);
	errno = 0;
	cr_expect_null(core_memory_get(PTRDIFF_MAX - 4095));
	cr_expect_eq(errno, ENOMEM);
	errno = 0;
	cr_expect_null(core_memory_get((size_t)1 << 50)); /* by the kernel */
	cr_expect_eq(errno, ENOMEM);
}

Test(memory, resized_keeps_its_bytes)
{
	uint8_t *p = core_memory_resize(NULL, 10);

	cr_assert_not_null(p);
	memset(p, 7, 10);
	for (size_t i = 0; i < SIZES; i++) {
		if (sizes[i] < 10)
			continue;
		p = core_memory_resize(p, sizes[i]);
		cr_assert_not_null(p);
		cr_expect(all_are(p, 10, 7), "%zu bytes", sizes[i]);
		memset(p, 7, sizes[i]);
	}
	for (size_t i = SIZES; i--;) {
		p = core_memory_resize(p, sizes[i]);
		cr_expect(all_are(p, sizes[i], 7), "%zu bytes", sizes[i]);
	}
	core_memory_put(p);
}

Test(memory, resized_stays_if_it_fits)
{
	uint8_t *p = core_memory_get(100); /* has 112 */

	cr_expect_eq(core_memory_resize(p, 112), p);
	cr_expect_eq(core_memory_resize(p, 56), p);
	cr_expect_neq(core_memory_resize(p, 113), p);
	cr_expect_eq(core_memory_get(100), p, "it was given back");
}

Test(memory, put_keeps_errno)
{
	void *small = core_memory_get(1), *large = core_memory_get(1 << 20);

	errno = EDOM;
	core_memory_put(small);
	core_memory_put(large);
	core_memory_put(NULL);
	cr_expect_eq(errno, EDOM);
}

/* A mapping that was given back is not there. */
Test(memory, large_blocks_go_back_to_the_kernel)
{
	void *p = core_memory_get(LARGEST + 1);
	char c;

	cr_expect(core_peek(&c, (uintptr_t)p, 1));
	core_memory_put(p);
	cr_expect_not(core_peek(&c, (uintptr_t)p, 1));
}

static void *use(void *arg)
{
	uint8_t mine = (uint8_t)(uintptr_t)arg, *p[SIZES] = { NULL };

	for (int round = 0; round < 2000; round++) {
		size_t i = (size_t)round % (SIZES - 3);

		if (p[i] && !all_are(p[i], sizes[i], mine))
			return "bytes of another thread";
		core_memory_put(p[i]);
		p[i] = core_memory_get(sizes[i]);
		memset(p[i], mine, sizes[i]);
	}
	return NULL;
}

Test(memory, threads_do_not_share_blocks)
{
	pthread_t thread[4];
	void *complaint;

	for (uintptr_t i = 0; i < ARRAY_SIZE(thread); i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, use, (void *)(i + 1)), 0);
	for (size_t i = 0; i < ARRAY_SIZE(thread); i++) {
		pthread_join(thread[i], &complaint);
		cr_expect_null(complaint, "%s", (char *)complaint);
	}
}

static atomic_bool stop;

static void *use_until_stopped(void *unused)
{
	while (!atomic_load(&stop))
		core_memory_put(core_memory_get(100));
	return unused;
}

/* The lock may be another thread's, which the child does not have. */
Test(memory, works_in_the_child_of_a_fork)
{
	pthread_t thread;
	int status;

	cr_assert_eq(pthread_create(&thread, NULL, use_until_stopped, NULL), 0);
	for (int i = 0; i < 200; i++) {
		pid_t pid;

		core_memory_fork_prepare();
		pid = fork();
		core_memory_fork_done();
		if (!pid) {
			alarm(20);
			core_memory_put(core_memory_get(100));
			_exit(0);
		}
		cr_assert_eq(waitpid(pid, &status, 0), pid);
		cr_assert_eq(status, 0);
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
}
