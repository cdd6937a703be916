/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NAME = …: assigns to a variable. word[0] is the name, word[1] the maker or the command.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "devx/eq.h"
#include "prm/prm.h"
#include "session/session.h"

static void *copy(const struct box *b)
{
	void *p = malloc(b->len);

	if (p)
		memcpy(p, b->bytes, b->len);
	return p;
}

static int keep(struct session *s, const char *name, const struct devx_obj *obj)
{
	struct variable *v = session_add(s, name, VARIABLE_OBJECT);

	if (!v)
		return dvfw_refused(s->dvfw, "out of memory");
	v->obj = *obj;
	v->cmd = s->x.cmd;
	v->in = copy(&s->x.in);
	v->in_len = s->x.in.len;
	v->out = copy(&s->x.out);
	v->out_len = s->x.out.len;
	if (!session_quiet(s))
		printf("%s%s%s: %s, id 0x%x\n", dvfw_paint(s->dvfw, DVFW_NAME), name,
		       dvfw_paint(s->dvfw, DVFW_PLAIN), s->x.cmd->name, obj->id);
	return DVFW_OK;
}

/* NAME = COMMAND field=value …, or with an empty name a command that makes no object. */
static int make_object(struct session *s, int n, char **word)
{
	struct devx_obj obj = { 0 };
	int status = exchange_begin(s->dvfw, &s->x, word[1]);
	bool create;

	if (status)
		return status;
	create = s->x.cmd->call == PRM_CALL_CREATE;
	if (create && !*word[0])
		return dvfw_usage(s->dvfw, "%s creates an object: assign it, NAME = %s …",
				  s->x.cmd->name, s->x.cmd->name);
	if (!create && *word[0])
		return dvfw_usage(s->dvfw,
				  "%s creates no object that could be assigned to '%s'",
				  s->x.cmd->name, word[0]);
	if (s->x.cmd->call == PRM_CALL_QUERY || s->x.cmd->call == PRM_CALL_MODIFY)
		return dvfw_usage(
			s->dvfw, "%s is about an object: %s NAME %s …", s->x.cmd->name,
			s->x.cmd->call == PRM_CALL_QUERY ? "query" : "modify", s->x.cmd->name);
	status = exchange_encode(s->dvfw, &s->x, word + 2, n - 2);
	if (!status)
		status = session_send(s, &obj, word[0]);
	return status || !create ? status : keep(s, word[0], &obj);
}

static bool take_access(const char *text, uint32_t *access)
{
	static const struct {
		const char *name;
		uint32_t bit;
	} rights[] = {
		{ "none", 0 },
		{ "local_write", IBV_ACCESS_LOCAL_WRITE },
		{ "remote_write", IBV_ACCESS_REMOTE_WRITE },
		{ "remote_read", IBV_ACCESS_REMOTE_READ },
		{ "relaxed_ordering", IBV_ACCESS_RELAXED_ORDERING },
	};

	*access = 0;
	while (*text) {
		size_t n = strcspn(text, "|,"), i = 0;

		while (i < 5 && (strncasecmp(rights[i].name, text, n) || rights[i].name[n]))
			i++;
		if (i == 5)
			return false;
		*access |= rights[i].bit;
		text += n + (text[n] != '\0');
	}
	return true;
}

/* NAME = umem BYTES [access=RIGHT|RIGHT] */
static int make_umem(struct session *s, int n, char **word)
{
	uint32_t access = IBV_ACCESS_LOCAL_WRITE;
	uint64_t size;
	struct variable *v;
	void *memory = NULL;
	int err;

	if (n < 3 || n > 4 || !parse_number(word[2], &size) || !size || size > 1ull << 32)
		return dvfw_usage(s->dvfw, "NAME = umem BYTES [access=…], up to 4 GiB");
	if (n == 4 && (strncmp(word[3], "access=", 7) || !take_access(word[3] + 7, &access)))
		return dvfw_usage(s->dvfw,
				  "access= is 'none' or, joined by |, local_write, "
				  "remote_write, remote_read, relaxed_ordering; not '%s'",
				  word[3]);
	if (posix_memalign(&memory, 4096, (size_t)((size + 4095) & ~4095ull)))
		return dvfw_refused(s->dvfw, "out of memory");
	memset(memory, 0, (size_t)size);
	v = session_add(s, word[0], VARIABLE_UMEM);
	err = v ? devx_umem_reg(&v->umem, s->dvfw->ctx, memory, (size_t)size, access) : ENOMEM;
	if (err) {
		int status = dvfw_devx_refused(s->dvfw, err);

		free(memory);
		if (v) {
			v->kind = VARIABLE_NUMBER;
			session_remove(s, v);
		}
		return status;
	}
	if (!session_quiet(s))
		printf("%s: umem, id 0x%x, %zu bytes at %p\n", word[0], v->umem.id,
		       v->umem.size, v->umem.addr);
	return DVFW_OK;
}

