/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICM with entries (STEs) written by hand, and a root table of software at the first of them.
 *
 *	begin(format) -> ste_1(0, lookup, hit, miss) -> receive()
 */
#ifndef TEST_UNIT_STEER_STES_H
#define TEST_UNIT_STEER_STES_H

#include "packet.h"

#define ICM    HCA_ICM_STEERING
#define SIZE   (64u << 10)
#define MODIFY HCA_ICM_MODIFY

static uint8_t caps[PRM_SZ(cmd_hca_cap)];
static struct hca_general *icm, *list;
static struct hca_tir *tir;

static unsigned int findings, traced;

static UNUSED void find(const struct core_trace *t)
{
	findings += t->kind == TRACE_CHECK;
	traced += t->kind == TRACE_STEER;
}

static UNUSED struct hca_general *allocate(uint64_t addr)
{
	struct hca_general *g = hca_object_new(&hca, HCA_KIND_sw_icm, 1);

	g->memory.addr = addr;
	g->memory.size = SIZE;
	g->memory.bytes = calloc(1, SIZE);
	return g;
}

/* A root table of software at the first STE, and a TIR. */
static UNUSED void begin(uint8_t format)
{
	struct hca_flow_table *t = root(PRM_FT_TYPE_NIC_RX);

	t->sw_owner = true;
	t->icm_root = ICM;
	PRM_SET(cmd_hca_cap, caps, steering_format_version, format);
	hca.caps[PRM_CAP_GENERAL] = caps;
	icm = allocate(ICM);
	list = allocate(MODIFY);
	tir = hca_tir_new(&hca);
	build("eth:800 v4:11 udp:35");
	findings = 0;
	core_trace_to = find;
	core_trace_mask = 1u << TRACE_CHECK | 1u << TRACE_STEER;
}

static UNUSED uint8_t *ste(uint32_t nth)
{
	return icm->memory.bytes + 64 * nth;
}

static UNUSED void put32(uint8_t *at, uint32_t v)
{
	core_put_be32(at, v);
}

/* An address is divided by 32; its lowest bits are the number of entries of the table. */
static UNUSED void put_hit(uint8_t *s, uint8_t format, uint64_t addr, uint32_t entries)
{
	uint64_t v = addr >> 5 | entries;
	uint8_t *at = s + (format ? 12 : 4);

	at[3] = v >> 27;
	put32(at + 4, (uint32_t)v << 5);
}

static UNUSED void put_miss(uint8_t *s, uint8_t format, uint64_t addr)
{
	uint8_t *at = s + (format ? 4 : 24);

	at[3] = addr >> 32;
	put32(at + 4, (uint32_t)addr);
}

static UNUSED uint64_t tir_address(void)
{
	return HCA_ICM_TIR + 64ull * tir->tirn;
}

#define DROP HCA_ICM_END

/* Format 0: an STE of type RX, lookup @lu, that leads to @hit or @miss. */
static UNUSED uint8_t *ste_0(uint32_t nth, uint8_t lu, uint64_t hit, uint64_t miss)
{
	uint8_t *s = ste(nth);

	memset(s, 0, 64);
	put32(s, 0x20000000 | (uint32_t)lu << 16);
	put_hit(s, 0, hit, 1);
	put_miss(s, 0, miss);
	return s;
}

/* Format 1, with lookup @lookup; leads to @hit or @miss. */
static UNUSED uint8_t *ste_1(uint32_t nth, uint16_t lookup, uint64_t hit, uint64_t miss)
{
	uint8_t *s = ste(nth);

	memset(s, 0, 64);
	s[0] = lookup >> 8;
	put_miss(s, 1, miss);
	put_hit(s, 1, hit, 1);
	s[6] = lookup;
	return s;
}

/* A packet that brings registers with it. */
static UNUSED struct steer_packet packet_with_registers(void)
{
	struct steer_packet p = { .bytes = bytes,
				  .len = len,
				  .meta = { .source_vport = STEER_UPLINK,
					    .reg_a = 0x0a0a0a0a } };

	for (uint32_t i = 0; i < 8; i++)
		p.meta.reg_c[i] = 0xc0c0c0c0 + 0x01010101 * i;
	return p;
}

static UNUSED void receive_registers(void)
{
	const struct steer_packet p = packet_with_registers();

	memset(&got, 0, sizeof(got));
	steer_receive(&hca, &p, &sink);
}

#endif
