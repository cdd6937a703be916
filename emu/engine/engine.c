/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread, its loop, and the interface of the engine.
 *
 *	iteration: clock | doorbells | frames in | runnable QPs: reply, send, flush | frames out
 *
 *	found work -> next iteration at once
 *	nothing    -> polls some more, then sleeps on the wire's descriptor for a sixteenth of the time
 *		      in which nothing happened, from 20 us up to 8 ms, or 1 ms while a QP waits
 *
 * So a doorbell is noticed late by a sixteenth, at most, of the time for which the program rang
 * none.
 *
 * The lock is free between iterations. Threads that wait for it are let pass.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "engine/cqe.h"
#include "engine/demux.h"
#include "engine/doorbell.h"
#include "engine/ethernet.h"
#include "engine/hwqe.h"
#include "engine/lost.h"
#include "engine/qp.h"
#include "engine/requester.h"
#include "engine/responder_tx.h"
#include "engine/vhca.h"
#include "event/event.h"
#include "prm/prm.h"

#define SLEEP_MIN_NS   20000
#define SLEEP_MAX_NS   8000000
#define SLEEP_BUSY_NS  1000000 /* while a QP waits for a reply or a timer */
#define TIMER_SLACK_NS 1000
#define ROUNDS	       64	 /* of doorbells that are looked for before the rest */
#define WRITES	       4096	 /* rounds in which entries of steering are written before it */
#define LOOK_NS	       100000000 /* how often processes and threads are counted */

static bool run_qp(struct engine *e, struct hca_qp *qp)
{
	bool moved = responder_tx_run(e, qp);

	if (qp->state == PRM_QPC_STATE_RTS || qp->state == PRM_QPC_STATE_SQD)
		moved |= requester_run(e, qp);
	if (qp->state == PRM_QPC_STATE_ERR || qp->state == PRM_QPC_STATE_SQER) {
		moved |= qp_error_flush(e, qp);
		/* No WQE is posted to the connection of a DCT. */
		if (qp->st == PRM_QPC_ST_DCT && !responder_tx_pending(qp))
			core_list_del(&qp->runnable);
		return moved;
	}
	if (!responder_tx_pending(qp) && qp->req.una == qp->req.pi)
		core_list_del(&qp->runnable);
	else
		e->waiting = true;
	return moved;
}

static bool look_after(struct engine *e, struct hca_qp *qp)
{
	bool moved;

	core_trace_work = (struct core_trace_work){ .qpn = qp->qpn };
	moved = run_qp(e, qp);
	core_trace_work.qpn = 0;

	return lost_qp(e, qp) || moved;
}

/* While a QP waits for a reply there is an iteration every SLEEP_BUSY_NS. In the rest of the
 * time between two of them the thread did not run, or the engine was paused. */
static void read_clock(struct engine *e)
{
	uint64_t now = core_now_ns(), since = now - e->now;

	e->ran += since < SLEEP_BUSY_NS ? since : SLEEP_BUSY_NS;
	e->now = now;
}

static void set_link(struct engine *e, bool down)
{
	if (e->hca->port.down == down)
		return;
	e->hca->port.down = down;
	wire_link(e->w, !down);
	event_port(e->hca);
}

/* A process of the adapter may have written the register PAOS; the thread sleeps for
 * SLEEP_MAX_NS at most. */
static void look_at_link(struct engine *e)
{
	uint32_t admin = atomic_load(&e->hca->adapter->admin);

	if (admin != e->admin)
		set_link(e, true); /* perhaps it is up again */
	e->admin = admin;
	set_link(e, hca_link_is_down(e->hca));
}

/* The library writes entries of steering on QPs with forced loopback, and does not wait for the
 * last of them. An adapter has executed them when a doorbell that is rung later is seen; so
 * here they are first, and no SQ's doorbell is seen without one that was rung before it. */
bool engine_settle(struct engine *e)
{
	struct core_list *pos, *tmp;
	bool moved = true;

	if (!e->hca->sw_icms.used || e->paused)
		return false;
	for (int i = 0; i < ROUNDS && doorbell_poll(e); i++)
		;
	for (int i = 0; i < WRITES && moved; i++) {
		moved = false;
		core_list_for_each(pos, tmp, &e->hca->runnable) {
			struct hca_qp *qp = core_container(pos, struct hca_qp, runnable);

			if (PRM_GET(ads, PRM_ADDR(qpc, qp->qpc, primary_address_path), fl))
				moved |= look_after(e, qp);
		}
		e->blocked |= wire_flush(e->w);
		moved |= demux_poll(e);
	}
	return moved;
}

