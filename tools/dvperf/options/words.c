/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that are one of a few words. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "table.h"

const char *const option_words_mode[] = {
	[MODE_POST] = "post", [MODE_BW] = "bw", [MODE_LAT] = "lat", NULL
};
const char *const option_words_op[] = { [OP_WRITE] = "write", [OP_READ] = "read",
					[OP_SEND] = "send",   [OP_ATOMIC] = "atomic",
					[OP_NOP] = "nop",     [OP_WRITE_IMM] = "write_imm",
					[OP_MMO] = "mmo",     NULL };
const char *const option_words_service[] = {
	[SERVICE_RC] = "RC",   [SERVICE_UC] = "UC", [SERVICE_UD] = "UD",
	[SERVICE_XRC] = "XRC", [SERVICE_DC] = "DC", NULL
};
const char *const option_words_atomic[] = {
	[ATOMIC_FETCH_AND_ADD] = "FETCH_AND_ADD", [ATOMIC_CMP_AND_SWAP] = "CMP_AND_SWAP", NULL
};
const char *const option_words_api[] = { [API_DIRECT] = "direct",
					 [API_WR] = "wr",
					 [API_VERBS] = "verbs",
					 [API_MANY] = "many",
					 NULL };
const char *const option_words_doorbell[] = { [DOORBELL_AUTO] = "auto",
					      [DOORBELL_DB] = "db",
					      [DOORBELL_BF] = "bf",
					      [DOORBELL_BF_LAST] = "bf-last",
					      [DOORBELL_ZMM] = "zmm",
					      [DOORBELL_MOVDIR64B] = "movdir64b",
					      NULL };
const char *const option_words_uar[] = { [UAR_DEFAULT] = "default",
					 [UAR_THREAD] = "thread",
					 [UAR_SHARED] = "shared",
					 [UAR_NC] = "nc",
					 NULL };
const char *const option_words_layout[] = { [LAYOUT_PER_QP] = "per-qp",
					    [LAYOUT_SHARED_QP] = "shared-qp",
					    [LAYOUT_MUL_2] = "mul-2",
					    [LAYOUT_MUL_4] = "mul-4",
					    [LAYOUT_PER_DOORBELL] = "per-doorbell",
					    NULL };
const char *const option_words_cqs[] = {
	[CQ_PER_QP] = "qp", [CQ_PER_THREAD] = "thread", [CQ_ONE] = "all", NULL
};
const char *const option_words_cqe_comp[] = { [CQE_COMP_OFF] = "off",
					      [CQE_COMP_HASH] = "hash",
					      [CQE_COMP_CSUM] = "csum",
					      [CQE_COMP_CSUM_STRIDX] = "csum-stridx",
					      NULL };
const char *const option_words_mrs[] = { [MR_ONE] = "one", [MR_PER_QP] = "qp", NULL };
const char *const option_words_remote[] = { [REMOTE_FIXED] = "fixed",
					    [REMOTE_SEQUENTIAL] = "sequential",
					    [REMOTE_RANDOM] = "random",
					    NULL };
const char *const option_words_remote_vhca[] = { [REMOTE_VHCA_NONE] = "none",
						 [REMOTE_VHCA_READ] = "read",
						 [REMOTE_VHCA_WRITE] = "write",
						 NULL };
const char *const option_words_pages[] = {
	[PAGES_4K] = "4k", [PAGES_2M] = "2m", [PAGES_1G] = "1g", NULL
};
const char *const option_words_barriers[] = {
	[BARRIERS_DEFAULT] = "default", [BARRIERS_PRE] = "pre", [BARRIERS_NONE] = "none", NULL
};
const char *const option_words_pattern[] = { [PATTERN_NONE] = "none",
					     [PATTERN_PAIRS] = "pairs",
					     [PATTERN_INCAST] = "incast",
					     [PATTERN_ALL_TO_ALL] = "all-to-all",
					     NULL };

#define WORD_OF(type)                              \
	const char *type##_word(enum type value)   \
	{                                          \
		return option_words_##type[value]; \
	}
#define OPTION_WORD(member, ...) WORD_OF(member)
#include "option.def"
WORD_OF(mode)
WORD_OF(api)
WORD_OF(atomic)

const char *option_take_word(int *at, const char *const *words, const char *value)
{
	static char complaint[320];
	struct near near;
	size_t n;

	for (int i = 0; words[i]; i++)
		if (!strcasecmp(words[i], value)) {
			*at = i;
			return NULL;
		}
	snprintf(complaint, sizeof(complaint), "'%.60s' is not one of", value);
	near_begin(&near, value);
	for (int i = 0; words[i]; i++) {
		n = strlen(complaint);
		snprintf(complaint + n, sizeof(complaint) - n, "%s %s", i ? "," : "", words[i]);
		near_offer(&near, words[i]);
	}
	n = strlen(complaint);
	snprintf(complaint + n, sizeof(complaint) - n, "%s", near_text(&near));
	return complaint;
}
