/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One argp parser for the subcommands, with the global options. An option without a letter has
 * the key of its row: FIRST_KEY is above all characters.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

/* ---- global options ---- */

enum { OPT_JSON = 0x1000, OPT_COLOR, OPT_VIA };

static const struct argp_option global_options[] = {
	{ "ib-dev", 'd', "DEV", 0,
	  "The device, as ibv_devices shows it, or fwctlN (default: the first)", -2 },
	{ "via", OPT_VIA, "PATH", 0,
	  "To the firmware: devx or fwctl (default: devx, fwctl if that is not there)", -2 },
	{ "json", OPT_JSON, NULL, 0, "Print JSON", -2 },
	{ "color", OPT_COLOR, "WHEN", 0, "auto (default), always or never", -2 },
	{ 0 },
};

bool arguments_color(struct dvfw *d, const char *when)
{
	if (!strcmp(when, "auto"))
		d->color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	else if (!strcmp(when, "always"))
		d->color = true;
	else if (!strcmp(when, "never"))
		d->color = false;
	else
		return false;
	return true;
}

static error_t take_global(int key, char *arg, struct argp_state *state)
{
	struct dvfw *d = state->input;

	switch (key) {
	case 'd':
		d->device = arg;
		return 0;
	case OPT_JSON:
		d->json = true;
		return 0;
	case OPT_COLOR:
		if (!arguments_color(d, arg))
			argp_failure(state, DVFW_USAGE, 0,
				     "--color is auto, always or never, not '%s'", arg);
		return 0;
	case OPT_VIA:
		if (strcmp(arg, "devx") && strcmp(arg, "fwctl"))
			argp_failure(state, DVFW_USAGE, 0, "--via is devx or fwctl, not '%s'",
				     arg);
		d->via = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp global_parser = { .options = global_options, .parser = take_global };

const struct argp_child arguments_globals[] = {
	{ &global_parser, 0, "Everywhere:", -2 },
	{ 0 },
};

/* ---- those of a subcommand ---- */

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
		.children = arguments_globals,
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
