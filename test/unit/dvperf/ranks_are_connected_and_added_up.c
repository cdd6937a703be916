/* SPDX-License-Identifier: BSD-2-Clause */
/* --pattern without MPI: the ranks are this process, one after the other. Each lane has the
 * address of the one that has its address; rates of all; the table of rank 0. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "peer/ranks.h"
#include "run/pattern.h"
#include "run/pattern_table.h"
#include "unit/dvperf/given.h"
#include "unit/dvperf/said.h"

enum { MOST = 5, MOST_LANES = 48, BYTES = MOST_LANES * sizeof(struct address) };

/* ---- ranks.h, in place of ranks_none.c ---- */

static unsigned int own, count;
static bool collects; /* ranks_share() only takes, and gives nothing yet */
static char shared[MOST][BYTES];

void ranks_open(char **argv)
{
	(void)argv;
}

void ranks_close(void)
{
}

unsigned int ranks_own(void)
{
	return own;
}

unsigned int ranks_count(void)
{
	return count;
}

void ranks_announce(void)
{
}

bool ranks_are_here(void)
{
	return true;
}

void ranks_await(void)
{
}

bool ranks_all(bool ours)
{
	return ours;
}

void ranks_share(const void *ours, void *all, size_t size)
{
	cr_assert_leq(size, BYTES);
	if (collects)
		memcpy(shared[own], ours, size);
	for (unsigned int i = 0; i < count && !collects; i++)
		memcpy((char *)all + i * size, shared[i], size);
}

char **ranks_gather(const char *ours)
{
	(void)ours;
	return NULL;
}

/* ---- addresses ---- */

/* The rig of rank @rank with @q lanes per flow and group. */
static struct rig rig_of(enum pattern pattern, unsigned int rank, unsigned int groups,
			 unsigned int q)
{
	struct rig rig = { .groups = groups };

	own = rank;
	rig.o.pattern = pattern;
	rig.o.qps = q * pattern_peers(pattern, rank, count, NULL);
	rig.lanes = groups * rig.o.qps;
	return rig;
}

static unsigned int theirs_of[MOST][MOST_LANES]; /* 100 * rank + lane */

/* The addresses that all ranks get. */
static void connect_all(enum pattern pattern, unsigned int n, unsigned int groups,
			unsigned int q)
{
	struct address ours[MOST_LANES], theirs[MOST_LANES];

	count = n;
	for (int pass = 0; pass < 2; pass++)
		for (unsigned int rank = 0; rank < n; rank++) {
			struct rig rig = rig_of(pattern, rank, groups, q);

			memset(ours, 0, sizeof(ours));
			memset(theirs, 0xff, sizeof(theirs));
			for (unsigned int i = 0; i < rig.lanes; i++)
				ours[i].rkey = 100 * rank + i;
			collects = !pass;
			pattern_addresses(&rig, ours, theirs);
			for (unsigned int i = 0; i < rig.lanes; i++)
				theirs_of[rank][i] = theirs[i].rkey;
		}
}

Test(ranks, each_lane_is_the_peer_of_its_peer)
{
	for (enum pattern p = PATTERN_PAIRS; p <= PATTERN_ALL_TO_ALL; p++)
		for (unsigned int n = 2; n <= MOST; n++)
			for (unsigned int groups = 1; groups <= 3; groups++)
				for (unsigned int q = 1; q <= 2; q++) {
					if (pattern_check(p, n))
						continue;
					connect_all(p, n, groups, q);
					for (unsigned int r = 0; r < n; r++)
						for (unsigned int i = 0;
						     i < rig_of(p, r, groups, q).lanes; i++) {
							unsigned int to = theirs_of[r][i];

							cr_assert(to / 100 < n &&
								  to / 100 != r);
							cr_assert_eq(
								theirs_of[to / 100][to % 100],
								100 * r + i);
						}
				}
}

/* Group by group, in it peer by peer. */
Test(ranks, lanes_lie_in_this_order)
{
	static const unsigned int incast[] = { 100, 101, 200, 201, 102, 103, 202, 203 };
	static const unsigned int all[3][2] = { { 100, 200 }, { 0, 201 }, { 1, 101 } };

	connect_all(PATTERN_INCAST, 3, 2, 2);
	cr_expect_arr_eq(theirs_of[0], incast, sizeof(incast));
	connect_all(PATTERN_ALL_TO_ALL, 3, 1, 1);
	for (int i = 0; i < 3; i++)
		cr_expect_arr_eq(theirs_of[i], all[i], sizeof(all[i]));
}

/* ---- rates ---- */

/* Operations of the lanes of three ranks, each with two for a flow in each of two groups. */
Test(ranks, a_rate_is_divided_by_operations)
{
	static const struct {
		uint64_t begun[8];
		double mops;
	} ranks[] = { { { 1, 2, 0, 0, 3, 0, 4, 6 }, 16 }, /* 6 to rank 1, 10 to 2 */
		      { { 5, 5, 5, 5, 5, 5, 5, 5 }, 8 },
		      { { 1, 1, 1, 1, 1, 1, 1, 1 }, NAN } };
	static const double want[] = { 4, 6, 14 };

	count = 3;
	for (int pass = 0; pass < 2; pass++)
		for (unsigned int r = 0; r < count; r++) {
			struct rig rig = rig_of(PATTERN_ALL_TO_ALL, r, 2, 2);
			double got;

			rig.near = aligned_alloc(64, 8 * sizeof(*rig.near));
			for (int i = 0; i < 8; i++)
				rig.near[i].queue.begun = ranks[r].begun[i];
			collects = !pass;
			got = pattern_received(&rig, ranks[r].mops);
			cr_expect(pass ? fabs(got - want[r]) < 1e-9 : isnan(got), "%u: %g", r,
				  got);
			free(rig.near);
		}
}

