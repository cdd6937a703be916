/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Every field of a CQE by its accessor; the CQEs are bytes written by hand. */
#include "memory.h"
#include <dv/packet.h>

static const struct mlx5_cqe64 *cqe(const uint8_t *bytes)
{
	return (const struct mlx5_cqe64 *)bytes;
}

static const uint8_t datagram[64] __attribute__((aligned(64))) = {
	[17] = 0xff, [22] = 0x12, 0x34, [24] = 0x2b, 0x00, 0x0a, 0x0b,
	[32] = 0x07, 0x00, 0x01, 0x02, [36] = 0xde, 0xad, 0xbe, 0xef,
	[40] = 0x01, 0x0a, 0x56, 0x78, [44] = 0x00, 0x00, 0x10, 0x28,
	[48] = 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x05,
	[56] = 0x03, 0x65, 0x43, 0x21, [60] = 0x00, 0x09, [62] = 0x5a, [63] = 0x22,
};

Test(cqe, of_a_message_has_its_fields)
{
	cr_assert_eq(dv_cqe_src_qp(cqe(datagram)), 0x000a0b);
	cr_assert_eq(dv_cqe_slid(cqe(datagram)), 0x1234);
	cr_assert_eq(dv_cqe_sl(cqe(datagram)), 0xb);
	cr_assert_eq(dv_cqe_grh(cqe(datagram)), 2);
	cr_assert_eq(dv_cqe_path_bits(cqe(datagram)), 0x7f, "7 bits");
	cr_assert_eq(dv_cqe_inval_rkey(cqe(datagram)), 0xdeadbeef);
	cr_assert_eq(dv_cqe_pkey_index(cqe(datagram)), 0xbeef);
	cr_assert_eq(dv_cqe_app(cqe(datagram)), 1);
	cr_assert_eq(dv_cqe_app_op(cqe(datagram)), 0x0a);
	cr_assert_eq(dv_cqe_app_info(cqe(datagram)), 0x5678);
	cr_assert_eq(dv_cqe_signature(cqe(datagram)), 0x5a);
	cr_assert(dv_cqe_is_solicited(cqe(datagram)));
	cr_assert_not(dv_cqe_is_compressed(cqe(datagram)));
	cr_assert_null(dv_cqe_sig_err(cqe(datagram)));
	cr_assert_eq(dv_cqe_hw_syndrome(cqe(datagram)), 0, "a success");
}

Test(cqe, has_the_time_in_two_formats)
{
	cr_assert_eq(dv_cqe_timestamp(cqe(datagram)), 0x0000000200000005);
	cr_assert_eq(dv_cqe_real_time_ns(cqe(datagram)), 2000000005);
}

static const uint8_t packet[64] __attribute__((aligned(64))) = {
	[0] = 0x13, [4] = 0x40, 0x3f, 0x20, 0x00, 0x11, 0x22, 0x33, 0x44,
	[12] = 0xca, 0xfe, 0xba, 0xbe, 0x48, [20] = 0xab, 0xcd,
	[28] = 0x07, 0x99, 0x60, 0x64, [32] = 0x05, 0x00, 0x00, 0x01,
	[36] = 0x01, 0x02, 0x03, 0x04, [56] = 0x02, 0x12, 0x34, 0x56, [63] = 0x20,
};

Test(cqe, of_a_packet_has_its_fields)
{
	cr_assert(dv_packet_is_tunneled(cqe(packet)));
	cr_assert(dv_packet_outer_is_ipv6(cqe(packet)));
	cr_assert_eq(dv_packet_tls(cqe(packet)), 2);
	cr_assert_eq(dv_packet_hash(cqe(packet)), 0xcafebabe);
	cr_assert_eq(dv_packet_hash_type(cqe(packet)), 0x48);
	cr_assert_eq(dv_packet_checksum(cqe(packet)), 0xabcd);
	cr_assert_eq(dv_packet_checks(cqe(packet)), MLX5_CQE_L2_OK | MLX5_CQE_L3_OK | MLX5_CQE_L4_OK);
	/* 0x99: a fragment, of TCP, IPv4, the VLAN stripped */
	cr_assert_eq(dv_packet_l3(cqe(packet)), MLX5_CQE_L3_HDR_TYPE_IPV4);
	cr_assert_eq(dv_packet_l4(cqe(packet)), DV_PACKET_L4_TCP);
	cr_assert(dv_packet_is_fragment(cqe(packet)));
	cr_assert(dv_packet_vlan_stripped(cqe(packet)));
	cr_assert_not(dv_packet_has_ip_options(cqe(packet)));
	cr_assert(dv_packet_csum_ok(cqe(packet)));
	cr_assert_eq(dv_packet_vlan(cqe(packet)), 0x6064);
	cr_assert_eq(dv_packet_flow_tag(cqe(packet)), 0x123456);
	cr_assert_eq(dv_packet_drops(cqe(packet)), 2);
	cr_assert_eq(dv_packet_metadata(cqe(packet)), 0x01020304);
	cr_assert_eq(dv_packet_lro_segments(cqe(packet)), 5);
	cr_assert(dv_packet_lro_psh(cqe(packet)));
	cr_assert_eq(dv_packet_lro_min_ttl(cqe(packet)), 63);
	cr_assert_eq(dv_packet_lro_window(cqe(packet)), 0x2000);
	cr_assert_eq(dv_packet_lro_ack(cqe(packet)), 0x11223344);
}

