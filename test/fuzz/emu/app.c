/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An adapter as preload makes one, with its engine paused, and an application that behaves.
 *
 *	app: PD, UAR, EQ, CQ, mkey, QPs of 16 receive WQEs and 64 basic blocks
 *	     made by firmware commands of uid 0, on memory that no fuzzed pointer leads to
 *
 * adapter_works() is the question after each group of cases: two such QPs, one WRITE.
 */
#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "prm/prm.h"
#include "unit/addresses.h"

#define BUF_KEY	    0x42
#define EQ_LOG	    6
#define CQ_LOG	    7
#define RQ_SHARED   1 /* qpc.rq_type */
#define RMP_READY   1
#define WQ_LINKED   0
#define WQE_WRITE   0x08
#define DCI	    5 /* qpc.st */
#define CE_ALWAYS   0x08
#define CQE_OPCODE  63 /* byte: opcode, owner */
#define PATIENCE_NS 2000000000ull

static_assert(APP_CQE == 1 << CQ_LOG, "CQ");

const char *adapter_fabric(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "fuzz-%d", (int)getpid());
	return name;
}

void adapter_up(struct adapter *a, bool driver)
{
	static const uint8_t mac[6] = { 0x02, 0xc5, 10, 0, 0, 1 };
	const struct fw_device *kind = fw_device_next(NULL);
	struct uverbs_config cfg = { .pci_id = kind->pci_id,
				     .fw_ver = kind->fw_ver,
				     .addresses = test_addresses,
				     .naddresses = TEST_ADDRESSES };

	memset(a, 0, sizeof(*a));
	a->w = wire_open(adapter_fabric());
	FUZZ_CHECK(a->w, "no slot on the fabric");
	FUZZ_CHECK(!hca_init(&a->hca, wire_slot(a->w)), "no adapter");
	memcpy(a->hca.port.mac, mac, sizeof(mac));
	a->hca.port.mtu = 4096;
	a->hca.port.node_guid = 0x02c50afffe000001ull;
	fw_init(&a->hca, kind);
	a->hca.irq = uverbs_irq;
	a->hca.kick = engine_kick;
	if (driver) {
		a->u = uverbs_probe(&a->hca, &cfg);
		FUZZ_CHECK(a->u, "the driver does not bind");
	}
	a->net = net_open(&a->hca, a->w);
	FUZZ_CHECK(a->net, "no network");
	a->e = engine_start(&a->hca, a->w, a->net);
	FUZZ_CHECK(a->e, "no engine");
	engine_pause(a->e);
}

void adapter_down(struct adapter *a)
{
	engine_stop(a->e);
	if (a->u)
		uverbs_remove(a->u);
	hca_fini(&a->hca);
	net_close(a->net);
	wire_close(a->w);
}

void adapter_step(struct adapter *a, unsigned int n)
{
	while (n-- && engine_step(a->e))
		;
}

const char *adapter_objects(const struct adapter *a)
{
	const struct hca *hca = &a->hca;
	static char text[384];

	snprintf(text, sizeof(text),
		 "uctx %u pd %u td %u uar %u mkey %u cq %u eq %u xrcd %u srq %u qp %u umem %u "
		 "psv %u tis %u sq %u rq %u tir %u rqt %u dct %u q counter %u flow counter %u "
		 "element %u general %u reserved qpn %u",
		 hca->uctx.used, hca->pds.used, hca->tds.used, hca->uars.used, hca->mkeys.used,
		 hca->cqs.used, hca->eqs.used, hca->xrcds.used, hca->srqs.used, hca->qps.used,
		 hca->umems.used, hca->psvs.used, hca->tiss.used, hca->sqs.used, hca->rqs.used,
		 hca->tirs.used, hca->rqts.used, hca->dcts.used, hca->q_counters.used,
		 hca->flow_counters.used, hca->scheds.used, hca->generals.used,
		 hca->reserved_qpns.used);
	return text;
}

/* ---- firmware ---- */

uint8_t app_fw(struct adapter *a, const void *in, size_t in_len, void *out, size_t out_len)
{
	hca_lock(&a->hca);
	fw_exec(&a->hca, in, in_len, out, out_len);
	hca_unlock(&a->hca);
	return ((const uint8_t *)out)[0];
}