/* ---- the table ---- */

#define ROW(metrics, doubts) "{\"metrics\":{" metrics "},\"not_trusted\":[" doubts "]}"

static void print_table(const void *of)
{
	struct options o = given(of);
	char **rows = calloc(3, sizeof(*rows));
	struct report own_report = { .all = json_object_new_object(),
				     .rows = json_object_new_array() };

	json_object_object_add(own_report.all, "environment", json_object_new_string("here"));
	json_object_object_add(own_report.all, "rows", own_report.rows);
	rows[0] = strdup(ROW("\"recv_mops\":0.75,\"cqes\":30", "\"a\""));
	rows[1] =
		strdup(ROW("\"mops\":0.25,\"gbps\":0.016,\"ops\":100,\"wqes\":110,\"cqes\":10,"
			   "\"doorbells\":50,\"lat_50\":1.5,\"lat_99\":3.5",
			   ""));
	rows[2] = strdup(ROW("\"mops\":0.5,\"gbps\":0.032,\"ops\":300,\"wqes\":310,\"cqes\":20,"
			     "\"doorbells\":60,\"lat_50\":2.5,\"lat_99\":9.5",
			     "\"a\",\"b\""));
	pattern_table(&own_report, &o, rows, 3);
}

/* The median of two is between them; CQEs of rank 0, which posts nothing, are in the sum
 * only. */
Test(ranks, table_of_all)
{
	struct said s =
		said_by(print_table, "pattern=incast size=8 batch=4 qp=2 threads=3 api=direct");
	const char *line = strchr(s.out, '\n') + 1, *end;
	size_t width = strcspn(line, "\n");

	cr_expect_str_eq(said_words(s.out),
			 "incast of 3 ranks: write, direct, 8 bytes, batch 4, 2 QPs per flow, "
			 "3 threads\n"
			 "rank to Mops Gb/s received ops WQEs CQEs doorbells p50 us p99 us\n"
			 "0 - - - 0.7500 - - 30 - - -\n"
			 "1 0 0.2500 0.0160 - 100 110 10 50 1.5 3.5\n"
			 "2 0 0.5000 0.0320 - 300 310 20 60 2.5 9.5\n"
			 "min 0.2500 0.0160 0.7500 100 110 10 50 1.5 3.5\n"
			 "median 0.3750 0.0240 0.7500 200 210 15 55 2.0 6.5\n"
			 "max 0.5000 0.0320 0.7500 300 310 20 60 2.5 9.5\n"
			 "sum 0.7500 0.0480 0.7500 400 420 60 110 - -\n"
			 "NOT TO BE TRUSTED: a\nNOT TO BE TRUSTED: b\n");
	for (int i = 0; i < 8; i++, line = end + 1) {
		end = strchr(line, '\n');
		cr_expect_eq((size_t)(end - line), width, "line %d", i);
	}
}

Test(ranks, who_posts_to_whom)
{
	static const struct {
		const char *options, *lines[4];
	} rows[] = {
		{ "pattern=pairs size=8 batch=1",
		  { "pairs of 3 ranks: write, direct, 8 bytes, batch 1, 1 QP per flow, 1 thread\n",
		    "\n0 1 ", "\n1 - ", "\n2 3 " } },
		{ "pattern=all-to-all size=8 op=read batch=1 threads=2",
		  { "all-to-all of 3 ranks: read, direct, 8 bytes, batch 1, 1 QP per flow, 2 threads\n",
		    "\n0 all ", "\n1 all ", "\n2 all " } }
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *out = said_words(said_by(print_table, rows[i].options).out);

		for (int k = 0; k < 4; k++)
			cr_expect(strstr(out, rows[i].lines[k]), "%s", rows[i].lines[k]);
	}
}

Test(ranks, json_of_all)
{
	struct said s = said_by(print_table, "pattern=incast json=on");
	struct json_object *all = json_tokener_parse(s.out), *sum, *spread;

	cr_assert(all);
	cr_expect_eq(json_object_array_length(json_object_object_get(all, "rows")), 3);
	cr_expect_str_eq(json_object_get_string(json_object_object_get(all, "environment")),
			 "here");
	sum = json_object_object_get(all, "sum");
	cr_expect_eq(json_object_get_double(json_object_object_get(sum, "cqes")), 60);
	cr_expect_eq(json_object_object_length(sum), 7, "no sum of latencies");
	spread = json_object_object_get(json_object_object_get(all, "spread"), "lat_99");
	cr_expect_str_eq(json_object_to_json_string(spread),
			 "{ \"min\": 3.5, \"median\": 6.5, \"max\": 9.5 }");
	json_object_put(all);
}
