/* SPDX-License-Identifier: BSD-2-Clause */
/* Aliases of memory of the host: made, queried, refused. Nothing is copied here. */
#include <errno.h>

#include "fixture.h"

TestSuite(alias, .init = dpu_start, .fini = dpu_stop);

Test(alias, is_made_and_queried)
{
	uint8_t context[64];

	import(HOST_EXPORT, DEVX_EXPORT_READ_WRITE);
	cr_assert_eq(d.alias.key & 0xff, 0);
	cr_assert_eq(d.theirs.mkey & 0xff, 0x42);
	cr_assert_eq(d.theirs.len, (uint64_t)HOST_BYTES);
	cr_assert_eq(d.theirs.sys_image_guid, d.caps.sys_image_guid);
	cr_assert_neq(d.theirs.vhca_id, d.caps.vhca_id);
	cr_assert_eq(devx_alias_query(&d.alias, context), 0);
	cr_assert_eq(PRM_GET(alias_context, context, vhca_id_to_be_accessed), d.theirs.vhca_id);
	cr_assert_eq(PRM_GET(alias_context, context, object_id_to_be_accessed),
		     d.theirs.mkey >> 8);
	cr_assert_eq(PRM_GET(alias_context, context, metadata_1), d.pdn);
	cr_assert_eq(PRM_GET(alias_context, context, status), 0);
}

/* The export as it is, but for what the caller changes. */
static int again(struct devx_export e)
{
	struct devx_alias alias = { 0 };
	int err = devx_alias_create(&alias, d.ctx, d.pdn, &e);

	if (!err)
		devx_alias_destroy(&alias);
	return err;
}

Test(alias, of_something_else_is_refused)
{
	struct devx_export e;

	import(HOST_EXPORT, DEVX_EXPORT_READ_WRITE);
	cr_assert_eq(again(d.theirs), 0, "another one");
	e = d.theirs;
	e.access_key[31] ^= 1;
	cr_assert(again(e) == EREMOTEIO || again(e) == EACCES, "the access key");
	e = d.theirs;
	e.mkey += 0x100;
	cr_assert(again(e) == EREMOTEIO || again(e) == EACCES, "a number that was not allowed");
	e = d.theirs;
	e.vhca_id += 100;
	cr_assert(again(e) == EREMOTEIO || again(e) == EACCES, "no such function");
	e = d.theirs;
	e.sys_image_guid ^= 1;
	cr_assert_eq(again(e), EXDEV, "another adapter");
	e = d.theirs;
	e.mkey ^= 0xff;
	cr_assert_eq(again(e), 0, "the low byte of the exporter does not matter");
}

Test(alias, of_what_was_destroyed_is_refused)
{
	import(HOST_EXPORT, DEVX_EXPORT_READ_WRITE);
	host_must((struct host_request){ .op = HOST_DESTROY });
	cr_assert(again(d.theirs) == EREMOTEIO || again(d.theirs) == EACCES);
}

Test(alias, of_a_process_that_ended_is_refused)
{
	import(HOST_EXPORT, DEVX_EXPORT_READ_WRITE);
	host_die();
	cr_assert(again(d.theirs) == EREMOTEIO || again(d.theirs) == EACCES);
}

/* The check says before what the commands say. */
Test(alias, is_foreseen_by_the_check)
{
	struct host_answer a = host_do((struct host_request){ .op = HOST_CAPS });
	struct devx_cross_vhca answer;

	cr_assert_eq(a.err, 0, "%s", a.reason);
	cr_assert_eq(devx_cross_vhca_check(&answer, &a.caps, &d.caps), 0, "%s",
		     answer.n ? answer.finding[0].text : "");
	cr_assert_neq(d.caps.max_wr_memcpy_length, 0);
	cr_assert_eq(d.caps.port_state, IBV_PORT_ACTIVE);
	cr_assert_eq(devx_cross_vhca_check(&answer, &d.caps, &d.caps), EOPNOTSUPP);
	cr_assert_eq(answer.finding[0].reason, DEVX_CROSS_VHCA_SAME_VHCA);
}

/* Only a BlueField-2 refuses keys over an MR, and the check has a note about that. */
Test(alias, of_an_mr_is_what_the_probe_says)
{
	struct host_answer probe = host_do((struct host_request){ .op = HOST_PROBE_MR });
	struct host_answer made = host_do((struct host_request){
		.op = HOST_EXPORT_MR, .access = DEVX_EXPORT_READ_WRITE });
	struct devx_cross_vhca answer;

	cr_assert_eq(made.err, probe.err, "%s", made.reason);
	cr_assert(!probe.err || probe.err == EOPNOTSUPP, "%s", probe.reason);
	cr_assert_eq(devx_cross_vhca_check(&answer, &d.caps, &d.caps), EOPNOTSUPP);
	cr_assert_eq(answer.n, probe.err ? 2 : 1);
	if (probe.err)
		cr_assert_eq(answer.finding[1].reason, DEVX_CROSS_VHCA_UMEM_ONLY);
}
