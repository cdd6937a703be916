/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds of traffic: QPs in loopback, QPs whose peer is frames.c, and an application that
 * writes anything into its queues, records and doorbell registers.
 *
 *	QP 0 <-> 1 RC, 2 <-> 3 UC	4, 5 RC, 6, 7 UD <-> slot 2	1 and 5 have the SRQ
 *	   8, 9 DCI -> the DCT on the SRQ, or slot 2 <-> the DCT
 *
 * A QP that went into an error is connected again. The engine is stepped.
 */
#include <endian.h>
#include <string.h>

#include "fuzz.h"

#define LOOPBACK      4 /* QPs */
#define UD	      2 /* qpc.st */
#define DCI	      5
#define CHECK_EVERY   100
#define CQ_REGISTER   0x20
#define SEND_REGISTER 0x800

static uint32_t some_length(void)
{
	return one_in(2) ? 1u << below(14) : one_in(2) ? below(3000) : odd_number();
}

static void put_address(uint8_t *at, const struct app *app)
{
	uint64_t va = (uintptr_t)app->buf + (one_in(12) ? odd_number() : below(APP_BUF / 2));

	core_put_be32(at, va >> 32);
	core_put_be32(at + 4, (uint32_t)va);
}

static uint32_t some_key(const struct app *app)
{
	return one_in(12) ? odd_number() : app->mkey;
}

static void data_segment(uint8_t *at, const struct app *app)
{
	core_put_be32(at, one_in(6) ? 1u << 31 | below(40) : some_length());
	core_put_be32(at + 4, some_key(app));
	put_address(at + 8, app);
}

/* Destination of a datagram: any QP of the application's, or to the peer. */
static void address_vector(uint8_t *at, const struct app *app)
{
	const struct hca_gid *gid = &app->a->hca.port.gid[FUZZ_GID];

	memset(at, 0, 48);
	core_put_be32(at, one_in(16) ? odd_number() : APP_QKEY);
	core_put_be32(at + 8,
		      (one_in(16) ? 0 : 1u << 31) | (one_in(8) ? (uint32_t)PEER_SLOT << 16 | 1
							       : app->qp[below(APP_QPS)].qpn));
	core_put_be32(at + 12, 0xc000);
	memcpy(at + 20, gid->mac, 6);
	core_put_be32(at + 24, 64);
	core_put_be32(at + 28, (one_in(32) ? below(256) : FUZZ_GID) << 20 | 1u << 30);
	memcpy(at + 32, gid->raw, 16);
}

/* Destination of a DCI: the DCT, or to one of the peer's. */
static void target_vector(uint8_t *at, const struct app *app)
{
	address_vector(at, app);
	core_put_be32(at, 0);
	core_put_be32(at + 4, one_in(16) ? odd_number() : APP_DCKEY);
	core_put_be32(at + 8,
		      (one_in(16) ? 0 : 1u << 31) |
			      (one_in(3) ? (uint32_t)PEER_SLOT << 16 | below(3) : app->dctn));
}

/* A send WQE: opcode, ds, then segments that fit the opcode if it is one of the usual. */
static uint32_t send_wqe(const struct app *app, const struct app_qp *qp, uint8_t wqe[1024])
{
	static const uint8_t usual[] = { 0x00, 0x01, 0x08, 0x09, 0x0a, 0x0b, 0x10, 0x11, 0x12 };
	static const uint8_t sends[] = { 0x0a, 0x0b };
	uint8_t opcode = one_in(8) ? chance() : qp->st == UD ? PICK(sends) : PICK(usual);
	bool sends_only = opcode == 0x0a || opcode == 0x0b || opcode <= 0x01;
	uint32_t vector = qp->st == UD || (qp->st == DCI && opcode) ? 3 : 0;
	uint32_t remote = sends_only || qp->st == UD ? 0 : 1;
	uint32_t atomic = opcode == 0x11 || opcode == 0x12, data = one_in(8) ? below(56) : 1;
	uint32_t ds = 1 + vector + remote + atomic + (opcode ? data : 0), unit = 1 + vector;

	memset(wqe, 0, 1024);
	core_put_be32(wqe, (one_in(64) ? odd_number() << 8 : (qp->pi & 0xffff) << 8) | opcode);
	core_put_be32(wqe + 4, qp->qpn << 8 | (one_in(32) ? below(64) : ds));
	core_put_be32(wqe + 8,
		      one_in(8) ? odd_number() : (uint32_t)(below(4) << 2 | below(2) << 1));
	core_put_be32(wqe + 12, chance());
	if (vector && qp->st == UD)
		address_vector(wqe + 16, app);
	else if (vector)
		target_vector(wqe + 16, app);
	if (remote) {
		put_address(wqe + unit * 16, app);
		core_put_be32(wqe + unit * 16 + 8, some_key(app));
		unit++;
	}
	unit += atomic;
	for (; unit < ds; unit++)
		data_segment(wqe + unit * 16, app);
	if (one_in(6))
		spoil(wqe, ds * 16);
	return ds;
}

