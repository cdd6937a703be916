/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow tables from the shortest boxes: a table, a group of one mask, entries in it.
 *
 *	uint32_t t = new_table(RX, 3, 0);
 *	uint32_t g = new_group(RX, t, 0, 7, OUTER, dmac_mask);
 */
#ifndef TEST_UNIT_FW_FLOW_H
#define TEST_UNIT_FW_FLOW_H

#include "queues.h"

enum { RX = 0, TX = 1, FDB = 4, SNIFF_RX = 5, RDMA_RX = 7, RDMA_TX = 8 }; /* table types */

static UNUSED void table_box(uint8_t type, uint8_t log_size, uint8_t level)
{
	box(PRM_OP_CREATE_FLOW_TABLE);
	b.in[0x10] = type;
	b.in[0x19] = level;
	b.in[0x1b] = log_size;
}

static UNUSED uint32_t id24(void)
{
	return core_be32(b.out + 8) & 0xffffff;
}

static UNUSED uint32_t new_table(uint8_t type, uint8_t log_size, uint8_t level)
{
	BOX_OK(table_box(type, log_size, level));
	return id24();
}

static UNUSED void put24(size_t at, uint32_t v)
{
	b.in[at] = v >> 16;
	b.in[at + 1] = v >> 8;
	b.in[at + 2] = v;
}

static UNUSED void put32(size_t at, uint32_t v)
{
	core_put_be32(b.in + at, v);
}

/* A command on table @t: its type at 0x10, its number at 0x15 … 0x17. */
static UNUSED void on_table(uint32_t opcode, uint8_t type, uint32_t t)
{
	box(opcode);
	b.in[0x10] = type;
	put24(0x15, t);
}

/* @mask: a whole fte_match_param, or NULL. */
static UNUSED void group_box(uint8_t type, uint32_t t, uint32_t first, uint32_t last,
			     uint8_t criteria, const uint8_t *mask)
{
	on_table(PRM_OP_CREATE_FLOW_GROUP, type, t);
	put32(0x1c, first);
	put32(0x24, last);
	b.in[0x3f] = criteria;
	if (mask)
		memcpy(b.in + 0x40, mask, 0x200);
}

static UNUSED uint32_t new_group(uint8_t type, uint32_t t, uint32_t first, uint32_t last,
				 uint8_t criteria, const uint8_t *mask)
{
	BOX_OK(group_box(type, t, first, last, criteria, mask));
	return id24();
}

/* An entry without destinations. */
static UNUSED void entry_box(uint8_t type, uint32_t t, uint32_t g, uint32_t index,
			     uint16_t action, const uint8_t *value)
{
	on_table(PRM_OP_SET_FLOW_TABLE_ENTRY, type, t);
	put32(0x20, index);
	put32(0x44, g);
	b.in[0x4e] = action >> 8;
	b.in[0x4f] = action;
	if (value)
		memcpy(b.in + 0x80, value, 0x200);
}

/* Appends a destination. Destinations come before counters. */
static UNUSED void dest(uint8_t type, uint32_t id)
{
	b.in[0x53]++;
	b.in[b.in_len] = type;
	put24(b.in_len + 1, id);
	b.in_len += 8;
}

static UNUSED void count_into(uint32_t id)
{
	b.in[0x57]++;
	put32(b.in_len, id);
	b.in_len += 8;
}

static UNUSED uint32_t new_counter(uint16_t u)
{
	box(PRM_OP_ALLOC_FLOW_COUNTER);
	uid(u);
	cr_assert_eq(execute(), FW_OK);
	return core_be32(b.out + 8);
}

static UNUSED uint32_t some_tir(void)
{
	struct needs of = new_needs();

	return new_tir(new_td(0), new_rq(&of));
}

#endif
