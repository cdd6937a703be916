/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options and arguments of a subcommand: a row per option, with the member of the request that it
 * sets, and one argp parser for all subcommands. The global options are its child parser, so that
 * -d and --json may follow the name of the subcommand.
 *
 *	static const struct option_row options[] = {
 *		{ "all", 'a', NULL, "Show fields that are zero, too", offsetof(struct request, all) },
 *		{ "caps", 0, "FILE", "…", offsetof(struct request, caps) },
 *		{ 0 },
 *	};
 */
#ifndef DVFW_ARGUMENTS_H
#define DVFW_ARGUMENTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

struct dvfw;

/* Ends with a row without a name. */
struct option_row {
	const char *name;
	char letter;	  /* 0: it has only a name */
	const char *arg;  /* name of its value; NULL: a flag */
	const char *help; /* one line */
	size_t member;	  /* offset in the request: a bool, or with a value a const char * */
	/* Reads a value that is not text; argp_error() refuses it. NULL: as above. */
	void (*read)(struct argp_state *state, const char *value, void *member);
};

#define ARGUMENTS_MAX 512

struct syntax {
	const struct option_row *options; /* NULL: none */
	const char *args_doc, *doc;	  /* as in struct argp */
	const char *missing;		  /* error without an argument; NULL: none is needed */
	const char *surplus;		  /* error with more than max; NULL: argp's */
	int max;			  /* arguments, up to ARGUMENTS_MAX */
};

/* The global options; the input of the parser is the struct dvfw. */
extern const struct argp_child arguments_globals[];
/* Takes --color. False: @when is not auto, always or never. */
bool arguments_color(struct dvfw *d, const char *when);

/* Parses @argv into @request and @word, of syntax->max entries; returns the number of arguments.
 * Exits with DVFW_USAGE if something is wrong, and for --help. */
int arguments_parse(const struct syntax *syntax, struct dvfw *d, int argc, char **argv,
		    void *request, char **word);

#endif
