/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of two sets matched by their options; ratios and their spread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "compare.h"

/* How long it ran is no parameter of what is measured. */
static const char *const lengths[] = { "iters", "duration", "repeats" };

/* A spread that leaves nothing to compare. */
static const double HOPELESS = 1;

bool compare_skips(const struct ignored *skip, const char *name)
{
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		if (!strcmp(name, lengths[i]))
			return true;
	for (size_t i = 0; i < skip->n; i++)
		if (!strcmp(name, skip->names[i]))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *compare_key(struct json_object *row, const struct ignored *skip)
{
	struct json_object *options = json_object_object_get(row, "options");
	struct json_object *kept = json_object_new_object(), *rank;
	size_t n = 0, all = (size_t)json_object_object_length(options);
	const char **names = base_made(calloc(all + 1, sizeof(*names)));
	char *key;

	json_object_object_foreach(options, name, value)
	{
		(void)value;
		if (!compare_skips(skip, name))
			names[n++] = name;
	}
	qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 0; i < n; i++)
		json_object_object_add(
			kept, names[i],
			json_object_get(json_object_object_get(options, names[i])));
	/* of a job: every rank has its own part */
	if (json_object_object_get_ex(row, "rank", &rank))
		json_object_object_add(kept, "rank", json_object_get(rank));
	key = base_made(strdup(json_object_to_json_string(kept)));
	json_object_put(kept);
	free(names);
	return key;
}

/* ---- both sides, flat ---- */

struct entry {
	struct json_object *row;
	const struct record *from;
	char *key;
	bool used;
};

struct side {
	struct entry *list;
	size_t n;
};

static struct side flatten(const struct records *all, const struct ignored *skip)
{
	struct side s = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += record_rows(&all->list[i]);
	s.list = base_made(calloc(n + 1, sizeof(*s.list)));
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < record_rows(&all->list[i]); k++) {
			struct json_object *row = record_row(&all->list[i], k);

			s.list[s.n++] = (struct entry){ row, &all->list[i],
							compare_key(row, skip), false };
		}
	return s;
}

static void free_side(struct side *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].key);
	free(s->list);
}

/* ---- values ---- */

/* Metrics that are as sure as the rate: they are made from the same repeats. */
static bool is_of_repeats(enum metric m)
{
	return m == METRIC_MOPS || m == METRIC_GBPS || m == METRIC_NS || m == METRIC_CYCLES ||
	       m == METRIC_TICKS || m == METRIC_SECONDS;
}

/* Counted one by one, by single steps: the same whenever it is counted. */
static bool is_exact(enum metric m)
{
	return m == METRIC_POST_INSTR || m == METRIC_POLL_INSTR || m == METRIC_OP_INSTR ||
	       m == METRIC_FLOOR_INSTR;
}

/* What the kept repeats of the only row span; false: there are none, or one. */
static bool span_of_repeats(const struct side *s, const char *key, enum metric m,
			    struct value *v)
{
	struct json_object *repeats = NULL, *list = NULL;

	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->list[i].key, key) &&
		    json_object_object_get_ex(s->list[i].row, "repeats", &repeats))
			json_object_object_get_ex(repeats, metric_name(m), &list);
	if (!json_object_is_type(list, json_type_array) || json_object_array_length(list) < 2)
		return false;
	v->low = INFINITY;
	v->high = -INFINITY;
	for (size_t k = 0; k < json_object_array_length(list); k++) {
		double x = json_object_get_double(json_object_array_get_idx(list, k));

		v->low = fmin(v->low, x);
		v->high = fmax(v->high, x);
	}
	return true;
}

static struct value value_of(const struct side *s, const char *key, enum metric m)
{
	double *values = base_made(calloc(s->n + 1, sizeof(double))), low = INFINITY,
	       high = -INFINITY;
	struct value v = { NAN, NAN, NAN };
	double spread = NAN;
	unsigned int n = 0;

	for (size_t i = 0; i < s->n; i++) {
		double x = row_metric(s->list[i].row, metric_name(m));

		if (strcmp(s->list[i].key, key) || !isfinite(x))
			continue;
		values[n++] = x;
		spread = row_metric(s->list[i].row, metric_name(METRIC_SPREAD));
		low = fmin(low, x);
		high = fmax(high, x);
	}
	if (n)
		v.median = median(values, n);
	if (n > 1 || (n && is_exact(m))) {
		v.low = low;
		v.high = high;
	} else if (n && !span_of_repeats(s, key, m, &v) && is_of_repeats(m) &&
		   isfinite(spread)) {
		v.low = spread < HOPELESS ? v.median * (1 - spread / 2) : 0;
		v.high = v.median * (1 + spread / 2);
	}
	free(values);
	return v;
}

