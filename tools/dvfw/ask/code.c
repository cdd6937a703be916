/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw encode and dvfw decode: text to bytes, and back.
 *
 *	dvfw encode CREATE_QP st=RC qpc.pd=0x12 | dvfw decode CREATE_QP in -
 *	dvfw decode --json CREATE_QP in - | dvfw encode -
 *
 * NAME is a command, its box chosen by the word in or out, or a structure. Neither needs a
 * device.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "base/base.h"
#include "box/box.h"
#include "bytes.h"
#include "devx/devx.h"
#include "names/names.h"
#include "prm/prm.h"

#define JSON_BYTES (64u << 20)

struct request {
	struct dvfw *dvfw;
	struct show_options show;
	const char *binary;	   /* encode: write there */
	char *word[ARGUMENTS_MAX]; /* NAME and what follows */
	int words;
};

/* Drops the argument in or out after NAME; true: it is out. */
static bool take_box_word(struct request *r)
{
	bool out;

	if (r->words < 2)
		return false;
	out = !strcmp(r->word[1], "out");
	if (out || !strcmp(r->word[1], "in")) {
		r->words--;
		memmove(&r->word[1], &r->word[2], (size_t)(r->words - 1) * sizeof(r->word[0]));
	}
	return out;
}

static int find_message(const struct request *r, struct message *m, bool out)
{
	struct near near;

	if (message_find(m, r->word[0], out, &near))
		return DVFW_OK;
	return dvfw_usage(r->dvfw, "there is no command or structure '%s'%s", r->word[0],
			  near_text(&near));
}

static int encode_words(const struct request *r, struct box *b, int from)
{
	char why[WHY_BYTES];

	if (encode_fields(b, r->word + from, r->words - from, why))
		return DVFW_OK;
	return dvfw_usage(r->dvfw, "%s", why);
}

/* An inbox is as long as the object or register that it names wants it. */
static void fit_inbox(struct box *b, const struct prm_cmd *cmd)
{
	if (cmd && cmd->in == b->s) {
		size_t bytes = prm_in_bytes(cmd, b->bytes, b->len);

		if (bytes > b->len && bytes <= sizeof(b->bytes))
			b->len = bytes;
	}
}

static int write_binary(const struct request *r, const struct box *b)
{
	FILE *f = fopen(r->binary, "wb");

	if (!f)
		return dvfw_refused(r->dvfw, "%s: %s", r->binary, strerror(errno));

	size_t n = fwrite(b->bytes, 1, b->len, f);
	if (fclose(f) || n != b->len)
		return dvfw_refused(r->dvfw, "%s: %s", r->binary, strerror(errno));
	return DVFW_OK;
}

/* decode --json printed it; cmd --json has it as "in". */
static int encode_text(const struct request *r, const char *text, struct box *b)
{
	struct json_object *top = json_tokener_parse(text), *o = top;
	char why[WHY_BYTES];
	int status = DVFW_OK;

	if (json_object_is_type(o, json_type_object) && !json_object_object_get(o, "struct"))
		o = json_object_object_get(o, "in");
	if (!json_object_is_type(o, json_type_object))
		status = dvfw_usage(r->dvfw, "%s is not JSON of decode --json", r->word[0]);
	else if (!encode_json(b, o, why))
		status = dvfw_usage(r->dvfw, "%s", why);
	json_object_put(top);
	return status;
}

/* "-", or a file: its name has a slash or ends with ".json". */
static bool is_json_file(const char *word)
{
	size_t n = strlen(word);

	return !strcmp(word, "-") || strchr(word, '/') ||
	       (n > 5 && !strcmp(word + n - 5, ".json"));
}

/* The box as the first word says it, before fields are set. */
static int begin_box(struct request *r, struct message *m, struct box *b)
{
	struct near near;
	size_t n;
	int status;

	if (!is_json_file(r->word[0])) {
		status = find_message(r, m, take_box_word(r));
		if (!status)
			box_begin(b, m->s, m->cmd);
		return status;
	}

	char *text = input_text(r->dvfw, r->word[0], JSON_BYTES, &n, &status);
	if (text)
		status = encode_text(r, text, b);
	free(text);
	if (!status)
		message_find(m, b->s->name, false, &near);
	return status;
}

