/* SPDX-License-Identifier: BSD-2-Clause */
/* When pages are closed and opened, and the handler. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/real.h"
#include "preload/signals.h"
#include "preload/store_run.h"
#include "preload/trap.h"
#include "preload/watch.h"

#define STORES	    8
#define LOOK_NS	    100000000 /* how often to look for a debugger */
#define STATUS_SIZE 4096

static atomic_bool on;
static atomic_uint handling; /* threads that are in the handler */

/* ---- opening and closing ---- */

/* A debugger stops at each signal. One that attaches later is noticed in the handler. */
static bool is_traced(void)
{
	static _Atomic uint64_t looked;
	static atomic_bool traced;
	char text[STATUS_SIZE], *at;
	uint64_t now = core_now_ns();
	ssize_t n;
	int fd;

	if (now - atomic_load(&looked) < LOOK_NS)
		return atomic_load(&traced);
	fd = REAL(open)("/proc/self/status", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : REAL(read)(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		REAL(close)(fd);
	text[n > 0 ? n : 0] = 0;
	at = strstr(text, "\nTracerPid:");
	atomic_store(&traced, at && atoi(at + strlen("\nTracerPid:")));
	atomic_store(&looked, now);
	return atomic_load(&traced);
}

/* Is each page in the table on which a queue is rung? Device lock held. */
static bool are_all_known(const struct boot *b)
{
	const struct core_ids *uars = &b->hca.uars;
	uint32_t index = 0, left = uars->used;
	const struct hca_uar *uar;

	while (left-- && (uar = core_ids_next(uars, &index)))
		if ((!core_list_empty(&uar->queues) || !core_list_empty(&uar->sqs)) &&
		    !uar_pages_has(b->function, uar->index))
			return false;
	return true;
}

/* Should a store be a fault? */
static bool may_fault(void)
{
	return uar_pages_are_known() && !is_traced();
}

/* The engine is about to sleep; device lock held. */
static bool close_pages(struct hca *hca)
{
	const struct boot *b = core_container(hca, struct boot, hca);

	return atomic_load(&on) && signals_are_ours(SIGSEGV) && may_fault() &&
	       are_all_known(b) && uar_pages_close(b->function);
}

static void open_page(void *page)
{
	uar_pages_open(page);
}

static void nothing(void *page)
{
	(void)page;
}

void trap_mapped(unsigned int function)
{
	struct boot *b = boot_running(function);

	if (b)
		engine_poll(b->engine, nothing, NULL);
}

/* ---- the handler ---- */

/* True: it was a store that is known, and was executed. */
static bool execute(struct boot *b, const struct uar_page *p, void *ucontext)
{
	struct engine_store s[STORES];
	size_t n = store_run(ucontext, atomic_load(&p->at), s, STORES);

	for (size_t i = 0; i < n; i++) {
		s[i].uar = p->uar;
		s[i].thread = 0;
	}
	return n && engine_ring(b->engine, s, n);
}

static void handle(struct uar_page *p, void *ucontext)
{
	struct boot *b;

	core_enter_handler();
	atomic_fetch_add(&handling, 1);
	b = atomic_load(&on) ? boot_running(p->function) : NULL;
	if (!b)
		uar_pages_open(p);
	else if (!may_fault() || !execute(b, p, ucontext))
		engine_poll(b->engine, open_page, p);
	atomic_fetch_sub(&handling, 1);
	core_leave_handler();
}

bool trap_fault(int sig, const siginfo_t *info, void *ucontext)
{
	struct uar_page *p = NULL;

	if (uar_pages_way() == UAR_PAGES_TRAPPED && sig == SIGSEGV &&
	    info->si_code == SEGV_ACCERR)
		p = uar_pages_find((uintptr_t)info->si_addr);
	if (p && atomic_load(&p->open))
		uar_pages_open(p); /* another thread's fault was first */
	else if (p)
		handle(p, ucontext);
	return p;
}

/* ---- on and off ---- */

void trap_start(struct boot *b)
{
	if (uar_pages_way() != UAR_PAGES_TRAPPED)
		return;
	signals_open_masks();
	atomic_store(&on, true);
	hca_lock(&b->hca);
	b->hca.close_uars = close_pages;
	hca_unlock(&b->hca);
}

void trap_stop(void)
{
	watch_stop();
	if (!atomic_exchange(&on, false))
		return;
	uar_pages_open_all();
	while (atomic_load(&handling))
		sched_yield();
}

void trap_fork_child(void)
{
	uar_pages_fork_done();
	watch_fork_child();
	atomic_store(&handling, 0);
	if (atomic_exchange(&on, false))
		uar_pages_open_all();
}
