/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw: firmware commands of mlx5 adapters, by name.
 *
 *	dvfw -d mlx5_0 --json caps GENERAL
 *	     '--- here -----' '- caps_run() -'
 *
 * The global options are parsed here up to the subcommand, whose parser takes the rest and
 * these options once more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dvkit/version.h>

#include "dvfw.h"

/* argp finds it by its name in the executable */
__attribute__((visibility("default"))) const char *argp_program_version = "dvfw " DVKIT_VERSION;

const struct dvfw_subcommand dvfw_subcommands[] = {
	{ "list", "names: commands, structs, objects, registers, values, and more", list_run },
	{ "layout", "the fields of a structure, and what they are for", layout_run },
	{ "encode", "fields to bytes", encode_run },
	{ "decode", "bytes to fields", decode_run },
	{ "explain", "what lines of logs and dumps mean: paste them", explain_run },
	{ "cmd", "one command: encoded, executed, decoded", cmd_run },
	{ "shell", "commands from the terminal; objects stay", shell_run },
	{ "run", "commands from a file", run_run },
	{ "doctor", "is DevX usable here, and why not", doctor_run },
	{ "check", "can two functions copy each other's memory, and why not", check_run },
	{ "caps", "capabilities; what differs from another device", caps_run },
	{ "flow", "flow rules: what they mean to the device; create them", flow_run },
	{ "reg", "a register: read, written", reg_run },
	{ "watch", "what changes in a register or an answer", watch_run },
	{ "objects", "the objects of all programs, through fwctl", objects_run },
	{ "rscdump", "objects as segments of the firmware, through fwctl", rscdump_run },
	{ "top", "counters and their rates, live", top_run },
	{ NULL, NULL, NULL },
};

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

static bool take_color(struct dvfw *d, const char *when)
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
		if (!take_color(d, arg))
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

const struct argp_child dvfw_globals[] = {
	{ &global_parser, 0, "Everywhere:", -2 },
	{ 0 },
};

struct request {
	struct dvfw *dvfw;
	int argc;
	char **argv; /* from the subcommand on */
};

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = r->dvfw;
		return 0;
	case ARGP_KEY_ARGS:
		r->argv = state->argv + state->next;
		r->argc = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no subcommand given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Subcommands with their help, after the options; argp frees the text. */
static char *filter_help(int key, const char *text, void *input)
{
	char *made = NULL;
	size_t size;

	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;

	FILE *f = open_memstream(&made, &size);
	if (!f)
		return (char *)text;
	fprintf(f, "Subcommands:\n");
	for (const struct dvfw_subcommand *s = dvfw_subcommands; s->name; s++)
		fprintf(f, "  %-10s %s\n", s->name, s->help);
	fprintf(f, "\nSee 'dvfw SUBCOMMAND --help' and dvfw(1).");
	fclose(f);
	return made;
}

static const struct argp parser = {
	.parser = take,
	.args_doc = "SUBCOMMAND [ARG...]",
	.doc = "Explores the firmware commands of mlx5 adapters: every field by its name.\v",
	.children = dvfw_globals,
	.help_filter = filter_help,
};

static const struct dvfw_subcommand *find(const char *name)
{
	for (const struct dvfw_subcommand *s = dvfw_subcommands; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

static int run(struct dvfw *d, int argc, char **argv)
{
	const struct dvfw_subcommand *sub = find(argv[0]);
	struct near near;
	char name[32];

	if (!sub) {
		near_begin(&near, argv[0]);
		for (sub = dvfw_subcommands; sub->name; sub++)
			near_offer(&near, sub->name);
		return dvfw_usage(d, "there is no subcommand '%s'%s", argv[0],
				  near_text(&near));
	}
	snprintf(name, sizeof(name), "dvfw %s", sub->name);
	argv[0] = name;
	return sub->run(d, argc, argv);
}

int main(int argc, char **argv)
{
	struct dvfw d = { 0 };
	struct request r = { .dvfw = &d };

	argp_err_exit_status = DVFW_USAGE;
	take_color(&d, "auto");
	argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &r);

	int status = run(&d, r.argc, r.argv);
	dvfw_disconnect(&d);
	if (fflush(stdout) || ferror(stdout)) {
		perror("dvfw: standard output");
		status = DVFW_REFUSED;
	}
	return status;
}
