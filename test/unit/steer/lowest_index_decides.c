/* SPDX-License-Identifier: BSD-2-Clause */
/* walk: entries, misses, destinations, counters and the defaults of the types. */
#include "packet.h"

TestSuite(walk, .init = start, .fini = stop);

enum { ALLOW = 1, DROP = 2, FWD = 4, COUNT = 8 };
enum { RX = PRM_FT_TYPE_NIC_RX, TX = PRM_FT_TYPE_NIC_TX, FDB = PRM_FT_TYPE_FDB };

static struct hca_tir *tir[3];

static void udp_packet(uint16_t port)
{
	build("eth:800 v4:11 udp:35");
	core_put_be16(bytes + 36, port);
	for (size_t i = 0; i < 3 && !tir[i]; i++)
		tir[i] = hca_tir_new(&hca);
}

/* Mask and value of udp_dport, or of everything. */
static void match_port(uint16_t port)
{
	memset(mask, 0, sizeof(mask));
	memset(value, 0, sizeof(value));
	mask[0x1e] = mask[0x1f] = port ? 0xff : 0;
	value[0x1e] = port >> 8;
	value[0x1f] = port;
}

static struct hca_fte *to_tir(struct hca_flow_group *g, uint32_t index, struct hca_tir *tir)
{
	struct hca_fte *e = rule(g, index, FWD);

	to(e, PRM_DEST_TYPE_TIR, tir, 0);
	return e;
}

Test(walk, without_tables_nothing_is_received_and_all_is_sent)
{
	udp_packet(53);
	receive();
	cr_assert_eq(got.tirs + got.vports, 0);
	cr_assert_eq(got.did[got.steps - 1], STEER_DROP);
	cr_assert_eq(send_it(), 1);
	cr_assert_eq(got.vport[0], STEER_UPLINK);
	cr_assert_eq(got.len, len);
}

/* Two groups, the later one made first, and two entries of one value. */
Test(walk, the_lowest_index_of_all_groups)
{
	struct hca_flow_table *t = root(RX);
	struct hca_flow_group *all, *port;
	struct hca_fte *first, *second;

	udp_packet(53);
	match_port(0);
	all = group(t, 8, 15);
	to_tir(all, 9, tir[2]);
	receive();
	cr_assert_eq(got.tirn[0], tir[2]->tirn);
	match_port(53);
	port = group(t, 0, 7);
	second = to_tir(port, 5, tir[1]);
	first = to_tir(port, 3, tir[0]);
	to_tir(port, 6, tir[2]);
	cr_assert_eq(receive(), 1);
	cr_assert_eq(got.tirn[0], tir[0]->tirn);
	hca_fte_delete(first);
	receive();
	cr_assert_eq(got.tirn[0], tir[1]->tirn);
	hca_fte_delete(second);
	receive();
	cr_assert_eq(got.tirn[0], tir[2]->tirn);
	udp_packet(54);
	receive();
	cr_assert_eq(got.tirn[0], tir[2]->tirn, "of the second group");
}

Test(walk, misses_go_on_and_end)
{
	struct hca_flow_table *t = root(RX), *next = table(RX);

	udp_packet(53);
	match_port(54);
	to_tir(group(t, 0, 7), 0, tir[0]);
	match_port(0);
	to_tir(group(next, 0, 7), 0, tir[1]);
	cr_assert_eq(receive(), 0);
	t->miss = next;
	cr_assert_eq(receive(), 1);
	cr_assert_eq(got.tirn[0], tir[1]->tirn);
	cr_assert_eq(got.did[0], STEER_ROOT);
	cr_assert_eq(got.did[1], STEER_MISS);
	cr_assert_eq(got.did[2], STEER_HIT);
	cr_assert_eq(got.did[3], STEER_DEST);
	cr_assert_eq(got.steps, 4);
}

Test(walk, a_ring_of_tables_ends)
{
	struct hca_flow_table *t = root(RX), *other = table(RX);

	udp_packet(53);
	t->miss = other;
	other->miss = t;
	receive();
	cr_assert_eq(got.did[(got.steps - 1) % 64], STEER_LIMIT);
	cr_assert_eq(got.steps, 1 + 512 + 1, "the root, each table, the limit");
	cr_assert_eq(got.tirs, 0);
}

/* 64 destinations that are the table itself: not 64 to the power of its depth. */
Test(walk, a_tree_of_tables_ends)
{
	struct hca_flow_table *t = root(RX);
	struct hca_fte *e;

	udp_packet(53);
	e = rule(group(t, 0, 0), 0, FWD);
	for (unsigned int i = 0; i < 64; i++)
		to(e, PRM_DEST_TYPE_FLOW_TABLE, t, 0);
	receive();
	cr_assert_lt(got.steps, 4000);
}

Test(walk, each_destination_gets_a_copy)
{
	struct hca_flow_table *t = root(RX), *next = table(RX);
	struct hca_fte *e;

	udp_packet(53);
	e = rule(group(t, 0, 7), 0, FWD);
	to(e, PRM_DEST_TYPE_TIR, tir[0], 0);
	to(e, PRM_DEST_TYPE_FLOW_TABLE, next, 0);
	to(e, PRM_DEST_TYPE_TIR, tir[1], 0);
	e = to_tir(group(next, 0, 0), 0, tir[2]);
	e->act.tag = 7;
	cr_assert_eq(receive(), 3);
	cr_assert_eq(got.tirn[0], tir[0]->tirn);
	cr_assert_eq(got.tirn[1], tir[2]->tirn);
	cr_assert_eq(got.tirn[2], tir[1]->tirn);
	cr_assert_eq(got.meta.flow_tag, 0, "the tag is the other copy's");
}

