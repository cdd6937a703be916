/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of the shell and of scripts.
 *
 *	line   = [ NAME "=" ] verb { word } [ "#" comment ]
 *	word   = anything without white space; in "…" with it; $name is replaced
 *
 *	cq = CREATE_CQ cq_context.log_cq_size=4 …     a command that makes an object
 *	QUERY_ISSI                                    one that makes none
 *	query cq                                      QUERY_CQ with the number of cq
 *	modify qp RST2INIT_QP …                       on the object of qp
 *	expect state=RTS                              of the latest outbox, or it is an error
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "names/names.h"
#include "session/session.h"

#define WORDS	   256
#define WORD_BYTES 1024

/* Cuts a line into words, in place. -1: a quote is open. */
static int split(char *line, char **word, int most)
{
	int n = 0;

	for (char *from = line; n < most; n++) {
		char *to;

		from += strspn(from, " \t\r\n");
		if (!*from || *from == '#')
			break;
		word[n] = to = from;
		for (bool quoted = false; *from && (quoted || !isspace((unsigned char)*from));
		     from++) {
			if (*from != '"')
				*to++ = *from;
			else
				quoted = !quoted;
			if (quoted && !from[1])
				return -1;
		}
		from += *from != '\0';
		*to = '\0';
	}
	return n;
}

static bool is_name(const char *text)
{
	size_t n = 0;

	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return !text[n] && n < NAME_BYTES && strcmp(text, "out");
}

static const struct session_verb *find_verb(const struct session_verb *v, const char *name)
{
	for (; v->name; v++)
		if (!strcasecmp(v->name, name))
			return v;
	return NULL;
}

/* "NAME = …", also written without spaces. Returns the number of words of it; 0: it is not an
 * assignment. */
static int is_assignment(int n, char **word, char **name)
{
	if (n < 2 || strcmp(word[1], "="))
		return 0;
	*name = word[0];
	return 2;
}

static int refuse_verb(const struct session *s, const char *word)
{
	const struct prm_cmd *cmd = NULL;
	struct near near;

	near_begin(&near, word);
	for (const struct session_verb *v = session_verbs; v->name; v++)
		near_offer(&near, v->name);
	while ((cmd = prm_cmd_next(cmd)))
		near_offer(&near, cmd->name);
	return dvfw_usage(s->dvfw, "'%s' is neither a command nor a verb%s", word,
			  near_text(&near));
}

static int run_words(struct session *s, int n, char **word)
{
	const struct session_verb *verb, *command = find_verb(session_makers, "");
	char *name = NULL;
	int skip = is_assignment(n, word, &name);

	if (!skip) {
		verb = find_verb(session_verbs, word[0]);
		if (verb)
			return verb->run(s, n, word);
		if (n == 1 && session_find(s, word[0]))
			return session_show(s, word[0]);
		if (!cmd_find(word[0]) && !struct_find(word[0]))
			return refuse_verb(s, word[0]);
		/* Without a name: the word before the command is empty. */
		char *shifted[WORDS + 1] = { "" };
		memcpy(shifted + 1, word, (size_t)n * sizeof(*word));
		return command->run(s, n + 1, shifted);
	}
	if (!is_name(name))
		return dvfw_usage(s->dvfw,
				  "'%s' cannot be a name: letters, digits and _, up to "
				  "%d of them, but not 'out'",
				  name, NAME_BYTES - 1);
	if (session_find(s, name))
		return dvfw_usage(s->dvfw, "'%s' is there already; destroy it first", name);
	if (n == skip)
		return dvfw_usage(s->dvfw, "%s = what?", name);
	verb = find_verb(session_makers, word[skip]);
	word[skip - 1] = name;
	if (verb)
		return verb->run(s, n - skip + 1, word + skip - 1);
	return command->run(s, n - skip + 1, word + skip - 1);
}

int session_line(struct session *s, char *line)
{
	static char expanded[WORDS][WORD_BYTES];
	char *word[WORDS];
	int n = split(line, word, WORDS);

	if (n < 0)
		return dvfw_usage(s->dvfw, "a quote is open");
	if (n == WORDS)
		return dvfw_usage(s->dvfw, "more than %d words", WORDS - 1);
	for (int i = 0; i < n; i++) {
		int status = session_expand(s, word[i], expanded[i], WORD_BYTES);

		if (status)
			return status;
		word[i] = expanded[i];
	}
	return n ? run_words(s, n, word) : DVFW_OK;
}
