/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw explain: what its files share. A pasted text becomes items, in the form that --json prints:
 *
 *	{ "kind": "fw_command", "title": "…", "summary": "…", "lines": [1, 1], "times": 1,
 *	  "facts": [ { "name": "command", "text": "CREATE_QP (0x500)" } ], "fields": [ "…" ],
 *	  "causes": [ "…" ], "steps": [ "…" ], "unknown": [ "…" ] }
 *
 *	explain_run.c    the command line
 *	explain.c        the text: its lines, which of them belong together
 *	explain_line.c   a line of a log: the patterns of explain_line.def
 *	explain_fact.c   what a number says: explain_fact.def and the tables of the library
 *	explain_program.c  the same, of one program
 *	explain_bytes.c  a dump: which structure it is, its fields
 *	explain_show.c   an item in words
 */
#ifndef DVFW_EXPLAIN_H
#define DVFW_EXPLAIN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dv/print.h>

#include "dvfw.h"

/* What --json prints of a text: { "explained": [item …], "not_understood": lines,
 * "first_not_understood": [ { "line", "text" } … ] }. @kind: of dumps (bytes_kinds), or NULL. */
struct json_object *explain_read(const char *kind, const char *text, size_t n);

/* ---- items ---- */

struct json_object *item_new(const char *kind, const char *title);
/* Adds a fact, once. Text from outside becomes printable. */
void item_fact(struct json_object *item, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* What happened, in a few words: it follows the title. Of several the last one. */
void item_summary(struct json_object *item, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Whether the item has a fact of this name. */
bool item_has(struct json_object *item, const char *name);
/* Adds the lines of @text to the list "causes", "steps", "unknown" or "fields"; a line that a list of
 * the first three has already is left out. */
void item_list(struct json_object *item, const char *list, const char *text);
/* The same, before the lines that are there. */
void item_list_first(struct json_object *item, const char *list, const char *text);
/* Whether the item has this fact: a line and the dump after it often say the same. */
bool item_says(struct json_object *item, struct json_object *fact);
/* Prints it in words; @as: an item before that has the same causes and steps, or NULL. */
void item_print(const struct dvfw *d, struct json_object *item, struct json_object *as);
/* Whether both have the same causes and steps, and any. */
bool item_advises_as(struct json_object *a, struct json_object *b);

/* ---- facts ---- */

/* What is known while the facts of a line are added: a syndrome depends on its command. */
struct facts {
	struct json_object *item;
	uint16_t opcode;
	char call[40];	/* of libibverbs, that failed; "": none */
	int error;	/* its errno */
	uint8_t vendor; /* syndrome of a completion, 0: none */
	char event[32]; /* of rdma_cm, without RDMA_CM_EVENT_; "": none */
	int cm_status;	/* that came with it */
};

/* Adds what @text, the value that a line has for @name (a name of explain_line.def), says. */
void fact_add(struct facts *f, const char *name, const char *text);
/* After the last one: adds what they say together. */
void facts_end(struct facts *f);
void fact_cqe_syndrome(struct facts *f, uint8_t syndrome);
void fact_vendor(struct facts *f, unsigned int vendor);
/* The status of a work completion in a text of ibv_wc_status_str(), or "IBV_WC_…". False: none is
 * there. */
bool fact_wc_text(struct facts *f, const char *line);
/* The vendor's error in any text: "vendor_err 0x52", "vend 0x81". */
void fact_vendor_text(struct facts *f, const char *line);
/* The device in any text: "0000:03:00.0", "mlx5_0". */
void fact_device_text(struct facts *f, const char *line);

/* Of one program: numbers in decimal, and what UCX prints of a WQE. */
void fact_spdk_type(struct facts *f, const char *text);
void fact_mooncake_opcode(struct facts *f, const char *text);
void fact_pci_channel(struct facts *f, const char *text);
void fact_flow_error(struct facts *f, const char *text);
void fact_ucx_wqe(struct facts *f, const char *text);

/* Events of rdma_cm: "REJECTED", and what came with it: a negative errno, or of REJECTED a reason. */
void fact_cm_event(struct facts *f, const char *text);
void fact_cm_status(struct facts *f, const char *text);
/* After both. */
void fact_cm_end(struct facts *f);

/* ---- lines ---- */

/* A row of explain_line.def. */
struct line_pattern {
	const char *kind, *title;
	bool joins;	  /* adds to the item of the line before, if that is of the same kind */
	const char *dump; /* what a dump in the lines that follow is, or NULL */
	const char *word; /* every line that matches has it */
	const char *pattern; /* an extended regular expression, any case */
	const char *names;   /* of its groups, with blanks between; "-": not wanted */
	const char *causes, *steps;
};

/* Finds the first row that matches @line, and puts the facts into a new item. @after: the kind of the item before, to
 * which rows add that join it, if one of them matches; NULL: there is none. *@row is that row, or NULL for a line of which
 * only the status of a work completion is known. */
struct json_object *line_explain(const char *line, const char *after,
				 const struct line_pattern **row);

/* ---- dumps ---- */

/* What --kind and explain_line.def call structures; NULL: there is no such kind. */
struct bytes_kind {
	const char *name, *help;
	enum dv_transport transport; /* of WQEs */
};
extern const struct bytes_kind bytes_kinds[];
const struct bytes_kind *bytes_kind(const char *name);

/* The transport of WQEs of @kind: the one that it names, or what they look like. */
enum dv_transport bytes_transport(const struct bytes_kind *kind, const uint8_t *p, size_t n);
const char *bytes_transport_name(enum dv_transport t);

/* What the bytes are most likely; NULL: none that is known. */
const char *bytes_guess(const uint8_t *p, size_t n);

/* Adds what the bytes say as structure @kind. */
void bytes_explain(struct facts *f, const char *kind, const uint8_t *p, size_t n);

/* The text of dv_*_format() in one piece, for all kinds; free(). NULL: @n bytes are too few. */
char *bytes_fields(const struct bytes_kind *kind, const uint8_t *p, size_t n);

#endif
