/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <devx/pd.h>
#include <dv/endpoint.h>
#include <dv/reason.h>
#include <dvkit/emu.h>
#include <prm/value.h>

#include "lib/descriptors.h"
#include "lib/device.h"
#include "steps.h"

struct step_device d;

/* ---- memory ---- */

static _Thread_local unsigned int allocations; /* until one fails; 0: none does */

static bool fails(void)
{
	bool now = allocations && !--allocations;

	if (now)
		errno = ENOMEM;
	return now;
}

#ifndef __SANITIZE_ADDRESS__
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails() ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t align, size_t n)
{
	return fails() ? NULL : __libc_memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
	if (fails())
		return ENOMEM;
	*p = __libc_memalign(align, n);
	return *p ? 0 : ENOMEM;
}
#endif

/* ---- what there is ---- */

struct state {
	char objects[1024];
	int fds;
};

static struct state now(void)
{
	struct state s = { .fds = open_descriptors() };

	dvkit_emu_objects(s.objects, sizeof(s.objects));
	return s;
}

static void as_before(const struct state *before, const struct steps *s, const char *what,
		      unsigned int nth)
{
	struct state after = now();

	cr_assert_str_eq(after.objects, before->objects, "%s, %s %u", s->name, what, nth);
	cr_assert_eq(after.fds, before->fds, "%s, %s %u: %d descriptors, %d before", s->name,
		     what, nth, after.fds, before->fds);
}

static unsigned int commands(void)
{
	struct dvkit_emu_counters c;

	cr_assert_eq(dvkit_emu_query_counters(&c, sizeof(c)), 0);
	return (unsigned int)c.commands;
}

/* ---- steps ---- */

static void works(const struct steps *s)
{
	int err = s->make();

	cr_assert_eq(err, 0, "%s: %s (%s)", s->name, strerror(err), dv_reason());
}

static void ends(const struct steps *s)
{
	int err = s->unmake();

	cr_assert_eq(err, 0, "%s is not destroyed: %s (%s)", s->name, strerror(err),
		     dv_reason());
}

static void refuse(unsigned int nth)
{
	cr_assert_eq(dvkit_emu_fail_command(nth, PRM_STATUS_NO_RES, 0xabcdef), 0);
}

static void make_refused(const struct steps *s, unsigned int nth)
{
	int err;

	refuse(nth);
	err = s->make();
	refuse(0);
	cr_assert_geq(err, 0, "%s: %d is not an errno value", s->name, err);
	/* It can do without the answer to a query. */
	if (!err)
		ends(s);
}

static void unmake_refused(const struct steps *s, unsigned int nth)
{
	works(s);
	refuse(nth);
	if (s->unmake())
		ends(s);
	refuse(0);
}

void each_command_fails(const struct steps *s)
{
	unsigned int first, makes, unmakes;
	struct state before;

	works(s); /* libmlx5 keeps some of what it makes at the first call */
	ends(s);
	before = now();
	first = commands();
	works(s);
	makes = commands() - first;
	first = commands();
	ends(s);
	unmakes = commands() - first;
	as_before(&before, s, "after all steps,", makes);
	for (unsigned int nth = 1; nth <= makes; nth++) {
		make_refused(s, nth);
		as_before(&before, s, "refused command", nth);
	}
	if (s->unmake_is_not_refused)
		return;
	for (unsigned int nth = 1; nth <= unmakes; nth++) {
		unmake_refused(s, nth);
		as_before(&before, s, "destroyed, refused command", nth);
	}
}

#ifdef __SANITIZE_ADDRESS__
void each_allocation_fails(const struct steps *s)
{
	(void)s;
}
#else
void each_allocation_fails(const struct steps *s)
{
	const unsigned int many = 1u << 30;
	struct state before = now();
	unsigned int n;
	int err;

	allocations = many;
	err = s->make();
	n = many - allocations;
	allocations = 0;
	cr_assert_eq(err, 0);
	ends(s);
	for (unsigned int nth = 1; nth <= n; nth++) {
		allocations = nth;
		err = s->make();
		allocations = 0;
		if (!err)
			ends(s);
		as_before(&before, s, "failed allocation", nth);
	}
}
#endif

int pointer_made(const void *object)
{
	return object ? 0 : errno ? errno : EIO;
}

/* ---- the device ---- */

void steps_start(void)
{
	struct ibv_device *device = device_find();

	cr_assert_not_null(device, "no mlx5 device: run under dvkit-emu");
	d.port = 1;
	cr_assert_eq(devx_open(&d.ctx, ibv_get_device_name(device)), 0);
	cr_assert_eq(dv_gid_default(&d.gid_index, d.ctx, d.port), 0);
	d.pd = ibv_alloc_pd(d.ctx);
	cr_assert_not_null(d.pd);
	cr_assert_eq(devx_pdn_query(&d.pdn, d.pd), 0);
	d.memory = aligned_alloc(4096, 1 << 16);
	memset(d.memory, 0, 1 << 16);
}

void steps_stop(void)
{
	cr_assert_eq(ibv_dealloc_pd(d.pd), 0);
	cr_assert_eq(ibv_close_device(d.ctx), 0);
	free(d.memory);
}
