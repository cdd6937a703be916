/* SPDX-License-Identifier: BSD-2-Clause */
/* Random sequences: objects of all kinds are made of one another, changed, queried and
 * destroyed, in any order. Not those that a virtual machine's function does not have, device
 * memory and regions on demand, or a sequence would be another one there. */
#include <fcntl.h>

#include "calls.h"

enum kind { PD, MR, MW, CQ, SRQ, QP, AH, XRCD, WQ, TABLE, KINDS };
enum { SLOTS = 6, CALLS = 40, NO_ODP = IBV_ACCESS_ON_DEMAND };

static const char *const names[] = { "pd", "mr", "mw",	 "cq", "srq",
				     "qp", "ah", "xrcd", "wq", "table" };
static void *slot[KINDS][SLOTS];
static enum ibv_qp_type qp_type[SLOTS];
static unsigned int qp_state[SLOTS];
static uint64_t state;

/* xorshift* */
static uint32_t chance(uint32_t n)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1dull) >> 33) % n;
}

/* An object of that kind, or NULL. */
static void *any(enum kind k)
{
	return slot[k][chance(SLOTS)];
}

static uint32_t size(void)
{
	static const uint32_t sizes[] = { 0,  1,  2,  3,   4,	7,   8,	  16,
					  31, 63, 64, 100, 128, 511, 1000 };

	return sizes[chance(COUNT(sizes))];
}

static struct ibv_ah_attr path(void)
{
	struct ibv_ah_attr a = { .grh = { .dgid = bench.gid,
					  .hop_limit = (uint8_t)chance(256) },
				 .is_global = 1,
				 .port_num = 1 };

	if (!chance(6))
		a.grh.sgid_index = (uint8_t)chance(6);
	if (!chance(6))
		a.sl = (uint8_t)chance(10);
	if (!chance(6))
		a.static_rate = (uint8_t)chance(26);
	if (!chance(10))
		a.port_num = (uint8_t)chance(3);
	if (!chance(10))
		a.is_global = (uint8_t)chance(2);
	a.grh.traffic_class = (uint8_t)chance(256);
	a.grh.flow_label = chance(1 << 20);
	return a;
}

static void *make_qp(unsigned int to)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC,	     IBV_QPT_RC,
						  IBV_QPT_UC,	     IBV_QPT_UD,
						  IBV_QPT_XRC_SEND,  IBV_QPT_XRC_RECV,
						  IBV_QPT_RAW_PACKET };
	struct ibv_qp_init_attr_ex a = { .send_cq = any(CQ),
					 .recv_cq = any(CQ),
					 .srq = chance(3) ? NULL : any(SRQ),
					 .qp_type = types[chance(COUNT(types))],
					 .cap = { size(), size(), chance(6), chance(6),
						  size() },
					 .sq_sig_all = (int)chance(2),
					 .pd = any(PD),
					 .xrcd = any(XRCD) };

	a.comp_mask =
		a.qp_type == IBV_QPT_XRC_RECV ? IBV_QP_INIT_ATTR_XRCD : IBV_QP_INIT_ATTR_PD;
	/* libmlx5 reads these, and would read CQs that the kernel does not keep for the QP. */
	if (a.qp_type == IBV_QPT_XRC_RECV ? !a.xrcd : !a.pd || !a.send_cq || !a.recv_cq)
		return NULL;
	if (a.qp_type == IBV_QPT_XRC_RECV)
		a.send_cq = NULL;
	if (a.qp_type == IBV_QPT_XRC_RECV || a.qp_type == IBV_QPT_XRC_SEND)
		a.recv_cq = NULL;
	qp_type[to] = a.qp_type;
	qp_state[to] = IBV_QPS_RESET;
	return MADE(ibv_create_qp_ex(bench.ctx, &a),
		    "ibv_create_qp_ex type=%u cap=%u/%u/%u/%u/%u srq=%d cqs=%d,%d", a.qp_type,
		    a.cap.max_send_wr, a.cap.max_recv_wr, a.cap.max_send_sge,
		    a.cap.max_recv_sge, a.cap.max_inline_data, !!a.srq, !!a.send_cq,
		    !!a.recv_cq);
}

