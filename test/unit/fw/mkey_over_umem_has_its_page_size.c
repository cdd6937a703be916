/* SPDX-License-Identifier: BSD-2-Clause */
/* umem_mkey: CREATE_MKEY over a umem: where it may start, how far it may reach, what it
 * grants. */
#include "device.h"
#include "mem/mem.h"

#define LEN 6000

static uint16_t u;
static uint32_t umem;

static void setup_umem(void)
{
	setup();
	u = new_uctx();
	pdn = new_pd(u);
	umem = new_umem(u, 0, 4);
}

TestSuite(umem_mkey, .init = setup_umem, .fini = teardown);

/* @want is the whole syndrome: some are the hardware's own. */
#define MKEY_REFUSED(status, want)                                 \
	do {                                                       \
		cr_assert_eq(execute(), status);                   \
		cr_assert_eq(syndrome(), want, "%#x", syndrome()); \
		cr_assert_eq(hca.mkeys.used, 0);                   \
	} while (0)
#define CREATE_MKEY(why) (0xe0020000u | (why))

/* LEN bytes from byte 0x100 of the second page on. */
static uint8_t *mkey_box(void)
{
	uint8_t *mkc = key_box(pdn, 0x7f0000000100, LEN);

	uid(u);
	SET(mkc, mkc, F(lw, 1), F(rw, 1));
	SET(create_mkey_in, b.in, F(mkey_umem_valid, 1), F(mkey_umem_id, umem),
	    F(mkey_umem_offset, 0x1100));
	return mkc;
}

static uint32_t create_mkey(void)
{
	return made() << 8 | 0x42;
}

static struct mem_ref ref(uint32_t key, uint64_t addr, uint64_t len, uint8_t rights)
{
	return (struct mem_ref){ .pd = core_ids_get(&hca.pds, pdn),
				 .key = key,
				 .addr = addr,
				 .len = len,
				 .rights = rights };
}

/* Two pages of 2 MiB, 2 MiB of them from byte 0x23000 on; but for PD, umem id and address these
 * are the bytes that UCX's and DPDK's encoders make. */
Test(umem_mkey, golden_inbox)
{
	static const uint8_t head[0x70] = {
		0x02, 0x00, 0x00, 0x01,		 [0x0c] = 0xc0, [0x12] = 0x7d, 0x00,
		0xff, 0xff, 0xff, 0x42,		 [0x22] = 0x7f, 0x00,	       0x11,
		0x22, 0x30, 0x00, [0x2d] = 0x20, [0x4b] = 0x0c, [0x63] = 0x01
	};
	uint8_t *m = PRM_ADDR(create_umem_in, b.in, umem);
	struct hca_mkey *k;

	box(PRM_OP_CREATE_UMEM);
	uid(u);
	SET(umem, m, F(log_page_size, 9), F(page_offset, 0x23000), F(num_of_mtt, 2));
	pas(0x40000000 | 3);
	pas(0x40200000 | 3);
	umem = made();
	box(PRM_OP_CREATE_MKEY);
	memcpy(b.in, head, sizeof(head));
	PRM_SET(mkc, PRM_ADDR(create_mkey_in, b.in, memory_key_mkey_entry), pd, pdn);
	PRM_SET(create_mkey_in, b.in, mkey_umem_id, umem);
	cr_assert_eq(b.in_len, 272);
	k = core_ids_get(&hca.mkeys, made());
	EQUALS(E(k->start, 0x7f0011223000), E(k->len, 0x200000), E(k->pages.npas, 2),
	       E(k->pages.log_page, 21), E(k->access, 31), E(k->variant, 0x42),
	       E(k->umem->refs, 1));
}

Test(umem_mkey, leads_to_the_bytes_of_the_umem)
{
	uint32_t key;
	struct mem_ref r;
	char got[8];

	mkey_box();
	key = create_mkey();
	memcpy(&pages[1][0x100], "first...", 8);
	memcpy(&pages[1][4092], "acro", 4);
	memcpy(&pages[2][0], "ss..", 4);
	r = ref(key, 0x7f0000000100, 8, HCA_LOCAL_READ);
	cr_assert_eq(mem_read(&hca, &r, got), MEM_OK);
	cr_expect_arr_eq(got, "first...", 8);
	r = ref(key, 0x7f0000000ffc, 8, HCA_LOCAL_READ);
	cr_assert_eq(mem_read(&hca, &r, got), MEM_OK);
	cr_expect_arr_eq(got, "across..", 8);
	r = ref(key, 0x7f0000000100 + LEN - 1, 2, HCA_LOCAL_READ);
	cr_assert_eq(mem_check(&hca, &r), MEM_BOUNDS);
	r = ref(key, 0x7f00000000ff, 1, HCA_LOCAL_READ);
	cr_assert_eq(mem_check(&hca, &r), MEM_BOUNDS);
}

