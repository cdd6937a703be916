/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CPU's cost of a store to a doorbell register.
 *
 *	one after the other    store store store …       the time of all, divided
 *	alone                  wait | store | wait | …   each timed; the mean less that of no store
 *
 * By one thread, and by several at the same time (team.h), each with a register or all with
 * one. The registers are in UAR pages that no queue uses, and the doorbells are of a QP number
 * that no QP has: the device does nothing with them. A time ends when the CPU continues, not
 * when the write has arrived: without a fence it continues before.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "machine/machine.h"
#include "result/result.h"
#include "asked.h"
#include "mmio.h"
#include "team.h"

enum {
	FAULT_NS = 1000, /* no store to memory takes so long */
};
static const double TOGETHER = 0.5; /* of their time, in which all threads should be timed */

struct reg {
	struct mlx5dv_devx_uar *uar;
	struct ibv_context *ctx; /* opened for it, or NULL */
};

struct mmio {
	struct asked asked;
	struct device dev;
	unsigned int registers;
	struct reg *regs[MAPPINGS]; /* one for each thread */
	struct team_slot *slots;
	struct store_lock lock;
	bool faults;
};

/* Parameters of a row. */
struct kind {
	enum store store;
	enum fence fence;
	enum mapping mapping;
	enum spacing spacing;
	unsigned int threads, registers;
	bool locked;
};

/* ---- measurement ---- */

/* The values of the repeats. */
struct repeats {
	double ns[MAX_REPEATS], cycles[MAX_REPEATS], slowest[MAX_REPEATS], mops[MAX_REPEATS];
	double overlap[MAX_REPEATS];
	unsigned int n;
};

static void keep(struct result *r, struct repeats *all)
{
	unsigned int n = all->n;

	result_keep(r, METRIC_NS, all->ns, n);
	result_keep(r, METRIC_CYCLES, all->cycles, n);
	r->m[METRIC_NS] = median(all->ns, n); /* sorts */
	if (r->m[METRIC_NS] > 0)
		r->m[METRIC_SPREAD] = (all->ns[n - 1] - all->ns[0]) / r->m[METRIC_NS];
	r->m[METRIC_NS_MIN] = all->ns[0];
	r->m[METRIC_NS_MAX] = all->ns[n - 1];
	r->m[METRIC_CYCLES] = median(all->cycles, n);
	r->m[METRIC_CYCLES_MIN] = all->cycles[0];
	r->m[METRIC_CYCLES_MAX] = all->cycles[n - 1];
	r->m[METRIC_NS_SLOWEST] = median(all->slowest, n);
}

/* Rates are of stores one after the other: between others the threads wait. */
static void keep_rate(struct result *r, struct repeats *all)
{
	unsigned int n = all->n;

	result_keep(r, METRIC_MOPS, all->mops, n);
	r->m[METRIC_MOPS] = median(all->mops, n);
	r->m[METRIC_MOPS_MIN] = all->mops[0];
	r->m[METRIC_MOPS_MAX] = all->mops[n - 1];
}

static void measure(struct mmio *m, const struct kind *kind, store_loop *loop, struct result *r)
{
	const struct team_work work = { .o = &m->asked.o,
					.slots = m->slots,
					.threads = kind->threads,
					.loop = loop,
					.alone = kind->spacing == SPACING_ALONE,
					.iters = m->asked.iters };
	struct repeats all = { .n = 0 };

	for (; all.n < (unsigned int)r->o.repeats && !base_interrupted; all.n++) {
		struct team_times t = team_measure(&work);

		all.ns[all.n] = t.ticks / clock_rate() * 1e9;
		all.slowest[all.n] = t.slowest / clock_rate() * 1e9;
		all.mops[all.n] = t.rate * clock_rate() / 1e6;
		all.cycles[all.n] = t.ticks * clock_core_ratio();
		all.overlap[all.n] = t.overlap;
	}
	if (!all.n)
		return;
	keep(r, &all);
	if (kind->spacing == SPACING_BACK_TO_BACK)
		keep_rate(r, &all);
	r->m[METRIC_REGISTERS] = kind->registers;
	r->m[METRIC_OVERLAP] = median(all.overlap, all.n);
	if (r->m[METRIC_OVERLAP] < TOGETHER)
		result_distrust(r, "the threads were timed one after the other, not together: "
				   "more stores (-n) or fewer threads");
}

/* ---- rows ---- */

static void add_word(struct json_object *to, const char *key, const char *word)
{
	json_object_object_add(to, key, json_object_new_string(word));
}

