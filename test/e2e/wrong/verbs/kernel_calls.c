/* SPDX-License-Identifier: BSD-2-Clause */
/* Refusals of the kernel, or of libmlx5 before it: an errno value and nothing changed. */
#include <sys/mman.h>
#include "lib/qp_traffic.h"

TestSuite(kernel_calls, .init = rig_start, .fini = rig_stop);

static void not_registered(void *addr, size_t len, int access, int error)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_mr(r.pd, addr, len, access);
	cr_assert_null(mr);
	cr_assert_eq(errno, error, "%s", strerror(errno));
}

/* wrong: ibv_reg_mr of an address where nothing is mapped | EFAULT | kernel, umem.c:
 * ib_umem_get, pin_user_pages_fast */
Test(kernel_calls, mr_of_wild_pointer)
{
	not_registered((void *)(uintptr_t)0x10000, PAGE, IBV_ACCESS_LOCAL_WRITE, EFAULT);
}

/* wrong: ibv_reg_mr of memory that ends in an unmapped page | EFAULT | kernel, umem.c:
 * ib_umem_get, pin_user_pages_fast */
Test(kernel_calls, mr_that_reaches_into_a_hole)
{
	char *mem = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	cr_assert_neq(mem, MAP_FAILED);
	munmap(mem + PAGE, PAGE);
	not_registered(mem, PAGE + 1, IBV_ACCESS_LOCAL_WRITE, EFAULT);
}

/* wrong: ibv_reg_mr of read-only memory with LOCAL_WRITE | EFAULT | kernel, umem.c: FOLL_WRITE
 * where the rights write */
Test(kernel_calls, writable_mr_of_read_only_memory)
{
	void *mem = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(mem, MAP_FAILED);
	not_registered(mem, PAGE, IBV_ACCESS_LOCAL_WRITE, EFAULT);
}

/* wrong: ibv_reg_mr with REMOTE_WRITE and without LOCAL_WRITE | EINVAL | rdma-core, test_mr.py:
 * test_reg_mr_bad_flags; kernel, ib_verbs.h: ib_check_mr_access */
Test(kernel_calls, mr_with_remote_but_no_local_write)
{
	not_registered(r.src, PAGE, IBV_ACCESS_REMOTE_WRITE, EINVAL);
	not_registered(r.src, PAGE, IBV_ACCESS_REMOTE_ATOMIC, EINVAL);
}

/* wrong: ibv_reg_mr whose end wraps around 2^64 | EINVAL | kernel, umem.c: ib_umem_get */
Test(kernel_calls, mr_that_wraps_the_address_space)
{
	not_registered(r.src, SIZE_MAX - PAGE, IBV_ACCESS_LOCAL_WRITE, EINVAL);
}

static void no_qp(struct ibv_qp_cap cap)
{
	struct ibv_cq *cq = ibv_create_cq(r.ctx, 10, NULL, NULL, 0);
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .cap = cap
	};

	errno = 0;
	cr_assert_null(ibv_create_qp(r.pd, &init));
	cr_assert(errno == EINVAL || errno == ENOMEM, "%s", strerror(errno));
	cr_assert_eq(ibv_destroy_cq(cq), 0);
}

/* wrong: ibv_create_qp with 2^31 - 1 sends | EINVAL or ENOMEM | rdma-core,
 * providers/mlx5/verbs.c: mlx5_calc_sq_size */
Test(kernel_calls, qp_with_too_many_sends)
{
	no_qp((struct ibv_qp_cap){ INT32_MAX, 1, 1, 1, 0 });
}

/* wrong: ibv_create_qp with 2^31 - 1 receives | EINVAL or ENOMEM | rdma-core,
 * providers/mlx5/verbs.c: mlx5_calc_rq_size */
Test(kernel_calls, qp_with_too_many_receives)
{
	no_qp((struct ibv_qp_cap){ 1, INT32_MAX, 1, 1, 0 });
}

/* wrong: ibv_create_qp with 10000 SGEs a send | EINVAL or ENOMEM | rdma-core,
 * providers/mlx5/verbs.c: mlx5_calc_send_wqe */
Test(kernel_calls, qp_with_too_many_send_sges)
{
	no_qp((struct ibv_qp_cap){ 1, 1, 10000, 1, 0 });
}

/* wrong: ibv_create_qp with 10000 SGEs a receive | EINVAL or ENOMEM | rdma-core,
 * providers/mlx5/verbs.c: mlx5_calc_rcv_wqe */
Test(kernel_calls, qp_with_too_many_receive_sges)
{
	no_qp((struct ibv_qp_cap){ 1, 1, 1, 10000, 0 });
}

