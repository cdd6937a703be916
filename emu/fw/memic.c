/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Device memory (MEMIC): bytes of the adapter that applications reach through the BAR and work
 * requests through an mkey.
 *
 *	BAR    ...|<--------------- memic_bar_size --------------->|...
 *	           |<- range of one command ->|
 *	                |<- memic_size ->|       the driver gives the range, firmware the place
 *
 * There is less memory than BAR: all allocations together are at most max_memic_size.
 * MODIFY_MEMIC (operations by access, memic_operations) is not here.
 */
#include "fw/command.h"

#define ALIGN_MIN 64 /* log_memic_addr_alignment counts from it (mlx5_ib, dm.c) */

static bool overlaps(const struct hca_memic *m, uint64_t addr, uint64_t size)
{
	return addr < m->addr + m->size && m->addr < addr + size;
}

/* Some allocation that has a byte in [addr, addr + size), or NULL. */
static struct hca_memic *in_the_way(struct hca *hca, uint64_t addr, uint64_t size)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &hca->memics) {
		struct hca_memic *m = core_container(pos, struct hca_memic, on_dev);

		if (overlaps(m, addr, size))
			return m;
	}
	return NULL;
}

static uint64_t in_use(struct hca *hca)
{
	struct core_list *pos, *tmp;
	uint64_t sum = 0;

	core_list_for_each(pos, tmp, &hca->memics)
		sum += core_container(pos, struct hca_memic, on_dev)->size;
	return sum;
}

/* The first free place of @size bytes in [start, end); 0: none. */
static uint64_t find_place(struct hca *hca, uint64_t start, uint64_t end, uint64_t size,
			   uint64_t align)
{
	uint64_t addr = (start + align - 1) & ~(align - 1);

	while (addr + size <= end) {
		const struct hca_memic *m = in_the_way(hca, addr, size);

		if (!m)
			return addr;
		addr = (m->addr + m->size + align - 1) & ~(align - 1);
	}
	return 0;
}

static bool range_ok(const struct hca *hca, uint64_t start, uint64_t len)
{
	uint64_t bar =
		PRM_GET(device_mem_cap, hca->caps[PRM_CAP_DEV_MEM], memic_bar_start_addr);
	uint64_t size = FW_MEMIC(hca, memic_bar_size);

	return start >= bar && start - bar <= size && len <= size - (start - bar);
}

enum fw_status fw_alloc_memic(struct fw_cmd *c)
{
	uint64_t start = PRM_GET(alloc_memic_in, c->in, range_start_addr);
	uint64_t range = PRM_GET(alloc_memic_in, c->in, range_size);
	uint64_t size = PRM_GET(alloc_memic_in, c->in, memic_size);
	uint32_t log_align = PRM_GET(alloc_memic_in, c->in, log_memic_addr_alignment);
	struct hca_memic *m;
	uint64_t addr;

	/* A multiple of 1 << log_min_memic_alloc_size, from a range within the MEMIC BAR:
	 * mlx5_ib (dm.c, mlx5_cmd_alloc_memic, MLX5_MEMIC_BASE_SIZE) rounds up and asks for
	 * nothing else, so the status for the rest is our choice. */
	if (!size || size & ((1ull << FW_MEMIC(c->hca, log_min_memic_alloc_size)) - 1) ||
	    size > range || !range_ok(c->hca, start, range) ||
	    log_align > FW_MEMIC(c->hca, log_max_memic_addr_alignment))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	/* NO_RES makes mlx5_ib try the next range (dm.c, mlx5_cmd_alloc_memic). */
	addr = find_place(c->hca, start, start + range, size, (uint64_t)ALIGN_MIN << log_align);
	if (!addr || in_use(c->hca) + size > FW_MEMIC(c->hca, max_memic_size))
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	m = hca_memic_new(c->hca);
	if (!m)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	m->addr = addr;
	m->size = size;
	/* assumed(memic_comes_zeroed): what an allocation's former owner wrote is not there. */
	memset(c->hca->memic + (addr - HCA_MEMIC_START), 0, size);
	PRM_SET(alloc_memic_out, c->out, memic_start_addr, addr);
	return FW_OK;
}

enum fw_status fw_dealloc_memic(struct fw_cmd *c)
{
	uint64_t addr = PRM_GET(dealloc_memic_in, c->in, memic_start_addr);
	struct hca_memic *m = in_the_way(c->hca, addr, 1);

	if (!m || m->addr != addr || m->size != PRM_GET(dealloc_memic_in, c->in, memic_size))
		return fw_absent(c);
	/* As with any object that others refer to (owner.c). ib_core counts the regions of
	 * device memory itself (uverbs_std_types_dm.c: usecnt) and does not ask then. */
	if (m->refs)
		return fw_busy(c);
	hca_memic_free(m);
	return FW_OK;
}

struct hca_memic *fw_memic_at(struct hca *hca, uint64_t addr, uint64_t len)
{
	struct hca_memic *m = in_the_way(hca, addr, 1);

	return m && len <= m->size - (addr - m->addr) ? m : NULL;
}
