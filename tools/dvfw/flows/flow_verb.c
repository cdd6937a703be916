/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flow …: rules, with the words of testpmd. Its port number may be there and has no meaning:
 *
 *	flow create [--backend=NAME] [0] RULE
 *	flow destroy [0 rule] 3	flow query [0] 3 [count]	flow list [0]
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <flow/list.h>

#include "base/base.h"
#include "names/names.h"
#include "packet.h"
#include "prm/prm.h"
#include "prm/table.h"
#include "rules.h"

struct flow_verb {
	const char *name, *args, *help;
	int (*run)(struct flows *f, int n, char **word); /* the words after the verb */
};

/* ---- words ---- */

static bool is_number(const char *word)
{
	uint64_t v;

	return parse_number(word, &v);
}

/* A number that is alone, or follows the port, as in "0 rule 3", "0 3". */
static void skip_port(int *n, char ***word)
{
	bool rule = *n > 1 && is_number((*word)[0]) && !strcmp((*word)[1], "rule");

	if (rule || (*n > 2 && !strcmp((*word)[2], "count"))) {
		++*word;
		--*n;
	}
	if (*n && !strcmp((*word)[0], "rule")) {
		++*word;
		--*n;
	}
}

static int find_rule(const struct flows *f, const char *word, struct rule **rule)
{
	uint64_t number;

	if (!parse_number(word, &number) || number > UINT_MAX)
		return dvfw_usage(f->dvfw, "'%s' is not the number of a rule", word);
	*rule = rules_find(f->rules, (unsigned int)number);
	return *rule ? DVFW_OK
		     : dvfw_usage(f->dvfw, "there is no rule %llu", (unsigned long long)number);
}

/* "--backend=NAME" or "--backend NAME" before a rule. */
static int take_backend(const struct flows *f, int *n, char ***word, const char **backend)
{
	static const char option[] = "--backend";
	size_t len = sizeof(option) - 1;

	while (*n && !strncmp((*word)[0], "--", 2)) {
		if (strncmp((*word)[0], option, len) ||
		    ((*word)[0][len] && (*word)[0][len] != '='))
			return dvfw_usage(f->dvfw, "there is no option '%s'; --backend=NAME",
					  (*word)[0]);
		if (!(*word)[0][len] && *n < 2)
			return dvfw_usage(f->dvfw, "--backend: which?");
		*backend = (*word)[0][len] ? (*word)[0] + len + 1 : (*word)[1];
		*n -= (*word)[0][len] ? 1 : 2;
		*word += (*word)[0][len] ? 1 : 2;
	}
	return DVFW_OK;
}

static int take_text(const struct flows *f, int n, char **word, char text[RULES_TEXT])
{
	bool port = n && is_number(word[0]);

	if (n - port < 1)
		return dvfw_usage(f->dvfw,
				  "which rule? as in: ingress pattern eth / ipv4 / end "
				  "actions drop / end");
	return rule_join(text, word + port, n - port)
		       ? DVFW_OK
		       : dvfw_usage(f->dvfw, "the rule has more than %d characters",
				    RULES_TEXT - 1);
}

/* ---- printing ---- */

static const char *text_of(const struct rule *rule)
{
	static char text[FLOW_TEXT_MAX];
	struct dv_flow_rule r;

	dv_flow_rule_of(&r, rule->flow);
	dv_flow_print(&r, text, sizeof(text));
	return text;
}

static const struct column rule_columns[] = {
	COLUMN("", "rule", "rule %llu", .paint = DVFW_NAME),
	COLUMN(" ", "backend", "%s:", .paint = DVFW_WORD),
	COLUMN(" ", "text", "%s"),
	{ 0 },
};

static struct json_object *rule_row(const struct rule *rule)
{
	struct json_object *row = json_object_new_object();

	json_set(row, "rule", rule->number);
	json_set(row, "backend", rule->backend);
	json_set(row, "text", text_of(rule));
	return row;
}

/* ---- verbs ---- */

static int create(struct flows *f, int n, char **word)
{
	char text[RULES_TEXT];
	const char *backend = NULL;
	struct rule *rule;
	int status = take_backend(f, &n, &word, &backend);

	if (!status)
		status = take_text(f, n, word, text);
	if (!status)
		status = rules_create(f, backend, text, &rule);
	if (!status)
		row_show(f->dvfw, rule_columns, rule_row(rule));
	return status;
}

static int validate(struct flows *f, int n, char **word)
{
	char text[RULES_TEXT];
	int status = take_text(f, n, word, text);

	return status ? status : rule_explain(f->dvfw, text, true);
}