static void *make_srq(void)
{
	struct ibv_srq_init_attr_ex a = { .attr = { size(), chance(6), chance(4) },
					  .comp_mask =
						  IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
					  .srq_type = IBV_SRQT_BASIC,
					  .pd = any(PD),
					  .xrcd = any(XRCD),
					  .cq = any(CQ) };

	if (!a.pd)
		return NULL;
	if (a.xrcd && a.cq && chance(2)) {
		a.srq_type = IBV_SRQT_XRC;
		a.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	}
	return MADE(ibv_create_srq_ex(bench.ctx, &a),
		    "ibv_create_srq_ex type=%u max_wr=%u max_sge=%u limit=%u", a.srq_type,
		    a.attr.max_wr, a.attr.max_sge, a.attr.srq_limit);
}

static void *make_table(void)
{
	struct ibv_wq *wqs[8];
	uint32_t log_size = chance(4);

	for (size_t i = 0; i < COUNT(wqs); i++)
		if (!(wqs[i] = any(WQ)))
			return NULL;
	return MADE(
		ibv_create_rwq_ind_table(
			bench.ctx, &(struct ibv_rwq_ind_table_init_attr){ log_size, wqs, 0 }),
		"ibv_create_rwq_ind_table log_size=%u", log_size);
}

static void *make(enum kind k, unsigned int to)
{
	struct ibv_pd *pd = any(PD);
	struct ibv_ah_attr ah;
	uint32_t a, b, c;

	if (!pd && k != PD && k != CQ && k != XRCD && k != TABLE && k != QP)
		return NULL;
	switch (k) {
	case PD:
		return MADE(ibv_alloc_pd(bench.ctx), "ibv_alloc_pd");
	case MR:
		a = chance(MEMORY / 2);
		b = chance(4) ? chance(MEMORY / 2) : 0;
		c = chance(NO_ODP);
		return MADE(ibv_reg_mr(pd, bench.memory + a, b, (int)c),
			    "ibv_reg_mr offset=%u length=%u access=%#x", a, b, c);
	case MW:
		a = chance(4);
		return MADE(ibv_alloc_mw(pd, (enum ibv_mw_type)a), "ibv_alloc_mw type=%u", a);
	case CQ:
		a = size();
		b = chance(8) ? 0 : chance(3);
		return MADE(ibv_create_cq(bench.ctx, (int)a, NULL, NULL, b ? 1000 : 0),
			    "ibv_create_cq cqe=%u vector=%u", a, b ? 1000 : 0);
	case SRQ:
		return make_srq();
	case QP:
		return make_qp(to);
	case AH:
		ah = path();
		return MADE(ibv_create_ah(pd, &ah), "ibv_create_ah");
	case XRCD:
		return MADE(ibv_open_xrcd(bench.ctx,
					  &(struct ibv_xrcd_init_attr){ 3, -1, O_CREAT }),
			    "ibv_open_xrcd");
	case WQ:
		a = size();
		b = chance(6);
		return !slot[CQ][0] ? NULL
				    : MADE(ibv_create_wq(bench.ctx,
							 &(struct ibv_wq_init_attr){
								 .max_wr = a,
								 .max_sge = b,
								 .pd = pd,
								 .cq = slot[CQ][0] }),
					   "ibv_create_wq max_wr=%u max_sge=%u", a, b);
	case TABLE:
		return make_table();
	default:
		return NULL;
	}
}

static int destroy(enum kind k, void *object, unsigned int i)
{
	const char *name = names[k];

	step("destroy %s %u", name, i);
	errno = 0;
	switch (k) {
	case PD:
		return done(ibv_dealloc_pd(object));
	case MR:
		return done(ibv_dereg_mr(object));
	case MW:
		return done(ibv_dealloc_mw(object));
	case CQ:
		return done(ibv_destroy_cq(object));
	case SRQ:
		return done(ibv_destroy_srq(object));
	case QP:
		return done(ibv_destroy_qp(object));
	case AH:
		return done(ibv_destroy_ah(object));
	case XRCD:
		return done(ibv_close_xrcd(object));
	case WQ:
		return done(ibv_destroy_wq(object));
	case TABLE:
		return done(ibv_destroy_rwq_ind_table(object));
	default:
		return 0;
	}
}

/* Mostly one step ahead, with the attributes of that; at times to anywhere, with any
 * attributes and values. */