/* A command of the application's that has to work. */
static void must(struct adapter *a, const void *in, size_t in_len, uint8_t out[16])
{
	uint8_t status = app_fw(a, in, in_len, out, 16);

	FUZZ_CHECK(status == FW_OK,
		   "command 0x%x of the application that behaves: status 0x%x, syndrome 0x%x",
		   (unsigned int)PRM_GET(mbox_in, in, opcode), status,
		   (unsigned int)PRM_GET(mbox_out, out, syndrome));
}

static uint32_t alloc(struct adapter *a, uint16_t opcode)
{
	uint8_t in[PRM_SZ(alloc_pd_in)] = { 0 }, out[16];

	PRM_SET(alloc_pd_in, in, opcode, opcode);
	must(a, in, sizeof(in), out);
	return PRM_GET(alloc_pd_out, out, pd);
}

static void number(struct adapter *a, uint16_t opcode, uint32_t n)
{
	uint8_t in[PRM_SZ(dealloc_pd_in)] = { 0 }, out[16];

	PRM_SET(dealloc_pd_in, in, opcode, opcode);
	PRM_SET(dealloc_pd_in, in, pd, n);
	must(a, in, sizeof(in), out);
}

static uint32_t make_eq(struct app *app)
{
	uint8_t in[PRM_SZ(create_eq_in) + 8] = { 0 }, out[16];
	uint8_t *eqc = PRM_ADDR(create_eq_in, in, eq_context_entry);

	PRM_SET(create_eq_in, in, opcode, PRM_OP_CREATE_EQ);
	PRM_SET(eqc, eqc, log_eq_size, EQ_LOG);
	PRM_SET(eqc, eqc, uar_page, app->uar);
	PRM_SET_AT(create_eq_in, in, pas, 0, (uintptr_t)app->eqes);
	must(app->a, in, sizeof(in), out);
	return PRM_GET(create_eq_out, out, eq_number);
}

static uint32_t make_cq(struct app *app)
{
	uint8_t in[PRM_SZ(create_cq_in) + 16] = { 0 }, out[16];
	uint8_t *cqc = PRM_ADDR(create_cq_in, in, cq_context);

	PRM_SET(create_cq_in, in, opcode, PRM_OP_CREATE_CQ);
	PRM_SET(cqc, cqc, log_cq_size, CQ_LOG);
	PRM_SET(cqc, cqc, uar_page, app->uar);
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, app->eq);
	PRM_SET(cqc, cqc, dbr_addr, (uintptr_t)app->cq_rec);
	for (int i = 0; i < 2; i++)
		PRM_SET_AT(create_cq_in, in, pas, i, (uintptr_t)app->cqes + i * 4096);
	must(app->a, in, sizeof(in), out);
	return PRM_GET(create_cq_out, out, cqn);
}

static uint32_t make_mkey(struct app *app)
{
	uint8_t in[PRM_SZ(create_mkey_in) + APP_BUF / 4096 * 8] = { 0 }, out[16];
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);

	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, APP_BUF / 4096 / 2);
	PRM_SET(mkc, mkc, a, 1);
	PRM_SET(mkc, mkc, rw, 1);
	PRM_SET(mkc, mkc, rr, 1);
	PRM_SET(mkc, mkc, lw, 1);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, access_mode_1_0, 1); /* MTT */
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, mkey_7_0, BUF_KEY);
	PRM_SET(mkc, mkc, pd, app->pd);
	PRM_SET(mkc, mkc, start_addr, (uintptr_t)app->buf);
	PRM_SET(mkc, mkc, len, APP_BUF);
	PRM_SET(mkc, mkc, translations_octword_size, APP_BUF / 4096 / 2);
	PRM_SET(mkc, mkc, log_page_size, 12);
	for (int i = 0; i < APP_BUF / 4096; i++)
		prm_store(PRM_ADDR(create_mkey_in, in, klm_pas_mtt) + i * 8, 0, 64,
			  (uintptr_t)app->buf + (uint64_t)i * 4096);
	must(app->a, in, sizeof(in), out);
	return PRM_GET(create_mkey_out, out, mkey_index) << 8 | BUF_KEY;
}