static int destroy(struct flows *f, int n, char **word)
{
	struct rule *rule;
	int status = DVFW_OK;

	skip_port(&n, &word);
	if (!n)
		return dvfw_usage(f->dvfw, "flow destroy N…; flow flush destroys all");
	for (int i = 0; i < n && !status; i++) {
		if (!strcmp(word[i], "rule")) /* testpmd: rule 3 rule 4 */
			continue;
		status = find_rule(f, word[i], &rule);
		if (!status)
			status = rules_destroy(f->rules, rule);
	}
	return status;
}

/* The latest first: an earlier one may be what leads to its table. */
static int flush(struct flows *f, int n, char **word)
{
	int status = DVFW_OK;

	(void)n;
	(void)word;
	while (f->rules && f->rules->first && !status) {
		struct rule *last = f->rules->first;

		while (last->next)
			last = last->next;
		status = rules_destroy(f->rules, last);
	}
	return status;
}

static int list(struct flows *f, int n, char **word)
{
	struct table t;

	(void)n;
	(void)word;
	table_begin(&t, f->dvfw, rule_columns);
	for (struct rule *rule = f->rules ? f->rules->first : NULL; rule; rule = rule->next)
		table_add(&t, rule_row(rule));
	return table_end(&t, DVFW_OK);
}

static int query_rule(struct flows *f, const struct rule *rule)
{
	static const struct column columns[] = {
		COLUMN("", "rule", "rule %llu: "),
		COLUMN("", "packets", "%llu packets, "),
		COLUMN("", "bytes", "%llu bytes"),
		{ 0 },
	};
	struct devx_flow_count count;
	struct json_object *row;
	int err = dv_flow_query(rule->flow, &count);

	if (err == EINVAL)
		return dvfw_usage(f->dvfw, "rule %u has no action count", rule->number);
	if (err)
		return dvfw_refused(f->dvfw, "rule %u: %s", rule->number, strerror(err));
	row = json_object_new_object();
	json_set(row, "rule", rule->number);
	json_set(row, "packets", count.packets);
	json_set(row, "bytes", count.octets);
	row_show(f->dvfw, columns, row);
	return DVFW_OK;
}

static bool counts(const struct rule *rule)
{
	struct dv_flow_rule r;

	dv_flow_rule_of(&r, rule->flow);
	for (unsigned int i = 0; i < r.actions; i++)
		if (r.action[i].type == FLOW_ACTION_COUNT)
			return true;
	return false;
}

/* Without numbers: of all rules that count. */
static int query(struct flows *f, int n, char **word)
{
	struct rule *rule = f->rules ? f->rules->first : NULL;
	int status = DVFW_OK;

	skip_port(&n, &word);
	if (n && !strcmp(word[n - 1], "count"))
		n--;
	for (int i = 0; i < n && !status; i++) {
		status = find_rule(f, word[i], &rule);
		if (!status)
			status = query_rule(f, rule);
	}
	for (; !n && rule && !status; rule = rule->next)
		if (counts(rule))
			status = query_rule(f, rule);
	return status;
}

static int dump(struct flows *f, int n, char **word)
{
	FILE *to = n ? fopen(word[0], "w") : stdout;
	int err = to ? 0 : errno;

	for (struct rule *rule = f->rules ? f->rules->first : NULL; rule && !err;
	     rule = rule->next)
		if (fprintf(to, "flow create 0 %s\n", text_of(rule)) < 0)
			err = EIO;
	if (n && to && fclose(to) && !err)
		err = errno;
	return err ? dvfw_refused(f->dvfw, "%s: %s", n ? word[0] : "standard output",
				  strerror(err))
		   : DVFW_OK;
}

/* ---- tables and queues ---- */

enum { TABLES = 1024 };

static void add_tables(struct table *to, const struct dv_flow_port *port, const char *backend)
{
	static struct dv_flow_table table[TABLES];
	unsigned int n = dv_flow_tables(port, table, TABLES);

	for (const struct dv_flow_table *t = table; t < table + (n < TABLES ? n : TABLES);
	     t++) {
		struct json_object *row = json_object_new_object();

		json_set(row, "backend", backend);
		json_set(row, "id", t->id);
		json_set(row, "type", prm_value_name("FT_TYPE", t->type, NULL));
		json_set(row, "level", t->level);
		json_set(row, "group", t->group);
		json_set(row, "size", t->size);
		json_set(row, "rules", t->rules);
		json_set(row, "jumps", t->jumps);
		table_add(to, row);
	}
}

static int tables(struct flows *f, int n, char **word)
{
	static const struct column columns[] = {
		COLUMN("", "backend", "%s: "),
		COLUMN("", "id", "table 0x%llx, ", .optional = true),
		COLUMN("", "type", "%s, "),
		COLUMN("", "group", "group %llu, "),
		COLUMN("", "level", "level %llu, "),
		COLUMN("", "size", "%llu entries, ", .optional = true),
		COLUMN("", "rules", "%llu rules, "),
		COLUMN("", "jumps", "%llu lead to it"),
		{ 0 },
	};
	struct table t;

	(void)n;
	(void)word;
	table_begin(&t, f->dvfw, columns);
	for (unsigned int i = 0; f->rules && i < RULES_PORTS; i++)
		if (f->rules->port[i])
			add_tables(&t, f->rules->port[i], dv_flow_backend_name(i));
	return table_end(&t, DVFW_OK);
}

