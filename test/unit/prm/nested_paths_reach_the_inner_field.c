/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A path of names reads and writes the bits that the bytes here, written by hand from the PRM,
 * have; and PRM_SET_CHECKED() refuses what a field does not hold.
 */
#include <criterion/criterion.h>
#include <errno.h>

#include "prm/prm.h"

/* QUERY_HCA_CAP: the capabilities begin at byte 0x10, log_max_qp is bits 4:0 of their dword
 * 0x10. */
Test(nested, capability_is_read)
{
	static uint8_t out[PRM_SZ(query_hca_cap_out)];

	out[0x23] = 0xf2;
	cr_assert_eq(PRM_GET(query_hca_cap_out, out, capability.cmd_hca_cap.log_max_qp), 0x12);
	out[0x23] = 0x0d;
	cr_assert_eq(PRM_GET(query_hca_cap_out, out, capability.cmd_hca_cap.log_max_qp), 0x0d);
}

/* CREATE_QP: the context begins at byte 0x18; pd is bits 23:0 of its dword 4, and in the
 * primary path, at 0x18 + 0x18, sl is bits 27:24 of dword 0x24. */
Test(nested, context_is_written)
{
	static uint8_t in[PRM_SZ(create_qp_in)], want[PRM_SZ(create_qp_in)];

	want[0x18 + 5] = 0x12;
	want[0x18 + 6] = 0x34;
	want[0x18 + 7] = 0x56;
	want[0x18 + 0x18 + 0x24] = 0x0a;
	PRM_SET(create_qp_in, in, qpc.pd, 0x123456);
	PRM_SET(create_qp_in, in, qpc.primary_address_path.sl, 10);
	cr_assert_arr_eq(in, want, sizeof(want));
	cr_assert_eq(PRM_GET(create_qp_in, in, qpc.primary_address_path.sl), 10);
}

/* The GID of the path: byte 0x10 of it. */
Test(nested, address_and_element)
{
	static uint8_t in[PRM_SZ(create_qp_in)];

	cr_assert_eq(PRM_ADDR(create_qp_in, in, qpc.primary_address_path.rgid_rip),
		     in + 0x18 + 0x18 + 0x10);
	PRM_SET_AT(create_qp_in, in, qpc.primary_address_path.rgid_rip, 15, 7);
	cr_assert_eq(in[0x18 + 0x18 + 0x1f], 7);
	cr_assert_eq(PRM_GET_AT(create_qp_in, in, qpc.primary_address_path.rgid_rip, 15), 7);
}

/* An inner structure with a trailing array has its declared width. */
Test(nested, constants)
{
	enum {
		AT = PRM_OFF(create_qp_in, qpc.primary_address_path.sl),
		BITS = PRM_W(create_qp_in, qpc.primary_address_path.sl),
		WQ = PRM_W(rqc, wq),
	};

	cr_assert_eq((int)AT, (0x18 + 0x18 + 0x24) * 8 + 4);
	cr_assert_eq((int)BITS, 4);
	cr_assert_eq((int)WQ, 0xc0 * 8);
}

Test(nested, value_that_does_not_fit_is_refused)
{
	static uint8_t in[PRM_SZ(create_qp_in)], zero[PRM_SZ(create_qp_in)];

	cr_assert_eq(PRM_SET_CHECKED(create_qp_in, in, qpc.pd, 0x1000000), ERANGE);
	cr_assert_eq(PRM_SET_CHECKED(create_qp_in, in, qpc.pd, -1), ERANGE);
	cr_assert_eq(PRM_SET_CHECKED(create_qp_in, in, opcode, 0x10000), ERANGE);
	cr_assert_arr_eq(in, zero, sizeof(zero), "a refusal writes nothing");
	cr_assert_eq(PRM_SET_CHECKED(create_qp_in, in, qpc.pd, 0xffffff), 0);
	cr_assert_eq(in[0x1c], 0);
	cr_assert_eq(in[0x1d] & in[0x1e] & in[0x1f], 0xff);
}

Test(nested, field_of_64_bits_takes_any_value)
{
	static uint8_t mkc[PRM_SZ(mkc)];

	cr_assert_eq(PRM_SET_CHECKED(mkc, mkc, start_addr, ~0ull), 0);
	cr_assert_eq(PRM_GET(mkc, mkc, start_addr), ~0ull);
	cr_assert(PRM_FITS(mkc, start_addr, ~0ull));
	cr_assert(PRM_FITS(qpc, pd, 0xffffff));
	cr_assert_not(PRM_FITS(qpc, pd, 0x1000000));
}
