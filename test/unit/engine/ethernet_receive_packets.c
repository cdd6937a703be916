/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives of RQs: packets as scapy makes them (2.5.0), bytes of CQEs by hand (PRM, CQE of
 * Ethernet). */
#include "ethernet.h"
#include "prm/prm.h"

static const char *const udp4 =
	"02000000000202000000000108004500003a00070000401166aa0a0000010a00"
	"000203e807d000266c0c68656c6c6f2c2077697265206f6620616e206f646420"
	"6c656e6774682031";
static const char *const udp4_bad =
	"02000000000202000000000108004500003a00070000401166aa0a0000010a00"
	"000203e807d000266c0c68656c6c6f2c2077697265206f6620616e206f646420"
	"6c656e6774682032";
static const char *const udp4_bad_ip =
	"02000000000202000000000108004500003a00070000401167aa0a0000010a00"
	"000203e807d000266c0c68656c6c6f2c2077697265206f6620616e206f646420"
	"6c656e6774682031";
static const char *const tcp6 =
	"02000000000202000000000186dd6000000000170640fe800000000000000000"
	"000000000001fe80000000000000000000000000000200050006000000090000"
	"000850182000ce460000616263";
static const char *const tcp4_ack =
	"02000000000202000000000108004500002800010000400666cd0a0000010a00"
	"0002000500060000000000000000501020007bc70000";
static const char *const tcp4_syn =
	"02000000000202000000000108004500002800010000400666cd0a0000010a00"
	"0002000500060000000000000000500220007bd50000";
static const char *const frag =
	"02000000000202000000000108004500005400072000401146900a0000010a00"
	"000200010002006c638978787878787878787878787878787878787878787878"
	"7878787878787878787878787878787878787878787878787878787878787878"
	"7878";
static const char *const options =
	"02000000000202000000000108004600002600010000401163c30a0000010a00"
	"00020101010000010002000ec19f616263646566";
static const char *const vxlan =
	"02000000000202000000000108004500006700010000401166830a0000010a00"
	"0002000112b5005300000c0000030000050002000000000202000000000186dd"
	"60000000000d1140fe800000000000000000000000000001fe80000000000000"
	"000000000000000200050006000db8f0696e6e6572";
static const char *const tagged =
	"0200000000020200000000018100612308004500003a00070000401166aa0a00"
	"00010a00000203e807d000266c0c68656c6c6f2c2077697265206f6620616e20"
	"6f6464206c656e6774682031";

/* A receive WQE of @len bytes from 1 MiB of the buffer on. */
static void post_buffer(uint32_t len)
{
	post(&r, "recv %u local=0x100000", len);
}

static void expect_bytes(const char *text)
{
	uint8_t want[2048];
	size_t len = from_hex(want, text);

	for (size_t i = 0; i < len; i++)
		cr_assert_eq(far.buf[(1u << 20) + i], want[i], "byte %zu", i);
}

Test(ethernet_receive, cq_overrun_ends_the_rq)
{
	r.cq->log_size = 1;
	for (int i = 0; i < 3; i++) {
		cr_expect_eq(rq->state, PRM_RQC_STATE_RDY);
		post_buffer(2048);
		send_to_rq(udp4);
	}
	cr_expect_eq(rq->state, PRM_RQC_STATE_ERR);
	expect_finding("2 CQEs were not released");
}

Test(ethernet_receive, packet_is_in_the_buffer)
{
	const uint8_t *cqe;

	post_buffer(2048);
	send_to_rq(udp4);
	cqe = next_packet();
	expect_bytes(udp4);
	cr_expect_eq(word_at(cqe, 44), 72);
	cr_expect_eq(word_at(cqe, 32), 0x456, "user index");
	cr_expect_eq(word_at(cqe, 56) & 0xffffff, 0x123456, "flow tag");
	cr_expect_eq(word_at(cqe, 12), 0, "no hash");
	cr_expect_eq(cqe[60] << 8 | cqe[61], 0, "WQE");
	expect_none(&r);
}

