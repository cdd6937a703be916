/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about the capabilities of a ConnectX-5, in the form that asks an
 * adapter: see completions.c. On another adapter there is nothing to compare.
 */
#include <prm/prm.h>
#include "lib/qp_traffic.h"

enum { CURRENT = 1 }; /* op_mod 0 of QUERY_HCA_CAP; 0: maximum */

static uint8_t out[PRM_SZ(query_hca_cap_out)];

/* QUERY_HCA_CAP of group @group; its status. Skips where there are no DevX commands. */
static uint8_t query(unsigned int group)
{
	uint8_t in[PRM_SZ(query_hca_cap_in)] = { 0 };
	int err;

	memset(out, 0, sizeof(out));
	PRM_SET(query_hca_cap_in, in, opcode, PRM_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, in, op_mod, group << 1 | CURRENT);
	err = mlx5dv_devx_general_cmd(r.ctx, in, sizeof(in), out, sizeof(out));
	if (err && !out[0])
		cr_skip_test("no DevX commands: %s", strerror(err));
	return PRM_GET(query_hca_cap_out, out, status);
}

static const uint8_t *capability(unsigned int group)
{
	cr_assert_eq(query(group), PRM_STATUS_OK);
	return PRM_ADDR(query_hca_cap_out, out, capability);
}

static struct ibv_device_attr_ex device(void)
{
	struct ibv_device_attr_ex attr;

	cr_assert_eq(ibv_query_device_ex(r.ctx, NULL, &attr), 0);
	return attr;
}

/* pci.ids: 1017 ConnectX-5, 1018 its virtual functions, 1019 ConnectX-5 Ex, 101a its. */
static void needs_cx5(void)
{
	uint32_t part = device().orig_attr.vendor_part_id;

	if (part < 0x1017 || part > 0x101a)
		cr_skip_test("no ConnectX-5, but device 0x%x", part);
}

Test(assumed, unknown_cap_group_is_bad_param)
{
	cr_assert_eq(query(PRM_CAP_GENERAL), PRM_STATUS_OK);
	cr_assert_eq(query(0x7f), PRM_STATUS_BAD_PARAM);
}

Test(assumed, cap_groups_of_devices)
{
	static const uint8_t groups[] = {
		PRM_CAP_GENERAL,     PRM_CAP_ETHERNET_OFFLOADS,
		PRM_CAP_ODP,	     PRM_CAP_ATOMIC,
		PRM_CAP_ROCE,	     PRM_CAP_FLOW_TABLE,
		PRM_CAP_VECTOR_CALC, PRM_CAP_ESWITCH_FLOW_TABLE,
		PRM_CAP_ESWITCH,     PRM_CAP_QOS,
		PRM_CAP_DEBUG,	     PRM_CAP_DEV_MEM,
		PRM_CAP_DEV_EVENT,   PRM_CAP_GENERAL_2,
	};

	for (size_t i = 0; i < sizeof(groups); i++)
		cr_expect_eq(query(groups[i]), PRM_STATUS_OK, "group 0x%x", groups[i]);
}

/* pci.ids: 1021 ConnectX-7, a2d6 BlueField-2, a2dc BlueField-3. */
Test(assumed, newer_devices_have_the_clock_of_cx6dx)
{
	struct ibv_device_attr_ex attr = device();
	uint32_t part = attr.orig_attr.vendor_part_id;

	if (part != 0x1021 && part != 0xa2d6 && part != 0xa2dc)
		cr_skip_test("neither ConnectX-7 nor BlueField-2 or 3, but device 0x%x", part);
	cr_expect_eq(attr.hca_core_clock, 1000000);
}

#define HAS(cap, field, v)                                                         \
	cr_expect_eq(PRM_GET(cmd_hca_cap, cap, field), v, #field " is %u, not %u", \
		     (unsigned int)PRM_GET(cmd_hca_cap, cap, field), v)

