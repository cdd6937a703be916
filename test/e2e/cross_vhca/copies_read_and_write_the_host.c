/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies from and to memory of the host, by an alias: the bytes, the limits of the export, the
 * end of the exporter in the middle. */
#include <errno.h>
#include <signal.h>

#include "fixture.h"
#include <dv/reason.h>

enum { MIB = 1 << 20 };

TestSuite(copies, .init = dpu_start, .fini = dpu_stop);

static void ok(const struct dv_dma_done *done, uint64_t id)
{
	cr_assert_eq(done->id, id);
	cr_assert_eq(done->status, 0, "%s", dv_syndrome_str(done->syndrome));
	cr_assert_eq(done->copied, done->len);
}

/* @len bytes of ours are host_byte(seed, i), i from @from on. */
static void is_local(uint64_t offset, uint64_t from, uint64_t len, uint32_t seed)
{
	for (uint64_t i = 0; i < len; i++)
		cr_assert_eq(d.memory[offset + i], host_byte(seed, from + i), "byte %llu",
			     (unsigned long long)i);
}

/* In both directions, chunks that begin and end anywhere. */
static void both_ways(enum host_op how)
{
	const uint64_t len = 3 * MIB + 12345;

	import(how, DEVX_EXPORT_READ_WRITE);
	host_must((struct host_request){ .op = HOST_FILL, .seed = 1 });
	open_dma((struct dv_dma_attr){ .chunk = 200001, .depth = 8 });
	copy(1, local(77), remote(1001), len);
	finish(1);
	ok(&d.done[0], 1);
	is_local(77, 1001, len, 1);
	cr_assert_eq(d.memory[76] | d.memory[77 + len], 0, "no more than that");
	for (uint64_t i = 0; i < len; i++)
		d.memory[i] = host_byte(2, i);
	copy(2, remote(4 * MIB + 3), local(0), len);
	finish(1);
	ok(&d.done[0], 2);
	host_must((struct host_request){
		.op = HOST_CHECK, .offset = 4 * MIB + 3, .len = len, .seed = 2 });
}

Test(copies, of_memory)
{
	both_ways(HOST_EXPORT);
}

Test(copies, of_an_mr)
{
	if (d.caps.vendor_part_id == 0xa2d6)
		cr_skip_test("a BlueField-2 allows keys over a umem only");
	both_ways(HOST_EXPORT_MR);
}

/* From the host to the host, both by the alias; and a chain of copies that need each other. */
Test(copies, one_after_another)
{
	import(HOST_EXPORT, DEVX_EXPORT_READ_WRITE);
	host_must((struct host_request){ .op = HOST_FILL, .seed = 3 });
	open_dma((struct dv_dma_attr){ .chunk = 65536 });
	copy(1, local(0), remote(0), MIB);
	copy(2, remote(2 * MIB), local(0), MIB);
	copy(3, remote(3 * MIB), remote(2 * MIB), MIB);
	copy(4, local(MIB), remote(3 * MIB), MIB);
	finish(4);
	for (unsigned int i = 0; i < 4; i++)
		ok(&d.done[i], i + 1);
	is_local(MIB, 0, MIB, 3);
	host_must((struct host_request){
		.op = HOST_CHECK, .offset = 3 * MIB, .len = MIB, .seed = 3 });
}

/* An error, and whether the queue works again. */
static void fails(struct dv_laddr dst, struct dv_laddr src, uint64_t len, uint64_t copied)
{
	copy(1, dst, src, len);
	finish(1);
	cr_assert_eq(d.done[0].status, EIO, "%s", strerror(d.done[0].status));
	cr_assert_neq(d.done[0].syndrome, 0);
	cr_assert_eq(d.done[0].copied, copied);
	cr_assert_eq(dv_dma_recover(d.dma), 0, "%s", dv_reason());
	copy(2, local(0), remote(0), MIB);
	finish(1);
	ok(&d.done[0], 2);
	is_local(0, 0, MIB, 4);
}

Test(copies, that_are_not_permitted)
{
	import(HOST_EXPORT, IBV_ACCESS_REMOTE_READ);
	host_must((struct host_request){ .op = HOST_FILL, .seed = 4 });
	open_dma((struct dv_dma_attr){ .chunk = 65536 });
	fails(remote(0), local(0), 100000, 0);
	host_must((struct host_request){ .op = HOST_CHECK, .len = MIB, .seed = 4 });
}

Test(copies, beyond_the_export)
{
	import(HOST_EXPORT, DEVX_EXPORT_READ_WRITE);
	host_must((struct host_request){ .op = HOST_FILL, .seed = 4 });
	open_dma((struct dv_dma_attr){ .chunk = 65536 });
	fails(local(0), remote(HOST_BYTES - 65536), 65537, 65536);
}

