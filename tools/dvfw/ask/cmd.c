/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw cmd: one command, by name.
 *
 *	words -> inbox -> (--dry-run: check and stop) -> device -> outbox
 *
 * A command that makes an object makes it, shows it and destroys it; the shell and scripts
 * keep objects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "box/box.h"
#include "devx/devx.h"
#include "names/names.h"

struct request {
	struct dvfw *dvfw;
	struct show_options show;
	bool dry, write;
	const char *caps;  /* --caps FILE */
	const char *inbox; /* --inbox HEX|FILE|- */
	char *word[ARGUMENTS_MAX];
	int words;
};

static void print_verdict(const struct dvfw *d, int n, bool capabilities)
{
	if (!capabilities)
		printf("capabilities were not checked: give --caps FILE, or a device with -d\n");
	if (!n)
		printf("%snothing is known to be wrong with it%s\n", dvfw_paint(d, DVFW_GOOD),
		       dvfw_paint(d, DVFW_PLAIN));
}

/* Where the capabilities for @cmd come from: a file, a device that is named, or nowhere. */
static int find_capabilities(const struct request *r, const struct prm_cmd *cmd,
			     struct capability_source *caps)
{
	struct dvfw *d = r->dvfw;

	if (r->caps)
		return capability_open(d, caps, r->caps);
	if (!check_asks_capabilities(cmd) || !(d->device || d->via))
		return DVFW_OK;
	if (dvfw_connect(d))
		return dvfw_refused(d,
				    "of the device a dry run of %s needs only the "
				    "capabilities: give them with --caps FILE, or leave out %s",
				    cmd->name, d->device ? "-d" : "--via");
	caps->device = d;
	return DVFW_OK;
}

static int dry_run(const struct request *r, const struct exchange *x)
{
	struct capability_source caps = { 0 };
	struct json_object *json, *list;
	int n, status = find_capabilities(r, x->cmd, &caps);
	bool checked = caps.file || caps.device || !check_asks_capabilities(x->cmd);

	if (status)
		return status;
	json = r->dvfw->json ? json_object_new_object() : NULL;
	list = json ? json_object_new_array() : NULL;
	if (json)
		json_set(json, "command", x->cmd->name);
	exchange_show_in(r->dvfw, x, &r->show, json);
	n = check_inbox(r->dvfw, x->cmd, &x->in, &caps, false, list);
	if (json) {
		json_set(json, "refusals", list);
		json_set(json, "capabilities_checked", (bool)checked);
		dvfw_print_json(json);
	} else {
		print_verdict(r->dvfw, n, checked);
	}
	capability_close(&caps);
	return n ? DVFW_REFUSED : DVFW_OK;
}

/* Objects of one command do not outlive it. */
static int destroy(struct request *r, struct devx_obj *obj, struct json_object *json)
{
	int err;

	if (!obj->handle)
		return DVFW_OK;
	err = devx_obj_destroy(obj);
	if (err)
		return dvfw_devx_refused(r->dvfw, err);
	if (json)
		json_set(json, "destroyed", (bool)true);
	else
		printf("object 0x%x is destroyed again; in 'dvfw shell' objects live on\n",
		       obj->id);
	return DVFW_OK;
}

static int execute(struct request *r, struct exchange *x)
{
	struct json_object *json = r->dvfw->json ? json_object_new_object() : NULL;
	struct devx_obj obj = { 0 };
	int status;

	if (json)
		json_set(json, "command", x->cmd->name);
	exchange_show_in(r->dvfw, x, &r->show, json);
	status = exchange_send(r->dvfw, x, &obj, r->write);
	exchange_show_out(r->dvfw, x, &r->show, json);
	if (destroy(r, &obj, json))
		status = DVFW_REFUSED;
	if (json)
		dvfw_print_json(json);
	return status;
}

static int run(struct request *r, struct exchange *x)
{
	int status = exchange_begin(r->dvfw, x, r->word[0]);

	if (!status && r->inbox)
		status = input_read(r->dvfw, r->inbox, &x->in);
	if (!status)
		status = exchange_encode(r->dvfw, x, r->word + 1, r->words - 1);
	if (status)
		return status;
	if (!r->inbox)
		exchange_fit(x);
	if (r->dry)
		return dry_run(r, x);
	if (r->inbox) {
		size_t len = x->in.len;

		exchange_fit(x);
		x->in.len = len;
	}
	if (dvfw_connect(r->dvfw))
		return DVFW_REFUSED;
	return execute(r, x);
}

static const struct option_row options[] = {
	{ "dry-run", 0, NULL, "Check only; no device is needed", offsetof(struct request, dry),
	  NULL },
	{ "caps", 0, "FILE", "With --dry-run: capabilities, as 'caps --json' prints",
	  offsetof(struct request, caps), NULL },
	{ "inbox", 0, "HEX|FILE|-", "Start with these bytes, and this length",
	  offsetof(struct request, inbox), NULL },
	{ "hex", 0, NULL, "Show bytes, not fields", offsetof(struct request, show.hex), NULL },
	{ "all", 'a', NULL, "Show fields that are zero, too",
	  offsetof(struct request, show.all), NULL },
	{ "verbose", 'v', NULL, "Show where each field is",
	  offsetof(struct request, show.offsets), NULL },
	{ "write", 0, NULL, "Let a command change the adapter for all",
	  offsetof(struct request, write), NULL },
	{ 0 },
};

static const struct syntax syntax = {
	.options = options,
	.args_doc = "NAME FIELD=VALUE...",
	.doc = "Executes a firmware command and shows inbox and outbox. An object that it creates "
	       "is destroyed again.",
	.missing = "which command?",
	.surplus = "more than 512 arguments",
	.max = ARGUMENTS_MAX,
};

/* "cmd CREATE_QP --help": the command, not the options. */
static bool help(const struct dvfw *d, int argc, char **argv)
{
	const struct prm_cmd *cmd = argc == 3 ? cmd_find(argv[1]) : NULL;

	if (!cmd || strcmp(argv[2], "--help"))
		return false;
	describe_command(d, cmd);
	return true;
}

int cmd_run(struct dvfw *d, int argc, char **argv)
{
	static struct exchange x;
	struct request r = { .dvfw = d };

	if (help(d, argc, argv))
		return DVFW_OK;
	r.words = arguments_parse(&syntax, d, argc, argv, &r, r.word);
	if (r.caps && !r.dry)
		return dvfw_usage(d, "--caps without --dry-run");
	return run(&r, &x);
}
