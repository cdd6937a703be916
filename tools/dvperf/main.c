/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvperf: what posting to an mlx5 adapter costs, by API, doorbell and batch.
 *
 *	dvperf post     what posting and polling cost the CPU; no peer, no wire
 *	dvperf bw       operations per second; one process (--loopback) or two (HOST)
 *	dvperf lat      the time of one operation; one process or two
 *	dvperf mmio     the time of a store to a doorbell register
 *	dvperf sweep    any of them over lists of values, or a preset; data and a figure
 *	mpirun -n N dvperf bw --pattern=…    bw between N ranks
 *	dvperf report, dvperf compare        results, shown
 *
 * The modules, each a folder with one public header, include downwards only:
 *
 *	main.c
 *	sweep      many points; presets
 *	run        one point: bw, lat, post, ranks
 *	mmio       stores to a register
 *	lane       one QP: the loops that post and poll
 *	machine    device, memory, CPUs, counters
 *	model      PCI Express and the wire, computed
 *	peer       the other side: TCP, rdma_cm; MPI, of dvperf-mpi only
 *	result     metrics, as table, JSON and CSV
 *	options    a row per option: option.def
 *	base       messages, ^C, progress, clocks, files
 *
 * report/ is not C: what draws, compares and keeps statistics are scripts, which dvperf starts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "libexec/libexec.h"
#include "model/model.h"
#include "machine/machine.h"
#include "mmio/mmio.h"
#include "peer/peer.h"
#include "run/run.h"
#include "sweep/sweep.h"

/* argp finds it by its name in the executable */
__attribute__((visibility("default"))) const char *argp_program_version =
	"dvperf " DVKIT_VERSION;

static struct request {
	struct options o;
	int argc;
	char **argv, **axes;
	int n_axes;
	bool sweeps;
} request;

/* ---- points ---- */

static const uint32_t batches[] = { 1, 2, 4, 8, 16, 32, 64 };

static void one_point(struct report *rep, const struct options *o)
{
	struct result r = result_new(o);

	if (fresh_asked(o))
		fresh_point(rep, &r);
	else
		point_run(rep, &r);
}

/* -a: every power of two that perftest has. */
static void all_sizes(struct report *rep, const struct options *o)
{
	/* a UD message is one packet */
	uint32_t most = o->service == SERVICE_UD ? device_mtu(o) : MAX_ALL;

	for (uint32_t size = 2; size <= most && !base_interrupted; size *= 2) {
		struct options point = *o;

		point.size = size;
		if (!o->loopback)
			peer_point(&point, o->mode == MODE_BW ? "bw -a" : "lat -a", 1, NULL);
		if (!base_interrupted)
			one_point(rep, &point);
	}
	peer_part();
}

/* --run_infinitely: a row, with its repeats, until ^C. */
static void without_end(struct report *rep, const struct options *o)
{
	while (!base_interrupted) {
		if (!o->loopback)
			peer_point(o, "bw --run_infinitely", 1, NULL);
		if (!base_interrupted)
			one_point(rep, o);
	}
	peer_part();
}

/* post, of every API that was not left out by --api, at every batch that was not by -l. */
static void post_points(struct report *rep, const struct options *o, bool batch_given)
{
	enum api last = o->api_given ? o->api : device_present() ? API_VERBS : API_DIRECT;

	for (enum api api = o->api_given ? o->api : API_DIRECT; api <= last; api++)
		for (size_t i = 0; i < ARRAY_SIZE(batches) && !base_interrupted; i++) {
			struct options point = *o;

			point.api = api;
			if (!batch_given)
				point.batch = batches[i];
			if (!run_check(&point))
				one_point(rep, &point);
			if (batch_given)
				break;
		}
}

static void add_fits(struct report *rep)
{
	static const char *const names[] = { "api", NULL };
	struct json_object *fits = predict_fits(rep->rows, names);

	if (fits)
		json_object_object_add(rep->all, "fits", fits);
	if (!rep->o->json && !rep->o->csv)
		predict_print(rep->rows, names, fits);
}

static int run(void)
{
	struct options *o = &request.o;
	bool batch_given = o->batch;
	struct report rep;
	int status;

	base_catch_interrupts();
	if (request.sweeps)
		return sweep_run(o, request.axes, request.n_axes, request.argc, request.argv);
	options_defaults(o);
	if (o->pattern)
		return pattern_run(o, request.argc, request.argv);
	report_begin(&rep, o, request.argc, request.argv);
	if (fresh_asked(o))
		fresh_collect(o, request.argc, request.argv);
	if (o->mode == MODE_POST) {
		json_object_object_add(rep.all, "quoted", post_quotes_json());
		post_points(&rep, o, batch_given);
	}
	if (o->mode != MODE_POST && o->all)
		all_sizes(&rep, o);
	else if (o->run_infinitely)
		without_end(&rep, o);
	else if (o->mode != MODE_POST)
		one_point(&rep, o);
	if (o->mode == MODE_POST)
		add_fits(&rep);
	status = report_end(&rep);
	if (o->mode == MODE_POST && !o->json && !o->csv)
		post_quotes();
	return status;
}

