/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base: what the subcommands of dvfw share: errors and colour (output.c), the device
 * (device.c), and below arguments, results, dumps in hex, fwctl, probing, the terminal.
 *
 * One thread. Results go to standard output, everything else to standard error.
 */
#ifndef DVFW_BASE_H
#define DVFW_BASE_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <json-c/json.h>

#include "prm/array.h"
#include "devx/devx.h"
#include "near/near.h"
#include "prm/table.h"

struct ibv_context;

/* Exit statuses, and what every function that can fail returns. */
enum dvfw_exit {
	DVFW_OK = 0,
	DVFW_REFUSED = 1, /* by the device, the kernel, the system; or a check failed */
	DVFW_USAGE = 2,	  /* invalid request: unknown name, bad value … */
};

struct dvfw {
	const char *device;	 /* -d; NULL: the first mlx5 device */
	const char *via;	 /* --via: devx, fwctl; NULL: the available one */
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

/* Executes a general command on what dvfw_connect() opened: 0 or an errno value, EREMOTEIO: the
 * firmware refused. Any command by fwctl, of which the driver passes queries and registers. */
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
/* A row of a help: @left in @width columns, of which a character of UTF-8 takes one. */
void dvfw_help_row(size_t width, const char *left, const char *right);
double dvfw_now(void);

/* A number as JSON takes it: those above 2^63 are unsigned. */
struct json_object *dvfw_json_number(unsigned long long value);

/* Escape sequences; "" where colour is off. */
enum dvfw_paint {
	DVFW_PLAIN,
	DVFW_NAME,  /* names of fields, commands … */
	DVFW_WORD,  /* the meaning of a number */
	DVFW_FAINT, /* offsets, zeros */
	DVFW_GOOD,
	DVFW_WARN,
	DVFW_BAD,
};
const char *dvfw_paint(const struct dvfw *d, enum dvfw_paint paint);

/*
 * ---- arguments.c ----
 *
 * Options and arguments of a subcommand: a row per option, with the member of the request that
 * it sets, and one argp parser for all subcommands. The global options are its child parser, so
 * that
 * -d and --json may follow the name of the subcommand.
 *
 *	static const struct option_row options[] = {
 *		{ "all", 'a', NULL, "Show fields that are zero, too", offsetof(struct request, all) },
 *		{ "caps", 0, "FILE", "…", offsetof(struct request, caps) },
 *		{ 0 },
 *	};
 */

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

/* Parses @argv into @request and @word, of syntax->max entries; returns the number of
 * arguments. Exits with DVFW_USAGE if something is wrong, and for --help. */
int arguments_parse(const struct syntax *syntax, struct dvfw *d, int argc, char **argv,
		    void *request, char **word);

/*
 * ---- table.c ----
 *
 * Results: made once, as JSON; printed as that, or as a table by a list of columns.
 *
 *	row = json_object_new_object();
 *	json_set(row, "opcode", cmd->opcode);          { "opcode": 1280, "name": "CREATE_QP" }
 *	json_set(row, "name", cmd->name);              0x500  CREATE_QP
 *	table_add(&table, row);
 */

/* Sets a member of an object: text (NULL: null), a number, a truth value, or JSON, of which it
 * takes the reference. */
#define json_set(object, key, value) \
	_Generic((value),                                 \
		char *: json_set_text,                    \
		const char *: json_set_text,              \
		bool: json_set_bool,                      \
		double: json_set_double,                  \
		struct json_object *: json_set_reference, \
		default: json_set_number)(object, key, value)
void json_set_text(struct json_object *object, const char *key, const char *value);
void json_set_bool(struct json_object *object, const char *key, bool value);
void json_set_double(struct json_object *object, const char *key, double value);
void json_set_reference(struct json_object *object, const char *key, struct json_object *value);
void json_set_number(struct json_object *object, const char *key, unsigned long long value);

/* Bytes as hex digits. */
struct json_object *json_hex(const uint8_t *p, size_t n);

/* A member of a row: NULL where it is missing or null. */
struct json_object *json_get(struct json_object *object, const char *key);
/* Its text; "" where there is none. It is the row's. */
const char *json_text(struct json_object *object, const char *key);

/* A column of a table: what is printed of a member, in the order of COLUMN(). A list of them
 * ends with a row without a key. */
struct column {
	const char *before; /* in no colour */
	const char *key;
	/* Format of the value: %s for text, truth values and the words of an array; %llu or
	 * %llx; %f. */
	const char *format;
	enum dvfw_paint paint;
	enum dvfw_paint (*painted)(struct json_object *row); /* in place of paint */
	bool optional; /* nothing is printed of a value that is missing, null or 0; else it is "" or 0 */
};
#define COLUMN(text, member, form, ...)                                    \
	{                                                                  \
		.before = text, .key = member, .format = form, __VA_ARGS__ \
	}

/* Prints a row: as a line; as a line or --json, and drops the reference. */
void row_print(const struct dvfw *d, const struct column *columns, struct json_object *row);
void row_show(const struct dvfw *d, const struct column *columns, struct json_object *row);

struct table {
	const struct dvfw *d;
	const struct column *columns;
	struct json_object *rows; /* --json; else they are printed as they come */
};

void table_begin(struct table *t, const struct dvfw *d, const struct column *columns);
/* Takes the reference. */
void table_add(struct table *t, struct json_object *row);
/* Prints the rows as JSON, if they are not printed, unless @status says that the table is not
 * whole. Returns @status. */
int table_end(struct table *t, int status);

/*
 * ---- dump.c ----
 *
 * Bytes in hex as programs print them.
 *
 *	05000000 0000001a		hex digits, in words or not, "0x" or not
 *	0040: 05000000 001c: 12		dvfw and the PRM: an offset, a colon
 *	00000040: 0500 0000  ....	xxd; print_hex_dump() of the kernel; rte_hexdump() of DPDK
 *	00000040  05 00 00 00  |....|	hexdump -C, od -A x -t x1
 *	0000100 05 00 00 00		od -t x1: octal offsets
 *	0000040 0005 0000		hexdump: words of 16 bits in the byte order of x86
 *	[  12.345678] 00000040: 05 00	any of them after what dmesg, journal and syslog begin a line with
 *
 * Bytes that are left out between two offsets are zero; a line of "*" repeats the line before
 * it; "#" begins a comment.
 */

/* Where a text is not a dump, counted from 1, and why. */
struct dump_error {
	unsigned int line, character;
	const char *why;
};

/* False: *e says where and why; it may be NULL. */
bool dump_parse(const char *text, size_t length, uint8_t *bytes, size_t size, size_t *n,
		struct dump_error *e);

/* Bytes at the beginning of a line that are a log's, not the message's: time, host, "kernel:",
 * the device that dev_info() and ibdev_info() name. */
size_t dump_log_prefix(const char *line, size_t length);

/*
 * ---- fwctl.c ----
 *
 * Firmware commands through fwctl (Linux >= 6.15): /dev/fwctl/fwctlN of the driver mlx5_fwctl.
 *
 *	-d mlx5_0, -d fwctl0 -> fwctl_open -> fwctl_cmd -> firmware
 *
 * Its user context reaches the objects of all programs, but only by queries, and registers. A
 * command goes out in the least scope in which the driver passes it: first CONFIGURATION, then
 * DEBUG_READ_ONLY. DEBUG_WRITE, which taints the kernel, is only used for a command that is
 * known to need it.
 */

struct fwctl {
	int fd;
	char name[32]; /* "fwctl0" */
	uint32_t uid, caps;
	struct devx_error error; /* the latest refusal of the firmware */
};

/* @device: "fwctl0", an RDMA device, NULL: the first that is an mlx5 one. 0 or an errno value:
 * ENODEV if there is none. */
int fwctl_open(struct fwctl *f, const char *device);
void fwctl_close(struct fwctl *f);

/* 0; EREMOTEIO: the firmware refused, see f->error; EBADMSG: the driver passes no such command;
 * others: errno of the ioctl. Boxes as those of devx_cmd(). */
int fwctl_cmd(struct fwctl *f, const void *in, size_t in_len, void *out, size_t out_len);

/*
 * ---- probe.c ----
 *
 * Does this device execute a command? Asked in a way that changes nothing.
 */

struct ibv_context;

#define PROBE_YES "yes"
#define PROBE_NO  "no"
#define PROBE_NOT "not probed"

/* One of the three. */
const char *probe_command(struct ibv_context *ctx, const struct prm_cmd *cmd);

/*
 * ---- screen.c ----
 *
 * A terminal that is drawn again and again, and the wait between two drawings.
 */

/* Whether standard output is a terminal; then it is cleared, keys are read unbuffered and not
 * echoed, and screen_end(), which exit() calls too, puts all back. SIGINT and SIGTERM end the
 * wait from now on, terminal or not. */
bool screen_begin(void);
void screen_end(void);

/* Clears the screen and moves to the upper left corner. */
void screen_home(void);
/* Lines that fit; 0: no terminal. */
int screen_lines(void);

/* Waits. False: q or ^C was pressed, SIGTERM received, or the other end of the output
 * closed. */
bool screen_wait(double seconds);

/* Between them SIGINT and SIGTERM only end the wait; the second returns which it was, or 0. */
void screen_catch(void);
int screen_release(void);

#endif
