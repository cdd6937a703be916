/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes of a rig: which of them share a CQ, a region, a register and its lock, and what memory
 * each end has. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "result/result.h"
#include "run/rig.h"
#include "unit/dvperf/given.h"

enum { NEAR = 4, LANES = 2 * NEAR };

static struct rig rig;

static void open_rig(const char *text)
{
	char words[100];
	struct options o;

	snprintf(words, sizeof(words), "loopback=on %s", text);
	o = given_well(words);
	rig_open(&rig, &o);
	rig_connect(&rig, NULL);
}

static struct lane *lane(unsigned int i)
{
	return i < rig.lanes ? &rig.near[i] : &rig.far[i - rig.lanes];
}

/* "aabb": lanes with the same letter have the same; "-" where there is no such. */
static const char *pattern(const void *(*of)(const struct lane *l))
{
	static char text[LANES + 1];
	unsigned int all = rig.lanes * (rig.far ? 2 : 1), kinds = 0;

	for (unsigned int i = 0; i < all; i++) {
		unsigned int k = 0;

		while (k < i && of(lane(k)) != of(lane(i)))
			k++;
		text[i] = !of(lane(i)) ? '-' : k < i ? text[k] : (char)('a' + kinds++);
	}
	text[all] = 0;
	return text;
}

static const void *send_cq(const struct lane *l)
{
	return l->cqs.send_ibcq;
}

static const void *recv_cq(const struct lane *l)
{
	return l->cqs.recv_ibcq;
}

static const void *region(const struct lane *l)
{
	return l->mem.mr;
}

static const void *register_lock(const struct lane *l)
{
	return (const void *)l->doorbell.lock;
}

static const void *lane_lock(const struct lane *l)
{
	return (const void *)l->lock;
}

static const void *reg(const struct lane *l)
{
	return l->doorbell.reg;
}

/* Near lanes, then far ones. */
static const struct {
	const char *options, *send, *recv, *region, *lane_lock;
} rows[] = {
	{ "qp=2 threads=2", "abcdefgh", "abcdefgh", "aaaaaaaa", "--------" },
	{ "qp=2 threads=2 mr=qp", "abcdefgh", "abcdefgh", "abcdefgh", "--------" },
	{ "qp=2 threads=2 cq=thread", "aabbaabb", "aabbaabb", "aaaaaaaa", "--------" },
	{ "qp=2 threads=2 cq=all op=send", "aaaaaaaa", "aaaaaaaa", "aaaaaaaa", "--------" },
	{ "qp=2 threads=2 layout=shared-qp", "abcd", "abcd", "aaaa", "ab--" },
	{ "qp=1 threads=4 layout=mul-2 bidirectional=on", "abcd", "abcd", "aaaa", "abcd" },
	{ "qp=1 threads=3 layout=mul-2", "abcd", "abcd", "aaaa", "ab--" },
	{ "qp=1 threads=1 op=write bidirectional=on", "ab", "ab", "aa", "--" },
};

Test(rig, lanes_share_what_options_say)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		open_rig(rows[i].options);
		cr_expect_str_eq(pattern(send_cq), rows[i].send, "%s: %s", rows[i].options,
				 pattern(send_cq));
		cr_expect_str_eq(pattern(recv_cq), rows[i].recv, "%s", rows[i].options);
		cr_expect_str_eq(pattern(region), rows[i].region, "%s", rows[i].options);
		cr_expect_str_eq(pattern(lane_lock), rows[i].lane_lock, "%s: %s",
				 rows[i].options, pattern(lane_lock));
		rig_close(&rig);
	}
}

static bool doubts(const char *why)
{
	struct result r = result_new(&rig.o);

	rig_distrust(&rig, &r);
	return r.n_reasons == 1 && strstr(r.reasons[0], why);
}

