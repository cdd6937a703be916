/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw, the explorer of firmware commands: what its subcommands share.
 *
 *	dvfw [global option...] SUBCOMMAND [option...] [argument...]
 *	  main.c      global options, the table of subcommands
 *	  output.c    errors, colour, JSON
 *	  device.c    opening a device
 *	  NAME.c      one subcommand each: int NAME_run(struct dvfw *, argc, argv)
 *
 * A subcommand is a row of the table in main.c. Its options are rows for arguments.h.
 *
 * One thread. Results go to standard output, everything else to standard error.
 */
#ifndef DVFW_H
#define DVFW_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "near/near.h"

struct ibv_context;

/* Exit statuses, and what every function that can fail returns. */
enum dvfw_exit {
	DVFW_OK = 0,
	DVFW_REFUSED = 1, /* by the device, the kernel, the system; or a check failed */
	DVFW_USAGE = 2,	  /* what was asked for cannot be: unknown name, bad value … */
};

struct dvfw {
	const char *device;	 /* -d; NULL: the first mlx5 device */
	const char *via;	 /* --via: devx, fwctl; NULL: what there is */
	bool json;		 /* --json */
	bool color;		 /* paint what goes to standard output */
	struct ibv_context *ctx; /* dvfw_open() made it; main closes it */
	struct fwctl *fwctl;	 /* dvfw_connect() made it, if it was not ctx */
	const char *file;	 /* a script that runs: begins every error, with its line */
	unsigned int line;
};

struct dvfw_subcommand {
	const char *name, *help; /* help: one line */
	/* argv[0] is "dvfw NAME". Returns an exit status. */
	int (*run)(struct dvfw *d, int argc, char **argv);
};

/* Ends with a row without a name. */
extern const struct dvfw_subcommand dvfw_subcommands[];

/* Opens -d for DevX, once; d->ctx is the context. DVFW_OK, or DVFW_REFUSED and the error is
 * printed, with what to do about it. */
int dvfw_open(struct dvfw *d);

/* Opens it for commands without objects: for DevX, or where that fails, or on --via=fwctl, for
 * fwctl. The same statuses. */
int dvfw_connect(struct dvfw *d);
void dvfw_disconnect(struct dvfw *d);
/* Do commands go through fwctl? Before dvfw_connect(): are they meant to? */
bool dvfw_by_fwctl(const struct dvfw *d);

/* Executes a general command on what dvfw_connect() opened: 0 or an errno value, EREMOTEIO: the firmware
 * refused. Any command by fwctl, of which the driver passes queries and registers. */
int dvfw_command(struct dvfw *d, const void *in, size_t in_len, void *out, size_t out_len);

/* The latest refusal of dvfw_command() in words, as dvfw_refused() prints it. */
int dvfw_command_refused(const struct dvfw *d, const void *in, int err);

/* Print one line to standard error: "dvfw: …", or "SCRIPT:LINE: …"; and return the status. */
int dvfw_usage(const struct dvfw *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int dvfw_refused(const struct dvfw *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The latest refusal of libdvkit in words, as dvfw_refused() prints it. @err: the errno value
 * that the call returned. */
int dvfw_devx_refused(const struct dvfw *d, int err);

/* Prints @value as JSON to standard output and drops the reference. */
void dvfw_print_json(struct json_object *value);

/* Seconds, of the monotonic clock. */
double dvfw_now(void);

/* A number as JSON takes it: those above 2^63 are unsigned. */
struct json_object *dvfw_json_number(unsigned long long value);

/* Escape sequences; "" where colour is off. */
enum dvfw_paint {
	DVFW_PLAIN,
	DVFW_NAME,  /* names of fields, commands … */
	DVFW_WORD,  /* what a number means */
	DVFW_FAINT, /* offsets, zeros */
	DVFW_GOOD,
	DVFW_WARN,
	DVFW_BAD,
};
const char *dvfw_paint(const struct dvfw *d, enum dvfw_paint paint);

int list_run(struct dvfw *d, int argc, char **argv);
int layout_run(struct dvfw *d, int argc, char **argv);
int encode_run(struct dvfw *d, int argc, char **argv);
int decode_run(struct dvfw *d, int argc, char **argv);
int explain_run(struct dvfw *d, int argc, char **argv);
int cmd_run(struct dvfw *d, int argc, char **argv);
int shell_run(struct dvfw *d, int argc, char **argv);
int run_run(struct dvfw *d, int argc, char **argv);
int caps_run(struct dvfw *d, int argc, char **argv);
int check_run(struct dvfw *d, int argc, char **argv);
int flow_run(struct dvfw *d, int argc, char **argv);
int doctor_run(struct dvfw *d, int argc, char **argv);
int objects_run(struct dvfw *d, int argc, char **argv);
int reg_run(struct dvfw *d, int argc, char **argv);
int watch_run(struct dvfw *d, int argc, char **argv);
int rscdump_run(struct dvfw *d, int argc, char **argv);
int top_run(struct dvfw *d, int argc, char **argv);

#endif
