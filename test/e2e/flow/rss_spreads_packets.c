/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The action rss: packets of one process' context to the WQs of another one. Contexts have
 * separate transport domains, so that nothing blocks the packets of the port to itself.
 */
#include <errno.h>
#include <string.h>
#include <criterion/criterion.h>
#include <dvkit/emu.h>

#include "ethernet.h"

TestSuite(rss_spreads_packets, .init = ethernet_open, .fini = ethernet_close);

static struct receiver {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq[2];
	struct ibv_wq *wq[2];
	uint8_t buf[2][16][256];
} r;

static void create_wq(unsigned int i)
{
	struct ibv_wq_init_attr init = {
		.wq_type = IBV_WQT_RQ, .max_wr = 16, .max_sge = 1, .pd = r.pd
	};
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };

	r.cq[i] = ibv_create_cq(r.ctx, 16, NULL, NULL, 0);
	cr_assert(r.cq[i]);
	init.cq = r.cq[i];
	r.wq[i] = ibv_create_wq(r.ctx, &init);
	cr_assert(r.wq[i]);
	cr_assert_eq(ibv_modify_wq(r.wq[i], &ready), 0);
	for (unsigned int k = 0; k < 16; k++) {
		struct ibv_sge sge = { (uintptr_t)r.buf[i][k], 256, r.mr->lkey };
		struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

		cr_assert_eq(ibv_post_wq_recv(r.wq[i], &wr, &bad), 0);
	}
}

static void open_receiver(void)
{
	cr_assert_eq(devx_open(&r.ctx, ibv_get_device_name(eth.ctx->device)), 0);
	r.pd = ibv_alloc_pd(r.ctx);
	r.mr = ibv_reg_mr(r.pd, &r, sizeof(r), IBV_ACCESS_LOCAL_WRITE);
	cr_assert(r.pd && r.mr);
	create_wq(0);
	create_wq(1);
}

static void close_receiver(void)
{
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(ibv_destroy_wq(r.wq[i]), 0);
		cr_assert_eq(ibv_destroy_cq(r.cq[i]), 0);
	}
	cr_assert_eq(ibv_dereg_mr(r.mr), 0);
	cr_assert_eq(ibv_dealloc_pd(r.pd), 0);
	cr_assert_eq(ibv_close_device(r.ctx), 0);
}

static struct dv_flow_rule parsed;

static int create(struct dv_flow_port *port, const char *text, struct dv_flow **flow,
		  struct dv_flow_error *error)
{
	cr_assert_eq(dv_flow_parse(&parsed, text, error), 0, "%s", error->message);
	return dv_flow_create(flow, port, &parsed, error);
}

/*
 * 16 datagrams to ports 0x1000 … 0x100f. The lowest bit of a Toeplitz hash is the sum of key
 * bits 31 + i, i being the bits of the input that are set. The last four are those of the port:
 * key bits 123 … 126 are 1 0 0 0 (byte 15 of the default key is 0xb0), so bit 3 of the port
 * chooses the queue.
 */
static void spread(const char *backend, bool jump)
{
	struct dv_flow_targets targets = { .wq = r.wq, .n_wq = 2, .pd = r.pd };
	unsigned int n[2] = { 0 };
	struct dv_flow_error error;
	struct dv_flow_port *port;
	struct dv_flow *flow;
	struct ibv_wc wc;

	cr_assert_eq(dv_flow_open(&port, r.ctx, backend, &targets, &error), 0);
	if (jump)
		cr_assert_eq(create(port,
				    "ingress pattern eth / end actions jump group 1 / end",
				    &flow, &error),
			     0, "%s: %s", backend, error.message);
	cr_assert_eq(create(port,
			    jump ? "ingress group 1 pattern eth / ipv4 / udp / end "
				   "actions rss types ipv4-udp end queues 0 1 end / end"
				 : "ingress pattern eth / ipv4 / udp / end "
				   "actions rss types ipv4-udp end queues 0 1 end / end",
			    &flow, &error),
		     0, "%s: %s", backend, error.message);
	for (uint16_t i = 0; i < 16; i++)
		send_udp((uint16_t)(0x1000 + i));
	while (n[0] + n[1] < 16)
		for (int i = 0; i < 2; i++)
			while (ibv_poll_cq(r.cq[i], 1, &wc) == 1) {
				cr_assert_eq(wc.status, IBV_WC_SUCCESS);
				n[i]++;
			}
	cr_assert_eq(n[0], 8);
	cr_assert_eq(n[1], 8);
	cr_assert_eq(dv_flow_destroy(flow), 0);
	dv_flow_close(port);
}

Test(rss_spreads_packets, kernel)
{
	open_receiver();
	spread("kernel", false);
	close_receiver();
}

Test(rss_spreads_packets, verbs)
{
	open_receiver();
	spread("verbs", false);
	close_receiver();
}

static struct dvkit_emu_flow_step end;

