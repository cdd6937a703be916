/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dry run: what the kernel and the firmware are known to look at first.
 *
 *	kernel     the DevX list of the command's call, or what fwctl passes; the object's own number
 *	firmware   length, bits without a name, capabilities, sizes
 *
 * Passing says that nothing of this is wrong, not that the command will succeed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "box/box.h"
#include "prm/prm.h"

const struct check_limit check_limits[] = {
	{ PRM_OP_CREATE_CQ, "cq_context.log_cq_size", PRM_CAP_GENERAL, "log_max_cq_sz",
	  CHECK_AT_MOST },
	{ PRM_OP_CREATE_QP, "qpc.log_sq_size", PRM_CAP_GENERAL, "log_max_qp_sz",
	  CHECK_AT_MOST },
	{ PRM_OP_CREATE_QP, "qpc.log_rq_size", PRM_CAP_GENERAL, "log_max_qp_sz",
	  CHECK_AT_MOST },
	{ PRM_OP_CREATE_SRQ, "srq_context_entry.log_srq_size", PRM_CAP_GENERAL,
	  "log_max_srq_sz", CHECK_AT_MOST },
	{ PRM_OP_CREATE_XRC_SRQ, "xrc_srq_context_entry.log_xrc_srq_size", PRM_CAP_GENERAL,
	  "log_max_srq_sz", CHECK_AT_MOST },
	{ PRM_OP_CREATE_RQT, "rqt_context.rqt_max_size", PRM_CAP_GENERAL, "log_max_rqt_size",
	  CHECK_LOG },
	{ PRM_OP_CREATE_GENERAL_OBJECT, "obj_type", PRM_CAP_GENERAL, "general_obj_types",
	  CHECK_BIT },
	{ PRM_OP_CREATE_GENERAL_OBJECT, "alias_object", PRM_CAP_GENERAL_2,
	  "cross_vhca_object_to_object_supported", CHECK_USED },
	{ PRM_OP_CREATE_MKEY, "memory_key_mkey_entry.crossing_target_vhca_id", PRM_CAP_GENERAL,
	  "crossing_vhca_mkey", CHECK_USED },
	{ PRM_OP_ALLOW_OTHER_VHCA_ACCESS, "object_id_to_be_accessed", PRM_CAP_GENERAL_2,
	  "allowed_object_for_other_vhca_access", CHECK_USED },
	{ 0 },
};

struct findings {
	int n;
	struct json_object *list; /* NULL: print them */
};

static void finding(const struct dvfw *d, struct findings *f, const char *text)
{
	f->n++;
	if (f->list)
		json_object_array_add(f->list, json_object_new_string(text));
	else
		printf("%swill be refused:%s %s\n", dvfw_paint(d, DVFW_BAD),
		       dvfw_paint(d, DVFW_PLAIN), text);
}

static void check_call(const struct dvfw *d, const struct prm_cmd *cmd, bool own,
		       struct findings *f)
{
	char text[200];

	if (dvfw_by_fwctl(d)) {
		if (cmd->call != PRM_CALL_CREATE && cmd->call != PRM_CALL_MODIFY)
			return;
		snprintf(text, sizeof(text),
			 "the kernel will refuse this: through fwctl it passes queries and "
			 "registers; %s needs DevX",
			 cmd->name);
		finding(d, f, text);
	} else if (cmd->call == PRM_CALL_KERNEL) {
		snprintf(text, sizeof(text),
			 "the kernel will refuse this: %s is not on the DevX list", cmd->name);
		finding(d, f, text);
	} else if (!own && (cmd->call == PRM_CALL_MODIFY || cmd->call == PRM_CALL_QUERY)) {
		snprintf(text, sizeof(text),
			 "the kernel passes %s only for an object that the same process made: "
			 "use 'dvfw shell' or 'dvfw run'",
			 cmd->name);
		finding(d, f, text);
	}
}

static void check_length(const struct dvfw *d, const struct prm_cmd *cmd, const struct box *in,
			 struct findings *f)
{
	size_t bytes = prm_in_bytes(cmd, in->bytes, in->len);
	char text[160];

	if (in->len >= bytes)
		return;
	snprintf(text, sizeof(text), "the inbox has %zu bytes, %s wants %zu", in->len,
		 cmd->name, bytes);
	finding(d, f, text);
}

