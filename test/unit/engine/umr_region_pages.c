/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UMR that lists the pages of a region, by QPs of the driver: b gives pages to its key, a reads
 * them. Bytes of the WQEs are written by hand, like those of the kernel (mlx5_ib, wr.c,
 * set_reg_wr: IB_WR_REG_MR; umr.c, mlx5r_umr_update_mr_pas).
 *
 *	key: mkey 0x010002, free, with space for 16 pages
 *	page n of the buffer: at n * 4096, filled with n
 */
#include <endian.h>

#include "prm/prm.h"
#include "umr.h"

#define KEY	0x01000200u
#define START	0x10010u /* of the region, with the offset in its first page */
#define PRESENT 3

static struct hca_mkey *key;

static void setup(void)
{
	pair_open();
	for (unsigned int page = 0; page < 256; page++)
		memset(near.buf + page * 4096, (int)page, 4096);
	key = umr_key(false);
	key->pages.log_page = 12;
	key->mkc[59] = 12;
	PRM_SET(qpc, b.qp->qpc, fre, 1);
}

TestSuite(umr_region, .init = setup, .fini = rig_close);

/* IB_WR_REG_MR: inline, 4 octowords; free, small fence, rw rr lw lr, key, rinval, start, page,
 * len. */
static const uint8_t head[128] = {
	[3] = 0x25, 0x01, 0x00,	       0x02,	    0x0c,	[11] = 0x08, 0x01,
	0x00,	    0x02, 0x01,	       [16] = 0x80, 0x00,	0x00,	     0x00,
	0x00,	    0x04, [28] = 0x20, 0x9e,	    0x21,	0x43,	     [66] = 0xbc,
	0x01,	    0xff, 0xff,	       0xff,	    0x01,	[76] = 0x01, [80 + 5] = 0x01,
	0x00,	    0x10, [94] = 0x20, 0x00,	    [123] = 12,
};

/* IB_WR_LOCAL_INV: inline, nothing listed; free. */
static const uint8_t invalidate[128] = {
	[3] = 0x25, 0x01, 0x00, 0x02,	     0x08,	  [11] = 0x08, 0x01,
	0x00,	    0x02, 0x01, [16] = 0x80, [28] = 0x20, [64] = 0x40,
};

/* Pages of the buffer; 0: none. */
static const uint8_t three[8] = { 9, 4, 6 };

static uint64_t entry(unsigned int page)
{
	return page ? htobe64(((uintptr_t)near.buf + page * 4096ull) | PRESENT) : 0;
}

static void post_umr(const uint8_t *wqe, const uint8_t pages[8], const char *changes)
{
	uint64_t entries[8];

	for (unsigned int i = 0; i < 8; i++)
		entries[i] = entry(pages[i]);
	umr_post(wqe, entries, changes);
}

static void register_pages(const uint8_t pages[8], const char *changes)
{
	post_umr(head, pages, changes);
	expect_cqe(&b, "sent");
}

/* a reads @len bytes at byte @off of the region, and gets @cqe. */
static void read_from(uint64_t off, uint32_t len, const char *cqe)
{
	memset(near.buf + 0x200000, 0xee, len);
	execute(&a, "read %u local=0x200000 remote_va=0x%x rkey=0x%x sig", len,
		(unsigned int)(START + off), KEY | key->variant);
	expect_cqe(&a, "%s", cqe);
}

static void expect_refused(const uint8_t *wqe, const char *changes, const char *syndrome)
{
	unsigned int index = b.pi;
	uint8_t before[HCA_MKC_SIZE];

	memcpy(before, key->mkc, sizeof(before));
	post_umr(wqe, three, changes);
	expect_cqe(&b, "req_err %s wqe=%u", syndrome, index);
	cr_expect_arr_eq(key->mkc, before, sizeof(before), "a WQE that fails changes nothing");
	cr_expect(key->free);
}

/* Offset 0x10 in page 9, then page 4, then 6: 0xff0 bytes of the first. */
Test(umr_region, its_pages_are_those_listed_in_their_order)
{
	register_pages(three, "");
	cr_expect_not(key->free);
	cr_expect(key->en_rinval);
	read_from(0xff0 - 1, 2, "sent");
	cr_expect_eq(near.buf[0x200000], 9);
	cr_expect_eq(near.buf[0x200001], 4);
	read_from(0x1ff0 - 1, 0x11, "sent");
	cr_expect_eq(near.buf[0x200000], 4);
	cr_expect_eq(near.buf[0x200010], 6);
}

Test(umr_region, it_ends_with_its_length)
{
	register_pages(three, "");
	read_from(0x1fff, 2, "req_err rem_access wqe=0");
	expect_finding("the key covers 8192 bytes at 0x10010|the peer refuses");
}

