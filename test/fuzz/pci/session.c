/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands of an honest driver, in order:
 *
 *	ENABLE_HCA  pages  INIT_HCA  UAR PD EQ CQ mkey  QP: RST2INIT INIT2RTR RTR2RTS (of itself)
 *	TD TIS SQ RQ TIR  flow table, group, entry, root  queries
 *
 * Each is kept for hostile.c.
 */
#include <endian.h>
#include <sched.h>

#include "fuzz_pci.h"

#define GID    3
#define WQES   64u   /* of the QP's send queue */
#define SQ_OFF 1024u /* after the receive queue */
#define LEN    64u
#define NO_CQE 0xff

enum { SYNDROME = 55, OP_OWN = 63 }; /* of a CQE */

struct command session[SESSION];
unsigned int nsession;
struct numbers numbers;

static struct command *now;
static uint32_t posted;

/* ---- one command ---- */

static uint8_t *begin(uint16_t opcode)
{
	const struct prm_cmd *cmd = prm_cmd(opcode);

	FUZZ_CHECK(nsession < SESSION, "the session is too long");
	now = &session[nsession++];
	memset(now, 0, sizeof(*now));
	now->opcode = opcode;
	now->in_len = cmd->in->bytes;
	now->out_len = cmd->out->bytes < BOX ? cmd->out->bytes : BOX;
	PRM_SET(mbox_in, now->in, opcode, opcode);
	return now->in;
}

/* Appends to the inbox. */
static void pas(uint64_t bus)
{
	bus = htobe64(bus);
	memcpy(now->in + now->in_len, &bus, sizeof(bus));
	now->in_len += sizeof(bus);
}

/* The 24 bits after the syndrome and a byte: the number of what was made. */
static uint32_t end(void)
{
	uint8_t delivery, out[BOX] = { 0 };

	guest_fill(now);
	guest_ring(1);
	FUZZ_CHECK(guest_taken(&delivery, out, now->out_len) && !delivery,
		   "command 0x%x is not delivered: 0x%x", now->opcode, delivery);
	FUZZ_CHECK(!out[0], "command 0x%x: status 0x%x, syndrome 0x%x", now->opcode, out[0],
		   (unsigned int)PRM_GET(mbox_out, out, syndrome));
	return (uint32_t)prm_load(out, 72, 24);
}

static uint32_t plain(uint16_t opcode)
{
	begin(opcode);
	return end();
}

/* With @number in the dword after the header. */
static void on(uint16_t opcode, uint32_t number)
{
	prm_store(begin(opcode), 64, 32, number);
	end();
}

/* ---- the life ---- */

static void give_pages(uint16_t stage)
{
	static uint32_t given;
	uint8_t delivery, out[16] = { 0 };
	uint32_t n;

	if (stage == 1)
		given = 0;
	PRM_SET(query_pages_in, begin(PRM_OP_QUERY_PAGES), op_mod, stage);
	end();
	guest_taken(&delivery, out, sizeof(out));
	n = (uint32_t)prm_load(out, 96, 32);
	PRM_SET(manage_pages_in, begin(PRM_OP_MANAGE_PAGES), op_mod, 1);
	PRM_SET(manage_pages_in, now->in, input_num_entries, n);
	for (uint32_t i = 0; i < n; i++, given++)
		pas(guest_bus(HOME, PAGES / PAGE + given));
	end();
}

/* ---- objects ---- */

static void make_eq(void)
{
	uint8_t *in = begin(PRM_OP_CREATE_EQ), *eqc;

	eqc = PRM_ADDR(create_eq_in, in, eq_context_entry);
	PRM_SET(eqc, eqc, log_eq_size, 6);
	PRM_SET(eqc, eqc, uar_page, numbers.uar);
	PRM_SET(eqc, eqc, intr, 2);
	PRM_SET(create_eq_in, in, event_bitmask, 1 << 10 | 1 << 4); /* commands, CQ errors */
	pas(guest_bus(TWIN, EQ_AT));
	numbers.eq = end() & 0xff;
}

