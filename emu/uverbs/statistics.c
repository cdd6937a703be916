/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of the port, as mlx5_ib reads them for sysfs and RDMA netlink.
 *
 *	hw_counters   QUERY_Q_COUNTER of set 0, which the kernel's QPs count into, QUERY_CONG_STATISTICS
 *		      (counters.c, do_get_hw_stats)
 *	counters      QUERY_VPORT_COUNTER (mad.c, pma_cnt_ext_assign)
 *
 * Errors of the link are 0: the emulated one has none, and a frame with a fault of --corrupt is lost.
 */
#include "uverbs/driver.h"

static void ask(struct uverbs *u, uint16_t opcode, void *out, size_t len)
{
	uint8_t in[PRM_SZ(query_vport_counter_in)] = { 0 };

	PRM_SET(query_vport_counter_in, in, opcode, opcode);
	memset(out, 0, len);
	if (!u)
		return;
	hca_lock(u->hca);
	uverbs_fw(u, in, sizeof(in), out, len);
	hca_unlock(u->hca);
}

/* The inboxes are laid out alike as long as they name nothing. */
_Static_assert(PRM_SZ(query_q_counter_in) <= PRM_SZ(query_vport_counter_in) &&
		       PRM_SZ(query_cong_statistics_in) <= PRM_SZ(query_vport_counter_in),
	       "inbox");

unsigned int uverbs_hw_counters(struct uverbs *u, struct uverbs_counter *c)
{
	uint8_t q[PRM_SZ(query_q_counter_out)], cong[PRM_SZ(query_cong_statistics_out)];
	unsigned int n = 0;

	ask(u, PRM_OP_QUERY_Q_COUNTER, q, sizeof(q));
	ask(u, PRM_OP_QUERY_CONG_STATISTICS, cong, sizeof(cong));
#define HW_COUNTER(f) \
	c[n++] = (struct uverbs_counter){ #f, PRM_GET(query_q_counter_out, q, f) };
#define HW_CONG_COUNTER(f)                                                               \
	c[n++] = (struct uverbs_counter){                                                \
		#f, (uint64_t)PRM_GET(query_cong_statistics_out, cong, f##_high) << 32 | \
			    PRM_GET(query_cong_statistics_out, cong, f##_low)            \
	};
#include "hca/hw_counter.def"
	return n;
}

static uint64_t traffic(const uint8_t *at, bool octets)
{
	return octets ? PRM_GET(traffic_counter, at, octets)
		      : PRM_GET(traffic_counter, at, packets);
}

enum { packets = false, octets = true };

/* The amount of data is in units of 4 bytes: InfiniBand specification, chapter 16, PortXmitData. */
unsigned int uverbs_port_counters(struct uverbs *u, struct uverbs_counter *c)
{
	uint8_t v[PRM_SZ(query_vport_counter_out)];
	unsigned int n = 0;

	ask(u, PRM_OP_QUERY_VPORT_COUNTER, v, sizeof(v));
#define KIND(dir, cast) PRM_ADDR(query_vport_counter_out, v, dir##_ib_##cast)
#define PORT_TRAFFIC(name, dir, unit, uni, multi)                             \
	c[n++] = (struct uverbs_counter){                                     \
		#name, ((uni ? traffic(KIND(dir, unicast), unit) : 0) +       \
			(multi ? traffic(KIND(dir, multicast), unit) : 0)) >> \
			       (unit ? 2 : 0)                                 \
	};
#define PORT_ERROR(name) c[n++] = (struct uverbs_counter){ #name, 0 };
#include "hca/port_counter.def"
	return n;
}
