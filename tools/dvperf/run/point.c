/* SPDX-License-Identifier: BSD-2-Clause */
/* One measured point, of any mode: run and printed. */
#include "run.h"

void point_run(struct report *rep, struct result *r)
{
	struct json_object *env = NULL;
	bool have = json_object_object_get_ex(rep->all, "environment", NULL);

	if (r->o.mode == MODE_BW)
		bw_run(r, have ? NULL : &env);
	else if (r->o.mode == MODE_LAT)
		lat_run(r, have ? NULL : &env);
	else
		post_run(r, have ? NULL : &env);
	if (env)
		json_object_object_add(rep->all, "environment", env);
	report_row(rep, r);
}
