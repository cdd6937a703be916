/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_fuzz_pci [--seed N] [--count N]
 *
 * Rounds of a hostile virtual machine: each begins with a reset and an honest session, which
 * must be executed whole and move bytes. The engine has its thread, so a seed repeats what the
 * machine did, not when the engine saw it.
 *
 *	test_fuzz_pci --seed 4711 --count 200		the round with that seed again, alone
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/core.h"
#include "fuzz_pci.h"

enum { ROUND = 200, CHECK_EVERY = 20 };

static void run_round(void)
{
	session_begin();
	session_works();
	for (int i = 0; i < ROUND; i++) {
		hostile();
		if (i % CHECK_EVERY == CHECK_EVERY - 1)
			guest_check();
	}
}

int main(int argc, char **argv)
{
	struct round_options o = round_options(argc, argv, 100000, false);

	round_fix_addresses(argv);
	round_setup("test_fuzz_pci", ROUND);
	printf("seed %" PRIu64 ", %" PRIu64 " cases\n", o.seed, o.count);
	fflush(stdout);
	guest_open();
	for (uint64_t at = 0; at < o.count; at += ROUND) {
		round_begin(o.seed + at / ROUND);
		run_round();
		round_end();
	}
	round_begin(o.seed);
	session_begin();
	session_works();
	guest_check();
	round_end();
	guest_close();
	printf("%" PRIu64 " commands executed, %" PRIu64 " refused, %" PRIu64
	       " not delivered, %" PRIu64 " doorbells, %" PRIu64
	       " accesses refused; nothing found\n",
	       tally.executed, tally.refused, tally.undelivered, tally.doorbells,
	       core_bus_refused());
	FUZZ_CHECK(o.count == ROUND ||
			   (tally.executed > o.count / 10 && tally.refused > o.count / 10 &&
			    tally.undelivered > o.count / 50 &&
			    tally.doorbells > o.count / 10 &&
			    core_bus_refused() > o.count / 50),
		   "this tests little");
	return 0;
}