Test(umem_mkey, holds_the_umem)
{
	uint32_t key;

	mkey_box();
	key = create_mkey();
	cr_assert_eq(execute_on(PRM_OP_DESTROY_UMEM, umem), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_MKEY, key >> 8), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_UMEM, umem), FW_OK);
}

/* The page-size trap, with its public syndrome. */
Test(umem_mkey, the_page_offset_has_to_be_that_of_the_address)
{
	PRM_SET(mkc, mkey_box(), start_addr, 0x7f0000000000);
	MKEY_REFUSED(FW_BAD_PARAM, 0x317175);
	PRM_SET(mkc, mkey_box(), start_addr, 0x7f0000000101);
	MKEY_REFUSED(FW_BAD_PARAM, 0x317175);
	mkey_box();
	PRM_SET(create_mkey_in, b.in, mkey_umem_offset, 0x1000);
	MKEY_REFUSED(FW_BAD_PARAM, 0x317175);
	/* whole pages make no difference */
	PRM_SET(mkc, mkey_box(), start_addr, 0x100);
	create_mkey();
}

Test(umem_mkey, refusals)
{
	uint32_t strangers = new_umem(new_uctx(), 0, 4);

	mkey_box();
	PRM_SET(create_mkey_in, b.in, mkey_umem_id, umem + 100);
	MKEY_REFUSED(FW_BAD_RES, CREATE_MKEY(WHY_UMEM));
	PRM_SET(create_mkey_in, b.in, mkey_umem_id, strangers);
	MKEY_REFUSED(FW_BAD_RES, CREATE_MKEY(WHY_UMEM));
	PRM_SET(mkc, mkey_box(), len, 3 * 4096 - 0x100 + 1);
	MKEY_REFUSED(FW_BAD_PARAM, CREATE_MKEY(WHY_SIZE));
	PRM_SET(mkc, mkey_box(), len, 0);
	MKEY_REFUSED(FW_BAD_PARAM, CREATE_MKEY(WHY_SIZE));
	PRM_SET(mkc, mkey_box(), len, UINT64_MAX);
	MKEY_REFUSED(FW_BAD_PARAM, CREATE_MKEY(WHY_SIZE));
	mkey_box();
	PRM_SET(create_mkey_in, b.in, mkey_umem_offset, UINT64_MAX - 0xeff);
	MKEY_REFUSED(FW_BAD_PARAM, CREATE_MKEY(WHY_SIZE));
	PRM_SET(mkc, mkey_box(), length64, 1);
	MKEY_REFUSED(FW_BAD_PARAM, CREATE_MKEY(WHY_VALUE));
	PRM_SET(mkc, mkey_box(), access_mode_1_0, 0); /* all of memory */
	MKEY_REFUSED(FW_BAD_PARAM, CREATE_MKEY(WHY_UNSUPPORTED));
	PRM_SET(mkc, mkey_box(), pd, pdn + 1);
	MKEY_REFUSED(FW_BAD_RES, CREATE_MKEY(WHY_PD));
	PRM_SET(mkc, mkey_box(), len, 3 * 4096 - 0x100);
	create_mkey();
}

/* Public code disagrees about these numbers, and all of it works. */
Test(umem_mkey, counts_and_page_size_are_not_read)
{
	static const uint32_t counts[] = { 0, 1, LEN / 2 };

	for (int i = 0; i < 3; i++) {
		uint8_t *mkc = mkey_box();

		SET(mkc, mkc, F(log_page_size, i ? 12 : 0),
		    F(translations_octword_size, counts[i]));
		SET(create_mkey_in, b.in, F(translations_octword_actual_size, counts[i]),
		    F(pg_access, i & 1));
		create_mkey();
	}
}

Test(umem_mkey, grants_no_more_than_the_umem)
{
	struct mem_ref r;
	uint32_t key;

	umem_box(u, 0, 4);
	b.in[PRM_SZ(create_umem_in) + 7] &= ~2;
	umem = made();
	mkey_box();
	key = create_mkey();
	r = ref(key, 0x7f0000000100, 8, HCA_LOCAL_READ);
	cr_assert_eq(mem_check(&hca, &r), MEM_OK);
	r.rights = HCA_LOCAL_WRITE;
	cr_assert_eq(mem_check(&hca, &r), MEM_RIGHTS);
	r.rights = HCA_REMOTE_WRITE;
	cr_assert_eq(mem_check(&hca, &r), MEM_RIGHTS);
}
