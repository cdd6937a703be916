/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UMR on mkeys with entries: b changes the entries of its key, a writes through it. Bytes of
 * the WQEs are written by hand, like those that libmlx5 posts for mlx5dv_wr_mkey_configure().
 *
 *	key: mkey 0x010002, at most 8 entries, free at first, of all QPs
 */
#include <endian.h>

#include "umr.h"

#define KEY 0x01000200u

static struct hca_mkey *key;

static void setup(void)
{
	pair_open();
	for (unsigned int i = 0; i < 4096; i++)
		near.buf[i] = (uint8_t)(i + 1);
	key = umr_key(true);
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

/* 128 bytes at 0x300000 of the region. */
static const uint8_t pointer[64] = { 0, 0, 0, 128, 0x01, 0x00, 0x01, 0x42,
				     0, 0, 0, 0,   0xa0, 0x30, 0x00, 0x00 };
/* A repeat block of no entries, 3 times. */
static const uint8_t empty_block[64] = { [6] = 0x04, [11] = 3 };

static void post_umr(const uint8_t *entries, const char *changes)
{
	umr_post(head, entries, changes);
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
	succeed(&b, "read 30 local_va=0 lkey=0x%x sig", KEY);
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
	memcpy(near.buf + 0x300000, list, 64);
	near.buf[0x300000 + 64 + 3] = 5; /* entry 4 */
	memcpy(near.buf + 0x300000 + 68, list + 4, 12);
	configure(pointer, "ds=9 umr_flags=0 octowords=8");
	cr_expect_eq(key->entries, 8);
	cr_expect_eq(key->list[4].len, 5);
	write_to(0, 30, "sent");
	cr_expect_arr_eq(near.buf + 0x200000, near.buf + 10, 20);
}

Test(umr_mkey, each_allocation_fails)
{
	static const struct {
		const uint8_t *entries;
		const char *changes, *syndrome;
	} rows[] = {
		{ list, "", "local_qp_op" },
		{ pointer, "ds=9 umr_flags=0", "local_prot" },
		{ pointer, "ds=9 umr_flags=0", "local_qp_op" },
	};

	for (unsigned int i = 0; i < 3; i++, rig_close(), setup()) {
		succeed(&b, "nop sig");
		steps.fail_at = i < 2 ? 1 : 2;
		expect_refused(rows[i].entries, rows[i].changes, rows[i].syndrome);
		cr_expect_eq(steps.fail_at, 0);
	}
}

Test(umr_mkey, an_offset_changes_some_entries)
{
	configure(list, "");
	configure(list, "umr_flags=0x90 offset=4 byte131=7");
	cr_expect_eq(key->entries, 8);
	cr_expect_eq(key->list[0].len, 10);
	cr_expect_eq(key->list[1].len, 20);
	cr_expect_eq(key->list[4].len, 7);
	configure(list, "umr_flags=0x90 offset=0");
	cr_expect_eq(key->entries, 8, "those after the list stay");
	configure(list, "");
	cr_expect_eq(key->entries, 4);
}

Test(umr_mkey, without_a_list_the_entries_stay)
{
	configure(list, "");
	configure(list, "ds=8 octowords=0 mask=0 access=0x10"); /* mask without len; rr */
	cr_expect_eq(key->len, 30);
	cr_expect_eq(key->entries, 4);
	cr_expect_eq(key->access, HCA_LOCAL_READ | HCA_REMOTE_READ);
}

/* <linux/mlx5/device.h>, MLX5_MKEY_MASK_*: each bit changes one field of the context. */
Test(umr_mkey, a_bit_of_the_mask_is_one_field)
{
	static const struct {
		unsigned int bit, at, bytes, bits;
	} fields[] = {
		{ 0, 24, 8, 0xff }, /* len */ { 1, 59, 1, 0xff },  /* log_page_size */
		{ 6, 16, 8, 0xff }, /* start */ { 8, 12, 1, 1 },   /* en_rinval */
		{ 13, 7, 1, 0xff }, /* mkey */ { 14, 4, 3, 0xff }, /* qpn */
		{ 17, 2, 1, 0x04 }, /* lr */ { 18, 2, 1, 0x08 },   /* lw */
		{ 19, 2, 1, 0x10 }, /* rr */ { 20, 2, 1, 0x20 },   /* rw */
		{ 21, 2, 1, 0x40 }, /* a */ { 29, 0, 1, 0x40 },	   /* free */
	};
	static const uint8_t mkc[64] = {
		[2] = 0x78, 0, 1, 0, 2,	 0x5a, [12] = 1, [16] = 1, 2,  3,  4,  5,
		6,	    7, 8, 9, 10, 11,   12,	 13,	   14, 15, 16, [59] = 13
	};
	uint8_t umr[128], expected[64];
	uint64_t mask, all = 0;

	memcpy(umr, head, 64);
	memcpy(umr + 64, mkc, 64);
	for (unsigned int i = 0; i < 12; i++, rig_close(), setup()) {
		key->log_entity = key->mkc[59] = 12;
		memcpy(expected, key->mkc, 64);
		for (unsigned int k = 0; k < fields[i].bytes; k++) {
			uint8_t *at = expected + fields[i].at + k;

			*at = (*at & ~fields[i].bits) |
			      (mkc[fields[i].at + k] & fields[i].bits);
		}
		mask = htobe64(1ull << fields[i].bit);
		all |= mask;
		memcpy(umr + 24, &mask, 8);
		umr_post(umr, list, "ds=8 octowords=0");
		expect_cqe(&b, "sent");
		cr_expect_arr_eq(key->mkc, expected, 64, "bit %u", fields[i].bit);
	}
	key->log_entity = 12;
	memcpy(umr + 24, &all, 8);
	umr_post(umr, list, "ds=8 octowords=0");
	expect_cqe(&b, "sent");
	cr_expect(!key->free && key->en_rinval && key->variant == 0x5a && key->qpn == 0x10002);
	cr_expect(key->start == 0x0102030405060708 && key->len == 0x090a0b0c0d0e0f10);
	cr_expect_eq(key->log_entity, 13);
	cr_expect_eq(key->access,
		     HCA_LOCAL_WRITE | HCA_REMOTE_READ | HCA_REMOTE_WRITE | HCA_REMOTE_ATOMIC);
}

Test(umr_mkey, a_right_is_one_bit)
{
	static const uint8_t rights[] = { HCA_LOCAL_READ, HCA_LOCAL_WRITE, HCA_REMOTE_READ,
					  HCA_REMOTE_WRITE, HCA_REMOTE_ATOMIC };
	const uint64_t mask = htobe64(0x1full << 17); /* lr, lw, rr, rw, a */
	uint8_t umr[128];

	memcpy(umr, head, 128);
	memcpy(umr + 24, &mask, 8);
	for (int i = 0; i < 6; i++) {
		umr[66] = i < 5 ? 4 << i : 0;
		umr_post(umr, list, "ds=8 octowords=0");
		expect_cqe(&b, "sent");
		cr_expect_eq(key->access, i < 5 ? rights[i] : 0, "%d: %#x", i, key->access);
	}
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
		configure(list, "mask=0x03 byte123=1");
		configure(list, "mask=0x03 byte123=31");
		cr_expect_eq(key->log_entity, 31);
		post_umr(list, refused[i]);
		expect_cqe(&b, "req_err local_qp_op wqe=6");
		expect_finding("UMR WQE at 0x6 ends in an error: log_page_size is not valid");
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
		{ "high bits of such an offset", list, "byte32=0x80", "local_qp_op",
		  "translation offsets of more than 16 bits" },
		{ "the first reserved byte", list, "byte36=1", "local_qp_op",
		  "reserved bytes of the UMR control segment" },
		{ "the first bit after the flags", list, "byte17=0x80", "local_qp_op",
		  "an unknown flag" },
		{ "the last one", list, "byte19=1", "local_qp_op", "an unknown flag" },
		{ "a list that cannot be read", pointer,
		  "ds=9 umr_flags=0 byte132=0x77 byte141=0 byte140=0", "local_prot",
		  "local read of 64 bytes at 0x0: there is no such key" },
		{ "a pointer to less than the list", pointer, "ds=9 umr_flags=0 byte131=63",
		  "local_qp_op", "the data segment is shorter than the list" },
		{ "a pointer that is inline", pointer, "ds=9 umr_flags=0 byte128=0x80",
		  "local_qp_op", "the data segment is shorter than the list" },
		{ "two pointers", pointer, "ds=10 umr_flags=0", "local_qp_op",
		  "ds and klm_octowords disagree" },
		{ "repeat block of no entries", empty_block, "", "local_qp_op",
		  "a repeat block and other entries" },
		{ "repeat block that follows other entries", strided, "umr_flags=0x90 offset=4",
		  "local_qp_op", "a repeat block and other entries" },
		{ "reserved bits of a repeat block", strided, "byte140=0x80", "local_qp_op",
		  "a repeat block and other entries" },
		{ "bytes at the end of the padding", strided, "byte191=1", "local_qp_op",
		  "a repeat block and other entries" },
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
		succeed(&b, "nop sig");
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
	succeed(&a, "send_inv inv=0x%x sig", KEY);
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
	work(&b);
	expect_cqe(&b, "sent");
	cr_expect_eq(key->pd, pd);
	cr_expect_arr_eq(key->mkc + 13, wqe + 64 + 13, 3);
	cr_expect_eq(pd->refs, 1);
	cr_expect_eq(old->refs, refs - 1);
	cr_expect_eq(key->access, HCA_LOCAL_READ | HCA_REMOTE_READ);
}