static void move(struct ibv_qp *qp, unsigned int i)
{
	unsigned int to = chance(3) ? qp_state[i] + 1 : chance(8);
	struct ibv_qp_attr a = qp_attributes();
	int mask = IBV_QP_STATE | qp_required(qp_type[i], qp_state[i], to);

	if (!chance(4))
		mask ^= 1 << chance(26);
	if (!chance(4)) {
		a.ah_attr = path();
		a.path_mtu = (enum ibv_mtu)chance(7);
		a.max_rd_atomic = (uint8_t)chance(20);
		a.max_dest_rd_atomic = (uint8_t)chance(20);
		a.timeout = (uint8_t)chance(34);
		a.retry_cnt = (uint8_t)chance(9);
		a.rnr_retry = (uint8_t)chance(9);
		a.min_rnr_timer = (uint8_t)chance(34);
		a.pkey_index = (uint16_t)chance(2);
		a.qp_access_flags = chance(32);
	}
	a.qp_state = (enum ibv_qp_state)to;
	a.cur_qp_state = (enum ibv_qp_state)qp_state[i];
	if (!DONE(ibv_modify_qp(qp, &a, mask), "ibv_modify_qp %u type=%u %u to %u mask=%#x", i,
		  qp_type[i], qp_state[i], to, mask) &&
	    mask & IBV_QP_STATE)
		qp_state[i] = to;
}

static void change(enum kind k, void *object, unsigned int i)
{
	uint32_t a = chance(8), b = chance(NO_ODP), c = size();
	struct ibv_srq_attr srq = { .srq_limit = c };

	if (k == QP && chance(4))
		move(object, i);
	else if (k == QP)
		query_qp(object);
	else if (k == MR && slot[PD][0])
		DONE(ibv_rereg_mr(object, (int)a, slot[PD][0], bench.memory, c, (int)b),
		     "ibv_rereg_mr flags=%u length=%u access=%#x", a, c, b);
	else if (k == CQ && chance(2))
		DONE(ibv_resize_cq(object, (int)c), "ibv_resize_cq cqe=%u", c);
	else if (k == CQ)
		DONE(ibv_modify_cq(
			     object,
			     &(struct ibv_modify_cq_attr){ 1, { (uint16_t)c, (uint16_t)b } }),
		     "ibv_modify_cq count=%u period=%u", c, b);
	else if (k == SRQ && chance(2))
		DONE(ibv_modify_srq(object, &srq, IBV_SRQ_LIMIT), "ibv_modify_srq limit=%u", c);
	else if (k == SRQ) {
		if (!DONE(ibv_query_srq(object, &srq), "ibv_query_srq"))
			put("max_wr=%u max_sge=%u limit=%u", srq.max_wr, srq.max_sge,
			    srq.srq_limit);
	} else if (k == WQ)
		DONE(ibv_modify_wq(
			     object,
			     &(struct ibv_wq_attr){ .attr_mask = 1,
						    .wq_state = (enum ibv_wq_state)(a % 3) }),
		     "ibv_modify_wq to %u", a % 3);
}

static void call(void)
{
	enum kind k = (enum kind)chance(KINDS);
	unsigned int i = chance(SLOTS);

	if (!chance(3))
		k = QP;
	if (!slot[k][i])
		slot[k][i] = make(k, i);
	else if (chance(k == QP ? 12 : 3))
		change(k, slot[k][i], i);
	else if (!destroy(k, slot[k][i], i))
		slot[k][i] = NULL;
}

/* Objects that use others go first. */
static void end(void)
{
	static const enum kind order[] = { TABLE, QP, WQ, SRQ, AH, MW, MR, CQ, XRCD, PD };

	for (size_t k = 0; k < COUNT(order); k++)
		for (unsigned int i = 0; i < SLOTS; i++)
			if (slot[order[k]][i]) {
				destroy(order[k], slot[order[k]][i], i);
				slot[order[k]][i] = NULL;
			}
}

void random_calls(uint64_t seed, unsigned int sequences)
{
	for (unsigned int n = 0; n < sequences; n++) {
		state = (seed + n) * 0x9e3779b97f4a7c15ull + 1;
		step("sequence %llu", (unsigned long long)seed + n);
		for (unsigned int i = 0; i < CALLS; i++)
			call();
		end();
	}
}