static void make_cq(void)
{
	uint8_t *in = begin(PRM_OP_CREATE_CQ), *cqc = PRM_ADDR(create_cq_in, in, cq_context);

	PRM_SET(cqc, cqc, log_cq_size, 6);
	PRM_SET(cqc, cqc, oi, 1);
	PRM_SET(cqc, cqc, uar_page, numbers.uar);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, numbers.eq);
	PRM_SET(cqc, cqc, dbr_addr, guest_bus(TWIN, RECORDS));
	pas(guest_bus(TWIN, CQ_AT));
	numbers.cq = end();
}

/* With all rights. @mode: mkc.access_mode */
static uint8_t *mkey(uint8_t mode)
{
	uint8_t *mkc;

	mkc = PRM_ADDR(create_mkey_in, begin(PRM_OP_CREATE_MKEY), memory_key_mkey_entry);
	PRM_SET(mkc, mkc, access_mode_1_0, mode);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, lw, 1);
	PRM_SET(mkc, mkc, rr, 1);
	PRM_SET(mkc, mkc, rw, 1);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, numbers.pd);
	return mkc;
}

/* All of TWIN, at its bus addresses; and the whole bus. */
static void make_mkeys(void)
{
	uint8_t *mkc = mkey(1);

	PRM_SET(mkc, mkc, start_addr, guest_bus(TWIN, 0));
	PRM_SET(mkc, mkc, len, TWIN_PAGES * PAGE);
	PRM_SET(mkc, mkc, log_page_size, 12);
	PRM_SET(mkc, mkc, translations_octword_size, TWIN_PAGES / 2);
	PRM_SET(create_mkey_in, now->in, translations_octword_actual_size, TWIN_PAGES / 2);
	for (uint32_t i = 0; i < TWIN_PAGES; i++)
		pas(guest_bus(TWIN, i));
	numbers.mkey = end() << 8;
	PRM_SET(mkc, mkey(0), length64, 1);
	numbers.bus_mkey = end() << 8;
}

/* RQ: 16 WQEs of 64 bytes, SQ: 64 blocks. */
static void make_qp(void)
{
	uint8_t *in = begin(PRM_OP_CREATE_QP), *qpc = PRM_ADDR(create_qp_in, in, qpc);

	PRM_SET(qpc, qpc, pm_state, 3);
	PRM_SET(qpc, qpc, pd, numbers.pd);
	PRM_SET(qpc, qpc, log_rq_size, 4);
	PRM_SET(qpc, qpc, log_rq_stride, 2);
	PRM_SET(qpc, qpc, log_sq_size, 6);
	PRM_SET(qpc, qpc, uar_page, numbers.uar);
	PRM_SET(qpc, qpc, cqn_snd, numbers.cq);
	PRM_SET(qpc, qpc, cqn_rcv, numbers.cq);
	PRM_SET(qpc, qpc, dbr_addr, guest_bus(TWIN, RECORDS) + 64);
	pas(guest_bus(TWIN, QP_AT));
	pas(guest_bus(TWIN, QP_AT + 1));
	numbers.qp = end();
}

/* ---- the QP, connected to itself ---- */

static void set_gid(uint8_t *addr)
{
	memset(addr, 0x11, 16);
	addr[0] = 0x20;
	PRM_SET(roce_addr_layout, addr, source_mac_47_32, 0x0255);
	PRM_SET(roce_addr_layout, addr, source_mac_31_0, 0x01020304);
	PRM_SET(roce_addr_layout, addr, roce_l3_type, 1);
	PRM_SET(roce_addr_layout, addr, roce_version, 2);
}

static uint8_t *modify(uint16_t opcode)
{
	uint8_t *in = begin(opcode);

	PRM_SET(rst2init_qp_in, in, qpn, numbers.qp);
	return PRM_ADDR(rst2init_qp_in, in, qpc);
}

/* Packets of the session before, which had the same numbers, may still come: PSNs begin
 * anywhere. */
