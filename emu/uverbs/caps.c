/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities of the device, read once at probe (mlx5_core, fw.c, mlx5_query_hca_caps), and
 * its clock for user space.
 */
#include <endian.h>
#include <time.h>

#include <rdma/mlx5-abi.h>

#include "uverbs/method.h"

static int read_group(struct uverbs *u, uint16_t group)
{
	uint8_t in[PRM_SZ(query_hca_cap_in)] = { 0 };
	uint8_t out[PRM_SZ(query_hca_cap_out)] = { 0 };
	int ret;

	PRM_SET(query_hca_cap_in, in, opcode, PRM_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, in, op_mod, PRM_CAP_OP_MOD(group, PRM_CAP_CUR));
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (!ret)
		memcpy(u->caps[group], PRM_ADDR(query_hca_cap_out, out, capability),
		       UVERBS_CAP_SIZE);
	return ret;
}

/* A group is read if the general capabilities announce it. */
int uverbs_caps_read(struct uverbs *u)
{
	int ret = read_group(u, PRM_CAP_GENERAL);

	if (!ret && UVERBS_CAP(u, eth_net_offloads))
		ret = read_group(u, PRM_CAP_ETHERNET_OFFLOADS);
	if (!ret && UVERBS_CAP(u, pg))
		ret = read_group(u, PRM_CAP_ODP);
	if (!ret && UVERBS_CAP(u, atomic))
		ret = read_group(u, PRM_CAP_ATOMIC);
	if (!ret && UVERBS_CAP(u, roce))
		ret = read_group(u, PRM_CAP_ROCE);
	if (!ret && UVERBS_CAP(u, qos))
		ret = read_group(u, PRM_CAP_QOS);
	if (!ret && UVERBS_CAP(u, device_memory))
		ret = read_group(u, PRM_CAP_DEV_MEM);
	if (!ret && uverbs_has_var(u))
		ret = read_group(u, PRM_CAP_VDPA_EMULATION);
	if (!ret && UVERBS_CAP(u, event_cap))
		ret = read_group(u, PRM_CAP_DEV_EVENT);
	return ret;
}

/* The group is the largest one, and most programs make no flows. */
int uverbs_flow_caps_read(struct uverbs *u)
{
	int ret = 0;

	if (UVERBS_CAP(u, nic_flow_table) && !u->has_flow_caps)
		ret = read_group(u, PRM_CAP_FLOW_TABLE);
	u->has_flow_caps = !ret;
	return ret;
}

#define CLOCK_SHIFT 23 /* mlx5_core, lib/clock.c: MLX5_CYCLES_SHIFT */
#define CLOCK_BITS  41 /* there: CLOCKSOURCE_MASK(41) */

static uint64_t device_cycles(const struct uverbs *u)
{
	return be64toh(__atomic_load_n(u->hca->clock, __ATOMIC_RELAXED));
}

#define NSEC_PER_JIFFY 4000000u /* Debian's CONFIG_HZ: 250 */

/* mlx5_core, lib/clock.c, mlx5_init_overflow_period: jiffies */
static uint64_t overflow_period(const struct mlx5_ib_clock_info *info)
{
	uint64_t cycles = INT64_MAX / info->mult;

	if (cycles > info->mask / 3)
		cycles = info->mask / 3;
	return (cycles * info->mult >> info->shift) / NSEC_PER_JIFFY;
}

/*
 * The page of MLX5_IB_MMAP_CLOCK_INFO: nanoseconds = nsec + ((cycles - then) & mask) * mult >>
 * shift. The kernel refreshes it from a timer; here every open() does, which is enough for
 * the counter's 41 bits (hours).
 */
void uverbs_clock_info(struct uverbs *u)
{
	uint64_t khz = UVERBS_CAP(u, device_frequency_khz);
	struct mlx5_ib_clock_info *info;
	struct timespec now;

	info = khz ? hca_bar_map(u->hca, HCA_CLOCK_INFO_PGOFF) : NULL;
	if (!info)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	__atomic_store_n(&info->sign, info->sign | MLX5_IB_CLOCK_INFO_KERNEL_UPDATING,
			 __ATOMIC_SEQ_CST);
	info->cycles = device_cycles(u) & ((1ull << CLOCK_BITS) - 1);
	info->nsec = now.tv_sec * 1000000000ull + now.tv_nsec;
	info->frac = 0;
	info->mult = ((1000000ull << CLOCK_SHIFT) + khz / 2) / khz;
	info->shift = CLOCK_SHIFT;
	info->mask = (1ull << CLOCK_BITS) - 1;
	info->overflow_period = overflow_period(info);
	__atomic_store_n(&info->sign, (info->sign & ~MLX5_IB_CLOCK_INFO_KERNEL_UPDATING) + 2,
			 __ATOMIC_RELEASE);
	hca_bar_unmap(info);
}