/* +0: tunnel, outer IPv6; +28: checks; +29: headers; +20: the sum. */
Test(ethernet_receive, headers_are_described)
{
	static const char *const arp = "ffffffffffff 020000000001 0806 0001080006040001 "
				       "020000000001 0a000001";
	const struct {
		const char *what, *text;
		uint8_t tunnel, ok, kinds;
		uint16_t sum;
	} rows[] = {
		{ "UDP of IPv4", udp4, 0x00, 0x07, 0x28, 0xebc5 },
		{ "wrong checksum of UDP", udp4_bad, 0x00, 0x03, 0x28, 0xebc6 },
		{ "wrong checksum of IPv4", udp4_bad_ip, 0x00, 0x05, 0x28, 0xecc5 },
		{ "TCP of IPv6 with data", tcp6, 0x02, 0x07, 0x44, 0x663a },
		{ "acknowledgment", tcp4_ack, 0x00, 0x07, 0x38, 0xebe2 },
		{ "SYN", tcp4_syn, 0x00, 0x07, 0x18, 0xebe2 },
		{ "a fragment has no L4", frag, 0x00, 0x03, 0x88, 0x9125 },
		{ "options of IPv4", options, 0x00, 0x07, 0x2a, 0xebdd },
		{ "a tunnel: inner headers", vxlan, 0x01, 0x07, 0x24, 0x201c },
		{ "a tag is not in the sum", tagged, 0x00, 0x07, 0x28, 0xebc5 },
		{ "ARP has no headers", arp, 0, 1, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint8_t *cqe;

		post_buffer(2048);
		send_to_rq(rows[i].text);
		cqe = next_packet();
		row_name = rows[i].what;
		cr_expect_eq(cqe[0], rows[i].tunnel, "%s: tunnel 0x%02x", row_name, cqe[0]);
		cr_expect_eq(cqe[28], rows[i].ok, "%s: checks 0x%02x", row_name, cqe[28]);
		cr_expect_eq(cqe[29], rows[i].kinds, "%s: kinds 0x%02x", row_name, cqe[29]);
		cr_expect_eq(cqe[20] << 8 | cqe[21], rows[i].sum, "%s: sum 0x%02x%02x",
			     row_name, cqe[20], cqe[21]);
	}
}

Test(ethernet_receive, tag_is_stripped)
{
	const uint8_t *cqe;

	PRM_SET(rqc, rq->rqc, vsd, 0);
	post_buffer(2048);
	send_to_rq(tagged);
	cqe = next_packet();
	expect_bytes(udp4);
	cr_expect_eq(word_at(cqe, 44), 72);
	cr_expect_eq(cqe[29], 0x29);
	cr_expect_eq(cqe[30] << 8 | cqe[31], 0x6123);
}

/* CRC-32 of the frame, by zlib, least significant byte first. */
Test(ethernet_receive, fcs_follows_the_packet)
{
	PRM_SET(rqc, rq->rqc, scatter_fcs, 1);
	post_buffer(2048);
	send_to_rq(udp4);
	cr_expect_eq(word_at(next_packet(), 44), 76);
	cr_expect_eq(word_at(far.buf + (1u << 20), 72), 0xecf80954);
}

Test(ethernet_receive, without_a_buffer_packets_are_counted)
{
	send_to_rq(udp4);
	send_to_rq(udp4);
	expect_none(&r);
	cr_expect_eq(rq->counter->n->out_of_buffer, 2);
	post_buffer(2048);
	send_to_rq(udp4);
	cr_expect_eq(next_packet()[56], 2, "dropped since the last CQE");
}

static void expect_traffic(const struct hca_vport_direction *d, enum hca_cast cast,
			   uint64_t packets, uint64_t octets)
{
	cr_expect_eq(d->of[cast].packets, packets);
	cr_expect_eq(d->of[cast].octets, octets);
}

static void expect_at_port(const struct hca_port_direction *d, uint64_t frames, uint64_t octets)
{
	cr_expect_eq(hca_port_frames(d), frames);
	cr_expect_eq(d->octets, octets);
}

/* ARP, 42 bytes, is padded to 60. The port counts all, each with an FCS. */
Test(ethernet_receive, packets_are_counted_by_their_address)
{
	const struct hca_counted *to = far.hca.counted, *from = near.hca.counted;

	send_to_rq(udp4);
	send_to_rq("ffffffffffff 020000000001 0806 0001080006040001 020000000001 0a000001"
		   "000000000000 0a000002");
	send_to_rq("01005e000001 020000000001 0806 0001080006040001 020000000001 0a000001"
		   "000000000000 0a000002");
	expect_traffic(&to->vport.rx, HCA_ETH_UNICAST, 1, 72);
	expect_traffic(&to->vport.rx, HCA_ETH_BROADCAST, 1, 60);
	expect_traffic(&to->vport.rx, HCA_ETH_MULTICAST, 1, 60);
	expect_traffic(&to->vport.rx, HCA_IB_UNICAST, 0, 0);
	expect_traffic(&from->vport.tx, HCA_ETH_UNICAST, 1, 72);
	expect_traffic(&from->vport.tx, HCA_ETH_BROADCAST, 1, 60);
	expect_traffic(&from->vport.tx, HCA_ETH_MULTICAST, 1, 60);
	expect_at_port(&far.hca.counted->port.rx, 3, 192 + 3 * 4);
	expect_at_port(&near.hca.counted->port.tx, 3, 192 + 3 * 4);
}

/* The tag has priority 3; with the FCS 76 and 80 bytes. */
Test(ethernet_receive, packets_are_counted_by_their_priority)
{
	const struct hca_port_direction *rx = &far.hca.counted->port.rx,
					*tx = &near.hca.counted->port.tx;

	send_to_rq(udp4);
	send_to_rq(tagged);
	for (unsigned int prio = 0; prio < 8; prio++) {
		uint64_t octets = !prio ? 76 : prio == 3 ? 80 : 0;

		cr_expect_eq(rx->of_prio[prio].octets, octets, "priority %u", prio);
		cr_expect_eq(tx->of_prio[prio].octets, octets);
		cr_expect_eq(tx->of_prio[prio].frames, !!octets);
	}
	cr_expect_eq(rx->of_size[1], 2);
}

Test(ethernet_receive, packet_longer_than_the_buffer_ends_its_wqe)
{
	post_buffer(40);
	post_buffer(2048);
	send_to_rq(udp4);
	expect_cqe(&r, "resp_err local_length wqe=0");
	send_to_rq(udp4);
	next_packet();
	cr_expect_eq(rq->state, PRM_RQC_STATE_RDY);
}

/* <linux/mlx5/device.h>, MLX5_HW_START_PADDING: bit 31 of byte_count, in all WQEs of mlx5e
 * (en_main.c, mlx5e_alloc_rq). */
Test(ethernet_receive, buffer_may_begin_with_padding)
{
	post_buffer(2048);
	r.queues[0] = 0x80;
	send_to_rq(udp4);
	cr_expect_eq(word_at(next_packet(), 44), 72);
	expect_bytes(udp4);
}

Test(ethernet_receive, bad_key_ends_the_rq)
{
	post(&r, "recv 2048 local=0 lkey=wrong");
	post_buffer(2048);
	send_to_rq(udp4);
	expect_cqe(&r, "resp_err local_prot wqe=0");
	expect_finding("local write of 72 bytes at 0xa0000000: the low 8 bits");
	expect_cqe(&r, "resp_err flushed wqe=1");
	cr_expect_eq(rq->state, PRM_RQC_STATE_ERR);
	send_to_rq(udp4);
	expect_none(&r);
}

Test(ethernet_receive, foreign_address_is_not_admitted)
{
	post_buffer(2048);
	send_to_rq("020000000077 020000000001 88b5 0102");
	expect_none(&r);
	far.hca.port.promisc = true;
	hca_port_publish(&far.hca);
	send_to_rq("020000000077 020000000001 88b5 0102");
	next_packet();
	send_to_rq("030000000077 020000000001 88b5 0102");
	expect_none(&r);
}

/* 72 bytes and the FCS. */
Test(ethernet_receive, frame_longer_than_the_mtu_is_dropped)
{
	post_buffer(2048);
	atomic_store(&far.hca.adapter->mtu, 75);
	send_to_rq(udp4);
	expect_none(&r);
	cr_expect_eq(far.hca.counted->port.too_long, 1);
	cr_expect_eq(hca_port_frames(&far.hca.counted->port.rx), 0);
	atomic_store(&far.hca.adapter->mtu, 76);
	send_to_rq(udp4);
	next_packet();
}

/* Strides of 64 bytes, 8 of them in a WQE: 2^8 is written as 15, 2^3 as 10. */
Test(ethernet_receive, strides_of_a_buffer)
{
	static const struct {
		uint32_t len, count;
		uint16_t index;
	} want[] = { { 60, 0x0001003c, 0 }, { 200, 0x000400c8, 1 }, { 128, 0x00020080, 5 } };
	uint8_t *wq = PRM_ADDR(rqc, rq->rqc, wq);

	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC_STRIDING_RQ);
	PRM_SET(wq, wq, log_wqe_num_of_strides, 10);
	for (int i = 0; i < 2; i++) {
		uint8_t *wqe = r.queues + i * 64;
		uint32_t seg[2] = { htobe32(512), htobe32(RIG_FAR_KEY) };
		uint64_t va = htobe64(RIG_VA + (1u << 20) + (uint64_t)i * 512);

		memcpy(wqe + 16, seg, 8);
		memcpy(wqe + 24, &va, 8);
		memset(wqe + 32, 0, 32);
		wqe[32 + 6] = 1; /* key 0x100 ends the list */
	}
	r.rec[0] = htobe32(2);
	for (unsigned int i = 0; i < 3; i++) {
		const uint8_t *cqe;

		for (uint32_t j = 0; j < want[i].len; j++)
			near.buf[j] = (uint8_t)(i + j);
		memcpy(near.buf,
		       (const uint8_t[]){ 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5 }, 14);
		post_eth(NO_OFFLOAD, "send %u sig", want[i].len);
		work(&s);
		cqe = next_packet();
		cr_expect_eq(word_at(cqe, 44), want[i].count, "packet %u: 0x%x", i,
			     word_at(cqe, 44));
		cr_expect_eq(cqe[60] << 8 | cqe[61], want[i].index, "stride");
		cr_expect_eq(cqe[2] << 8 | cqe[3], 0, "WQE");
		cr_expect_arr_eq(far.buf + (1u << 20) + want[i].index * 64, near.buf,
				 want[i].len);
	}
	/* One stride is left: a filler, and the next WQE. */
	post_eth(NO_OFFLOAD, "send 100 sig");
	work(&s);
	cr_expect_eq(word_at(next_packet(), 44), 0x80010000);
	cr_expect_eq(word_at(next_packet(), 44), 0x00020064);
	cr_expect_arr_eq(far.buf + (1u << 20) + 512, near.buf, 100);
	/* Six strides are left, and no WQE: the filler, and the packet is lost. */
	post_eth(NO_OFFLOAD, "send 385 sig");
	work(&s);
	cr_expect_eq(word_at(next_packet(), 44), 0x80060000);
	expect_none(&r);
	cr_expect_eq(rq->counter->n->out_of_buffer, 1);
	cr_expect_eq(counters_of(&far).rx_dropped, 1);
}

