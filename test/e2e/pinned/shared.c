/* SPDX-License-Identifier: BSD-2-Clause */
/* Cases of regions.c: files, shared memory and huge pages. */
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "regions.h"

static char *shared(int *fd)
{
	char *m;

	*fd = memfd_create("region", 0);
	ok(ftruncate(*fd, LEN));
	m = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (m == MAP_FAILED)
		err(1, "mmap");
	memset(m, 'o', LEN);
	return m;
}

static void file_is(int fd, char c)
{
	static char bytes[LEN];

	if (pread(fd, bytes, LEN, 0) != LEN)
		err(1, "pread");
	all_are("the file", bytes, c, 0, LEN);
}

static void shared_unmapped(struct bench *b)
{
	int fd;

	region(b, shared(&fd));
	ok(munmap(b->at, LEN));
	device_has(b, b->mr, b->at, 'o', LEN);
	file_is(fd, 'd');
}

static void shared_read_only(struct bench *b)
{
	int fd;

	region(b, shared(&fd));
	ok(mprotect(b->at, LEN, PROT_READ));
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the memory", b->at, 'd', 0, LEN);
	file_is(fd, 'd');
}

static void shared_punched(struct bench *b)
{
	int fd;

	region(b, shared(&fd));
	ok(madvise(b->at, LEN, MADV_REMOVE));
	device_has(b, b->mr, b->at, 'o', LEN);
	file_is(fd, 0);
}

static void private_file(struct bench *b)
{
	int fd;
	char *m = shared(&fd);

	ok(munmap(m, LEN));
	m = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (m == MAP_FAILED)
		err(1, "mmap");
	region(b, m);
	ok(madvise(b->at, LEN, MADV_DONTNEED));
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the memory", b->at, 'o', 0, LEN);
	file_is(fd, 'o');
}

/* A System V segment that goes with its last attachment; where @at is, if it is not NULL. */
static int segment_at(char **at, size_t len, int flags)
{
	int id = shmget(IPC_PRIVATE, len, 0600 | flags);
	char *m = id < 0 ? (char *)-1 : shmat(id, *at, 0);

	if (m == (char *)-1)
		err(1, "a segment of %zu bytes", len);
	ok(shmctl(id, IPC_RMID, NULL));
	memset(m, 'o', len);
	*at = m;
	return id;
}

/* Nothing is mapped there. */
static void is_free(char *at, size_t len)
{
	char *m = mmap(at, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		       -1, 0);

	if (m != at)
		err(1, "the addresses of the segment");
	ok(munmap(at, len));
}

static void does_not_exist(int id)
{
	struct shmid_ds of;

	if (!shmctl(id, IPC_STAT, &of))
		errx(1, "the segment exists, with %lu attachments",
		     (unsigned long)of.shm_nattch);
}

/* A mapping of @len bytes, of which the region is @reg_len from @off on. */
static void detached(struct bench *b, size_t len, size_t off, size_t reg_len, int flags)
{
	char *m = NULL;
	int id = segment_at(&m, len, flags);

	b->at = m + off;
	b->mr = reg(b, b->at, reg_len, 0);
	ok(shmdt(m));
	is_free(m, len);
	device_has(b, b->mr, b->at, 'o', LEN);
	device_has(b, b->mr, b->at + reg_len - LEN, reg_len > LEN ? 'o' : 'd', LEN);
	dereg(b);
	does_not_exist(id);
}

static void segment(struct bench *b)
{
	detached(b, LEN, 0, LEN, 0);
	detached(b, 3 * LEN, LEN, LEN, 0);
}

static void segment_of_huge_pages(struct bench *b)
{
	detached(b, 2 * HUGE, 0, 2 * HUGE, SHM_HUGETLB);
	detached(b, 2 * HUGE, 0, HUGE, SHM_HUGETLB);
	detached(b, 2 * HUGE, HUGE, HUGE, SHM_HUGETLB);
	detached(b, 2 * HUGE, HUGE - LEN, 2 * LEN, SHM_HUGETLB);
	detached(b, 2 * HUGE, PAGE, LEN, SHM_HUGETLB);
}

/* Regions in parts of huge pages, and memory beside what is kept of them. */
static void huge_pages(struct bench *b)
{
	char *m = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	char *beside = map_at(NULL, LEN, 'n');
	struct ibv_mr *second;

	if (m == MAP_FAILED)
		err(1, "two huge pages");
	memset(m, 'o', 2 * HUGE);
	region(b, m);
	second = reg(b, m + PAGE, HUGE + LEN, 0);
	if (!munmap(m, PAGE) || errno != EINVAL)
		errx(1, "munmap() of a part of a huge page");
	device_has(b, b->mr, m, 'o', LEN);
	all_are("the memory", m, 'd', 0, LEN);
	ok(munmap(m, 2 * HUGE));
	is_free(m, 2 * HUGE);
	all_are("other memory", beside, 'n', 0, LEN);
	device_has(b, b->mr, m, 'd', LEN);
	device_has(b, second, m + LEN, 'o', LEN);
	dereg(b);
	device_has(b, second, m + PAGE, 'd', LEN);
	device_has(b, second, m + PAGE + HUGE, 'o', LEN);
	ok(ibv_dereg_mr(second));
	if (mappings_of("anon_hugepage"))
		errx(1, "huge pages are kept for no region");
}

/* Two attachments of one segment follow each other: shmdt() is about the first. */
static void segment_attached_twice(struct bench *b)
{
	char *first = map_at(NULL, 2 * LEN, 0), *m = first, *second;
	int id;

	ok(munmap(first, 2 * LEN));
	id = segment_at(&m, LEN, 0);
	second = shmat(id, first + LEN, 0);
	if (m != first || second != first + LEN)
		err(1, "an attachment");
	region(b, first);
	ok(shmdt(first));
	is_free(first, LEN);
	device_has(b, b->mr, first, 'o', LEN);
	all_are("the other attachment", second, 'd', 0, LEN);
	ok(shmdt(second));
	is_free(second, LEN);
}

/* shmdt(2) of what is no segment changes nothing. */
static void no_segment(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	if (!shmdt(b->at) || errno != EINVAL)
		errx(1, "shmdt() of other memory");
	all_are("the memory", b->at, 'o', 0, LEN);
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the memory", b->at, 'd', 0, LEN);
}

const struct region_case shared_cases[] = {
	{ "shared_unmapped", shared_unmapped },
	{ "shared_read_only", shared_read_only },
	{ "shared_punched", shared_punched },
	{ "private_file", private_file },
	{ "segment", segment },
	{ "segment_of_huge_pages", segment_of_huge_pages },
	{ "huge_pages", huge_pages },
	{ "segment_attached_twice", segment_attached_twice },
	{ "no_segment", no_segment },
	{ NULL, NULL },
};