struct ratio compare_ratio(struct value a, struct value b)
{
	struct ratio r = { NAN, NAN, NAN };

	if (!(a.median > 0) || isnan(b.median))
		return r;
	r.b_to_a = b.median / a.median;
	if (isnan(a.low) || isnan(b.low))
		return r;
	r.low = b.low / a.high;
	r.high = a.low > 0 ? b.high / a.low : INFINITY;
	return r;
}

const char *compare_verdict(struct ratio r)
{
	if (isnan(r.low))
		return "";
	return r.low > 1	 ? "more"
	       : r.high < 1	 ? "less"
	       : r.low == r.high ? "the same"
				 : "within the spread";
}

/* ---- the test ---- */

enum { MAX_TESTED = 1000 };

/* The values of one side: one for each row, or the repeats of its only row. */
static unsigned int tested(const struct side *s, const char *key, enum metric m, double *to)
{
	struct json_object *repeats = NULL, *list = NULL, *only = NULL;
	unsigned int n = 0, k;

	for (size_t i = 0; i < s->n && n < MAX_TESTED; i++) {
		to[n] = row_metric(s->list[i].row, metric_name(m));
		if (strcmp(s->list[i].key, key) || !isfinite(to[n]))
			continue;
		only = n++ ? NULL : s->list[i].row;
	}
	if (!only || !json_object_object_get_ex(only, "repeats", &repeats) ||
	    !json_object_object_get_ex(repeats, metric_name(m), &list) ||
	    !json_object_is_type(list, json_type_array))
		return n;
	for (k = 0; k < json_object_array_length(list) && k < MAX_TESTED; k++)
		to[k] = json_object_get_double(json_object_array_get_idx(list, k));
	return k ? k : n;
}

static void test(struct match *m, const struct side *a, const struct side *b, const char *key,
		 enum metric k)
{
	static double values[2][MAX_TESTED];

	m->n[0][k] = tested(a, key, k, values[0]);
	m->n[1][k] = tested(b, key, k, values[1]);
	m->tests[k] = statistics_test(values[0], m->n[0][k], values[1], m->n[1][k]);
	if (m->n[0][k] < 2 || m->n[1][k] < 2)
		m->tests[k] = (struct test){ NAN, NAN };
}

/* ---- matching ---- */

/* Everything of both sides that has the key of @first. */
static void add_match(struct comparison *c, struct side *a, struct side *b, struct entry *first)
{
	struct entry *other = NULL;
	struct match *m;

	for (size_t i = 0; i < a->n; i++)
		a->list[i].used |= !strcmp(a->list[i].key, first->key);
	for (size_t i = 0; i < b->n; i++) {
		if (strcmp(b->list[i].key, first->key))
			continue;
		b->list[i].used = true;
		other = other ? other : &b->list[i];
		for (size_t k = 0; k < a->n; k++)
			if (!strcmp(a->list[k].key, first->key))
				environment_differences(a->list[k].from, b->list[i].from,
							c->unfair);
	}
	if (!other) {
		c->only_a++;
		return;
	}
	m = &c->list[c->n++];
	m->a = first->row;
	m->b = other->row;
	for (int k = 0; k < METRICS; k++) {
		m->values[0][k] = value_of(a, first->key, (enum metric)k);
		m->values[1][k] = value_of(b, first->key, (enum metric)k);
		test(m, a, b, first->key, (enum metric)k);
	}
}

static struct json_object *doubts_of(const struct records *all)
{
	struct json_object *to = json_object_new_object();

	for (size_t i = 0; i < all->n; i++)
		record_reasons(&all->list[i], to);
	return to;
}

void compare_make(struct comparison *c, const struct records *a, const struct records *b,
		  const struct ignored *skip)
{
	struct side sides[2] = { flatten(a, skip), flatten(b, skip) };

	*c = (struct comparison){ .unfair = json_object_new_object(),
				  .doubts = { doubts_of(a), doubts_of(b) } };
	c->list = base_made(calloc(sides[0].n + 1, sizeof(*c->list)));
	for (size_t i = 0; i < sides[0].n; i++)
		if (!sides[0].list[i].used)
			add_match(c, &sides[0], &sides[1], &sides[0].list[i]);
	for (size_t i = 0; i < sides[1].n; i++)
		c->only_b += !sides[1].list[i].used;
	free_side(&sides[0]);
	free_side(&sides[1]);
}

void compare_free(struct comparison *c)
{
	free(c->list);
	json_object_put(c->unfair);
	json_object_put(c->doubts[0]);
	json_object_put(c->doubts[1]);
}
