/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UMR on mkeys with entries: b changes the entries of its key, a writes through it. Bytes of
 * the WQEs are written by hand, like those that libmlx5 posts for mlx5dv_wr_mkey_configure().
 *
 *	key: mkey 0x010002, at most 8 entries, free at first, of all QPs
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define KEY	 0x01000200u
#define CAPACITY 8

static struct hca_mkey *key;

static void setup(void)
{
	pair_open();
	for (unsigned int i = 0; i < 4096; i++)
		near.buf[i] = (uint8_t)(i + 1);
	key = hca_mkey_new(&near.hca);
	key->list = calloc(CAPACITY, sizeof(*key->list));
	key->capacity = CAPACITY;
	key->free = key->umr_en = true;
	key->pd = near.pd;
	key->access = HCA_LOCAL_READ;
	key->mkc[0] = 0x40;
	key->mkc[2] = 0x04; /* lr */
	memset(key->mkc + 4, 0xff, 3);
}

TestSuite(umr_mkey, .init = setup, .fini = rig_close);

/* Inline, 4 entries; free lw rw, len, variant: mkey_configure with access flags and a list. */
static const uint8_t head[128] = {
	0x00, 0x00, 0x00,	 0x25,	      0x01, 0x00, 0x02,	     0x0c, 0x00, 0x00,
	0x00, 0x08, 0x01,	 0x00,	      0x02, 0x00, 0x80,	     0x00, 0x00, 0x00,
	0x00, 0x04, 0x00,	 0x00,	      0x00, 0x00, 0x00,	     0x00, 0x20, 0x3c,
	0x20, 0x01, [66] = 0x28, [68] = 0xff, 0xff, 0xff, [95] = 30,
};
/* 10 bytes at 0x100000, 20 at 0x200000 of the region. */
static const uint8_t list[64] = {
	0, 0, 0, 10, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0x10, 0x00, 0x00,
	0, 0, 0, 20, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0x20, 0x00, 0x00,
};
/* 3 times: 4 bytes every 6 from 0x100000 on, 6 bytes every 9 from 0x200000 on. */
static const uint8_t strided[64] = {
	0, 0, 0, 10, 0,	   0,	 0x04, 0,    0, 0, 0, 3, 0,    0,    0,	   2,
	0, 6, 0, 4,  0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0x10, 0x00, 0x00,
	0, 9, 0, 6,  0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0x20, 0x00, 0x00,
};

/* Posts head and @entries on b, with changes: "access=0x08". */
static void post_umr(const uint8_t *entries, const char *changes)
{
	uint8_t wqe[1024] = { 0 };

	memcpy(wqe, head, sizeof(head));
	memcpy(wqe + 128, entries, 64);
	wqe[1] = b.pi >> 8;
	wqe[2] = (uint8_t)b.pi;
	wqe_change(wqe, changes);
	post_bytes(&b, wqe, wqe[7] & 0x3f);
	ring(&b);
	settle();
}

static void configure(const uint8_t *entries, const char *changes)
{
	post_umr(entries, changes);
	expect_cqe(&b, "sent");
}

static void expect_refused(const uint8_t *entries, const char *changes, const char *syndrome)
{
	unsigned int index = b.pi;

	post_umr(entries, changes);
	expect_cqe(&b, "req_err %s wqe=%u", syndrome, index);
	cr_expect(key->free, "a WQE that fails changes nothing");
}

/* a writes @len bytes from the start of the buffer to @va of the key, and gets @cqe. */
static void write_to(uint64_t va, uint32_t len, const char *cqe)
{
	execute(&a, "write %u remote_va=0x%x rkey=0x%x sig", len, (unsigned int)va,
		KEY | key->variant);
	expect_cqe(&a, "%s", cqe);
}

Test(umr_mkey, a_list_gathers_its_entries)
{
	configure(list, "");
	cr_expect_not(key->free);
	cr_expect_eq(key->access, HCA_LOCAL_READ | HCA_LOCAL_WRITE | HCA_REMOTE_WRITE);
	write_to(0, 30, "sent");
	cr_expect_arr_eq(near.buf + 0x100000, near.buf, 10);
	cr_expect_eq(near.buf[0x100000 + 10], 0);
	cr_expect_arr_eq(near.buf + 0x200000, near.buf + 10, 20);
}

Test(umr_mkey, access_beyond_its_length)
{
	configure(list, "");
	write_to(0, 31, "req_err rem_access wqe=0");
	expect_finding("the key covers|the peer refuses 31 bytes");
}

Test(umr_mkey, a_missing_right)
{
	configure(list, "access=0x08");
	write_to(0, 8, "req_err rem_access wqe=0");
	expect_finding("the key lacks|the peer refuses 8 bytes");
}