/* ---- the command line ---- */

static error_t take_argument(int key, char *arg, struct argp_state *state)
{
	struct request *q = state->input;

	if (key == ARGP_KEY_INIT) {
		state->child_inputs[0] = &q->o;
		return 0;
	}
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (q->sweeps && strchr(arg, '='))
		q->axes[q->n_axes++] = arg;
	else if (!q->o.host)
		q->o.host = arg;
	else
		base_refuse("one HOST only: '%s' is a second one", arg);
	return 0;
}

/* report and compare: the page, the figures and the statistics are scripts. */
static int script_run(int argc, char **argv)
{
	char name[32];

	(void)argc;
	snprintf(name, sizeof(name), "dvperf-%s", strchr(argv[0], ' ') + 1);
	base_refuse("%s", libexec_exec(name, argv));
}

static const struct argp_child children[] = { { &options_parser, 0, NULL, 0 }, { 0 } };

static const struct subcommand {
	const char *name, *args, *doc;
	enum mode mode;
	int (*run)(int argc,
		   char **argv); /* of those that have other options; otherwise NULL */
} subcommands[] = {
	{ "post", "", "The CPU cost of posting and polling; no peer, no wire.", MODE_POST,
	  NULL },
	{ "bw", "[HOST]", "Operations per second: server, client of HOST, or --loopback.",
	  MODE_BW, NULL },
	{ "lat", "[HOST]", "The time of one operation: server, client of HOST, or --loopback.",
	  MODE_LAT, NULL },
	{ "mmio", "", "The time of a store to a doorbell register.", MODE_POST, mmio_run },
	{ "sweep", "NAME=VALUE,... [HOST]",
	  "Runs over lists of values: mode=bw api=direct,verbs batch=1,8,32; or --preset NAME.",
	  MODE_BW, NULL },
	{ "report", "DIR", "One HTML page of all results in DIR: figures, words, tables.",
	  MODE_BW, script_run },
	{ "compare", "A B", "Two results, or directories of them, row by row.", MODE_BW,
	  script_run },
};

static void help(FILE *f)
{
	fprintf(f, "Usage: dvperf SUBCOMMAND [OPTION...] [ARG...]\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++)
		fprintf(f, "  dvperf %-7s %-26s %s\n", subcommands[i].name, subcommands[i].args,
			subcommands[i].doc);
	fprintf(f,
		"\n'dvperf SUBCOMMAND --help' lists the options; dvperf(1) explains them.\n");
}

static const struct subcommand *find(int argc, char **argv)
{
	struct near near;

	if (argc >= 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		help(stdout);
		exit(0);
	}
	if (argc >= 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))) {
		printf("%s\n", argp_program_version);
		exit(0);
	}
	if (argc < 2)
		base_refuse(
			"no subcommand given: post, bw, lat, mmio, sweep, report or compare");
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(subcommands[i].name, argv[1]))
			return &subcommands[i];
	near_begin(&near, argv[1]);
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++)
		near_offer(&near, subcommands[i].name);
	base_refuse(
		"there is no subcommand '%s': post, bw, lat, mmio, sweep, report or compare%s",
		argv[1], near_text(&near));
}

static void check(struct options *o)
{
	struct options full = *o;
	const char *bad;

	options_defaults(&full);
	bad = run_check(&full);
	if (!bad)
		bad = pin_check(&full);
	if (!bad)
		bad = pcie_check(o->pcie);
	if (!bad && o->pattern)
		bad = pattern_asked(o);
	if (bad)
		base_refuse("%s", bad);
	if (o->plot || (o->output && !o->pattern))
		base_refuse("--plot and --output are for sweep");
	if (o->preset)
		base_refuse("--preset is for sweep");
}

int main(int argc, char **argv)
{
	const struct subcommand *s = find(argc, argv);
	struct argp argp = { .parser = take_argument,
			     .args_doc = s->args,
			     .doc = s->doc,
			     .children = children };
	char name[32];

	snprintf(name, sizeof(name), "dvperf %s", s->name);
	argp_err_exit_status = DVPERF_USAGE;
	if (s->run) {
		argv[1] = name;
		return s->run(argc - 1, argv + 1);
	}
	request.argc = argc;
	request.argv = argv;
	request.axes = base_made(calloc((size_t)argc, sizeof(char *)));
	request.sweeps = !strcmp(s->name, "sweep");
	request.o = options_new(s->mode);
	argv[1] = name;
	options_refuse_unknown(argc - 1, argv + 1);
	argp_parse(&argp, argc - 1, argv + 1, 0, NULL, &request);
	argv[1] = (char *)s->name;
	fresh_adjust(&request.o);
	if (request.o.columns && !strcmp(request.o.columns, "help")) {
		metric_list(stdout);
		return 0;
	}
	if (result_check_columns(request.o.columns))
		base_refuse("--columns: %s", result_check_columns(request.o.columns));
	if (!request.sweeps)
		check(&request.o);
	/* the code that is counted runs in a child, stepped by its parent */
	if ((s->mode == MODE_POST && !fresh_asked(&request.o)) || request.sweeps)
		return step_run(run);
	return run();
}
