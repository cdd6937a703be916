/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flow rules of a session and the queues that they may lead to. They exist until they are
 * destroyed, or the session ends.
 *
 *	"queue index N"		a raw packet QP of dvfw, N below RULES_QUEUES
 *	"rss queues … end"	WQs of dvfw, the same numbers
 *	"qp number N"		one of these QPs
 *	"tir number $t", "devx_table id $t"	what the session made by CREATE_TIR, CREATE_FLOW_TABLE
 *
 * Queues count packets and discard them: all of their receive WQEs have one buffer.
 */
#ifndef DVFW_RULES_H
#define DVFW_RULES_H

#include <flow/flow.h>

#include "flows/flows.h"

enum {
	RULES_QUEUES = 8,
	RULES_PORTS = 4,     /* back ends */
	RULES_OBJECTS = 64,  /* TIRs, and tables, of a session */
	RULES_PACKET = 9600, /* bytes of the longest packet */
};

/* A rule of one of the ports, with a number of the session. */
struct rule {
	struct rule *next;
	unsigned int number;
	const char *backend;
	struct dv_flow *flow;
};

struct queue {
	struct ibv_qp *qp;
	struct ibv_wq *wq;
	uint32_t rqn, sqn; /* of the QP; the WQ's is wq_num */
	uint64_t packets, octets;
	uint32_t tag; /* of the latest packet */
};

struct rules {
	struct dvfw *dvfw;
	struct rule *first;
	unsigned int number; /* of the next rule */
	int signal;	     /* that ended the latest queues_wait(); 0: packets came */
	struct dv_flow_port *port[RULES_PORTS];
	/* targets */
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq_ex *cq;	/* of all queues */
	struct ibv_cq *send_cq; /* of queue 0 */
	struct queue queue[RULES_QUEUES];
	struct ibv_qp *qp[RULES_QUEUES];
	struct ibv_wq *wq[RULES_QUEUES];
	struct devx_obj none, *tir[RULES_OBJECTS], *table[RULES_OBJECTS];
	struct {
		uint8_t received[RULES_PACKET], sent[RULES_PACKET];
	} bytes; /* registered */
};

/* The rules with their queues, made when they are first needed. NULL: an error was printed. */
struct rules *rules_of(struct flows *f);
/* Installs the rule @text by the back end @backend, or if it is NULL by the first one that has
 * what the rule needs. An exit status; errors are printed. */
int rules_create(struct flows *f, const char *backend, const char *text, struct rule **made);
struct rule *rules_find(const struct rules *r, unsigned int number);
int rules_destroy(struct rules *r, struct rule *rule);

/* ---- queues (rules_queue.c) ---- */

int queues_open(struct rules *r);
void queues_close(struct rules *r);
/* Counts and discards what arrived. */
void queues_drain(struct rules *r);
/* Packets of all queues. */
uint64_t queues_packets(const struct rules *r);
/* Sends r->bytes.sent from queue 0 and waits for the CQE. */
int queues_send(struct rules *r, size_t len);
/* Until the queues have @packets (0: no limit), or SIGINT or SIGTERM arrives. @last: from then
 * on these are ignored, as the program is about to end. */
int queues_wait(struct rules *r, uint64_t packets, bool last);

/* ---- verbs ---- */

/* "flow trace …"; the words after it (flow_trace.c). */
int flows_trace(struct flows *f, int n, char **word);

/* ---- text (rule_text.c) ---- */

/* An error about a place in @text, or an item, is shown with it. */
void rule_point(const char *text, struct dv_flow_error *e);
/* The same, and the message. An exit status. */
int rule_refused(const struct dvfw *d, const char *text, struct dv_flow_error *e);
/* Canonical text, match value and mask. @device: compared with what it can match. */
int rule_explain(struct dvfw *d, const char *text, bool device);

#endif
