/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * decode --json and encode are inverse: any bytes, as any structure, through the text of the
 * JSON. The "hex" in it is not read.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "box/box.h"

static struct box box;
static uint8_t bytes[0x2400];

static void fill(unsigned int *seed, size_t len, bool sparse)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = sparse && rand_r(seed) % 4 ? 0 : (uint8_t)rand_r(seed);
}

static void one(const struct shown *m, bool all)
{
	const struct show_options show = { .all = all };
	struct json_object *o = message_json(m, &show), *again;
	char why[WHY_BYTES] = "";

	json_object_object_del(o, "hex");
	again = json_tokener_parse(json_object_to_json_string(o));
	cr_assert(encode_json(&box, again, why), "%s: %s", m->s->name, why);
	cr_assert_eq(box.len, m->len, "%s", m->s->name);
	for (size_t i = 0; i < m->len; i++)
		cr_assert_eq(box.bytes[i], m->p[i], "%s: byte %zu", m->s->name, i);
	json_object_put(again);
	json_object_put(o);
}

Test(dvfw_json, every_structure)
{
	const struct prm_struct *s = NULL;
	unsigned int seed = 7;

	while ((s = prm_struct_next(s)))
		for (int round = 0; round < 4; round++) {
			size_t most =
				s->bytes + 64 < sizeof(bytes) ? s->bytes + 64 : sizeof(bytes);
			struct shown m = { .s = s, .p = bytes };

			m.len = round ? 1 + (size_t)rand_r(&seed) % most : most;
			fill(&seed, m.len, round == 2);
			one(&m, round == 3);
		}
}

Test(dvfw_json, outboxes_with_their_inboxes)
{
	const struct prm_cmd *cmd = NULL;
	unsigned int seed = 8;
	uint8_t in[16];

	while ((cmd = prm_cmd_next(cmd))) {
		struct shown m = { .s = cmd->out, .cmd = cmd, .p = bytes, .in = in };

		m.in_len = sizeof(in);
		m.len = cmd->out->bytes + 16 < sizeof(bytes) ? cmd->out->bytes + 16
							     : sizeof(bytes);
		for (size_t i = 0; i < sizeof(in); i++)
			in[i] = (uint8_t)rand_r(&seed);
		fill(&seed, m.len, false);
		one(&m, false);
	}
}

static void is_refused(const char *text, const char *line)
{
	struct json_object *o = json_tokener_parse(text);
	char why[WHY_BYTES] = "";

	cr_assert_not(encode_json(&box, o, why), "%s is taken", text);
	cr_expect_str_eq(why, line);
	json_object_put(o);
}

Test(dvfw_json, edited_values)
{
	struct json_object *o = json_tokener_parse(
		"{\"struct\":\"alloc_pd_in\",\"hex\":\"ffff\",\"fields\":[{\"name\":\"opcode\","
		"\"value\":\"ALLOC_PD\"},{\"name\":\"op_mod\",\"value\":3}]}");
	char why[WHY_BYTES] = "";

	cr_assert(encode_json(&box, o, why), "%s", why);
	cr_expect_eq(box.len, 16);
	cr_expect_arr_eq(box.bytes, "\x08\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0", 16);
	json_object_put(o);
}

Test(dvfw_json, mistakes)
{
	is_refused("{}",
		   "\"struct\" does not name a structure: decode --json prints what is read "
		   "here");
	is_refused("{\"struct\":\"alloc_pd_in\",\"fields\":[{\"name\":\"pd\",\"value\":1}]}",
		   "'pd': the structure has no such field");
	is_refused(
		"{\"struct\":\"alloc_pd_in\",\"fields\":[{\"name\":\"op_mod\",\"value\":65536}]}",
		"'op_mod': 0x10000 needs 17 bits, the field has 16");
	is_refused("{\"struct\":\"alloc_pd_in\",\"bytes\":4,\"fields\":[{\"name\":\"op_mod\","
		   "\"value\":1}]}",
		   "'op_mod': it is beyond \"bytes\"");
	is_refused("{\"struct\":\"alloc_pd_in\",\"unknown\":[{\"dword\":9,\"bit\":1}]}",
		   "\"unknown\": there is no such bit within \"bytes\"");
	is_refused("{\"struct\":\"alloc_pd_in\",\"fields\":[3]}",
		   "an element of the lists is not an object");
	is_refused("{\"struct\":\"alloc_pd_in\",\"bytes\":1000000}",
		   "\"bytes\" is a number up to 65536");
}