static int encode(struct request *r, struct box *b)
{
	const struct show_options all = { .all = r->show.all };
	struct message m;
	int status = begin_box(r, &m, b);

	if (status)
		return status;
	bool json = is_json_file(r->word[0]);
	status = encode_words(r, b, 1);
	if (status)
		return status;
	if (!json)
		fit_inbox(b, m.cmd);
	if (r->binary)
		return write_binary(r, b);
	if (r->dvfw->json)
		dvfw_print_json(message_json(
			&(struct shown){
				.s = b->s, .cmd = m.cmd, .p = b->bytes, .len = b->len },
			&all));
	else
		hex_print(b->bytes, b->len);
	return DVFW_OK;
}

/* The inbox that an outbox answers, if fields of it are given: op_mod=GENERAL.max. */
static int encode_inbox(const struct request *r, const struct message *m, struct box *in)
{
	if (r->words <= 2)
		return DVFW_OK;
	if (!m->cmd || m->cmd->out != m->s)
		return dvfw_usage(r->dvfw,
				  "'%s': fields of the inbox say what an outbox "
				  "answers; %s is no outbox",
				  r->word[2], m->s->name);
	box_begin(in, m->cmd->in, m->cmd);
	return encode_words(r, in, 2);
}

/* The meaning of a known syndrome of a failed command, as "cmd" prints it. */
static const char *failure(const struct shown *m)
{
	uint64_t status = 0, syndrome = 0;

	if (!m->cmd || m->cmd->out != m->s || !prm_get(m->s, m->p, m->len, "status", &status) ||
	    !status || !prm_get(m->s, m->p, m->len, "syndrome", &syndrome))
		return NULL;
	return devx_syndrome_str(m->cmd->opcode, (uint32_t)syndrome);
}

/* The kind of queue element called NAME; NULL: NAME is a structure or a command. */
static const struct bytes_kind *queue_kind(const char *name)
{
	const struct bytes_kind *kind = bytes_kind(name);
	struct near near;
	struct message m;

	return kind && message_find(&m, name, false, &near) ? NULL : kind;
}

static int show_queue(const struct request *r, const struct bytes_kind *kind,
		      const struct box *b)
{
	char *text = bytes_fields(kind, b->bytes, b->len);

	if (!text)
		return dvfw_usage(r->dvfw, "%zu bytes are too few for %s", b->len, kind->help);
	if (r->dvfw->json)
		dvfw_print_json(bytes_json(kind, b->bytes, b->len));
	else
		fputs(text, stdout);
	free(text);
	return DVFW_OK;
}

static int show_message(const struct request *r, const struct shown *shown)
{
	const char *why = failure(shown);

	if (r->dvfw->json) {
		struct json_object *o = message_json(shown, &r->show);

		if (why)
			json_object_object_add(o, "explanation", json_object_new_string(why));
		dvfw_print_json(o);
		return DVFW_OK;
	}
	printf("%s: %zu bytes", shown->s->name, shown->len);
	printf(shown->len < shown->s->bytes ? " of %u\n" : "\n", shown->s->bytes);
	message_print(r->dvfw, shown, &r->show);
	if (why)
		printf("%s\n", why);
	return DVFW_OK;
}

/* By the opcode in it. */
static int show_inbox(const struct request *r, const struct box *b)
{
	const struct prm_cmd *cmd =
		b->len < 2 ? NULL : prm_cmd((unsigned int)b->bytes[0] << 8 | b->bytes[1]);

	if (!cmd)
		return dvfw_refused(r->dvfw, "no command has the opcode of this inbox");
	return show_message(
		r, &(struct shown){ .s = cmd->in, .cmd = cmd, .p = b->bytes, .len = b->len });
}

