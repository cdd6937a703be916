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

#define KEY  0x01000200u
#define ROOM 8

static struct host h;
static struct side a, b;
static struct hca_mkey *key;

static void setup(void)
{
	pair_open(&h, &a, &b);
	for (unsigned int i = 0; i < 4096; i++)
		h.buf[i] = (uint8_t)(i + 1);
	key = hca_mkey_new(&h.hca);
	key->list = calloc(ROOM, sizeof(*key->list));
	key->room = ROOM;
	key->free = key->umr_en = true;
	key->pd = h.pd;
	key->access = HCA_LOCAL_READ;
	key->mkc[0] = 0x40;
	key->mkc[2] = 0x04; /* lr */
	memset(key->mkc + 4, 0xff, 3);
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(umr_mkey, .init = setup, .fini = teardown);

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

static uint8_t wqe[1024];

static void make(const uint8_t *entries)
{
	memset(wqe, 0, sizeof(wqe));
	memcpy(wqe, head, sizeof(head));
	memcpy(wqe + 128, entries, 64);
}

static void post_it(void)
{
	wqe[1] = b.pi >> 8;
	wqe[2] = (uint8_t)b.pi;
	post(&b, wqe, wqe[7] & 0x3f);
	ring(&b);
	settle(&h, 1);
}

static void done(struct side *s)
{
	const uint8_t *cqe = next_cqe(s);

	cr_assert_not_null(cqe, "no CQE");
	cr_assert_eq(cqe[63] >> 4, 0, "syndrome 0x%x", cqe[55]);
}

static void configured(const uint8_t *entries)
{
	make(entries);
	post_it();
	done(&b);
}

static void refused(unsigned int syndrome)
{
	unsigned int index = b.pi;

	post_it();
	expect_error(&b, 13, syndrome, index);
	cr_expect(key->free, "a WQE that fails changes nothing");
}

/* a writes @len bytes from the start of the buffer to @va of the key. */
static void write_to(uint64_t va, uint32_t len)
{
	post_wr(&a, &(struct wr){ .opcode = 0x08,
				  .fm_ce_se = SIGNALED,
				  .len = len,
				  .remote = va - RIG_VA,
				  .rkey = KEY | key->variant });
	ring(&a);
	settle(&h, 1);
}

Test(umr_mkey, a_list_gathers_its_entries)
{
	configured(list);
	cr_expect_not(key->free);
	cr_expect_eq(key->access, HCA_LOCAL_READ | HCA_LOCAL_WRITE | HCA_REMOTE_WRITE);
	write_to(0, 30);
	done(&a);
	cr_expect_arr_eq(h.buf + 0x100000, h.buf, 10);
	cr_expect_eq(h.buf[0x100000 + 10], 0);
	cr_expect_arr_eq(h.buf + 0x200000, h.buf + 10, 20);
}

Test(umr_mkey, access_beyond_its_length)
{
	configured(list);
	write_to(0, 31);
	expect_error(&a, 13, 0x13, 0);
}

Test(umr_mkey, a_missing_right)
{
	make(list);
	wqe[66] = 0x08;
	post_it();
	done(&b);
	write_to(0, 8);
	expect_error(&a, 13, 0x13, 0);
}

Test(umr_mkey, it_can_be_used_as_lkey)
{
	configured(list);
	post_wr(&b, &(struct wr){ .opcode = 0x10,
				  .fm_ce_se = SIGNALED,
				  .len = 30,
				  .lkey = KEY,
				  .local = -RIG_VA,
				  .remote = 0 });
	ring(&b);
	settle(&h, 1);
	done(&b);
	cr_expect_arr_eq(h.buf + 0x200000, h.buf + 10, 20);
}

Test(umr_mkey, a_strided_list_repeats)
{
	make(strided);
	post_it();
	done(&b);
	write_to(0, 30);
	done(&a);
	for (unsigned int turn = 0; turn < 3; turn++) {
		cr_expect_arr_eq(h.buf + 0x100000 + turn * 6, h.buf + turn * 10, 4);
		cr_expect_arr_eq(h.buf + 0x200000 + turn * 9, h.buf + turn * 10 + 4, 6);
	}
	cr_expect_eq(h.buf[0x100000 + 4], 0);
	cr_expect_eq(h.buf[0x200000 + 6], 0);
	cr_expect_eq(h.buf[0x100000 + 18], 0);
}

Test(umr_mkey, a_strided_list_ends_after_its_repeat_count)
{
	make(strided);
	wqe[95] = 31;
	post_it();
	done(&b);
	write_to(29, 2);
	expect_error(&a, 13, 0x13, 0);
}

Test(umr_mkey, a_plain_list_replaces_a_strided_one)
{
	configured(strided);
	configured(list);
	cr_expect_eq(key->repeat, 0);
	write_to(0, 30);
	done(&a);
}

Test(umr_mkey, a_list_may_be_in_memory)
{
	static const uint8_t pointer[16] = { 0, 0, 0, 128, 0x01, 0x00, 0x01, 0x42,
					     0, 0, 0, 0,   0xa0, 0x30, 0x00, 0x00 };

	memcpy(h.buf + 0x300000, list, 64);
	h.buf[0x300000 + 64 + 3] = 5; /* entry 4 */
	memcpy(h.buf + 0x300000 + 68, list + 4, 12);
	make(list);
	memset(wqe + 128, 0, 64);
	memcpy(wqe + 128, pointer, 16);
	wqe[7] = 9;
	wqe[16] = 0;
	wqe[16 + 5] = 8;
	post_it();
	done(&b);
	cr_expect_eq(key->entries, 8);
	cr_expect_eq(key->list[4].len, 5);
	write_to(0, 30);
	done(&a);
	cr_expect_arr_eq(h.buf + 0x200000, h.buf + 10, 20);
}

Test(umr_mkey, a_list_that_cannot_be_read)
{
	make(list);
	memset(wqe + 128, 0, 64);
	wqe[128 + 3] = 64;
	wqe[128 + 4] = 0x77;
	wqe[7] = 9;
	wqe[16] = 0;
	refused(0x04);
}

Test(umr_mkey, a_pointer_to_less_than_the_list)
{
	make(list);
	memset(wqe + 128, 0, 64);
	wqe[128 + 3] = 63;
	wqe[7] = 9;
	wqe[16] = 0;
	refused(0x02);
}

Test(umr_mkey, an_offset_changes_some_entries)
{
	configured(list);
	make(list);
	wqe[16] = 0x90;
	wqe[16 + 7] = 4;
	wqe[128 + 3] = 7;
	post_it();
	done(&b);
	cr_expect_eq(key->entries, 8);
	cr_expect_eq(key->list[0].len, 10);
	cr_expect_eq(key->list[1].len, 20);
	cr_expect_eq(key->list[4].len, 7);
}

Test(umr_mkey, without_a_list_the_entries_stay)
{
	configured(list);
	make(list);
	wqe[7] = 8;
	wqe[16 + 5] = 0;
	wqe[16 + 15] = 0; /* mask without len */
	wqe[66] = 0x10;	  /* rr */
	post_it();
	done(&b);
	cr_expect_eq(key->len, 30);
	cr_expect_eq(key->entries, 4);
	cr_expect_eq(key->access, HCA_LOCAL_READ | HCA_REMOTE_READ);
}

Test(umr_mkey, ksm_entries_have_one_size)
{
	key->log_entity = 12;
	key->mkc[59] = 12;
	make(list);
	wqe[94] = 0x20; /* 2 pages */
	wqe[95] = 0;
	post_it();
	done(&b);
	write_to(4090, 12);
	done(&a);
	cr_expect_arr_eq(h.buf + 0x100000 + 4090, h.buf, 6);
	cr_expect_arr_eq(h.buf + 0x200000, h.buf + 6, 6);
}

Test(umr_mkey, ksm_entries_may_change_their_size)
{
	key->log_entity = 12;
	make(list);
	wqe[16 + 15] |= 2;
	wqe[64 + 59] = 16;
	post_it();
	done(&b);
	cr_expect_eq(key->log_entity, 16);
	make(list);
	wqe[16 + 15] |= 2;
	post_it();
	expect_error(&b, 13, 0x02, 3);
}

Test(umr_mkey, page_size_of_klm)
{
	make(list);
	wqe[16 + 15] |= 2;
	refused(0x02);
}

/* The ring has 64 blocks: a WQE of 3 from block 62 on wraps. */
Test(umr_mkey, a_wqe_may_wrap)
{
	for (unsigned int i = 0; i < 62; i++) {
		post_wr(&b, &(struct wr){ .opcode = 0, .fm_ce_se = SIGNALED });
		ring(&b);
		settle(&h, 1);
		done(&b);
	}
	configured(list);
	write_to(0, 30);
	done(&a);
}

/* LOCAL_INV as libmlx5 posts it: it checks the QPN, and the key is of all QPs. */
Test(umr_mkey, local_invalidate_frees_it)
{
	configured(list);
	memset(wqe, 0, sizeof(wqe));
	memcpy(wqe, head, 64);
	wqe[7] = 8;
	wqe[16] = 0x98;
	wqe[16 + 5] = 0;
	wqe[16 + 13] = 0;
	wqe[16 + 14] = 0x60;
	wqe[16 + 15] = 0;
	wqe[64] = 0x40;
	memset(wqe + 68, 0xff, 3);
	post_it();
	done(&b);
	cr_expect(key->free);
	write_to(0, 8);
	expect_error(&a, 13, 0x13, 0);
}

Test(umr_mkey, a_peer_may_invalidate_it_with_en_rinval)
{
	uint8_t send[16] = { 0x00, 0x00,	0x00, 0x01, 0x01, 0x00, 0x01,
			     0x01, [11] = 0x08, 0x01, 0x00, 0x02, 0x00 };

	key->en_rinval = true;
	configured(list);
	post_recv(&b, RIG_VA + 0x300000, 64, RIG_KEY);
	post(&a, send, 1);
	ring(&a);
	settle(&h, 1);
	done(&a);
	cr_expect(key->free);
}

Test(umr_mkey, more_entries_than_the_mkey_has)
{
	make(list);
	wqe[16] = 0x90;
	wqe[16 + 7] = 5;
	refused(0x06);
}

Test(umr_mkey, an_octoword_count_that_is_not_a_multiple_of_4)
{
	make(list);
	wqe[7] = 10;
	wqe[16 + 5] = 2;
	refused(0x02);
}

Test(umr_mkey, signature)
{
	make(list);
	wqe[16 + 14] |= 0x10; /* BSF_EN */
	refused(0x02);
}

Test(umr_mkey, octowords_of_a_bsf)
{
	make(list);
	wqe[16 + 7] = 4;
	refused(0x02);
}

Test(umr_mkey, offset_beyond_sixteen_bits)
{
	make(list);
	wqe[16 + 19] = 1;
	refused(0x02);
}

Test(umr_mkey, reserved_bytes_of_the_umr_segment)
{
	make(list);
	wqe[63] = 1;
	refused(0x02);
}

Test(umr_mkey, repeat_block_that_does_not_add_up)
{
	make(strided);
	wqe[128 + 3] = 11;
	refused(0x02);
}

Test(umr_mkey, repeat_block_with_repeat_count_zero)
{
	make(strided);
	wqe[128 + 11] = 0;
	refused(0x02);
}

Test(umr_mkey, repeat_block_with_more_entries_than_there_are)
{
	make(strided);
	wqe[128 + 15] = 4;
	refused(0x02);
}

Test(umr_mkey, repeat_block_followed_by_an_entry)
{
	make(strided);
	wqe[128 + 15] = 1;
	wqe[128 + 3] = 4;
	refused(0x02);
}