static void take_end(void *ctx, const struct dvkit_emu_flow_step *step)
{
	(void)ctx;
	end = *step;
}

/* The headers of the first packet of "Verifying the RSS Hash Calculation", to a multicast
 * MAC. */
#define FRAME                                                                                \
	{                                                                                    \
		1, 0, 0x5e, 0, 0, 1, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 0, 40, 0, 0, 0, 0, 64, \
			6, 0, 0, 66, 9, 149, 187, 161, 142, 100, 80, 0x0a, 0xea, 0x06, 0xe6, \
			0, 0, 0, 0, 0, 0, 0, 0, 0x50, 2, 0, 0, 0, 0, 0, 0                    \
	}

/* "Verifying the RSS Hash Calculation": 66.9.149.187:2794 > 161.142.100.80:1766 by TCP has the
 * hash 0x51ccc178, so the packet goes to the first of two queues; the third of the document,
 * 24.19.198.95:12898 > 12.22.207.184:38024, has 0x5c2b394a. In rx_hash_type 0x44: bits 3:2
 * IPv4, 7:6 TCP (Linux, device.h). */
Test(rss_spreads_packets, the_trace_reports_the_hash)
{
	static uint8_t frame[] = FRAME;
	struct dv_flow_targets targets = { .wq = r.wq, .n_wq = 2 };
	const struct dvkit_emu_flow_packet p = { .bytes = frame, .len = sizeof(frame) };
	struct dv_flow_error error;
	struct dv_flow_port *port;
	struct dv_flow *flow;

	if (!dvkit_emu_flow_trace) {
		cr_skip_test("only the emulator reports the way of a packet");
		return;
	}
	open_receiver();
	targets.pd = r.pd;
	cr_assert_eq(dv_flow_open(&port, r.ctx, "kernel", &targets, &error), 0);
	cr_assert_eq(create(port,
			    "ingress pattern eth / ipv4 / tcp / end actions rss types ipv4-tcp "
			    "end queues 0 1 end / end",
			    &flow, &error),
		     0, "%s", error.message);
	cr_assert_eq(dvkit_emu_flow_trace(&p, sizeof(p), take_end, sizeof(end), NULL), 0);
	cr_assert_eq(end.did, DVKIT_EMU_FLOW_QUEUE);
	cr_assert_eq(end.hash, 0x51ccc178);
	cr_assert_eq(end.hash_type, 0x44);
	cr_assert_eq(end.rqn, r.wq[0]->wq_num);
	memcpy(frame + 26,
	       (uint8_t[]){ 24, 19, 198, 95, 12, 22, 207, 184, 0x32, 0x62, 0x94, 0x88 }, 12);
	cr_assert_eq(dvkit_emu_flow_trace(&p, sizeof(p), take_end, sizeof(end), NULL), 0);
	cr_assert_eq(end.hash, 0x5c2b394a);
	frame[23] = 17; /* no rule is for UDP */
	cr_assert_eq(dvkit_emu_flow_trace(&p, sizeof(p), take_end, sizeof(end), NULL), 0);
	cr_assert_eq(end.did, DVKIT_EMU_FLOW_DROP);
	dv_flow_close(port);
	close_receiver();
}

/* Result of the rule with these actions for the packet of @frame on each back end: *@hash, and
 * the queue's index. */
static unsigned int queue_of(const uint8_t frame[54], const char *backend, const char *text,
			     uint32_t *hash)
{
	struct dv_flow_targets targets = { .wq = r.wq, .n_wq = 2, .pd = r.pd };
	const struct dvkit_emu_flow_packet p = { .bytes = frame, .len = 54 };
	struct dv_flow_error error;
	struct dv_flow_port *port;
	struct dv_flow *flow;

	cr_assert_eq(dv_flow_open(&port, r.ctx, backend, &targets, &error), 0);
	cr_assert_eq(create(port, text, &flow, &error), 0, "%s: %s: %s", backend, text,
		     error.message);
	cr_assert_eq(dvkit_emu_flow_trace(&p, sizeof(p), take_end, sizeof(end), NULL), 0);
	cr_assert_eq(end.did, DVKIT_EMU_FLOW_QUEUE, "%s: %s", backend, text);
	*hash = end.hash;
	dv_flow_close(port);
	cr_assert(end.rqn == r.wq[0]->wq_num || end.rqn == r.wq[1]->wq_num);
	return end.rqn == r.wq[1]->wq_num;
}

/* Two packets with published hashes: of addresses 0x323e8fc2 and 0xd2d0a5de, with ports
 * 0x51ccc178 and 0x5c2b394a. The table has 512 entries if the number of queues is no power of
 * two: entries 0x1c2, 0x1de, 0x178 and 0x14a, modulo 3: 0, 1, 1, 0. */
