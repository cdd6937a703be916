/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether this CPU and this build can run the options, which options_check() cannot know. */
#include "lane/lane.h"
#include "peer/peer.h"
#include "run.h"

const char *run_check(const struct options *o)
{
	const char *bad = options_check(o);

	if (!bad)
		bad = lane_check(o);
	return bad ? bad : peer_check(o);
}
