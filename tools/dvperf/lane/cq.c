/* SPDX-License-Identifier: BSD-2-Clause */
/* CQs of lanes: created, shared, armed, and polled where that takes more than a ring. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include <dv/print.h>

#include "base/base.h"
#include "devx.h"
#include "lane.h"

/* ---- made ---- */

/* How a CQ is made. */
struct how {
	uint32_t cqes;	/* that may come for one lane */
	uint32_t least; /* of --cq-size, for one lane */
	unsigned int lanes;
	bool receives;
};

static const struct {
	enum dv_mini_format dv;
	uint8_t verbs;
} formats[] = {
	[CQE_COMP_HASH] = { DV_MINI_HASH, MLX5DV_CQE_RES_FORMAT_HASH },
	[CQE_COMP_CSUM] = { DV_MINI_CSUM, MLX5DV_CQE_RES_FORMAT_CSUM },
	[CQE_COMP_CSUM_STRIDX] = { DV_MINI_CSUM_STRIDX, MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX },
};

/* CQEs of the ring: as many as may come, or --cq-size. */
static int size(const struct device *dev, const struct options *o, const struct how *how)
{
	uint64_t want = (uint64_t)how->cqes * how->lanes, max = (uint64_t)dev->attr.max_cqe;
	uint64_t least = (uint64_t)how->least * how->lanes;

	if (o->cq_size && how->cqes > 1)
		want = o->cq_size;
	if (want < least)
		base_refuse(
			"a CQ of %u (--cq-size) is too small: %llu %s may complete at a time",
			o->cq_size, (unsigned long long)least,
			how->receives ? "receives" : "WQEs");
	if (least > max || (o->cq_size && want > max))
		base_refuse(
			"a CQ of %llu is above the maximum of the device: %llu (--cq, --cq-size)",
			(unsigned long long)(least > max ? least : want),
			(unsigned long long)max);
	/* the facts of an error may be lost: it ends the run */
	return (int)(want < max ? want : max);
}

static struct ibv_cq *create(struct lane_cq *cq, const struct device *dev,
			     const struct options *o, int cqes)
{
	struct ibv_cq_init_attr_ex init = { .cqe = (uint32_t)cqes,
					    .cq_context = cq,
					    .channel = cq->channel,
					    .wc_flags = IBV_WC_STANDARD_FLAGS };
	struct mlx5dv_cq_init_attr dv = { .cqe_size = (uint16_t)o->cqe_size };
	struct ibv_cq *plain;
	struct ibv_cq_ex *ex;

	if (!o->cqe_size && !o->cqe_comp) {
		plain = ibv_create_cq(dev->ctx, cqes, cq, cq->channel, 0);
		if (!plain)
			base_refuse(
				"the device cannot create a CQ of %d (-t, -r, --cq-size): %m%s",
				cqes, memory_hint(errno, o));
		return plain;
	}
	if (o->cqe_size)
		dv.comp_mask |= MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE;
	if (o->cqe_comp) {
		dv.comp_mask |= MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE;
		dv.cqe_comp_res_format = formats[o->cqe_comp].verbs;
	}
	ex = mlx5dv_create_cq(dev->ctx, &init, &dv);
	if (!ex)
		base_refuse(
			"the device cannot create such a CQ (--cqe-size, --cqe-compression): %m");
	return ibv_cq_ex_to_cq(ex);
}

static struct lane_cq *open_cq(const struct device *dev, const struct options *o,
			       const struct lane_place *place, const struct how *how)
{
	struct lane_cq *cq = base_made(aligned_alloc(64, sizeof(*cq)));
	uint32_t places = 2;

	*cq = (struct lane_cq){ .channel = place->channel,
				.compressed = o->cqe_comp,
				.direct = o->api == API_DIRECT,
				.receives = how->receives,
				.many = place->many };
	if (o->cqe_comp)
		cq->format = formats[o->cqe_comp].dv;
	cq->ibcq = create(cq, dev, o, size(dev, o, how));
	if (!place->send)
		return cq;
	base_ok(pthread_spin_init(&cq->lock, 0));
	while (places < 2 * how->lanes)
		places *= 2;
	cq->mask = places - 1;
	cq->lanes = base_made(calloc(places, sizeof(*cq->lanes)));
	return cq;
}

static struct lane_cq *get(struct lane_cq **shared, const struct lane *l,
			   const struct device *dev, const struct lane_place *place,
			   const struct how *how)
{
	if (!shared)
		return open_cq(dev, l->o, place, how);
	if (!*shared)
		*shared = open_cq(dev, l->o, place, how);
	return *shared;
}