static uint32_t make_srq(struct app *app)
{
	uint8_t in[PRM_SZ(create_rmp_in) + 8] = { 0 }, out[16];
	uint8_t *rmpc = PRM_ADDR(create_rmp_in, in, ctx), *wq = PRM_ADDR(rmpc, rmpc, wq);

	PRM_SET(create_rmp_in, in, opcode, PRM_OP_CREATE_RMP);
	PRM_SET(rmpc, rmpc, state, RMP_READY);
	PRM_SET(wq, wq, wq_type, WQ_LINKED);
	PRM_SET(wq, wq, pd, app->pd);
	PRM_SET(wq, wq, dbr_addr, (uintptr_t)app->srq_rec);
	PRM_SET(wq, wq, log_wq_stride, 6);
	PRM_SET(wq, wq, log_wq_sz, 6);
	prm_store(in + PRM_SZ(create_rmp_in), 0, 64, (uintptr_t)app->srq);
	must(app->a, in, sizeof(in), out);
	return PRM_GET(create_rmp_out, out, rmpn);
}

static uint32_t make_qp(struct app *app, const struct app_qp *qp)
{
	uint8_t in[PRM_SZ(create_qp_in) + 16] = { 0 }, out[16];
	uint8_t *qpc = PRM_ADDR(create_qp_in, in, qpc);

	PRM_SET(create_qp_in, in, opcode, PRM_OP_CREATE_QP);
	PRM_SET(qpc, qpc, pm_state, 3);
	PRM_SET(qpc, qpc, pd, app->pd);
	PRM_SET(qpc, qpc, st, qp->st);
	if (qp->shared) {
		PRM_SET(qpc, qpc, rq_type, RQ_SHARED);
		PRM_SET(qpc, qpc, srqn_rmpn_xrqn, app->srqn);
	} else {
		PRM_SET(qpc, qpc, log_rq_size, 4);
		PRM_SET(qpc, qpc, log_rq_stride, 2);
	}
	PRM_SET(qpc, qpc, log_sq_size, 6);
	PRM_SET(qpc, qpc, uar_page, app->uar);
	PRM_SET(qpc, qpc, user_index, 7);
	PRM_SET(qpc, qpc, cqn_snd, app->cqn);
	PRM_SET(qpc, qpc, cqn_rcv, app->cqn);
	PRM_SET(qpc, qpc, dbr_addr, (uintptr_t)qp->rec);
	for (int i = 0; i < (qp->shared ? 1 : 2); i++)
		PRM_SET_AT(create_qp_in, in, pas, i, (uintptr_t)qp->queues + i * 4096);
	must(app->a, in, sizeof(in), out);
	return PRM_GET(create_qp_out, out, qpn);
}

/* ::ffff:10.0.0.1 by RoCE v2, whatever was at the index. */
static void set_gid(struct adapter *a)
{
	uint8_t in[PRM_SZ(set_roce_address_in)] = { 0 }, out[16];
	uint8_t *addr = PRM_ADDR(set_roce_address_in, in, roce_address);
	static const uint8_t gid[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 };

	PRM_SET(set_roce_address_in, in, opcode, PRM_OP_SET_ROCE_ADDRESS);
	PRM_SET(set_roce_address_in, in, roce_address_index, FUZZ_GID);
	memcpy(addr, gid, sizeof(gid));
	PRM_SET(roce_addr_layout, addr, source_mac_47_32, 0x02c5);
	PRM_SET(roce_addr_layout, addr, source_mac_31_0, 0x0a000001);
	PRM_SET(roce_addr_layout, addr, roce_version, 2);
	must(a, in, sizeof(in), out);
}

static uint32_t make_dct(struct app *app)
{
	uint8_t in[PRM_SZ(create_dct_in)] = { 0 }, out[16];
	uint8_t *dctc = PRM_ADDR(create_dct_in, in, dct_context_entry);

	set_gid(app->a);
	PRM_SET(create_dct_in, in, opcode, PRM_OP_CREATE_DCT);
	PRM_SET(dctc, dctc, pd, app->pd);
	PRM_SET(dctc, dctc, cqn, app->cqn);
	PRM_SET(dctc, dctc, srqn_xrqn, app->srqn);
	PRM_SET(dctc, dctc, dc_access_key, APP_DCKEY);
	PRM_SET(dctc, dctc, rre, 1);
	PRM_SET(dctc, dctc, rwe, 1);
	PRM_SET(dctc, dctc, rae, 1);
	PRM_SET(dctc, dctc, atomic_mode, 3);
	PRM_SET(dctc, dctc, min_rnr_nak, 1);
	PRM_SET(dctc, dctc, mtu, 3);
	PRM_SET(dctc, dctc, port, 1);
	PRM_SET(dctc, dctc, my_addr_index, FUZZ_GID);
	PRM_SET(dctc, dctc, hop_limit, 64);
	must(app->a, in, sizeof(in), out);
	return PRM_GET(create_dct_out, out, dctn);
}

