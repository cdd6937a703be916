/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets in the middle of a message are sent and taken in runs; everything else is what it is
 * with frames, one by one: CQEs, PSNs, counters, memory. Each row is executed in both forms.
 */
#include <string.h>

#include "rig.h"
#include "wire/wire.h"

#define MTU   1024
#define SHORT (40 * MTU) /* of a receive buffer that ends in the middle of a run */

TestSuite(runs, .fini = rig_close);

struct row {
	const char *what, *recv, *send;
	void (*prepare)(void);
};

/* The mkey of far, or near, ends in the middle of the message. */
static void cut_far(void)
{
	far.mkey->len = 0x200000 + SHORT + 1;
}

static void cut_near(void)
{
	near.mkey->len = SHORT + 1;
}

static void ask_rarely(void)
{
	a.qp->log_ack_req_freq = 4;
}

static void ask_always(void)
{
	a.qp->log_ack_req_freq = 0;
}

static void small_window(void)
{
	execute(&a, "write 8 remote=0x200000");
	a.qp->req.window = 21;
}

static void be_uc(void)
{
	be_service(&a, &b, RIG_UC);
}

static void no_writes(void)
{
	b.qp->rwe = false;
}

static const struct row rows[] = {
	{ "WRITE", "", "write 400000 local=0x10 remote=0x200000 sig", NULL },
	{ "WRITE of three packets", "", "write 3072 local=0x10 remote=0x200000 sig", NULL },
	{ "WRITE of four packets", "", "write 4096 local=0x10 remote=0x200000 sig", NULL },
	{ "WRITE with immediate", "recv 0", "write_imm 70000 remote=0x200000 imm=7 sig", NULL },
	{ "SEND", "recv 400000 local=0x200000", "send 400000 local=0x10 sig", NULL },
	{ "SEND into many buffers",
	  "recv 1500 local=0x200000 70000 local=0x210000 3 local=0x240000 90000 local=0x250000",
	  "send 100001 local=0x8 50000 local=0x20000 sig", NULL },
	{ "READ", "", "read 400000 local=0x200000 remote=0x10 sig", NULL },
	{ "three messages", "recv 70000 local=0x300000",
	  "write 70000 remote=0x200000; send 70000; read 70000 local=0x280000 sig", NULL },
	{ "ACKs every 16 packets", "", "write 100000 remote=0x200000 sig", ask_rarely },
	{ "an ACK for each packet", "", "write 100000 remote=0x200000 sig", ask_always },
	{ "a small window", "", "write 100000 remote=0x200000 sig", small_window },
	{ "receive buffer too short", "recv 40961 local=0x200000", "send 100000 sig", NULL },
	{ "receive buffer of another key", "recv 40960 local=0x200000 60000 lkey=wrong",
	  "send 100000 sig", NULL },
	{ "source of another key", "", "write 40960 60000 lkey=wrong remote=0x200000 sig",
	  NULL },
	{ "destination of a READ too short", "",
	  "read 40960 local=0x200000 60000 lkey=wrong sig", NULL },
	{ "key ends at the responder", "", "write 100000 remote=0x200000 sig", cut_far },
	{ "key ends at the requester", "", "write 100000 remote=0x200000 sig", cut_near },
	{ "key of a READ ends", "", "read 300000 local=0x10 remote=0x1d0000 sig", cut_far },
	{ "no right to write", "", "write 100000 remote=0x200000 sig", no_writes },
	{ "UC WRITE", "", "write 100000 remote=0x200000 sig", be_uc },
	{ "UC SEND", "recv 100000 local=0x200000", "send 100000 sig", be_uc },
	{ "UC SEND too long", "recv 40961 local=0x200000", "send 100000 sig", be_uc },
};

struct progress {
	uint32_t una_psn, psn, high_psn, window, epsn, msn, unasked, off;
	uint8_t state, ack, syndrome;
	bool nak_sent;
};

struct outcome {
	struct engine_counters near, far;
	struct hca_counted at_near, at_far;
	struct progress a, b;
	uint8_t cqes[2][8][64];
	uint8_t memory[2][0x300000];
};

static void note_progress(struct progress *p, const struct side *s)
{
	const struct hca_req *req = &s->qp->req;
	const struct hca_resp *resp = &s->qp->resp;

	*p = (struct progress){ .una_psn = req->una_psn,
				.psn = req->psn,
				.high_psn = req->high_psn,
				.window = req->window,
				.epsn = resp->epsn,
				.msn = resp->msn,
				.unasked = resp->unasked,
				.off = resp->off,
				.state = s->qp->state,
				.ack = resp->ack,
				.syndrome = resp->syndrome,
				.nak_sent = resp->nak_sent };
}