/* wrong: ibv_create_qp with 100000 bytes inline | EINVAL or ENOMEM | rdma-core,
 * providers/mlx5/verbs.c: mlx5_calc_send_wqe */
Test(kernel_calls, qp_with_too_much_inline_data)
{
	no_qp((struct ibv_qp_cap){ 1, 1, 1, 1, 100000 });
}

static void no_cq(int cqe)
{
	errno = 0;
	cr_assert_null(ibv_create_cq(r.ctx, cqe, NULL, NULL, 0));
	cr_assert_eq(errno, EINVAL, "%s", strerror(errno));
}

/* wrong: ibv_create_cq with no CQEs | EINVAL | rdma-core, providers/mlx5/verbs.c: create_cq */
Test(kernel_calls, cq_of_size_0)
{
	no_cq(0);
}

/* wrong: ibv_create_cq with more CQEs than max_cqe | EINVAL | rdma-core,
 * tests/test_cq.py: test_create_cq_bad_flow */
Test(kernel_calls, cq_larger_than_max_cqe)
{
	struct ibv_device_attr attr;

	cr_assert_eq(ibv_query_device(r.ctx, &attr), 0);
	no_cq(attr.max_cqe + 1);
}

/* wrong: ibv_create_cq with a completion vector that does not exist | EINVAL | rdma-core,
 * tests/test_cq.py: test_create_cq_bad_flow */
Test(kernel_calls, cq_with_unknown_vector)
{
	errno = 0;
	cr_assert_null(ibv_create_cq(r.ctx, 10, NULL, NULL, r.ctx->num_comp_vectors));
	cr_assert_eq(errno, EINVAL);
}

static struct ibv_qp *fresh_qp(void)
{
	with.a_state = IBV_QPS_RESET;
	pair(with);
	return r.a.qp;
}

static void not_modified(struct ibv_qp_attr a, int mask, int error)
{
	enum ibv_qp_state before = state_of(&r.a);

	cr_assert_eq(ibv_modify_qp(r.a.qp, &a, mask), error);
	cr_assert_eq(state_of(&r.a), before);
}

/* wrong: RESET to INIT without IBV_QP_PORT | EINVAL | kernel, ib_core verbs.c:
 * ib_modify_qp_is_ok; InfiniBand specification, ch. 11, Modify Queue Pair */
Test(kernel_calls, init_without_port)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT };

	fresh_qp();
	not_modified(a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS, EINVAL);
}

/* wrong: RESET to INIT with an attribute that belongs to RTS | EINVAL | kernel, ib_core
 * verbs.c: ib_modify_qp_is_ok */
Test(kernel_calls, init_with_timeout)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	fresh_qp();
	not_modified(a,
		     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS |
			     IBV_QP_TIMEOUT,
		     EINVAL);
}

/* wrong: port 2 of an adapter with one | EINVAL | kernel, uverbs_cmd.c: modify_qp */
Test(kernel_calls, init_on_unknown_port)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 77 };

	fresh_qp();
	not_modified(a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		     EINVAL);
}

/* An address that is reserved for documents: RFC 5737. */
static const union ibv_gid no_host = { .raw = { [10] = 0xff, 0xff, 203, 0, 113, 77 } };

static int roce_v2_ipv4(void)
{
	struct ibv_gid_entry entry;

	for (uint32_t i = 0; i < (uint32_t)r.port.gid_tbl_len; i++)
		if (!ibv_query_gid_ex(r.ctx, 1, i, &entry, 0) &&
		    entry.gid_type == IBV_GID_TYPE_ROCE_V2 && !entry.gid.raw[0])
			return (int)i;
	return -1;
}

/* ENETUNREACH, EHOSTUNREACH: the machine's routes lead there. */
static bool is_unreachable(int error)
{
	return error == ETIMEDOUT || error == ENETUNREACH || error == EHOSTUNREACH;
}

/* wrong: RTR to an IP address that no host has, by RoCE v2 | ETIMEDOUT after a second: ARP or
 * neighbour discovery | kernel, ib_core addr.c: rdma_addr_find_l2_eth_by_grh */
Test(kernel_calls, dest_gid_of_no_host)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR,
				    .path_mtu = IBV_MTU_1024,
				    .ah_attr = {
					    .is_global = 1,
					    .port_num = 1,
					    .grh = { .dgid = no_host, .hop_limit = 64 } } };
	int index = roce_v2_ipv4(), error;

	if (index < 0)
		cr_skip_test("no IPv4 address of RoCE v2");
	attr.ah_attr.grh.sgid_index = (uint8_t)index;
	with.a_state = with.b_state = IBV_QPS_INIT;
	pair(with);
	error = ibv_modify_qp(r.a.qp, &attr,
			      IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				      IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				      IBV_QP_MIN_RNR_TIMER);
	cr_assert(is_unreachable(error), "%s", strerror(error));
	cr_assert_eq(state_of(&r.a), IBV_QPS_INIT);
}