void lane_cqs_get(struct lane *l, const struct device *dev, const struct lane_place *place)
{
	const struct options *o = l->o;
	/* one that is shared is made by its first lane, which may be no receiver */
	bool receives = place->recv ? options_receives(o) : l->mem.recv_len;
	/* in the error state every WQE may bring a CQE, NOPs too */
	struct how send = { .cqes = (o->tx_depth + o->batch) * l->op.blocks,
			    .least = options_cqes(o) },
		   recv = { .cqes = receives ? o->rx_depth : 1, .receives = true };

	recv.least = recv.cqes;
	send.lanes = recv.lanes = place->send ? place->sharing : 1;
	l->cqs.send = get(place->send, l, dev, place, &send);
	l->cqs.recv = get(place->recv, l, dev, place, &recv);
	l->cqs.send_ibcq = l->cqs.send->ibcq;
	l->cqs.recv_ibcq = l->cqs.recv->ibcq;
}

void lane_cq_close(struct lane_cq *cq)
{
	base_ok(ibv_destroy_cq(cq->ibcq));
	free(cq->lanes);
	free(cq);
}

void lane_cqs_put(struct lane *l)
{
	if (l->cqs.send->lanes)
		return;
	lane_cq_close(l->cqs.send);
	lane_cq_close(l->cqs.recv);
}

/* Into @own, if it is a plain one of one lane. */
static void take_over(struct lane_cq *cq, struct dv_cq *own)
{
	const struct dv_mini_attr attr = { .format = cq->format };

	if (!cq->direct || cq->ring)
		return;
	cq->ring = cq->lanes ? &cq->here : own;
	base_ok(dv_cq_map(cq->ring, cq->ibcq));
	if (!cq->compressed)
		return;
	base_ok(dv_mini_init(&cq->mini, cq->ring, &attr));
	cq->ring = &cq->mini.cq;
}

/* ---- shared ---- */

static struct lane_of_qp *place_of(const struct lane_cq *cq, uint32_t qpn)
{
	uint32_t i = qpn;

	while (cq->lanes[i & cq->mask].qpn && cq->lanes[i & cq->mask].qpn != qpn)
		i++;
	return &cq->lanes[i & cq->mask];
}

void lane_cqs_take_over(struct lane *l)
{
	take_over(l->cqs.send, &l->cqs.send_ring);
	take_over(l->cqs.recv, &l->cqs.recv_ring);
	if (!l->cqs.send->lanes)
		return;
	*place_of(l->cqs.send, l->verbs.qp->qp_num) =
		(struct lane_of_qp){ l->verbs.qp->qp_num, l };
	*place_of(l->cqs.recv, l->verbs.qp->qp_num) =
		(struct lane_of_qp){ l->verbs.qp->qp_num, l };
}

static struct lane *lane_of(const struct lane_cq *cq, uint32_t qpn)
{
	const struct lane_of_qp *place = place_of(cq, qpn);

	if (!place->lane)
		base_fail("a CQE of QP 0x%x, which is not one of this run", qpn);
	return place->lane;
}

static void arrived(const struct lane_cq *cq, struct lane *l, uint16_t counter)
{
	struct arrivals *a = cq->receives ? &l->cqs.received : &l->cqs.sent;

	__atomic_store_n(&a->last, counter, __ATOMIC_RELAXED);
	if (cq->many && !cq->direct) /* libmlx5's lock is free again */
		__atomic_fetch_add(&a->came, 1, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&a->came, a->came + 1, __ATOMIC_RELEASE);
}

static void hand_over_direct(struct lane_cq *cq, unsigned int most)
{
	const struct mlx5_cqe64 *cqe;
	unsigned int n = 0;
	struct lane *l;

	while (n < most && (cqe = lane_cq_next(cq))) {
		l = lane_of(cq, dv_cqe_qpn(cqe));
		if (dv_cqe_is_error(cqe))
			lane_failed(l, dv_cqe_syndrome(cqe),
				    dv_syndrome_str(dv_cqe_syndrome(cqe)));
		/* the CQE may be overwritten before the lane's thread accounts for it */
		if (cq->receives && dv_cqe_inline(cqe))
			dv_rq_scatter(&l->rq, cqe);
		arrived(cq, l, dv_cqe_wqe_counter(cqe));
		n++;
	}
	if (n)
		dv_cq_release(cq->ring);
}

