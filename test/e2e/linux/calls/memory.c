/* SPDX-License-Identifier: BSD-2-Clause */
/* Protection domains, parent domains, thread domains; regions, windows, device memory. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"

/* Each flag of enum ibv_access_flags, and bits that do not exist. */
static const unsigned int flags[] = { IBV_ACCESS_LOCAL_WRITE,
				      IBV_ACCESS_REMOTE_WRITE,
				      IBV_ACCESS_REMOTE_READ,
				      IBV_ACCESS_REMOTE_ATOMIC,
				      IBV_ACCESS_MW_BIND,
				      IBV_ACCESS_ZERO_BASED,
				      IBV_ACCESS_ON_DEMAND,
				      IBV_ACCESS_HUGETLB,
				      IBV_ACCESS_RELAXED_ORDERING,
				      1 << 8,
				      1 << 9,
				      1 << 21,
				      1u << 30 };

static struct ibv_mr *reg(void *addr, size_t length, unsigned int access, const char *what)
{
	struct ibv_mr *mr = MADE(ibv_reg_mr(bench.pd, addr, length, (int)access),
				 "ibv_reg_mr %s length=%zu access=%#x", what, length, access);

	if (mr)
		put("addr=%s length=%zu rkey=%s", mr->addr == addr ? "same" : "other",
		    mr->length,
		    mr->rkey == mr->lkey ? "lkey"
		    : mr->rkey		 ? "other"
					 : "0");
	return mr;
}

static void dereg(struct ibv_mr *mr)
{
	if (mr)
		DONE(ibv_dereg_mr(mr), "ibv_dereg_mr");
}

static void regions(void)
{
	uint8_t *m = bench.memory, *odd, *read_only, *hole;

	for (unsigned int set = 0; set < 1 << 9; set++) { /* all sets of the known flags */
		unsigned int access = 0;

		for (unsigned int i = 0; i < 9; i++)
			access |= set & 1u << i ? flags[i] : 0;
		dereg(reg(m, PAGE, access, "memory"));
	}
	for (size_t i = 9; i < COUNT(flags); i++)
		dereg(reg(m, PAGE, IBV_ACCESS_LOCAL_WRITE | flags[i], "memory"));
	for (size_t length = 0; length <= MEMORY; length = length * 3 + 1)
		dereg(reg(m + 5, length < MEMORY - 5 ? length : MEMORY - 5, 7, "memory+5"));
	odd = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	read_only = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	hole = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned int access = 0; access <= 0x40; access = access ? access << 1 : 1) {
		dereg(reg(read_only, PAGE, access, "read-only"));
		dereg(reg(hole, PAGE, access, "no-access"));
	}
	munmap(odd + 2 * PAGE, 2 * PAGE);
	dereg(reg(odd, 3 * PAGE, 1, "partly-unmapped"));
	dereg(reg(odd, 2 * PAGE, 1, "two-pages"));
	munmap(odd, 2 * PAGE);
	dereg(reg(odd, PAGE, 1, "unmapped"));
	dereg(reg(m, SIZE_MAX, 1, "memory"));
	dereg(reg(m, SIZE_MAX - (uintptr_t)m, 1, "memory"));
	dereg(reg(NULL, SIZE_MAX, IBV_ACCESS_ON_DEMAND, "implicit"));
	dereg(reg(NULL, SIZE_MAX, IBV_ACCESS_ON_DEMAND | 7, "implicit"));
	dereg(reg(NULL, SIZE_MAX, 7, "implicit"));
	dereg(reg(NULL, 0, 7, "null"));
	munmap(read_only, PAGE);
	munmap(hole, 2 * PAGE);
}

