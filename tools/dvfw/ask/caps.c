/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw caps: what the device can.
 *
 *	GENERAL  0x00  cmd_hca_cap
 *	  log_max_qp                        18  [log2]
 *	  log_max_mkey                      20  of 24 [log2]      the maximum is another
 *
 * As text the fields that are not zero, current values; as JSON all, current and maximum.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "caps/caps.h"
#include "caps_diff.h"
#include "devx/caps.h"
#include "prm/prm.h"

struct request {
	struct dvfw *dvfw;
	char *arg;	  /* a group, or the second file of a comparison */
	const char *grep; /* part of a field's name */
	const char *diff; /* file to compare with */
	bool max, all;
};

static bool is_zero(struct json_object *value)
{
	char text[1024];

	/* No digit but 0: "0", "0x0", "0000", "{0, 0}". */
	caps_text(value, text, sizeof(text));
	return !text[strcspn(text, "123456789abcdef")];
}

/* The unit of a field by its path in the group. */
static const char *unit_of(const struct prm_cap_group *g, const char *path)
{
	struct prm_pos pos;

	return prm_find(g->layout, path, &pos) ? prm_unit(pos.owner, pos.field->name) : NULL;
}

static const char *word_of(const struct prm_cap_group *g, const char *path,
			   struct json_object *value)
{
	struct prm_pos pos;
	const char *kind;

	if (!json_object_is_type(value, json_type_int) || !prm_find(g->layout, path, &pos))
		return NULL;
	kind = prm_value_kind(pos.owner, pos.field->name);
	return kind ? prm_value_name(kind, json_object_get_uint64(value), NULL) : NULL;
}

static void print_field(const struct request *r, const struct prm_cap_group *g,
			const char *path, struct json_object *value, struct json_object *max)
{
	const struct dvfw *d = r->dvfw;
	const char *unit = unit_of(g, path), *word = word_of(g, path, value);
	char text[1024], most[1024];

	printf("  %s%-46s%s %10s", dvfw_paint(d, DVFW_NAME), path, dvfw_paint(d, DVFW_PLAIN),
	       caps_text(value, text, sizeof(text)));
	if (!r->max && !caps_same(value, max))
		printf("  of %s", caps_text(max, most, sizeof(most)));
	if (word)
		printf(" %s(%s)%s", dvfw_paint(d, DVFW_WORD), word, dvfw_paint(d, DVFW_PLAIN));
	if (unit)
		printf("  %s[%s]%s", dvfw_paint(d, DVFW_FAINT), unit,
		       dvfw_paint(d, DVFW_PLAIN));
	putchar('\n');
}

static bool wanted(const struct request *r, const char *path, struct json_object *value,
		   struct json_object *max)
{
	if (r->grep && !strcasestr(path, r->grep))
		return false;
	return r->all || !is_zero(value) || (!r->max && !is_zero(max));
}

static void print_unnamed(const struct request *r, struct json_object *tree,
			  const struct prm_cap_group *g)
{
	struct json_object *bits =
		json_get(json_get(json_get(tree, "caps"), g->name), CAPS_UNNAMED);

	if (r->grep || !bits || !json_object_array_length(bits))
		return;
	printf("  set, but without a name:");
	for (size_t i = 0; i < json_object_array_length(bits); i++)
		printf(" %s", json_object_get_string(json_object_array_get_idx(bits, i)));
	putchar('\n');
}

static void print_group(const struct request *r, struct json_object *tree,
			const struct prm_cap_group *g)
{
	struct json_object *fields =
		caps_tree_fields(tree, g->name, r->max ? CAPS_MAX : CAPS_CURRENT);
	struct json_object *most = caps_tree_fields(tree, g->name, CAPS_MAX), *max;
	bool headed = false;

	if (!fields)
		return;
	json_object_object_foreach(fields, path, value)
	{
		max = json_get(most, path);
		if (!wanted(r, path, value, max))
			continue;
		if (!headed)
			printf("%s  0x%02x  %s\n", g->name, g->id, g->layout->name);
		headed = true;
		print_field(r, g, path, value, max);
	}
	if (!headed && !r->grep)
		printf("%s  0x%02x  %s\n  all zero\n", g->name, g->id, g->layout->name);
	print_unnamed(r, tree, g);
}

/* Groups that the device does not have, in one line. */
static void print_missing(const struct request *r, struct json_object *tree)
{
	bool any = false;

	if (r->grep)
		return;
	for (const struct prm_cap_group *g = NULL; (g = prm_cap_group_next(g));)
		if (!caps_tree_fields(tree, g->name, CAPS_CURRENT)) {
			printf("%s%s %s", any ? "" : dvfw_paint(r->dvfw, DVFW_FAINT),
			       any ? "" : "not on this device:", g->name);
			any = true;
		}
	if (any)
		printf("%s\n", dvfw_paint(r->dvfw, DVFW_PLAIN));
}

/* JSON: a word that was asked for narrows the fields there too. */
static void narrow(struct json_object *fields, const char *word)
{
	struct json_object_iterator it = json_object_iter_begin(fields),
				    end = json_object_iter_end(fields);
	struct json_object *kept = json_object_new_array();

	for (; !json_object_iter_equal(&it, &end); json_object_iter_next(&it))
		if (!strcasestr(json_object_iter_peek_name(&it), word))
			json_object_array_add(
				kept, json_object_new_string(json_object_iter_peek_name(&it)));
	for (size_t i = 0; i < json_object_array_length(kept); i++)
		json_object_object_del(
			fields, json_object_get_string(json_object_array_get_idx(kept, i)));
	json_object_put(kept);
}