static void hand_over_verbs(struct lane_cq *cq, unsigned int most)
{
	struct ibv_wc wc[MAX_CQE_POLL];
	int got = ibv_poll_cq(cq->ibcq, (int)most, wc);

	for (int i = 0; i < got; i++) {
		struct lane *l = lane_of(cq, wc[i].qp_num);

		if (wc[i].status)
			lane_failed(l, wc[i].vendor_err, ibv_wc_status_str(wc[i].status));
		arrived(cq, l, 0);
	}
}

void lane_cq_hand_over(struct lane_cq *cq, unsigned int most)
{
	if (!cq->direct) {
		hand_over_verbs(cq, most);
		return;
	}
	if (cq->many)
		pthread_spin_lock(&cq->lock);
	hand_over_direct(cq, most);
	if (cq->many)
		pthread_spin_unlock(&cq->lock);
}

unsigned int lane_cq_taken(struct arrivals *a, uint16_t *last)
{
	uint32_t came = __atomic_load_n(&a->came, __ATOMIC_ACQUIRE), n = came - a->taken;

	*last = __atomic_load_n(&a->last, __ATOMIC_RELAXED);
	a->taken = came;
	return n;
}

/* ---- slept for ---- */

struct ibv_comp_channel *lane_channel_open(const struct device *dev)
{
	struct ibv_comp_channel *channel = base_made(ibv_create_comp_channel(dev->ctx));
	int flags = fcntl(channel->fd, F_GETFL);

	base_ok(fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK));
	return channel;
}

bool lane_cq_arm(struct lane_cq *cq)
{
	if (cq->armed)
		return false;
	cq->armed = true;
	if (cq->direct)
		dv_cq_arm(cq->ring, false);
	else
		base_ok(ibv_req_notify_cq(cq->ibcq, 0));
	return true;
}

static void take_events(struct ibv_comp_channel *channel)
{
	struct ibv_cq *ibcq;
	struct lane_cq *cq;
	void *context;

	while (!ibv_get_cq_event(channel, &ibcq, &context)) {
		cq = (struct lane_cq *)context;
		cq->armed = false;
		if (cq->direct)
			dv_cq_event(cq->ring);
		ibv_ack_cq_events(ibcq, 1);
	}
	if (errno != EAGAIN && errno != EINTR)
		base_fail("ibv_get_cq_event: %m");
}

void lane_cq_sleep(struct ibv_comp_channel *const *channels, unsigned int n, uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000),
			      .tv_nsec = (long)(ns % 1000000000) };
	struct pollfd fds[MAX_THREADS];

	for (unsigned int i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = channels[i]->fd, .events = POLLIN };
	if (ppoll(fds, n, &t, NULL) <= 0)
		return; /* time, or ^C */
	for (unsigned int i = 0; i < n; i++)
		if (fds[i].revents)
			take_events(channels[i]);
}

/* ---- the functions of struct poster ---- */

static unsigned int poll_shared(struct lane *l, unsigned int most)
{
	struct mlx5_cqe64 latest = { 0 };
	unsigned int n;
	uint16_t last;

	lane_cq_hand_over(l->cqs.send, most);
	n = lane_cq_taken(&l->cqs.sent, &last);
	if (n && l->cqs.send->direct) {
		latest.wqe_counter = htobe16(last);
		dv_sq_retire(&l->sq, &latest);
	}
	return n;
}

static unsigned int poll_compressed(struct lane *l, unsigned int most)
{
	const struct mlx5_cqe64 *cqe, *last = NULL;
	unsigned int n = 0;

	while (n < most && (cqe = dv_mini_poll(&l->cqs.send->mini))) {
		if (dv_cqe_is_error(cqe))
			lane_failed(l, dv_cqe_syndrome(cqe),
				    dv_syndrome_str(dv_cqe_syndrome(cqe)));
		last = cqe;
		n++;
	}
	if (last) {
		dv_sq_retire(&l->sq, last);
		dv_cq_release(l->cqs.send->ring);
	}
	return n;
}

void lane_poll_specially(struct lane *l)
{
	if (l->o->api == API_MANY ||
	    (!l->devx && !l->cqs.send->lanes && !l->cqs.send->compressed))
		return;
	l->own_poster = *l->poster;
	l->own_poster.poll_marked = NULL; /* post has none of these */
	if (l->devx)
		lane_devx_poll(&l->own_poster);
	else
		l->own_poster.poll = l->cqs.send->lanes ? poll_shared : poll_compressed;
	l->poster = &l->own_poster;
}
