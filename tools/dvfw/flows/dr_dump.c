/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow dump FILE: what mlx5dv_dump_dr_domain() wrote, or DPDK's "flow dump", as tables.
 *
 *	lines "3100,0x5596,…" -> words by the form of their record -> JSON: domain > table > matcher > rule
 *	                                                              JSON -> text
 *
 * Each record names the one that it belongs to, which is above it. Records: rdma-core,
 * providers/mlx5/dr_dbg.c, of 44 and, with more words, of 56; DPDK, mlx5_flow_dv.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dr_dump.h"
#include "prm/prm.h"

enum { WORDS = 64 };

enum kind { NOTHING, DOMAIN, TABLE, MATCHER, RULE, KINDS };

static const char *const kind_names[] = { "", "domain", "table", "matcher", "rule" };

/* Objects that records below them may name. */
struct owners {
	struct owner {
		uint64_t id;
		struct json_object *object;
	} * at;
	size_t n, most;
};

struct reading {
	const struct dvfw *d;
	const char *name;
	unsigned int line;
	uint64_t number[WORDS];
	char *word[WORDS];
	size_t words;
	struct owners owners[KINDS];
	struct json_object *domains, *counters; /* counters: by the id of their action */
	int64_t lookups;			/* of the matcher, that are still to come */
};

static int refuse(const struct reading *r, const char *why)
{
	return dvfw_refused(r->d, "%s:%u: %s", r->name, r->line, why);
}

/* ---- words ---- */

static bool read_word(const char *word, int base, uint64_t *to)
{
	char *end;

	errno = 0;
	*to = base == 16 ? strtoull(word, &end, 16) : (uint64_t)strtoll(word, &end, 10);
	return *word && !*end && !errno && *word != ' ' && *word != '+' &&
	       (base == 10 || *word != '-');
}

/* The words after the number of the record, by a letter each: x and d are numbers, in hex and
 * not, w is any word; those after '?' may be missing; '*': any more. False: they are not. */
static bool read_words(struct reading *r, const char *form)
{
	bool may_end = false;
	size_t i = 1;

	for (; *form; form++) {
		if (*form == '*')
			return true;
		if (*form == '?') {
			may_end = true;
			continue;
		}
		if (i == r->words)
			return may_end;
		if (*form != 'w' &&
		    !read_word(r->word[i], *form == 'x' ? 16 : 10, &r->number[i]))
			return false;
		i++;
	}
	return i == r->words;
}

/* ---- owners ---- */

/* The latest is nearly always the one. */
static struct json_object *find(const struct reading *r, enum kind kind, uint64_t id)
{
	const struct owners *o = &r->owners[kind];

	for (size_t i = o->n; i-- > 0;)
		if (o->at[i].id == id)
			return o->at[i].object;
	return NULL;
}

static int own(struct reading *r, enum kind kind, struct json_object *object)
{
	struct owners *o = &r->owners[kind];

	if (o->n == o->most) {
		size_t most = o->most ? 2 * o->most : 64;
		struct owner *more = realloc(o->at, most * sizeof(*more));

		if (!more)
			return refuse(r, strerror(ENOMEM));
		o->at = more;
		o->most = most;
	}
	o->at[o->n++] = (struct owner){ r->number[1], object };
	return DVFW_OK;
}

/* A new member of the list @name of @parent, with the empty list @list. */
static struct json_object *add(struct json_object *parent, const char *name, const char *list)
{
	struct json_object *o = json_object_new_object();

	if (list)
		json_set(o, list, json_object_new_array());
	json_object_array_add(name ? json_get(parent, name) : parent, o);
	return o;
}

/* ---- masks ---- */

/* The library's struct dr_match_spec and so on: the dwords of fte_match_param in the byte order
 * of the host, and their fields from the lowest bit on. */
static void take_field(uint8_t *match, uint8_t *from, size_t bit, uint32_t width)
{
	uint64_t mask = ((1ull << width) - 1) << bit % 32, dword = 0;

	for (size_t i = 4; i-- > 0;)
		dword = dword << 8 | from[bit / 32 * 4 + i];
	prm_store(match, bit, width, (dword & mask) >> bit % 32);
	for (size_t i = 0; i < 4; i++)
		from[bit / 32 * 4 + i] &= (uint8_t) ~(mask >> 8 * i);
}

