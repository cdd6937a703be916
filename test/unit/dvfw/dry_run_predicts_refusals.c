/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each reason for a refusal that can be found offline is reported; a command that is well
 * formed passes.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "box/box.h"
#include "names/names.h"

static struct box box;
static const struct dvfw plain;

static void encode(const char *command, const char *const *words)
{
	const struct prm_cmd *cmd = cmd_find(command);
	char why[WHY_BYTES] = "";

	box_begin(&box, cmd->in, cmd);
	for (; *words; words++)
		cr_assert(encode_field(&box, *words, why), "%s", why);
}

/* The findings for @command with the words up to NULL, as text. */
static int findings(const char *command, const char *caps, char *text, size_t size,
		    const char *const *words)
{
	struct capability_source from = { 0 };
	FILE *saved = stdout;
	int n;

	encode(command, words);
	if (caps)
		from.file = json_tokener_parse(caps);
	memset(text, 0, size);
	stdout = fmemopen(text, size, "w");
	n = check_inbox(&plain, cmd_find(command), &box, &from, false, NULL);
	fclose(stdout);
	stdout = saved;
	capability_close(&from);
	return n;
}

static void refused(const char *command, const char *caps, const char *line,
		    const char *const *words)
{
	char text[2048];

	cr_expect_eq(findings(command, caps, text, sizeof(text), words), 1, "%s", text);
	cr_expect_not_null(strstr(text, line), "%s", text);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define NO_WORDS   ((const char *const[]){ NULL })

Test(dvfw_dry_run, not_on_the_devx_list)
{
	refused("CREATE_EQ", NULL,
		"the kernel will refuse this: CREATE_EQ is not on the DevX list", NO_WORDS);
	refused("QUERY_CQ", NULL, "only for an object that the same process made", NO_WORDS);
}

Test(dvfw_dry_run, length)
{
	const struct prm_cmd *cmd = cmd_find("CREATE_CQ");
	struct capability_source none = { 0 };
	FILE *saved = stdout;
	char text[256] = "";

	encode("CREATE_CQ", NO_WORDS);
	box.len = 16;
	stdout = fmemopen(text, sizeof(text), "w");
	cr_expect_eq(check_inbox(&plain, cmd, &box, &none, false, NULL), 1);
	fclose(stdout);
	stdout = saved;
	cr_expect_not_null(strstr(text, "the inbox has 16 bytes, CREATE_CQ wants 272"), "%s",
			   text);
}

Test(dvfw_dry_run, reserved_bits_and_wrong_opcode)
{
	refused("ALLOC_PD", NULL, "the inbox has opcode 0x400, ALLOC_PD is 0x800",
		WORDS("opcode=CREATE_CQ"));
}

Test(dvfw_dry_run, missing_capability)
{
	refused("CREATE_DCT", "{\"caps\":{\"GENERAL\":{\"current\":{}}}}",
		"capability missing: CREATE_DCT needs GENERAL.dct, which is 0", NO_WORDS);
	refused("CREATE_GENERAL_OBJECT",
		"{\"caps\":{\"GENERAL\":{\"current\":{\"general_obj_types\":\"0x2000\"}}}}",
		"obj_type=0xc: capability missing: no such bit in GENERAL.general_obj_types, which "
		"is 0x2000",
		WORDS("obj_type=ENCRYPTION_KEY", "key_size=1"));
	refused("CREATE_CQ", "{\"caps\":{\"GENERAL\":{\"current\":{\"log_max_cq_sz\":22}}}}",
		"cq_context.log_cq_size=0x17 is more than GENERAL.log_max_cq_sz allows, 22",
		WORDS("log_cq_size=23"));
}

Test(dvfw_dry_run, well_formed)
{
	char text[256];

	cr_expect_eq(findings("CREATE_CQ",
			      "{\"caps\":{\"GENERAL\":{\"current\":{\"log_max_cq_sz\":22}}}}",
			      text, sizeof(text), WORDS("log_cq_size=22")),
		     0, "%s", text);
	cr_expect_eq(findings("QUERY_HCA_CAP", NULL, text, sizeof(text), WORDS("op_mod=ODP")),
		     0);
}

Test(dvfw_dry_run, all_names_of_the_limits_exist)
{
	for (const struct check_limit *l = check_limits; l->opcode; l++) {
		const struct prm_cmd *cmd = prm_cmd(l->opcode);
		const struct prm_cap_group *g = prm_cap_group(l->group);
		struct prm_pos pos;

		cr_assert(cmd && g && g->layout);
		cr_expect(prm_find(cmd->in, l->field, &pos), "%s", l->field);
		cr_expect(prm_find(g->layout, l->cap, &pos), "%s", l->cap);
	}
}
