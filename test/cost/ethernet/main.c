/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulator's cost of a packet: instructions from the doorbell to both CQEs, of a packet
 * that a process sends to the MAC address of the port that it has.
 *
 *	test_cost_ethernet	octets, packets per doorbell, instructions per packet, at most; tabs
 *
 * The engine is paused, and this thread makes its iterations until there is no work: WQE,
 * checksums, flow tables, frame, receive WQE, CQEs. The counts are exact; a repeated
 * instruction counts as often as it repeats. The bounds are for gcc at -O2, a fifth above the
 * counts of gcc 12.
 */
#include <netinet/in.h>

#include <dvkit/emu.h>

#include "cost/taken.h"
#include "ethernet.h"
#include "machine/step.h"

#define TURNS 3 /* of which the last is counted: what is bound at first use is bound then */
#define MAX   8

#define COUNTED __attribute__((noinline))

/* Two contexts: a port does not loop the packets of a transport domain back to it. */
static struct device a, b;
static struct ethernet from, to;

static const struct row {
	uint16_t octets;
	unsigned int packets;
	double bound;
} rows[] = {
	{ 64, MAX, 10900 },
	{ 1500, 1, 26400 },
};

static COUNTED void execute(void)
{
	STEP_BEGIN();
	while (dvkit_emu_step())
		;
	STEP_END();
}

static void post(uint32_t len, unsigned int n)
{
	struct ibv_sge sge = { (uintptr_t)from.frame, len, from.mr->lkey };

	while (n--)
		ok(dv_sq_send_eth(&from.q.sq, MLX5_WQE_CTRL_CQ_UPDATE,
				  MLX5_ETH_WQE_L3_CSUM | MLX5_ETH_WQE_L4_CSUM,
				  (struct dv_eth_hdr){ NULL, 0 }, &sge, 1));
	dv_sq_doorbell(&from.q.sq);
}

static void reap(uint32_t len, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct mlx5_cqe64 *cqe = take(&to.q.received, "received");
		uint8_t *packet = to.buf[dv_cqe_wqe_counter(cqe) % ETHERNET_DEPTH];

		/* but for the checksums, which the device filled in */
		if (dv_cqe_byte_cnt(cqe) != len || memcmp(packet, from.frame, 24) ||
		    memcmp(packet + 42, from.frame + 42, len - 42))
			errx(1, "another packet was received");
		ethernet_receive_end(&to, cqe);
		dv_sq_retire(&from.q.sq, take(&from.q.sent, "sent"));
	}
	dv_cq_release(&from.q.sent);
}

static double measure(uint16_t octets, unsigned int n)
{
	struct packet p = { IPPROTO_UDP, "192.0.2.1", "192.0.2.2",
			    9000,	 9001,	      (uint16_t)(octets - 42) };
	uint32_t len = ethernet_frame(from.frame, from.mac, to.mac, &p);

	for (int turn = 0; turn < TURNS; turn++) {
		step_off = turn < TURNS - 1;
		post(len, n);
		execute();
		reap(len, n);
	}
	return (double)step_count().instructions / n;
}

static int run(void)
{
	struct dv_flow_port *rules;
	bool good = true;

	if (!step_possible) {
		fprintf(stderr, "the counts need a process that may be traced, on x86-64\n");
		return 77;
	}
	a = device_open((struct options){ .port = 1, .gid_index = DV_GID_DEFAULT });
	b = device_open((struct options){ .port = 1, .gid_index = DV_GID_DEFAULT });
	ethernet_open(&from, &a);
	ethernet_open(&to, &b);
	rules = ethernet_rules(&to, &b);
	rule(rules,
	     "ingress pattern eth / ipv4 / udp dst is 9001 / end actions queue index 0 / end");
	ok(dvkit_emu_pause());
	printf("octets\tpackets per doorbell\tinstructions per packet\tat most\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double count = measure(rows[i].octets, rows[i].packets);

		printf("%u\t%u\t%.0f\t%.0f\n", rows[i].octets, rows[i].packets, count,
		       rows[i].bound);
		good = count <= rows[i].bound && good;
	}
	ok(dvkit_emu_resume());
	dv_flow_close(rules);
	ethernet_close(&to);
	ethernet_close(&from);
	device_close(&b);
	device_close(&a);
#ifdef __clang__
	printf("the bounds are for gcc, and this was compiled with clang: not held against it\n");
	good = true;
#endif
	return good ? 0 : 1;
}

int main(void)
{
	return step_run(run);
}
