/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_fuzz_steer [--seed N] [--count N]
 *
 * Commands of flow steering, mostly such as firmware accepts, WQEs that write entries, and
 * frames through the tables that they made. In a round there is one adapter. Memory errors are
 * the sanitizers'; what is left at the end must go.
 *
 *	test_fuzz_steer --seed 4711 --count 1000		the round with that seed again, alone
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz_steer.h"

enum { ROUND = 1000, TIRS = 3 };

static struct tally {
	uint64_t commands, executed, wqes, written, entries, frames, hits, changed, taken, sum;
} tally;

/* Reads every byte: what is not there is found by a sanitizer. */
static void take(const struct steer_packet *p)
{
	for (size_t i = 0; i < p->len; i++)
		tally.sum += p->bytes[i];
	tally.taken++;
}

static void to_tir(void *ctx, struct hca_tir *tir, const struct steer_packet *p)
{
	struct steer_headers h;
	uint32_t hash;
	uint8_t type;

	(void)ctx;
	take(p);
	if (steer_parse(&h, p->bytes, p->len))
		steer_rq(tir, p->bytes, &h, &hash, &type);
}

static void to_vport(void *ctx, uint16_t vport, const struct steer_packet *p)
{
	(void)ctx;
	FUZZ_CHECK(vport == STEER_UPLINK, "vport %u", vport);
	take(p);
}

static void step(void *ctx, const struct steer_step *s)
{
	(void)ctx;
	tally.hits += s->did == STEER_HIT;
	tally.entries += s->did == STEER_STE_HIT;
	tally.changed += s->did == STEER_CHANGED;
}

static const struct steer_sink sink = { .tir = to_tir, .vport = to_vport, .step = step };

static void run_frame(struct hca *hca)
{
	struct steer_packet p = { .meta = { .source_vport = one_in(2) ? STEER_UPLINK : 0,
					    .reg_a = (uint32_t)odd_number() } };
	uint8_t *frame = frame_make(&p.len);

	p.bytes = frame;
	switch (below(4)) {
	case 0:
		steer_send(hca, &p, &sink);
		break;
	case 1:
		one_in(2) ? steer_rdma_send(hca, &p, &sink)
			  : steer_rdma_receive(hca, &p, &sink);
		break;
	default:
		steer_receive(hca, &p, &sink);
	}
	free(frame);
	tally.frames++;
}

static void run_round(void)
{
	static const char *const devices[] = { "cx5", "cx7", "bf3" };
	struct hca hca;

	FUZZ_CHECK(!hca_init(&hca, 5), "no adapter");
	fw_init(&hca, fw_device_find(PICK(devices)));
	FUZZ_CHECK(hca_pd_new(&hca), "no PD");
	for (int i = 0; i < TIRS; i++)
		FUZZ_CHECK(hca_tir_new(&hca), "no TIR");
	for (int i = 0; i < ROUND; i++) {
		if (one_in(3)) {
			run_frame(&hca);
			continue;
		}
		if (one_in(3)) {
			tally.wqes++;
			tally.written += wqe_run(&hca);
			continue;
		}
		tally.commands++;
		tally.executed += command_run(&hca);
	}
	hca_fini(&hca);
}

int main(int argc, char **argv)
{
	struct round_options o = round_options(argc, argv, 100000, false);

	round_setup("test_fuzz_steer", ROUND);
	printf("seed %" PRIu64 ", %" PRIu64 " cases\n", o.seed, o.count);
	for (uint64_t at = 0; at < o.count; at += ROUND) {
		round_begin(o.seed + at / ROUND);
		run_round();
		round_end();
	}
	printf("%" PRIu64 " of %" PRIu64 " commands executed, %" PRIu64 " frames: %" PRIu64
	       " entries hit, %" PRIu64 " packets changed, %" PRIu64 " taken; nothing found\n",
	       tally.executed, tally.commands, tally.frames, tally.hits, tally.changed,
	       tally.taken);
	printf("%" PRIu64 " of %" PRIu64 " WQEs and their objects, %" PRIu64
	       " of their entries hit\n",
	       tally.written, tally.wqes, tally.entries);
	fflush(stdout);
	FUZZ_CHECK(tally.executed > tally.commands / 10 && tally.hits > o.count / 100 &&
			   tally.changed && tally.taken && tally.sum &&
			   tally.written > tally.wqes / 10 && tally.entries,
		   "this tests little");
	return 0;
}