/* A union is an address, or GRE's key, of which the first member has the parts. */
static void take_fields(const struct prm_struct *s, uint8_t *match, uint8_t *from, size_t at)
{
	for (const struct prm_field *f = s->fields; f->name; f++) {
		if (f->type && f->type->is_union && f->type->bytes == 16)
			for (uint32_t i = 0; i < 128; i += 32)
				take_field(match, from, at + f->bit + i, 32);
		else if (f->type)
			take_fields(f->type, match, from, at + f->bit);
		else if (f->width <= 32 && !f->array)
			take_field(match, from, at + f->bit, f->width);
		if (s->is_union)
			break;
	}
}

/* The bytes of hex digits; false: others, or not @bytes of them. */
static bool read_hex(uint8_t *to, size_t bytes, const char *text)
{
	size_t n;

	return dump_parse(text, strlen(text), to, bytes, &n, NULL) && n == bytes &&
	       strlen(text) == 2 * bytes;
}

/* The parts in the order of the record: outer, inner, misc, misc2 … misc5. */
static int take_mask(struct reading *r, struct json_object *matcher)
{
	static const char *const part[] = { "outer_headers",	 "inner_headers",
					    "misc_parameters",	 "misc_parameters_2",
					    "misc_parameters_3", "misc_parameters_4",
					    "misc_parameters_5" };
	const struct prm_struct *param = prm_struct("fte_match_param");
	uint8_t match[PRM_SZ(fte_match_param)] = { 0 };
	uint8_t unnamed = 0;
	char text[8192];

	if (r->words < 2 + ARRAY_SIZE(part) || r->words > 3 + ARRAY_SIZE(part))
		return refuse(r, "a mask has seven parts");
	for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
		const struct prm_field *f = prm_field(param, part[i]);
		uint8_t bytes[64];

		if (!*r->word[2 + i])
			continue;
		if (!read_hex(bytes, f->type->bytes, r->word[2 + i]))
			return refuse(r, "a part of a mask is 64 bytes, 128 hex digits");
		take_fields(f->type, match + f->bit / 8, bytes, 0);
		for (size_t k = 0; k < sizeof(bytes); k++)
			unnamed |= bytes[k];
	}
	prm_format(text, sizeof(text) - 32, param, match, sizeof(match), PRM_LINE);
	if (unnamed)
		strcat(text, " and bits without a name");
	json_set(matcher, "mask", text);
	return DVFW_OK;
}

/* ---- actions ---- */

#define CHANGES 3402
#define JUMP	3405
#define COUNT	3406

/* Words after the ids of the action and its rule; which of them is shown, -1: none. */
static const struct action {
	uint16_t type;
	uint8_t words;
	int8_t shown;
	const char *name;
} actions[] = {
	{ 3400, 1, 0, "add an L2 tunnel, reformat context" },
	{ 3401, 1, 0, "add an L3 tunnel, reformat context" },
	{ CHANGES, 2, 0, "change headers, list" },
	{ 3403, 0, -1, "drop" },
	{ 3404, 1, 0, "qp number" },
	{ JUMP, 2, 0, "jump table" },
	{ COUNT, 1, 0, "count" },
	{ 3407, 1, 0, "tag value" },
	{ 3408, 1, 0, "vport" },
	{ 3409, 0, -1, "remove an L2 tunnel" },
	{ 3410, 1, 0, "remove an L3 tunnel, list" },
	{ 3411, 1, 0, "TIR at ICM address" },
	{ 3412, 1, 0, "of_push_vlan" },
	{ 3413, 0, -1, "of_pop_vlan" },
	{ 3414, 4, 1, "meter" },
	{ 3415, 5, 2, "sample" },
	{ 3416, 3, 0, "all destinations of table" },
	{ 3417, 1, 0, "first hit, ASO" },
	{ 3418, 1, 0, "meter, ASO" },
	{ 3419, 1, 0, "connection tracking, ASO" },
	{ 3423, 0, -1, "as without a rule" },
	{ 3424, 1, 0, "jump root table" },
};