static struct json_object *queue_row(unsigned int i, const struct queue *q)
{
	struct json_object *row = json_object_new_object();

	json_set(row, "queue", i);
	json_set(row, "qp", q->qp->qp_num);
	json_set(row, "wq", q->wq->wq_num);
	json_set(row, "packets", q->packets);
	json_set(row, "bytes", q->octets);
	json_set(row, "tag", q->tag);
	return row;
}

static int queues(struct flows *f, int n, char **word)
{
	static const struct column columns[] = {
		COLUMN("", "queue", "queue %llu: "),
		COLUMN("", "qp", "QP %llu, "),
		COLUMN("", "wq", "WQ %llu: "),
		COLUMN("", "packets", "%llu packets, "),
		COLUMN("", "bytes", "%llu bytes"),
		COLUMN("", "tag", ", the latest with tag 0x%llx", .optional = true),
		{ 0 },
	};
	struct rules *r = rules_of(f);
	struct table t;

	(void)n;
	(void)word;
	if (!r)
		return DVFW_REFUSED;
	queues_drain(r);
	table_begin(&t, f->dvfw, columns);
	for (unsigned int i = 0; i < RULES_QUEUES; i++)
		table_add(&t, queue_row(i, &r->queue[i]));
	return table_end(&t, DVFW_OK);
}

static int wait(struct flows *f, int n, char **word)
{
	struct rules *r = rules_of(f);
	uint64_t packets = 0;
	int status;

	if (!r)
		return DVFW_REFUSED;
	if (n > 1 || (n && (!parse_number(word[0], &packets) || !packets)))
		return dvfw_usage(f->dvfw, "flow wait [PACKETS]");
	status = queues_wait(r, packets, false);
	f->stopped |= r->signal == SIGTERM;
	return status;
}

/* From queue 0; it comes back if it is for the port. */
static int send(struct flows *f, int n, char **word)
{
	struct rules *r = rules_of(f);
	size_t len;
	int status;

	if (!r)
		return DVFW_REFUSED;
	status = packet_read(f->dvfw, n, word, r->bytes.sent, RULES_PACKET, &len);
	return status ? status : queues_send(r, len);
}

static int help(struct flows *f, int n, char **word);

static const struct flow_verb verbs[] = {
	{ "create", "[--backend=NAME] RULE", "installs a rule", create },
	{ "validate", "RULE", "what it means to the device, and if that can match it",
	  validate },
	{ "explain", "RULE", "the same", validate },
	{ "destroy", "N…", "removes rules", destroy },
	{ "flush", "", "removes all", flush },
	{ "list", "", "the rules", list },
	{ "query", "[N…]", "packets and bytes of rules with the action count", query },
	{ "dump", "[FILE]", "the rules as lines that can be read again", dump },
	{ "tables", "", "flow tables of the rules", tables },
	{ "queues", "", "what came to the queues", queues },
	{ "trace", "[tx] [any] PACKET", "table by table, why a packet goes where it goes",
	  flows_trace },
	{ "send", "PACKET", "from queue 0: hex digits, or FILE[:N]", send },
	{ "wait", "[PACKETS]", "until that many came to the queues in all, or ^C", wait },
	{ "help", "", "this", help },
	{ 0 },
};

static int help(struct flows *f, int n, char **word)
{
	char left[64];

	(void)f;
	(void)n;
	(void)word;
	for (const struct flow_verb *v = verbs; v->name; v++) {
		snprintf(left, sizeof(left), "flow %s %s", v->name, v->args);
		dvfw_help_row(36, left, v->help);
	}
	printf("Queues 0 to %d (queue index N, rss queues N … end, qp number N) count packets and "
	       "discard them.\n",
	       RULES_QUEUES - 1);
	return DVFW_OK;
}

const char *flows_verb_name(unsigned int i)
{
	return i < ARRAY_SIZE(verbs) ? verbs[i].name : NULL;
}

int flows_verb(struct flows *f, int n, char **word)
{
	struct near near;

	if (n < 2)
		return dvfw_usage(f->dvfw, "flow what? 'flow help' lists it");
	if (f->rules)
		queues_drain(f->rules);
	near_begin(&near, word[1]);
	for (const struct flow_verb *v = verbs; v->name; v++) {
		if (!strcmp(v->name, word[1]))
			return v->run(f, n - 2, word + 2);
		near_offer(&near, v->name);
	}
	return dvfw_usage(f->dvfw, "flow has no '%s'%s", word[1], near_text(&near));
}