static void *zeroed(size_t len)
{
	void *p = NULL;

	FUZZ_CHECK(!posix_memalign(&p, 4096, len), "out of memory");
	memset(p, 0, len);
	return p;
}

static void add_qp(struct app *app, unsigned int i, bool mixed)
{
	static const uint8_t services[] = { 0, 1, 0, 2, DCI }; /* RC, UC, RC, UD */
	struct app_qp *qp = &app->qp[i];

	qp->st = mixed ? services[i / 2] : 0;
	qp->shared = (mixed && i % 4 == 1) || qp->st == DCI;
	qp->queues = zeroed(8192);
	qp->sq = qp->queues + (qp->shared ? 0 : APP_RQ * 64);
	qp->rec = zeroed(64);
	qp->qpn = make_qp(app, qp);
}

void app_up(struct app *app, struct adapter *a, unsigned int qps, bool mixed)
{
	memset(app, 0, sizeof(*app));
	app->a = a;
	app->buf = zeroed(APP_BUF);
	app->cqes = zeroed(APP_CQE * 64);
	app->eqes = zeroed(4096);
	app->srq = zeroed(APP_SRQ * 64);
	app->cq_rec = zeroed(64);
	app->srq_rec = app->cq_rec + 8;
	memset(app->cqes, 0xff, APP_CQE * 64);
	app->pd = alloc(a, PRM_OP_ALLOC_PD);
	app->uar = alloc(a, PRM_OP_ALLOC_UAR);
	app->eq = make_eq(app);
	app->cqn = make_cq(app);
	app->mkey = make_mkey(app);
	app->srqn = make_srq(app);
	for (unsigned int i = 0; i < qps; i++)
		add_qp(app, i, mixed);
	if (mixed)
		app->dctn = make_dct(app);
}

void app_down(struct app *app)
{
	for (unsigned int i = 0; i < APP_QPS && app->qp[i].qpn; i++) {
		number(app->a, PRM_OP_2RST_QP, app->qp[i].qpn);
		number(app->a, PRM_OP_DESTROY_QP, app->qp[i].qpn);
		free(app->qp[i].queues);
		free((void *)app->qp[i].rec);
	}
	if (app->dctn) {
		number(app->a, PRM_OP_DRAIN_DCT, app->dctn);
		number(app->a, PRM_OP_DESTROY_DCT, app->dctn);
	}
	number(app->a, PRM_OP_DESTROY_RMP, app->srqn);
	number(app->a, PRM_OP_DESTROY_MKEY, app->mkey >> 8);
	number(app->a, PRM_OP_DESTROY_CQ, app->cqn);
	number(app->a, PRM_OP_DESTROY_EQ, app->eq);
	number(app->a, PRM_OP_DEALLOC_UAR, app->uar);
	number(app->a, PRM_OP_DEALLOC_PD, app->pd);
	free(app->buf);
	free(app->cqes);
	free(app->eqes);
	free(app->srq);
	free((void *)app->cq_rec);
}

/* ---- connecting ---- */

struct step {
	uint8_t in[PRM_SZ(rst2init_qp_in)];
	uint8_t *qpc, *ads;
};

static void begin(struct step *s, uint16_t opcode, const struct app_qp *qp)
{
	memset(s, 0, sizeof(*s));
	PRM_SET(rst2init_qp_in, s->in, opcode, opcode);
	PRM_SET(rst2init_qp_in, s->in, qpn, qp->qpn);
	s->qpc = PRM_ADDR(rst2init_qp_in, s->in, qpc);
	s->ads = PRM_ADDR(qpc, s->qpc, primary_address_path);
	PRM_SET(qpc, s->qpc, st, qp->st);
	PRM_SET(qpc, s->qpc, pm_state, 3);
	PRM_SET(ads, s->ads, vhca_port_num, 1);
}

static void end(struct step *s, struct adapter *a)
{
	uint8_t out[16];

	must(a, s->in, sizeof(s->in), out);
}

