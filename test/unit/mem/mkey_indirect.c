/* SPDX-License-Identifier: BSD-2-Clause */
/* Indirect keys of several entries, nested keys, and the rights that the keys of the entries
 * need. */
#include "keys.h"

#define START 0x9000ull /* of the list */

static struct hca_mkey *left, *right, *list;
static _Alignas(4096) uint8_t area[2][4096];

static struct hca_mkey *new_list(uint32_t entries, uint64_t len)
{
	struct hca_mkey *m = hca_mkey_new(&hca);

	m->pd = pd;
	m->access = HCA_LOCAL_READ | HCA_LOCAL_WRITE | HCA_REMOTE_READ | HCA_REMOTE_WRITE |
		    HCA_REMOTE_ATOMIC;
	m->start = START;
	m->len = len;
	m->entries = m->capacity = entries;
	m->list = calloc(entries, sizeof(*m->list));
	return m;
}

/* 10 bytes of the one, 20 of the other, 30 of the one again */
static void setup(void)
{
	begin();
	left = new_region(0x5000, PAGE, area[0], 1);
	right = new_region(0x7000, PAGE, area[1], 1);
	list = new_list(3, 60);
	list->list[0] = (struct hca_klm){ 10, left->index << 8, 0x5000 + 100, 0 };
	list->list[1] = (struct hca_klm){ 20, right->index << 8, 0x7000 + 200, 0 };
	list->list[2] = (struct hca_klm){ 30, left->index << 8, 0x5000 + 300, 0 };
	memset(area, 0, sizeof(area));
}

TestSuite(indirect_mkey, .init = setup, .fini = teardown);

Test(indirect_mkey, gathers_over_all_entries)
{
	struct mem_ref r = ref(list, 0, 60, HCA_REMOTE_WRITE);
	uint8_t in[60], out[40];

	for (uint8_t i = 0; i < 60; i++)
		in[i] = i + 1;
	cr_assert_eq(mem_write(&hca, &r, in), MEM_OK);
	cr_expect_arr_eq(area[0] + 100, in, 10);
	cr_expect_eq(area[0][110], 0);
	cr_expect_arr_eq(area[1] + 200, in + 10, 20);
	cr_expect_arr_eq(area[0] + 300, in + 30, 30);
	r = ref(list, 5, 40, HCA_LOCAL_READ);
	cr_assert_eq(mem_read(&hca, &r, out), MEM_OK);
	cr_expect_arr_eq(out, in + 5, 40);
}

Test(indirect_mkey, has_its_bounds_and_those_of_its_entries)
{
	cr_assert_eq(access_status(list, 0, 60, HCA_LOCAL_READ), MEM_OK);
	cr_assert_eq(access_status(list, 59, 1, HCA_LOCAL_READ), MEM_OK);
	cr_assert_eq(access_status(list, 59, 2, HCA_LOCAL_READ), MEM_BOUNDS);
	list->len = 100; /* longer than its entries */
	cr_assert_eq(access_status(list, 59, 2, HCA_LOCAL_READ), MEM_BOUNDS);
	cr_assert_eq(access_status(list, 60, 1, HCA_LOCAL_READ), MEM_BOUNDS);
	list->list[1].addr = 0x7000 + 4096 - 19; /* the entry longer than the region */
	cr_assert_eq(access_status(list, 10, 19, HCA_LOCAL_READ), MEM_OK);
	cr_assert_eq(access_status(list, 10, 20, HCA_LOCAL_READ), MEM_BOUNDS);
}