Test(ethernet_receive, bad_key_ends_the_striding_rq)
{
	uint8_t *wq = PRM_ADDR(rqc, rq->rqc, wq);

	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC_STRIDING_RQ);
	PRM_SET(wq, wq, log_wqe_num_of_strides, 10);
	from_hex(r.queues + 16, "00000200 02000143 00000000a0000000 00000000 00000100");
	r.rec[0] = htobe32(1);
	send_to_rq(udp4);
	expect_cqe(&r, "resp_err local_prot wqe=0");
	expect_finding("local write of 72 bytes at 0xa0000000: the low 8 bits");
	cr_expect_eq(rq->state, PRM_RQC_STATE_ERR);
}

/* tirc.self_lb_block: 1 lets unicast of the own transport domain in, 2 multicast (kernel,
 * mlx5_ib, create_raw_packet_qp_tir). */
Test(ethernet_receive, own_transport_domain_is_let_in_by_its_bits)
{
	static const char *const text[2] = { "020000000002 020000000001 88b5 0102",
					     "030000000002 020000000001 88b5 0102" };

	for (int i = 0; i < 8; i++)
		post_buffer(2048);
	tir->td = sq->tis->td;
	for (unsigned int bits = 0; bits < 4; bits++)
		for (unsigned int multicast = 0; multicast < 2; multicast++) {
			PRM_SET(tirc, tir->tirc, self_lb_block, bits);
			send_to_rq(text[multicast]);
			if (bits >> multicast & 1)
				next_packet();
			expect_none(&r);
		}
	tir->td = hca_td_new(&far.hca);
	PRM_SET(tirc, tir->tirc, self_lb_block, 0);
	send_to_rq(text[0]);
	next_packet();
}

