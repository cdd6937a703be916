/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One argp parser for the subcommands. An option without a letter has the key of its row: FIRST_KEY
 * is above all characters.
 */
#include <stdbool.h>

#include "arguments.h"
#include "dvfw.h"

enum {
	FIRST_KEY = 0x100,
	OPTIONS_MAX = 16,
};

struct parse {
	const struct syntax *syntax;
	struct dvfw *dvfw;
	char *request;
	char **word;
	int words;
};

static int key_of(const struct option_row *options, size_t i)
{
	return options[i].letter ? options[i].letter : FIRST_KEY + (int)i;
}

static error_t take_option(struct parse *p, int key, char *value, struct argp_state *state)
{
	const struct option_row *options = p->syntax->options;

	for (size_t i = 0; options && options[i].name; i++) {
		void *member = p->request + options[i].member;

		if (key_of(options, i) != key)
			continue;
		if (options[i].read)
			options[i].read(state, value, member);
		else if (options[i].arg)
			*(const char **)member = value;
		else
			*(bool *)member = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t take_argument(struct parse *p, char *arg, struct argp_state *state)
{
	if (p->words < p->syntax->max) {
		p->word[p->words++] = arg;
		return 0;
	}
	if (!p->syntax->surplus)
		return ARGP_ERR_UNKNOWN;
	argp_error(state, "%s", p->syntax->surplus);
	return 0;
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = p->dvfw;
		return 0;
	case ARGP_KEY_ARG:
		return take_argument(p, arg, state);
	case ARGP_KEY_NO_ARGS:
		if (p->syntax->missing)
			argp_error(state, "%s", p->syntax->missing);
		return 0;
	default:
		return take_option(p, key, arg, state);
	}
}

int arguments_parse(const struct syntax *syntax, struct dvfw *d, int argc, char **argv,
		    void *request, char **word)
{
	struct parse p = { .syntax = syntax, .dvfw = d, .request = request, .word = word };
	struct argp_option options[OPTIONS_MAX + 1] = { 0 };
	const struct argp parser = {
		.options = options,
		.parser = take,
		.args_doc = syntax->args_doc,
		.doc = syntax->doc,
		.children = dvfw_globals,
	};

	for (size_t i = 0; syntax->options && syntax->options[i].name; i++) {
		const struct option_row *o = &syntax->options[i];

		options[i] = (struct argp_option){ .name = o->name,
						   .key = key_of(syntax->options, i),
						   .arg = o->arg,
						   .doc = o->help };
	}
	argp_parse(&parser, argc, argv, 0, NULL, &p);
	return p.words;
}
