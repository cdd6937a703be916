/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each pattern of cases.def leads the packets that match it to queue 1, all others go to queue
 * 0: by each back end that has what the pattern needs. The emulator's trace of a packet names
 * the same queue.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <criterion/criterion.h>
#include <dvkit/emu.h>

#include "ethernet.h"

static const struct packet {
	const char *name, *hex;
} packets[] = {
#define PACKET(name, bytes) { #name, bytes },
#include "cases.def"
};

static const struct {
	const char *pattern, *names;
} cases[] = {
#define CASE(pattern, names) { pattern, names },
#include "cases.def"
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_among(const char *name, const char *names)
{
	size_t len = strlen(name);

	for (const char *at = names; (at = strstr(at, name)); at += len)
		if ((at == names || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
	return false;
}

static uint32_t put(const struct packet *p)
{
	uint32_t len = 0;
	int used;

	for (const char *at = p->hex; sscanf(at, "%2hhx%n", &eth.frame[len], &used) == 1;
	     at += used)
		len++;
	memcpy(eth.frame, eth.mac, 6);
	return len;
}

static void give_back(unsigned int q, uint64_t wr_id)
{
	struct ibv_sge sge = { (uintptr_t)eth.received[q][wr_id], 2048, eth.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	cr_assert_eq(ibv_post_recv(eth.qp[q], &wr, &bad), 0);
}

/* The queue where the packet arrives. */
static unsigned int queue_of(const struct packet *p)
{
	uint32_t len = put(p);

	send_frame(len);
	for (unsigned int q = 0;; q = !q) {
		struct ibv_poll_cq_attr attr = { 0 };
		uint64_t wr_id;

		if (ibv_start_poll(eth.cq[q], &attr))
			continue;
		wr_id = eth.cq[q]->wr_id;
		cr_assert_eq(eth.cq[q]->status, IBV_WC_SUCCESS);
		cr_assert_eq(ibv_wc_read_byte_len(eth.cq[q]), len, "%s", p->name);
		ibv_end_poll(eth.cq[q]);
		cr_assert_arr_eq(eth.received[q][wr_id], eth.frame, len);
		give_back(q, wr_id);
		return q;
	}
}

/* The queue that the trace names. */
struct reported {
	unsigned int ends, queue;
};

static void take_end(void *ctx, const struct dvkit_emu_flow_step *step)
{
	struct reported *t = ctx;

	if (step->did != DVKIT_EMU_FLOW_QUEUE || step->blocked)
		return;
	t->ends++;
	for (unsigned int q = 0; q < QUEUES; q++)
		if (queue_rqn(q) == step->rqn)
			t->queue = q;
}

static unsigned int queue_told(const struct packet *p, unsigned int otherwise)
{
	struct reported t = { .queue = QUEUES };
	struct dvkit_emu_flow_packet asked = { .bytes = eth.frame, .local = true };

	if (!dvkit_emu_flow_trace)
		return otherwise;
	asked.len = put(p);
	asked.sqn = queue_sqn(0);
	cr_assert_eq(dvkit_emu_flow_trace(&asked, sizeof(asked), take_end,
					  sizeof(struct dvkit_emu_flow_step), &t),
		     0);
	return t.ends == 1 ? t.queue : QUEUES;
}

/* Whether the back end has what the pattern needs. */
static struct dv_flow *install(unsigned int group, const char *pattern)
{
	static struct dv_flow_rule parsed;
	struct dv_flow_error error;
	struct dv_flow *flow = NULL;
	char text[256];
	int err;

	snprintf(text, sizeof(text),
		 "ingress group %u pattern %s / end actions queue index 1 / end", group,
		 pattern);
	cr_assert_eq(dv_flow_parse(&parsed, text, &error), 0, "%s: %s", text, error.message);
	err = dv_flow_create(&flow, eth.port, &parsed, &error);
	if (err == EOPNOTSUPP)
		return NULL;
	cr_assert_eq(err, 0, "%s: %s", text, error.message);
	return flow;
}

/* In a @group that is not 0, to which all packets are led. */
static void match_all(const char *backend, unsigned int group, unsigned int least)
{
	char all[96];

	unsigned int accepted = 0, wrong = 0;

	ethernet_open();
	ethernet_rules(backend);
	snprintf(all, sizeof(all),
		 "ingress group %u priority 5 pattern eth / end actions queue index 0 / end",
		 group);
	rule(all);
	if (group)
		rule("ingress pattern eth / end actions jump group 1 / end");
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct dv_flow *flow = install(group, cases[i].pattern);

		if (!flow)
			continue;
		accepted++;
		for (size_t j = 0; j < COUNT(packets); j++) {
			unsigned int want = is_among(packets[j].name, cases[i].names);

			if (queue_told(&packets[j], want) == want &&
			    queue_of(&packets[j]) == want)
				continue;
			printf("%s: %s: %s\n", backend, cases[i].pattern, packets[j].name);
			wrong++;
		}
		cr_assert_eq(dv_flow_destroy(flow), 0);
	}
	printf("%s: %u of %zu patterns, %zu packets each\n", backend, accepted, COUNT(cases),
	       COUNT(packets));
	cr_expect_eq(wrong, 0, "%s: %u packets in the wrong queue", backend, wrong);
	cr_expect_geq(accepted, least, "%s: %u patterns", backend, accepted);
	ethernet_close();
}

Test(patterns_match_packets, verbs)
{
	match_all("verbs", 0, 40);
}

Test(patterns_match_packets, kernel)
{
	match_all("kernel", 0, COUNT(cases));
}

Test(patterns_match_packets, devx)
{
	match_all("devx", 0, COUNT(cases));
}

/* Entries that the library writes into the adapter's memory. */
Test(patterns_match_packets, dr)
{
	match_all("dr", 1, 40);
}