/* NAME = uar [nc|bf] */
static int make_uar(struct session *s, int n, char **word)
{
	enum devx_uar_type type = DEVX_UAR_ANY;
	struct devx_uar uar;
	struct variable *v;
	int err;

	if (n > 2 && !strcasecmp(word[2], "nc"))
		type = DEVX_UAR_NC;
	else if (n > 2 && !strcasecmp(word[2], "bf"))
		type = DEVX_UAR_BF;
	else if (n > 2)
		return dvfw_usage(s->dvfw, "NAME = uar [nc|bf]");
	err = devx_uar_alloc(&uar, s->dvfw->ctx, type);
	if (err)
		return dvfw_devx_refused(s->dvfw, err);
	v = session_add(s, word[0], VARIABLE_UAR);
	if (!v) {
		devx_uar_free(&uar);
		return dvfw_refused(s->dvfw, "out of memory");
	}
	v->uar = uar;
	if (!session_quiet(s))
		printf("%s: uar, page 0x%x\n", word[0], uar.page_id);
	return DVFW_OK;
}

static int keep_number(struct session *s, const char *name, uint64_t number)
{
	struct variable *v = session_add(s, name, VARIABLE_NUMBER);

	if (!v)
		return dvfw_refused(s->dvfw, "out of memory");
	v->number = number;
	if (!session_quiet(s))
		printf("%s: 0x%llx\n", name, (unsigned long long)number);
	return DVFW_OK;
}

/* NAME = eqn [VECTOR] */
static int make_eqn(struct session *s, int n, char **word)
{
	uint64_t vector = 0;
	uint32_t eqn;
	int err;

	if (n > 3 || (n == 3 && (!parse_number(word[2], &vector) || vector > UINT32_MAX)))
		return dvfw_usage(s->dvfw, "NAME = eqn [VECTOR]");
	err = devx_eqn_query(&eqn, s->dvfw->ctx, (uint32_t)vector);
	return err ? dvfw_devx_refused(s->dvfw, err) : keep_number(s, word[0], eqn);
}

/* NAME = number VALUE */
static int make_number(struct session *s, int n, char **word)
{
	static const struct prm_field any = { .name = "number", .width = 64, .count = 1 };
	char why[WHY_BYTES];
	uint64_t value;

	if (n != 3)
		return dvfw_usage(s->dvfw, "NAME = number VALUE");
	if (!encode_number(prm_struct("mbox_in"), &any, word[2], &value, why))
		return dvfw_usage(s->dvfw, "%s", why);
	return keep_number(s, word[0], value);
}

/* The way from GID @index of @port to @dgid, as the kernel resolves it. */
static int resolve_av(struct session *s, struct devx_av *av, uint64_t port, uint64_t index,
		      const char *dgid)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = (uint8_t)port };
	struct ibv_context *ctx = s->dvfw->ctx;
	static const uint8_t none[16];
	size_t n = sizeof(attr.grh.dgid.raw);
	struct ibv_pd *pd;
	int err;

	attr.grh.sgid_index = (uint8_t)index;
	attr.grh.hop_limit = 64;
	if (dgid && (!parse_bytes(dgid, attr.grh.dgid.raw, n, &n) || n != 16))
		return dvfw_usage(s->dvfw, "'%s' is not a GID", dgid);
	if (!dgid && (ibv_query_gid(ctx, (uint8_t)port, (int)index, &attr.grh.dgid) ||
		      !memcmp(attr.grh.dgid.raw, none, sizeof(none))))
		return dvfw_usage(s->dvfw, "port %llu has no GID %llu",
				  (unsigned long long)port, (unsigned long long)index);
	pd = ibv_alloc_pd(ctx);
	if (!pd)
		return dvfw_refused(s->dvfw, "ibv_alloc_pd: %s", strerror(errno));
	err = devx_av_resolve(av, pd, &attr);
	ibv_dealloc_pd(pd);
	return err ? dvfw_devx_refused(s->dvfw, err) : DVFW_OK;
}

/* NAME = av PORT GID-INDEX [DGID] */
static int make_av(struct session *s, int n, char **word)
{
	uint64_t port, index;
	struct devx_av av;
	struct variable *v;
	int status;

	if (n < 4 || n > 5 || !parse_number(word[2], &port) || !parse_number(word[3], &index) ||
	    port > UINT8_MAX || index > UINT8_MAX)
		return dvfw_usage(s->dvfw, "NAME = av PORT GID-INDEX [DGID]");
	status = resolve_av(s, &av, port, index, n == 5 ? word[4] : NULL);
	if (status)
		return status;
	v = session_add(s, word[0], VARIABLE_AV);
	if (!v)
		return dvfw_refused(s->dvfw, "out of memory");
	v->av = av;
	return DVFW_OK;
}

const struct session_verb session_makers[] = {
	{ "", "COMMAND FIELD=VALUE…", "an object that a command makes", make_object },
	{ "umem", "BYTES [access=RIGHT|…]", "memory, registered (local_write)", make_umem },
	{ "uar", "[nc|bf]", "a page of doorbell registers", make_uar },
	{ "eqn", "[VECTOR]", "the number of a completion vector's EQ", make_eqn },
	{ "av", "PORT GID-INDEX [DGID]", "a path: .gid .mac_47_32 .mac_31_0 .index", make_av },
	{ "number", "VALUE", "a number", make_number },
	{ 0 },
};
