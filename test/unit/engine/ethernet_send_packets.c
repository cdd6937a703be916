/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends of SQs: bytes of frames as scapy makes them (2.5.0), of WQEs by hand. */
#include <stdio.h>

#include "ethernet.h"
#include "prm/prm.h"

/* Frames of the WQEs that were posted are on the wire. */
static void send_posted(void)
{
	ring(&s);
	settle_only(&near);
	wire_flush(near.w);
}

static const char *const udp =
	"02000000000202000000000108004500003a00070000401166aa0a0000010a00"
	"000203e807d000266c0c68656c6c6f2c2077697265206f6620616e206f646420"
	"6c656e6774682031";

Test(ethernet_send, packet_is_its_data_segments)
{
	size_t len = fill(0, udp);

	post_eth(NO_OFFLOAD, "send 20 %zu local=20 sig", len - 20);
	send_posted();
	expect_wire(udp);
	expect_no_wire();
	expect_cqe(&s, "sent send wqe=0 user=0x123 qpn=0x%x", sq->sqn);
	expect_none(&s);
}

Test(ethernet_send, inline_headers_come_first)
{
	size_t len = fill(0, udp);

	/* 18 bytes at +14 of the segment */
	post_eth("00000000 00000000 00000000 0012 0200000000020200000000010800 4500003a",
		 "send %zu local=18 sig", len - 18);
	send_posted();
	expect_wire(udp);
}

/* A CQE that has no place ends the SQ. */
Test(ethernet_send, cq_overrun_ends_the_sq)
{
	s.cq->log_size = 1;
	fill(0, udp);
	for (int i = 0; i < 3; i++) {
		cr_expect_eq(sq->state, PRM_SQC_STATE_RDY);
		post_eth(NO_OFFLOAD, "send 64 sig");
		send_posted();
	}
	cr_expect_eq(sq->state, PRM_SQC_STATE_ERR);
	expect_finding("2 CQEs were not released");
}

Test(ethernet_send, short_frames_are_padded)
{
	fill(0, "020000000002 020000000001 88b5 0102");
	post_eth(NO_OFFLOAD, "send 16 sig");
	send_posted();
	expect_wire("020000000002 020000000001 88b5 0102");
}

/* The checksum fields contain something else before. */
Test(ethernet_send, checksums_of_ipv4_and_udp)
{
	size_t len = fill(0, "02000000000202000000000108004500003a000700004011aabb0a0000010a00"
			     "000203e807d00026ccdd68656c6c6f2c2077697265206f6620616e206f646420"
			     "6c656e6774682031");

	post_eth("00000000 c0000000 00000000 00000000", "send %zu sig", len);
	send_posted();
	expect_wire(udp);
}

Test(ethernet_send, checksum_of_tcp_over_ipv6)
{
	size_t len = fill(0, "02000000000202000000000186dd6000000000170640fe800000000000000000"
			     "000000000001fe80000000000000000000000000000200050006000000090000"
			     "00085018200000000000616263");

	post_eth("00000000 c0000000 00000000 00000000", "send %zu sig", len);
	send_posted();
	expect_wire("02000000000202000000000186dd6000000000170640fe800000000000000000"
		    "000000000001fe80000000000000000000000000000200050006000000090000"
		    "000850182000ce460000616263");
}

