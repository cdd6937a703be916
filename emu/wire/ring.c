/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rings of frames in shared memory: one sender, one receiver. No system calls but those that
 * map and unmap.
 *
 *	0        released        tail                 published          head      RING_BYTES
 *	|  free  |  being used   |  to be read         |  being filled    |  free  |
 *
 * Threads: each end one at a time, under the device lock of its process.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/core.h"
#include "wire/ring.h"

#ifndef MFD_NOEXEC_SEAL /* Linux 6.3 */
#define MFD_NOEXEC_SEAL 8u
#endif
#define TMPFS	 0x01021994 /* <linux/magic.h>; not hugetlbfs, whose pages may be missing */
#define BYTES	 (RING_DATA + RING_BYTES)
#define SEALS	 (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define NEEDED	 (F_SEAL_SHRINK | F_SEAL_GROW)
#define FEW_USED (RING_BYTES / 4)

static_assert(sizeof(struct ring_memory) <= RING_DATA, "the entries follow");
static_assert(!(RING_BYTES & (RING_BYTES - 1)), "a power of two");

/* ---- memory ---- */

static int map(struct ring *r, int fd, int flags)
{
	void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);

	*r = (struct ring){ .memory = NULL };
	if (at == MAP_FAILED)
		return errno;
	r->memory = at;
	r->data = (uint8_t *)at + RING_DATA;
	return 0;
}

/* A limit of the size of files is one of memfds, too. */
static int set_size(int fd)
{
	struct rlimit was;
	int err = 0;

	if (core_file_limit_raise(BYTES, &was) < BYTES)
		err = EFBIG;
	else if (ftruncate(fd, BYTES))
		err = errno;
	core_file_limit_restore(BYTES, &was);
	return err;
}

