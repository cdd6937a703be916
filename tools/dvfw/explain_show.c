/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Items of dvfw explain: made, and printed in words.
 *
 *	line 1: the firmware refused a command: CREATE_QP: bad parameter (fw_command)
 *	  command       CREATE_QP (0x500)
 *	  likely causes:
 *	    - …
 */
#include <stdio.h>
#include <string.h>

#include "explain.h"
#include "prm/visible.h"

struct json_object *item_new(const char *kind, const char *title)
{
	struct json_object *item = json_object_new_object();

	json_object_object_add(item, "kind", json_object_new_string(kind));
	json_object_object_add(item, "title", json_object_new_string(title));
	json_object_object_add(item, "facts", json_object_new_array());
	return item;
}

bool item_says(struct json_object *item, struct json_object *fact)
{
	struct json_object *facts = json_object_object_get(item, "facts");

	for (size_t i = 0; i < json_object_array_length(facts); i++)
		if (json_object_equal(json_object_array_get_idx(facts, i), fact))
			return true;
	return false;
}

void item_fact(struct json_object *item, const char *name, const char *fmt, ...)
{
	struct json_object *fact = json_object_new_object();
	char text[1024], safe[1100];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_object_object_add(fact, "name", json_object_new_string(name));
	json_object_object_add(fact, "text",
			       json_object_new_string(prm_visible(safe, sizeof(safe), text)));
	if (item_says(item, fact))
		json_object_put(fact);
	else
		json_object_array_add(json_object_object_get(item, "facts"), fact);
}

void item_summary(struct json_object *item, const char *fmt, ...)
{
	char text[160], safe[640];
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (n = strlen(text); n && text[n - 1] == ' '; n--)
		text[n - 1] = '\0';
	json_object_object_add(item, "summary",
			       json_object_new_string(prm_visible(safe, sizeof(safe), text)));
}

bool item_has(struct json_object *item, const char *name)
{
	struct json_object *facts = json_object_object_get(item, "facts");

	for (size_t i = 0; i < json_object_array_length(facts); i++) {
		struct json_object *fact = json_object_array_get_idx(facts, i);

		if (!strcmp(json_object_get_string(json_object_object_get(fact, "name")), name))
			return true;
	}
	return false;
}

static bool list_has(struct json_object *list, const char *text, size_t n)
{
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *one = json_object_array_get_idx(list, i);

		if ((size_t)json_object_get_string_len(one) == n &&
		    !memcmp(json_object_get_string(one), text, n))
			return true;
	}
	return false;
}

void item_list_first(struct json_object *item, const char *name, const char *text)
{
	struct json_object *old = json_object_get(json_object_object_get(item, name));

	json_object_object_del(item, name);
	item_list(item, name, text);
	for (size_t i = 0; old && i < json_object_array_length(old); i++)
		item_list(item, name,
			  json_object_get_string(json_object_array_get_idx(old, i)));
	json_object_put(old);
}

void item_list(struct json_object *item, const char *name, const char *text)
{
	bool all = !strcmp(name, "fields");
	struct json_object *list = json_object_object_get(item, name);

	if (text && *text && !list) {
		list = json_object_new_array();
		json_object_object_add(item, name, list);
	}
	while (text && *text) {
		size_t n = strcspn(text, "\n");

		if (n && (all || !list_has(list, text, n)))
			json_object_array_add(list, json_object_new_string_len(text, (int)n));
		text += n + (text[n] == '\n');
	}
}

static const char *text_of(struct json_object *o, const char *name)
{
	return json_object_get_string(json_object_object_get(o, name));
}

static void print_list(const struct dvfw *d, struct json_object *item, const char *name,
		       const char *heading, const char *mark)
{
	struct json_object *list = json_object_object_get(item, name);

	if (!list)
		return;
	if (*heading)
		printf("  %s%s:%s\n", dvfw_paint(d, DVFW_NAME), heading,
		       dvfw_paint(d, DVFW_PLAIN));
	for (size_t i = 0; i < json_object_array_length(list); i++)
		printf("    %s%s\n", mark,
		       json_object_get_string(json_object_array_get_idx(list, i)));
}

static void print_head(const struct dvfw *d, struct json_object *item)
{
	struct json_object *lines = json_object_object_get(item, "lines");
	long first = (long)json_object_get_int64(json_object_array_get_idx(lines, 0));
	long last = (long)json_object_get_int64(json_object_array_get_idx(lines, 1));
	long times = (long)json_object_get_int64(json_object_object_get(item, "times"));
	const char *summary = text_of(item, "summary");

	printf(first == last ? "line %ld: " : "lines %ld-%ld: ", first, last);
	printf("%s%s%s%s%s (%s)", dvfw_paint(d, DVFW_WORD), text_of(item, "title"),
	       summary ? ": " : "", summary ? summary : "", dvfw_paint(d, DVFW_PLAIN),
	       text_of(item, "kind"));
	printf(times > 1 ? ", %ld times\n" : "\n", times);
}

static bool same_list(struct json_object *a, struct json_object *b, const char *name)
{
	return json_object_equal(json_object_object_get(a, name),
				 json_object_object_get(b, name));
}

bool item_advises_as(struct json_object *a, struct json_object *b)
{
	return json_object_object_get(a, "causes") && same_list(a, b, "causes") &&
	       same_list(a, b, "steps");
}

static long line_of(struct json_object *item)
{
	struct json_object *lines = json_object_object_get(item, "lines");

	return (long)json_object_get_int64(json_object_array_get_idx(lines, 0));
}

void item_print(const struct dvfw *d, struct json_object *item, struct json_object *as)
{
	struct json_object *facts = json_object_object_get(item, "facts");

	print_head(d, item);
	for (size_t i = 0; i < json_object_array_length(facts); i++) {
		struct json_object *fact = json_object_array_get_idx(facts, i);

		printf("  %s%-14s%s %s\n", dvfw_paint(d, DVFW_FAINT), text_of(fact, "name"),
		       dvfw_paint(d, DVFW_PLAIN), text_of(fact, "text"));
	}
	print_list(d, item, "fields", "", "");
	if (as) {
		printf("  likely causes, next steps: those of line %ld\n", line_of(as));
	} else {
		print_list(d, item, "causes", "likely causes", "- ");
		print_list(d, item, "steps", "next steps", "- ");
	}
	print_list(d, item, "unknown", "not known", "- ");
}