/* The second entry has neither rd_en nor wr_en; of the last page there is no entry. */
Test(umr_region, pages_that_are_not_there)
{
	register_pages(three, "byte143=0 byte94=0x90");
	read_from(0xff0 - 1, 1, "sent");
	read_from(0xff0, 1, "req_err rem_access wqe=1");
	expect_finding("the memory of the key is not mapped|the peer refuses");
	rig_close();
	setup();
	register_pages(three, "byte94=0x90");
	cr_expect_eq(key->pages.pas[8], HCA_NO_PAGE, "0 is an address of a virtual machine");
	read_from(0x7ff0, 1, "req_err rem_access wqe=0");
	expect_finding("the memory of the key is not mapped|the peer refuses");
}

/* Either bit of an entry makes its page present; of the low byte nothing else is an address. */
Test(umr_region, low_bits_of_an_entry)
{
	static const char *const rows[] = { "byte135=1", "byte135=2", "byte135=0xff" };

	for (unsigned int i = 0; i < 3; i++) {
		rig_close();
		setup();
		register_pages(three, rows[i]);
		read_from(0, 1, "sent");
		cr_expect_eq(near.buf[0x200000], 9);
	}
}

/* The driver lists many pages by several WQEs; the last makes the key usable. */
Test(umr_region, an_offset_lists_later_pages)
{
	static const uint8_t later[8] = { 21, 22, 23, 24, 25, 26, 27, 28 };

	b.qp->st = PRM_QPC_ST_REG_UMR;
	register_pages(three, "byte28=0 byte29=0 byte30=0 mask=0");
	cr_expect(key->free);
	register_pages(later, "umr_flags=0x90 offset=4 byte94=0xff");
	b.qp->st = PRM_QPC_ST_RC; /* a responder, for the READs */
	read_from(0, 1, "sent");
	cr_expect_eq(near.buf[0x200000], 9);
	for (unsigned int i = 0; i < 8; i++) {
		read_from((8 + i) * 4096 - 0x10, 1, "sent");
		cr_expect_eq(near.buf[0x200000], 21 + i);
	}
}

/* By the kernel's QP, and by the driver's own, which is in no PD. */
Test(umr_region, a_list_may_be_in_memory)
{
	for (unsigned int drivers = 0; drivers < 2; drivers++) {
		uint64_t entries[8] = { entry(7), entry(5) };

		rig_close();
		setup();
		memcpy(near.buf + 0x300000, entries, sizeof(entries));
		if (drivers) {
			b.qp->st = PRM_QPC_ST_REG_UMR;
			b.qp->pd = NULL;
		}
		/* byte_count 64, key 0x01000142, address 0xa0300000 */
		register_pages(
			three,
			"ds=9 umr_flags=0 byte128=0 byte129=0 byte130=0 byte131=64 "
			"byte132=1 byte133=0 byte134=1 byte135=0x42 byte136=0 byte137=0 "
			"byte138=0 byte139=0 byte140=0xa0 byte141=0x30 byte142=0 byte143=0");
		b.qp->st = PRM_QPC_ST_RC;
		b.qp->pd = near.pd;
		read_from(0xff0 - 1, 2, "sent");
		cr_expect_eq(near.buf[0x200000], 7);
		cr_expect_eq(near.buf[0x200001], 5);
	}
}

/* A key that was invalidated is registered again, under another variant. */
Test(umr_region, it_is_invalidated_and_registered_again)
{
	static const uint8_t other[8] = { 30 };

	register_pages(three, "");
	post_umr(invalidate, three, "");
	expect_cqe(&b, "sent");
	cr_expect(key->free);
	register_pages(other, "byte71=2");
	cr_expect_eq(key->variant, 2);
	read_from(0, 1, "sent");
	cr_expect_eq(near.buf[0x200000], 30);
	post(&b, "recv 64 local=0x300000");
	succeed(&a, "send_inv inv=0x%x sig", KEY | 2);
	cr_expect(key->free, "a peer may invalidate it");
}

Test(umr_region, pages_may_have_another_size)
{
	register_pages((const uint8_t[8]){ 2, 8 }, "byte123=13 byte94=0x40");
	cr_expect_eq(key->pages.log_page, 13);
	read_from(0x1ff0 - 1, 2, "sent");
	cr_expect_eq(near.buf[0x200000], 3);
	cr_expect_eq(near.buf[0x200001], 8);
}

