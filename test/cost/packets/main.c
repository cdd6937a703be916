/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of the packet loop of the samples (packet_loop.h): receive, inspect, send.
 *
 *	packets -> RQ -> [ turn: reap what was sent before, poll, inspect, post, ring ] -> SQ
 *
 * Inspected is what the device says of the checksums; then the MAC addresses are exchanged, as
 * testpmd's macswap does. A turn is counted when everything that it finds is there: the packets
 * of a batch, and the CQE of the batch before. The same by libmlx5, side by side. The counts
 * are exact, and the bounds are for gcc at -O2.
 */
#include <netinet/in.h>

#include "cost/packets/verbs.h"
#include "machine/step.h"

enum {
	SIZES = 3,
	MAX = 32,
};

#define COUNTED __attribute__((noinline))

static const unsigned int sizes[SIZES] = { 1, 8, MAX };
static struct device a, b, c;
static struct ethernet from, to;
static struct verbs by_verbs;
static unsigned int broken;

/* ---- the loops ---- */

static bool macswap(void *arg, void *packet, uint32_t len, const struct mlx5_cqe64 *cqe)
{
	(void)arg;
	if (!dv_packet_csum_ok(cqe) || len < 2 * ETH_ALEN)
		return false;
	exchange_macs(packet);
	return true;
}

static bool drop(void *arg, void *packet, uint32_t len, const struct mlx5_cqe64 *cqe)
{
	*(uint32_t *)arg += dv_packet_csum_ok(cqe) ? len : 0;
	(void)packet;
	return false;
}

static COUNTED unsigned int turn_send(unsigned int max)
{
	const struct mlx5_cqe64 *failed;
	int n;

	STEP_BEGIN();
	n = packet_loop(&to.q, max, macswap, NULL, &failed);
	STEP_END();
	return (unsigned int)n;
}

static COUNTED unsigned int turn_drop(unsigned int max)
{
	const struct mlx5_cqe64 *failed;
	uint32_t octets = 0;
	int n;

	STEP_BEGIN();
	n = packet_loop(&to.q, max, drop, &octets, &failed);
	STEP_END();
	return (unsigned int)n;
}

static COUNTED unsigned int turn_verbs(unsigned int max)
{
	unsigned int n;

	STEP_BEGIN();
	n = verbs_loop(&by_verbs, max);
	STEP_END();
	return n;
}

/* ---- what a turn finds ---- */

static void send_packets(uint16_t port, unsigned int n)
{
	struct packet p = { IPPROTO_UDP, "192.0.2.1", "192.0.2.2", 9000, port, 18 };
	uint32_t len = ethernet_frame(from.frame, from.mac, to.mac, &p);

	while (n--)
		ethernet_send(&from, len);
}

/* The ring of a CQ that dv polls, or of one that libmlx5 does. */
struct ring {
	const struct dv_cq *dv;
	struct ibv_cq *verbs;
};

/* Until @n CQEs are there: seen by another struct, which takes none. */
static void await(struct ring r, unsigned int n)
{
	struct dv_cq cq;

	if (r.dv)
		cq = *r.dv;
	else
		ok(dv_cq_map(&cq, r.verbs));
	deadline(10, "packets");
	while (n)
		n -= dv_cq_poll(&cq) != NULL;
	deadline(0, "packets");
}

struct loop {
	const char *name;
	unsigned int (*turn)(unsigned int max);
	uint16_t port;
	struct ring received, sent;
	bool sends;
	double bound[SIZES]; /* 0: none */
};

/* Instructions of the third turn, per packet: what is bound at first use is bound then. */
static double measure(const struct loop *l, unsigned int n)
{
	for (int i = 0; i < 3; i++) {
		step_off = !step_possible || i < 2;
		send_packets(l->port, n);
		await(l->received, n);
		if (l->turn(n) != n)
			errx(1, "%s: a turn of another number of packets", l->name);
		if (l->sends)
			await(l->sent, 1);
	}
	return (double)step_count().instructions / n;
}

/* The bounds are those of gcc 12; newer ones use registers in another way. */
#if defined(__GNUC__) && __GNUC__ > 12
#define SLACK 1.07
#else
#define SLACK 1.0
#endif

static void row(const struct loop *l)
{
	printf("%-36s", l->name);
	for (int i = 0; i < SIZES; i++) {
		double cost = measure(l, sizes[i]);
		bool bad = l->bound[i] && cost > l->bound[i] * SLACK;

		printf(" %7.1f", cost);
		if (l->bound[i])
			printf(" (at most %3.0f)%s", l->bound[i] * SLACK, bad ? " BROKEN" : "");
		else
			printf("%14s", "");
		broken += bad;
	}
	printf("\n");
}
static void open_all(void)
{
	struct options o = { .port = 1, .gid_index = DV_GID_DEFAULT };

	a = device_open(o);
	b = device_open(o);
	c = device_open(o);
	ethernet_open(&from, &a);
	ethernet_open(&to, &b);
	ok(packet_loop_begin(&to.q, to.mr->lkey));
	verbs_open(&by_verbs, &c);
}

static void close_all(void)
{
	verbs_close(&by_verbs);
	ethernet_close(&to);
	ethernet_close(&from);
	device_close(&c);
	device_close(&b);
	device_close(&a);
}

static int run(void)
{
	const char *text = "ingress pattern eth / ipv4 / udp dst is %d / end "
			   "actions queue index 0 / end";
	struct dv_flow_targets targets = { .qp = &by_verbs.qp, .n_qp = 1 };
	struct dv_flow_port *rules, *rules_of_verbs;

	if (!step_possible) {
		fprintf(stderr, "the counts need a process that may be traced, on x86-64\n");
		return 77;
	}
	open_all();
	rules = ethernet_rules(&to, &b);
	rules_of_verbs = rules_open(&c, &targets);
	rule(rules, text, 7);
	rule(rules_of_verbs, text, 8);
	printf("%36s    batch 1             8                   32\n",
	       "instructions per packet");
	row(&(struct loop){ "receive, inspect, drop: dv",
			    turn_drop,
			    7,
			    { .dv = &to.q.received },
			    { .dv = &to.q.sent },
			    false,
			    { 80, 30, 25 } });
	row(&(struct loop){ "receive, inspect, send: dv",
			    turn_send,
			    7,
			    { .dv = &to.q.received },
			    { .dv = &to.q.sent },
			    true,
			    { 190, 95, 85 } });
	row(&(struct loop){ "receive, inspect, send: libmlx5",
			    turn_verbs,
			    8,
			    { .verbs = by_verbs.received },
			    { .verbs = by_verbs.sent },
			    true,
			    { 0, 0, 0 } });
	dv_flow_close(rules_of_verbs);
	dv_flow_close(rules);
	close_all();
#ifdef __clang__
	printf("the bounds are for gcc, and this was compiled with clang: not held against it\n");
	broken = 0;
#endif
	return broken ? 1 : 0;
}

int main(void)
{
	return step_run(run);
}
