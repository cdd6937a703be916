/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes between ranks, and one measured point on all of them at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "peer/peer.h"
#include "pattern.h"
#include "pattern_table.h"
#include "run.h"

/* ---- who with whom ---- */

static bool have_a_flow(enum pattern pattern, unsigned int a, unsigned int b)
{
	if (pattern == PATTERN_PAIRS)
		return (a ^ 1) == b;
	if (pattern == PATTERN_INCAST)
		return a != b && (!a || !b);
	return a != b;
}

unsigned int pattern_peers(enum pattern pattern, unsigned int rank, unsigned int n,
			   unsigned int *peers)
{
	unsigned int count = 0;

	for (unsigned int other = 0; other < n; other++)
		if (have_a_flow(pattern, rank, other)) {
			if (peers)
				peers[count] = other;
			count++;
		}
	return count;
}

bool pattern_posts(enum pattern pattern, unsigned int rank)
{
	if (pattern == PATTERN_PAIRS)
		return rank % 2 == 0;
	return pattern == PATTERN_ALL_TO_ALL || rank;
}

const char *pattern_asked(const struct options *o)
{
	if (o->mode != MODE_BW)
		return "--pattern is for bw";
	if (o->host || o->loopback)
		return "--pattern is between ranks: no HOST, no --loopback";
	if (o->bidirectional)
		return "--pattern says who posts: no -b";
	if (o->all)
		return "--pattern takes one size (-s), not -a";
	if (o->csv)
		return "--pattern prints its table, or --json: no --csv";
	return NULL;
}

const char *pattern_check(enum pattern pattern, unsigned int n)
{
	static char text[120];

	if (n < 2)
		snprintf(text, sizeof(text),
			 "--pattern wants ranks: mpirun -n 4 dvperf bw --pattern=%s …",
			 pattern_word(pattern));
	else if (pattern == PATTERN_PAIRS && n % 2)
		snprintf(text, sizeof(text),
			 "--pattern=pairs wants an even number of ranks: "
			 "%u leave one alone",
			 n);
	else
		return NULL;
	return text;
}

/* ---- addresses ---- */

void pattern_addresses(const struct rig *rig, const struct address *ours,
		       struct address *theirs)
{
	unsigned int n = ranks_count(), own = ranks_own(), at = 0, back, flows, k;
	unsigned int *peers = base_made(calloc(n, sizeof(*peers)));
	unsigned int count = pattern_peers(rig->o.pattern, own, n, peers);
	unsigned int q = rig->o.qps / count, most = rig->groups * q * (n - 1);
	struct address *mine = base_made(calloc(most, sizeof(*mine)));
	struct address *all = base_made(calloc((size_t)n * most, sizeof(*all)));

	memcpy(mine, ours, rig->lanes * sizeof(*ours));
	ranks_share(mine, all, most * sizeof(*mine));
	for (unsigned int p = 0; p < count; p++) {
		/* those before us are as many as it would have, were we the end of the job */
		back = pattern_peers(rig->o.pattern, peers[p], own, NULL);
		flows = pattern_peers(rig->o.pattern, peers[p], n, NULL);
		for (unsigned int g = 0; g < rig->groups; g++)
			for (k = 0; k < q; k++) {
				at = (g * flows + back) * q + k;
				theirs[(g * count + p) * q + k] =
					all[(size_t)peers[p] * most + at];
			}
	}
	free(all);
	free(mine);
	free(peers);
}

/* ---- rates ---- */

/* By the batches of each in the last repeat. */
static void split(const struct rig *rig, double mops, double *to, unsigned int n)
{
	unsigned int *peers = base_made(calloc(n, sizeof(*peers)));
	unsigned int count = pattern_peers(rig->o.pattern, ranks_own(), n, peers);
	double begun = 0;

	for (unsigned int i = 0; i < rig->lanes; i++)
		begun += (double)rig->near[i].queue.begun;
	for (unsigned int i = 0; i < rig->lanes && begun > 0; i++)
		to[peers[i % rig->o.qps / (rig->o.qps / count)]] +=
			mops * (double)rig->near[i].queue.begun / begun;
	free(peers);
}

