/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw caps --diff: a line for each field that differs.
 *
 *	                                mlx5_0 16.35.2000   mlx5_1 28.43.1014
 *	GENERAL.log_max_qp                             18                  17
 *	GENERAL.log_max_qp (max)                       18                  17
 *	TLS                                             -               there
 *
 * Fields that only one tree knows show "-": the trees may come from two versions of dvfw.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "caps_diff.h"
#include "prm/visible.h"

struct diff {
	struct dvfw *dvfw;
	struct json_object *a, *b;
	const char *word;
	struct json_object *rows; /* NULL: print lines */
	unsigned int found;
};

/* "mlx5_0 16.35.2000" */
static const char *label(struct json_object *tree, char *buf, size_t size)
{
	struct json_object *device = json_get(tree, "device");

	snprintf(buf, size, "%s %s", json_get(device, "name") ? json_text(device, "name") : "?",
		 json_text(device, "fw_ver"));
	return buf;
}

static void add(struct diff *f, const char *group, const char *path, const char *mode,
		struct json_object *a, struct json_object *b)
{
	char name[320], text[2][256], safe[3][1024];

	if (f->found++ == 0 && !f->rows)
		printf("%-56s %20s %20s\n", "",
		       prm_visible(safe[0], 1024, label(f->a, text[0], sizeof(text[0]))),
		       prm_visible(safe[1], 1024, label(f->b, text[1], sizeof(text[1]))));
	if (!f->rows) {
		snprintf(name, sizeof(name), "%s%s%s%s", group, path ? "." : "",
			 path ? path : "", !strcmp(mode, CAPS_MAX) ? " (max)" : "");
		printf("%s%-56s%s %20s %20s\n", dvfw_paint(f->dvfw, DVFW_NAME),
		       prm_visible(safe[2], 1024, name), dvfw_paint(f->dvfw, DVFW_PLAIN),
		       prm_visible(safe[0], 1024, caps_text(a, text[0], sizeof(text[0]))),
		       prm_visible(safe[1], 1024, caps_text(b, text[1], sizeof(text[1]))));
		return;
	}

	struct json_object *row = json_object_new_object();
	json_set(row, "group", group);
	json_set(row, "field", path);
	json_set(row, "mode", mode);
	json_set(row, "a", json_object_get(a));
	json_set(row, "b", json_object_get(b));
	json_object_array_add(f->rows, row);
}

static void diff_fields(struct diff *f, const char *group, const char *mode)
{
	struct json_object *a = caps_tree_fields(f->a, group, mode);
	struct json_object *b = caps_tree_fields(f->b, group, mode), *other;

	if (!a || !b)
		return;
	json_object_object_foreach(a, path, value)
	{
		other = json_get(b, path);
		if (!caps_same(value, other) && (!f->word || strcasestr(path, f->word)))
			add(f, group, path, mode, value, other);
	}
	json_object_object_foreach(b, late, late_value)
	{
		if (!json_object_object_get_ex(a, late, NULL) &&
		    (!f->word || strcasestr(late, f->word)))
			add(f, group, late, mode, NULL, late_value);
	}
}

static void diff_group(struct diff *f, const struct prm_cap_group *g)
{
	bool in_a = caps_tree_fields(f->a, g->name, CAPS_CURRENT);
	bool in_b = caps_tree_fields(f->b, g->name, CAPS_CURRENT);

	if (in_a != in_b && !f->word) {
		struct json_object *there = json_object_new_string("there");

		add(f, g->name, NULL, CAPS_CURRENT, in_a ? there : NULL, in_b ? there : NULL);
		json_object_put(there);
	}
	diff_fields(f, g->name, CAPS_CURRENT);
	diff_fields(f, g->name, CAPS_MAX);
}

int caps_diff(struct dvfw *d, struct json_object *a, struct json_object *b,
	      const struct prm_cap_group *group, const char *word)
{
	struct diff f = { .dvfw = d, .a = a, .b = b, .word = word };

	if (d->json)
		f.rows = json_object_new_array();
	for (const struct prm_cap_group *g = NULL; (g = prm_cap_group_next(g));)
		if (!group || g == group)
			diff_group(&f, g);
	if (d->json) {
		struct json_object *all = json_object_new_object();

		json_set(all, "a", json_object_get(json_get(a, "device")));
		json_set(all, "b", json_object_get(json_get(b, "device")));
		json_set(all, "differs", f.rows);
		dvfw_print_json(all);
	}
	return f.found ? DVFW_REFUSED : DVFW_OK;
}
