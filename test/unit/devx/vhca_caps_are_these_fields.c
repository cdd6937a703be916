/* SPDX-License-Identifier: BSD-2-Clause */
/* devx_vhca_caps_query() copies each capability from its field: one at a time is all ones. */
#include <errno.h>
#include <string.h>
#include <criterion/criterion.h>
#include <devx/cross_vhca.h>
#include <prm/prm.h>

#include "fake_memory.h"
#include "lib/steps.h"

TestSuite(vhca_caps, .init = fake_memory_reset);

FAKE(int, mlx5dv_query_device, (struct ibv_context * ctx, struct mlx5dv_context *attr),
     (errno = EPIPE, step_fails() ? -1 : 0))

static struct ibv_context context;

static struct devx_vhca_caps query(void)
{
	struct devx_vhca_caps caps;

	cr_assert_eq(devx_vhca_caps_query(&caps, &context, 1), 0);
	return caps;
}

/* The capability @field of GENERAL alone is in the field of its name, and nowhere else. */
#define GENERAL(field, ones)                                                                 \
	do {                                                                                 \
		struct devx_vhca_caps expected = { .field = (ones), .link_layer = 2 }, caps; \
		fake_reset();                                                                \
		PRM_SET(cmd_hca_cap, fake.caps + 16, field, ones);                           \
		caps = query();                                                              \
		cr_expect(!memcmp(&caps, &expected, sizeof(caps)), #field " is elsewhere");  \
	} while (0)

Test(vhca_caps, of_the_first_group)
{
	GENERAL(vhca_id, 0xffff);
	GENERAL(dma_mmo_qp, 1);
	GENERAL(dma_mmo_sq, 1);
	GENERAL(log_dma_mmo_max_size, 0x1f);
	GENERAL(log_max_umem, 0x1f);
	GENERAL(log_max_uctx, 0x1f);
	GENERAL(fixed_buffer_size, 1);
	GENERAL(crossing_vhca_mkey, 1);
}

/* InfiniBand has a GID; without an answer of the port there may be none. */
Test(vhca_caps, of_the_port)
{
	static const int err[] = { 0, ENOMEM, ENOMEM, EIO, EPIPE, EIO, 0 };
	struct devx_vhca_caps caps;

	PRM_SET(cmd_hca_cap, fake.caps + 16, hca_cap_2, 1);
	fake_memory.infiniband = true;
	cr_expect_eq(query().link_layer, IBV_LINK_LAYER_INFINIBAND);
	cr_expect_eq(query().has_gid, 1);
	for (unsigned int n = 1; n <= 6; n++) {
		steps.fail_at = n;
		cr_expect_eq(devx_vhca_caps_query(&caps, &context, 1), err[n], "step %u", n);
		cr_expect_eq(steps.fail_at, 0);
	}
	cr_expect_eq(caps.has_gid, 0);
}

Test(vhca_caps, of_the_second_group)
{
	struct devx_vhca_caps caps;

	fake.two_groups = true;
	PRM_SET(cmd_hca_cap_2, fake.caps_2 + 16, cross_vhca_object_to_object_supported,
		0xffffffff);
	cr_expect_eq(query().cross_vhca_object_to_object_supported, 0, "hca_cap_2 is 0");
	PRM_SET(cmd_hca_cap, fake.caps + 16, hca_cap_2, 1);
	caps = query();
	cr_expect_eq(caps.hca_cap_2, 1);
	cr_expect_eq(caps.cross_vhca_object_to_object_supported, 0xffffffff);
	cr_expect_eq(caps.allowed_object_for_other_vhca_access, 0);
	memset(fake.caps_2, 0, sizeof(fake.caps_2));
	PRM_SET(cmd_hca_cap_2, fake.caps_2 + 16, allowed_object_for_other_vhca_access,
		0x8000000000000001);
	caps = query();
	cr_expect_eq(caps.cross_vhca_object_to_object_supported, 0);
	cr_expect_eq(caps.allowed_object_for_other_vhca_access, 0x8000000000000001);
}
