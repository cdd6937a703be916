/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets for a QPN that no process has are lost, whatever process it would belong to: that of
 * slot 0, which does not exist, one that does not run, the own one. So a reliable QP ends in
 * RETRY_EXC_ERR, any other one has sent its message.
 */
#include <endian.h>
#include <string.h>

#include "rig.h"

/* The first and last numbers of slots 0, 1 (the own one) and 77, and the last but that of
 * multicast groups. */
static const uint32_t unowned[] = { 0,	     1,	       2,	 0xffff,  0x10000,
				    0x1ffff, 0x4d0000, 0x4dffff, 0xfffffe };

#define N (sizeof(unowned) / sizeof(unowned[0]))

static void teardown(void)
{
	expect_none(&a);
	rig_close();
}

TestSuite(unowned, .fini = teardown);

static void open_to_unowned(unsigned int i, uint8_t st)
{
	pair_open();
	be_service(&a, &b, st);
	near.hca.port.mtu = 1024;
	a.qp->remote_qpn = unowned[i];
	a.qp->ack_timeout = 1;
	a.qp->retry_count = 1;
	cr_log_info("QPN 0x%x", unowned[i]);
}

/* UD and DC packets have their QPN from the address vector. */
static void address_unowned(unsigned int i)
{
	uint32_t word = htobe32(1u << 31 | unowned[i]);

	address(&a, &b, RIG_QKEY);
	memcpy(a.head + 8, &word, sizeof(word));
}

static void expect_retries_exceeded(const char *wqe)
{
	post_rung(&a, "%s", wqe);
	wait_cqe(&a, 5000);
	expect_cqe(&a, "req_err retry_exc wqe=0");
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
}

static void expect_sent(const char *wqe)
{
	post_rung(&a, "%s", wqe);
	wait_cqe(&a, 5000);
	expect_cqe(&a, "sent");
}

/* The next number has a new host. */
static void close_before_next(unsigned int i)
{
	if (i + 1 == N)
		return;
	expect_none(&a);
	rig_close();
}

Test(unowned, rc)
{
	static const char *const wqes[] = { "write 8 sig", "send 8 sig", "read 8 sig",
					    "fetch_add 8 sig" };

	for (unsigned int i = 0; i < N; i++, close_before_next(i - 1)) {
		open_to_unowned(i, RIG_RC);
		expect_retries_exceeded(wqes[i % 4]);
	}
}

Test(unowned, xrc)
{
	for (unsigned int i = 0; i < N; i++, close_before_next(i - 1)) {
		open_to_unowned(i, RIG_XRC);
		address_srq(&a, 0x10001);
		expect_retries_exceeded("send 8 sig");
	}
}

Test(unowned, dci)
{
	for (unsigned int i = 0; i < N; i++, close_before_next(i - 1)) {
		open_to_unowned(i, RIG_DCI);
		address_unowned(i);
		expect_retries_exceeded("send 8 sig");
	}
}

Test(unowned, uc)
{
	for (unsigned int i = 0; i < N; i++, close_before_next(i - 1)) {
		open_to_unowned(i, RIG_UC);
		expect_sent(i % 2 ? "write 8 sig" : "send 8 sig");
	}
}

Test(unowned, ud)
{
	for (unsigned int i = 0; i < N; i++, close_before_next(i - 1)) {
		open_to_unowned(i, RIG_UD);
		address_unowned(i);
		expect_sent("send 8 sig");
	}
}
