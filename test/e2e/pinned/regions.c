/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes what is mapped at the addresses of a registered region, and lets the device write
 * there. The kernel pins the pages of a region until it is deregistered (ib_umem_get), so what
 * counts for the device is what was there when it was registered.
 *
 *	regions WHAT		one of the rows of cases[], below, or of shared_cases[]
 *
 *	region: 4 pages of 'o' | WHAT | WRITE of 4 pages of 'd' | READ back through the region's key
 */
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/raw_call.h"
#include "regions.h"

char *map_at(void *at, size_t len, char fill)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0);
	char *m = mmap(at, len, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (m == MAP_FAILED)
		err(1, "mmap");
	memset(m, fill, len);
	return m;
}

void all_are(const char *what, const char *m, char c, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (m[i] != c)
			errx(1, "%s: byte %zu is 0x%02x and not '%c'", what, i, (uint8_t)m[i],
			     c);
}

static enum ibv_wc_status transfer(struct bench *b, enum ibv_wr_opcode opcode,
				   struct ibv_mr *mr, char *at, size_t len)
{
	struct ibv_sge sge = { (uintptr_t)b->mine, (uint32_t)len, b->local->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = opcode,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { (uintptr_t)at, mr->rkey } };
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int n;

	ok(ibv_post_send(b->pair.a, &wr, &bad));
	deadline(60, "a completion");
	while (!(n = ibv_poll_cq(b->pair.a_cq, 1, &wc)))
		;
	if (n < 0)
		errx(1, "ibv_poll_cq");
	return wc.status;
}

static void succeeds(struct bench *b, enum ibv_wr_opcode opcode, struct ibv_mr *mr, char *at,
		     size_t len)
{
	enum ibv_wc_status s = transfer(b, opcode, mr, at, len);

	if (s != IBV_WC_SUCCESS)
		errx(1, "%s: %s", opcode == IBV_WR_RDMA_WRITE ? "WRITE" : "READ",
		     ibv_wc_status_str(s));
}

void device_has(struct bench *b, struct ibv_mr *mr, char *at, char fill, size_t len)
{
	memset(b->mine, 0, len);
	succeeds(b, IBV_WR_RDMA_READ, mr, at, len);
	all_are("what the device had", b->mine, fill, 0, len);
	memset(b->mine, 'd', len);
	succeeds(b, IBV_WR_RDMA_WRITE, mr, at, len);
	memset(b->mine, 0, len);
	succeeds(b, IBV_WR_RDMA_READ, mr, at, len);
	all_are("what the device wrote", b->mine, 'd', 0, len);
}

struct ibv_mr *reg(struct bench *b, char *at, size_t len, int more)
{
	return made(ibv_reg_mr(b->dev.pd, at, len, RIGHTS | more));
}

void region(struct bench *b, char *at)
{
	b->at = at;
	b->mr = reg(b, at, LEN, 0);
}

void dereg(struct bench *b)
{
	ok(ibv_dereg_mr(b->mr));
	b->mr = NULL;
}

int mappings_of(const char *word)
{
	FILE *f = made(fopen("/proc/self/maps", "r"));
	char line[512];
	int n = 0;

	while (fgets(line, sizeof(line), f))
		n += strstr(line, word) != NULL;
	fclose(f);
	return n;
}

static int mappings(void)
{
	return mappings_of("\n");
}

/* ---- cases ---- */

static void unmapped(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	ok(munmap(b->at, LEN));
	device_has(b, b->mr, b->at, 'o', LEN);
}

static void unmapped_by_syscall(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	ok(syscall(SYS_munmap, b->at, LEN));
	device_has(b, b->mr, b->at, 'o', LEN);
}

static void remapped(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	ok(munmap(b->at, LEN));
	map_at(b->at, LEN, 'n');
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the new mapping", b->at, 'n', 0, LEN);
}

static void replaced(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	map_at(b->at, LEN, 'n');
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the new mapping", b->at, 'n', 0, LEN);
}

static void not_replaced(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	if (mmap(b->at, LEN, PROT_READ, MAP_SHARED | MAP_FIXED, -1, 0) != MAP_FAILED)
		errx(1, "mmap of no file");
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the old mapping", b->at, 'd', 0, LEN);
}

/* Both regions live: each has its pages. */
static void registered_again(struct bench *b)
{
	struct ibv_mr *second;

	region(b, map_at(NULL, LEN, 'o'));
	ok(munmap(b->at, LEN));
	map_at(b->at, LEN, 'n');
	second = reg(b, b->at, LEN, 0);
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the new mapping", b->at, 'n', 0, LEN);
	device_has(b, second, b->at, 'n', LEN);
	all_are("the new mapping", b->at, 'd', 0, LEN);
	ok(munmap(b->at, LEN));
	map_at(b->at, LEN, '3');
	device_has(b, second, b->at, 'd', LEN);
	dereg(b);
	device_has(b, second, b->at, 'd', LEN);
	all_are("the third mapping", b->at, '3', 0, LEN);
	ok(ibv_dereg_mr(second));
}