/* From 56 on there are the changes of a pattern, too: how many, pattern, argument, each. */
static int take_changes(struct reading *r, struct json_object *action)
{
	char text[64];
	uint64_t n = r->words > 5 ? r->number[5] : 0;
	struct json_object *list;

	if (r->words == 5 || (r->words == 8 && !n))
		return DVFW_OK;
	if (r->words < 8 || r->words - 8 != n)
		return refuse(r, "not as many changes as it says");
	snprintf(text, sizeof(text), "%" PRIu64 " change%s of headers, argument 0x%" PRIx64, n,
		 n == 1 ? "" : "s", r->number[7]);
	json_set(action, "text", text);
	list = json_object_new_array();
	for (size_t i = 8; i < r->words; i++)
		json_object_array_add(list, json_object_new_string(r->word[i]));
	json_set(action, "changes", list);
	return DVFW_OK;
}

static int take_action(struct reading *r, const struct action *a)
{
	static const char numbers[] = "xxxxxxx";
	struct json_object *rule, *action;
	char text[128];

	if (r->lookups)
		return refuse(r, "lookups of the matcher are missing");
	if (!read_words(r, a->type == CHANGES ? "xxxx?xxx*"
					      : numbers + sizeof(numbers) - 1 - 2 - a->words))
		return refuse(r, "not the words of this action");
	rule = find(r, RULE, r->number[2]);
	if (!rule)
		return refuse(r, "there is no such rule above it");
	action = add(rule, "actions", NULL);
	if (a->shown < 0)
		snprintf(text, sizeof(text), "%s", a->name);
	else
		snprintf(text, sizeof(text), "%s 0x%" PRIx64, a->name, r->number[3 + a->shown]);
	json_set(action, "text", text);
	json_set(action, "id", r->number[1]);
	if (a->type == JUMP)
		json_set(action, "table", r->number[4]);
	return a->type == CHANGES ? take_changes(r, action) : DVFW_OK;
}

/* ---- records ---- */

static int take_type(struct reading *r, struct json_object *o, uint64_t type)
{
	const char *name = prm_value_name("FT_TYPE", type, NULL);

	if (!name)
		return refuse(r, "there is no such type of tables");
	json_set(o, "type", name);
	return DVFW_OK;
}

static int take_domain(struct reading *r)
{
	static const uint8_t types[] = { PRM_FT_TYPE_NIC_RX, PRM_FT_TYPE_NIC_TX,
					 PRM_FT_TYPE_FDB }; /* enum mlx5dv_dr_domain_type */
	struct json_object *o = add(r->domains, NULL, "tables");
	int status = take_type(
		r, o, r->number[2] < ARRAY_SIZE(types) ? types[r->number[2]] : UINT64_MAX);

	if (status)
		return status;
	json_set(o, "device", r->word[6]);
	json_set(o, "version", r->word[5]);
	if (r->words > 11)
		json_set(o, "format", r->number[11]);
	return own(r, DOMAIN, o);
}

static int take_table(struct reading *r)
{
	struct json_object *o = add(find(r, DOMAIN, r->number[2]), "tables", "matchers");

	int status = take_type(r, o, r->number[3]);

	if (status)
		return status;
	json_set(o, "level", r->number[4]);
	json_set(o, "line", r->line);
	return own(r, TABLE, o);
}

static int take_matcher(struct reading *r)
{
	struct json_object *o = add(find(r, TABLE, r->number[2]), "matchers", "rules");

	json_set(o, "priority", r->number[3]);
	json_set(o, "lookups", json_object_new_array());
	json_set(o, "line", r->line);
	return own(r, MATCHER, o);
}

static int take_mask_of(struct reading *r)
{
	return take_mask(r, find(r, MATCHER, r->number[1]));
}

static int take_lookups(struct reading *r)
{
	r->lookups = (int64_t)r->number[3];
	return DVFW_OK;
}

static int take_lookup(struct reading *r)
{
	struct json_object *o;

	if (!r->lookups--)
		return refuse(r, "the matcher has fewer lookups");
	o = add(find(r, MATCHER, r->number[1]), "lookups", NULL);
	json_set(o, "number", r->number[4]);
	json_set(o, "receive", (bool)r->number[3]);
	if ((int64_t)r->number[5] >= 0)
		json_set(o, "definer format", r->number[5]);
	return DVFW_OK;
}