Test(rss_spreads_packets, as_dpdk_chooses)
{
	static const struct {
		const char *pattern, *rss;
		uint32_t hash[2];
		unsigned int queue[2];
	} cases[] = {
		{ "ipv4", "queues 0 1 end", { 0x323e8fc2, 0xd2d0a5de }, { 0, 0 } },
		{ "ipv4 / tcp", "queues 0 1 end", { 0x323e8fc2, 0xd2d0a5de }, { 0, 0 } },
		{ "ipv4 / tcp",
		  "types end queues 1 0 end",
		  { 0x323e8fc2, 0xd2d0a5de },
		  { 1, 1 } },
		{ "ipv4", "queues 0 1 0 end", { 0x323e8fc2, 0xd2d0a5de }, { 0, 1 } },
		{ "ipv4", "queues 1 0 0 end", { 0x323e8fc2, 0xd2d0a5de }, { 1, 0 } },
		{ "ipv4 / tcp",
		  "types ip end queues 0 1 0 end",
		  { 0x323e8fc2, 0xd2d0a5de },
		  { 0, 1 } },
		{ "ipv4 / tcp",
		  "types tcp udp end queues 0 1 0 end",
		  { 0x51ccc178, 0x5c2b394a },
		  { 1, 0 } },
		{ "ipv4 / tcp",
		  "types udp end queues 0 1 0 end",
		  { 0x323e8fc2, 0xd2d0a5de },
		  { 0, 1 } },
		/* Nothing of the pattern is in the hash: one queue. */
		{ "eth", "queues 1 0 0 end", { 0, 0 }, { 1, 1 } },
		{ "ipv4", "types ipv6 end queues 1 0 end", { 0, 0 }, { 1, 1 } },
	};
	static uint8_t frame[2][54] = { FRAME, FRAME };

	if (!dvkit_emu_flow_trace) {
		cr_skip_test("only the emulator reports the way of a packet");
		return;
	}
	memcpy(frame[1] + 26,
	       (uint8_t[]){ 24, 19, 198, 95, 12, 22, 207, 184, 0x32, 0x62, 0x94, 0x88 }, 12);
	open_receiver();
	for (unsigned int b = 0; dv_flow_backend_name(b); b++)
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			for (unsigned int k = 0; k < 2; k++) {
				char text[160];
				uint32_t hash;

				snprintf(text, sizeof(text),
					 "ingress pattern %s / end actions rss %s / end",
					 cases[i].pattern, cases[i].rss);
				cr_assert_eq(queue_of(frame[k], dv_flow_backend_name(b), text,
						      &hash),
					     cases[i].queue[k], "%s: %s",
					     dv_flow_backend_name(b), text);
				cr_assert_eq(hash, cases[i].hash[k], "%s: %s: 0x%x",
					     dv_flow_backend_name(b), text, hash);
			}
	close_receiver();
}

Test(rss_spreads_packets, devx)
{
	open_receiver();
	spread("devx", false);
	close_receiver();
}

Test(rss_spreads_packets, devx_in_another_group)
{
	open_receiver();
	spread("devx", true);
	close_receiver();
}

Test(rss_spreads_packets, refusals)
{
	struct dv_flow_targets targets = { .wq = r.wq, .n_wq = 2, .pd = eth.pd };
	static const struct {
		const char *actions, *message;
	} wrong[] = {
		{ "rss queues end", "rss queues: 1 to 128" },
		{ "rss queues 0 5 end types ip end", "rss queues: the targets have no WQ 5" },
		{ "rss queues 0 1 end types tcp udp end",
		  "rss types: IPv4 and IPv6, or TCP and UDP: the pattern" },
		{ "rss queues 0 1 end types l3-src-only end", "rss types: src-only" },
		{ "rss queues 0 1 end types ip l4-dst-only end", "rss types: src-only" },
		{ "rss queues 0 1 end types ip esp end", "rss types: esp" },
		{ "rss queues 0 1 end types ipv4 end key 0102", "rss key: it has 40 bytes" },
		{ "rss queues 0 1 end types ipv4 end func simple_xor",
		  "rss func: the kernel has toeplitz" },
		{ "rss queues 0 1 end types ipv4 end level 2", "rss level: of the outer" },
	};
	struct dv_flow_error error;
	struct dv_flow_port *port;
	struct dv_flow *flow;
	char text[256];

	cr_assert_eq(dv_flow_open(&port, eth.ctx, "kernel", &targets, &error), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "ingress pattern ipv4 / end actions %s / end",
			 wrong[i].actions);
		cr_assert_neq(create(port, text, &flow, &error), 0, "%s", text);
		cr_assert_eq(strncmp(error.message, wrong[i].message, strlen(wrong[i].message)),
			     0, "%s: %s", text, error.message);
	}
	cr_assert_eq(
		create(port,
		       "ingress pattern eth / end actions rss queues 0 1 end types ip end / end",
		       &flow, &error),
		EOPNOTSUPP);
	dv_flow_close(port);
}