bool loop_iterate(struct engine *e)
{
	struct core_list *pos, *tmp;
	bool moved;

	read_clock(e);
	if (e->hca->failed)
		return false;
	look_at_link(e);
	e->blocked = e->waiting = false;
	*e->hca->clock = htobe64(hca_ticks(e->hca, e->now));
	moved = doorbell_poll(e);
	moved |= engine_settle(e);
	moved |= vhca_run(e);
	moved |= net_poll(e->net, e->now);
	moved |= demux_poll(e);
	moved |= ethernet_run(e);
	moved |= ethernet_flush(e);
	core_list_for_each(pos, tmp, &e->hca->runnable)
		moved |= look_after(e, core_container(pos, struct hca_qp, runnable));
	event_sessions_end(e->hca);
	if (e->hca->due)
		e->hca->due(e->hca, e->now);
	e->waiting |= event_due(e->hca, e->now);
	e->blocked |= wire_flush(e->w);
	e->counters.iterations += moved;
	return moved;
}

uint64_t loop_idle(struct engine *e, bool moved)
{
	uint64_t now = core_now_ns();

	/* Not e->now: an iteration may take longer than the thread spins, and leave work for
	 * the next one. */
	if (moved)
		e->worked = now;
	return now - e->worked;
}

/* How long to sleep after @idle ns without work. There is no wakeup when the network, or a peer
 * that takes a first frame, has free space again, so then the sleep is as short as possible. */
static long sleep_ns(const struct engine *e, uint64_t idle)
{
	uint64_t most = e->waiting ? SLEEP_BUSY_NS : SLEEP_MAX_NS;
	uint64_t ns = idle / 16;

	if (e->paused)
		return SLEEP_BUSY_NS;
	if (e->blocked)
		return SLEEP_MIN_NS;
	if (ns < SLEEP_MIN_NS)
		return SLEEP_MIN_NS;
	return ns < most ? ns : most;
}

/* Frames wake the thread, unless it is paused, and loop_wake(). False: there is work. */
static bool rest(struct engine *e, uint64_t idle)
{
	struct pollfd fd[] = { { .fd = e->wake_fd, .events = POLLIN },
			       { .fd = wire_fd(e->w), .events = POLLIN },
			       { .fd = net_fd(e->net), .events = POLLIN } };
	struct timespec ts = { 0 };
	bool paused, quiet;
	uint64_t woken;

	pthread_mutex_lock(&e->hca->lock);
	paused = e->paused;
	quiet = paused || wire_may_sleep(e->w);
	ts.tv_nsec = sleep_ns(e, idle);
	e->sleeping = quiet;
	pthread_mutex_unlock(&e->hca->lock);
	if (!quiet)
		return false;
	if (ppoll(fd, paused ? 1 : ARRAY_SIZE(fd), &ts, NULL) > 0 && fd[0].revents &&
	    read(e->wake_fd, &woken, sizeof(woken)) < 0)
		return true; /* another read was first */
	return true;
}

void loop_wake(struct engine *e)
{
	const uint64_t one = 1;

	if (!e->sleeping)
		return;
	e->sleeping = false;
	if (write(e->wake_fd, &one, sizeof(one)) < 0)
		return; /* it is full: the thread wakes */
}

static void look_around(struct engine *e)
{
	e->looked = e->now;
	schedule_choose(&e->schedule, e->w);
	if (e->hca->look)
		e->hca->look(e->hca);
}

static void *run(void *arg)
{
	struct engine *e = arg;

	e->worked = core_now_ns();
	core_enter(); /* never left: what is called from here need not block signals again */
	core_trace_slot = e->hca->slot;
	/* The default slack of 50 us would double the shortest sleep (prctl(2)). */
	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	schedule_begin(&e->schedule);
	while (!atomic_load(&e->stop)) {
		uint64_t idle;

		pthread_mutex_lock(&e->hca->lock);
		e->sleeping = false;
		wire_awake(e->w);
		idle = loop_idle(e, !e->paused && loop_iterate(e));
		pthread_mutex_unlock(&e->hca->lock);
		hca_let_pass(e->hca);
		if (e->now - e->looked >= LOOK_NS)
			look_around(e);
		if (idle > e->schedule.spin && !rest(e, idle))
			loop_idle(e, true);
	}
	return NULL;
}

static void release(struct engine *e)
{
	core_own_close(e->wake_fd);
	free(e);
}

struct engine *engine_start(struct hca *hca, struct wire *w, struct net *net)
{
	struct engine *e = calloc(1, sizeof(*e));
	sigset_t old;
	int err;