Test(walk, tags_and_counters)
{
	struct hca_flow_table *t = root(RX), *next = table(RX);
	struct hca_flow_counter *bulk = hca_object_new(&hca, HCA_KIND_flow_counter, 128);
	struct hca_fte *e;

	udp_packet(53);
	e = rule(group(t, 0, 7), 0, FWD | COUNT);
	to(e, PRM_DEST_TYPE_FLOW_TABLE, next, 0);
	e->act.tag = 0xabcdef;
	e->act.count = calloc(2, sizeof(*e->act.count));
	e->act.counts = 2;
	e->act.count[0] = (struct hca_flow_count){ bulk, bulk->id + 3 };
	e->act.count[1] = (struct hca_flow_count){ bulk, bulk->id + 127 };
	e = to_tir(group(next, 0, 0), 0, tir[0]);
	receive();
	cr_assert_eq(got.meta.flow_tag, 0xabcdef);
	e->act.tag = 5;
	receive();
	cr_assert_eq(got.meta.flow_tag, 5);
	cr_assert_eq(bulk->traffic[3].packets, 2);
	cr_assert_eq(bulk->traffic[3].octets, 2 * len);
	cr_assert_eq(bulk->traffic[127].packets, 2);
	cr_assert_eq(bulk->traffic[0].packets, 0);
}

Test(walk, transmit_drops_and_allows)
{
	struct hca_flow_table *t = root(TX);

	match_port(53);
	rule(group(t, 0, 0), 0, DROP);
	match_port(54);
	rule(group(t, 1, 1), 1, ALLOW);
	udp_packet(53);
	cr_assert_eq(send_it(), 0);
	udp_packet(54);
	cr_assert_eq(send_it(), 1);
	udp_packet(55); /* the default */
	cr_assert_eq(send_it(), 1);
}

/* source_port of the misc parameters: 0xffff from the wire, 0 from here. */
Test(walk, the_e_switch_forwards)
{
	struct hca_flow_table *fdb = root(FDB), *rx = root(RX);
	struct hca_flow_group *g;
	struct hca_fte *e;

	udp_packet(53);
	to_tir(group(rx, 0, 0), 0, tir[0]);
	cr_assert_eq(receive(), 1, "its default is the manager's vport");
	send_it();
	cr_assert_eq(got.tirs, 1);
	cr_assert_eq(got.vports, 0);
	mask[0x46] = mask[0x47] = 0xff;
	g = group(fdb, 0, 7);
	e = rule(g, 0, FWD);
	to(e, PRM_DEST_TYPE_UPLINK, NULL, STEER_UPLINK);
	cr_assert_eq(send_it(), 1);
	value[0x46] = value[0x47] = 0xff;
	e = rule(g, 1, FWD);
	to(e, PRM_DEST_TYPE_UPLINK, NULL, STEER_UPLINK);
	receive();
	cr_assert_eq(got.tirs + got.vports, 0, "not back to the wire");
	hca_fte_delete(e);
	rule(g, 1, DROP);
	cr_assert_eq(receive(), 0);
	cr_assert_eq(send_it(), 1);
}

/* flow_source: an entry for packets of the wire only. */
Test(walk, an_entry_may_be_for_one_source)
{
	struct hca_flow_table *fdb = root(FDB), *rx = root(RX);
	struct hca_flow_group *g = group(fdb, 0, 7);
	struct hca_fte *e = rule(g, 0, DROP);

	e->act.source = 1;
	udp_packet(53);
	to_tir(group(rx, 0, 0), 0, tir[0]);
	e = rule(g, 1, FWD);
	to(e, PRM_DEST_TYPE_UPLINK, NULL, STEER_UPLINK);
	cr_assert_eq(receive(), 0);
	cr_assert_eq(send_it(), 1);
}

Test(walk, sniffers_get_copies)
{
	struct hca_flow_table *rx = root(RX);

	udp_packet(53);
	to_tir(group(root(PRM_FT_TYPE_SNIFFER_RX), 0, 0), 0, tir[1]);
	to_tir(group(root(PRM_FT_TYPE_SNIFFER_TX), 0, 0), 0, tir[2]);
	to_tir(group(rx, 0, 0), 0, tir[0]);
	cr_assert_eq(receive(), 2);
	cr_assert_eq(got.tirn[0], tir[1]->tirn);
	cr_assert_eq(got.tirn[1], tir[0]->tirn);
	send_it();
	cr_assert_eq(got.tirs, 1);
	cr_assert_eq(got.tirn[0], tir[2]->tirn);
	cr_assert_eq(got.vports, 1);
}

/* A RoCE packet: RDMA_RX may drop it, and otherwise it goes to its QP. */
Test(walk, rdma_passes_or_drops)
{
	const struct steer_packet p = { .bytes = bytes, .len = 54 };
	const struct steer_sink none = { 0 };
	struct hca_flow_table *t;

	build("eth:800 v4:11 udp:12b7 0400ffff 00000009 00000000");
	cr_assert(steer_rdma_receive(&hca, &p, &none));
	t = root(PRM_FT_TYPE_RDMA_RX);
	cr_assert(steer_rdma_receive(&hca, &p, &none));
	mask[0x6b] = 0xff; /* bth_dst_qp */
	value[0x6b] = 9;
	rule(group(t, 0, 0), 0, DROP);
	cr_assert_not(steer_rdma_receive(&hca, &p, &none));
	bytes[14 + 20 + 8 + 7] = 8;
	cr_assert(steer_rdma_receive(&hca, &p, &none));
	cr_assert(steer_rdma_send(&hca, &p, &none));
}

Test(walk, what_is_no_ethernet_goes_nowhere)
{
	len = 13;
	receive();
	cr_assert_eq(got.steps, 0);
	cr_assert_eq(send_it(), 0);
}
