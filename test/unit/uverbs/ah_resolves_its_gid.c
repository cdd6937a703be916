/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The owner of an address is asked for as long as the kernel asks (verbs.c,
 * ib_resolve_eth_dmac; addr.c, rdma_addr_find_l2_eth_by_grh, with 1000 ms): MODIFY_QP to RTR
 * and CREATE_AH may fail, and may take their time.
 */
#include <pthread.h>
#include <stdio.h>

#include "queues.h"
#include "uverbs/driver.h"

#define SUITE ah_resolves_its_gid
#define OWN   0x0a000001u /* the bench's */
#define PEER  0x0a000002u /* to_rtr()'s */
#define MS    1000000ull

static struct wire *fabric(void)
{
	char name[32];
	struct wire *w;

	snprintf(name, sizeof(name), "unit-%d", (int)getpid());
	w = wire_open(name);
	cr_assert(w);
	return w;
}

static struct wire *w;

/* The QP is in INIT, on a fabric of the test. */
static void qp_on_fabric_open(void)
{
	struct mlx5_ib_alloc_ucontext_resp resp;

	w = fabric();
	call_run = call_once; /* there are waits */
	cr_assert_eq(wire_host(w, OWN), 0);
	bench_up_on(&r.b, w);
	cr_assert_eq(get_context(&r.b, &usual_context, &resp), 0);
	rig_queues(&r);
	walk_to(&r, IBV_QPS_INIT);
}

static void qp_on_fabric_close(void)
{
	rig_down(&r);
	wire_close(w);
}

TestSuite(SUITE, .init = qp_on_fabric_open, .fini = qp_on_fabric_close);

static int create_ah(struct rig *r, const struct ib_uverbs_qp_dest *dest)
{
	struct ib_uverbs_create_ah cmd = {
		.pd_handle = r->pd,
		.attr = { .grh = { .sgid_index = dest->sgid_index },
			  .is_global = 1,
			  .port_num = 1 },
	};
	uint32_t handle;

	memcpy(cmd.attr.grh.dgid, dest->dgid, 16);
	return write_cmd(&r->b, IB_USER_VERBS_CMD_CREATE_AH, &cmd, sizeof(cmd), &handle, 4);
}

Test(SUITE, an_address_of_no_host_times_out)
{
	struct ib_uverbs_modify_qp rtr;
	uint64_t start;

	rtr = to_rtr(&r);
	start = core_now_ns();
	cr_assert_eq(modify(&r, &rtr), -ETIMEDOUT);
	cr_assert_geq(core_now_ns() - start, 1000 * MS);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_INIT);
	cr_assert_eq(create_ah(&r, &rtr.dest), -ETIMEDOUT);
}

/* fe80::200:ff:fe00:1 has no MAC of this fabric, fe80::c5:aff:fe00:2 has one. */
Test(SUITE, link_local_addresses_are_asked_for_by_roce_v2_only)
{
	const uint8_t no_host[16] = { 0xfe, 0x80, [8] = 2, 0, 0, 0xff, 0xfe, 0, 0, 1 };
	const uint8_t peer[16] = { 0xfe, 0x80, [8] = 0, 0xc5, 10, 0xff, 0xfe, 0, 0, 2 };
	struct ib_uverbs_qp_dest dest;

	dest = to_rtr(&r).dest;
	dest.sgid_index = 1;
	memcpy(dest.dgid, no_host, 16);
	cr_assert_eq(create_ah(&r, &dest), -ETIMEDOUT);
	memcpy(dest.dgid, peer, 16);
	cr_assert_eq(create_ah(&r, &dest), -ETIMEDOUT);
	dest.sgid_index = 0;
	cr_assert_eq(create_ah(&r, &dest), 0);
	memcpy(dest.dgid, no_host, 16);
	cr_assert_eq(create_ah(&r, &dest), 0);
	cr_assert_eq(wire_host(w, PEER), 0);
	memcpy(dest.dgid, peer, 16);
	dest.sgid_index = 1;
	cr_assert_eq(create_ah(&r, &dest), 0);
}

Test(SUITE, the_own_address_and_one_that_answered_are_known)
{
	struct wire *peer = fabric();
	struct ib_uverbs_qp_dest dest;

	dest = to_rtr(&r).dest;
	cr_assert_eq(wire_host(peer, PEER), 0);
	cr_assert_eq(create_ah(&r, &dest), 0);
	wire_close(peer);
	cr_assert_eq(create_ah(&r, &dest), 0, "its entry is stale, and valid");
	dest.dgid[15] = 1;
	cr_assert_eq(create_ah(&r, &dest), 0);
}

/* A command is using the QP. */
static bool asks(struct rig *r)
{
	bool yes;

	hca_lock(&r->b.hca);
	yes = r->b.f->table[r->qp.handle]->uses;
	hca_unlock(&r->b.hca);
	return yes;
}

static struct wire *late_fabric;

/* Some time after the first attempt, and long before the last one. */
static void *come_late(void *arg)
{
	while (!asks(arg))
		usleep(1000);
	usleep(50 * 1000);
	cr_assert_eq(wire_host(late_fabric, PEER), 0);
	return NULL;
}

Test(SUITE, who_comes_within_a_second_is_found)
{
	struct ib_uverbs_modify_qp rtr;
	pthread_t thread;

	late_fabric = fabric();
	rtr = to_rtr(&r);
	pthread_create(&thread, NULL, come_late, &r);
	cr_assert_eq(modify(&r, &rtr), 0);
	pthread_join(thread, NULL);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_RTR);
	wire_close(late_fabric);
}

static void *ask(void *arg)
{
	struct rig *r = arg;
	struct ib_uverbs_modify_qp rtr = to_rtr(r);

	return (void *)(intptr_t)modify(r, &rtr);
}

Test(SUITE, others_go_on_meanwhile_and_the_qp_stays)
{
	struct ib_uverbs_destroy_qp_resp resp;
	pthread_t thread;
	void *ret;

	pthread_create(&thread, NULL, ask, &r);
	while (!asks(&r))
		usleep(1000);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &resp), -EBUSY);
	dealloc_pd(&r.b, alloc_pd(&r.b));
	pthread_join(thread, &ret);
	cr_assert_eq((intptr_t)ret, -ETIMEDOUT);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &resp), 0);
}
