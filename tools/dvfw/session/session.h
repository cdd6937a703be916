/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The session of a shell or a script: its variables, which exist until it ends.
 *
 *	pd = ALLOC_PD              an object of the device
 *	buf = umem 4096            memory, registered
 *	u = uar nc                 a page of doorbell registers
 *	e = eqn 0                  a number
 *	to = av 1 3                where a port and GID lead
 *
 *	$pd  $pd.id                its number         $out.qpc.state   of the latest outbox
 *	$cq.cq_context.uar_page    of its inbox or outbox when it was made
 */
#ifndef DVFW_SESSION_H
#define DVFW_SESSION_H

#include "base/base.h"
#include "box/box.h"
#include "devx/devx.h"
#include "devx/qp.h"
#include "devx/uar.h"
#include "devx/umem.h"
#include "flows/flows.h"

#define NAME_BYTES 32

enum variable_kind {
	VARIABLE_OBJECT,
	VARIABLE_UMEM,
	VARIABLE_UAR,
	VARIABLE_NUMBER,
	VARIABLE_AV
};

struct variable {
	char name[NAME_BYTES];
	enum variable_kind kind;
	struct variable *older;
	/* VARIABLE_OBJECT: with the boxes that made it */
	struct devx_obj obj;
	const struct prm_cmd *cmd;
	uint8_t *in, *out;
	size_t in_len, out_len;
	struct devx_umem umem;
	struct devx_uar uar;
	uint64_t number;
	struct devx_av av;
};

struct session {
	struct dvfw *dvfw;
	struct variable *newest;
	struct flows flows;
	struct exchange x; /* the latest command */
	struct show_options show;
	bool inbox; /* print inboxes too */
	bool write; /* registers may be written */
	bool quit;
};

struct variable *session_find(const struct session *s, const char *name);
/* NULL: no memory. The name is the caller's to check. */
struct variable *session_add(struct session *s, const char *name, enum variable_kind kind);
/* Destroys the variable and its object. DVFW_REFUSED: the device refuses, and both remain. */
int session_remove(struct session *s, struct variable *v);
/* Destroys everything, the newest first. */
int session_end(struct session *s);

/* An object's number, a umem's id, a UAR's page, a number. */
uint64_t variable_id(const struct variable *v);

/* Replaces every $name and $name.attribute. An exit status. */
int session_expand(const struct session *s, const char *word, char *to, size_t size);

/* Executes a line (session_line.c); an empty one and a comment do nothing. An exit status. */
int session_line(struct session *s, char *line);

/* Sends s->x and shows it; of creations only that they happened. @name: of the variable that it
 * makes or is about, or "". */
int session_send(struct session *s, struct devx_obj *obj, const char *name);
/* Results are JSON, and nothing else may be printed. */
bool session_quiet(const struct session *s);

/* First words of a line, for help and completion; ends with a row without a name. */
struct session_verb {
	const char *name, *args, *help;
	int (*run)(struct session *s, int n, char **word);
};
extern const struct session_verb session_verbs[];
extern const struct session_verb session_makers[]; /* NAME = … */

/* The name of an object alone: queries it; of what cannot be queried: says what may be
 * typed. */
int session_show(struct session *s, char *name);

/* Prepares s->x to query the object that word[0] names: NAME [COMMAND] [FIELD=VALUE…]. An exit
 * status. */
int session_question(struct session *s, int n, char **word, struct variable **v);

/* watch …; word[0] is "watch". */
int session_watch(struct session *s, int n, char **word);

/* Subcommands: rows of the table in main.c. */
int shell_run(struct dvfw *d, int argc, char **argv);
int run_run(struct dvfw *d, int argc, char **argv);

#endif
