/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys of the options that have no letter. Those that have one: the letter, as argp wants it. */
#ifndef DVPERF_OPTION_KEYS_H
#define DVPERF_OPTION_KEYS_H

#include "options.h"

enum option_key {
	KEY_API = 0x1000,
	KEY_DOORBELL,
	KEY_UAR,
	KEY_LOCKS,
	KEY_THREADS,
	KEY_LAYOUT,
	KEY_SIGNAL,
	KEY_OUTSTANDING,
	KEY_CQ,
	KEY_CQ_SIZE,
	KEY_CQE_SIZE,
	KEY_CQE_COMP,
	KEY_CQE_POLL,
	KEY_COLLAPSED,
	KEY_PAGES,
	KEY_HUGE,
	KEY_MR,
	KEY_MR_PER_QP,
	KEY_STRICT,
	KEY_DM,
	KEY_REMOTE,
	KEY_REMOTE_SIZE,
	KEY_PIN,
	KEY_NUMA,
	KEY_RATE,
	KEY_BARRIERS,
	KEY_PATTERN,
	KEY_PCIE,
	KEY_JSON,
	KEY_CSV,
	KEY_PLOT,
	KEY_OUTPUT,
	KEY_PRESET,
	KEY_LOOPBACK,
	KEY_OP,
	KEY_WRITE_IMM,
	KEY_REPEAT,
	KEY_WARM_UP,
	KEY_GBITS,
	KEY_OUT_JSON,
	KEY_OUT_JSON_FILE,
	KEY_OLD_POST_SEND,
	KEY_NO_LOCK,
	KEY_CPU_UTIL,
	KEY_MODE, /* the subcommand: of a sweep's axis only */
};

/* options_take() without those of the table that only set something: "" is no option of these. */
const char *take_value(struct options *o, int key, const char *value);

#endif
