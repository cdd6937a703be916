/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever is under way when a queue is full, a signalled WQE is among it. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "options/options.h"

static void at_depth(unsigned int depth, const char *signal)
{
	struct options o = options_new(MODE_BW);
	uint32_t every;
	char text[16];

	snprintf(text, sizeof(text), "%u", depth);
	cr_assert_null(options_take_name(&o, "batch", "adaptive"));
	cr_assert_null(options_take_name(&o, "tx_depth", text));
	if (signal)
		cr_assert_null(options_take_name(&o, "signal", signal));
	options_defaults(&o);
	if (options_check(&o)) /* an interval above the depth */
		return;
	every = options_signal_interval(&o);
	cr_assert(o.batch >= 1 && o.batch <= depth);
	cr_assert(every >= 1 && every <= depth, "depth %u: %u", depth, every);
}

Test(adaptive, at_all_depths)
{
	static const char *const signals[] = { NULL, "batch", "all", "half", "3", "64" };

	for (unsigned int depth = 1; depth <= 64; depth++)
		for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
			at_depth(depth, signals[i]);
}
