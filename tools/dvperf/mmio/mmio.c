/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a store to a doorbell register costs the CPU.
 *
 *	one after the other    store store store …       the time of all, divided
 *	alone                  wait | store | wait | …   each timed; the mean less that of no store
 *
 * The register is in a UAR page that no queue uses, and the doorbells are of a QP number that no QP
 * has: the device does nothing with them. A time ends when the CPU continues, not when the write has
 * arrived: without a fence it continues before.
 */
#include <argp.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "machine/machine.h"
#include "mmio.h"

enum {
	PASSES = 11,
	ALONE = 101,	/* stores of a pass, each alone */
	WAIT_NS = 1000, /* before each of them: longer than a write on PCI Express takes */
	STORES_MAX = 1000000,
	FAULT_NS = 1000, /* no store to memory takes so long */
};

static struct request {
	struct options o;
	unsigned int iters;
} request;

struct mmio {
	struct device dev;
	struct mlx5dv_devx_uar *uar[MAPPINGS];
	struct dv_sq sq;
	bool faults;
};

/* ---- time ---- */

/* Not before what precedes is done, and nothing after begins before. */
static uint64_t ticks_now(void)
{
#if defined(__x86_64__)
	uint64_t ticks;

	__builtin_ia32_lfence();
	ticks = clock_ticks();
	__builtin_ia32_lfence();
	return ticks;
#else
	uint64_t ticks = clock_ticks();

	__asm__ volatile("isb" ::: "memory");
	return ticks;
#endif
}

static double ticks_of(struct dv_sq *sq, store_loop *loop, unsigned int n)
{
	uint64_t begin = ticks_now();

	loop(sq, n);
	return (double)(ticks_now() - begin);
}

/* The mean, since the time stamp counter may advance in steps that are longer than a store; without the
 * tenth of the least and of the greatest. */
static double ticks_alone(struct dv_sq *sq, store_loop *loop)
{
	uint64_t wait = (uint64_t)(clock_rate() / 1e9 * WAIT_NS);
	double ticks[ALONE], sum = 0;

	for (int i = 0; i < ALONE; i++) {
		uint64_t begin = clock_ticks();

		while (clock_ticks() - begin < wait)
			;
		ticks[i] = ticks_of(sq, loop, 1);
	}
	median(ticks, ALONE); /* sorts */
	for (int i = ALONE / 10; i < ALONE - ALONE / 10; i++)
		sum += ticks[i];
	return sum / (ALONE - ALONE / 10 * 2);
}

/* Ticks of a store: the median of passes, the first of which warms up. */
static double ticks_of_store(struct dv_sq *sq, store_loop *loop, bool alone)
{
	double ticks[PASSES];

	for (int i = -1; i < PASSES; i++) {
		double one = alone ? ticks_alone(sq, loop) - ticks_alone(sq, store_nothing)
				   : ticks_of(sq, loop, request.iters) / request.iters;

		if (i >= 0)
			ticks[i] = one;
	}
	return median(ticks, PASSES);
}

static void measure(struct dv_sq *sq, store_loop *loop, bool alone, struct result *r)
{
	double ns[MAX_REPEATS], cycles[MAX_REPEATS];
	unsigned int n = 0;

	for (; n < (unsigned int)r->o.repeats && !base_interrupted; n++) {
		double ticks = ticks_of_store(sq, loop, alone);

		ns[n] = ticks / clock_rate() * 1e9;
		cycles[n] = ticks * clock_core_ratio();
	}
	if (!n)
		return;
	result_keep(r, METRIC_NS, ns, n);
	result_keep(r, METRIC_CYCLES, cycles, n);
	r->m[METRIC_NS] = median(ns, n); /* sorts */
	if (r->m[METRIC_NS] > 0)
		r->m[METRIC_SPREAD] = (ns[n - 1] - ns[0]) / r->m[METRIC_NS];
	r->m[METRIC_CYCLES] = median(cycles, n);
	r->m[METRIC_CYCLES_MIN] = cycles[0];
	r->m[METRIC_CYCLES_MAX] = cycles[n - 1];
}

/* ---- rows ---- */

static void add_word(struct json_object *to, const char *key, const char *word)
{
	json_object_object_add(to, key, json_object_new_string(word));
}

/* What a row of mmio is of, in place of the options of an operation. */
static struct json_object *row_options(enum store store, enum fence fence, enum mapping mapping,
				       bool alone)
{
	struct json_object *to = json_object_new_object();

	add_word(to, "mode", "mmio");
	add_word(to, "store", store_word(store));
	add_word(to, "fence", fence_word(fence));
	add_word(to, "mapping", mapping_word(mapping));
	add_word(to, "spacing", alone ? "alone" : "back-to-back");
	json_object_object_add(to, "iters", json_object_new_int((int)request.iters));
	json_object_object_add(to, "repeats", json_object_new_int(request.o.repeats));
	return to;
}

static void print_row(const struct result *r, enum store store, enum fence fence,
		      enum mapping mapping, bool alone)
{
	double spread = r->m[METRIC_SPREAD];
	char text[16] = "-";

	if (!isnan(spread))
		snprintf(text, sizeof(text), "%.1f", spread * 100);
	printf("%-9s %-9s %-7s %-12s %8.1f %8.1f %8.1f %8.1f %7s%s\n", store_word(store),
	       fence_word(fence), mapping_word(mapping), alone ? "alone" : "back-to-back",
	       r->m[METRIC_NS], r->m[METRIC_CYCLES], r->m[METRIC_CYCLES_MIN],
	       r->m[METRIC_CYCLES_MAX], text, spread > 0.1 ? " ?" : "");
}

