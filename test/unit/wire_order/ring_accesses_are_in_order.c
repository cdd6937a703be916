/* SPDX-License-Identifier: BSD-2-Clause */
/* The accesses of a ring to what the other process writes or reads, one by one: on x86 only a
 * store before a load can be late, so that no run shows an order that is weaker than ring.h
 * promises. ring.c is compiled with an <stdatomic.h> that notes each access: "store head seq",
 * an exchange with what it stored. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "wire/ring.h"

static uint32_t noted_load(const struct ring_memory *m, const _Atomic uint32_t *at,
			   memory_order o);
static void noted_store(struct ring_memory *m, _Atomic uint32_t *at, uint32_t v,
			memory_order o);
static uint32_t noted_exchange(struct ring_memory *m, _Atomic uint32_t *at, uint32_t v);

#undef atomic_load
#undef atomic_load_explicit
#undef atomic_store
#undef atomic_store_explicit
#undef atomic_exchange
#define atomic_load_explicit(at, order)	    noted_load(r->memory, at, order)
#define atomic_load(at)			    noted_load(r->memory, at, memory_order_seq_cst)
#define atomic_store_explicit(at, v, order) noted_store(r->memory, at, v, order)
#define atomic_store(at, v)		    noted_store(r->memory, at, v, memory_order_seq_cst)
#define atomic_exchange(at, v)		    noted_exchange(r->memory, at, v)
#include "wire/ring.c"

static char notes[1024];
static struct ring ends; /* both */

static void note(const char *format, ...)
{
	size_t used = strlen(notes);
	va_list args;

	va_start(args, format);
	vsnprintf(notes + used, sizeof(notes) - used, format, args);
	va_end(args);
}

static const char *name_of(const struct ring_memory *m, const _Atomic uint32_t *at)
{
	return at == &m->head	    ? "head"
	       : at == &m->tail	    ? "tail"
	       : at == &m->reader   ? "reader"
	       : at == &m->waiting  ? "waiting"
	       : at == &m->attached ? "attached"
	       : at == &m->closed   ? "closed"
				    : "?";
}

static const char *name_of_order(memory_order o)
{
	return o == memory_order_seq_cst   ? "seq"
	       : o == memory_order_acquire ? "acquire"
	       : o == memory_order_release ? "release"
	       : o == memory_order_relaxed ? "relaxed"
					   : "?";
}

static uint32_t noted_load(const struct ring_memory *m, const _Atomic uint32_t *at,
			   memory_order o)
{
	note("load %s %s; ", name_of(m, at), name_of_order(o));
	return __atomic_load_n((const uint32_t *)at, __ATOMIC_SEQ_CST);
}

/* The length of the entry at the beginning, as the receiver would find it at this moment. */
static unsigned int first_length(void)
{
	return prefix_at(ends.data) & RING_LENGTH;
}

static void noted_store(struct ring_memory *m, _Atomic uint32_t *at, uint32_t v, memory_order o)
{
	note("store %s %s; ", name_of(m, at), name_of_order(o));
	if (at == &m->head)
		cr_expect_neq(first_length(), 0, "the entry is there before head says so");
	__atomic_store_n((uint32_t *)at, v, __ATOMIC_SEQ_CST);
}

static uint32_t noted_exchange(struct ring_memory *m, _Atomic uint32_t *at, uint32_t v)
{
	note("exchange %s %u; ", name_of(m, at), v);
	return __atomic_exchange_n((uint32_t *)at, v, __ATOMIC_SEQ_CST);
}

static void make(void)
{
	cr_assert_eq(ring_private(&ends), 0);
	notes[0] = 0;
}

static void unmap(void)
{
	ring_unmap(&ends);
}

TestSuite(ring_order, .init = make, .fini = unmap);

/* @n entries of 1 KiB, not yet published. */
static void fill(int n)
{
	while (n--) {
		cr_assert_not_null(ring_reserve(&ends, 1024 - RING_PREFIX));
		ring_commit(&ends, 1024 - RING_PREFIX, 0);
	}
}

#define NOTES(want)                            \
	do {                                   \
		cr_expect_str_eq(notes, want); \
		notes[0] = 0;                  \
	} while (0)

Test(ring_order, head_is_stored_before_the_reader_is_looked_at)
{
	fill(1);
	NOTES("");
	cr_assert_eq(ring_publish(&ends), RING_AWAKE);
	NOTES("store head seq; load reader seq; ");
}

Test(ring_order, a_sleeper_is_made_awake_once)
{
	ring_set_reader(&ends, RING_ASLEEP);
	NOTES("load reader relaxed; store reader seq; ");
	fill(1);
	cr_assert_eq(ring_publish(&ends), RING_ASLEEP);
	NOTES("store head seq; load reader seq; exchange reader 0; ");
}

Test(ring_order, a_reader_that_sleeps_looks_at_head_once_more)
{
	cr_assert_not(ring_has_next(&ends));
	NOTES("load head seq; ");
}

Test(ring_order, entries_are_read_after_head)
{
	uint32_t flags;
	size_t len;

	fill(1);
	ring_publish(&ends);
	notes[0] = 0;
	cr_assert_not_null(ring_next(&ends, &len, &flags));
	NOTES("load head acquire; ");
}

Test(ring_order, a_sender_that_sleeps_says_so_before_it_looks_at_tail)
{
	cr_assert_not(ring_wait(&ends));
	NOTES("store waiting seq; load tail seq; ");
}

/* The receiver has used @read of @n KiB, and seen all of them. */
static void use(int n, int read)
{
	fill(n);
	ring_publish(&ends);
	ends.head_seen = ends.head;
	ends.tail = read * 1024;
	notes[0] = 0;
	ring_release(&ends);
}

/* While a quarter of the ring is used no sender waits. */
Test(ring_order, tail_is_stored_after_the_use_of_entries)
{
	use(128, 128);
	NOTES("store tail release; ");
}

Test(ring_order, tail_is_stored_before_the_sender_is_looked_at)
{
	use(129, 129);
	NOTES("store tail seq; load waiting seq; ");
}

Test(ring_order, a_sender_is_woken_once_half_is_free)
{
	ring_wait(&ends);
	use(512, 255);
	NOTES("store tail seq; load waiting seq; load head seq; ");
	cr_expect_not(ends.freed);
	ends.tail += 1024;
	ring_release(&ends);
	NOTES("store tail seq; load waiting seq; load head seq; exchange waiting 0; ");
	cr_assert(ends.freed);
}

Test(ring_order, what_the_receiver_used_is_used_no_more)
{
	cr_assert(ring_is_read(&ends));
	NOTES("load tail acquire; ");
}

Test(ring_order, head_is_looked_at_after_the_sender_has_left)
{
	ends.memory->closed = 1;
	cr_assert(ring_is_over(&ends));
	NOTES("load closed seq; load head seq; ");
}

Test(ring_order, space_is_used_after_tail)
{
	fill(RING_BYTES / 1024);
	ring_publish(&ends);
	notes[0] = 0;
	cr_assert_null(ring_reserve(&ends, 1));
	NOTES("load tail acquire; ");
}

Test(ring_order, only_one_receiver_attaches)
{
	struct ring made, first, second;
	int fd = ring_create(&made);

	cr_assert_geq(fd, 0);
	notes[0] = 0;
	cr_assert_eq(ring_attach(&first, fd), 0);
	NOTES("exchange attached 1; ");
	cr_assert_eq(ring_attach(&second, fd), EEXIST);
	ring_unmap(&first);
	ring_unmap(&made);
	close(fd);
}
