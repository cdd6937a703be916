/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of a flow rule by each back end of flow, over the number of rules that there are:
 * instructions of the thread that installs it, in the program, dvkit, libmlx5 and the
 * emulator's kernel and firmware; and instructions of the emulator for a packet that a
 * rule in the middle sends to its queue, from one doorbell to both CQEs.
 *
 *	test_cost_rules [NUMBER…]	among so many rules, in ascending order; by default 10 and 10000
 *
 *	back end, rules, instructions per new rule, per deletion, per packet, new rules per
 *	second, KiB of memory in all; tabs
 *
 * Rules match the same fields and other values of them. The counts gate: with any number of
 * rules a new one, a deletion and a packet may cost 1.5 times what they cost among 10. The rate
 * is that of this machine, memory is what the process has in use; they gate nothing.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <unistd.h>

#include <devx/devx.h>
#include <dvkit/emu.h>

#include "cost/taken.h"
#include "ethernet.h"
#include "lib/clock.h"
#include "machine/step.h"

#define PER_PRIORITY 55000 /* the kernel has 56172 places in large groups */

#define COUNTED __attribute__((noinline))

/* Two contexts: a port does not loop the packets of a transport domain back to it. */
static struct device dev, other;
static struct ethernet eth, from;
static struct dv_flow_rule next, jump;
static struct dv_flow_error error;

struct cost {
	double create, destroy, packet;
};

/* UDP from 10.x.y.z */
static void describe(unsigned int i)
{
	dv_flow_field_set(next.item[1].spec, FLOW_IPV4_SRC, 0x0a000000 + i);
	next.priority = i / PER_PRIORITY;
}

static struct dv_flow *install(struct dv_flow_port *port, unsigned int i)
{
	struct dv_flow *flow;

	describe(i);
	if (dv_flow_create(&flow, port, &next, &error))
		errx(2, "rule %u: %s", i, error.message);
	return flow;
}

static COUNTED struct dv_flow *install_counted(struct dv_flow_port *port, unsigned int i,
					       double *count)
{
	struct dv_flow *flow;
	int err;

	describe(i);
	STEP_BEGIN();
	err = dv_flow_create(&flow, port, &next, &error);
	STEP_END();
	if (err)
		errx(2, "rule %u: %s", i, error.message);
	*count = (double)step_count().instructions;
	return flow;
}

static COUNTED void destroy_counted(struct dv_flow *flow, double *count)
{
	int err;

	STEP_BEGIN();
	err = dv_flow_destroy(flow);
	STEP_END();
	ok(err);
	*count = (double)step_count().instructions;
}

static void post(uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)from.frame, len, from.mr->lkey };

	ok(dv_sq_send_eth(&from.q.sq, MLX5_WQE_CTRL_CQ_UPDATE, 0,
			  (struct dv_eth_hdr){ NULL, 0 }, &sge, 1));
	dv_sq_doorbell(&from.q.sq);
}

/* The packet of rule @i. */
static COUNTED double find(unsigned int i)
{
	struct in_addr address = { htonl(0x0a000000 + i) };
	char src[INET_ADDRSTRLEN];
	struct packet p = { IPPROTO_UDP, src, "192.0.2.2", 9000, 9001, 18 };

	inet_ntop(AF_INET, &address, src, sizeof(src));
	post(ethernet_frame(from.frame, from.mac, eth.mac, &p));
	STEP_BEGIN();
	while (dvkit_emu_step())
		;
	STEP_END();
	ethernet_receive_end(&eth, take(&eth.q.received, "received"));
	dv_sq_retire(&from.q.sq, take(&from.q.sent, "sent"));
	dv_cq_release(&from.q.sent);
	return (double)step_count().instructions;
}

static double find_least(unsigned int i)
{
	double least, cost;

	ok(dvkit_emu_pause());
	find(i); /* binds */
	least = find(i);
	for (int n = 0; n < 2; n++) {
		cost = find(i);
		least = cost < least ? cost : least;
	}
	ok(dvkit_emu_resume());
	return least;
}