static void print_json(const struct request *r, struct json_object *tree)
{
	for (const struct prm_cap_group *g = NULL; r->grep && (g = prm_cap_group_next(g));) {
		if (!caps_tree_fields(tree, g->name, CAPS_CURRENT))
			continue;
		narrow(caps_tree_fields(tree, g->name, CAPS_CURRENT), r->grep);
		narrow(caps_tree_fields(tree, g->name, CAPS_MAX), r->grep);
	}
	dvfw_print_json(json_object_get(tree));
}

/* A group without a name: its dwords that are not zero. */
static int print_unknown(struct request *r, unsigned long id)
{
	uint8_t caps[DEVX_CAPS_BYTES];
	int status = dvfw_connect(r->dvfw), err;

	if (status)
		return status;
	err = caps_tree_query(r->dvfw, (uint16_t)id, r->max ? PRM_CAP_MAX : PRM_CAP_CUR, caps);
	if (err)
		return caps_tree_refused(r->dvfw, err);
	printf("group 0x%02lx: its layout is not public\n", id);
	for (size_t byte = 0; byte < sizeof(caps); byte += 4)
		if (prm_load32(caps + byte, 4))
			printf("  0x%03zx  %08x\n", byte, prm_load32(caps + byte, 4));
	return DVFW_OK;
}

static int refuse_group(const struct request *r)
{
	struct near near;

	near_begin(&near, r->arg);
	for (const struct prm_cap_group *g = NULL; (g = prm_cap_group_next(g));)
		near_offer(&near, g->name);
	return dvfw_usage(r->dvfw, "there is no capability group '%s'%s", r->arg,
			  near_text(&near));
}

/* Will anything be printed? JSON has the fields that are zero, too. */
static bool matches(const struct request *r, struct json_object *tree)
{
	for (const struct prm_cap_group *g = NULL; (g = prm_cap_group_next(g));) {
		struct json_object *most = caps_tree_fields(tree, g->name, CAPS_MAX), *max;

		if (!most)
			continue;
		json_object_object_foreach(
			caps_tree_fields(tree, g->name, r->max ? CAPS_MAX : CAPS_CURRENT), path,
			value)
		{
			max = json_get(most, path);
			if (r->dvfw->json ? strcasestr(path, r->grep) != NULL
					  : wanted(r, path, value, max))
				return true;
		}
	}
	return false;
}

static int show(struct request *r)
{
	const struct prm_cap_group *group = r->arg ? caps_group_find(r->arg) : NULL;
	struct json_object *tree;
	char *end = NULL;
	int status;

	if (r->arg && !group) {
		unsigned long id = strtoul(r->arg, &end, 0);

		return *end || id > 0x7fff ? refuse_group(r) : print_unknown(r, id);
	}
	status = caps_tree_read(r->dvfw, group, &tree);
	if (status)
		return status;
	if (r->grep && !matches(r, tree)) {
		json_object_put(tree);
		return dvfw_refused(r->dvfw, "no capability%s%s has '%s' in its name%s",
				    group ? " of " : "", group ? group->name : "", r->grep,
				    r->all ? "" : " and is not zero; --all shows zeros, too");
	}
	if (r->dvfw->json) {
		print_json(r, tree);
	} else {
		for (const struct prm_cap_group *g = NULL; (g = prm_cap_group_next(g));)
			print_group(r, tree, g);
		if (!group)
			print_missing(r, tree);
	}
	json_object_put(tree);
	return DVFW_OK;
}

static int diff(struct request *r)
{
	bool two_files = r->arg && !caps_group_find(r->arg);
	const struct prm_cap_group *group =
		r->arg && !two_files ? caps_group_find(r->arg) : NULL;
	struct json_object *a = NULL, *b = NULL;
	int status = caps_tree_load(r->dvfw, r->diff, &a);

	if (!status && two_files)
		status = caps_tree_load(r->dvfw, r->arg, &b);
	else if (!status)
		status = caps_tree_read(r->dvfw, group, &b);
	if (!status)
		status = caps_diff(r->dvfw, a, b, group, r->grep);
	json_object_put(a);
	json_object_put(b);
	return status;
}

static const struct option_row options[] = {
	{ "max", 0, NULL, "The maximum capabilities, not the current ones",
	  offsetof(struct request, max), NULL },
	{ "all", 'a', NULL, "Fields that are zero, too", offsetof(struct request, all), NULL },
	{ "grep", 0, "WORD", "Only fields with WORD in their name",
	  offsetof(struct request, grep), NULL },
	{ "diff", 0, "FILE",
	  "Differences of the device, or of a second dump, from a dump of --json",
	  offsetof(struct request, diff), NULL },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "[GROUP]\n--diff FILE [GROUP|FILE]",
	.doc = "Prints the capabilities of the device; with --diff only what differs, and the "
	       "exit status is 1 if something does.",
	.surplus = "one group at a time",
	.max = 1,
};

int caps_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d };

	arguments_parse(&syntax, d, argc, argv, &r, &r.arg);
	return r.diff ? diff(&r) : show(&r);
}
