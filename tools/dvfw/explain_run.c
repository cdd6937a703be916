/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw explain: what pasted lines and dumps say, what causes them, what to do next. Needs no device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "encode.h"
#include "explain.h"
#include "input.h"

#define TEXT_BYTES (8u << 20)
#define COMPARED   64 /* items before that may have the same causes and steps */

struct request {
	struct dvfw *dvfw;
	const char *kind; /* --kind */
	char *word[ARGUMENTS_MAX];
	int words;
};

/* ---- output ---- */

static void print_others(struct json_object *top)
{
	struct json_object *list = json_object_object_get(top, "first_not_understood");
	long n = (long)json_object_get_int64(json_object_object_get(top, "not_understood"));

	if (!n)
		return;
	printf("%ld line%s not understood%s\n", n, n > 1 ? "s were" : " was",
	       n > (long)json_object_array_length(list) ? ", the first of them:" : ":");
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *o = json_object_array_get_idx(list, i);

		printf("  %s: %s\n", json_object_get_string(json_object_object_get(o, "line")),
		       json_object_get_string(json_object_object_get(o, "text")));
	}
}

/* The first item of @items before number @i that says what to do as that one does; NULL: there is none. */
static struct json_object *said_before(struct json_object *items, size_t i)
{
	struct json_object *item = json_object_array_get_idx(items, i);

	for (size_t at = i > COMPARED ? i - COMPARED : 0; at < i; at++)
		if (item_advises_as(item, json_object_array_get_idx(items, at)))
			return json_object_array_get_idx(items, at);
	return NULL;
}

static int explain_text(const struct dvfw *d, const char *kind, const char *text, size_t n)
{
	struct json_object *top = explain_read(kind, text, n);
	struct json_object *items = json_object_object_get(top, "explained");
	int status = json_object_array_length(items) ? DVFW_OK : DVFW_REFUSED;

	if (d->json) {
		dvfw_print_json(top);
		return status;
	}
	for (size_t i = 0; i < json_object_array_length(items); i++) {
		item_print(d, json_object_array_get_idx(items, i), said_before(items, i));
		putchar('\n');
	}
	print_others(top);
	json_object_put(top);
	return status;
}

/* Bytes as a program wrote them, without a text around. */
static int explain_raw(const struct dvfw *d, const char *kind, const char *text, size_t n)
{
	size_t size = 3 * n + 1, used = 0;
	char *hex = malloc(size);
	int status;

	if (!hex)
		return dvfw_refused(d, "no memory");
	for (size_t i = 0; i < n; i++)
		used += (size_t)snprintf(hex + used, size - used, "%02x%s",
					 (unsigned char)text[i], i % 16 == 15 ? "\n" : " ");
	status = explain_text(d, kind, hex, used);
	free(hex);
	return status;
}

/* ---- the command line ---- */

static char *join_words(const struct request *r, size_t *n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, n);

	for (int i = 0; f && i < r->words; i++)
		fprintf(f, "%s%s", i ? " " : "", r->word[i]);
	if (f)
		fclose(f);
	return text;
}

static bool is_file(const char *name)
{
	return !access(name, F_OK);
}

/* Are all words files? A line hardly has such words only. */
static bool are_files(const struct request *r)
{
	int i = 0;

	while (i < r->words && is_file(r->word[i]))
		i++;
	return i == r->words;
}

static int explain(struct request *r)
{
	const char *name = r->words ? r->word[0] : "-";
	int status = DVFW_OK;
	bool is_text;
	size_t n = 0;
	char *text;

	if (r->kind && !bytes_kind(r->kind))
		return dvfw_usage(r->dvfw,
				  "there is no kind '%s': 'dvfw explain --help' lists them",
				  r->kind);
	if (!r->words && isatty(STDIN_FILENO))
		fprintf(stderr, "dvfw: paste the lines, then ^D\n");
	if (r->words > 1 && are_files(r))
		return dvfw_usage(r->dvfw, "one FILE at a time; of several: cat FILE... | dvfw "
					   "explain -");
	is_text = r->words > 1 || (r->words && strcmp(name, "-") && !is_file(name));
	if (is_text)
		text = join_words(r, &n);
	else
		text = input_text(r->dvfw, name, TEXT_BYTES, &n, &status);
	if (!text)
		return status ? status : dvfw_refused(r->dvfw, "no memory");
	if (!n)
		status = dvfw_usage(r->dvfw, "there is no text: dvfw explain FILE, or a pipe");
	else if (memchr(text, 0, n) && n <= BOX_BYTES)
		status = explain_raw(r->dvfw, r->kind, text, n);
	else
		status = explain_text(r->dvfw, r->kind, text, n);
	free(text);
	if (status == DVFW_REFUSED && is_text && r->words == 1 && !strpbrk(name, " \t\n"))
		fprintf(stderr, "dvfw: there is no file '%s', so it was read as a line\n",
			name);
	return status;
}

static const struct option_row options[] = {
	{ "kind", 'k', "KIND",
	  "What dumps are: cqe, eqe, wqe, ring, recv, inbox, outbox; wqe-rc, wqe-uc, wqe-ud, wqe-dci, "
	  "wqe-xrc, wqe-eth, ring-rc and so on, where the transport is not what it looks like",
	  offsetof(struct request, kind), NULL },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "[FILE|-|TEXT...]",
	.doc = "Says what lines of logs and dumps mean, what the likely causes are, and what to do "
	       "next: of the kernel, libmlx5, UCX, NCCL, NVSHMEM, perftest, Open MPI, DPDK, SPDK; "
	       "syndromes; CQEs, WQEs, EQEs in hex. Exit status 1: nothing is known in it.",
	.surplus = "more than 512 arguments: use a file, or standard input",
	.max = ARGUMENTS_MAX,
};

int explain_run(struct dvfw *d, int argc, char **argv)
{
	struct request r = { .dvfw = d };

	r.words = arguments_parse(&syntax, d, argc, argv, &r, r.word);
	return explain(&r);
}