double pattern_received(const struct rig *rig, double mops)
{
	unsigned int n = ranks_count();
	double *to = base_made(calloc(n, sizeof(*to))), sum = 0;
	double *all = base_made(calloc((size_t)n * n, sizeof(*all)));

	if (mops > 0)
		split(rig, mops, to, n);
	ranks_share(to, all, n * sizeof(*to));
	for (unsigned int i = 0; i < n; i++)
		sum += all[(size_t)i * n + ranks_own()];
	free(all);
	free(to);
	return sum > 0 ? sum : NAN;
}

/* ---- a run ---- */

/* All ranks have the same options, or no rank measures. */
static void compare(const struct options *o)
{
	enum { BYTES = 4096 };
	struct json_object *options = options_json(o);
	unsigned int n = ranks_count();
	char *mine = base_made(calloc(1, BYTES)), *all = base_made(calloc(n, BYTES));
	bool same = true;

	snprintf(mine, BYTES, "%s %s %s", DVKIT_VERSION, pattern_word(o->pattern),
		 json_object_to_json_string(options));
	ranks_share(mine, all, BYTES);
	for (unsigned int i = 1; i < n; i++)
		same &= !strcmp(all, all + (size_t)i * BYTES);
	if (!same)
		pattern_refuse("the ranks were asked for different things");
	free(mine);
	free(all);
	json_object_put(options);
}

/* One side of a run over TCP, as pattern.h says. */
static struct options side(const struct options *o)
{
	struct options own = *o;
	unsigned int peers = pattern_peers(o->pattern, ranks_own(), ranks_count(), NULL);

	own.host = pattern_posts(o->pattern, ranks_own()) ? "the other ranks" : NULL;
	own.bidirectional = o->pattern == PATTERN_ALL_TO_ALL;
	if (peers > MAX_QPS / o->qps)
		own.qps = MAX_QPS + 1;
	else
		own.qps *= peers;
	return own;
}

/* The row of this rank, for rank 0. */
static char *row_text(const struct report *rep, const struct options *o)
{
	struct json_object *row = json_object_array_get_idx(rep->rows, 0);
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	json_object_object_add(row, "rank", json_object_new_int64(ranks_own()));
	json_object_object_add(row, "host", json_object_new_string(host));
	json_object_object_add(row, "pattern",
			       json_object_new_string(pattern_word(o->pattern)));
	return base_made(strdup(json_object_to_json_string(row)));
}

static int write_row(const struct report *rep, const char *dir)
{
	char path[4096];

	if (mkdir(dir, 0777) && access(dir, W_OK))
		base_fail("%s: %m", dir);
	snprintf(path, sizeof(path), "%s/rank%u.json", dir, ranks_own());
	return report_write_json(rep, path);
}

void pattern_refuse(const char *why)
{
	bool first = !ranks_own();

	ranks_close();
	if (first)
		base_refuse("%s", why);
	exit(DVPERF_USAGE);
}

int pattern_run(const struct options *o, int argc, char **argv)
{
	struct options own;
	struct report rep;
	struct result r;
	const char *bad;
	char *row, **rows;
	int failed = 0;

	ranks_open(argv);
	bad = pattern_check(o->pattern, ranks_count());
	if (bad)
		pattern_refuse(bad);
	compare(o);
	own = side(o);
	bad = run_check(&own);
	if (!ranks_all(!bad))
		pattern_refuse(bad ? bad : "some rank would have too many QPs (-q, --threads)");
	r = result_new(&own);
	report_begin(&rep, &own, argc, argv);
	rep.quiet = true;
	point_run(&rep, &r);
	row = row_text(&rep, o);
	if (o->output)
		failed = write_row(&rep, o->output);
	rows = ranks_gather(row);
	if (rows)
		pattern_table(&rep, o, rows, ranks_count());
	free(row);
	report_drop(&rep);
	ranks_close();
	return failed ? DVPERF_FAILED : 0;
}