static void to_rtr(struct adapter *a, const struct app_qp *qp, uint32_t remote, uint32_t psn)
{
	struct step s;

	begin(&s, PRM_OP_INIT2RTR_QP, qp);
	PRM_SET(qpc, s.qpc, mtu, 3);
	PRM_SET(qpc, s.qpc, log_msg_max, 30);
	PRM_SET(qpc, s.qpc, remote_qpn, remote);
	PRM_SET(qpc, s.qpc, next_rcv_psn, psn);
	PRM_SET(qpc, s.qpc, log_rra_max, 2);
	PRM_SET(qpc, s.qpc, min_rnr_nak, 1);
	PRM_SET(ads, s.ads, src_addr_index, FUZZ_GID);
	PRM_SET(ads, s.ads, hop_limit, 64);
	PRM_SET(ads, s.ads, udp_sport, 0xc123);
	PRM_SET(ads, s.ads, rmac_47_32, 0x02c5);
	PRM_SET(ads, s.ads, rmac_31_0, 0x0a000001);
	memcpy(PRM_ADDR(ads, s.ads, rgid_rip), a->hca.port.gid[FUZZ_GID].raw, 16);
	end(&s, a);
}

void app_connect(struct app *app, struct app_qp *qp, uint32_t remote, uint32_t psn)
{
	struct adapter *a = app->a;
	struct step s;

	set_gid(a);
	number(a, PRM_OP_2RST_QP, qp->qpn);
	qp->pi = qp->rq_pi = 0;
	qp->rec[0] = qp->rec[1] = 0;
	begin(&s, PRM_OP_RST2INIT_QP, qp);
	PRM_SET(qpc, s.qpc, rwe, 1);
	PRM_SET(qpc, s.qpc, rre, 1);
	PRM_SET(qpc, s.qpc, rae, 1);
	PRM_SET(qpc, s.qpc, atomic_mode, 1);
	PRM_SET(qpc, s.qpc, q_key, qp->st == 2 ? APP_QKEY : 0);
	end(&s, a);
	to_rtr(a, qp, remote, psn);
	begin(&s, PRM_OP_RTR2RTS_QP, qp);
	PRM_SET(qpc, s.qpc, next_send_psn, psn);
	PRM_SET(qpc, s.qpc, log_sra_max, 2);
	PRM_SET(qpc, s.qpc, retry_count, 7);
	PRM_SET(qpc, s.qpc, rnr_retry, 7);
	PRM_SET(ads, s.ads, ack_timeout, 8);
	end(&s, a);
}

/* ---- does it work? ---- */

void app_ring(struct app *app)
{
	struct hca_uar *uar;
	uint64_t value = htobe64(1);

	hca_lock(&app->a->hca);
	uar = core_ids_get(&app->a->hca.uars, app->uar);
	memcpy(uar->page + 0x800, &value, sizeof(value));
	hca_unlock(&app->a->hca);
}

/* WRITE of @len bytes from the start of the buffer to its second half. */
static void post_write(struct app *app, struct app_qp *qp, uint32_t len)
{
	uint8_t *wqe = qp->sq;
	uint64_t from = (uintptr_t)app->buf, to = from + APP_BUF / 2;

	memset(wqe, 0, 64);
	core_put_be32(wqe, WQE_WRITE);
	core_put_be32(wqe + 4, qp->qpn << 8 | 3);
	core_put_be32(wqe + 8, CE_ALWAYS);
	core_put_be32(wqe + 16, to >> 32);
	core_put_be32(wqe + 20, (uint32_t)to);
	core_put_be32(wqe + 24, app->mkey);
	core_put_be32(wqe + 32, len);
	core_put_be32(wqe + 36, app->mkey);
	core_put_be32(wqe + 40, from >> 32);
	core_put_be32(wqe + 44, (uint32_t)from);
	qp->rec[1] = htobe32(1);
}

void adapter_works(struct adapter *a)
{
	const uint32_t len = 5000; /* more than one packet */
	uint64_t end;
	struct app app;

	app_up(&app, a, 2, false);
	app_connect(&app, &app.qp[0], app.qp[1].qpn, 0xfffffe);
	app_connect(&app, &app.qp[1], app.qp[0].qpn, 0xfffffe);
	chance_bytes(app.buf, len);
	post_write(&app, &app.qp[0], len);
	app_ring(&app);
	end = core_now_ns() + PATIENCE_NS;
	while (app.cqes[CQE_OPCODE] == 0xff && core_now_ns() < end)
		engine_step(a->e);
	FUZZ_CHECK(app.cqes[CQE_OPCODE] == 0, "the WRITE ends with op_own 0x%x, syndrome 0x%x",
		   app.cqes[CQE_OPCODE], app.cqes[55]);
	FUZZ_CHECK(!memcmp(app.buf, app.buf + APP_BUF / 2, len), "the WRITE wrote other bytes");
	app_down(&app);
}