/* wrong: ibv_create_ah to an IP address that no host has, by RoCE v2 | ETIMEDOUT after a second
 * | kernel, ib_core addr.c: rdma_addr_find_l2_eth_by_grh */
Test(kernel_calls, ah_to_gid_of_no_host)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1, .grh = { .dgid = no_host } };
	int index = roce_v2_ipv4();

	if (index < 0)
		cr_skip_test("no IPv4 address of RoCE v2");
	attr.grh.sgid_index = (uint8_t)index;
	errno = 0;
	cr_assert_null(ibv_create_ah(r.pd, &attr));
	cr_assert(is_unreachable(errno), "%s", strerror(errno));
}

/* wrong: ibv_create_ah from an IPv4 GID to an IPv6 one | EINVAL | kernel, ib_core addr.c:
 * rdma_resolve_ip */
Test(kernel_calls, ah_from_ipv4_to_ipv6)
{
	struct ibv_ah_attr attr = { .is_global = 1,
				    .port_num = 1,
				    .grh = { .dgid = { .raw = { 0x20, 0x01, 0x0d, 0xb8 } } } };
	int index = roce_v2_ipv4();

	if (index < 0)
		cr_skip_test("no IPv4 address of RoCE v2");
	attr.grh.sgid_index = (uint8_t)index;
	errno = 0;
	cr_assert_null(ibv_create_ah(r.pd, &attr));
	cr_assert_eq(errno, EINVAL, "%s", strerror(errno));
}

/* wrong: an alternate path on RoCE | EINVAL | kernel, ib_core verbs.c, _ib_modify_qp: "Ban them
 * in roce mode" */
Test(kernel_calls, alternate_path)
{
	struct ibv_qp_attr attr = { .alt_port_num = 1,
				    .path_mig_state = IBV_MIG_REARM,
				    .alt_ah_attr = { .is_global = 1, .port_num = 1 } };

	wired();
	attr.alt_ah_attr.grh.dgid = r.gid;
	attr.alt_ah_attr.grh.sgid_index = r.gid_index;
	cr_assert_eq(ibv_modify_qp(r.a.qp, &attr, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE),
		     EINVAL);
}

/* wrong: RESET straight to RTS | EINVAL | kernel, ib_core verbs.c: ib_modify_qp_is_ok */
Test(kernel_calls, reset_to_rts)
{
	fresh_qp();
	not_modified((struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS }, IBV_QP_STATE, EINVAL);
}

/* wrong: RTS back to RTR | EINVAL | kernel, ib_core verbs.c: ib_modify_qp_is_ok */
Test(kernel_calls, rts_to_rtr)
{
	wired();
	not_modified((struct ibv_qp_attr){ .qp_state = IBV_QPS_RTR }, IBV_QP_STATE, EINVAL);
}

/* wrong: ERR straight to RTS | EINVAL | kernel, ib_core verbs.c: ib_modify_qp_is_ok */
Test(kernel_calls, err_to_rts)
{
	wired();
	cr_assert_eq(to_state(r.a.qp, IBV_QPS_ERR), 0);
	not_modified((struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS }, IBV_QP_STATE, EINVAL);
}

/* wrong: ibv_dealloc_pd with an MR in it | EBUSY; the MR goes on working |
 * google/rdma-unit-test, pd_test.cc */
Test(kernel_calls, dealloc_pd_with_mr)
{
	struct ibv_pd *pd = ibv_alloc_pd(r.ctx);
	struct ibv_mr *mr = ibv_reg_mr(pd, r.src, PAGE, 0);

	cr_assert_not_null(mr);
	cr_assert_eq(ibv_dealloc_pd(pd), EBUSY);
	cr_assert_eq(ibv_dereg_mr(mr), 0);
	cr_assert_eq(ibv_dealloc_pd(pd), 0);
}

/* wrong: ibv_dealloc_pd with a QP in it | EBUSY | google/rdma-unit-test, qp_test.cc */
Test(kernel_calls, dealloc_pd_with_qp)
{
	wired();
	cr_assert_eq(ibv_dealloc_pd(r.pd), EBUSY);
}

/* wrong: ibv_destroy_cq with a QP on it | EBUSY; the CQ goes on working |
 * google/rdma-unit-test, qp_test.cc */
Test(kernel_calls, destroy_cq_with_qp)
{
	wired();
	cr_assert_eq(ibv_destroy_cq(r.a.ibcq), EBUSY);
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey, IBV_WC_SUCCESS);
}
