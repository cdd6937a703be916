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
#include "session/session.h"

struct variable *session_find(const struct session *s, const char *name)
{
	for (struct variable *v = s->newest; v; v = v->older)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

struct variable *session_add(struct session *s, const char *name, enum variable_kind kind)
{
	struct variable *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	snprintf(v->name, sizeof(v->name), "%s", name);
	v->kind = kind;
	v->older = s->newest;
	s->newest = v;
	return v;
}

static int destroy(const struct session *s, struct variable *v)
{
	void *memory = v->umem.addr;
	int err = 0;

	switch (v->kind) {
	case VARIABLE_OBJECT:
		err = v->obj.handle ? devx_obj_destroy(&v->obj) : 0;
		break;
	case VARIABLE_UMEM:
		err = v->umem.handle ? devx_umem_dereg(&v->umem) : 0;
		if (!err)
			free(memory);
		break;
	case VARIABLE_UAR:
		devx_uar_free(&v->uar);
		break;
	case VARIABLE_NUMBER:
	case VARIABLE_AV:
		break;
	}
	return err ? dvfw_devx_refused(s->dvfw, err) : DVFW_OK;
}

int session_remove(struct session *s, struct variable *v)
{
	struct variable **at = &s->newest;
	int status = destroy(s, v);

	if (status)
		return status;
	while (*at != v)
		at = &(*at)->older;
	*at = v->older;
	free(v->in);
	free(v->out);
	free(v);
	return DVFW_OK;
}

int session_end(struct session *s)
{
	int status = DVFW_OK;
	struct variable *older;

	rules_close(s->flows.rules); /* they refer to objects */
	s->flows.rules = NULL;
	for (struct variable *v = s->newest; v; v = older) {
		older = v->older;
		if (session_remove(s, v))
			status = DVFW_REFUSED;
	}
	return status;
}

uint64_t variable_id(const struct variable *v)
{
	switch (v->kind) {
	case VARIABLE_OBJECT:
		return v->obj.id;
	case VARIABLE_UMEM:
		return v->umem.id;
	case VARIABLE_UAR:
		return v->uar.page_id;
	case VARIABLE_AV:
		return v->av.sgid_index;
	case VARIABLE_NUMBER:
	default:
		return v->number;
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
static bool key_of(const struct variable *v, const char *name, uint64_t *value)
{
	uint64_t low = 0;

	if ((strcmp(name, "lkey") && strcmp(name, "rkey")) ||
	    (v->obj.opcode != PRM_OP_CREATE_MKEY && v->obj.type != PRM_OBJ_MKEY))
		return false;
	field_of(v->cmd->in, v->in, v->in_len, "memory_key_mkey_entry.mkey_7_0", &low);
	*value = (uint64_t)v->obj.id << 8 | low;
	return true;
}

static bool object_attribute(const struct variable *v, const char *name, uint64_t *value)
{
	return key_of(v, name, value) ||
	       field_of(v->cmd->out, v->out, v->out_len, name, value) ||
	       field_of(v->cmd->in, v->in, v->in_len, name, value);
}

static bool umem_attribute(const struct variable *v, const char *name, uint64_t *value)
{
	if (!strcmp(name, "addr"))
		*value = (uintptr_t)v->umem.addr;
	else if (!strcmp(name, "size"))
		*value = v->umem.size;
	else
		return false;
	return true;
}

static bool av_attribute(const struct variable *v, const char *name, uint64_t *value)
{
	if (!strcmp(name, "mac_47_32"))
		*value = prm_load(v->av.dmac, 0, 16);
	else if (!strcmp(name, "mac_31_0"))
		*value = prm_load(v->av.dmac, 16, 32);
	else if (!strcmp(name, "udp_sport"))
		*value = v->av.udp_sport;
	else if (!strcmp(name, "index"))
		*value = v->av.sgid_index;
	else if (!strcmp(name, "port"))
		*value = v->av.port;
	else
		return false;
	return true;
}

/* $name.attribute as text; false: there is no such attribute. */
static bool attribute(const struct variable *v, const char *name, char *to, size_t size)
{
	uint64_t value = variable_id(v);
	bool known = !*name || !strcmp(name, "id");

	if (v->kind == VARIABLE_AV && !strcmp(name, "gid"))
		return inet_ntop(AF_INET6, v->av.dgid.raw, to, (socklen_t)size);
	if (!known && v->kind == VARIABLE_OBJECT)
		known = object_attribute(v, name, &value);
	else if (!known && v->kind == VARIABLE_UMEM)
		known = umem_attribute(v, name, &value);
	else if (!known && v->kind == VARIABLE_AV)
		known = av_attribute(v, name, &value);
	snprintf(to, size, "0x%llx", (unsigned long long)value);
	return known;
}

/* The latest outbox, as if it were a variable. */
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
	const struct variable *v;
	struct near near;

	if (dot)
		*dot++ = '\0';
	else
		dot = name + strlen(name);
	if (!strcmp(name, "out"))
		return of_outbox(s, dot, to, size)
			       ? DVFW_OK
			       : dvfw_usage(s->dvfw, "the latest outbox has no '%s'", dot);
	v = session_find(s, name);
	if (!v) {
		near_begin(&near, name);
		for (v = s->newest; v; v = v->older)
			near_offer(&near, v->name);
		return dvfw_usage(s->dvfw, "nothing is called '$%s'%s", name, near_text(&near));
	}
	return attribute(v, dot, to, size)
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
