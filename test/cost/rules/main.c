/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of a flow rule by each back end of flow, over the number of rules that there are:
 * instructions of the thread that installs it, in the program, dvkit, libmlx5 and the
 * emulator's kernel and firmware.
 *
 *	test_cost_rules [NUMBER…]	among so many rules, in ascending order; by default 10 and 10000
 *
 *	back end, rules, instructions per new rule, per deletion, new rules per second; tabs
 *
 * Rules match the same fields and other values of them. The counts gate: with any number of
 * rules a new one, and a deletion, may cost 1.5 times what they cost among 10. The rate is that
 * of this machine, and gates nothing.
 */
#include <stdlib.h>
#include <time.h>

#include <devx/devx.h>

#include "ethernet.h"
#include "machine/step.h"

#define PER_PRIORITY 55000 /* the kernel has 56172 places in large groups */

#define COUNTED __attribute__((noinline))

static struct device dev;
static struct ethernet eth;
static struct dv_flow_rule next;
static struct dv_flow_error error;

struct cost {
	double create, destroy;
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
	return least;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool measure_backend(const char *name, const unsigned int *sizes, unsigned int count)
{
	struct dv_flow_targets targets = {
		.qp = &eth.qp, .n_qp = 1, .pd = dev.pd, .entries = 1u << 20
	};
	unsigned int n = 0;
	struct cost cost, few = { 0 };
	struct dv_flow_port *port;
	bool good = true;

	if (dv_flow_open(&port, dev.ctx, name, &targets, &error))
		errx(2, "%s: %s", name, error.message);
	for (unsigned int i = 0; i < count; i++) {
		double start = seconds(), rate;
		unsigned int first = n;

		for (; n < sizes[i]; n++)
			install(port, n);
		rate = (n - first) / (seconds() - start);
		cost = measure(port, n);
		printf("%s\t%u\t%.0f\t%.0f\t%.0f\n", name, n, cost.create, cost.destroy, rate);
		if (n == 10)
			few = cost;
		if (few.create &&
		    (cost.create > 1.5 * few.create || cost.destroy > 1.5 * few.destroy))
			good = false;
	}
	dv_flow_close(port);
	return good;
}

#define SIZES_MAX 16
static unsigned int sizes[SIZES_MAX] = { 10, 10000 }, count = 2;

static int run(void)
{
	static const char *const names[] = { "verbs", "kernel", "devx" };
	bool good = true;

	if (!step_possible) {
		fprintf(stderr, "the counts need a process that may be traced, on x86-64\n");
		return 77;
	}
	dev = device_open((struct options){ .port = 1, .gid_index = DV_GID_DEFAULT });
	ethernet_open(&eth, &dev);
	ok(dv_flow_parse(&next,
			 "ingress pattern eth / ipv4 src is 10.0.0.0 / udp / end "
			 "actions queue index 0 / end",
			 &error));
	printf("back end\trules\tinstructions per new rule\tper deletion\trules per second\n");
	for (int i = 0; i < 3; i++)
		good = measure_backend(names[i], sizes, count) && good;
	ethernet_close(&eth);
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