static void connect_qp(void)
{
	uint8_t gid[PRM_SZ(roce_addr_layout)] = { 0 }, *in, *qpc, *ads;
	const uint32_t psn = chance() & 0xffffff;

	in = begin(PRM_OP_SET_ROCE_ADDRESS);
	PRM_SET(set_roce_address_in, in, roce_address_index, GID);
	set_gid(gid);
	memcpy(PRM_ADDR(set_roce_address_in, in, roce_address), gid, sizeof(gid));
	end();
	qpc = modify(PRM_OP_RST2INIT_QP);
	PRM_SET(qpc, qpc, pm_state, 3);
	PRM_SET(qpc, qpc, rwe, 1);
	PRM_SET(qpc, qpc, rre, 1);
	PRM_SET(ads, PRM_ADDR(qpc, qpc, primary_address_path), vhca_port_num, 1);
	end();
	qpc = modify(PRM_OP_INIT2RTR_QP);
	ads = PRM_ADDR(qpc, qpc, primary_address_path);
	PRM_SET(qpc, qpc, mtu, 3);
	PRM_SET(qpc, qpc, log_msg_max, 30);
	PRM_SET(qpc, qpc, remote_qpn, numbers.qp);
	PRM_SET(qpc, qpc, min_rnr_nak, 1);
	PRM_SET(qpc, qpc, next_rcv_psn, psn);
	PRM_SET(ads, ads, src_addr_index, GID);
	PRM_SET(ads, ads, hop_limit, 64);
	PRM_SET(ads, ads, udp_sport, 0xc123);
	PRM_SET(ads, ads, vhca_port_num, 1);
	PRM_SET(ads, ads, rmac_47_32, 0x0255);
	PRM_SET(ads, ads, rmac_31_0, 0x01020304);
	memcpy(PRM_ADDR(ads, ads, rgid_rip), gid, 16);
	end();
	qpc = modify(PRM_OP_RTR2RTS_QP);
	PRM_SET(qpc, qpc, next_send_psn, psn);
	PRM_SET(qpc, qpc, retry_count, 7);
	PRM_SET(qpc, qpc, rnr_retry, 7);
	PRM_SET(ads, PRM_ADDR(qpc, qpc, primary_address_path), ack_timeout, 14);
	end();
}

/* ---- Ethernet ---- */

/* Fields of both contexts: 64 entries of 64 bytes. */
static uint8_t *queue(uint16_t opcode, uint32_t page, uint32_t record)
{
	uint8_t *in = begin(opcode), *ctx = PRM_ADDR(create_sq_in, in, ctx);
	uint8_t *wq = PRM_ADDR(sqc, ctx, wq);

	PRM_SET(wq, wq, wq_type, 1);
	PRM_SET(wq, wq, pd, numbers.pd);
	PRM_SET(wq, wq, dbr_addr, guest_bus(TWIN, RECORDS) + record);
	PRM_SET(wq, wq, log_wq_stride, 6);
	PRM_SET(wq, wq, log_wq_sz, 6);
	PRM_SET(sqc, ctx, cqn, numbers.cq);
	pas(guest_bus(TWIN, page));
	return ctx;
}

static void make_ready(uint16_t opcode, uint32_t number)
{
	uint8_t *in = begin(opcode);

	PRM_SET(modify_sq_in, in, sqn, number);
	PRM_SET(sqc, PRM_ADDR(modify_sq_in, in, ctx), state, 1);
	end();
}

static void make_ethernet(void)
{
	uint8_t *ctx;

	numbers.td = plain(PRM_OP_ALLOC_TRANSPORT_DOMAIN);
	ctx = PRM_ADDR(create_tis_in, begin(PRM_OP_CREATE_TIS), ctx);
	PRM_SET(tisc, ctx, transport_domain, numbers.td);
	numbers.tis = end();
	ctx = queue(PRM_OP_CREATE_SQ, SQ_AT, 128);
	PRM_SET(sqc, ctx, tis_lst_sz, 1);
	PRM_SET(sqc, ctx, tis_num_0, numbers.tis);
	PRM_SET(wq, PRM_ADDR(sqc, ctx, wq), uar_page, numbers.uar);
	numbers.sq = end();
	make_ready(PRM_OP_MODIFY_SQ, numbers.sq);
	ctx = queue(PRM_OP_CREATE_RQ, RQ_AT, 192);
	PRM_SET(rqc, ctx, vsd, 1);
	numbers.rq = end();
	make_ready(PRM_OP_MODIFY_RQ, numbers.rq);
	ctx = PRM_ADDR(create_tir_in, begin(PRM_OP_CREATE_TIR), ctx);
	PRM_SET(tirc, ctx, inline_rqn, numbers.rq);
	PRM_SET(tirc, ctx, transport_domain, numbers.td);
	numbers.tir = end();
}

