/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths around nothing, words, packets and the end of the buffer: exactly so many bytes
 * move, and the bytes before and after them stay as they were. */
#include "fixture.h"

TestSuite(lengths, .init = fixture_start, .fini = fixture_stop);

enum {
	AT = 64, /* where in dst */
};

static size_t lengths(uint32_t *len)
{
	uint32_t mtu = f.mtu,
		 all[] = { 0,	    1,		 7,	    8,	     31,	   32,
			   33,	    64,		 65,	    mtu - 1, mtu,	   mtu + 1,
			   2 * mtu, 2 * mtu + 1, 65536 + 3, 300001,  SIZE - 2 * AT };

	memcpy(len, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

static void check_and_clear(uint32_t len, const char *what)
{
	cr_assert_eq(memcmp(f.dst + AT, f.src, len), 0, "%s of %u bytes", what, len);
	cr_assert_eq(f.dst[AT - 1], 0xdd, "%s of %u bytes", what, len);
	cr_assert_eq(f.dst[AT + len], 0xdd, "%s of %u bytes", what, len);
	memset(f.dst + AT, 0xdd, len);
}

Test(lengths, of_write)
{
	uint32_t len[32];
	size_t i, n = lengths(len);

	for (i = 0; i < n; i++) {
		struct ibv_sge sge = src_sge(0, len[i]);

		cr_assert_eq(dv_sq_write(&f.a.sq, SIGNALLED, dst_at(AT), &sge, 1), 0);
		ring(&f.a);
		check_and_clear(len[i], "WRITE");
	}
}

Test(lengths, of_read)
{
	uint32_t len[32];
	size_t i, n = lengths(len);

	for (i = 0; i < n; i++) {
		struct ibv_sge sge = dst_sge(AT, len[i]);

		cr_assert_eq(dv_sq_read(&f.a.sq, SIGNALLED, src_at(0), &sge, 1), 0);
		ring(&f.a);
		check_and_clear(len[i], "READ");
	}
}

Test(lengths, of_send)
{
	uint32_t len[32];
	size_t i, n = lengths(len);

	for (i = 0; i < n; i++) {
		struct ibv_sge sge = src_sge(0, len[i]);
		struct mlx5_cqe64 cqe;

		receive(&f.b, dst_sge(AT, SIZE - 2 * AT));
		cr_assert_eq(dv_sq_send(&f.a.sq, SIGNALLED, &sge, 1), 0);
		ring(&f.a);
		cqe = success(&f.b, MLX5_CQE_RESP_SEND);
		cr_assert_eq(dv_cqe_byte_cnt(&cqe), len[i]);
		check_and_clear(len[i], "SEND");
	}
}

Test(lengths, of_inline_write)
{
	uint32_t len;

	for (len = 0; len <= MAX_INLINE; len += 1 + len / 8) {
		cr_assert_eq(dv_sq_write_inline(&f.a.sq, SIGNALLED, dst_at(AT), f.src, len), 0);
		ring(&f.a);
		check_and_clear(len, "inline WRITE");
	}
}

Test(lengths, of_inline_send)
{
	struct mlx5_cqe64 cqe;
	uint32_t len;

	for (len = 0; len <= MAX_INLINE; len += 1 + len / 8) {
		receive(&f.b, dst_sge(AT, MAX_INLINE));
		cr_assert_eq(dv_sq_send_inline(&f.a.sq, SIGNALLED, f.src, len), 0);
		ring(&f.a);
		cqe = success(&f.b, MLX5_CQE_RESP_SEND);
		cr_assert_eq(dv_cqe_byte_cnt(&cqe), len);
		check_and_clear(len, "inline SEND");
	}
}

/* The source of inline data is free again before the doorbell. */
Test(lengths, inline_source_may_change_after_the_call)
{
	char text[] = "before";

	cr_assert_eq(dv_sq_write_inline(&f.a.sq, SIGNALLED, dst_at(AT), text, 6), 0);
	memcpy(text, "after!", 6);
	ring(&f.a);
	cr_assert_arr_eq(f.dst + AT, "before", 6);
}
