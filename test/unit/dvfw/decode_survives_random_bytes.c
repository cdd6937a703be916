/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes, of any length, as any structure: each bit is either in a field or unknown, and
 * what is printed encodes to the same bytes. Any text as field=value is taken or refused with a
 * reason.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "box/box.h"
#include "prm/prm.h"
#include "prm/walk.h"

static uint8_t bytes[0x2400], left[sizeof(bytes)], again[sizeof(bytes)];

static void fill(unsigned int *seed, size_t len, bool sparse)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = sparse && rand_r(seed) % 4 ? 0 : (uint8_t)rand_r(seed);
}

/* Writes every field that the walk shows of @bytes to @again. */
static void copy_fields(const struct prm_struct *s, size_t len)
{
	struct prm_walk w;
	struct prm_item it;

	memset(again, 0, len);
	prm_walk_begin(&w, s, bytes, len);
	while (prm_walk_next(&w, &it)) {
		cr_assert_leq(it.bit + it.width * it.count, len * 8, "%s.%s", s->name, it.path);
		for (size_t i = 0; i < it.count; i++) {
			size_t bit = it.bit + i * it.width;

			prm_store(again, bit, it.width, prm_load(bytes, bit, it.width));
		}
	}
}

static void one(const struct prm_struct *s, size_t len)
{
	struct shown m = { .s = s, .p = bytes, .len = len };
	const struct show_options all = { .all = true };

	copy_fields(s, len);
	message_unknown(&m, left);
	for (size_t i = 0; i < len; i++)
		cr_assert_eq(again[i] | left[i], bytes[i], "%s: byte %zu", s->name, i);
	json_object_put(message_json(&m, &all));
}

Test(dvfw_random, every_structure)
{
	const struct prm_struct *s = NULL;
	unsigned int seed = 4;

	while ((s = prm_struct_next(s)))
		for (int round = 0; round < 3; round++) {
			size_t most =
				s->bytes + 64 < sizeof(bytes) ? s->bytes + 64 : sizeof(bytes);
			size_t len = round ? 1 + (size_t)rand_r(&seed) % most : most;

			fill(&seed, len, round == 2);
			one(s, len);
		}
}

Test(dvfw_random, outboxes_with_their_inboxes)
{
	const struct prm_cmd *cmd = NULL;
	const struct show_options some = { 0 };
	unsigned int seed = 5;
	uint8_t in[16];

	while ((cmd = prm_cmd_next(cmd))) {
		size_t len = cmd->out->bytes + 16 < sizeof(bytes) ? cmd->out->bytes + 16
								  : sizeof(bytes);
		struct shown m = { .s = cmd->out,
				   .cmd = cmd,
				   .p = bytes,
				   .len = len,
				   .in = in,
				   .in_len = sizeof(in) };

		for (size_t i = 0; i < sizeof(in); i++)
			in[i] = (uint8_t)rand_r(&seed);
		fill(&seed, len, false);
		json_object_put(message_json(&m, &some));
	}
}

Test(dvfw_random, any_text)
{
	static const char *const parts[] = { "qpc.",
					     "pas",
					     "[",
					     "0",
					     "]",
					     "=",
					     "st",
					     "pd",
					     ".",
					     "0x",
					     "ff",
					     "|",
					     "+",
					     "RC",
					     ",",
					     "{",
					     "}",
					     "99999999",
					     "primary_address_path",
					     "rgid_rip",
					     ":",
					     "::",
					     "$" };
	const struct prm_cmd *cmd = prm_cmd(PRM_OP_CREATE_QP);
	static struct box box;
	unsigned int seed = 6;

	for (int round = 0; round < 2000; round++) {
		char word[200] = "", why[WHY_BYTES] = "";

		for (int i = rand_r(&seed) % 9; i >= 0; i--)
			strcat(word, parts[(size_t)rand_r(&seed) %
					   (sizeof(parts) / sizeof(parts[0]))]);
		box_begin(&box, cmd->in, cmd);
		if (!encode_field(&box, word, why))
			cr_assert_neq(*why, '\0', "'%s' is refused without a reason", word);
		cr_assert_leq(box.len, sizeof(box.bytes));
	}
}