static void regions_elsewhere(void)
{
	const uint64_t iovas[] = { 0, 1, PAGE, PAGE + 1, 5, UINT64_MAX, UINT64_MAX - PAGE };
	int fd = memfd_create("calls", 0);
	const int fds[] = { -1, 0, fd, 9999 };

	for (size_t i = 0; i < COUNT(iovas); i++)
		dereg(MADE(ibv_reg_mr_iova(bench.pd, bench.memory, PAGE, iovas[i], 7),
			   "ibv_reg_mr_iova iova=%#llx", (unsigned long long)iovas[i]));
	NEED(!ftruncate(fd, PAGE));
	for (size_t i = 0; i < COUNT(fds); i++)
		dereg(MADE(ibv_reg_dmabuf_mr(bench.pd, 0, PAGE, 0, fds[i], 1),
			   "ibv_reg_dmabuf_mr fd=%s",
			   i == 0   ? "-1"
			   : i == 1 ? "0"
			   : i == 2 ? "memfd"
				    : "none"));
	dereg(MADE(ibv_reg_dmabuf_mr(bench.pd, 0, PAGE, 1, fd, 1), "ibv_reg_dmabuf_mr iova=1"));
	close(fd);
	dereg(MADE(ibv_alloc_null_mr(bench.pd), "ibv_alloc_null_mr"));
}

static void reregistrations(struct ibv_pd *other)
{
	struct ibv_mr *mr;

	for (int what = 0; what <= 9; what++)
		for (unsigned int i = 0; i < COUNT(flags); i++) {
			mr = ibv_reg_mr(bench.pd, bench.memory, PAGE, 1);
			NEED(mr);
			DONE(ibv_rereg_mr(mr, what, other, bench.memory + PAGE, PAGE,
					  (int)(flags[i] | 1)),
			     "ibv_rereg_mr flags=%d access=%#x", what, flags[i] | 1);
			put("length=%zu addr=%s", mr->length,
			    mr->addr == bench.memory ? "old" : "new");
			dereg(mr);
		}
	mr = ibv_reg_mr(bench.pd, bench.memory, PAGE, 1);
	NEED(mr);
	DONE(ibv_rereg_mr(mr, 1, NULL, bench.memory, 0, 1), "ibv_rereg_mr length=0");
	DONE(ibv_rereg_mr(mr, 1, NULL, bench.memory, 2 * PAGE, 1), "ibv_rereg_mr longer");
	DONE(ibv_rereg_mr(mr, 1, NULL, bench.memory, MEMORY, 1), "ibv_rereg_mr longest");
	DONE(ibv_rereg_mr(mr, 1, NULL, NULL, PAGE, 1), "ibv_rereg_mr null");
	DONE(ibv_rereg_mr(mr, 4, NULL, NULL, 0, 2), "ibv_rereg_mr access=2");
	dereg(mr);
}

static void windows(void)
{
	for (int type = 0; type <= 3; type++) {
		struct ibv_mw *mw = MADE(ibv_alloc_mw(bench.pd, (enum ibv_mw_type)type),
					 "ibv_alloc_mw type=%d", type);

		if (mw)
			DONE(ibv_dealloc_mw(mw), "ibv_dealloc_mw");
	}
}