/* Without an alias, by privilege: of all addresses, but the host's key has its own limits. */
Test(copies, by_a_crossing_key)
{
	const struct devx_mkey_attr attr = { .pdn = d.pdn, .access = DEVX_EXPORT_READ_WRITE };
	struct devx_mkey crossing;

	import(HOST_EXPORT, DEVX_EXPORT_READ_WRITE);
	host_must((struct host_request){ .op = HOST_FILL, .seed = 5 });
	open_dma((struct dv_dma_attr){ .chunk = 65536 });
	cr_assert_eq(devx_mkey_create_crossing(&crossing, d.ctx, &attr, d.theirs.vhca_id,
					       d.theirs.mkey),
		     0);
	copy(1, local(3), (struct dv_laddr){ d.theirs.addr + 1001, crossing.key }, MIB);
	copy(2, (struct dv_laddr){ d.theirs.addr + 2 * MIB, crossing.key }, local(3), MIB);
	copy(3, local(0), (struct dv_laddr){ d.theirs.addr + HOST_BYTES, crossing.key }, 1);
	finish(3);
	ok(&d.done[0], 1);
	is_local(3, 1001, MIB, 5);
	ok(&d.done[1], 2);
	cr_assert_eq(d.done[2].status, EIO);
	cr_assert_eq(devx_mkey_destroy(&crossing), 0);
}

Test(copies, by_an_alias_of_what_was_destroyed)
{
	import(HOST_EXPORT, DEVX_EXPORT_READ_WRITE);
	open_dma((struct dv_dma_attr){ .chunk = 65536 });
	host_must((struct host_request){ .op = HOST_DESTROY });
	copy(1, local(0), remote(0), 100);
	finish(1);
	cr_assert_eq(d.done[0].status, EIO);
	cr_assert_eq(d.done[0].copied, 0u);
}

/* An exporter that is stopped answers nothing: the copies are given up, what is local works,
 * and when the exporter goes on, so do copies by the same alias. */
Test(copies, while_the_exporter_is_stopped)
{
	struct host_answer a = host_do((struct host_request){ .op = HOST_FILL, .seed = 5 });

	import(HOST_EXPORT, DEVX_EXPORT_READ_WRITE);
	open_dma((struct dv_dma_attr){ .chunk = 65536, .depth = 4 });
	host_stop(a.pid);
	copy(1, local(0), remote(0), MIB);
	copy(2, local(0), remote(0), MIB);
	for (int i = 0; i < 1000; i++)
		cr_assert_eq(dv_dma_poll(d.dma, d.done, 2), 0);
	cr_assert_eq(dv_dma_recover(d.dma), 0, "%s", dv_reason());
	finish(2);
	for (unsigned int i = 0; i < 2; i++) {
		cr_assert_eq(d.done[i].status, ECANCELED);
		cr_assert_eq(d.done[i].copied, 0u);
		cr_assert_eq(d.done[i].chunks_error, 0u);
	}
	memset(d.memory, 0x5a, MIB);
	copy(3, local(MIB), local(0), MIB);
	finish(1);
	ok(&d.done[0], 3);
	cr_assert_arr_eq(d.memory + MIB, d.memory, MIB);
	cr_assert_eq(kill(a.pid, SIGCONT), 0);
	copy(4, local(0), remote(0), MIB);
	finish(1);
	ok(&d.done[0], 4);
	is_local(0, 0, MIB, 5);
}

/* The exporter is killed: an error for each chunk in flight, every copy is reported, and the
 * queue copies local memory again. */
Test(copies, while_the_exporter_is_killed)
{
	struct dv_dma_counters n;
	uint64_t total = 0;

	import(HOST_EXPORT, DEVX_EXPORT_READ_WRITE);
	open_dma((struct dv_dma_attr){ .chunk = 4096, .depth = 32, .copies = 40 });
	for (uint64_t id = 0; id < 40; id++)
		copy(id, local(0), remote(0), 2 * MIB);
	dv_dma_doorbell(d.dma);
	host_die();
	finish(40);
	dv_dma_query_counters(d.dma, &n);
	cr_assert_eq(n.reported, 40);
	cr_assert_eq(n.ok + n.failed + n.flushed, n.chunks, "a completion for each chunk");
	cr_assert_eq(n.failed, 1);
	for (unsigned int i = 0; i < 40; i++) {
		cr_assert_eq(d.done[i].id, i);
		total += d.done[i].chunks_ok;
	}
	cr_assert_eq(total, n.ok);
	cr_assert_eq(d.done[39].status, ECANCELED);
	cr_assert_eq(dv_dma_recover(d.dma), 0, "%s", dv_reason());
	memset(d.memory, 0x5a, MIB);
	copy(99, local(MIB), local(0), MIB);
	finish(1);
	ok(&d.done[0], 99);
	cr_assert_arr_eq(d.memory + MIB, d.memory, MIB);
}