Test(assumed, cx5_object_limits)
{
	const uint8_t *cap;

	needs_cx5();
	cap = capability(PRM_CAP_GENERAL);
	HAS(cap, log_max_qp_sz, 15);
	HAS(cap, max_wqe_sz_sq, 1024);
	HAS(cap, max_wqe_sz_rq, 512);
	HAS(cap, log_max_ra_req_qp, 4);
	HAS(cap, log_max_ra_res_qp, 4);
	HAS(cap, log_max_msg, 30);
	HAS(cap, log_max_srq, 23);
	HAS(cap, log_max_srq_sz, 15);
	HAS(cap, log_max_rmp, 23);
	HAS(cap, log_max_xrcd, 23);
	HAS(cap, log_max_cq, 24);
	HAS(cap, log_max_cq_sz, 22);
	HAS(cap, log_max_eq, 6);
	HAS(cap, log_max_eq_sz, 22);
	HAS(cap, log_max_pd, 24);
	HAS(cap, log_max_transport_domain, 23);
	HAS(cap, log_max_uctx, 15);
	HAS(cap, log_max_mkey, 24);
	HAS(cap, log_max_mrw_sz, 64);
}

Test(assumed, cx5_local_ca_ack_delay)
{
	needs_cx5();
	cr_assert_eq(device().orig_attr.local_ca_ack_delay, 16, "%u",
		     device().orig_attr.local_ca_ack_delay);
}

Test(assumed, cx5_device_memory)
{
	const uint8_t *cap;

	needs_cx5();
	cr_expect_eq(device().max_dm_size, 128 << 10, "%lu", device().max_dm_size);
	cap = capability(PRM_CAP_DEV_MEM);
	cr_expect_eq(PRM_GET(device_mem_cap, cap, log_min_memic_alloc_size), 6);
	cr_expect_eq(PRM_GET(device_mem_cap, cap, log_max_memic_addr_alignment), 6);
	cr_expect_eq(PRM_GET(device_mem_cap, cap, memic_bar_size), 1 << 20);
}

Test(assumed, cx5_odp_transports)
{
	const uint32_t wr = IBV_ODP_SUPPORT_WRITE, rd = IBV_ODP_SUPPORT_READ,
		       send = IBV_ODP_SUPPORT_SEND, recv = IBV_ODP_SUPPORT_RECV,
		       srq = IBV_ODP_SUPPORT_SRQ_RECV;
	struct ibv_device_attr_ex attr;

	needs_cx5();
	attr = device();
	if (!(attr.odp_caps.general_caps & IBV_ODP_SUPPORT))
		cr_skip_test("this kernel offers no on-demand paging");
	cr_expect_eq(attr.odp_caps.per_transport_caps.rc_odp_caps, send | recv | wr | rd | srq);
	cr_expect_eq(attr.odp_caps.per_transport_caps.uc_odp_caps, 0);
	cr_expect_eq(attr.odp_caps.per_transport_caps.ud_odp_caps, send);
	cr_expect_eq(attr.xrc_odp_caps, send | wr | rd | srq);
}

Test(assumed, dc_limits_are_those_of_rc)
{
	const uint8_t *cap = capability(PRM_CAP_GENERAL);

	if (!PRM_GET(cmd_hca_cap, cap, dct))
		cr_skip_test("no DC");
	cr_expect_eq(PRM_GET(cmd_hca_cap, cap, log_max_ra_req_dc),
		     PRM_GET(cmd_hca_cap, cap, log_max_ra_req_qp));
	cr_expect_eq(PRM_GET(cmd_hca_cap, cap, log_max_ra_res_dc),
		     PRM_GET(cmd_hca_cap, cap, log_max_ra_res_qp));
	cr_expect_eq(PRM_GET(cmd_hca_cap, cap, max_wqe_sz_sq_dc),
		     PRM_GET(cmd_hca_cap, cap, max_wqe_sz_sq));
	cr_expect_eq(PRM_GET(cmd_hca_cap, cap, dc_req_scat_data_cqe), 1);
}
