/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What numbers and words of one program say: SPDK, Mooncake, DPDK, UCX, PCI in Linux (explain_fact.c has those of all).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static void add_numbered(struct facts *f, const char *name, const char *text,
			 const char *const *words, unsigned int n)
{
	item_fact(f->item, name, "%s: %s", text,
		  strtoul(text, NULL, 10) < n ? words[strtoul(text, NULL, 10)]
					      : "not in our tables");
}

/* SPDK, lib/nvmf/rdma.c, enum spdk_nvmf_rdma_wr_type */
void fact_spdk_type(struct facts *f, const char *text)
{
	static const char *const words[] = { "a receive", "a send",
					     "RDMA READ or WRITE of data" };

	add_numbered(f, "type", text, words, 3);
}

/* Mooncake, transport.h, enum OpCode */
void fact_mooncake_opcode(struct facts *f, const char *text)
{
	static const char *const words[] = { "READ", "WRITE" };

	add_numbered(f, "opcode", text, words, 2);
}

/* Linux, <linux/pci.h>, pci_channel_state_t */
void fact_pci_channel(struct facts *f, const char *text)
{
	static const char *const words[] = {
		"no state",
		"normal",
		"frozen: no transfers until a reset",
		"permanent failure",
	};

	add_numbered(f, "channel", text, words, ROWS(words));
}

/* DPDK, rte_flow.h, enum rte_flow_error_type */
void fact_flow_error(struct facts *f, const char *text)
{
	static const char *const words[] = {
		"none",
		"cause not specified",
		"the rule",
		"its group",
		"its priority",
		"ingress",
		"egress",
		"transfer",
		"its attributes",
		"number of items",
		"an item's spec",
		"an item's last",
		"an item's mask",
		"an item of the pattern",
		"number of actions",
		"configuration of an action",
		"an action",
	};

	add_numbered(f, "about", text, words, ROWS(words));
}

/* ---- UCX: "s-e [rqpn 0x1 rlid 2] [rva 0x3 rkey 0x4] [va 0x5 len 6 lkey 0x7]" ---- */

static void add_ucx_bracket(struct facts *f, const char *text)
{
	static const struct {
		const char *begin, *name;
	} known[] = {
		{ "rqpn ", "to" },	   { "rva ", "remote memory" },
		{ "va ", "local memory" }, { "inl len ", "inline bytes" },
		{ "cmp ", "atomic" },	   { "add ", "atomic" },
	};

	for (size_t i = 0; i < ROWS(known); i++)
		if (!strncmp(text, known[i].begin, strlen(known[i].begin))) {
			text += *known[i].begin == 'i' ? strlen(known[i].begin) : 0;
			item_fact(f->item, known[i].name, "%s", text);
			return;
		}
	item_fact(f->item, "wqe", "%s", text);
}

void fact_ucx_wqe(struct facts *f, const char *text)
{
	char one[256];

	text += strspn(text, " ");
	if (strspn(text, "sfe-") == 3)
		item_fact(f->item, "flags", "%.3s: %s%s%s", text,
			  text[0] == 's' ? "signaled" : "not signaled",
			  text[1] == 'f' ? ", fence" : "",
			  text[2] == 'e' ? ", solicited event" : "");
	while ((text = strchr(text, '['))) {
		snprintf(one, sizeof(one), "%.*s", (int)strcspn(text + 1, "]"), text + 1);
		add_ucx_bracket(f, one);
		text++;
	}
}