static void in_part(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	ok(munmap(b->at + PAGE, 2 * PAGE));
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the first page", b->at, 'd', 0, PAGE);
	all_are("the last page", b->at, 'd', 3 * PAGE, LEN);
}

static void moved(struct bench *b)
{
	char *at;

	region(b, map_at(NULL, LEN, 'o'));
	at = mremap(b->at, LEN, LEN, MREMAP_MAYMOVE | MREMAP_FIXED, map_at(NULL, 2 * LEN, 'x'));
	if (at == MAP_FAILED)
		err(1, "mremap");
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the moved mapping", at, 'd', 0, LEN);
	ok(munmap(at, LEN));
	device_has(b, b->mr, b->at, 'd', LEN);
}

static void shrunk(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	if (mremap(b->at, LEN, PAGE, 0) != b->at)
		err(1, "mremap");
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the page that is left", b->at, 'd', 0, PAGE);
}

static void read_only(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	ok(mprotect(b->at, LEN, PROT_READ));
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the memory", b->at, 'd', 0, LEN);
}

static void no_access(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	ok(mprotect(b->at, LEN, PROT_NONE));
	device_has(b, b->mr, b->at, 'o', LEN);
	ok(mprotect(b->at, LEN, PROT_READ | PROT_WRITE));
	all_are("the memory", b->at, 'd', 0, LEN);
}

static void dropped(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	ok(madvise(b->at, LEN, MADV_DONTNEED));
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the memory", b->at, 0, 0, LEN);
}

static void freed_lazily(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	ok(madvise(b->at, LEN, MADV_FREE));
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the memory", b->at, 'd', 0, LEN);
}

static void heap_end(struct bench *b)
{
	char *m = sbrk(0);

	m = sbrk(LEN + (PAGE - (uintptr_t)m % PAGE)) == (void *)-1 ? NULL
								   : (char *)sbrk(0) - LEN;
	memset(made(m), 'o', LEN);
	region(b, m);
	if (sbrk(-LEN) == (void *)-1)
		err(1, "sbrk");
	device_has(b, b->mr, b->at, 'o', LEN);
}

/* A block so large that the heap has a mapping for it alone. */
static void freed_as(struct bench *b, char *m)
{
	char *next;

	memset(made(m), 'o', 64 * PAGE);
	region(b, m + PAGE + 8);
	free(m);
	next = malloc(64 * PAGE);
	memset(made(next), 'n', 64 * PAGE);
	device_has(b, b->mr, b->at, 'o', LEN);
	all_are("the next block", next, 'n', 0, 64 * PAGE);
	free(next);
}

static void freed(struct bench *b)
{
	freed_as(b, malloc(64 * PAGE));
}

static void freed_aligned(struct bench *b)
{
	freed_as(b, aligned_alloc(PAGE, 64 * PAGE));
}

/* The registered pages have the heap's own bytes as well. */
static void freed_from_the_start(struct bench *b)
{
	char *m = malloc(64 * PAGE);

	memset(made(m), 'o', 64 * PAGE);
	b->at = m;
	b->mr = reg(b, m, 64 * PAGE, 0);
	free(m);
	device_has(b, b->mr, b->at, 'o', LEN);
}

/* Alignment of huge pages, and an end inside of one. */
static void huge(struct bench *b)
{
	size_t len = 3 * HUGE;
	char *m = map_at(NULL, len + HUGE, 'o');

	m += HUGE - (uintptr_t)m % HUGE;
	ok(ibv_dereg_mr(b->local));
	b->mine = map_at(NULL, len, 0);
	b->local = made(ibv_reg_mr(b->dev.pd, b->mine, len, IBV_ACCESS_LOCAL_WRITE));
	b->at = m;
	b->mr = reg(b, m, len - PAGE, 0);
	ok(munmap(m + PAGE, HUGE));
	device_has(b, b->mr, m, 'o', len - PAGE);
	all_are("the first page", m, 'd', 0, PAGE);
	all_are("the rest", m, 'd', PAGE + HUGE, len - PAGE);
	ok(munmap(m, len));
	device_has(b, b->mr, m, 'd', len - PAGE);
}