/* Without the time, bytes 48 to 55, and the signature. */
static void read_cqes(struct side *s, uint8_t cqes[8][64])
{
	const uint8_t *cqe;

	for (unsigned int i = 0; (cqe = next_cqe(s)); i++) {
		cr_assert_lt(i, 8);
		memcpy(cqes[i], cqe, 64);
		memset(cqes[i] + 48, 0, 8);
		cqes[i][62] = 0;
	}
}

static void run_row(const struct row *row, bool frames_only, struct outcome *o)
{
	memset(o, 0, sizeof(*o));
	far_pair_open();
	core_trace_mask = 0; /* no findings: with them there are no runs */
	for (size_t i = 0; i < RIG_BUF; i++) {
		near.buf[i] = (uint8_t)(i * 31 + (i >> 8));
		far.buf[i] = (uint8_t)(i * 17 + (i >> 7));
	}
	wire_send_frames(near.w, frames_only);
	wire_send_frames(far.w, frames_only);
	hca_counted_clear(&near.hca, 0, sizeof(struct hca_counted));
	hca_counted_clear(&far.hca, 0, sizeof(struct hca_counted));
	if (row->prepare)
		row->prepare();
	post(&b, "%s", row->recv);
	execute(&a, "%s", row->send);
	read_cqes(&a, o->cqes[0]);
	read_cqes(&b, o->cqes[1]);
	note_progress(&o->a, &a);
	note_progress(&o->b, &b);
	o->near = counters_of(&near);
	o->far = counters_of(&far);
	hca_function_counted(&near.hca, &o->at_near);
	hca_function_counted(&far.hca, &o->at_far);
	o->near.iterations = o->far.iterations = 0;
	memcpy(o->memory[0], near.buf, sizeof(o->memory[0]));
	memcpy(o->memory[1], far.buf, sizeof(o->memory[1]));
	rig_close();
}

#define SAME(member)                                                                \
	cr_expect_eq(memcmp(&packets.member, &runs.member, sizeof(runs.member)), 0, \
		     "%s: " #member, row->what)

Test(runs, have_the_outcome_of_their_packets)
{
	static struct outcome packets, runs;

	for (const struct row *row = rows; row < rows + ARRAY_SIZE(rows); row++) {
		run_row(row, true, &packets);
		run_row(row, false, &runs);
		SAME(a);
		SAME(b);
		SAME(cqes);
		SAME(memory);
		SAME(near);
		SAME(far);
		SAME(at_near);
		SAME(at_far);
	}
}

/* A run that could not be written would be found once more, packet by packet. */
Test(runs, are_not_taken_where_findings_are_reported, .init = far_pair_open, .fini = rig_close)
{
	cut_far();
	succeed(&a, "write 40960 remote=0x200000 sig");
	post(&b, "recv 40960 local=0x200000 60000 lkey=wrong");
	finish(&a, "send 100000 sig", "req_err rem_op");
	expect_finding("local write of 1024 bytes");
}

/* A rate that permits one packet: a run would be more. */
Test(runs, are_not_sent_with_a_rate, .init = far_pair_open, .fini = rig_close)
{
	struct hca_congestion *c = &a.qp->congestion;

	c->limited = true;
	c->rate = c->target = 1; /* bit per second */
	c->increased_at = core_now_ns();
	execute(&a, "write 100000 remote=0x200000 sig");
	cr_expect_eq(counters_of(&near).tx_frames, 1);
}

/* The first packet is lost: all packets are sent again, and counted one by one. */
Test(runs, are_not_sent_again, .init = far_pair_open, .fini = rig_close)
{
	struct engine_counters sent;

	core_trace_mask = 0;
	post_rung(&a, "write 100000 remote=0x200000 sig");
	engine_step(near.e);
	cr_assert_eq(lose(&far, 1), 1);
	work(&a);
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(far.buf + 0x200000, near.buf, 100000);
	sent = counters_of(&near);
	cr_expect_gt(sent.retransmits, 0);
	cr_expect_eq(sent.tx_frames, 98 + sent.retransmits, "%lu, %lu", sent.tx_frames,
		     sent.retransmits);
}

/* No more packets are unacknowledged than the window has. */
Test(runs, end_with_the_window)
{
	for (uint32_t window = 1; window < 80; window++) {
		far_pair_open();
		core_trace_mask = 0;
		execute(&a, "write 8 remote=0x200000");
		a.qp->req.window = window;
		post_rung(&a, "write 400000 remote=0x200000 sig");
		for (int i = 0; i < 10; i++)
			engine_step(near.e);
		cr_expect_eq(counters_of(&near).tx_frames, 1 + window, "%u: %lu", window,
			     counters_of(&near).tx_frames);
		rig_close();
	}
}
