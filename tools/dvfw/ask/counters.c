/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading counters: two commands, whose outboxes are walked field by field, a register, and a
 * folder.
 *
 *	QUERY_VPORT_COUNTER --.
 *	QUERY_VNIC_ENV -------+--> { source, name, value, before }
 *	PPCNT, two groups ----+
 *	hw_counters (sysfs) --'
 *
 * The order is always the same, so that a counter keeps its place between two readings.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "box/box.h"
#include "counters.h"
#include "devx/counter.h"
#include "devx/reg.h"
#include "prm/prm.h"
#include "prm/walk.h"

#define PRM_REGISTER(name, id, s) REG_##name = id,
enum {
#include "prm/register.def"
};

enum { VPORT, VNIC, Q, PORT };

/* Groups of PPCNT, counters of the port. Each is a source that may be refused: PORT, PORT + 1
 * … */
static const enum prm_value groups[] = { PRM_COUNTERS_GROUP_IEEE_802_3,
					 PRM_COUNTERS_GROUP_RFC_2863 };
#define GROUPS ARRAY_SIZE(groups)

typedef uint8_t ppcnt[PRM_SZ(ppcnt_reg)];

/* Stores a value at its place, which the first reading makes. */
static void put(struct counters *c, size_t *at, const char *source, const char *name,
		unsigned int bits, uint64_t value)
{
	struct counter *k = &c->all[*at];

	if (*at == COUNTERS_MAX)
		return;
	if (*at == c->n || strcmp(k->source, source) || strcmp(k->name, name)) {
		*k = (struct counter){ .source = source, .bits = bits, .value = value };
		snprintf(k->name, sizeof(k->name), "%s", name);
		c->n = *at + 1;
	}
	k->before = k->value;
	k->value = value;
	++*at;
}

/* The numbers of an outbox after status and syndrome; @skip: a prefix of all their paths. */
static void put_fields(struct counters *c, size_t *at, const char *source,
		       const struct prm_struct *s, const uint8_t *out, const char *skip)
{
	struct prm_walk w;
	struct prm_item it;

	prm_walk_begin(&w, s, out, s->bytes);
	while (prm_walk_next(&w, &it)) {
		const char *name = it.path;

		if (!it.field || it.field->array || it.bit < 0x10 * 8)
			continue;
		if (!strncmp(name, skip, strlen(skip)))
			name += strlen(skip);
		put(c, at, source, name, it.width, prm_load(out, it.bit, it.width));
	}
}

static int read_group(const struct counters *c, enum prm_value group, ppcnt reg)
{
	memset(reg, 0, PRM_SZ(ppcnt_reg));
	PRM_SET(ppcnt_reg, reg, local_port, c->port);
	PRM_SET(ppcnt_reg, reg, grp, group);
	return devx_reg_read(c->dvfw->ctx, REG_PPCNT, 0, reg, PRM_SZ(ppcnt_reg));
}

static void put_group(struct counters *c, size_t *at, const ppcnt reg)
{
	const struct shown m = { .s = prm_struct("ppcnt_reg"),
				 .p = reg,
				 .len = PRM_SZ(ppcnt_reg) };
	struct reading_value v;
	struct reading r;

	reading_begin(&r, &m);
	while (reading_next(&r, &v))
		if (v.is_counter)
			put(c, at, "port", v.name, v.bits, v.number);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "lifespan");
}

static bool put_files(struct counters *c, size_t *at)
{
	char folder[IBV_SYSFS_PATH_MAX + 40];
	struct dirent **names;
	int n;

	snprintf(folder, sizeof(folder), "%s/ports/%u/hw_counters",
		 c->dvfw->ctx->device->ibdev_path, c->port);
	n = scandir(folder, &names, visible, by_name);
	for (int i = 0; i < n; i++) {
		char path[sizeof(folder) + 256];
		uint64_t value;
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		f = fopen(path, "re");
		if (f && fscanf(f, "%" SCNu64, &value) == 1)
			put(c, at, "q", names[i]->d_name, 32, value);
		if (f)
			fclose(f);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n > 0;
}

static bool asked(const struct counters *c, unsigned int source)
{
	return !(c->refused >> source & 1);
}

int counters_read(struct counters *c)
{
	uint8_t vport[PRM_SZ(query_vport_counter_out)], vnic[PRM_SZ(query_vnic_env_out)];
	struct ibv_context *ctx = c->dvfw->ctx;
	ppcnt port[GROUPS];
	double before = c->when;
	size_t at = 0;
	int err = 0;

	if (asked(c, VPORT) && (err = devx_vport_counter_query(ctx, c->port, vport)))
		c->refused |= 1 << VPORT;
	if (asked(c, VNIC) && devx_vnic_env_query(ctx, vnic))
		c->refused |= 1 << VNIC;
	for (unsigned int i = 0; i < GROUPS; i++)
		if (asked(c, PORT + i) && read_group(c, groups[i], port[i]))
			c->refused |= 1 << (PORT + i);
	c->when = dvfw_now();
	c->seconds = before > 0 ? c->when - before : 0;
	if (asked(c, VPORT))
		put_fields(c, &at, "vport", prm_struct("query_vport_counter_out"), vport, "");
	if (asked(c, VNIC))
		put_fields(c, &at, "vnic", prm_struct("query_vnic_env_out"), vnic,
			   "vport_env.");
	for (unsigned int i = 0; i < GROUPS; i++)
		if (asked(c, PORT + i))
			put_group(c, &at, port[i]);
	if (asked(c, Q) && !put_files(c, &at))
		c->refused |= 1 << Q;
	c->n = at;
	if (c->n)
		return DVFW_OK;
	return err ? dvfw_devx_refused(c->dvfw, err)
		   : dvfw_refused(c->dvfw, "the device has no counters");
}

double counter_rate(const struct counters *c, const struct counter *k)
{
	uint64_t delta = k->value - k->before;

	if (k->bits < 64)
		delta &= (1ull << k->bits) - 1;
	return c->seconds > 0 ? (double)delta / c->seconds : 0;
}
