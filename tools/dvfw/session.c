/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Things with names, and what $name means.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>

#include "prm/prm.h"
#include "session.h"

struct thing *session_find(const struct session *s, const char *name)
{
	for (struct thing *t = s->newest; t; t = t->older)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

struct thing *session_add(struct session *s, const char *name, enum thing_kind kind)
{
	struct thing *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	snprintf(t->name, sizeof(t->name), "%s", name);
	t->kind = kind;
	t->older = s->newest;
	s->newest = t;
	return t;
}

static int destroy(const struct session *s, struct thing *t)
{
	void *memory = t->umem.addr;
	int err = 0;

	switch (t->kind) {
	case THING_OBJECT:
		err = t->obj.handle ? devx_obj_destroy(&t->obj) : 0;
		break;
	case THING_UMEM:
		err = t->umem.handle ? devx_umem_dereg(&t->umem) : 0;
		if (!err)
			free(memory);
		break;
	case THING_UAR:
		devx_uar_free(&t->uar);
		break;
	case THING_NUMBER:
	case THING_AV:
		break;
	}
	return err ? dvfw_devx_refused(s->dvfw, err) : DVFW_OK;
}

int session_remove(struct session *s, struct thing *t)
{
	struct thing **at = &s->newest;
	int status = destroy(s, t);

	if (status)
		return status;
	while (*at != t)
		at = &(*at)->older;
	*at = t->older;
	free(t->in);
	free(t->out);
	free(t);
	return DVFW_OK;
}

int session_end(struct session *s)
{
	int status = DVFW_OK;
	struct thing *older;

	for (struct thing *t = s->newest; t; t = older) {
		older = t->older;
		if (session_remove(s, t))
			status = DVFW_REFUSED;
	}
	return status;
}

uint64_t thing_id(const struct thing *t)
{
	switch (t->kind) {
	case THING_OBJECT:
		return t->obj.id;
	case THING_UMEM:
		return t->umem.id;
	case THING_UAR:
		return t->uar.page_id;
	case THING_AV:
		return t->av.sgid_index;
	case THING_NUMBER:
	default:
		return t->number;
	}
}

/* A field of a box, by its path or the end of it. */
static bool field_of(const struct prm_struct *s, const uint8_t *p, size_t len, const char *name,
		     uint64_t *value)
{
	char path[256], why[WHY_BYTES];

	return p && encode_path(s, NULL, name, path, sizeof(path), why) &&
	       prm_get(s, p, len, path, value);
}

/* lkey and rkey of a key: its index, and the low byte of the inbox that made it. */
static bool key_of(const struct thing *t, const char *name, uint64_t *value)
{
	uint64_t low = 0;

	if ((strcmp(name, "lkey") && strcmp(name, "rkey")) ||
	    (t->obj.opcode != PRM_OP_CREATE_MKEY && t->obj.type != PRM_OBJ_MKEY))
		return false;
	field_of(t->cmd->in, t->in, t->in_len, "memory_key_mkey_entry.mkey_7_0", &low);
	*value = (uint64_t)t->obj.id << 8 | low;
	return true;
}

static bool object_attribute(const struct thing *t, const char *name, uint64_t *value)
{
	return key_of(t, name, value) ||
	       field_of(t->cmd->out, t->out, t->out_len, name, value) ||
	       field_of(t->cmd->in, t->in, t->in_len, name, value);
}

static bool umem_attribute(const struct thing *t, const char *name, uint64_t *value)
{
	if (!strcmp(name, "addr"))
		*value = (uintptr_t)t->umem.addr;
	else if (!strcmp(name, "size"))
		*value = t->umem.size;
	else
		return false;
	return true;
}

static bool av_attribute(const struct thing *t, const char *name, uint64_t *value)
{
	if (!strcmp(name, "mac_47_32"))
		*value = prm_load(t->av.dmac, 0, 16);
	else if (!strcmp(name, "mac_31_0"))
		*value = prm_load(t->av.dmac, 16, 32);
	else if (!strcmp(name, "udp_sport"))
		*value = t->av.udp_sport;
	else if (!strcmp(name, "index"))
		*value = t->av.sgid_index;
	else if (!strcmp(name, "port"))
		*value = t->av.port;
	else
		return false;
	return true;
}

/* $name.attribute as text; false: there is no such attribute. */
static bool attribute(const struct thing *t, const char *name, char *to, size_t size)
{
	uint64_t value = thing_id(t);
	bool known = !*name || !strcmp(name, "id");

	if (t->kind == THING_AV && !strcmp(name, "gid"))
		return inet_ntop(AF_INET6, t->av.dgid.raw, to, (socklen_t)size);
	if (!known && t->kind == THING_OBJECT)
		known = object_attribute(t, name, &value);
	else if (!known && t->kind == THING_UMEM)
		known = umem_attribute(t, name, &value);
	else if (!known && t->kind == THING_AV)
		known = av_attribute(t, name, &value);
	snprintf(to, size, "0x%llx", (unsigned long long)value);
	return known;
}

/* The latest outbox, as if it were a thing. */
static bool of_outbox(const struct session *s, const char *name, char *to, size_t size)
{
	uint64_t value;

	if (!s->x.answered ||
	    !field_of(s->x.cmd->out, s->x.out.bytes, s->x.out.len, name, &value))
		return false;
	snprintf(to, size, "0x%llx", (unsigned long long)value);
	return true;
}

/* @name is "cq" or "cq.cqn". */
static int resolve(const struct session *s, char *name, char *to, size_t size)
{
	char *dot = strchr(name, '.');
	const struct thing *t;
	struct suggest near;

	if (dot)
		*dot++ = '\0';
	else
		dot = name + strlen(name);
	if (!strcmp(name, "out"))
		return of_outbox(s, dot, to, size)
			       ? DVFW_OK
			       : dvfw_usage(s->dvfw, "the latest outbox has no '%s'", dot);
	t = session_find(s, name);
	if (!t) {
		suggest_begin(&near, name);
		for (t = s->newest; t; t = t->older)
			suggest_offer(&near, t->name);
		return dvfw_usage(s->dvfw, "nothing is called '$%s'%s", name,
				  suggest_text(&near));
	}
	return attribute(t, dot, to, size)
		       ? DVFW_OK
		       : dvfw_usage(s->dvfw, "'$%s' has no '%s'", name, dot);
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '[' || c == ']';
}

int session_expand(const struct session *s, const char *word, char *to, size_t size)
{
	size_t used = 0;

	while (*word && used + 1 < size) {
		char name[128];
		size_t n = 0;

		if (*word != '$') {
			to[used++] = *word++;
			continue;
		}
		for (word++; in_name(*word) && n + 1 < sizeof(name);)
			name[n++] = *word++;
		name[n] = '\0';

		int status = resolve(s, name, to + used, size - used);
		if (status)
			return status;
		used += strlen(to + used);
	}
	to[used] = '\0';
	return *word ? dvfw_usage(s->dvfw, "the word is too long") : DVFW_OK;
}