static int new_memory(void)
{
	int fd = memfd_create("dvkit-emu", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("dvkit-emu", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return core_own(fd);
}

int ring_create(struct ring *r)
{
	int fd = new_memory(), err;

	if (fd < 0)
		return -1;
	err = set_size(fd);
	if (!err && fcntl(fd, F_ADD_SEALS, SEALS))
		err = errno;
	if (!err)
		err = map(r, fd, 0);
	if (!err)
		return fd;
	core_own_close(fd);
	errno = err;
	return -1;
}

/* Without the seals an access could be a SIGBUS later. */
int ring_attach(struct ring *r, int fd)
{
	struct statfs fs;
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS), err;

	if (seals < 0 || (seals & NEEDED) != NEEDED || fstat(fd, &st) || st.st_size != BYTES ||
	    fstatfs(fd, &fs) || fs.f_type != TMPFS)
		return EINVAL;
	err = map(r, fd, 0);
	if (!err && atomic_exchange(&r->memory->attached, 1)) {
		ring_unmap(r);
		return EEXIST;
	}
	return err;
}

int ring_private(struct ring *r)
{
	return map(r, -1, MAP_ANONYMOUS);
}

void ring_unmap(struct ring *r)
{
	if (r->memory)
		munmap(r->memory, BYTES);
	*r = (struct ring){ .memory = NULL };
}

/* ---- sender ---- */

static void see_tail(struct ring *r)
{
	r->tail_seen = atomic_load_explicit(&r->memory->tail, memory_order_acquire);
}

static bool has_space(const struct ring *r, uint32_t bytes)
{
	uint32_t used = r->head - r->tail_seen;

	return used <= RING_BYTES && bytes <= RING_BYTES - used;
}

static void put_prefix(struct ring *r, uint32_t at, uint32_t prefix)
{
	memcpy(r->data + at % RING_BYTES, &prefix, sizeof(prefix));
}

/* The next entry is at the beginning. */
static void skip_rest(struct ring *r)
{
	put_prefix(r, r->head, 0);
	r->head += RING_BYTES - r->head % RING_BYTES;
	r->chunk = 0;
}

/* The next @bytes do not end in the chunk of those before: if the ring is empty, its first
 * chunk is used again. */
static void see_chunk(struct ring *r, uint32_t bytes)
{
	uint32_t chunk = (r->head % RING_BYTES + bytes) / RING_CHUNK;

	if (chunk == r->chunk)
		return;
	r->chunk = chunk; /* once for each */
	if (!chunk)
		return;
	see_tail(r);
	if (r->tail_seen == r->head)
		skip_rest(r);
}

uint8_t *ring_reserve(struct ring *r, size_t len)
{
	uint32_t bytes = ring_entry(len), rest;

	see_chunk(r, bytes);
	rest = RING_BYTES - r->head % RING_BYTES;
	if (bytes > rest)
		bytes += rest;
	if (!has_space(r, bytes))
		see_tail(r);
	if (!has_space(r, bytes))
		return NULL;
	if (bytes > rest)
		skip_rest(r);
	return r->data + r->head % RING_BYTES + RING_PREFIX;
}

void ring_commit(struct ring *r, size_t len, uint32_t flags)
{
	r->last = r->head;
	r->last_prefix = flags | (uint32_t)len;
	put_prefix(r, r->last, r->last_prefix);
	r->head += ring_entry(len);
}

uint8_t *ring_after(const struct ring *r, size_t more)
{
	uint32_t len = r->last_prefix & RING_LENGTH, at = r->last % RING_BYTES;
	uint32_t bytes = ring_entry(len + more);

	if (r->head == r->published || r->head != r->last + ring_entry(len) ||
	    bytes > RING_BYTES - at || r->last + bytes - r->tail_seen > RING_BYTES)
		return NULL;
	return r->data + at + RING_PREFIX + len;
}

void ring_add(struct ring *r, size_t more)
{
	r->last_prefix += (uint32_t)more;
	put_prefix(r, r->last, r->last_prefix);
	r->head = r->last + ring_entry(r->last_prefix & RING_LENGTH);
}

enum ring_reader ring_publish(struct ring *r)
{
	if (r->published == r->head)
		return RING_AWAKE;
	r->published = r->head;
	atomic_store(&r->memory->head, r->head);
	if (atomic_load(&r->memory->reader) == RING_AWAKE)
		return RING_AWAKE;
	return atomic_exchange(&r->memory->reader, RING_AWAKE);
}

bool ring_is_read(const struct ring *r)
{
	return atomic_load_explicit(&r->memory->tail, memory_order_acquire) == r->published;
}

bool ring_wait(struct ring *r)
{
	atomic_store(&r->memory->waiting, 1);
	r->tail_seen = atomic_load(&r->memory->tail);
	return !has_space(r, RING_BYTES / 2);
}

bool ring_discard(struct ring *r)
{
	see_tail(r);
	return r->tail_seen == r->head && !madvise(r->data, RING_BYTES, MADV_REMOVE);
}

/* ---- receiver ---- */

/* A sender waits only while less than half is free. If more than a quarter was used, it may
 * have begun to wait; if less, then what it added meanwhile is still to be read, and is more
 * than a quarter. */
void ring_release(struct ring *r)
{
	uint32_t used = r->head_seen - r->released;

	if (r->released == r->tail)
		return;
	r->released = r->tail;
	if (used <= FEW_USED) {
		atomic_store_explicit(&r->memory->tail, r->tail, memory_order_release);
		return;
	}
	atomic_store(&r->memory->tail, r->tail);
	if (atomic_load(&r->memory->waiting) &&
	    atomic_load(&r->memory->head) - r->tail <= RING_BYTES / 2)
		r->freed |= atomic_exchange(&r->memory->waiting, 0);
}

/* Are there bytes to be read? After an invalid head the ring is empty forever. */
static bool see_head(struct ring *r)
{
	uint32_t head = atomic_load_explicit(&r->memory->head, memory_order_acquire);

	if (head - r->tail > RING_BYTES || head % RING_ALIGN) {
		r->broken = true;
		return false;
	}
	r->head_seen = head;
	return head != r->tail;
}

static uint32_t prefix_at(const uint8_t *at)
{
	return __atomic_load_n((const uint32_t *)at, __ATOMIC_RELAXED);
}

/* An entry of length 0 at the end of the ring. */
static bool skip(struct ring *r)
{
	uint32_t at = r->tail % RING_BYTES;

	if (!at || r->head_seen - r->tail < RING_BYTES - at)
		return false;
	r->tail += RING_BYTES - at;
	return true;
}

uint8_t *ring_next(struct ring *r, size_t *len, uint32_t *flags)
{
	if (r->tail == r->head_seen || r->tail - r->released >= RING_BYTES / 8)
		ring_release(r);
	/* At most one entry is skipped, so that two are enough. */
	for (int i = 0; i < 2 && !r->broken; i++) {
		uint32_t at = r->tail % RING_BYTES, most;
		uint32_t prefix;

		if (r->tail == r->head_seen && !see_head(r))
			return NULL;
		most = r->head_seen - r->tail;
		most = most < RING_BYTES - at ? most : RING_BYTES - at;
		prefix = prefix_at(r->data + at);
		*len = prefix & RING_LENGTH;
		*flags = prefix & ~RING_LENGTH;
		if (*len && ring_entry(*len) <= most) {
			r->tail += ring_entry(*len);
			return r->data + at + RING_PREFIX;
		}
		r->broken = *len || !skip(r);
	}
	return NULL;
}

bool ring_has_next(const struct ring *r)
{
	return !r->broken && atomic_load(&r->memory->head) != r->tail;
}

bool ring_is_over(const struct ring *r)
{
	return r->broken || (atomic_load(&r->memory->closed) && !ring_has_next(r));
}

void ring_set_reader(struct ring *r, enum ring_reader doing)
{
	if (atomic_load_explicit(&r->memory->reader, memory_order_relaxed) != doing)
		atomic_store(&r->memory->reader, doing);
}