/* Microsoft, "Verifying the RSS hash calculation": its key, and the first row of IPv4 with
 * ports. */
Test(ethernet_receive, hash_is_in_the_cqe)
{
	uint8_t *select = PRM_ADDR(tirc, tir->tirc, rx_hash_field_selector_outer);
	struct hca_rqt *rqt = hca_rqt_new(&far.hca);
	const uint8_t *cqe;

	from_hex(
		PRM_ADDR(tirc, tir->tirc, rx_hash_toeplitz_key),
		"6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa");
	PRM_SET(tirc, tir->tirc, disp_type, PRM_TIRC_DISP_TYPE_INDIRECT);
	PRM_SET(tirc, tir->tirc, rx_hash_fn, PRM_RX_HASH_FN_TOEPLITZ);
	PRM_SET(rx_hash_field_select, select, selected_fields, 0xf);
	rqt->cnt = 1;
	rqt->rq = calloc(1, sizeof(*rqt->rq));
	rqt->rq[0] = rq;
	tir->rq = NULL;
	tir->rqt = rqt;
	post_buffer(2048);
	send_to_rq("020000000002 020000000001 0800 4500002800010000400600 00 420995bb a18e6450"
		   "0aea06e6 00000000 00000000 5002 2000 0000 0000");
	cqe = next_packet();
	cr_expect_eq(word_at(cqe, 12), 0x51ccc178, "hash 0x%x", word_at(cqe, 12));
	cr_expect_eq(cqe[16], 0x44, "type 0x%02x", cqe[16]);
}