/* "auto": what the bytes look like, and so it may be an inbox. */
static int decode_queue(struct request *r, const char *name, struct box *b)
{
	int status = r->words == 2 ? input_read(r->dvfw, r->word[1], b)
				   : dvfw_usage(r->dvfw, "decode %s HEX|FILE|-", name);

	if (status)
		return status;
	if (!strcmp(name, "auto"))
		name = bytes_guess(b->bytes, b->len);
	if (!name)
		return dvfw_refused(r->dvfw, "the bytes look like nothing that is known");
	return strcmp(name, "inbox") ? show_queue(r, bytes_kind(name), b) : show_inbox(r, b);
}

static int decode(struct request *r, struct box *b, struct box *in)
{
	struct message m;

	if (!strcmp(r->word[0], "auto") || !strcmp(r->word[0], "inbox") ||
	    queue_kind(r->word[0]))
		return decode_queue(r, r->word[0], b);

	int status = find_message(r, &m, take_box_word(r));
	if (status)
		return status;
	if (r->words < 2)
		return dvfw_usage(r->dvfw,
				  "decode NAME in|out HEX|FILE|-: the bytes are missing");
	status = input_read(r->dvfw, r->word[1], b);
	if (!status)
		status = encode_inbox(r, &m, in);
	if (status)
		return status;

	struct shown shown = { .s = m.s, .cmd = m.cmd, .p = b->bytes, .len = b->len };
	if (r->words > 2) {
		shown.in = in->bytes;
		shown.in_len = in->len;
	}
	return show_message(r, &shown);
}

static const struct option_row encode_options[] = {
	{ "binary", 'b', "FILE", "Write the bytes to FILE", offsetof(struct request, binary),
	  NULL },
	{ "all", 'a', NULL, "With --json: fields that are zero, too",
	  offsetof(struct request, show.all), NULL },
	{ 0 },
};

static const struct option_row decode_options[] = {
	{ "all", 'a', NULL, "Fields that are zero, too", offsetof(struct request, show.all),
	  NULL },
	{ "verbose", 'v', NULL, "Where each field is: byte, dword and bits",
	  offsetof(struct request, show.offsets), NULL },
	{ 0 },
};

static const struct syntax encode_syntax = {
	.options = encode_options,
	.args_doc = "NAME [in|out] FIELD=VALUE...\n-|FILE.json FIELD=VALUE...",
	.doc = "Prints the bytes of a command's inbox (or outbox), or of a structure; or those that "
	       "'decode --json' printed as JSON to FILE.json, or to standard input.",
	.missing = "which command or structure?",
	.surplus = "more than 512 arguments",
	.max = ARGUMENTS_MAX,
};

static const struct syntax decode_syntax = {
	.options = decode_options,
	.args_doc = "NAME [in|out] HEX|FILE|- [INBOX-FIELD=VALUE...]",
	.doc = "Prints the fields of a command's inbox (or outbox), of a structure, or of what queues "
	       "are made of: cqe, eqe, wqe, recv, ring (wqe-ud, ring-ud and so on, with rc, uc, dci, xrc, eth, "
	       "where the transport is not what they look like), or inbox, by its opcode; auto: what the bytes look like. The contents of an outbox may depend on the inbox; its fields follow the bytes.",
	.missing = "which command or structure?",
	.surplus = "more than 512 arguments",
	.max = ARGUMENTS_MAX,
};

int encode_run(struct dvfw *d, int argc, char **argv)
{
	static struct box box;
	struct request r = { .dvfw = d };

	r.words = arguments_parse(&encode_syntax, d, argc, argv, &r, r.word);
	return encode(&r, &box);
}

int decode_run(struct dvfw *d, int argc, char **argv)
{
	static struct box box, in;
	struct request r = { .dvfw = d };

	r.words = arguments_parse(&decode_syntax, d, argc, argv, &r, r.word);
	return decode(&r, &box, &in);
}
