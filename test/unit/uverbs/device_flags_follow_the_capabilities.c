/* SPDX-License-Identifier: BSD-2-Clause */
/* device_cap_flags: each from its capability, and from no other. */
#include "ethernet.h"

#define SUITE	      device_flags_follow_the_capabilities
#define SUITE_CONTEXT device_flags_follow_the_capabilities_with_context

#define BIT(n) (1ull << (n))

static struct hca hca;

static void open_it(void)
{
	cr_assert_eq(hca_init(&hca, 1), 0);
	fw_init(&hca, fw_device_find("cx5"));
}

static void close_it(void)
{
	hca_fini(&hca);
}

TestSuite(SUITE, .init = open_it, .fini = close_it);
CONTEXT_SUITE(SUITE_CONTEXT);

enum { GENERAL = 0, ETHERNET = 1 }; /* QUERY_HCA_CAP */

/* enum ibv_device_cap_flags, and IBV_DEVICE_PCI_WRITE_END_PADDING, _RAW_SCATTER_FCS */
#define ALWAYS (BIT(5) | BIT(10) | BIT(11) | BIT(12) | BIT(21))
#define CAP(f, n)                                                              \
	{                                                                      \
#f, GENERAL, PRM_OFF(cmd_hca_cap, f), PRM_W(cmd_hca_cap, f), n \
	}
#define ETH(f, n)                                                               \
	{                                                                       \
#f, ETHERNET, PRM_OFF(per_protocol_networking_offload_caps, f), \
			PRM_W(per_protocol_networking_offload_caps, f), n       \
	}

static const struct {
	const char *name;
	int group;
	uint32_t bit, width;
	uint64_t flags;
} rows[] = {
	CAP(pkv, BIT(1)),	CAP(qkv, BIT(2)),
	CAP(apm, BIT(4)),	CAP(imaicl, BIT(17) | BIT(24)),
	CAP(xrc, BIT(20)),	CAP(nic_flow_table, BIT(29)),
	CAP(end_pad, BIT(36)),	ETH(scatter_fcs, BIT(34)),
	ETH(csum_cap, BIT(26)), CAP(eth_net_offloads, BIT(26) | BIT(34)),
};

static void set(size_t row, uint64_t value)
{
	prm_store(hca.caps[rows[row].group], rows[row].bit, rows[row].width, value);
}

/* One after the other is taken away, alone. */
Test(SUITE, each_of_its_capability)
{
	uint64_t all = ALWAYS;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		all |= rows[i].flags;
		set(i, 1);
	}
	cr_assert_eq(uverbs_device_flags(&hca), all);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set(i, 0);
		cr_expect_eq(uverbs_device_flags(&hca), all & ~rows[i].flags, "%s: %#lx",
			     rows[i].name, (unsigned long)uverbs_device_flags(&hca));
		set(i, 1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		set(i, 0);
	cr_assert_eq(uverbs_device_flags(&hca), ALWAYS);
}

/* The short answer has the low 32. */
Test(SUITE_CONTEXT, of_both_answers)
{
	uint64_t cmd[2] = { 0 }, flags = uverbs_device_flags(&b.hca);
	struct ib_uverbs_ex_query_device_resp r;
	struct ib_uverbs_query_device_resp old;

	cr_assert_neq(flags >> 32, 0);
	cr_assert_neq((uint32_t)flags, 0);
	cr_assert_eq(
		write_cmd(&b, EX(IB_USER_VERBS_EX_CMD_QUERY_DEVICE), cmd, 8, &r, sizeof(r)), 0);
	cr_expect_eq(r.base.device_cap_flags, (uint32_t)flags);
	cr_expect_eq(r.device_cap_flags_ex, flags);
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_QUERY_DEVICE, cmd, 8, &old, sizeof(old)),
		     0);
	cr_expect_eq(old.device_cap_flags, (uint32_t)flags);
}