/* One register of two threads has one lock, unless it is libmlx5's, or taken away. */
Test(rig, registers_of_several_threads_have_a_lock)
{
	open_rig("threads=2 uar=shared");
	cr_expect_eq(rig.registers, 1);
	cr_expect_str_eq(pattern(register_lock), "aa--", "%s", pattern(register_lock));
	cr_expect_not(doubts("WRONG LOCKS"));
	rig_close(&rig);
	open_rig("threads=2 uar=shared bidirectional=on");
	cr_expect_eq(rig.registers, 1);
	cr_expect_str_eq(pattern(register_lock), "aaaa");
	rig_close(&rig);
	open_rig("threads=2 uar=shared locks=off");
	cr_expect_str_eq(pattern(register_lock), "----");
	cr_expect(doubts("WRONG LOCKS"));
	rig_close(&rig);
	open_rig("threads=2 uar=shared api=wr");
	cr_expect_str_eq(pattern(register_lock), "----");
	cr_expect_not(doubts("WRONG LOCKS"));
	rig_close(&rig);
	open_rig("threads=2 uar=thread qp=2");
	cr_expect_eq(rig.registers, 2);
	cr_expect_str_eq(pattern(register_lock), "--------");
	cr_expect(!strncmp(pattern(reg), "aabb", 4), "%s", pattern(reg));
	rig_close(&rig);
	open_rig("threads=1 uar=shared qp=3");
	cr_expect_eq(rig.registers, 1);
	cr_expect_str_eq(pattern(register_lock), "------");
	cr_expect_not(doubts("WRONG LOCKS"));
	rig_close(&rig);
}

/* s: it sends, r: it is reached, c: it receives. */
static const char *roles(void)
{
	static char text[40];
	char *at = text;

	for (unsigned int i = 0; i < rig.lanes * (rig.far ? 2 : 1); i++)
		at += sprintf(at, "%s%s%s%s", i ? " " : "", lane(i)->mem.send ? "s" : "",
			      lane(i)->mem.recv ? "r" : "", lane(i)->mem.recv_len ? "c" : "");
	return text;
}

Test(rig, ends_have_the_memory_they_need)
{
	static const char *const of[][2] = {
		{ "op=write", "s r" },
		{ "op=send", "s rc" },
		{ "op=write_imm", "s rc" },
		{ "op=read", "s r" },
		{ "op=write bidirectional=on", "sr sr" },
		{ "op=send bidirectional=on", "src src" },
		{ "mode=lat op=send", "src src" },
		{ "mode=lat op=read", "sr sr" },
		{ "op=nop", "s r" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		open_rig(of[i][0]);
		cr_expect_str_eq(roles(), of[i][1], "%s: %s", of[i][0], roles());
		rig_close(&rig);
	}
	open_rig("op=send size=100 connection=UD");
	cr_expect_eq(rig.far[0].mem.recv_len, 140);
	rig_close(&rig);
	open_rig("op=send size=0");
	cr_expect_eq(rig.far[0].mem.recv_len, 1);
	rig_close(&rig);
}

/* The number of CQEs, which libmlx5 makes a power of two less one. */
Test(rig, cqs_have_space_for_all)
{
	static const struct {
		const char *options;
		int send, recv;
	} of[] = {
		/* 64 and one more batch of each lane, each of one block, or of 4 */
		{ "tx-depth=62 size=8 inline_size=8", 63, 0 },
		{ "tx-depth=63 size=8 inline_size=8", 127, 0 },
		{ "tx-depth=64 batch=63 size=8", 127, 0 },
		{ "tx-depth=62 size=200 inline_size=220", 255, 0 },
		{ "tx-depth=64 size=8 cq-size=200 op=send rx-depth=200", 255, 255 },
		{ "tx-depth=62 size=8 op=send rx-depth=63 cq=all qp=2", 255, 255 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		open_rig(of[i].options);
		cr_expect_eq(rig.near[0].cqs.send_ibcq->cqe, of[i].send, "%s: %d",
			     of[i].options, rig.near[0].cqs.send_ibcq->cqe);
		if (of[i].recv)
			cr_expect_eq(rig.far[0].cqs.recv_ibcq->cqe, of[i].recv, "%s: %d",
				     of[i].options, rig.far[0].cqs.recv_ibcq->cqe);
		rig_close(&rig);
	}
}

/* Attributes of the QP of a lane, as the device has them. */
Test(rig, qps_are_connected_as_options_say)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	open_rig("op=read tos=104 qp-timeout=18 outs=8 mtu=512");
	cr_assert_eq(ibv_query_qp(rig.near[0].verbs.qp, &a,
				  IBV_QP_AV | IBV_QP_TIMEOUT | IBV_QP_MAX_QP_RD_ATOMIC |
					  IBV_QP_PATH_MTU | IBV_QP_STATE,
				  &init),
		     0);
	cr_expect_eq(a.qp_state, IBV_QPS_RTS);
	cr_expect_eq(a.timeout, 18);
	cr_expect_eq(a.max_rd_atomic, 8);
	cr_expect_eq(a.max_dest_rd_atomic, 8);
	cr_expect_eq(a.path_mtu, IBV_MTU_512);
	cr_expect_eq(a.ah_attr.grh.traffic_class, 104);
	rig_close(&rig);
}