static void check_opcode(const struct dvfw *d, const struct prm_cmd *cmd, const struct box *in,
			 struct findings *f)
{
	unsigned int opcode = (unsigned int)PRM_GET(mbox_in, in->bytes, opcode);
	char text[160];

	if (opcode == cmd->opcode)
		return;
	snprintf(text, sizeof(text), "the inbox has opcode 0x%x, %s is 0x%x", opcode, cmd->name,
		 cmd->opcode);
	finding(d, f, text);
}

static void check_unknown(const struct dvfw *d, const struct prm_cmd *cmd, const struct box *in,
			  struct findings *f)
{
	const struct shown m = { .s = cmd->in, .p = in->bytes, .len = in->len };
	uint8_t *left = malloc(in->len);
	char text[120];

	if (left && message_unknown(&m, left))
		for (size_t bit = 0; bit < in->len * 8; bit++)
			if (left[bit / 8] & 0x80 >> bit % 8) {
				snprintf(text, sizeof(text),
					 "unknown: dw%zu[%zu]=1; reserved bits have to be 0",
					 bit / 32, 31 - bit % 32);
				finding(d, f, text);
			}
	free(left);
}

static bool holds(const struct check_limit *l, uint64_t value, uint64_t cap)
{
	switch (l->how) {
	case CHECK_AT_MOST:
		return value <= cap;
	case CHECK_LOG:
		return cap < 64 && value <= 1ull << cap;
	case CHECK_BIT:
		return value >= 64 || cap >> value & 1;
	case CHECK_USED:
	default:
		return !value || cap;
	}
}

static void check_limit(const struct dvfw *d, const struct check_limit *l, const struct box *in,
			const struct capability_source *caps, struct findings *f)
{
	const char *group = prm_value_name("CAP", l->group, NULL);
	uint64_t value, cap;
	char text[256];

	if (!prm_get(in->s, in->bytes, in->len, l->field, &value) ||
	    !capability_get(caps, l->group, l->cap, &cap) || holds(l, value, cap))
		return;
	snprintf(text, sizeof(text),
		 l->how == CHECK_USED  ? "%s=0x%llx: capability missing: %s.%s is %llu"
		 : l->how == CHECK_BIT ? "%s=0x%llx: capability missing: no such bit in %s.%s, "
					 "which is 0x%llx"
		 : l->how == CHECK_LOG ? "%s=0x%llx is more than %s.%s allows, 2^%llu"
				       : "%s=0x%llx is more than %s.%s allows, %llu",
		 l->field, (unsigned long long)value, group, l->cap, (unsigned long long)cap);
	finding(d, f, text);
}

/* "cmd_hca_cap.dct" of prm/needs.def: the group whose structure that is, and the field. */
static void check_needs(const struct dvfw *d, const struct prm_cmd *cmd,
			const struct capability_source *caps, struct findings *f)
{
	const char *dot = cmd->needs ? strchr(cmd->needs, '.') : NULL;
	const struct prm_cap_group *g = NULL;
	uint64_t cap;
	char text[256];

	while (dot && (g = prm_cap_group_next(g))) {
		if (strncmp(g->layout->name, cmd->needs, (size_t)(dot - cmd->needs)) ||
		    g->layout->name[dot - cmd->needs])
			continue;
		if (!capability_get(caps, g->id, dot + 1, &cap) || cap)
			return;
		snprintf(text, sizeof(text), "capability missing: %s needs %s.%s, which is 0",
			 cmd->name, g->name, dot + 1);
		finding(d, f, text);
		return;
	}
}

bool check_asks_capabilities(const struct prm_cmd *cmd)
{
	const struct check_limit *l = check_limits;

	while (l->opcode && l->opcode != cmd->opcode)
		l++;
	return cmd->needs || l->opcode;
}

int check_inbox(const struct dvfw *d, const struct prm_cmd *cmd, const struct box *in,
		const struct capability_source *caps, bool own, struct json_object *list)
{
	struct findings f = { .list = list };

	check_call(d, cmd, own, &f);
	check_opcode(d, cmd, in, &f);
	check_length(d, cmd, in, &f);
	check_unknown(d, cmd, in, &f);
	if (caps->file || caps->device) {
		check_needs(d, cmd, caps, &f);
		for (const struct check_limit *l = check_limits; l->opcode; l++)
			if (l->opcode == cmd->opcode)
				check_limit(d, l, in, caps, &f);
	}
	return f.n;
}
