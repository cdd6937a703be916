/* SPDX-License-Identifier: BSD-2-Clause */
/* The axes of a sweep, from the words of a preset and of the command line, and the points they
 * make. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dvkit/emu.h>

#include "base/base.h"
#include "machine/machine.h"
#include "model/model.h"
#include "result/result.h"
#include "run/run.h"
#include "axes.h"

enum {
	OVERSUBSCRIBED = 4, /* threads per CPU: beyond, a point is left out */
	EMULATED_ITERS = 1000,
	REAL_SECONDS = 4,
};

/* ---- words ---- */

/* Rows that differ in an option without a column could not be distinguished. */
static void check_distinguished(const struct axis *a)
{
	struct options o = options_new(MODE_BW);
	struct json_object *names;

	options_defaults(&o);
	names = options_json(&o);
	if (a->n > 1 && !json_object_object_get_ex(names, options_json_key(a->name), NULL))
		base_refuse(
			"%s is not an axis: results have no column for it; give it as an option",
			a->name);
	json_object_put(names);
}

/* The axis of that name, or a new one without values. */
static struct axis *axis_of(struct axes *s, const char *name)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(options_json_key(s->axes[i].name), options_json_key(name)))
			return &s->axes[i];
	if (s->n == MAX_AXES)
		base_refuse("more than %d axes", MAX_AXES);
	s->axes[s->n].name = base_made(strdup(name));
	return &s->axes[s->n++];
}

/* "all" threads are as many as there are CPUs. */
static char *value_text(struct axes *s, const struct axis *a, char *value)
{
	if (strcmp(value, "all") || strcmp(a->name, "threads"))
		return value;
	snprintf(s->texts[0], sizeof(s->texts[0]), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	return s->texts[0];
}

static void take_value(struct axes *s, struct axis *a, char *value)
{
	struct options scratch = options_new(MODE_BW);
	struct near near;
	const char *bad;

	if (!*value)
		base_refuse("%s=: a value is empty", a->name);
	if (a->n == MAX_VALUES)
		base_refuse("%s has more than %d values", a->name, MAX_VALUES);
	value = value_text(s, a, value);
	bad = options_take_name(&scratch, a->name, value);
	if (bad && !strcmp(bad, "is not an option")) {
		near_begin(&near, a->name);
		options_near(&near, true);
		base_refuse("%s=%s: %s is not an option%s", a->name, value, a->name,
			    near_text(&near));
	}
	if (bad)
		base_refuse("%s=%s: %s", a->name, value, bad);
	if (pcie_check(scratch.pcie))
		base_refuse("%s", pcie_check(scratch.pcie));
	if (scratch.fresh)
		base_refuse("fresh= is for post; sweep measures all points in one process");
	if (pin_check(&scratch))
		base_refuse("%s", pin_check(&scratch));
	a->values[a->n++] = value;
}

/* x=NAME or y=NAME; whether @name is one of them. */
static bool take_figure_axis(struct axes *s, const char *name, const char *value, bool given)
{
	int y = !strcmp(name, "y");

	if (!y && strcmp(name, "x"))
		return false;
	if (given && s->figure_given[y])
		base_refuse("%s= is given twice", name);
	s->figure_given[y] = given;
	*(y ? &s->y : &s->x) = value;
	return true;
}

/* Words of the caller replace those of a preset, but not other words of the caller. */
void axes_take_word(struct axes *s, const char *word, bool given)
{
	char *copy = base_made(strdup(word)), *values = strchr(copy, '='), *value;
	struct axis *a;

	*values++ = 0;
	if (take_figure_axis(s, copy, values, given))
		return;
	a = axis_of(s, copy);
	options_refuse_given(s->o, a->name);
	if (given && a->given)
		base_refuse("%s is given twice: %s and %s; put its values into one list",
			    a->name, a->given, word);
	a->given = given ? word : NULL;
	a->n = 0;
	while ((value = strsep(&values, ",")))
		take_value(s, a, value);
	check_distinguished(a);
}

/* Rows of a mode follow each other, so that each mode has one table. */
void axes_put_mode_first(struct axes *s)
{
	struct axis mode;

	for (int i = 1; i < s->n; i++)
		if (!strcmp(s->axes[i].name, "mode")) {
			mode = s->axes[i];
			memmove(&s->axes[1], &s->axes[0], (size_t)i * sizeof(*s->axes));
			s->axes[0] = mode;
		}
}

bool axes_has(const struct axes *s, const char *name)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(options_json_key(s->axes[i].name), options_json_key(name)))
			return true;
	return false;
}

/* Sets options that a preset leaves open: how long; on the emulator, the link of the model. */
void axes_preset_defaults(struct axes *s)
{
	struct options *o = s->o;
	bool open = !o->iters && !(o->duration > 0) && !axes_has(s, "mode");
	bool emulated = dvkit_emu_present();

	if (emulated && !o->pcie)
		o->pcie = s->preset->pcie;
	if (open && emulated)
		o->iters = EMULATED_ITERS;
	else if (open)
		o->duration = REAL_SECONDS;
}

/* ---- points ---- */

/* Sets the options of point @index; NULL, or why it cannot be. */
const char *axes_point(struct axes *s, unsigned int index, struct options *o)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*o = *s->o;
	o->preset = NULL;
	for (int i = s->n - 1; i >= 0; i--) {
		options_take_name(o, s->axes[i].name,
				  s->axes[i].values[index % (unsigned int)s->axes[i].n]);
		index /= (unsigned int)s->axes[i].n;
	}
	/* each host for itself */
	if (o->mode == MODE_POST || (o->op == OP_MMO && !o->remote_vhca))
		o->host = NULL;
	options_defaults(o);
	if (o->threads > OVERSUBSCRIBED * cpus)
		return "more than 4 threads per CPU";
	if (s->preset && s->preset->leaves_out && s->preset->leaves_out(o))
		return s->preset->leaves_out(o);
	return run_check(o);
}

/* ---- the figure ---- */

/* x: what was said, or the last axis with several numbers. */
void axes_choose_figure(struct axes *s)
{
	for (int i = s->n - 1; i >= 0 && !s->x; i--)
		if (s->axes[i].n > 1 && s->axes[i].values[0][0] >= '0' &&
		    s->axes[i].values[0][0] <= '9')
			s->x = s->axes[i].name;
	if (s->y && metric_find(s->y) == METRICS)
		base_refuse("y=%s: %s", s->y, metric_unknown(s->y));
}

/* The options that differ from point to point, as the JSON calls them; NULL ends. */
const char **axes_varying(const struct axes *s, const char *but)
{
	const char **names = base_made(calloc(MAX_AXES + 1, sizeof(*names)));
	int n = 0;

	for (int i = 0; i < s->n; i++)
		if (s->axes[i].n > 1 &&
		    !(but && !strcmp(options_json_key(s->axes[i].name), but)))
			names[n++] = base_made(strdup(options_json_key(s->axes[i].name)));
	return names;
}

void axes_drop_names(const char **names)
{
	for (int i = 0; names[i]; i++)
		free((char *)names[i]);
	free(names);
}

/* The axis of modes, if it has several; else NULL. */
const struct axis *axes_modes(const struct axes *s)
{
	return s->n && !strcmp(s->axes[0].name, "mode") && s->axes[0].n > 1 ? &s->axes[0]
									    : NULL;
}