static void post_send(const struct app *app, struct app_qp *qp)
{
	uint8_t wqe[1024];
	uint32_t ds = send_wqe(app, qp, wqe);

	for (uint32_t i = 0; i < ds * 16; i++)
		qp->sq[(qp->pi * 64 + i) % (APP_SQ * 64)] = wqe[i];
	qp->pi += (ds + 3) / 4;
	qp->rec[1] = htobe32(qp->pi & 0xffff);
}

/* WQE by WQE as libmlx5 links them, or anything. */
static void post_shared(struct app *app)
{
	uint8_t *wqe = app->srq + app->srq_pi % APP_SRQ * 64;

	core_put_be32(wqe, one_in(16) ? odd_number() : (app->srq_pi + 1) % APP_SRQ);
	for (uint32_t i = 1; i < 4; i++)
		data_segment(wqe + i * 16, app);
	if (one_in(8))
		chance_bytes(wqe, 64);
	app->srq_rec[0] = one_in(32) ? chance() : htobe32(++app->srq_pi & 0xffff);
}

static void post_recv(struct app *app, struct app_qp *qp)
{
	uint8_t *wqe = qp->queues + qp->rq_pi % APP_RQ * 64;

	if (qp->shared) {
		post_shared(app);
		return;
	}
	if (one_in(8))
		chance_bytes(wqe, 64);
	else
		for (uint32_t i = 0; i < 4; i++)
			data_segment(wqe + i * 16, app);
	if (one_in(2))
		core_put_be32(wqe + 16, 0), core_put_be32(wqe + 20, 0x100); /* the list ends */
	qp->rec[0] = htobe32(++qp->rq_pi & 0xffff);
}

static void write_register(struct app *app)
{
	static const uint32_t places[] = { CQ_REGISTER, SEND_REGISTER, SEND_REGISTER + 0x100 };
	uint32_t at = one_in(4) ? below(HCA_PAGE_SIZE / 8) * 8 : PICK(places);
	uint64_t value = odd_number();
	struct hca_uar *uar;

	hca_lock(&app->a->hca);
	uar = core_ids_get(&app->a->hca.uars, app->uar);
	memcpy(uar->page + at, &value, sizeof(value));
	hca_unlock(&app->a->hca);
}

void fuzz_queues(struct app *app, struct app_qp *qp)
{
	switch (below(12)) {
	case 0:
		chance_bytes(qp->queues + below(60) * 64, 256);
		break;
	case 1:
		qp->pi += below(70);
		qp->rec[1] = one_in(4) ? chance() : htobe32(qp->pi & 0xffff);
		break;
	case 2:
		qp->rec[0] = one_in(2) ? chance() : htobe32((qp->rq_pi += below(20)) & 0xffff);
		break;
	case 3:
		app->cq_rec[below(2)] = chance();
		break;
	case 4:
		chance_bytes(app->cqes + below(APP_CQE) * 64, 64);
		break;
	case 5:
		write_register(app);
		break;
	case 6:
	case 7:
		post_recv(app, qp);
		break;
	default:
		post_send(app, qp);
	}
	if (!one_in(4))
		app_ring(app);
}

static void connect(struct app *app, unsigned int i)
{
	uint32_t remote =
		i < LOOPBACK ? app->qp[i ^ 1].qpn : (uint32_t)PEER_SLOT << 16 | (i + 1);

	app_connect(app, &app->qp[i], remote, one_in(4) ? 0xfffff0 : i << 4);
}

/* Both ends, or the other one would wait for a peer that begins again. */
static void mend(struct app *app)
{
	for (unsigned int i = 0; i < APP_QPS; i++) {
		struct hca_qp *qp = hca_qp_find(&app->a->hca, app->qp[i].qpn);

		if (qp->state == PRM_QPC_STATE_RTS || one_in(2))
			continue;
		connect(app, i);
		if (i < LOOPBACK)
			connect(app, i ^ 1);
	}
	if (one_in(4)) /* space in the completion queue */
		app->cq_rec[0] = htobe32(hca_cq_find(&app->a->hca, app->cqn)->pi & 0xffffff);
}

void fuzz_traffic(unsigned int cases)
{
	struct adapter a;
	struct app app;
	struct peer *p;

	adapter_up(&a, one_in(2));
	p = peer_up();
	app_up(&app, &a, APP_QPS, true);
	for (unsigned int i = 0; i < APP_QPS; i++)
		connect(&app, i);
	for (unsigned int i = 0; i < cases; i++) {
		unsigned int n = below(APP_QPS);

		if (n >= LOOPBACK && one_in(2))
			peer_frames(p, &app, hca_qp_find(&a.hca, app.qp[n].qpn));
		else
			fuzz_queues(&app, &app.qp[n]);
		adapter_step(&a, 1 + below(12));
		peer_drain(p);
		if (one_in(8))
			mend(&app);
		if (i % CHECK_EVERY == CHECK_EVERY - 1)
			adapter_works(&a);
	}
	app_down(&app);
	peer_down(p);
	adapter_down(&a);
}
