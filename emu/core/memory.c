/* SPDX-License-Identifier: BSD-2-Clause */
/* Four classes of sizes for each power of two: 80, 96, 112, 128, 160 … bytes with the
 * header. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "core/core.h"
#include "core/memory.h"

#define SMALLEST  64u
#define LARGEST	  32768u
#define FIRST_LOG 5 /* of SMALLEST - 1 */
#define CLASSES	  40
#define CHUNK	  (1u << 20)
#define PAGE	  4096u

/* Before each block. A free one has the next of its class where the program's bytes begin. */
struct header {
	size_t size; /* with this header */
	size_t unused;
};

struct spare {
	struct header head;
	struct spare *next;
};

static struct spare *spares[CLASSES];
static char *chunk; /* the free rest of it */
static size_t left;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *map(size_t size)
{
	long at = core_syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == -1 ? NULL : (void *)at;
}

/* The class of a block of @size bytes with its header, and how many it has. */
static unsigned int class_of(size_t size, size_t *bytes)
{
	size_t last = (size < SMALLEST ? SMALLEST : size) - 1;
	unsigned int log = 63 - (unsigned int)__builtin_clzl(last);
	size_t step = (size_t)1 << (log - 2);

	*bytes = (last / step + 1) * step;
	return (log - FIRST_LOG) * 4 + last / step % 4;
}

/* Lock held. The rest of a chunk that is too small for the next block is lost. */
static struct header *carve(size_t bytes)
{
	struct header *h;

	if (left < bytes) {
		char *more = map(CHUNK);

		if (!more)
			return NULL;
		chunk = more;
		left = CHUNK;
	}
	h = (struct header *)chunk;
	chunk += bytes;
	left -= bytes;
	h->size = bytes;
	return h;
}

static struct header *get_small(size_t size)
{
	struct header *h = NULL;
	unsigned int class;
	size_t bytes;

	class = class_of(size, &bytes);
	core_lock(&lock);
	if (spares[class]) {
		h = &spares[class]->head;
		spares[class] = spares[class]->next;
	} else {
		h = carve(bytes);
	}
	core_unlock(&lock);
	return h;
}

static struct header *get_large(size_t size)
{
	struct header *h;

	size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	h = map(size);
	if (h)
		h->size = size;
	return h;
}

static void *get(size_t size)
{
	struct header *h = NULL;

	if (size <= PTRDIFF_MAX - PAGE) {
		size += sizeof(*h);
		h = size <= LARGEST ? get_small(size) : get_large(size);
	}
	if (!h) {
		errno = ENOMEM;
		return NULL;
	}
	return h + 1;
}

void *core_memory_get(size_t size)
{
	return get(size);
}

void *core_memory_get_zeroed(size_t n, size_t size)
{
	void *p = NULL;

	if (__builtin_mul_overflow(n, size, &size))
		errno = ENOMEM;
	else
		p = get(size);
	return p ? memset(p, 0, size) : NULL;
}

void core_memory_put(void *p)
{
	int saved = errno;
	struct spare *s;
	size_t bytes;

	if (!p)
		return;
	s = (struct spare *)((struct header *)p - 1);
	if (s->head.size > LARGEST) {
		core_syscall(SYS_munmap, s, s->head.size);
	} else {
		unsigned int class = class_of(s->head.size, &bytes);

		core_lock(&lock);
		s->next = spares[class];
		spares[class] = s;
		core_unlock(&lock);
	}
	errno = saved;
}

void *core_memory_resize(void *p, size_t size)
{
	size_t has = p ? ((struct header *)p - 1)->size - sizeof(struct header) : 0;
	void *to;

	if (p && size <= has && size >= has / 2)
		return p;
	to = get(size);
	if (to && p) {
		memcpy(to, p, size < has ? size : has);
		core_memory_put(p);
	}
	return to;
}

void core_memory_fork_prepare(void)
{
	core_lock(&lock);
}

void core_memory_fork_done(void)
{
	core_unlock(&lock);
}