/* Kept pages are released with their last registration. */
static void counted(struct bench *b)
{
	struct ibv_mr *second;
	int before, kept;

	region(b, map_at(NULL, LEN, 'o'));
	dereg(b);
	ok(munmap(b->at, LEN));
	before = mappings();
	for (int i = 0; i < 300; i++) {
		region(b, map_at(NULL, LEN, 'o'));
		second = reg(b, b->at + PAGE, PAGE, 0);
		ok(munmap(b->at, LEN));
		kept = mappings();
		dereg(b);
		device_has(b, second, b->at + PAGE, 'o', PAGE);
		ok(ibv_dereg_mr(second));
	}
	if (kept <= before || mappings() > before + 2)
		errx(1, "%d mappings before, %d while kept, %d after", before, kept,
		     mappings());
}

/* A child has none of it. */
static void forked(struct bench *b)
{
	int with_kept, status;
	pid_t child;

	region(b, map_at(NULL, LEN, 'o'));
	ok(munmap(b->at, LEN));
	with_kept = mappings();
	child = fork();
	if (!child) {
		if (mappings() >= with_kept)
			_exit(1);
		ok(munmap(map_at(b->at, LEN, 'c'), LEN));
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		errx(1, "the child's status is 0x%x", status);
	device_has(b, b->mr, b->at, 'o', LEN);
}

/* On-demand regions do not keep pages. */
static void on_demand(struct bench *b)
{
	struct ibv_mr *pinned;

	b->at = map_at(NULL, LEN, 'o');
	pinned = reg(b, b->at, LEN, 0);
	b->mr = reg(b, b->at, LEN, IBV_ACCESS_ON_DEMAND);
	ok(munmap(b->at, LEN));
	map_at(b->at, LEN, 'n');
	device_has(b, b->mr, b->at, 'n', LEN);
	all_are("the new mapping", b->at, 'd', 0, LEN);
	device_has(b, pinned, b->at, 'o', LEN);
	all_are("the new mapping", b->at, 'd', 0, LEN);
	ok(ibv_dereg_mr(pinned));
}

/* A system call that the emulator does not see: an error, and no other memory is written. */
static void unseen(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	raw_call(SYS_munmap, (long)b->at, LEN, 0, 0, 0, 0);
	if (transfer(b, IBV_WR_RDMA_WRITE, b->mr, b->at, LEN) != IBV_WC_REM_ACCESS_ERR)
		errx(1, "WRITE to pages that are unmapped");
}

static void unseen_and_reused(struct bench *b)
{
	region(b, map_at(NULL, LEN, 'o'));
	raw_call(SYS_munmap, (long)b->at, LEN, 0, 0, 0, 0);
	if (mmap(b->at, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	    b->at)
		errx(1, "the address was not given again");
	if (transfer(b, IBV_WR_RDMA_WRITE, b->mr, b->at, LEN) != IBV_WC_REM_ACCESS_ERR)
		errx(1, "WRITE to pages that are unmapped");
	all_are("the new mapping", b->at, 0, 0, LEN);
}

static const struct region_case cases[] = {
	{ "unmapped", unmapped },
	{ "unmapped_by_syscall", unmapped_by_syscall },
	{ "remapped", remapped },
	{ "replaced", replaced },
	{ "not_replaced", not_replaced },
	{ "registered_again", registered_again },
	{ "in_part", in_part },
	{ "moved", moved },
	{ "shrunk", shrunk },
	{ "read_only", read_only },
	{ "no_access", no_access },
	{ "dropped", dropped },
	{ "freed_lazily", freed_lazily },
	{ "heap_end", heap_end },
	{ "freed", freed },
	{ "freed_aligned", freed_aligned },
	{ "freed_from_the_start", freed_from_the_start },
	{ "huge", huge },
	{ "counted", counted },
	{ "forked", forked },
	{ "on_demand", on_demand },
	{ "unseen", unseen },
	{ "unseen_and_reused", unseen_and_reused },
	{ NULL, NULL },
};

/* True if it was there, and has run. */
static bool run(const struct region_case *c, const char *name, struct bench *b)
{
	for (; c->name; c++)
		if (!strcmp(name, c->name)) {
			c->run(b);
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	struct bench b = { .dev = device_open((struct options){ .port = 1, .gid_index = -1 }) };

	b.mine = map_at(NULL, LEN, 0);
	b.local = made(ibv_reg_mr(b.dev.pd, b.mine, LEN, IBV_ACCESS_LOCAL_WRITE));
	b.pair = pair_create(&b.dev);
	if (argc != 2 || !(run(cases, argv[1], &b) || run(shared_cases, argv[1], &b)))
		errx(2, "usage: regions WHAT");
	pair_destroy(&b.pair);
	if (b.mr)
		ok(ibv_dereg_mr(b.mr));
	ok(ibv_dereg_mr(b.local));
	device_close(&b.dev);
	puts("as expected");
	return 0;
}
