/* SPDX-License-Identifier: BSD-2-Clause */
/* Every field of the contexts of queues and keys, of general objects and of registers has a text,
 * and so has every field that is nested in them. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "prm/table.h"
#include "text.h"

static const char *const contexts[] = {
	"ads",
	"qpc",
	"qpc_ext",
	"qp_context_extension",
	"mkc",
	"mtt",
	"klm",
	"cqc",
	"srqc",
	"xrc_srqc",
	"xrqc",
	"rmpc",
	"rqc",
	"sqc",
	"wq",
	"tirc",
	"tisc",
	"dctc",
	"eqc",
	"rqtc",
	"rx_hash_field_select",
	"umem",
	"uctx",
	"sw_icm",
	"alias_context",
	"lagc",
	"scheduling_context",
	"host_params_context",
	"vhca_state_context",
	"set_pp_rate_limit_context",
	"general_object_in",
	"general_object_out",
	"ud_adrs_vector",
	"tls_static_params",
	"tls_progress_params",
};

static unsigned int described, not_public;

static void look_at(const struct prm_struct *s)
{
	for (const struct prm_field *f = s->fields; f->name; f++) {
		const char *text = text_of_field(s, f->name);

		cr_expect(text || s->is_union, "%s.%s has no text", s->name, f->name);
		described += text != NULL;
		not_public +=
			text && (strstr(text, "Not public") || strstr(text, "not public"));
		if (f->type)
			look_at(f->type);
	}
}

static void report(const char *of)
{
	fprintf(stderr, "%s: %u fields with a text, of which %u say \"not public\"\n", of,
		described, not_public);
}

Test(fields_have_texts, contexts)
{
	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
		const struct prm_struct *s = prm_struct(contexts[i]);

		cr_assert_not_null(s, "there is no structure %s", contexts[i]);
		cr_expect_not_null(text_of_struct(s), "%s has no text", s->name);
		look_at(s);
	}
	report("contexts");
}

Test(fields_have_texts, objects)
{
	const struct prm_object *o = NULL;

	while ((o = prm_object_next(o)))
		look_at(o->layout);
	report("objects");
}

Test(fields_have_texts, registers)
{
	const struct prm_reg *r = NULL;

	while ((r = prm_reg_next(r))) {
		cr_expect_not_null(text_of_struct(r->layout), "%s has no text",
				   r->layout->name);
		look_at(r->layout);
	}
	report("registers");
}
