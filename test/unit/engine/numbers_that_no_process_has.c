/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets for a QPN that no process has are lost, whatever process it would belong to: that of
 * slot 0, which does not exist, one that does not run, the own one. So a reliable QP ends in
 * RETRY_EXC_ERR (0x15), any other one has sent its message.
 */
#include <endian.h>
#include <string.h>

#include "rig.h"

#define RETRY_EXCEEDED 0x15

/* The first and last numbers of slots 0, 1 (the own one) and 77, and the last but that of
 * multicast groups. */
static const uint32_t unowned[] = { 0,	     1,	       2,	 0xffff,  0x10000,
				    0x1ffff, 0x4d0000, 0x4dffff, 0xfffffe };

#define N (sizeof(unowned) / sizeof(unowned[0]))

static struct host h;
static struct side a, b;

static void teardown(void)
{
	expect_none(&a);
	host_close(&h);
}

TestSuite(unowned, .fini = teardown);

static void open_one(unsigned int i, uint8_t st)
{
	pair_open(&h, &a, &b);
	be_service(&a, &b, st);
	h.hca.port.mtu = 1024;
	a.qp->remote_qpn = unowned[i];
	a.qp->ack_timeout = 1;
	a.qp->retry_count = 1;
}

static void send(uint8_t opcode, const uint8_t *head, unsigned int units)
{
	post_wr(&a, &(struct wr){ .opcode = opcode,
				  .fm_ce_se = SIGNALED,
				  .len = 8,
				  .head = head,
				  .head_units = units });
	ring(&a);
	wait_cqe(&h, 1, &a, 5000);
}

static void expect_exceeded(unsigned int i)
{
	cr_log_info("QPN 0x%x", unowned[i]);
	expect_error(&a, 13, RETRY_EXCEEDED, 0);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
}

static void expect_sent(unsigned int i)
{
	const uint8_t *cqe = next_cqe(&a);

	cr_assert_not_null(cqe, "QPN 0x%x", unowned[i]);
	cr_expect_eq(cqe[63] >> 4, 0, "QPN 0x%x: syndrome 0x%x", unowned[i], cqe[55]);
}

/* The next number has a new host. */
static void next(unsigned int i)
{
	if (i + 1 == N)
		return;
	expect_none(&a);
	host_close(&h);
}

Test(unowned, rc)
{
	static const uint8_t opcodes[] = { 0x08, 0x0a, 0x10, 0x12 };

	for (unsigned int i = 0; i < N; i++, next(i - 1)) {
		open_one(i, RIG_RC);
		send(opcodes[i % sizeof(opcodes)], NULL, 0);
		expect_exceeded(i);
	}
}

Test(unowned, xrc)
{
	uint8_t seg[16];

	put_xrc(seg, 0x10001);
	for (unsigned int i = 0; i < N; i++, next(i - 1)) {
		open_one(i, RIG_XRC);
		send(0x0a, seg, 1);
		expect_exceeded(i);
	}
}

/* Of a UD packet and of a DC packet the address vector has the number. */
static void put_number(uint8_t av[48], unsigned int i)
{
	uint32_t word = htobe32(1u << 31 | unowned[i]);

	put_av(av, &b, RIG_QKEY);
	memcpy(av + 8, &word, sizeof(word));
}

Test(unowned, dci)
{
	uint8_t av[48];

	for (unsigned int i = 0; i < N; i++, next(i - 1)) {
		open_one(i, 5);
		put_number(av, i);
		send(0x0a, av, 3);
		expect_exceeded(i);
	}
}

Test(unowned, uc)
{
	for (unsigned int i = 0; i < N; i++, next(i - 1)) {
		open_one(i, RIG_UC);
		send(i % 2 ? 0x08 : 0x0a, NULL, 0);
		expect_sent(i);
	}
}

Test(unowned, ud)
{
	uint8_t av[48];

	for (unsigned int i = 0; i < N; i++, next(i - 1)) {
		open_one(i, RIG_UD);
		put_number(av, i);
		send(0x0a, av, 3);
		expect_sent(i);
	}
}
