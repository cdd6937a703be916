/* SPDX-License-Identifier: BSD-2-Clause */
/* ALLOC_DM of ICM for software steering, FREE_DM and DM_MR_REG of it. */
#include <linux/capability.h>

#include "ethernet.h"
#include "uverbs/driver.h"

#define SUITE	 software_icm_is_device_memory
#define BLOCK	 (64u << 10)
#define STEERING 0x4000000000 /* device_mem_cap: the start of the area, 1 << 28 bytes long */
#define MODIFY	 0x5000000000 /* 1 << 22 */
#define PATTERN	 0x6000000000 /* 1 << 22 */
#define ACCESS                                                                      \
	(IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ)

static struct bench b;

static uint8_t *props(bool tx)
{
	uint8_t *caps = b.u->caps[PRM_CAP_FLOW_TABLE];

	return tx ? PRM_ADDR(flow_table_nic_cap, caps, flow_table_properties_nic_transmit)
		  : PRM_ADDR(flow_table_nic_cap, caps, flow_table_properties_nic_receive);
}

static void own(bool rx, bool tx, bool rx_v2, bool tx_v2)
{
	PRM_SET(flow_table_prop_layout, props(false), sw_owner, rx);
	PRM_SET(flow_table_prop_layout, props(true), sw_owner, tx);
	PRM_SET(flow_table_prop_layout, props(false), sw_owner_v2, rx_v2);
	PRM_SET(flow_table_prop_layout, props(true), sw_owner_v2, tx_v2);
}

static void setup(void)
{
	if (!has_cap(CAP_NET_RAW) || !has_cap(CAP_SYS_RAWIO))
		cr_skip_test("CAP_NET_RAW and CAP_SYS_RAWIO are needed");
	bench_context(&b);
	cr_assert_eq(uverbs_flow_caps_read(b.u), 0);
	own(false, false, true, true);
}

static void teardown(void)
{
	bench_down(&b);
}

TestSuite(SUITE, .init = setup, .fini = teardown);

static int alloc(uint32_t type, uint64_t length, uint32_t log_align, uint64_t *addr,
		 uint32_t *handle)
{
	struct call c = call(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_ALLOC_DM_HANDLE, 0);
	int ret;

	call_u64(&c, UVERBS_ATTR_ALLOC_DM_LENGTH, length);
	call_u32(&c, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, log_align);
	call_out(&c, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, addr, 8);
	call_u64(&c, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, type);
	ret = call_run(&b, &c);
	*handle = h->data;
	return ret;
}

static int release(uint32_t handle)
{
	return destroy(&b, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, UVERBS_ATTR_FREE_DM_HANDLE,
		       handle);
}

static int reg(uint32_t pd, uint32_t dm, uint64_t offset, uint64_t length, uint32_t access,
	       uint32_t *handle)
{
	struct call c = call(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_REG_DM_MR_HANDLE, 0);
	uint32_t lkey, rkey;
	int ret;

	call_u64(&c, UVERBS_ATTR_REG_DM_MR_OFFSET, offset);
	call_u64(&c, UVERBS_ATTR_REG_DM_MR_LENGTH, length);
	call_object(&c, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, pd);
	call_u32(&c, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, access);
	call_object(&c, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, dm);
	call_out(&c, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, &lkey, 4);
	call_out(&c, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, &rkey, 4);
	ret = call_run(&b, &c);
	*handle = h->data;
	return ret;
}

static int try(uint32_t type)
{
	uint32_t handle;
	uint64_t addr;
	int ret = alloc(type, BLOCK, 0, &addr, &handle);

	if (!ret)
		cr_assert_eq(release(handle), 0);
	return ret;
}

Test(SUITE, types_need_tables_of_software)
{
	own(false, false, false, false);
	for (uint32_t type = 1; type < 6; type++)
		cr_assert_eq(try(type), -EOPNOTSUPP, "type %u", type);
	own(true, false, false, false);
	cr_assert_eq(try(1), 0);
	cr_assert_eq(try(2), 0);
	cr_assert_eq(try(3), -EOPNOTSUPP);
	own(false, true, false, false);
	cr_assert_eq(try(1), 0);
	own(false, false, true, false);
	cr_assert_eq(try(2), 0);
	cr_assert_eq(try(3), -EOPNOTSUPP, "patterns need both sides");
	own(true, true, false, true);
	cr_assert_eq(try(3), -EOPNOTSUPP);
	own(false, false, true, true);
	cr_assert_eq(try(3), 0);
	cr_assert_eq(try(4), -EOPNOTSUPP);
}

