/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of the port, as mlx5_ib shows them in sysfs and RDMA netlink: of a function, that is
 * of all processes that share it (hca/counted.h).
 *
 *	hw_counters   QUERY_Q_COUNTER of set 0, which the kernel's QPs count into, QUERY_CONG_STATISTICS
 *		      (counters.c, do_get_hw_stats)
 *	counters      QUERY_VPORT_COUNTER (mad.c, pma_cnt_ext_assign)
 *
 * Errors of the link are 0: the emulated one has none, and a frame with a fault of --corrupt is
 * lost.
 */
#include "uverbs/driver.h"

/* A Q counter has 32 bits. */
unsigned int uverbs_hw_counters(uint16_t kernel, const struct hca_counted *n,
				struct uverbs_counter *c)
{
	unsigned int i = 0;

#define HW_COUNTER(f, since)                    \
	if (kernel_has(kernel, KERNEL_##since)) \
		c[i++] = (struct uverbs_counter){ #f, (uint32_t)n->no_set.f };
#define HW_CONG_COUNTER(f) c[i++] = (struct uverbs_counter){ #f, n->congestion.f };
#include "hca/hw_counter.def"
	return i;
}

enum { packets, octets };

static uint64_t traffic(const struct hca_vport_direction *d, enum hca_cast cast, int unit)
{
	return unit == octets ? d->of[cast].octets : d->of[cast].packets;
}

/* The amount of data is in units of 4 bytes: InfiniBand specification, chapter 16,
 * PortXmitData. */
unsigned int uverbs_port_counters(uint16_t kernel, const struct hca_counted *n,
				  struct uverbs_counter *c)
{
	const struct hca_vport_direction *received = &n->vport.rx, *transmitted = &n->vport.tx;
	unsigned int i = 0;

	(void)kernel;
#define PORT_TRAFFIC(name, dir, unit, uni, multi)                              \
	c[i++] = (struct uverbs_counter){                                      \
		#name, ((uni ? traffic(dir, HCA_IB_UNICAST, unit) : 0) +       \
			(multi ? traffic(dir, HCA_IB_MULTICAST, unit) : 0)) >> \
			       (unit == octets ? 2 : 0)                        \
	};
#define PORT_ERROR(name) c[i++] = (struct uverbs_counter){ #name, 0 };
#include "hca/port_counter.def"
	return i;
}