/* The sum of 16-bit words from @at on, which is 0xffff if the checksum among them is right. */
static uint16_t sum(const uint8_t *at, size_t len, uint32_t sum)
{
	for (size_t i = 0; i < len; i++)
		sum += i % 2 ? at[i] : (uint32_t)at[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* VXLAN: the flags 0x40 and 0x80 of IP and UDP outside, 0x10 and 0x20 inside, each alone and
 * with any other. */
Test(ethernet_send, each_flag_is_one_checksum_of_a_tunnel)
{
	static const struct {
		uint8_t flag, at, from, len; /* of the checksum; of what it covers */
		uint8_t addresses;	     /* of a pseudo header; 0: none */
	} sums[] = { { 0x40, 24, 14, 20, 0 },
		     { 0x80, 40, 34, 60, 26 },
		     { 0x10, 74, 64, 20, 0 },
		     { 0x20, 90, 84, 10, 76 } };

	for (unsigned int flags = 0; flags < 0x100; flags += 0x10) {
		const uint8_t *frame;
		char eth[64];
		uint8_t from;
		size_t len = fill(
			0, "020000000002 020000000001 0800 45000050000700004011aabb0a000001"
			   "0a000002 03e812b5003caabb 0800000000000500 020000000004 "
			   "020000000003 0800 4500001e000900004011aabb0b0000010b000002"
			   "03e907d1000aaabb 6869");

		snprintf(eth, sizeof(eth), "00000000 %02x000000 00000000 00000000", flags);
		post_eth(eth, "send %zu sig", len);
		send_posted();
		next_cqe(&s);
		frame = wire_next(far.w, &len, &from);
		cr_assert(frame && len == 94);
		for (unsigned int i = 0; i < 4; i++) {
			uint32_t pseudo = sums[i].addresses
						  ? 17u + sums[i].len +
							    sum(frame + sums[i].addresses, 8, 0)
						  : 0;
			bool untouched =
				frame[sums[i].at] == 0xaa && frame[sums[i].at + 1] == 0xbb;

			cr_expect_eq(untouched, !(flags & sums[i].flag), "flags %x: %u", flags,
				     i);
			if (!untouched)
				cr_expect_eq(sum(frame + sums[i].from, sums[i].len, pseudo),
					     0xffff, "flags %x: %u", flags, i);
		}
	}
}

Test(ethernet_send, checksum_flags_without_ip_do_nothing)
{
	const char *arp =
		"ffffffffffff 020000000001 0806 0001080006040001 020000000001 0a000001 000000000000 0a000002";

	fill(0, arp);
	post_eth("00000000 c0000000 00000000 00000000", "send 42 sig");
	send_posted();
	expect_wire(arp);
}

Test(ethernet_send, vlan_tag_is_inserted)
{
	size_t len = fill(0, udp);

	/* priority 3, VLAN 0x123 */
	post_eth("00000000 00000000 00000000 80006123", "send %zu sig", len);
	send_posted();
	expect_wire("0200000000020200000000018100612308004500003a00070000401166aa0a00"
		    "00010a00000203e807d000266c0c68656c6c6f2c2077697265206f6620616e20"
		    "6f6464206c656e6774682031");
}

Test(ethernet_send, service_tag_is_inserted)
{
	fill(0, "020000000002 020000000001 88b5 0102");
	post_eth("00000000 00000000 00000000 80010005", "send 16 sig");
	send_posted();
	expect_wire("020000000002 020000000001 88a8 0005 88b5 0102");
}

/* 250 bytes in packets of 100: IP identification over 0xffff, sequence number over 2^32, CWR in
 * the first, PSH and FIN in the last. */
Test(ethernet_send, tso_cuts_tcp)
{
	for (unsigned int i = 0; i < 250; i++)
		near.buf[i] = (uint8_t)(i * 7);
	post_eth("00000000 c0000064 00000000 0036"
		 "020000000002020000000001080045000122fffe0000400665d50a0000010a00"
		 "000200500051fffffff0000000035099200079ba0000"
		 "000000000000000000000000",
		 "tso 250 sig");
	send_posted();
	expect_wire("02000000000202000000000108004500008cfffe00004006666b0a0000010a00"
		    "000200500051fffffff0000000035090200064e6000000070e151c232a31383f"
		    "464d545b626970777e858c939aa1a8afb6bdc4cbd2d9e0e7eef5fc030a11181f"
		    "262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dce3eaf1f8ff"
		    "060d141b222930373e454c535a61686f767d848b9299a0a7aeb5");
	expect_wire("02000000000202000000000108004500008cffff00004006666a0a0000010a00"
		    "000200500051000000540000000350102000ac490000bcc3cad1d8dfe6edf4fb"
		    "020910171e252c333a41484f565d646b727980878e959ca3aab1b8bfc6cdd4db"
		    "e2e9f0f7fe050c131a21282f363d444b525960676e757c838a91989fa6adb4bb"
		    "c2c9d0d7dee5ecf3fa01080f161d242b323940474e555c636a71");
	expect_wire("02000000000202000000000108004500005a000000004006669c0a0000010a00"
		    "000200500051000000b800000003501920004c5f0000787f868d949ba2a9b0b7"
		    "bec5ccd3dae1e8eff6fd040b121920272e353c434a51585f666d747b82899097"
		    "9ea5acb3bac1c8cf");
	expect_no_wire();
	expect_cqe(&s, "sent user=0x123"); /* one completion */
	expect_none(&s);
}

Test(ethernet_send, multi_packet_send_is_a_packet_a_segment)
{
	uint8_t wqe[128];

	PRM_SET(sqc, sq->sqc, allow_multi_pkt_send_wqe, 1);
	fill(0, "020000000002 020000000001 88b5 0102");
	fill(64, "020000000002 020000000001 88b5 0304");
	start_wqe(wqe, 0x29, 6);
	/* inline: 16 bytes, a packet too; then two pointers */
	from_hex(wqe + 32,
		 "80000010 020000000002020000000001 88b50506 0000000000000000 00000000");
	from_hex(wqe + 64, "00000010");
	from_hex(wqe + 80, "00000010");
	for (int i = 0; i < 2; i++) {
		uint32_t key = htobe32(RIG_KEY);
		uint64_t va = htobe64(RIG_VA + (uint64_t)i * 64);

		memcpy(wqe + 68 + i * 16, &key, 4);
		memcpy(wqe + 72 + i * 16, &va, 8);
	}
	post_bytes(&s, wqe, 6);
	send_posted();
	expect_wire("020000000002 020000000001 88b5 0506");
	expect_wire("020000000002 020000000001 88b5 0102");
	expect_wire("020000000002 020000000001 88b5 0304");
	expect_no_wire();
	expect_cqe(&s, "sent user=0x123"); /* one completion */
	expect_none(&s);
}

/* mlx5e sends them, and never sets the bit in its SQs (en_main.c, mlx5e_create_sq). */
Test(ethernet_send, multi_packet_send_of_the_driver_needs_no_permission)
{
	fill(0, "020000000002 020000000001 88b5 0102");
	near.hca.life = HCA_RUNNING;
	post_eth(NO_OFFLOAD, "enhanced_mpsw 16 sig");
	send_posted();
	expect_wire("020000000002 020000000001 88b5 0102");
	expect_cqe(&s, "sent user=0x123");
	expect_none(&s);
}

Test(ethernet_send, nop_sends_nothing)
{
	post_eth("", "nop sig");
	send_posted();
	expect_no_wire();
	cr_expect_not_null(next_cqe(&s));
}

/* More packets than the receiver has space for: they wait, and none is lost. */
Test(ethernet_send, receiver_without_space_stops_the_sq)
{
	unsigned int n = 0, posted = 0;
	uint8_t from;
	size_t len;

	fill(0, "020000000002 020000000001 88b5");
	for (; posted < 2000; posted++) {
		post_eth(NO_OFFLOAD, "send 9000 sig");
		ring(&s);
		for (int i = 0; i < 4; i++)
			engine_step(near.e);
		if (sq->pi != sq->end)
			break;
		next_cqe(&s);
	}
	cr_assert_lt(posted, 2000, "it never stopped");
	posted++;
	for (int i = 0; i < 10000 && n < posted; i++) {
		engine_step(near.e);
		while (wire_next(far.w, &len, &from))
			n++;
	}
	cr_expect_eq(n, posted);
	cr_expect_eq(sq->pi, sq->end);
}