Test(SUITE, both_privileges_are_needed_before_all_else)
{
	own(false, false, false, false);
	drop_cap(CAP_SYS_RAWIO);
	cr_assert_eq(try(1), -EPERM);
}

Test(SUITE, net_raw_is_needed)
{
	drop_cap(CAP_NET_RAW);
	cr_assert_eq(try(1), -EPERM);
}

Test(SUITE, sizes_are_powers_of_two_of_blocks)
{
	static const struct {
		uint32_t type;
		uint64_t length;
		uint32_t log_align;
		uint64_t addr;
	} cases[] = {
		{ 1, 1, 0, STEERING },
		{ 1, BLOCK + 1, 16, STEERING + BLOCK },
		{ 1, BLOCK, 17, STEERING + 4 * BLOCK },
		{ 1, BLOCK, 0, STEERING + 3 * BLOCK },
		{ 2, 5 * BLOCK, 0, MODIFY },
		{ 2, 1, 0, MODIFY + 8 * BLOCK },
		{ 3, 1, 0, PATTERN },
	};
	uint32_t handle;
	uint64_t addr;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert_eq(alloc(cases[i].type, cases[i].length, cases[i].log_align, &addr,
				   &handle),
			     0, "case %zu", i);
		cr_assert_eq(addr, cases[i].addr, "case %zu: 0x%lx", i, addr);
	}
	cr_assert_eq(alloc(1, 0, 0, &addr, &handle), -EINVAL);
	cr_assert_eq(alloc(1, UINT64_MAX, 0, &addr, &handle), -ENOMEM);
}

Test(SUITE, memory_is_exhausted_and_given_back)
{
	uint32_t handle[3];
	uint64_t addr;

	cr_assert_eq(alloc(1, 1u << 27, 0, &addr, &handle[0]), 0);
	cr_assert_eq(alloc(1, 1u << 28, 0, &addr, &handle[1]), -ENOMEM);
	cr_assert_eq(alloc(1, 1u << 27, 0, &addr, &handle[1]), 0);
	cr_assert_eq(alloc(1, 1, 0, &addr, &handle[2]), -ENOMEM);
	cr_assert_eq(release(handle[0]), 0);
	cr_assert_eq(alloc(1, 1, 0, &addr, &handle[0]), 0);
	cr_assert_eq(addr, STEERING);
	cr_assert_eq(release(handle[0]), 0);
	cr_assert_eq(release(handle[1]), 0);
	cr_assert_eq(alloc(1, 1u << 28, 0, &addr, &handle[0]), 0);
}

Test(SUITE, regions_have_no_atomics)
{
	uint32_t pd = alloc_pd(&b), dm, mr;
	uint64_t addr;

	cr_assert_eq(alloc(1, BLOCK, 0, &addr, &dm), 0);
	cr_assert_eq(reg(pd, dm, 0, BLOCK, ACCESS | IBV_ACCESS_REMOTE_ATOMIC, &mr), -EINVAL);
	cr_assert_eq(reg(pd, dm, 1, BLOCK, ACCESS, &mr), -EINVAL);
	cr_assert_eq(reg(pd, dm, 0, BLOCK, IBV_ACCESS_LOCAL_WRITE, &mr), -EINVAL);
	cr_assert_eq(reg(pd, dm, 64, BLOCK - 64, ACCESS, &mr), 0);
	cr_assert_eq(release(dm), -EBUSY);
	cr_assert_eq(dereg_mr(&b, mr), 0);
	cr_assert_eq(release(dm), 0);
}

Test(SUITE, is_not_queried_and_ends_with_its_file)
{
	struct call c = call(UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY);
	uint64_t addr, offset, length;
	uint16_t page;
	uint32_t dm;

	cr_assert_eq(alloc(1, BLOCK, 0, &addr, &dm), 0);
	call_object(&c, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, dm);
	call_out(&c, MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, &offset, 8);
	call_out(&c, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, &page, 2);
	call_out(&c, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, &length, 8);
	cr_assert_eq(call_run(&b, &c), -EOPNOTSUPP);
}
