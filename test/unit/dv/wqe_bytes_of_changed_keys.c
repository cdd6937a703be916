/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Golden bytes, written by hand from the layouts at the heads of dv/umr.h and dv/bsf.h. A UMR
 * is compared in parts: control, UMR control, mkey context, list, BSF. */
#include <dv/post_umr.h>
#include "queue.h"

static const struct ibv_sge area[2] = {
	{ .addr = 0x1122334455667788, .length = 0x1000, .lkey = 0xabcdef01 },
	{ .addr = 0x99aabbccddeeff00, .length = 0x0234, .lkey = 0x0000beef },
};
static const char klms[] = "00001000 abcdef01 11223344 55667788  00000234 0000beef 99aabbcc ddeeff00";

enum { CTRL = 0, UMR = 16, MKEY = 64, LIST = 128 };

/* @n bytes from @at on are @text, with zeros after it. */
static void part_is(size_t at, size_t n, const char *text)
{
	uint8_t want[64] = { 0 };

	from_hex(want, text);
	cr_assert_arr_eq(m.ring + at, want, n, "%s", text);
}

static void nothing_behind(size_t bytes)
{
	cr_assert(is_old(m.ring + bytes, sizeof(m.ring) - bytes));
	cr_assert_eq(m.ring[7], bytes / 16);
	cr_assert_eq(m.sq.pi, (bytes + 63) / 64);
}

QUEUE_SUITE(changed_keys);

Test(changed_keys, local_inv)
{
	cr_assert_eq(dv_sq_local_inv(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, 0x00184242), 0);
	part_is(CTRL, 16, "00000025 12345608 00000008 00184242");
	/* inline, translation offset, check QPN; mask: free, QPN, mkey */
	part_is(UMR, 48, "98000000 00000000 00000000 20006000");
	part_is(MKEY, 64, "40000000 ffffff00");
	nothing_behind(128);
}

Test(changed_keys, bind_mw_of_type_2)
{
	struct ibv_mr mr = { .lkey = 0x00000777 };
	struct ibv_mw mw = { .type = IBV_MW_TYPE_2, .rkey = 0x00184200 };
	struct ibv_mw_bind_info info = { .mr = &mr, .addr = 0x7f0011223000, .length = 0x2000,
					 .mw_access_flags = IBV_ACCESS_REMOTE_READ |
							    IBV_ACCESS_REMOTE_WRITE };

	cr_assert_eq(dv_sq_bind_mw(&m.sq, 0, &mw, 0x00184201, &info), 0);
	part_is(CTRL, 16, "00000025 1234560c 00000000 00184200");
	/* inline, check free, translation offset; 4 entries; mask also: access, start,
	 * length */
	part_is(UMR, 48, "b0000000 00040000 00000000 203c6041");
	part_is(MKEY, 64,
		"00003000 12345601 00000000 00000000  00007f00 11223000 00000000 00002000");
	part_is(LIST, 64, "00002000 00000777 00007f00 11223000");
	nothing_behind(192);
}

/* Not bound to the QP, and no bytes: closed. */
Test(changed_keys, bind_mw_of_type_1_and_no_length)
{
	struct ibv_mw mw = { .type = IBV_MW_TYPE_1, .rkey = 0x00184200 };
	struct ibv_mw_bind_info info = { 0 };

	cr_assert_eq(dv_sq_bind_mw(&m.sq, 0, &mw, 0x00184207, &info), 0);
	part_is(UMR, 48, "90000000 00000000 00000000 20002000");
	part_is(MKEY, 64, "40000000 ffffff07");
	nothing_behind(128);
}

Test(changed_keys, bind_mw_of_too_much)
{
	struct ibv_mw mw = { .type = IBV_MW_TYPE_2 };
	struct ibv_mw_bind_info info = { .length = ((uint64_t)1 << 31) + 1 };

	cr_assert_eq(dv_sq_bind_mw(&m.sq, 0, &mw, 1, &info), EOPNOTSUPP);
	cr_assert_eq(m.sq.pi, 0);
}