static void add_number(struct json_object *to, const char *key, unsigned int number)
{
	json_object_object_add(to, key, json_object_new_int((int)number));
}

/* Parameters of a row of mmio, in place of the options of an operation. */
static struct json_object *row_options(const struct mmio *m, const struct kind *kind)
{
	struct json_object *to = json_object_new_object();

	add_word(to, "mode", "mmio");
	add_word(to, "store", store_words[kind->store]);
	add_word(to, "fence", fence_words[kind->fence]);
	add_word(to, "mapping", mapping_words[kind->mapping]);
	add_word(to, "spacing", spacing_words[kind->spacing]);
	add_number(to, "threads", kind->threads);
	add_word(to, "uar", kind->registers == kind->threads ? "thread" : "shared");
	add_word(to, "locks", kind->locked ? "on" : "off");
	add_number(to, "iters", m->asked.iters);
	add_number(to, "repeats", (unsigned int)m->asked.o.repeats);
	return to;
}

static void print_row(const struct result *r, const struct kind *kind)
{
	const double spread = r->m[METRIC_SPREAD];
	struct table_value ns, slowest, cycles, mops, percent;

	printf("%-9s %-9s %-7s %-12s %3u %3u %4s %8s %8s %8s %8s %7s%s\n",
	       store_words[kind->store], fence_words[kind->fence], mapping_words[kind->mapping],
	       spacing_words[kind->spacing], kind->threads, kind->registers,
	       kind->locked ? "yes" : "no", table_value(&ns, 8, 1, r->m[METRIC_NS]),
	       table_value(&slowest, 8, 1, r->m[METRIC_NS_SLOWEST]),
	       table_value(&cycles, 8, 1, r->m[METRIC_CYCLES]),
	       table_value(&mops, 8, 2, r->m[METRIC_MOPS]),
	       table_value(&percent, 7, 1, spread * 100), spread > 0.1 ? " ?" : "");
	fflush(stdout);
}

static void print_header(void)
{
	printf("%-9s %-9s %-7s %-12s %3s %3s %4s %8s %8s %8s %8s %7s\n", "store", "fence",
	       "mapping", "spacing", "thr", "reg", "lock", "ns", "slowest", "cycles", "Mops",
	       "spread%");
}

static void take_slots(struct mmio *m, const struct kind *kind)
{
	for (unsigned int i = 0; i < kind->threads; i++) {
		struct team_slot *s = &m->slots[i];
		unsigned int reg = i % kind->registers;

		s->lock = &m->lock;
		s->sq.bf_reg = (char *)m->regs[kind->mapping][reg].uar->reg_addr;
		s->sq.bf_offset = 0;
	}
	m->lock.halves.bf_offset = 0;
}

static void row(struct mmio *m, struct report *rep, const struct kind *kind)
{
	store_loop *loop = store_find(kind->store, kind->fence, kind->mapping, kind->locked);
	struct options o = m->asked.o;
	struct result r;

	if (!loop || base_interrupted)
		return;
	o.threads = (int)kind->threads;
	r = result_new(&o);
	take_slots(m, kind);
	environment_distrust(&r, &m->dev);
	if (m->dev.emulated)
		result_distrust(&r, "plain memory, not MMIO: the emulator's registers");
	measure(m, kind, loop, &r);
	if (isnan(r.m[METRIC_NS]))
		return;
	m->faults |= m->dev.emulated && r.m[METRIC_NS] > FAULT_NS && kind->threads == 1;
	report_row(rep, &r);
	json_object_object_add(
		json_object_array_get_idx(rep->rows, json_object_array_length(rep->rows) - 1),
		"options", row_options(m, kind));
	if (!m->asked.o.json)
		print_row(&r, kind);
}

/* One thread has one register; several have one each, or all the same, with a lock where that
 * is needed, and without where it is not. */
static void rows_of_teams(struct mmio *m, struct report *rep, struct kind kind)
{
	for (unsigned int i = 0; i < m->asked.teams; i++) {
		kind.threads = kind.registers = m->asked.threads[i];
		kind.locked = false;
		if (kind.threads == 1 || m->asked.sharings >> SHARING_NONE & 1)
			row(m, rep, &kind);
		if (kind.threads == 1 || !(m->asked.sharings >> SHARING_ONE & 1))
			continue;
		kind.registers = 1;
		if (store_may_share(kind.store, kind.fence, kind.mapping))
			row(m, rep, &kind);
		kind.locked = true;
		row(m, rep, &kind);
	}
}

