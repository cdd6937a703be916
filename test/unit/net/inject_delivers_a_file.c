/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames of a file: not before a receive queue is ready, in their order, with their
 * distances. */
#include <errno.h>
#include <stdlib.h>

#include "hca/raw.h"
#include "unit/net/port.h"

#define LEN 60

static void write_record(FILE *f, uint64_t ns, const uint8_t *frame, uint32_t len)
{
	struct net_record r = { .ns = ns, .len = len, .magic = NET_RECORD_MAGIC };

	cr_assert_eq(fwrite(&r, sizeof(r), 1, f), 1);
	cr_assert_eq(fwrite(frame, len, 1, f), 1);
}

/* Three frames, at 0, 0 and 1000 ns; @cut bytes are missing. */
static char *three_frames(size_t cut)
{
	static char path[] = "/tmp/net-inject-XXXXXX";
	uint8_t frame[LEN];
	FILE *f;

	strcpy(strstr(path, "inject-") + 7, "XXXXXX");
	f = fdopen(mkstemp(path), "w");
	for (uint8_t i = 0; i < 3; i++) {
		frame_to(frame, LEN, 2, 1);
		frame[20] = i;
		write_record(f, i == 2 ? 1000 : 0, frame, LEN);
	}
	cr_assert_eq(fflush(f), 0);
	cr_assert_eq(ftruncate(fileno(f), ftell(f) - (long)cut), 0);
	fclose(f);
	return path;
}

static void expect_numbers(struct port *p, int first, int end)
{
	uint8_t got[WIRE_MAX_ETHERNET];
	struct wire_ethernet how;

	wire_flush(p->w);
	for (int i = first; i < end; i++) {
		cr_assert_eq(arrived(p, got, &how), LEN, "frame %d", i);
		cr_expect_eq(got[20], i);
		cr_expect_eq(how.tdn, 0);
	}
	cr_expect_eq(arrived(p, got, &how), 0);
}

static struct port p;
static struct hca_rq *rq;

static void open_for(const char *path)
{
	port_open(&p, 1);
	cr_assert_eq(hca_init(&p.hca, wire_slot(p.w)), 0);
	p.hca.vhcas = wire_vhcas(p.w);
	p.hca.port.mac[0] = 2;
	p.hca.port.mac[5] = 1;
	cr_assert_eq(net_inject(p.n, path), 0);
	rq = hca_rq_new(&p.hca);
}

static void close_it(const char *path)
{
	hca_rq_free(&p.hca, rq);
	hca_fini(&p.hca);
	port_close(&p);
	unlink(path);
}

Test(net, injected_frames_wait_for_a_receive_queue)
{
	char *path = three_frames(0);

	open_for(path);
	cr_expect_not(net_poll(p.n, 5000));
	rq->state = PRM_RQC_STATE_RDY;
	cr_expect(net_poll(p.n, 6000));
	expect_numbers(&p, 0, 2);
	cr_expect_not(net_poll(p.n, 6999));
	cr_expect(net_poll(p.n, 7000));
	expect_numbers(&p, 2, 3);
	cr_expect_not(net_poll(p.n, 9000));
	close_it(path);
}

/* Many frames that are due are played in pieces, so that an iteration of the engine ends. */
Test(net, injected_frames_come_in_batches)
{
	char path[] = "/tmp/net-many-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	uint8_t frame[LEN], got[WIRE_MAX_ETHERNET];
	unsigned int all = 0, most = 0, n;
	struct wire_ethernet how;

	frame_to(frame, LEN, 2, 1);
	for (int i = 0; i < 200; i++)
		write_record(f, 0, frame, LEN);
	fclose(f);
	open_for(path);
	rq->state = PRM_RQC_STATE_RDY;
	while (net_poll(p.n, 5000)) {
		wire_flush(p.w);
		for (n = 0; arrived(&p, got, &how); n++)
			;
		all += n;
		most = n > most ? n : most;
	}
	cr_expect_eq(all, 200);
	cr_expect_eq(most, 64);
	close_it(path);
}

/* A file cut at each length: it is one if it ends with a record. */
Test(net, file_that_is_cut_is_refused)
{
	const size_t record = sizeof(struct net_record) + LEN, all = 3 * record;
	struct port p;

	port_open(&p, 1);
	for (size_t cut = 0; cut <= all; cut++) {
		char *path = three_frames(cut);
		bool whole = cut < all && cut % record == 0;

		cr_expect_eq(net_inject(p.n, path), whole ? 0 : EINVAL, "cut by %zu", cut);
		unlink(path);
		net_close(p.n);
		p.n = net_open(&p.hca, p.w);
	}
	cr_expect_eq(net_inject(p.n, "/nonexistent"), ENOENT);
	cr_expect_eq(net_inject(p.n, "/dev/null"), EINVAL);
	port_close(&p);
}