	if (!e)
		return NULL;
	e->hca = hca;
	e->w = w;
	e->net = net;
	e->admin = atomic_load(&hca->adapter->admin);
	hca->port.down = hca_link_is_down(hca);
	wire_link(w, !hca->port.down);
	core_list_init(&e->answers);
	e->wake_fd = core_own(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
	err = errno;
	if (e->wake_fd < 0)
		goto release;
	/* Signals are for the application and not delivered to this thread, except for faults
	 * at unmapped memory of queues (core/fault.h). */
	core_block_signals(&old);
	err = pthread_create(&e->thread, NULL, run, e);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err) {
		pthread_setname_np(e->thread, "dvkit-emu");
		return e;
	}
release:
	release(e);
	errno = err;
	return NULL;
}

void engine_stop(struct engine *e)
{
	atomic_store(&e->stop, true);
	hca_lock(e->hca);
	loop_wake(e);
	hca_unlock(e->hca);
	pthread_join(e->thread, NULL);
	vhca_stop(e);
	release(e);
}

static void set_paused(struct engine *e, bool paused)
{
	hca_lock(e->hca);
	e->paused = paused;
	loop_wake(e);
	hca_unlock(e->hca);
}

void engine_pause(struct engine *e)
{
	set_paused(e, true);
}

void engine_resume(struct engine *e)
{
	set_paused(e, false);
}

bool engine_step(struct engine *e)
{
	bool moved;

	hca_lock(e->hca);
	moved = e->paused && loop_iterate(e);
	hca_unlock(e->hca);
	return moved;
}

#define CATCH_UP 256 /* iterations at most */

void engine_catch_up(struct engine *e, const struct hca_qp *qp)
{
	if (!e->paused && qp->state < PRM_QPC_STATE_RTS)
		loop_iterate(e);
	if (e->paused || qp->state != PRM_QPC_STATE_RTS)
		return;
	for (unsigned int i = 0; i < CATCH_UP && loop_iterate(e); i++)
		if (qp->req.next == qp->req.pi)
			return;
}

void engine_counters(struct engine *e, struct engine_counters *c)
{
	hca_lock(e->hca);
	*c = e->counters;
	hca_unlock(e->hca);
}

/* The last WQE before producer index @end; @index is that of the first. */
static uint16_t last_wqe(const struct hca_qp *qp, uint16_t index, uint16_t end)
{
	for (;;) {
		unsigned int nbb = hwqe_blocks(qp, index);

		if (nbb >= (uint16_t)(end - index))
			return index;
		index += nbb;
	}
}

static int retire(struct engine *e, struct hca_qp *qp)
{
	struct hca_req_wqe w = { 0 };
	struct hca_req *r = &qp->req;
	uint8_t ctrl[HWQE_UNIT];
	uint16_t end, last;

	if (qp->state != PRM_QPC_STATE_RTS || !qp->sq.cnt)
		return EINVAL;
	if (qp->no_send_record)
		doorbell_poll_no_record(e, qp->uar);
	end = doorbell_record(qp, DOORBELL_RECORD_SND);
	if (end == r->una || (uint16_t)(end - r->una) > qp->sq.cnt)
		return EINVAL;
	last = last_wqe(qp, r->una, end);
	hwqe_unit(qp, last, 0, ctrl);
	w.opcode = core_bits(ctrl, HWQE_CTRL_OPCODE);
	r->pi = r->begun = r->next = r->una = end;
	r->mmo.running = false;
	if (r->wqe)
		r->psn = r->una_psn = r->high_psn;
	r->timer = r->rnr_until = 0;
	r->read_atomic_out = 0;
	e->now = core_now_ns();
	cqe_sent(e, qp, last, &w, NULL);
	event_sessions_end(e->hca);
	return 0;
}

void engine_link(struct engine *e, bool up)
{
	hca_lock(e->hca);
	e->hca->counts.unplugged += !up && !hca_link_is_down(e->hca);
	e->hca->port.unplugged = !up;
	look_at_link(e);
	hca_unlock(e->hca);
}

int engine_fail_qp(struct engine *e, uint32_t qpn)
{
	struct hca_qp *qp;

	hca_lock(e->hca);
	qp = hca_qp_find(e->hca, qpn);
	if (qp) {
		event_async(e->hca, PRM_EVENT_WQ_CATAS_ERROR, qpn, 0);
		qp_error_enter(e, qp);
	}
	hca_unlock(e->hca);
	return qp ? 0 : ENOENT;
}

int engine_retire(struct engine *e, uint32_t qpn)
{
	struct hca_qp *qp;
	int err;

	hca_lock(e->hca);
	qp = hca_qp_find(e->hca, qpn);
	err = qp ? retire(e, qp) : ENOENT;
	hca_unlock(e->hca);
	return err;
}