static void row(struct mmio *m, struct report *rep, enum store store, enum fence fence,
		enum mapping mapping, bool alone)
{
	store_loop *loop = store_find(store, fence, mapping);
	struct result r = result_new(&request.o);

	if (!loop || base_interrupted)
		return;
	m->sq.bf_reg = (char *)m->uar[mapping]->reg_addr;
	m->sq.bf_offset = 0;
	environment_distrust(&r, &m->dev);
	if (m->dev.emulated)
		result_distrust(&r, "plain memory, not MMIO: the emulator's registers");
	measure(&m->sq, loop, alone, &r);
	if (isnan(r.m[METRIC_NS]))
		return;
	m->faults |= m->dev.emulated && r.m[METRIC_NS] > FAULT_NS;
	report_row(rep, &r);
	json_object_object_add(
		json_object_array_get_idx(rep->rows, json_object_array_length(rep->rows) - 1),
		"options", row_options(store, fence, mapping, alone));
	if (!request.o.json)
		print_row(&r, store, fence, mapping, alone);
}

static void rows(struct mmio *m, struct report *rep)
{
	if (!request.o.json)
		printf("%-9s %-9s %-7s %-12s %8s %8s %8s %8s %7s\n", "store", "fence",
		       "mapping", "spacing", "ns", "cycles", "low", "high", "spread%");
	for (int mapping = 0; mapping < MAPPINGS; mapping++)
		for (int store = 0; store < STORES; store++)
			for (int fence = 0; fence < FENCES; fence++)
				for (int alone = 0; alone < 2; alone++)
					row(m, rep, (enum store)store, (enum fence)fence,
					    (enum mapping)mapping, alone);
}

/* ---- the register ---- */

static struct mlx5dv_devx_uar *uar_get(const struct device *dev, uint32_t type)
{
	struct mlx5dv_devx_uar *uar = mlx5dv_devx_alloc_uar(dev->ctx, type);

	if (!uar)
		base_refuse(
			"%s gives no %s register (%m): mmio needs an adapter and a kernel with DevX",
			ibv_get_device_name(dev->ctx->device),
			type == MLX5DV_UAR_ALLOC_TYPE_NC ? "NC" : "BlueFlame");
	return uar;
}

/* A NOP of a QP number that no QP has. */
static void open_register(struct mmio *m)
{
	static uint64_t wqe[DV_WQE_BB / 8] __attribute__((aligned(DV_WQE_BB)));
	enum { NO_QP = 0xffffff, HALF = 256 };

	m->uar[MAPPING_WC] = uar_get(&m->dev, MLX5DV_UAR_ALLOC_TYPE_BF);
	m->uar[MAPPING_NC] = uar_get(&m->dev, MLX5DV_UAR_ALLOC_TYPE_NC);
	wqe[0] = htobe64((uint64_t)NO_QP << 8 | 1);
	m->sq.last = wqe;
	m->sq.bf_size = HALF;
}

/* ---- the command line ---- */

enum { KEY_REPEAT = 256, KEY_PIN, KEY_JSON };

static const struct argp_option table[] = {
	{ "ib-dev", 'd', "DEV", 0, "device (default: the first mlx5 device)", 0 },
	{ "iters", 'n', "N", 0, "stores of a pass, one after the other (default: 1000)", 0 },
	{ "repeat", KEY_REPEAT, "N", 0, "repetitions (default: 5)", 0 },
	{ "pin", KEY_PIN, "CPUS", 0, "CPU of the thread: a number or auto", 0 },
	{ "json", KEY_JSON, NULL, 0, "print JSON", 0 },
	{ 0 }
};

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct request *q = state->input;
	const char *bad = NULL, *name = NULL;

	for (const struct argp_option *a = table; a->name; a++)
		if (a->key == key)
			name = a->name;
	if (key == ARGP_KEY_ARG)
		base_refuse("mmio takes no argument: '%s'; see --help", arg);
	if (!name)
		return ARGP_ERR_UNKNOWN;
	if (key == KEY_JSON)
		q->o.json = true;
	else
		bad = options_take_name(&q->o, name, arg);
	if (bad)
		base_refuse("--%s: %s", name, bad);
	return 0;
}

int mmio_run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = table,
		.parser = take,
		.doc = "The time of a store to a doorbell register that no queue uses."
	};
	static struct mmio m;
	struct report rep;

	request.o = options_new(MODE_POST);
	argp_parse(&argp, argc, argv, 0, NULL, &request);
	request.iters = request.o.iters ? (unsigned int)request.o.iters : 1000;
	options_defaults(&request.o);
	if (request.iters > STORES_MAX)
		base_refuse("--iters: at most %d", STORES_MAX);
	if (pin_check(&request.o))
		base_refuse("%s", pin_check(&request.o));
	base_catch_interrupts();
	device_open(&m.dev, &request.o);
	open_register(&m);
	pin_thread(&request.o, 0);
	report_begin(&rep, &request.o, argc, argv);
	rep.quiet = true;
	json_object_object_add(rep.all, "environment", environment_json(&m.dev, &request.o));
	rows(&m, &rep);
	if (m.faults)
		base_note("a store took more than %d ns: a fault of the emulator, not a store; "
			  "dvkit-emu --poll-doorbells has none",
			  FAULT_NS);
	for (int i = 0; i < MAPPINGS; i++)
		mlx5dv_devx_free_uar(m.uar[i]);
	device_close(&m.dev);
	return report_end(&rep);
}