static void rows(struct mmio *m, struct report *rep)
{
	const struct asked *a = &m->asked;

	if (!a->o.json)
		print_header();
	for (unsigned int i = 0; i < (unsigned int)MAPPINGS * STORES * FENCES * SPACINGS; i++) {
		struct kind kind = { .spacing = (enum spacing)(i % SPACINGS),
				     .fence = (enum fence)(i / SPACINGS % FENCES),
				     .store = (enum store)(i / SPACINGS / FENCES % STORES),
				     .mapping =
					     (enum mapping)(i / SPACINGS / FENCES / STORES) };

		if (a->mappings >> kind.mapping & a->stores >> kind.store &
		    a->fences >> kind.fence & a->spacings >> kind.spacing & 1)
			rows_of_teams(m, rep, kind);
	}
}

/* ---- the registers ---- */

/* NULL context: the device could not be opened once more. */
static struct mlx5dv_devx_uar *uar_get(const struct device *dev, struct ibv_context *ctx,
				       enum mapping mapping)
{
	bool nc = mapping == MAPPING_NC;
	struct mlx5dv_devx_uar *uar =
		ctx ? mlx5dv_devx_alloc_uar(ctx, nc ? MLX5DV_UAR_ALLOC_TYPE_NC
						    : MLX5DV_UAR_ALLOC_TYPE_BF)
		    : NULL;

	if (!uar)
		base_refuse(
			"%s gives no %s register (%m): mmio needs an adapter and a kernel with DevX, and "
			"as many registers as threads",
			ibv_get_device_name(dev->ctx->device), nc ? "NC" : "BlueFlame");
	return uar;
}

/* libmlx5 has one NC register per context (verbs.c, mlx5_get_singleton_nc_uar()): each of
 * several is of a context that is opened for it. */
static void open_registers(struct mmio *m, enum mapping mapping)
{
	struct reg *regs = base_made(calloc(m->registers, sizeof(*regs)));
	struct ibv_context *ctx = m->dev.ctx;

	for (unsigned int i = 0; i < m->registers; i++) {
		if (i && mapping == MAPPING_NC)
			ctx = regs[i].ctx = ibv_open_device(m->dev.ctx->device);
		regs[i].uar = uar_get(&m->dev, ctx, mapping);
		for (unsigned int k = 0; k < i; k++)
			if (regs[k].uar->reg_addr == regs[i].uar->reg_addr)
				base_refuse("the device gave %u %s registers in place of %u", i,
					    mapping_words[mapping], m->registers);
	}
	m->regs[mapping] = regs;
}

/* A NOP of a QP number that no QP has. */
static void open_slots(struct mmio *m)
{
	static uint64_t wqe[DV_WQE_BB / 8] __attribute__((aligned(DV_WQE_BB)));
	enum { NO_QP = 0xffffff, HALF = 256 };

	wqe[0] = htobe64((uint64_t)NO_QP << 8 | 1);
	m->registers = asked_most_threads(&m->asked);
	m->slots = base_made(aligned_alloc(64, m->registers * sizeof(*m->slots)));
	memset(m->slots, 0, m->registers * sizeof(*m->slots));
	for (unsigned int i = 0; i < m->registers; i++) {
		m->slots[i].sq.last = wqe;
		m->slots[i].sq.bf_size = HALF;
	}
	base_ok(pthread_spin_init(&m->lock.spin, PTHREAD_PROCESS_PRIVATE));
	for (int i = 0; i < MAPPINGS; i++)
		if (m->asked.mappings >> i & 1)
			open_registers(m, (enum mapping)i);
}

static void close_slots(struct mmio *m)
{
	for (int i = 0; i < MAPPINGS; i++) {
		struct reg *regs = m->regs[i];

		for (unsigned int k = 0; regs && k < m->registers; k++) {
			mlx5dv_devx_free_uar(regs[k].uar);
			if (regs[k].ctx)
				base_ok(ibv_close_device(regs[k].ctx));
		}
		free(regs);
	}
	free(m->slots);
}

int mmio_run(int argc, char **argv)
{
	static struct mmio m;
	struct report rep;
	const struct options *o = &m.asked.o;

	asked_read(&m.asked, argc, argv);
	base_catch_interrupts();
	device_open(&m.dev, o);
	open_slots(&m);
	report_begin(&rep, o, argc, argv);
	rep.quiet = true;
	json_object_object_add(rep.all, "environment", environment_json(&m.dev, o));
	rows(&m, &rep);
	if (m.faults)
		base_note("a store took more than %d ns: dvkit-emu --check makes a fault of it",
			  FAULT_NS);
	close_slots(&m);
	device_close(&m.dev);
	return report_end(&rep);
}
