/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether this CPU and this build can run the options, which options_check() cannot know. */
#include "lane/ring.h"
#include "peer/cm.h"
#include "run.h"

const char *run_check(const struct options *o)
{
	const char *bad = options_check(o);

	if (!bad)
		bad = ring_check(o->doorbell);
	return !bad && o->rdma_cm ? cm_check() : bad;
}
