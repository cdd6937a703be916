/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whatever is wrong with field=value: the box stays as it was, and one line says what.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "box/box.h"
#include "names/names.h"

static struct box box, before;

static void refused(const char *command, const char *word, const char *line)
{
	const struct prm_cmd *cmd = cmd_find(command);
	char why[WHY_BYTES] = "";

	box_begin(&box, cmd->in, cmd);
	before = box;
	cr_assert_not(encode_field(&box, word, why), "%s is taken", word);
	cr_expect_str_eq(why, line);
	cr_expect_null(strchr(why, '\n'));
	cr_expect_eq(memcmp(&box, &before, sizeof(box)), 0, "%s changes the box", word);
}

Test(dvfw_bad_field, no_value)
{
	refused("CREATE_QP", "pd", "'pd' is not field=value");
	refused("CREATE_QP", "=3", "'=3' is not field=value");
	refused("CREATE_QP", "pd=", "'qpc.pd': a value is missing");
	refused("CREATE_QP", "pd=1|", "'qpc.pd': a value is missing");
}

Test(dvfw_bad_field, unknown_name)
{
	refused("CREATE_CQ", "cq_context.log_cq_sise=4",
		"create_cq_in has no field 'cq_context.log_cq_sise'; did you mean "
		"'cq_context.log_cq_size'?");
	refused("CREATE_QP", "banana=1", "create_qp_in has no field 'banana'");
}

Test(dvfw_bad_field, two_places)
{
	refused("CREATE_QP", "rlid=1",
		"'rlid' may be 'qpc.primary_address_path.rlid' or "
		"'qpc.secondary_address_path.rlid'");
}

Test(dvfw_bad_field, too_wide)
{
	refused("CREATE_QP", "pd=0x1000000",
		"'qpc.pd': 0x1000000 needs 25 bits, the field has 24");
	refused("CREATE_QP", "qpc.dbr_addr=0x10000000000000000",
		"'qpc.dbr_addr': '0x10000000000000000' is not a number of 64 bits");
}

Test(dvfw_bad_field, not_a_number)
{
	refused("CREATE_QP", "pd=twelve", "'qpc.pd': 'twelve' is not a number");
	refused("CREATE_QP", "pd=-1", "'qpc.pd': '-1' is not a number");
	refused("CREATE_QP", "pd=0x", "'qpc.pd': '0x' is not a number of 64 bits");
}

Test(dvfw_bad_field, no_such_value_name)
{
	const struct prm_cmd *cmd = cmd_find("CREATE_QP");
	char why[WHY_BYTES];

	box_begin(&box, cmd->in, cmd);
	cr_assert_not(encode_field(&box, "st=RCC", why));
	cr_expect_not_null(strstr(why, "'RCC' is not a number and none of RC, UC, UD"));
	cr_expect_not_null(strstr(why, "did you mean 'RC'?"));
}

Test(dvfw_bad_field, index)
{
	refused("CREATE_QP", "qpc[1]=0", "'qpc' of create_qp_in is no array");
	refused("ALLOW_OTHER_VHCA_ACCESS", "access_key_raw[32]=1",
		"'access_key_raw[32]': access_key_raw has elements 0 to 31");
}

Test(dvfw_bad_field, bytes)
{
	refused("ALLOW_OTHER_VHCA_ACCESS", "access_key_raw=aabb",
		"'access_key_raw' has 32 bytes, the value 2");
	refused("ALLOW_OTHER_VHCA_ACCESS", "access_key_raw=xyz",
		"'access_key_raw' takes 32 bytes, as hex; 'xyz' is something else");
	refused("INIT2RTR_QP", "qpc.primary_address_path.rgid_rip=300.1.1.1",
		"'qpc.primary_address_path.rgid_rip' takes 16 bytes, as hex or an IP address; "
		"'300.1.1.1' is something else");
}

Test(dvfw_bad_field, far_beyond_the_end)
{
	refused("CREATE_QP", "pas[100000]=1", "'pas[100000]' is beyond 65536 bytes");
}
