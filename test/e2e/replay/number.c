/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>

#include "replay.h"

#define NUMBERS 256
#define ANY_QP	0xffffff /* mkc.qpn: no QP in particular */

static struct number {
	const char *kind;
	uint64_t from, to;
} numbers[NUMBERS];
static size_t nnumbers;

const char *number_kind(const char *name)
{
	static const struct {
		const char *field, *kind;
	} fields[] = {
		{ "pd", "pd" },
		{ "transport_domain", "td" },
		{ "uar", "uar" },
		{ "uar_page", "uar" },
		{ "cqn", "cq" },
		{ "cqn_snd", "cq" },
		{ "cqn_rcv", "cq" },
		{ "mkey_index", "mkey" },
		{ "qpn", "qp" },
		{ "remote_qpn", "qp" },
		{ "c_eqn_or_apu_element", "eq" },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(fields[i].field, name))
			return fields[i].kind;
	return NULL;
}

void number_add(const char *kind, uint64_t from, uint64_t to)
{
	if (nnumbers == NUMBERS)
		fail("more numbers than places");
	numbers[nnumbers++] = (struct number){ kind, from, to };
}

/* The latest: a number may be given twice. */
uint64_t number_of(const char *kind, uint64_t from)
{
	for (size_t i = nnumbers; i--;)
		if (numbers[i].from == from && !strcmp(numbers[i].kind, kind))
			return numbers[i].to;
	fail("the trace uses %s 0x%" PRIx64 ", and nothing made it", kind, from);
}

void number_replace(const struct record *r, uint8_t *in)
{
	for (size_t i = 0; i < r->nshown; i++) {
		const struct shown *shown = &r->shown[i];
		const char *kind = number_kind(path_last(shown->path));

		if (kind && !(shown->value == ANY_QP && !strcmp(kind, "qp")))
			prm_set(r->cmd->in, in, r->in_len, shown->path,
				number_of(kind, shown->value));
	}
}