/* A frame of another transport domain of the own process. */
static void send_to_itself(const char *text)
{
	const struct wire_ethernet how = { .tdn = 99, .local = true };
	uint8_t frame[2048];
	size_t len = from_hex(frame, text);

	post_buffer(2048);
	cr_assert(wire_send_ethernet(far.w, wire_slot(far.w), &how, frame, len));
	wire_flush(far.w);
	settle();
}

/* Kernel, mlx5_core_set_hca_defaults: the vport loops nothing back, whatever the TIR says. */
Test(ethernet_receive, own_frames_need_loopback_of_the_vport)
{
	send_to_itself(udp4);
	cr_expect_null(next_cqe(&r), "no context wants it");
	hca_loopback_need(&far.hca, 1, 0);
	send_to_itself(udp4);
	cr_expect_null(next_cqe(&r), "one context");
	hca_loopback_need(&far.hca, 1, 0);
	send_to_itself(udp4);
	cr_expect_not_null(next_cqe(&r), "two contexts");
	hca_loopback_need(&far.hca, -1, 1);
	send_to_itself(udp4);
	cr_expect_not_null(next_cqe(&r), "a QP that allows it");
	hca_loopback_need(&far.hca, 0, -1);
	send_to_itself(udp4);
	cr_expect_null(next_cqe(&r));
	/* another process of the port has a context */
	atomic_store(&near.hca.vhcas[near.hca.slot].contexts, 1);
	send_to_itself(udp4);
	cr_expect_not_null(next_cqe(&r), "two contexts, in two processes");
}
