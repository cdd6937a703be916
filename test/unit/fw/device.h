/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device of slot 5 with a GID at index 3, and the shortest way to objects.
 *
 *	box(PRM_OP_ALLOC_PD); cr_assert_eq(execute(), FW_OK); pdn = PRM_GET(alloc_pd_out, b.out, pd);
 */
#ifndef TEST_UNIT_FW_DEVICE_H
#define TEST_UNIT_FW_DEVICE_H

#include "box.h"

/* The memory of the bus addresses. */
static _Alignas(4096) uint8_t pages[8][4096];
static _Alignas(8) uint32_t dbrec[2];

static UNUSED uint64_t page(unsigned int i)
{
	return (uintptr_t)pages[i];
}

/* Appends an address to the inbox. */
static UNUSED void pas(uint64_t address)
{
	for (int shift = 56; shift >= 0; shift -= 8)
		b.in[b.in_len++] = address >> shift;
}

/* Puts dwords at byte @at of the inbox. */
static UNUSED void dwords(size_t at, const uint32_t dw[4])
{
	for (int i = 0; i < 4; i++)
		core_put_be32(b.in + at + 4 * i, dw[i]);
}

/* A command of user @u whose inbox is one number in the second dword pair; of the driver. */
static UNUSED void number_box(uint16_t u, uint32_t opcode, uint32_t number)
{
	box(opcode);
	uid(u);
	PRM_SET(dealloc_pd_in, b.in, pd, number);
}

static UNUSED enum fw_status execute_as(uint16_t u, uint32_t opcode, uint32_t number)
{
	number_box(u, opcode, number);
	return execute();
}

static UNUSED enum fw_status execute_on(uint32_t opcode, uint32_t number)
{
	return execute_as(0, opcode, number);
}

/* The number of what the command in the box makes: all are at the same place. */
static UNUSED uint32_t made(void)
{
	cr_assert_eq(execute(), FW_OK, "syndrome %#x", syndrome());
	return PRM_GET(alloc_pd_out, b.out, pd);
}

#define MADE(box) (box, made())

static UNUSED uint32_t alloc_as(uint16_t u, uint32_t opcode)
{
	box(opcode);
	uid(u);
	return made();
}

static long allocations; /* before the device */

static UNUSED void setup_as(const char *name)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 5 };

	allocations = steps.allocations;
	cr_assert_eq(hca_init(&hca, 5), 0);
	fw_init(&hca, fw_device_find(name));
	memcpy(hca.port.mac, mac, 6);
	hca.port.mtu = 1024;
	hca.port.node_guid = 0x0200000000050000;
	hca.port.gid[3] =
		(struct hca_gid){ .valid = true, .raw = { 0xfe, 0x80 }, .version = 2 };
}

static UNUSED void setup(void)
{
	setup_as("cx5");
}

static UNUSED void teardown(void)
{
	hca_fini(&hca);
	cr_expect_eq(steps.allocations, allocations, "%ld are left",
		     steps.allocations - allocations);
}

/* hca is a ConnectX-5 without objects. */
#define DEVICE_SUITE(name) TestSuite(name, .init = setup, .fini = teardown)

static UNUSED uint16_t new_uctx(void)
{
	return alloc_as(0, PRM_OP_CREATE_UCTX);
}

static UNUSED uint32_t new_pd(uint16_t u)
{
	return alloc_as(u, PRM_OP_ALLOC_PD);
}

/* A suite each of whose tests has a PD, pdn. */
static UNUSED uint32_t pdn;

static UNUSED void setup_pd(void)
{
	setup();
	pdn = new_pd(0);
}

#define PD_SUITE(name) TestSuite(name, .init = setup_pd, .fini = teardown)

static UNUSED uint32_t new_uar(uint16_t u)
{
	return alloc_as(u, PRM_OP_ALLOC_UAR);
}

/* A key of variant 0x42 in PD @pd that reads local memory, for any QP; without its memory. */
static UNUSED uint8_t *key_box(uint32_t pd, uint64_t start, uint64_t len)
{
	uint8_t *mkc = PRM_ADDR(create_mkey_in, b.in, memory_key_mkey_entry);

	box(PRM_OP_CREATE_MKEY);
	SET(mkc, mkc, F(access_mode_1_0, 1), F(lr, 1), F(qpn, 0xffffff), F(mkey_7_0, 0x42),
	    F(pd, pd), F(start_addr, start), F(len, len));
	return mkc;
}

/* The same over one or two pages from @first on. */
static UNUSED uint8_t *pages_key_box(uint32_t pd, unsigned int first, uint64_t start,
				     uint64_t len)
{
	uint8_t *mkc = key_box(pd, start, len);

	SET(mkc, mkc, F(lw, 1), F(log_page_size, 12), F(translations_octword_size, 1));
	PRM_SET(create_mkey_in, b.in, translations_octword_actual_size, 1);
	pas(page(first));
	pas(start % 4096 + len > 4096 ? page(first + 1) : 0);
	return mkc;
}

/* Pages @first … of the device, as many as @n. */
static UNUSED void umem_box(uint16_t u, unsigned int first, unsigned int n)
{
	uint8_t *umem = PRM_ADDR(create_umem_in, b.in, umem);

	box(PRM_OP_CREATE_UMEM);
	uid(u);
	PRM_SET(umem, umem, num_of_mtt, n);
	for (unsigned int i = 0; i < n; i++)
		pas(page(first + i) | 3); /* to be read and written */
}

static UNUSED uint32_t new_umem(uint16_t u, unsigned int first, unsigned int n)
{
	return MADE(umem_box(u, first, n));
}