/* The cost of the rule after @n: the least of several, as free(3) now and then joins all small
 * blocks (malloc_consolidate). */
static struct cost measure(struct dv_flow_port *port, unsigned int n)
{
	struct cost least = { 0 };

	ok(dv_flow_destroy(install(port, n))); /* binds what the first use needs */
	for (int i = 0; i < 3; i++) {
		struct cost cost;

		destroy_counted(install_counted(port, n, &cost.create), &cost.destroy);
		if (!i || cost.create < least.create)
			least.create = cost.create;
		if (!i || cost.destroy < least.destroy)
			least.destroy = cost.destroy;
	}
	least.packet = find_least(n / 2);
	return least;
}

static long resident_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long size, resident;

	if (!f || fscanf(f, "%ld %ld", &size, &resident) != 2)
		err(2, "/proc/self/statm");
	fclose(f);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static bool is_dear(const struct cost *cost, const struct cost *few)
{
	return cost->create > 1.5 * few->create || cost->destroy > 1.5 * few->destroy ||
	       cost->packet > 1.5 * few->packet;
}

static bool measure_backend(const char *name, const unsigned int *sizes, unsigned int count)
{
	struct dv_flow_targets targets = {
		.qp = &eth.qp, .n_qp = 1, .pd = dev.pd, .entries = 1u << 20
	};
	unsigned int n = 0;
	struct cost cost, few = { 0 };
	struct dv_flow_port *port;
	struct dv_flow *way;
	long before = resident_kib();
	bool good = true;

	/* In group 0 libmlx5 has the firmware install a rule; above it writes entries. */
	next.group = strcmp(name, "dr") ? 0 : 1;
	if (dv_flow_open(&port, dev.ctx, name, &targets, &error))
		errx(2, "%s: %s", name, error.message);
	if (next.group && dv_flow_create(&way, port, &jump, &error))
		errx(2, "%s: %s", name, error.message);
	for (unsigned int i = 0; i < count; i++) {
		double start = now_s(), rate;
		unsigned int first = n;

		for (; n < sizes[i]; n++)
			install(port, n);
		rate = (n - first) / (now_s() - start);
		cost = measure(port, n);
		printf("%s\t%u\t%.0f\t%.0f\t%.0f\t%.0f\t%ld\n", name, n, cost.create,
		       cost.destroy, cost.packet, rate, resident_kib() - before);
		if (n == 10)
			few = cost;
		if (few.create && is_dear(&cost, &few))
			good = false;
	}
	dv_flow_close(port);
	return good;
}

#define SIZES_MAX 16
static unsigned int sizes[SIZES_MAX] = { 10, 10000 }, count = 2;

static int run(void)
{
	static const char *const names[] = { "verbs", "kernel", "devx", "dr" };
	bool good = true;

	if (!step_possible) {
		fprintf(stderr, "the counts need a process that may be traced, on x86-64\n");
		return 77;
	}
	dev = device_open((struct options){ .port = 1, .gid_index = DV_GID_DEFAULT });
	other = device_open((struct options){ .port = 1, .gid_index = DV_GID_DEFAULT });
	ethernet_open(&eth, &dev);
	ethernet_open(&from, &other);
	ok(dv_flow_parse(&jump, "ingress pattern eth / end actions jump group 1 / end",
			 &error));
	ok(dv_flow_parse(&next,
			 "ingress pattern eth / ipv4 src is 10.0.0.0 / udp / end "
			 "actions queue index 0 / end",
			 &error));
	printf("back end\trules\tinstructions per new rule\tper deletion\tper packet\t"
	       "rules per second\tKiB\n");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		good = measure_backend(names[i], sizes, count) && good;
	ethernet_close(&from);
	ethernet_close(&eth);
	device_close(&other);
	device_close(&dev);
	return good ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc > 1 + SIZES_MAX)
		errx(2, "at most %d numbers", SIZES_MAX);
	if (argc > 1)
		count = (unsigned int)argc - 1;
	for (int i = 1; i < argc; i++)
		sizes[i - 1] = (unsigned int)strtoul(argv[i], NULL, 10);
	return step_run(run);
}
