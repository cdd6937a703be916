/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --remote-vhca, byte by byte: the lanes of a server and a client, each a function of one
 * adapter. The memory that is read has a pattern, and that which is written has it afterwards,
 * and nothing beside it.
 *
 *	two_functions server|client|both PORT WAY API CHUNK BATCH QPS MR
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "run/rig.h"

enum {
	SIZE = 1000,
	SLOT = 1024, /* a multiple of a cache line */
	ROUNDS = 20,
};

static uint8_t byte_of(unsigned int lane, size_t i)
{
	return (uint8_t)(i * 7 + i / SLOT + lane * 31 + 1);
}

static void take(struct options *o, const char *name, const char *value)
{
	const char *bad = options_take_name(o, name, value);

	if (bad)
		base_fail("%s=%s: %s", name, value, bad);
}

/* Memory that the copies read on the one side and write on the other. */
static char *memory_of(const struct rig *rig, unsigned int lane)
{
	return options_copies(&rig->o) ? rig->near[lane].mem.send : rig->near[lane].mem.recv;
}

static bool is_source(const struct rig *rig)
{
	return (rig->o.remote_vhca == REMOTE_VHCA_READ) != options_copies(&rig->o);
}

static void fill(const struct rig *rig)
{
	for (unsigned int k = 0; k < rig->lanes; k++)
		for (size_t i = 0; i < (size_t)rig->o.batch * SLOT; i++)
			memory_of(rig, k)[i] =
				(char)(is_source(rig) ? byte_of(k, i) : MEMORY_FILL);
}

static void copy(struct lane *l)
{
	uint32_t n = l->o->batch;

	if (l->poster->post(l, n, n - 1, n) != n)
		base_fail("not all were posted");
	while (!l->poster->poll(l, 1))
		;
}

static void verify(const struct rig *rig)
{
	for (unsigned int k = 0; k < rig->lanes; k++)
		for (size_t i = 0; i < (size_t)rig->o.batch * SLOT; i++) {
			uint8_t want =
				is_source(rig) || i % SLOT < SIZE ? byte_of(k, i) : MEMORY_FILL;

			if ((uint8_t)memory_of(rig, k)[i] != want)
				base_fail("lane %u, byte %zu: 0x%02x, not 0x%02x", k, i,
					  (uint8_t)memory_of(rig, k)[i], want);
		}
}

int main(int argc, char **argv)
{
	struct options o = options_new(MODE_BW);
	struct peer peer;
	struct rig rig;

	if (argc != 9)
		base_refuse("eight arguments are needed");
	o.op = OP_MMO;
	o.size = SIZE;
	o.host = strcmp(argv[1], "client") ? NULL : "127.0.0.1";
	o.loopback = !strcmp(argv[1], "both");
	take(&o, "port", argv[2]);
	take(&o, "remote-vhca", argv[3]);
	take(&o, "api", argv[4]);
	take(&o, "chunk", argv[5]);
	take(&o, "batch", argv[6]);
	take(&o, "qp", argv[7]);
	take(&o, "mr", argv[8]);
	options_defaults(&o);
	if (options_check(&o))
		base_refuse("%s", options_check(&o));
	if (!o.loopback)
		peer_open(&peer, &o);
	rig_open(&rig, &o);
	fill(&rig);
	if (rig.exporter)
		fill(rig.exporter);
	rig_connect(&rig, o.loopback ? NULL : &peer);
	for (int i = 0; i < ROUNDS && options_copies(&o); i++)
		for (unsigned int k = 0; k < rig.lanes; k++)
			copy(&rig.near[k]);
	if (!o.loopback)
		peer_sync(&peer);
	verify(&rig);
	if (rig.exporter)
		verify(rig.exporter);
	rig_close(&rig);
	return 0;
}