Test(umr_mkey, it_can_be_used_as_lkey)
{
	configure(list, "");
	execute(&b, "read 30 local_va=0 lkey=0x%x sig", KEY);
	expect_cqe(&b, "sent");
	cr_expect_arr_eq(near.buf + 0x200000, near.buf + 10, 20);
}

Test(umr_mkey, a_strided_list_repeats)
{
	configure(strided, "");
	write_to(0, 30, "sent");
	for (unsigned int turn = 0; turn < 3; turn++) {
		cr_expect_arr_eq(near.buf + 0x100000 + turn * 6, near.buf + turn * 10, 4);
		cr_expect_arr_eq(near.buf + 0x200000 + turn * 9, near.buf + turn * 10 + 4, 6);
	}
	cr_expect_eq(near.buf[0x100000 + 4], 0);
	cr_expect_eq(near.buf[0x200000 + 6], 0);
	cr_expect_eq(near.buf[0x100000 + 18], 0);
}

Test(umr_mkey, a_strided_list_ends_after_its_repeat_count)
{
	configure(strided, "len=31");
	write_to(29, 2, "req_err rem_access wqe=0");
	expect_finding("its entries end before|the peer refuses 2 bytes at 0x1d");
}

Test(umr_mkey, a_plain_list_replaces_a_strided_one)
{
	configure(strided, "");
	configure(list, "");
	cr_expect_eq(key->repeat, 0);
	write_to(0, 30, "sent");
}

Test(umr_mkey, a_list_may_be_in_memory)
{
	static const uint8_t pointer[64] = { 0, 0, 0, 128, 0x01, 0x00, 0x01, 0x42,
					     0, 0, 0, 0,   0xa0, 0x30, 0x00, 0x00 };

	memcpy(near.buf + 0x300000, list, 64);
	near.buf[0x300000 + 64 + 3] = 5; /* entry 4 */
	memcpy(near.buf + 0x300000 + 68, list + 4, 12);
	configure(pointer, "ds=9 umr_flags=0 octowords=8");
	cr_expect_eq(key->entries, 8);
	cr_expect_eq(key->list[4].len, 5);
	write_to(0, 30, "sent");
	cr_expect_arr_eq(near.buf + 0x200000, near.buf + 10, 20);
}

Test(umr_mkey, a_list_that_cannot_be_read)
{
	static const uint8_t pointer[64] = { 0, 0, 0, 64, 0x77 };

	expect_refused(pointer, "ds=9 umr_flags=0", "local_prot");
	expect_finding("local read of 64 bytes at 0x0: there is no such key");
}

Test(umr_mkey, a_pointer_to_less_than_the_list)
{
	static const uint8_t pointer[64] = { 0, 0, 0, 63, 0x01, 0x00, 0x01, 0x42,
					     0, 0, 0, 0,  0xa0, 0x10, 0x00, 0x00 };

	expect_refused(pointer, "ds=9 umr_flags=0", "local_qp_op");
	expect_finding("the data segment is shorter than the list that it points to");
}

Test(umr_mkey, an_offset_changes_some_entries)
{
	configure(list, "");
	configure(list, "umr_flags=0x90 offset=4 byte131=7");
	cr_expect_eq(key->entries, 8);
	cr_expect_eq(key->list[0].len, 10);
	cr_expect_eq(key->list[1].len, 20);
	cr_expect_eq(key->list[4].len, 7);
}

Test(umr_mkey, without_a_list_the_entries_stay)
{
	configure(list, "");
	configure(list, "ds=8 octowords=0 mask=0 access=0x10"); /* mask without len; rr */
	cr_expect_eq(key->len, 30);
	cr_expect_eq(key->entries, 4);
	cr_expect_eq(key->access, HCA_LOCAL_READ | HCA_REMOTE_READ);
}

Test(umr_mkey, ksm_entries_have_one_size)
{
	key->log_entity = 12;
	key->mkc[59] = 12;
	configure(list, "byte94=0x20 len=0"); /* 2 pages */
	write_to(4090, 12, "sent");
	cr_expect_arr_eq(near.buf + 0x100000 + 4090, near.buf, 6);
	cr_expect_arr_eq(near.buf + 0x200000, near.buf + 6, 6);
}

Test(umr_mkey, ksm_entries_may_change_their_size)
{
	static const char *const refused[] = { "mask=0x03", "mask=0x03 byte123=32" };

	for (int i = 0; i < 2; i++, rig_close(), setup()) {
		key->log_entity = 12;
		configure(list, "mask=0x03 byte123=31");
		cr_expect_eq(key->log_entity, 31);
		post_umr(list, refused[i]);
		expect_cqe(&b, "req_err local_qp_op wqe=3");
		expect_finding("UMR WQE at 0x3 ends in an error: log_page_size is not valid");
	}
}

