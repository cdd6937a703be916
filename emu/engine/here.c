/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine in a thread of the program: the one that rang a doorbell while the engine's thread sleeps. To
 * wake that would cost more than the work request.
 *
 *	stores -> registers -> iterations until there is no work -> perhaps waits for what arrives
 *
 * Programs that measure latency ring, and then poll until the CQE or the peer's message is there. Two
 * threads that poll on one processor take turns of milliseconds; so the thread that rang waits here, as the
 * engine, for some microseconds. What it waits for is what came between its last two doorbells. If it rings
 * again without it, it does not wait the next times. A program that rings again and again does not wait for
 * anything: its pages are opened.
 *
 * Where more threads want to run than there are processors, a thread that is interrupted here keeps others waiting;
 * the engine's own has the highest priority. So then, for a while, that one does all the work, and polls.
 */
#include <errno.h>
#include <sys/mman.h>

#include "engine/cq_arm.h"
#include "engine/doorbell.h"
#include "engine/uar_store.h"

#define STACK	 (512u << 10)
#define WORK_NS	 50000 /* what is left after it is for the engine's thread */
#define WAIT_NS	 20000
#define SOON_NS	 8000	/* two doorbells follow each other at once: a fault takes about 3000 */
#define SHORT_NS 8000	/* what they start takes little more than two faults */
#define DENSE	 16	/* such doorbells, before the page is opened */
#define WRONG	 4	/* waits in vain, before there are none for a while */
#define PAUSE	 64	/* doorbells without waiting then */
#define TRIAL	 16	/* one of so many doorbells does not wait for its CQE */
#define GAP_NS	 500000 /* this thread did not run: others want to */
#define NEAR_NS	 30000000 /* between two such gaps, if there are too few processors */
#define GAPS	 3
#define OPEN_NS	 2000000    /* without a doorbell, before a page that was opened is closed */
#define BUSY_NS	 1000000000 /* how long that is assumed to last */

int loop_here_init(struct engine *e)
{
	void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (stack == MAP_FAILED)
		return errno;
	e->here.stack = stack;
	return 0;
}

void loop_here_fini(struct engine *e)
{
	if (e->here.stack)
		munmap(e->here.stack, STACK);
}

/* Was the last guess right? @soon: the program did not wait for anything. Called before @h->in and @h->out
 * change. */
static void judge(struct engine *e, bool soon)
{
	struct loop_here *h = &e->here;
	bool came = e->requests != h->in || e->counters.cqes != h->out;

	if (h->wish != LOOP_NOTHING) {
		h->wrong = came ? 0 : h->wrong + 1;
		if (h->wrong >= WRONG)
			h->pause = PAUSE;
	} else if (h->trial && soon && !came) {
		h->pause = PAUSE;
	}
	h->dense = soon && !h->waited && h->took < SHORT_NS ? h->dense + 1 : 0;
}

/* What does the program wait for, if it does as before? */
static void guess(struct engine *e, uint64_t now)
{
	struct loop_here *h = &e->here;

	judge(e, now - h->left < SOON_NS);
	h->trial = ++h->calls % TRIAL == 0;
	if (h->pause && h->pause--)
		h->wish = LOOP_NOTHING;
	else if (e->requests != h->in)
		h->wish = LOOP_MESSAGE;
	else if (e->counters.cqes != h->out && !h->trial)
		h->wish = LOOP_CQE;
	else
		h->wish = LOOP_NOTHING;
	h->in = e->requests;
	h->out = e->counters.cqes;
	h->waited = false;
}

static bool has_come(const struct engine *e)
{
	const struct loop_here *h = &e->here;

	return h->wish == LOOP_NOTHING || e->requests != h->in ||
	       (h->wish == LOOP_CQE && e->counters.cqes != h->out);
}

static void note_gap(struct loop_here *h, uint64_t now)
{
	h->gaps = now - h->gap < NEAR_NS ? h->gaps + 1 : 1;
	h->gap = now;
	if (h->gaps >= GAPS)
		h->crowded = now + BUSY_NS;
}

static void iterate(struct engine *e)
{
	uint64_t before = e->now;

	e->here.more = loop_iterate(e);
	if (e->now - before > GAP_NS)
		note_gap(&e->here, e->now);
}

static void wait_for_it(struct engine *e)
{
	uint64_t until = e->now + WAIT_NS;

	while (!has_come(e) && !atomic_load(&e->hca->waiters) && e->now < until) {
		e->here.waited = true;
		iterate(e);
	}
}

/* Leaves to the engine's thread what does not end soon. */
static void work(struct engine *e)
{
	uint64_t until = e->now + WORK_NS;

	while (e->here.more && e->now < until && !atomic_load(&e->hca->waiters))
		iterate(e);
}

static void begin(struct engine *e)
{
	if (e->sleeping)
		wire_awake(e->w);
	e->here.more = loop_iterate(e);
	work(e);
}

static void end(struct engine *e)
{
	if (e->here.more || e->blocked || (e->sleeping && !wire_may_sleep(e->w)))
		loop_wake(e);
}

static void serve_post(void *engine)
{
	struct engine *e = engine;
	uint64_t came = core_now_ns();

	guess(e, came);
	begin(e);
	if (!e->here.more)
		wait_for_it(e);
	work(e);
	end(e);
	e->here.left = core_now_ns();
	e->here.took = e->here.left - came;
}

/* That a CQ was armed does not say what follows. */
static void serve_arm(void *engine)
{
	begin(engine);
	end(engine);
}

bool loop_is_better_open(const struct engine *e)
{
	return e->here.crowded > e->now || (e->open && (int64_t)(e->now - e->rung) < OPEN_NS);
}

static bool to_page(struct engine *e, const struct engine_store *s, size_t n)
{
	struct hca_uar *uar = core_ids_get(&e->hca->uars, s->uar);

	for (size_t i = 0; uar && i < n; i++)
		uar_store_to_page(uar, &s[i]);
	return uar;
}

bool engine_ring(struct engine *e, const struct engine_store *s, size_t n)
{
	bool done, posted = false, armed = false;

	hca_lock(e->hca);
	done = to_page(e, s, n);
	for (size_t i = 0; i < n; i++) {
		posted |= doorbell_is_at(s[i].offset);
		armed |= s[i].offset == UAR_ARM;
	}
	if (done && (posted || armed) && !e->paused)
		core_call_on(e->here.stack + STACK, posted ? serve_post : serve_arm, e);
	if (e->open || (e->here.dense > DENSE && e->processors > 1) || e->here.crowded > e->now)
		done = false;
	hca_unlock(e->hca);
	return done;
}

void engine_poll(struct engine *e, void (*open)(void *page), void *page)
{
	hca_lock(e->hca);
	open(page);
	e->open = true;
	if (e->here.dense > DENSE)
		e->here.pause = PAUSE; /* when it is closed again */
	e->here.dense = 0;
	e->rung = core_now_ns();
	loop_wake(e);
	hca_unlock(e->hca);
}