/* 64 entries: one page */
static UNUSED void eq_box(uint32_t uar)
{
	uint8_t *eqc = PRM_ADDR(create_eq_in, b.in, eq_context_entry);

	box(PRM_OP_CREATE_EQ);
	SET(eqc, eqc, F(log_eq_size, 6), F(uar_page, uar), F(intr, 2));
	PRM_SET(create_eq_in, b.in, event_bitmask, 1 << 4);
	pas(page(0));
}

static UNUSED uint32_t new_eq(uint32_t uar)
{
	return MADE(eq_box(uar));
}

/* 128 entries: two pages */
static UNUSED uint8_t *cq_box(uint32_t uar, uint32_t eqn)
{
	uint8_t *cqc = PRM_ADDR(create_cq_in, b.in, cq_context);

	box(PRM_OP_CREATE_CQ);
	SET(cqc, cqc, F(log_cq_size, 7), F(uar_page, uar), F(c_eqn_or_apu_element, eqn),
	    F(dbr_addr, (uintptr_t)dbrec));
	pas(page(1));
	pas(page(2));
	return cqc;
}

static UNUSED uint32_t new_cq(uint32_t uar, uint32_t eqn)
{
	return MADE(cq_box(uar, eqn));
}

/* Objects that a QP needs; n are those of a suite each of whose tests has them. */
struct needs {
	uint32_t pd, uar, eq, cq;
};

static UNUSED struct needs new_needs(void)
{
	struct needs n = { .pd = new_pd(0), .uar = new_uar(0) };

	n.eq = new_eq(n.uar);
	n.cq = new_cq(n.uar, n.eq);
	return n;
}

static UNUSED struct needs n;

static UNUSED void setup_needs_as(const char *name)
{
	setup_as(name);
	n = new_needs();
}

static UNUSED void setup_needs(void)
{
	setup_needs_as("cx5");
}

#define NEEDS_SUITE(name) TestSuite(name, .init = setup_needs, .fini = teardown)

/* RQ: 16 WQEs of 64 bytes; SQ: 64 basic blocks: 5120 bytes in two pages. */
static UNUSED uint8_t *qp_box(const struct needs *n)
{
	uint8_t *qpc = PRM_ADDR(create_qp_in, b.in, qpc);

	box(PRM_OP_CREATE_QP);
	SET(qpc, qpc, F(pm_state, 3), F(pd, n->pd), F(log_rq_size, 4), F(log_rq_stride, 2),
	    F(log_sq_size, 6), F(uar_page, n->uar), F(user_index, 0x123456), F(cqn_snd, n->cq),
	    F(cqn_rcv, n->cq), F(dbr_addr, (uintptr_t)dbrec));
	pas(page(3));
	pas(page(4));
	return qpc;
}

static UNUSED uint32_t new_qp(const struct needs *n)
{
	return MADE(qp_box(n));
}

/* The context of QP @qpn as QUERY_QP shows it. */
static UNUSED const uint8_t *query_qp(uint32_t qpn)
{
	cr_assert_eq(execute_on(PRM_OP_QUERY_QP, qpn), FW_OK);
	return PRM_ADDR(query_qp_out, b.out, qpc);
}

/* A modify command for @qpn; returns its QPC. */
static UNUSED uint8_t *modify_box(uint32_t opcode, uint32_t qpn)
{
	box(opcode);
	PRM_SET(rst2init_qp_in, b.in, qpn, qpn);
	return PRM_ADDR(rst2init_qp_in, b.in, qpc);
}

#define ADS(qpc_) PRM_ADDR(qpc, qpc_, primary_address_path)

static UNUSED void init_box(uint32_t qpn)
{
	uint8_t *qpc = modify_box(PRM_OP_RST2INIT_QP, qpn);

	SET(qpc, qpc, F(pm_state, 3), F(rwe, 1));
	PRM_SET(ads, ADS(qpc), vhca_port_num, 1);
}

static UNUSED uint8_t *rtr_box(uint32_t qpn)
{
	uint8_t *qpc = modify_box(PRM_OP_INIT2RTR_QP, qpn);

	SET(qpc, qpc, F(mtu, 3), F(log_msg_max, 30), F(remote_qpn, 0x60041),
	    F(next_rcv_psn, 0xabcdef), F(log_rra_max, 2), F(min_rnr_nak, 12));
	SET(ads, ADS(qpc), F(src_addr_index, 3), F(hop_limit, 64), F(tclass, 0x68),
	    F(flow_label, 0x12345), F(udp_sport, 0xc123), F(rmac_47_32, 0x0200),
	    F(rmac_31_0, 0x00000006), F(vhca_port_num, 1));
	memset(PRM_ADDR(ads, ADS(qpc), rgid_rip), 0x77, 16);
	return qpc;
}

static UNUSED uint8_t *rts_box(uint32_t qpn)
{
	uint8_t *qpc = modify_box(PRM_OP_RTR2RTS_QP, qpn);

	SET(qpc, qpc, F(next_send_psn, 0x123), F(log_sra_max, 1), F(retry_count, 7),
	    F(rnr_retry, 6));
	PRM_SET(ads, ADS(qpc), ack_timeout, 14);
	return qpc;
}

static UNUSED uint32_t new_qp_in_rts(const struct needs *n)
{
	uint32_t qpn = new_qp(n);

	BOX_OK(init_box(qpn));
	BOX_OK(rtr_box(qpn));
	BOX_OK(rts_box(qpn));
	return qpn;
}

#endif