static void device_memory(void)
{
	const size_t lengths[] = { 0,
				   1,
				   2,
				   3,
				   64,
				   4095,
				   4096,
				   4097,
				   65536,
				   bench.limits.max_dm_size - 1,
				   bench.limits.max_dm_size,
				   bench.limits.max_dm_size + 1,
				   SIZE_MAX };
	const uint32_t aligns[] = { 0, 1, 6, 12, 20, 31, 32, 64 };
	struct ibv_dm *dm;

	for (size_t i = 0; i < COUNT(lengths); i++)
		for (size_t k = 0; k < (i == 4 ? COUNT(aligns) : 1); k++) {
			struct ibv_alloc_dm_attr a = { lengths[i], aligns[k], 0 };
			uint64_t words[2] = { 1, 2 };

			dm = MADE(ibv_alloc_dm(bench.ctx, &a),
				  "ibv_alloc_dm length=%zu align=%u", lengths[i], aligns[k]);
			if (!dm)
				continue;
			for (unsigned int f = 0; f <= 9; f++) {
				unsigned int access =
					IBV_ACCESS_ZERO_BASED | (f < 9 ? flags[f] : 0);

				dereg(MADE(ibv_reg_dm_mr(bench.pd, dm, 0, lengths[i], access),
					   "ibv_reg_dm_mr access=%#x", access));
			}
			dereg(MADE(ibv_reg_dm_mr(bench.pd, dm, 0, lengths[i], 1),
				   "ibv_reg_dm_mr access=1"));
			dereg(MADE(ibv_reg_dm_mr(bench.pd, dm, 1, lengths[i], 0x21),
				   "ibv_reg_dm_mr offset=1"));
			dereg(MADE(ibv_reg_dm_mr(bench.pd, dm, 0, lengths[i] + 1, 0x21),
				   "ibv_reg_dm_mr longer"));
			DONE(ibv_memcpy_to_dm(dm, 0, words, 4), "ibv_memcpy_to_dm");
			DONE(ibv_memcpy_to_dm(dm, lengths[i], words, 4),
			     "ibv_memcpy_to_dm offset=end");
			DONE(ibv_free_dm(dm), "ibv_free_dm");
		}
	DONE(ibv_alloc_dm(bench.ctx, &(struct ibv_alloc_dm_attr){ 64, 0, 1 }) != NULL,
	     "ibv_alloc_dm comp_mask=1");
	for (int type = 0; type <= 4; type++) {
		struct mlx5dv_alloc_dm_attr dv = { .type = (enum mlx5dv_alloc_dm_type)type };
		struct ibv_alloc_dm_attr a = { 4096, 0, 0 };

		dm = MADE(mlx5dv_alloc_dm(bench.ctx, &a, &dv), "mlx5dv_alloc_dm type=%d", type);
		if (!dm)
			continue;
		for (unsigned int op = 0; op <= 9; op++)
			step("mlx5dv_dm_map_op_addr op=%u", op),
				errno = 0, made(mlx5dv_dm_map_op_addr(dm, (uint8_t)op));
		DONE(ibv_free_dm(dm), "ibv_free_dm");
	}
}

static void domains(void)
{
	struct ibv_td_init_attr td_attr = { 0 };
	struct ibv_parent_domain_init_attr a = { .pd = bench.pd };
	struct ibv_td *td = MADE(ibv_alloc_td(bench.ctx, &td_attr), "ibv_alloc_td");
	struct ibv_pd *parent;

	td_attr.comp_mask = 1;
	MADE(ibv_alloc_td(bench.ctx, &td_attr), "ibv_alloc_td comp_mask=1");
	parent = MADE(ibv_alloc_parent_domain(bench.ctx, &a), "ibv_alloc_parent_domain");
	if (parent)
		DONE(ibv_dealloc_pd(parent), "ibv_dealloc_pd parent");
	a.td = td;
	for (a.comp_mask = 0; a.comp_mask <= 4; a.comp_mask++) {
		parent = MADE(ibv_alloc_parent_domain(bench.ctx, &a),
			      "ibv_alloc_parent_domain comp_mask=%u", a.comp_mask);
		if (!parent)
			continue;
		if (td)
			DONE(ibv_dealloc_td(td) == EBUSY ? EBUSY : 0, "ibv_dealloc_td in-use");
		dereg(MADE(ibv_reg_mr(parent, bench.memory, PAGE, 1), "ibv_reg_mr parent"));
		DONE(ibv_dealloc_pd(parent), "ibv_dealloc_pd parent");
	}
	a.pd = NULL;
	MADE(ibv_alloc_parent_domain(bench.ctx, &a), "ibv_alloc_parent_domain pd=NULL");
	if (td)
		DONE(ibv_dealloc_td(td), "ibv_dealloc_td");
}

void memory_calls(void)
{
	struct ibv_pd *pd = MADE(ibv_alloc_pd(bench.ctx), "ibv_alloc_pd");
	struct ibv_mr *mr;

	NEED(pd);
	regions();
	regions_elsewhere();
	reregistrations(pd);
	mr = ibv_reg_mr(pd, bench.memory, PAGE, 1);
	NEED(mr);
	DONE(ibv_dealloc_pd(pd), "ibv_dealloc_pd in-use");
	dereg(mr);
	DONE(ibv_dealloc_pd(pd), "ibv_dealloc_pd");
	windows();
	device_memory();
	domains();
}
