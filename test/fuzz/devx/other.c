/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls without a command: umems of memory that is there, or not, or not writable; UARs;
 * numbers of event queues; subscriptions and events; destroying.
 */
#include <errno.h>
#include <sys/mman.h>

#include "fuzz_devx.h"

#define PAGE  4096u
#define ARENA (4u << 20)
#define UARS  16

static uint8_t *arena(void)
{
	static uint8_t *at;

	if (!at) {
		at = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
		FUZZ_CHECK(at != MAP_FAILED, "no memory: %m");
		/* A page that is read-only, and one that is not there. */
		mprotect(at + ARENA - 2 * PAGE, PAGE, PROT_READ);
		munmap(at + ARENA - PAGE, PAGE);
	}
	return at;
}

static void umem_reg(struct user *u)
{
	struct mlx5dv_devx_umem_in in = {
		.addr = arena() + below(ARENA / PAGE) * PAGE * !one_in(4) +
			(one_in(4) ? below(PAGE) : 0),
		.size = one_in(8) ? odd_number() : 1 + below(64 * PAGE),
		.access = one_in(8) ? (uint32_t)odd_number() : below(8),
		.pgsz_bitmap = one_in(4) ? odd_number() : ~0ull << 12,
	};
	struct live l = { .kind = KIND_UMEM };

	if (one_in(16))
		in.addr = (void *)(uintptr_t)odd_number();
	if (one_in(16))
		in.comp_mask = odd_number();
	errno = 0;
	l.umem = one_in(2) ? mlx5dv_devx_umem_reg(u->ctx, in.addr, in.size, in.access)
			   : mlx5dv_devx_umem_reg_ex(u->ctx, &in);
	call_judge("mlx5dv_devx_umem_reg", l.umem ? 0 : errno);
	if (!l.umem)
		return;
	l.number = l.umem->umem_id;
	l.addr = (uintptr_t)in.addr;
	l.len = in.size;
	live_add(u, &l);
	tally.objects++;
}

static void alloc_uar(struct user *u)
{
	struct live l = { .kind = KIND_UAR };
	unsigned int n = 0;

	for (unsigned int i = 0; i < u->n; i++)
		n += !!u->live[i].uar;
	if (n >= UARS)
		return;
	errno = 0;
	l.uar = mlx5dv_devx_alloc_uar(u->ctx, one_in(8) ? (uint32_t)odd_number() : below(2));
	call_judge("mlx5dv_devx_alloc_uar", l.uar ? 0 : errno);
	if (!l.uar)
		return;
	l.number = l.uar->page_id;
	live_add(u, &l);
}

static void destroy(struct user *u)
{
	struct live *l = live_find(u, 0);

	if (l && (l->obj || l->umem || l->uar))
		call_judge("a destroying call", live_destroy(u, l));
}

static void query_eqn(struct user *u)
{
	uint32_t eqn;

	call_judge("mlx5dv_devx_query_eqn",
		   mlx5dv_devx_query_eqn(u->ctx, one_in(2) ? below(4) : (uint32_t)odd_number(),
					 &eqn));
}

static void subscribe(struct user *u)
{
	struct live *l = one_in(8) ? NULL : live_object(u);
	uint16_t events[24];
	uint16_t n = 1 + below(one_in(8) ? 24 : 3);

	for (int i = 0; i < n; i++)
		events[i] = one_in(4) ? (uint16_t)odd_number() : below(32);
	if (one_in(3))
		call_judge("mlx5dv_devx_subscribe_devx_event_fd",
			   mlx5dv_devx_subscribe_devx_event_fd(
				   u->events, one_in(8) ? (int)odd_number() : u->eventfd,
				   l ? l->obj : NULL, events[0]));
	else
		call_judge("mlx5dv_devx_subscribe_devx_event",
			   mlx5dv_devx_subscribe_devx_event(u->events, l ? l->obj : NULL,
							    n * sizeof(events[0]), events,
							    chance()));
}

static void get_events(struct user *u)
{
	uint64_t buffer[32];

	for (int n = 0; n < 64; n++) {
		ssize_t got = mlx5dv_devx_get_event(u->events, (void *)buffer,
						    one_in(16) ? below(16) : sizeof(buffer));

		call_judge("mlx5dv_devx_get_event", got < 0 ? errno : 0);
		if (got < 0)
			return;
	}
}

void call_other(struct user *u)
{
	static void (*const calls[])(struct user *) = { umem_reg,  umem_reg,  umem_reg,
							alloc_uar, destroy,   destroy,
							destroy,   destroy,   query_eqn,
							subscribe, subscribe, get_events };

	if (u->n < LIVE_MAX)
		PICK(calls)(u);
}