/* Everything that arrives goes to the TIR. Offsets: the inboxes' of flow steering. */
static void make_table(void)
{
	uint8_t *in = begin(PRM_OP_CREATE_FLOW_TABLE);

	in[0x1b] = 3;
	numbers.table = end();
	in = begin(PRM_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_id, numbers.table);
	PRM_SET(create_flow_group_in, in, end_flow_index, 7);
	numbers.group = end();
	in = begin(PRM_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, table_id, numbers.table);
	prm_store(in, 0x44 * 8, 32, numbers.group);
	in[0x4f] = 4; /* forward */
	in[0x53] = 1; /* destination */
	pas((uint64_t)2 << 56 | (uint64_t)numbers.tir << 32);
	end();
	in = begin(PRM_OP_SET_FLOW_TABLE_ROOT);
	PRM_SET(set_flow_table_root_in, in, table_id, numbers.table);
	end();
}

static void ask(void)
{
	plain(PRM_OP_NOP);
	plain(PRM_OP_QUERY_ADAPTER);
	plain(PRM_OP_QUERY_HCA_CAP);
	plain(PRM_OP_QUERY_NIC_VPORT_CONTEXT);
	on(PRM_OP_QUERY_QP, numbers.qp);
	on(PRM_OP_QUERY_CQ, numbers.cq);
	on(PRM_OP_QUERY_EQ, numbers.eq);
	on(PRM_OP_QUERY_MKEY, numbers.mkey >> 8);
	on(PRM_OP_QUERY_SQ, numbers.sq);
	on(PRM_OP_QUERY_RQ, numbers.rq);
	on(PRM_OP_QUERY_TIR, numbers.tir);
}

void session_begin(void)
{
	nsession = 0;
	posted = 0;
	guest_reset();
	guest_master();
	memset(guest_at(TWIN, 0), 0, TWIN_PAGES * PAGE);
	memset(guest_at(TWIN, CQ_AT), NO_CQE, PAGE);
	plain(PRM_OP_ENABLE_HCA);
	give_pages(1);
	give_pages(2);
	plain(PRM_OP_INIT_HCA);
	numbers.uar = plain(PRM_OP_ALLOC_UAR);
	numbers.pd = plain(PRM_OP_ALLOC_PD);
	make_eq();
	make_cq();
	make_mkeys();
	make_qp();
	connect_qp();
	make_ethernet();
	make_table();
	ask();
}

/* ---- traffic ---- */

void session_post(uint32_t key, uint64_t from, uint64_t to, uint32_t len)
{
	uint8_t *wqe = guest_at(TWIN, QP_AT) + SQ_OFF + posted % WQES * 64;

	memset(wqe, 0, 64);
	core_put_be32(wqe, (posted & 0xffff) << 8 | 0x08); /* RDMA_WRITE */
	core_put_be32(wqe + 4, numbers.qp << 8 | 3);
	core_put_be32(wqe + 8, 2 << 2);
	core_put_be32(wqe + 16, to >> 32);
	core_put_be32(wqe + 20, (uint32_t)to);
	core_put_be32(wqe + 24, key);
	core_put_be32(wqe + 32, len);
	core_put_be32(wqe + 36, key);
	core_put_be32(wqe + 40, from >> 32);
	core_put_be32(wqe + 44, (uint32_t)from);
	core_put_be32(guest_at(TWIN, RECORDS) + 64 + 4, ++posted & 0xffff);
}

void session_works(void)
{
	const uint8_t *wqe = guest_at(TWIN, QP_AT) + SQ_OFF + posted % WQES * 64;
	const volatile uint8_t *cqe = guest_at(TWIN, CQ_AT);

	chance_bytes(guest_at(TWIN, FROM), LEN);
	session_post(numbers.mkey, guest_bus(TWIN, FROM), guest_bus(TWIN, TO), LEN);
	guest_write(BAR0, (uint64_t)numbers.uar * PAGE + 0x800, wqe, 8);
	while (cqe[OP_OWN] == NO_CQE)
		sched_yield(); /* round_begin() has an alarm */
	FUZZ_CHECK(!cqe[OP_OWN], "the WRITE ends with op_own 0x%x, syndrome 0x%x", cqe[OP_OWN],
		   cqe[SYNDROME]);
	FUZZ_CHECK(!memcmp(guest_at(TWIN, TO), guest_at(TWIN, FROM), LEN),
		   "the WRITE wrote other bytes");
}