Test(changed_keys, list)
{
	struct dv_umr umr;

	dv_umr_init(&umr, 0x00184242);
	dv_umr_set_access(&umr, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	cr_assert_eq(dv_sq_umr_list(&m.sq, DV_FENCE_STRONG_ORDERING, &umr, area, 2), 0);
	part_is(CTRL, 16, "00000025 1234560c 00000060 00184242");
	/* mask: free, access, mkey, length */
	part_is(UMR, 48, "80000000 00040000 00000000 203c2001");
	part_is(MKEY, 64,
		"00004800 ffffff42 00000000 00000000  00000000 00000000 00000000 00001234");
	part_is(LIST, 64, klms);
	nothing_behind(192);
}

Test(changed_keys, interleaved)
{
	const struct mlx5dv_mr_interleaved column[2] = {
		{ .addr = 0x1000, .bytes_count = 0x0102, .bytes_skip = 0x0304, .lkey = 0x77 },
		{ .addr = 0x2000, .bytes_count = 8, .bytes_skip = 0, .lkey = 0x78 },
	};
	const struct dv_repeat repeat = { .count = 5, .n = 2, .column = column };
	struct dv_umr umr;

	dv_umr_init(&umr, 0x00184200);
	cr_assert_eq(dv_sq_umr_interleaved(&m.sq, 0, &umr, &repeat), 0);
	part_is(UMR, 48, "80000000 00040000 00000000 20002001");
	/* 5 * (0x102 + 8) bytes */
	part_is(MKEY + 24, 8, "00000000 00000532");
	part_is(LIST, 64,
		"0000010a 00000400 00000005 00000002  04060102 00000077 00000000 00001000"
		"00080008 00000078 00000000 00002000");
	nothing_behind(192);
}

Test(changed_keys, ksm)
{
	const struct dv_laddr pages[2] = { { 0x7f0011200000, 0x1234 }, { 0x7f0011400000, 0x1234 } };
	struct dv_umr umr;

	dv_umr_init(&umr, 0x00184200);
	umr.mask |= DV_MKEY_MASK_PAGE_SIZE | MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN |
		    MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR;
	umr.log_page_size = 21;
	umr.start_addr = 0x7f0011200000;
	umr.len = 0x400000;
	umr.list_octowords = 2;
	cr_assert_eq(dv_sq_umr_ksm(&m.sq, 0, &umr, pages, 2), 0);
	part_is(UMR, 48, "80000000 00040000 00000000 20002043");
	part_is(MKEY, 64,
		"00000000 ffffff00 00000000 00000000  00007f00 11200000 00000000 00400000"
		"00000000 00000000 00000000 00000000  00000000 00000002 00000015 00000000");
	part_is(LIST, 64,
		"00000000 00001234 00007f00 11200000  00000000 00001234 00007f00 11400000");
	nothing_behind(192);
}

/* Not inline: the list is 128 bytes, 8 entries, at an address of ours. */
Test(changed_keys, list_in_memory)
{
	const struct ibv_sge list = { .addr = 0x7f0000001000, .length = 128, .lkey = 0x99 };
	struct dv_umr umr;

	dv_umr_init(&umr, 0x00184200);
	umr.mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN;
	umr.len = 0x8000;
	cr_assert_eq(dv_sq_umr_ptr(&m.sq, 0, &umr, &list), 0);
	part_is(UMR, 48, "00000000 00080000 00000000 20002001");
	part_is(LIST, 16, "00000080 00000099 00007f00 00001000");
	nothing_behind(144);
}

POSTS(changed_keys, set_psv,
      dv_sq_set_psv(&m.sq, DV_FENCE_INITIATOR_SMALL | DV_SIGNAL_ALWAYS, 0x000123, 0xffff000700000009),
      "00000020 12345602 00000028 00000000  00000123 00000000 ffff0007 00000009")

static const struct dv_psv psv = { .mem = 0x000111, .wire = 0x000222 };
static const struct mlx5dv_sig_t10dif dif = { .bg_type = MLX5DV_SIG_T10DIF_CRC, .bg = 0xffff,
					      .app_tag = 0x0a0b, .ref_tag = 0x01020304,
					      .flags = MLX5DV_SIG_T10DIF_FLAG_REF_REMAP |
						       MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE };
static const struct mlx5dv_sig_crc crc32c = { .type = MLX5DV_SIG_CRC_TYPE_CRC32C,
					      .seed = UINT32_MAX };
static const struct mlx5dv_sig_crc crc64 = { .type = MLX5DV_SIG_CRC_TYPE_CRC64_XP10, .seed = 0 };

/* Nothing in memory, T10-DIF on the wire. */
Test(changed_keys, signature_put_in_on_the_way_out)
{
	const struct mlx5dv_sig_block_domain wire = { .sig_type = MLX5DV_SIG_TYPE_T10DIF,
						      .sig.dif = &dif,
						      .block_size = MLX5DV_BLOCK_SIZE_512 };
	const struct mlx5dv_sig_block_attr attr = { .wire = &wire, .check_mask = 0xff };
	struct dv_wqe_bsf_seg bsf;
	struct dv_umr umr;

	cr_assert_eq(dv_bsf_set_sig(&bsf, &attr, psv, 0), 0);
	cr_assert_eq(dv_sig_transient(&wire), 0xffff0a0b01020304);
	dv_umr_init(&umr, 0x00184200);
	dv_umr_set_bsf(&umr, &bsf, 1);
	cr_assert_eq(dv_sq_umr_list(&m.sq, 0, &umr, area, 2), 0);
	/* 4 octowords of list, 4 of BSF; mask: BSF enable */
	part_is(UMR, 48, "80000000 00040004 00000000 20003001");
	part_is(MKEY + 12, 4, "40000000");
	part_is(LIST, 64, klms);
	part_is(LIST + 64, 64,
		"80ff0100 ffffffff 00000222 00000000  00000000 00000000 00000000 00000000"
		"c0000a0b 01020304 01880000 0041ffff");
	nothing_behind(256);
}

static const struct mlx5dv_sig_block_domain crc_domain = {
	.sig_type = MLX5DV_SIG_TYPE_CRC, .sig.crc = &crc32c,
	.block_size = MLX5DV_BLOCK_SIZE_4096,
};

static void bsf_is(const struct dv_wqe_bsf_seg *bsf, const uint8_t golden[64])
{
	cr_assert_arr_eq((const uint8_t *)bsf, golden, 64);
}

/* The same on both sides: its 4 bytes may be copied. */
Test(changed_keys, signature_of_one_structure)
{
	struct mlx5dv_sig_block_attr attr = { .mem = &crc_domain, .wire = &crc_domain,
					      .check_mask = 0xf0 };
	struct dv_wqe_bsf_seg bsf;

	cr_assert_eq(dv_bsf_set_sig(&bsf, &attr, psv, 0), 0);
	bsf_is(&bsf, (uint8_t[64]){ 0x90, 0xf0, 0xf0, 0x03, 0xff, 0xff, 0xff, 0xff,
				    0x42, 0x00, 0x02, 0x22, 0x42, 0x00, 0x01, 0x11 });
	attr.flags = MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK;
	attr.copy_mask = 0x30;
	cr_assert_eq(dv_bsf_set_sig(&bsf, &attr, psv, 1), 0);
	bsf_is(&bsf, (uint8_t[64]){ 0xd0, 0xf0, 0x30, 0x03, 0xff, 0xff, 0xff, 0xff,
				    0x42, 0x00, 0x02, 0x22, 0x42, 0x00, 0x01, 0x11 });
	cr_assert_eq(dv_sig_transient(&crc_domain), 0xffffffff00000000);
}

Test(changed_keys, signature_of_two_structures)
{
	const struct mlx5dv_sig_block_domain wire = { .sig_type = MLX5DV_SIG_TYPE_CRC,
						      .sig.crc = &crc64,
						      .block_size = MLX5DV_BLOCK_SIZE_4160 };
	struct mlx5dv_sig_block_attr attr = { .mem = &crc_domain, .wire = &wire };
	struct dv_wqe_bsf_seg bsf;

	cr_assert_eq(dv_bsf_set_sig(&bsf, &attr, psv, 0), 0);
	bsf_is(&bsf, (uint8_t[64]){ 0x80, 0x00, 0x04, 0x03, 0xff, 0xff, 0xff, 0xff,
				    0x53, 0x00, 0x02, 0x22, 0x42, 0x00, 0x01, 0x11 });
	attr.flags = MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK;
	cr_assert_eq(dv_bsf_set_sig(&bsf, &attr, psv, 0), EINVAL, "nothing can be copied");
	attr.mem = attr.wire = NULL;
	cr_assert_eq(dv_bsf_set_sig(&bsf, &attr, psv, 0), EINVAL, "no domain");
}

static const struct mlx5dv_crypto_attr crypto = {
	.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
	.encrypt_on_tx = true,
	.signature_crypto_order = MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX,
	.data_unit_size = MLX5DV_BLOCK_SIZE_520,
	.initial_tweak = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
	.keytag = { 'k', 'e', 'y', ' ', 't', 'a', 'g', '.' },
};

Test(changed_keys, crypto_alone)
{
	struct dv_wqe_bsf_seg bsf;

	cr_assert_eq(dv_bsf_set_crypto(&bsf, &crypto, 0xff000345, NULL, 0), 0);
	bsf_is(&bsf, (uint8_t[64]){ 0x81, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff,
				    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
				    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
				    0x00, 0x00, 0x03, 0x45, 0x00, 0x00, 0x00, 0x00,
				    'k', 'e', 'y', ' ', 't', 'a', 'g', '.' });
}

Test(changed_keys, crypto_after_a_signature)
{
	const struct mlx5dv_sig_block_attr sig = { .mem = &crc_domain, .wire = &crc_domain };
	struct mlx5dv_crypto_attr attr = crypto;
	struct dv_wqe_bsf_seg bsf;

	attr.encrypt_on_tx = false;
	attr.signature_crypto_order = MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX;
	cr_assert_eq(dv_bsf_set_crypto(&bsf, &attr, 0x345, &sig, 1), 0);
	bsf_is(&bsf, (uint8_t[64]){ 0xc1, 0x01, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff,
				    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
				    16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
				    0x00, 0x00, 0x03, 0x45, 0x00, 0x00, 0x00, 0x00,
				    'k', 'e', 'y', ' ', 't', 'a', 'g', '.' });
	attr.encrypt_on_tx = true;
	cr_assert_eq(dv_bsf_set_crypto(&bsf, &attr, 0x345, &sig, 1), EINVAL, "raw wire, both signed");
}

/* <linux/mlx5/mlx5_ifc.h>: MLX5_CAP_UMR_FENCE_STRONG 0, SMALL 1, NONE 2. */
Test(changed_keys, fence_is_what_the_capability_wants)
{
	cr_assert_eq(dv_umr_fence(0), 3 << 5);
	cr_assert_eq(dv_umr_fence(1), 1 << 5);
	cr_assert_eq(dv_umr_fence(2), 0);
	cr_assert_eq(dv_umr_fence(3), 3 << 5);
}