/* Layer 4 has 3 bits: 4 is TCP with an ACK. */
Test(cqe, has_every_layer_4_type)
{
	for (uint8_t type = 0; type < 8; type++) {
		struct mlx5_cqe64 c = { .l4_hdr_type_etc = (uint8_t)(0x8f | type << 4) };

		cr_assert_eq((unsigned int)dv_packet_l4(&c), type);
	}
	cr_assert_eq((int)DV_PACKET_L4_TCP_ACK, 4);
}

/* Checks passed, but of IPv6: there is no header checksum to be right. */
Test(cqe, checksum_is_right_for_ipv4_only)
{
	static const uint8_t v6[64] __attribute__((aligned(64))) = { [28] = 0x07, 0x14, [63] = 0x20 };
	static const uint8_t l4_bad[64] __attribute__((aligned(64))) = { [28] = 0x03, 0x18, [63] = 0x20 };

	cr_assert_not(dv_packet_csum_ok(cqe(v6)));
	cr_assert_not(dv_packet_csum_ok(cqe(l4_bad)));
}

Test(cqe, of_an_error_has_the_vendor_syndrome)
{
	static const uint8_t bytes[64] __attribute__((aligned(64))) = {
		[52] = 0x21, 0x3a, 0x93, 0x22, [63] = 0xe1,
	};

	cr_assert_eq(dv_cqe_hw_syndrome(cqe(bytes)), 0x0321);
	cr_assert_eq(dv_cqe_vendor_syndrome(cqe(bytes)), MLX5_CQE_VENDOR_SYNDROME_ODP_PFAULT);
	cr_assert(dv_cqe_is_page_fault(cqe(bytes)));
}

Test(cqe, of_a_signature_error_has_its_layout)
{
	static const uint8_t bytes[64] __attribute__((aligned(64))) = {
		[16] = 0, 0, 0x12, 0x34, 0, 0, 0x56, 0x78, 0, 0, 0, 1, 0, 0, 0, 2,
		[32] = 0x20, 0x00, 0x01, 0x03, 0x00, 0x11, 0x22, 0x00,
		[40] = 0, 0, 0, 0, 0, 0, 0x10, 0x08, [63] = 0xc0,
	};
	const struct dv_sig_err_cqe *err = dv_cqe_sig_err(cqe(bytes));

	cr_assert_eq((const void *)err, bytes);
	cr_assert_eq(be32toh(err->expected_trans_sig), 0x1234);
	cr_assert_eq(be32toh(err->actual_trans_sig), 0x5678);
	cr_assert_eq(be32toh(err->expected_ref_tag), 1);
	cr_assert_eq(be32toh(err->actual_ref_tag), 2);
	cr_assert_eq(be16toh(err->syndrome), 0x2000);
	cr_assert_eq(err->sig_type, 1);
	cr_assert_eq(err->domain, 3);
	cr_assert_eq(be32toh(err->mkey), 0x112200);
	cr_assert_eq(be64toh(err->sig_err_offset), 0x1008);
	cr_assert_not(dv_cqe_is_error(cqe(bytes)), "it completes no WQE");
}

/* One slot, in which one CQE is written over the other. */
Test(cqe, of_a_collapsed_cq_is_the_newest)
{
	static struct mlx5_cqe64 ring[1];
	static __be32 dbrec[2];
	struct mlx5dv_cq plain = { .buf = ring, .cqe_cnt = 1, .cqe_size = 64, .dbrec = dbrec };
	struct dv_cq cq;

	dv_cq_blank(ring, 1, 64);
	cr_assert_eq(dv_cq_init(&cq, &plain), 0);
	cr_assert_eq(dv_cq_collapsed(&cq).opcode, MLX5_CQE_INVALID);
	ring[0].wqe_counter = htobe16(0xfffe);
	ring[0].op_own = MLX5_CQE_REQ << 4;
	cr_assert_eq(dv_cq_collapsed(&cq).opcode, MLX5_CQE_REQ);
	cr_assert_eq(dv_cq_collapsed(&cq).wqe_counter, 0xfffe);
	ring[0].wqe_counter = htobe16(3);
	ring[0].op_own = MLX5_CQE_REQ << 4 | 1;
	cr_assert_eq(dv_cq_collapsed(&cq).wqe_counter, 3);
}