Test(umr_region, fields_that_are_refused)
{
	static const struct {
		const char *what, *changes, *syndrome, *finding;
	} rows[] = {
		{ "pages of 2 KiB", "byte123=11", "local_qp_op", "log_page_size is not valid" },
		{ "pages of 1 byte", "byte123=0", "local_qp_op", "log_page_size is not valid" },
		{ "pages of 4 GiB", "byte123=32", "local_qp_op", "log_page_size is not valid" },
		{ "more pages than there is space for", "umr_flags=0x90 offset=5", "mw_bind",
		  "entries up to 9, and the key has 8" },
		{ "a key in use that must be free", "umr_flags=0xc0", "mw_bind",
		  "the key is free, and the WQE requires one in use" },
		{ "a PD that is not there", "byte31=0xc3", "mw_bind", "there is no such PD" },
	};

	FOR_EACH_ROW(row, rows, setup) {
		expect_refused(head, row->changes, row->syndrome);
		expect_finding("%s", row->finding);
	}
	rig_close();
	setup();
	register_pages(three, "umr_flags=0x90 offset=4 byte123=31");
	cr_expect_eq(key->pages.log_page, 31);
}

/* The list that was read, then the space in the key. */
Test(umr_region, each_allocation_fails)
{
	for (unsigned int step = 1; step <= 2; step++) {
		rig_close();
		setup();
		succeed(&b, "nop sig");
		steps.fail_at = step;
		expect_refused(head, "", "local_qp_op");
		cr_expect_eq(steps.fail_at, 0);
	}
}

Test(umr_region, pages_are_listed_by_the_driver_alone)
{
	static const struct {
		const char *what;
		bool is_fast, is_umr, is_other_pd, has_pages;
		const char *changes, *syndrome, *finding;
	} rows[] = {
		{ "a program's QP", false, false, false, false, "byte29=0x1e", "local_qp_op",
		  "the mkey has pages, and only mkeys with entries" },
		{ "small fence by a program's QP", false, false, false, false, "",
		  "local_qp_op", "mkey_mask selects a field that cannot be changed" },
		{ "the kernel's QP, a key of another PD", true, false, true, false, "",
		  "mw_bind", "the key is of another PD" },
		{ "a key that CREATE_MKEY gave pages", true, true, false, true, "",
		  "local_qp_op", "the mkey was created with its pages" },
	};

	FOR_EACH_ROW(row, rows, setup) {
		PRM_SET(qpc, b.qp->qpc, fre, row->is_fast);
		if (row->is_umr)
			b.qp->st = PRM_QPC_ST_REG_UMR;
		if (row->is_other_pd)
			key->pd = hca_pd_new(&near.hca);
		if (row->has_pages)
			key->capacity = 0;
		expect_refused(head, row->changes, row->syndrome);
		expect_finding("%s", row->finding);
	}
	rig_close();
	setup();
	b.qp->st = PRM_QPC_ST_REG_UMR;
	key->pd = hca_pd_new(&near.hca);
	register_pages(three, "");
}

/* mlx5_ib gives a region of length 0 length64: umr.c, mlx5r_umr_final_update_xlt. */
Test(umr_region, length64_is_for_the_driver)
{
	register_pages(three, "byte76=0x81");
	cr_expect_not(key->length64);
	post_umr(invalidate, three, "");
	expect_cqe(&b, "sent");
	b.qp->st = PRM_QPC_ST_REG_UMR;
	register_pages(three, "byte76=0x81");
	cr_expect(key->length64);
}

/* IB_MR_TYPE_SG_GAPS: the key, until now like that of a memory window, gets several entries. */
Test(umr_region, the_kernel_lists_entries_of_a_key_that_is_like_a_window)
{
	static const char *const klms =
		"byte67=2 byte123=0 "
		"byte128=0 byte129=0 byte130=0 byte131=16 byte132=1 byte133=0 byte134=1 byte135=0x42 "
		"byte136=0 byte137=0 byte138=0 byte139=0 byte140=0xa0 byte141=0 byte142=0x50 byte143=0 "
		"byte144=0 byte145=0 byte146=0x1f byte147=0xf0 byte148=1 byte149=0 byte150=1 "
		"byte151=0x42 byte152=0 byte153=0 byte154=0 byte155=0 byte156=0xa0 byte157=0 "
		"byte158=0x30 byte159=0x10";

	key->list = calloc(CAPACITY, sizeof(*key->list));
	key->window = true;
	register_pages((const uint8_t[8]){ 0 }, klms);
	cr_expect_not(key->window);
	read_from(15, 2, "sent");
	cr_expect_eq(near.buf[0x200000], 5);
	cr_expect_eq(near.buf[0x200001], 3);
	succeed(&a, "write 2 local_va=0x%x lkey=0x%x remote=0x200010 sig", START + 15, KEY | 1);
	cr_expect_eq(near.buf[0x200010], 5);
	cr_expect_eq(near.buf[0x200011], 3);
}