Test(umr_mkey, fields_that_are_refused)
{
	static const struct {
		const char *what;
		const uint8_t *entries;
		const char *changes, *syndrome, *finding;
	} rows[] = {
		{ "page size of klm", list, "mask=0x03 byte123=1", "local_qp_op",
		  "log_page_size is not for KLM mkeys" },
		{ "more entries than the mkey has", list, "umr_flags=0x90 offset=5", "mw_bind",
		  "entries up to 9, and the key has 8" },
		{ "an octoword count that is not a multiple of 4", list, "ds=10 octowords=2",
		  "local_qp_op", "klm_octowords is not a multiple of 4" },
		{ "signature", list, "byte30=0x30", "local_qp_op",
		  "signatures and crypto" }, /* BSF_EN */
		{ "octowords of a bsf", list, "offset=4", "local_qp_op",
		  "signatures and crypto" },
		{ "offset beyond sixteen bits", list, "byte35=1", "local_qp_op",
		  "translation offsets of more than 16 bits" },
		{ "reserved bytes of the umr segment", list, "byte63=1", "local_qp_op",
		  "reserved bytes of the UMR control segment" },
		{ "repeat block that does not add up", strided, "byte131=11", "local_qp_op",
		  "a repeat block with a wrong byte count" },
		{ "repeat block with repeat count zero", strided, "byte139=0", "local_qp_op",
		  "with repeat count 0" },
		{ "repeat block with more entries than there are", strided, "byte143=4",
		  "local_qp_op", "a repeat block and other entries" },
		{ "repeat block followed by an entry", strided, "byte143=1 byte131=4",
		  "local_qp_op", "a repeat block and other entries in one list" },
	};

	FOR_EACH_ROW(row, rows, setup) {
		expect_refused(row->entries, row->changes, row->syndrome);
		expect_finding("%s", row->finding);
	}
}

/* The ring has 64 blocks: a WQE of 3 from block 62 on wraps. */
Test(umr_mkey, a_wqe_may_wrap)
{
	for (unsigned int i = 0; i < 62; i++) {
		execute(&b, "nop sig");
		expect_cqe(&b, "sent");
	}
	configure(list, "");
	write_to(0, 30, "sent");
}

/* LOCAL_INV as libmlx5 posts it: it checks the QPN, and the key is of all QPs. */
Test(umr_mkey, local_invalidate_frees_it)
{
	configure(list, "");
	configure(list, "ds=8 umr_flags=0x98 octowords=0 byte29=0 byte30=0x60 mask=0 "
			"byte64=0x40 access=0 len=0");
	cr_expect(key->free);
	write_to(0, 8, "req_err rem_access wqe=0");
	expect_finding("the key is bound to no memory|the peer refuses 8 bytes at 0x0");
}

Test(umr_mkey, a_peer_may_invalidate_it_with_en_rinval)
{
	configure(list, "byte30=0x21 byte76=1");
	post(&b, "recv 64 local=0x300000");
	execute(&a, "send_inv inv=0x%x sig", KEY);
	expect_cqe(&a, "sent");
	cr_expect(key->free);
}

/* kernel, mlx5_ib, umr.c, mlx5r_umr_rereg_pd_access: rights and PD of a region */
static void of_the_driver(void)
{
	free(key->list);
	key->list = NULL;
	key->free = false;
	b.qp->st = PRM_QPC_ST_REG_UMR;
}

Test(umr_mkey, the_driver_moves_a_region_to_another_pd)
{
	struct hca_pd *pd = hca_pd_new(&near.hca), *old = near.pd;
	uint32_t refs = old->refs;
	uint8_t wqe[128] = {
		[3] = 0x25, 0x01, 0x00,	       0x02,	    0x08, [11] = 0x08, 0x01,
		0x00,	    0x02, [16] = 0xc0, [29] = 0x3e, 0x00, 0x80
	};

	of_the_driver();
	wqe[66] = 0x14; /* lr, rr */
	wqe[64 + 13] = (uint8_t)(pd->pdn >> 16);
	wqe[64 + 14] = (uint8_t)(pd->pdn >> 8);
	wqe[64 + 15] = (uint8_t)pd->pdn;
	post_bytes(&b, wqe, 8);
	ring(&b);
	settle();
	expect_cqe(&b, "sent");
	cr_expect_eq(key->pd, pd);
	cr_expect_eq(pd->refs, 1);
	cr_expect_eq(old->refs, refs - 1);
	cr_expect_eq(key->access, HCA_LOCAL_READ | HCA_REMOTE_READ);
}
