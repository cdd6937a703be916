/* SPDX-License-Identifier: BSD-2-Clause */
/* options_cqes() against all windows of a run. */
#include <criterion/criterion.h>

#include <stdio.h>

#include "base/base.h"
#include "unit/dvperf/given.h"

/* Most signalled WQEs among as many as may be under way: every so many, and the last of all. */
static uint32_t most_of(uint32_t depth, uint32_t every)
{
	uint32_t most = 0;

	for (uint32_t all = 1; all <= 3 * depth; all++) {
		uint32_t signalled = 0, first = all > depth ? all - depth : 0;

		for (uint32_t i = first; i < all; i++)
			signalled += i % every == every - 1 || i == all - 1;
		most = signalled > most ? signalled : most;
	}
	return most;
}

Test(cq_size, is_enough)
{
	static const char *const depths[] = { "1", "2", "7", "16", "128" };
	static const char *const everys[] = { "1", "2", "3", "7", "50", "128" };

	for (size_t d = 0; d < sizeof(depths) / sizeof(*depths); d++)
		for (size_t e = 0; e < sizeof(everys) / sizeof(*everys); e++) {
			char text[40];
			struct options o;
			uint32_t most;

			snprintf(text, sizeof(text), "tx-depth=%s cq-mod=%s", depths[d],
				 everys[e]);
			o = given(text);
			most = most_of(options_depth(&o), options_signal_interval(&o));

			cr_assert_geq(options_cqes(&o), most, "-t %s -Q %s", depths[d],
				      everys[e]);
			cr_assert_leq(options_cqes(&o), most + 1);
		}
}

Test(cq_size, of_post_holds_a_batch)
{
	struct options o = given("mode=post batch=64");

	cr_assert_geq(options_cqes(&o), 64);
}

/* ---- how many WQEs have one CQE ---- */

/* Does a batch wait for ever? It waits until it fits into @depth; a CQE completes its WQE and
 * those before it. */
static bool stalls(uint32_t depth, uint32_t batch, uint32_t every)
{
	for (uint32_t posted = 0, done = 0, i = 0; i < 4 * depth; i++) {
		if (posted + batch - done > depth) {
			if (posted / every * every <= done)
				return true;
			done = posted / every * every;
		} else {
			posted += batch;
		}
	}
	return false;
}

/* As asked for if no batch waits for ever with it, whatever the batches before were. */
Test(signal_interval, lets_each_batch_fit)
{
	for (uint32_t depth = 1; depth <= 9; depth++)
		for (uint32_t batch = 1; batch <= depth; batch++)
			for (uint32_t want = 1; want <= depth + 1; want++) {
				uint32_t most = depth - batch + 1, is;
				char text[64];
				struct options o;

				snprintf(text, sizeof(text), "tx-depth=%u batch=%u cq-mod=%u",
					 depth, batch, want);
				o = given(text);
				is = options_signal_interval(&o);
				cr_expect_not(stalls(depth, batch, is), "%s: %u", text, is);
				cr_expect_eq(is, want == batch || want < most ? want : most,
					     "%s: %u", text, is);
			}
}

/* Whatever is under way when a queue is full, a signalled WQE is among it. */
Test(signal_interval, of_adaptive_batches)
{
	static const char *const signals[] = { "",	     "signal=batch",
					       "signal=all", "signal=half",
					       "signal=3",   "signal=64" };

	for (unsigned int depth = 1; depth <= 64; depth++)
		for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
			char text[64];
			struct options o;
			uint32_t every;

			snprintf(text, sizeof(text), "tx-depth=%u batch=adaptive %s", depth,
				 signals[i]);
			o = given(text);
			every = options_signal_interval(&o);
			cr_expect(options_check(&o) || (o.batch >= 1 && o.batch <= depth &&
							every >= 1 && every <= depth),
				  "%s: %u", text, every);
		}
}