static int take_rule(struct reading *r)
{
	struct json_object *o = add(find(r, MATCHER, r->number[2]), "rules", "entries");

	json_set(o, "actions", json_object_new_array());
	return own(r, RULE, o);
}

/* The library keeps no mask: 48 bytes, but 64 of an entry with a match definer. */
static int take_entry(struct reading *r)
{
	struct json_object *o;
	uint8_t bytes[64];

	if (!read_hex(bytes, 48, r->word[3]) &&
	    (r->number[0] < 3303 || !read_hex(bytes, 64, r->word[3])))
		return refuse(r, r->number[0] < 3303 ? "an entry of format 0 is 48 bytes"
						     : "an entry is 48 or 64 bytes");
	o = add(find(r, RULE, r->number[2]), "entries", NULL);
	json_set(o, "index", r->number[1]);
	json_set(o, "bytes", r->word[3]);
	return DVFW_OK;
}

/* A line of DPDK: packets and bytes of the counter of an action. */
static int take_counter(struct reading *r)
{
	struct json_object *o = json_object_new_object();
	char id[32];

	json_set(o, "packets", r->number[2]);
	json_set(o, "bytes", r->number[3]);
	snprintf(id, sizeof(id), "%" PRIx64, r->number[1]);
	json_set(r->counters, id, o);
	return DVFW_OK;
}

static const struct record {
	uint16_t type;
	uint8_t parent, kind; /* the word that names what it belongs to, and its kind */
	const char *form;
	int (*take)(struct reading *r); /* NULL: nothing of it is shown */
} records[] = {
	{ 3000, 0, NOTHING, "xdxdwwdddd?d", take_domain },
	{ 3001, 1, DOMAIN, "xwx", NULL },
	{ 3002, 1, DOMAIN, "xdwd", NULL },
	{ 3003, 1, DOMAIN, "xdxxx", NULL },
	{ 3004, 1, DOMAIN, "xxxxxdd", NULL },
	{ 3005, 2, DOMAIN, "xxxx", NULL },
	{ 3100, 2, DOMAIN, "xxdd", take_table },
	{ 3101, 1, TABLE, "xx", NULL },
	{ 3102, 1, TABLE, "xx", NULL },
	{ 3200, 2, TABLE, "xxd", take_matcher },
	{ 3202, 2, MATCHER, "xxdxxd", take_lookups },
	{ 3203, 2, MATCHER, "xxdxxd", take_lookups },
	{ 3204, 1, MATCHER, "xddxd", take_lookup },
	{ 3205, 1, MATCHER, "x*", take_mask_of },
	{ 3300, 2, MATCHER, "xx", take_rule },
	{ 3301, 2, RULE, "xxw", take_entry },
	{ 3302, 2, RULE, "xxw", take_entry },
	{ 3303, 2, RULE, "xxw", take_entry },
	{ 3304, 2, RULE, "xxw", take_entry },
	{ 4410, 0, NOTHING, "xw", NULL },
	{ 4420, 0, NOTHING, "xdw", NULL },
	{ 4430, 0, NOTHING, "xdd", take_counter },
};

static int take_record(struct reading *r, const struct record *rec)
{
	if (r->lookups && rec->type != 3204)
		return refuse(r, "lookups of the matcher are missing");
	if (!read_words(r, rec->form))
		return refuse(r, "not the words of this record");
	if (rec->parent && !find(r, rec->kind, r->number[rec->parent])) {
		char why[64];

		snprintf(why, sizeof(why), "there is no such %s above it",
			 kind_names[rec->kind]);
		return refuse(r, why);
	}
	return rec->take ? rec->take(r) : DVFW_OK;
}

static int take_line(struct reading *r, char *line)
{
	r->words = 0;
	for (char *word; (word = strsep(&line, ",")) && r->words < WORDS;)
		r->word[r->words++] = word;
	if (line)
		return refuse(r, "too many words");
	if (!read_word(r->word[0], 10, &r->number[0]))
		return refuse(r, "a record begins with its number, as 3000");
	for (const struct record *rec = records; rec < records + ARRAY_SIZE(records); rec++)
		if (rec->type == r->number[0])
			return take_record(r, rec);
	for (const struct action *a = actions; a < actions + ARRAY_SIZE(actions); a++)
		if (a->type == r->number[0])
			return take_action(r, a);
	return refuse(r, "a record of no known number");
}

