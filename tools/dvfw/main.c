/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw: firmware commands of mlx5 adapters, by name.
 *
 *	dvfw -d mlx5_0 --json caps GENERAL
 *	     '--- here -----' '- caps_run() -'
 *
 * The modules, each a folder with one public header, include downwards only:
 *
 *	main.c     the table of subcommands; each is int NAME_run(struct dvfw *, argc, argv) of a module;
 *	           explain is a script, tools/explain
 *	session    the shell and scripts: objects, variables      doctor   is DevX usable; check cross-vhca
 *	ask        one question: list, caps, cmd, reg, objects …   flows    flow rules, queues, trace
 *	box        inboxes and outboxes: from text, sent, shown
 *	caps       capabilities, of the device or of a dump
 *	names      what people type: commands, registers, fields, values; what they mean
 *	base       errors, arguments, results, the device, dumps in hex, the terminal
 *
 * The global options (base/arguments.c) are parsed here up to the subcommand, whose parser
 * takes the rest and these options once more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dvkit/version.h>

#include "ask/ask.h"
#include "base/base.h"
#include "doctor/doctor.h"
#include "flows/flows.h"
#include "libexec/libexec.h"
#include "names/names.h"
#include "session/session.h"

/* argp finds it by its name in the executable */
__attribute__((visibility("default"))) const char *argp_program_version = "dvfw " DVKIT_VERSION;

static int explain_run(struct dvfw *d, int argc, char **argv);

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
	.children = arguments_globals,
	.help_filter = filter_help,
};

/* A script: it gets the options that were before its name, too. */
static int explain_run(struct dvfw *d, int argc, char **argv)
{
	const char **all = calloc((size_t)argc + 3, sizeof(*all));
	int n = 0;

	if (!all)
		return dvfw_refused(d, "no memory");
	all[n++] = argv[0];
	all[n++] = d->color ? "--color=always" : "--color=never";
	if (d->json)
		all[n++] = "--json";
	memcpy(all + n, argv + 1, (size_t)argc * sizeof(*all)); /* and the NULL at the end */
	fprintf(stderr, "dvfw: %s\n", libexec_exec("explain/dvfw-explain", (char **)all));
	free(all);
	return DVFW_REFUSED;
}

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
	arguments_color(&d, "auto");
	argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &r);

	int status = run(&d, r.argc, r.argv);
	dvfw_disconnect(&d);
	if (fflush(stdout) || ferror(stdout)) {
		perror("dvfw: standard output");
		status = DVFW_REFUSED;
	}
	return status;
}
