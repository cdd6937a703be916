/* SPDX-License-Identifier: BSD-2-Clause */
/* One ring, both ends: what is put in comes out, whatever the lengths, and memory that is not
 * used is given back. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/wire/packet.h"
#include "wire/inside.h"

#define MOST 10000

static struct {
	struct ring out, in;
	int fd;
} e;

static void both(void)
{
	e.fd = ring_create(&e.out);
	cr_assert_geq(e.fd, 0, "%m");
	cr_assert_eq(ring_attach(&e.in, e.fd), 0);
}

static void release(void)
{
	ring_unmap(&e.out);
	ring_unmap(&e.in);
	close(e.fd);
}

TestSuite(ring_ends, .init = both, .fini = release);

static uint8_t byte_of(uint32_t entry, size_t i)
{
	return entry * 7 + i;
}

static bool put(struct ring *r, uint32_t entry, size_t len)
{
	uint8_t *at = ring_reserve(r, len);

	if (!at)
		return false;
	for (size_t i = 0; i < len; i++)
		at[i] = byte_of(entry, i);
	ring_commit(r, len, entry & 1 ? MESSAGE : 0);
	return true;
}

/* The next one is @entry, as it was put; false: there is none. */
static bool get(struct ring *r, uint32_t entry, size_t expected)
{
	size_t len;
	uint32_t flags;
	const uint8_t *at = ring_next(r, &len, &flags);

	if (!at)
		return false;
	cr_assert_eq(len, expected, "entry %u: %zu bytes, not %zu", entry, len, expected);
	cr_assert_eq(flags, entry & 1 ? MESSAGE : 0);
	for (size_t i = 0; i < len; i++)
		cr_assert_eq(at[i], byte_of(entry, i), "entry %u, byte %zu", entry, i);
	return true;
}

static long kibibytes(int fd)
{
	struct stat st;

	cr_assert_eq(fstat(fd, &st), 0);
	return st.st_blocks / 2;
}

Test(ring_ends, entries_of_any_length_pass_a_ring_in_order)
{
	static uint16_t length[1 << 16];
	uint32_t sent = 0, seen = 0;

	srandom(5);
	while (sent < 20000) {
		for (int n = random() % 100; n; n--) {
			length[sent] = random() % 8 ? 1 + random() % 200 : 1 + random() % MOST;
			if (!put(&e.out, sent, length[sent]))
				break;
			sent++;
		}
		ring_publish(&e.out);
		for (int n = random() % 100; n && get(&e.in, seen, length[seen]); n--)
			cr_assert_leq(++seen, sent);
	}
	while (get(&e.in, seen, length[seen]))
		seen++;
	cr_expect_eq(seen, sent);
	cr_expect(ring_is_read(&e.out));
}

Test(ring_ends, what_is_not_published_is_not_read)
{
	cr_assert(put(&e.out, 0, 100));
	cr_expect_not(get(&e.in, 0, 100));
	cr_expect_not(ring_has_next(&e.in));
	ring_publish(&e.out);
	cr_expect(ring_has_next(&e.in));
	cr_expect_not(ring_is_read(&e.out));
	cr_expect(get(&e.in, 0, 100));
	cr_expect_not(ring_is_read(&e.out), "it is being used");
	cr_expect_not(get(&e.in, 1, 100));
	cr_expect(ring_is_read(&e.out));
}

/* An entry that is being used is not overwritten. */
Test(ring_ends, space_is_free_when_its_entry_was_used)
{
	uint32_t sent = 0, seen = 0;

	while (put(&e.out, sent, 4000))
		sent++;
	ring_publish(&e.out);
	cr_expect_gt(sent, RING_BYTES / 4100);
	for (; seen < sent; seen++) {
		cr_assert(get(&e.in, seen, 4000));
		if (!seen)
			cr_expect_not(put(&e.out, sent, 4000));
	}
	cr_expect_not(get(&e.in, seen, 4000));
	cr_expect(put(&e.out, sent, 4000));
}

Test(ring_ends, little_traffic_uses_little_memory)
{
	for (uint32_t i = 0; i < 10000; i++) {
		cr_assert(put(&e.out, i, 100 + i % 4000));
		ring_publish(&e.out);
		cr_assert(get(&e.in, i, 100 + i % 4000));
		cr_assert_not(get(&e.in, i, 0));
	}
	cr_expect_leq(kibibytes(e.fd), (RING_DATA + RING_CHUNK) / 1024);
}

Test(ring_ends, an_empty_ring_gives_its_pages_back)
{
	uint32_t n = 0, seen = 0;

	while (put(&e.out, n, 4000))
		n++;
	ring_publish(&e.out);
	cr_expect_geq(kibibytes(e.fd), RING_BYTES * 9 / 10 / 1024);
	cr_expect_not(ring_discard(&e.out), "it is not empty");
	for (; seen < n; seen++)
		cr_assert(get(&e.in, seen, 4000));
	cr_expect_not(ring_discard(&e.out), "the last one is being used");
	cr_assert_not(get(&e.in, n, 0));
	cr_expect(ring_discard(&e.out));
	cr_expect_leq(kibibytes(e.fd), RING_DATA / 1024);
	cr_assert(put(&e.out, n, 4000));
	ring_publish(&e.out);
	cr_expect(get(&e.in, n, 4000), "and can be used again");
}

Test(ring_ends, memory_of_a_ring_keeps_its_size)
{
	cr_expect_neq(ftruncate(e.fd, 0), 0);
	cr_expect_neq(ftruncate(e.fd, RING_DATA + RING_BYTES - 1), 0);
	cr_expect_neq(ftruncate(e.fd, 1 << 30), 0);
	cr_expect_eq(ring_attach(&e.in, e.fd), EEXIST);
}