Test(indirect_mkey, rights_are_checked_at_every_level)
{
	right->access = HCA_LOCAL_READ;
	cr_assert_eq(access_status(list, 0, 10, HCA_REMOTE_WRITE), MEM_OK);
	cr_assert_eq(access_status(list, 0, 11, HCA_REMOTE_WRITE), MEM_RIGHTS);
	cr_assert_eq(access_status(list, 0, 11, HCA_REMOTE_READ), MEM_OK);
	cr_assert_eq(access_status(list, 10, 8, HCA_REMOTE_ATOMIC), MEM_RIGHTS);
	cr_assert_eq(access_status(list, 30, 8, HCA_REMOTE_ATOMIC), MEM_OK);
	list->access = HCA_LOCAL_READ;
	cr_assert_eq(access_status(list, 0, 10, HCA_LOCAL_WRITE), MEM_RIGHTS);
	cr_assert_eq(access_status(list, 0, 10, HCA_REMOTE_READ), MEM_RIGHTS);
}

/* The key of an entry has to allow this, for each right that is asked for at the list. */
Test(indirect_mkey, each_right_needs_these_rights_of_the_entry)
{
	static const struct {
		uint8_t asked;
		bool reads, writes;
	} rows[] = {
		{ HCA_LOCAL_READ, true, false },   { HCA_LOCAL_WRITE, false, true },
		{ HCA_REMOTE_READ, true, false },  { HCA_REMOTE_WRITE, false, true },
		{ HCA_REMOTE_ATOMIC, true, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t asked = rows[i].asked;

		left->access = HCA_LOCAL_READ | HCA_LOCAL_WRITE;
		cr_expect_eq(access_status(list, 0, 8, asked), MEM_OK, "0x%x", asked);
		left->access = (uint8_t)~HCA_LOCAL_WRITE;
		cr_expect_eq(access_status(list, 0, 8, asked),
			     rows[i].writes ? MEM_RIGHTS : MEM_OK, "0x%x", asked);
		left->access = (uint8_t)~HCA_LOCAL_READ;
		cr_expect_eq(access_status(list, 0, 8, asked),
			     rows[i].reads ? MEM_RIGHTS : MEM_OK, "0x%x", asked);
		list->access = (uint8_t)~asked;
		left->access = HCA_LOCAL_READ | HCA_LOCAL_WRITE;
		cr_expect_eq(access_status(list, 0, 8, asked), MEM_RIGHTS, "0x%x", asked);
		list->access = (uint8_t)~0;
	}
}

Test(indirect_mkey, all_keys_are_of_one_pd)
{
	right->pd = other;
	cr_assert_eq(access_status(list, 0, 10, HCA_LOCAL_READ), MEM_OK);
	cr_assert_eq(access_status(list, 0, 11, HCA_LOCAL_READ), MEM_BAD_PD);
	list->pd = other;
	cr_assert_eq(access_status(list, 0, 1, HCA_LOCAL_READ), MEM_BAD_PD);
}

/* An entry may name a destroyed key; its use is an error. */
Test(indirect_mkey, destroyed_key_of_an_entry_is_found_by_the_access)
{
	hca_mkey_free(&hca, right);
	cr_assert_eq(access_status(list, 0, 10, HCA_LOCAL_READ), MEM_OK);
	cr_assert_eq(access_status(list, 9, 2, HCA_LOCAL_READ), MEM_BAD_KEY);
	cr_assert_eq(access_status(list, 30, 30, HCA_LOCAL_READ), MEM_OK);
}

Test(indirect_mkey, a_checked_write_changes_nothing_if_a_later_entry_is_refused)
{
	struct mem_ref r = ref(list, 0, 60, HCA_REMOTE_WRITE);
	uint8_t in[60];

	memset(in, 0xa5, sizeof(in));
	hca_mkey_free(&hca, right);
	cr_expect_eq(mem_check_and_write(&hca, &r, in), MEM_BAD_KEY);
	cr_expect_eq(area[0][100], 0);
	r.len = 10; /* not in the second entry */
	cr_expect_eq(mem_check_and_write(&hca, &r, in), MEM_OK);
	cr_expect_eq(area[0][100], 0xa5);
	cr_expect_eq(area[0][109], 0xa5);
	cr_expect_eq(area[0][110], 0);
}

Test(indirect_mkey, free_key_is_refused)
{
	list->free = true;
	cr_assert_eq(access_status(list, 0, 1, HCA_LOCAL_READ), MEM_FREE);
}

/* KSM: entries of one size. */
Test(indirect_mkey, ksm_entries_have_equal_length)
{
	struct hca_mkey *ksm = new_list(2, 128);
	struct mem_ref r = ref(ksm, 60, 8, HCA_REMOTE_READ);
	char got[8];

	ksm->log_entity = 6;
	ksm->list[0] = (struct hca_klm){ 0, right->index << 8, 0x7000, 0 };
	ksm->list[1] = (struct hca_klm){ 0, left->index << 8, 0x5000 + 512, 0 };
	memcpy(area[1] + 60, "1234", 4);
	memcpy(area[0] + 512, "5678", 4);
	cr_assert_eq(mem_read(&hca, &r, got), MEM_OK);
	cr_expect_arr_eq(got, "12345678", 8);
	cr_assert_eq(access_status(ksm, 0, 128, HCA_LOCAL_READ), MEM_OK);
	ksm->length64 = true;
	cr_assert_eq(access_status(ksm, 127, 2, HCA_LOCAL_READ), MEM_BOUNDS);
}

Test(indirect_mkey, nesting_is_limited)
{
	struct hca_mkey *level[HCA_MAX_INDIRECTION + 1] = { list };
	struct mem_ref r;
	char got[4];

	for (int i = 1; i <= HCA_MAX_INDIRECTION; i++) {
		level[i] = new_list(2, 40);
		level[i]->list[0] =
			(struct hca_klm){ 3, level[i - 1]->index << 8, START + 8, 0 };
		level[i]->list[1] =
			(struct hca_klm){ 30, level[i - 1]->index << 8, START + 12, 0 };
	}
	/* byte 2 of level 1 is byte 10 of the list, its first of the other region */
	memcpy(area[1] + 200, "ab", 2);
	memcpy(area[1] + 202, "cd", 2);
	r = ref(level[1], 2, 3, HCA_REMOTE_READ);
	cr_assert_eq(mem_read(&hca, &r, got), MEM_OK);
	cr_expect_arr_eq(got, "acd", 3);
	cr_assert_eq(access_status(level[HCA_MAX_INDIRECTION - 1], 0, 1, HCA_LOCAL_READ),
		     MEM_OK);
	cr_assert_eq(access_status(level[HCA_MAX_INDIRECTION], 0, 1, HCA_LOCAL_READ),
		     MEM_DEPTH);
}

Test(indirect_mkey, key_with_itself_as_entry_is_refused)
{
	list->list[0] = (struct hca_klm){ 60, list->index << 8, START, 0 };
	cr_assert_eq(access_status(list, 0, 1, HCA_LOCAL_READ), MEM_DEPTH);
}

/* 4 bytes every 10 of the one, 6 bytes every 7 of the other, 3 times: 30 bytes. */
static struct hca_mkey *new_strided(void)
{
	struct hca_mkey *m = new_list(2, 30);

	m->repeat = 3;
	m->list[0] = (struct hca_klm){ 4, left->index << 8, 0x5000 + 100, 10 };
	m->list[1] = (struct hca_klm){ 6, right->index << 8, 0x7000 + 200, 7 };
	return m;
}

Test(indirect_mkey, strided_entries_repeat_at_their_stride)
{
	struct mem_ref r = ref(new_strided(), 0, 30, HCA_REMOTE_WRITE);
	uint8_t in[30], out[13];

	for (uint8_t i = 0; i < 30; i++)
		in[i] = i + 1;
	cr_assert_eq(mem_write(&hca, &r, in), MEM_OK);
	for (unsigned int turn = 0; turn < 3; turn++) {
		cr_expect_arr_eq(area[0] + 100 + turn * 10, in + turn * 10, 4);
		cr_expect_eq(area[0][104 + turn * 10], 0);
		cr_expect_arr_eq(area[1] + 200 + turn * 7, in + turn * 10 + 4, 6);
		cr_expect_eq(area[1][206 + turn * 7], 0);
	}
	r.addr += 9; /* from the last byte of the first repetition on */
	r.len = 13;
	r.rights = HCA_LOCAL_READ;
	cr_assert_eq(mem_read(&hca, &r, out), MEM_OK);
	cr_expect_arr_eq(out, in + 9, 13);
}

Test(indirect_mkey, strided_entries_end_after_the_repeat_count)
{
	struct hca_mkey *m = new_strided();

	m->len = 100;
	cr_assert_eq(access_status(m, 0, 30, HCA_LOCAL_READ), MEM_OK);
	cr_assert_eq(access_status(m, 29, 2, HCA_LOCAL_READ), MEM_BOUNDS);
	m->list[1].addr = 0x7000 + 4096 - 19; /* only the third repetition exceeds the region */
	cr_assert_eq(access_status(m, 0, 20, HCA_LOCAL_READ), MEM_OK);
	cr_assert_eq(access_status(m, 0, 30, HCA_LOCAL_READ), MEM_BOUNDS);
	m->list[0].len = m->list[1].len = 0;
	cr_assert_eq(access_status(m, 0, 1, HCA_LOCAL_READ), MEM_BOUNDS);
}

/* The keys of no memory as entries, and alone. */
Test(indirect_mkey, entries_of_no_memory_are_zeros)
{
	struct mem_ref r = ref(list, 0, 60, HCA_REMOTE_READ);
	uint8_t got[60], zeros[20] = { 0 };

	memset(area, 0x11, sizeof(area));
	memset(got, 0x22, sizeof(got));
	list->list[1] = (struct hca_klm){ 20, HCA_KEY_NULL, UINT64_MAX - 5, 0 };
	cr_assert_eq(mem_read(&hca, &r, got), MEM_OK);
	cr_expect_arr_eq(got, area[0], 10);
	cr_expect_arr_eq(got + 10, zeros, 20);
	cr_expect_arr_eq(got + 30, area[0], 30);
	r.rights = HCA_REMOTE_WRITE;
	cr_assert_eq(mem_write(&hca, &r, got), MEM_OK);
}

Test(indirect_mkey, keys_of_no_memory_are_of_every_pd_and_local)
{
	static const uint32_t keys[] = { HCA_KEY_DUMP_FILL, HCA_KEY_NULL };

	for (unsigned int i = 0; i < 2; i++) {
		struct mem_ref r = { .pd = i ? pd : other, .key = keys[i], .len = 1ull << 40 };

		r.rights = HCA_LOCAL_READ | HCA_LOCAL_WRITE;
		cr_expect_eq(mem_check(&hca, &r), MEM_OK);
		for (uint8_t right = HCA_REMOTE_READ; right <= HCA_REMOTE_ATOMIC; right <<= 1) {
			r.rights = right;
			cr_expect_eq(mem_check(&hca, &r), MEM_RIGHTS);
		}
		r.rights = HCA_LOCAL_READ;
		r.key ^= 0x10;
		cr_expect_eq(mem_check(&hca, &r), MEM_BAD_KEY);
	}
}

/* The memory of the second of three entries is unmapped: a read and a write end there. */
Test(indirect_mkey, an_entry_without_memory_ends_the_access)
{
	struct mem_ref r = ref(list, 0, 60, HCA_REMOTE_WRITE);
	uint8_t bytes[60];

	memset(bytes, 7, sizeof(bytes));
	cr_assert_eq(mprotect(area[1], sizeof(area[1]), PROT_NONE), 0);
	cr_expect_eq(mem_write(&hca, &r, bytes), MEM_FAULT);
	cr_expect_eq(area[0][109], 7);
	cr_expect_eq(area[0][300], 0, "the third");
	r = ref(list, 0, 60, HCA_LOCAL_READ);
	cr_expect_eq(mem_read(&hca, &r, bytes), MEM_FAULT);
	r.len = 10;
	cr_expect_eq(mem_read(&hca, &r, bytes), MEM_OK);
	mprotect(area[1], sizeof(area[1]), PROT_READ | PROT_WRITE);
}