static int read_lines(struct reading *r, FILE *f)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	int status = DVFW_OK;

	while (!status && (n = getline(&line, &size, f)) > 0) {
		r->line++;
		if (line[n - 1] != '\n' || memchr(line, 0, (size_t)n))
			status = refuse(r, "the line is cut off");
		line[n - 1] = 0;
		if (!status)
			status = take_line(r, line);
	}
	free(line);
	if (!status && ferror(f))
		status = dvfw_refused(r->d, "%s: %s", r->name, strerror(errno));
	if (!status && r->lookups)
		status = refuse(r, "the file ends before the lookups of its last matcher");
	if (!status && !json_object_array_length(r->domains))
		status = dvfw_refused(r->d, "%s: there is no domain in it", r->name);
	return status;
}

/* ---- the whole ---- */

static int order(struct json_object *a, struct json_object *b, const char *key)
{
	int64_t x = json_object_get_int64(json_get(a, key));
	int64_t y = json_object_get_int64(json_get(b, key));

	return x < y ? -1 : x > y;
}

static int by_level(const void *a, const void *b)
{
	struct json_object *x = *(struct json_object *const *)a,
			   *y = *(struct json_object *const *)b;
	int by = order(x, y, "level");

	return by ? by : order(x, y, "line");
}

static int by_priority(const void *a, const void *b)
{
	struct json_object *x = *(struct json_object *const *)a,
			   *y = *(struct json_object *const *)b;
	int by = order(x, y, "priority");

	return by ? by : order(x, y, "line");
}

/* Words of an action that depend on other lines: the level of a table, packets of a counter. */
static void finish_action(const struct reading *r, struct json_object *action)
{
	struct json_object *to = json_get(action, "table"), *counter;
	char text[64], id[32];

	if (to) {
		to = find(r, TABLE, json_object_get_uint64(to));
		json_object_object_del(action, "table");
	}
	if (to) {
		snprintf(text, sizeof(text), "jump level %s", json_text(to, "level"));
		json_set(action, "text", text);
	}
	snprintf(id, sizeof(id), "%" PRIx64, json_object_get_uint64(json_get(action, "id")));
	counter = json_get(r->counters, id);
	if (counter)
		json_set(action, "counted", json_object_get(counter));
	json_object_object_del(action, "id");
}

static void finish(const struct reading *r)
{
	EACH(d, domain, r->domains)
	{
		json_object_array_sort(json_get(domain, "tables"), by_level);
		EACH(t, table, json_get(domain, "tables"))
		{
			json_object_array_sort(json_get(table, "matchers"), by_priority);
			EACH(m, matcher, json_get(table, "matchers"))
			EACH(l, rule, json_get(matcher, "rules"))
			EACH(a, action, json_get(rule, "actions"))
			finish_action(r, action);
		}
	}
	for (enum kind kind = TABLE; kind <= MATCHER; kind++)
		for (size_t i = 0; i < r->owners[kind].n; i++)
			json_object_object_del(r->owners[kind].at[i].object, "line");
}

int flows_dr_dump(const struct dvfw *d, int n, char **word)
{
	bool standard = n == 1 && !strcmp(word[0], "-");
	struct reading r = { .d = d, .name = standard ? "standard input" : n ? word[0] : "" };
	FILE *f = standard ? stdin : n == 1 ? fopen(word[0], "re") : NULL;
	int status;

	if (n != 1)
		return dvfw_usage(
			d, "flow dump FILE, of mlx5dv_dump_dr_domain(); '-': standard input");
	if (!f)
		return dvfw_refused(d, "%s: %s", r.name, strerror(errno));
	r.domains = json_object_new_array();
	r.counters = json_object_new_object();
	status = read_lines(&r, f);
	if (!standard)
		fclose(f);
	if (!status)
		finish(&r);
	if (!status && d->json)
		dvfw_print_json(json_object_get(r.domains));
	else if (!status)
		dr_dump_print(d, r.domains);
	json_object_put(r.domains);
	json_object_put(r.counters);
	for (size_t i = 0; i < KINDS; i++)
		free(r.owners[i].at);
	return status;
}
