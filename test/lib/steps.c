/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/steps.h"

#pragma GCC visibility push(default) /* the linker's --wrap */
void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);
__attribute__((weak)) void __real_core_unlock(pthread_mutex_t *m); /* not of all programs */
void __wrap_core_unlock(pthread_mutex_t *m);
#pragma GCC visibility pop

struct steps steps;

bool step_fails(void)
{
	return steps.fail_at && !--steps.fail_at;
}

static bool no_memory(void)
{
	if (!step_fails())
		return false;
	errno = ENOMEM;
	return true;
}

static void *counted(void *p)
{
	steps.allocations += p != NULL;
	return p;
}

void *__wrap_malloc(size_t size)
{
	return no_memory() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return no_memory() ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return no_memory() ? NULL : counted(__real_aligned_alloc(align, size));
}

void *__wrap_realloc(void *p, size_t size)
{
	void *to = no_memory() ? NULL : __real_realloc(p, size);

	steps.allocations += !p && to;
	return to;
}

void __wrap_free(void *p)
{
	steps.allocations -= p != NULL;
	__real_free(p);
}

void __wrap_core_unlock(pthread_mutex_t *m)
{
	if (!pthread_mutex_trylock(m))
		abort();
	__real_core_unlock(m);
}
