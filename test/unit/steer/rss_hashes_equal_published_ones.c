/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rss: the hashes of "Verifying the RSS Hash Calculation" (Microsoft, Windows driver
 * documentation), and which RQ a packet gets.
 */
#include "packet.h"

TestSuite(rss, .init = start, .fini = stop);

static const uint8_t key[40] = { 0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
				 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
				 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
				 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa };

static struct hca_rq rq[4], *rqs[4] = { &rq[0], &rq[1], &rq[2], &rq[3] };
static struct hca_rqt rqt = { .cnt = 4, .rq = rqs };
static struct hca_tir tir;

enum { SRC = 1, DST = 2, SPORT = 4, DPORT = 8 };

/* selected_fields of TCP over IPv4 or IPv6, Toeplitz */
static void hash_over(bool v6, uint32_t fields)
{
	memset(&tir, 0, sizeof(tir));
	tir.rqt = &rqt;
	tir.tirc[0x24] = 0x20;
	memcpy(tir.tirc + 0x28, key, sizeof(key));
	tir.tirc[0x50] = v6 ? 0x80 : 0;
	tir.tirc[0x53] = fields;
}

static uint32_t hash_of(uint8_t type)
{
	uint32_t hash;
	uint8_t was;
	struct hca_rq *to;

	cr_assert(parse());
	to = steer_rq(&tir, bytes, &h, &hash, &was);
	cr_assert_eq(was, type, "type 0x%x", was);
	cr_assert_eq(to, rqs[hash % 4]);
	return hash;
}

static void tcp_ports(uint16_t from, uint16_t dport)
{
	PUT(from >> 8, from, dport >> 8, dport, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0, 0, 0, 0, 0, 0,
	    0);
}

static const struct {
	uint8_t dst[4], src[4];
	uint16_t dport, sport;
	uint32_t ip, tcp;
} v4[] = {
	{ { 161, 142, 100, 80 }, { 66, 9, 149, 187 }, 1766, 2794, 0x323e8fc2, 0x51ccc178 },
	{ { 65, 69, 140, 83 }, { 199, 92, 111, 2 }, 4739, 14230, 0xd718262a, 0xc626b0ea },
	{ { 12, 22, 207, 184 }, { 24, 19, 198, 95 }, 38024, 12898, 0xd2d0a5de, 0x5c2b394a },
	{ { 209, 142, 163, 6 }, { 38, 27, 205, 30 }, 2217, 48228, 0x82989176, 0xafc7327f },
	{ { 202, 188, 127, 2 }, { 153, 39, 163, 191 }, 1303, 44251, 0x5d1809c5, 0x10e828a2 },
};

Test(rss, toeplitz_of_ipv4)
{
	for (size_t i = 0; i < sizeof(v4) / sizeof(v4[0]); i++) {
		len = 0;
		ethernet(0x0800);
		ipv4(6, 20);
		memcpy(bytes + 26, v4[i].src, 4);
		memcpy(bytes + 30, v4[i].dst, 4);
		tcp_ports(v4[i].sport, v4[i].dport);
		hash_over(false, SRC | DST);
		cr_assert_eq(hash_of(0x04), v4[i].ip);
		hash_over(false, SRC | DST | SPORT | DPORT);
		cr_assert_eq(hash_of(0x44), v4[i].tcp);
	}
}

static const struct {
	uint8_t dst[16], src[16];
	uint16_t dport, sport;
	uint32_t ip, tcp;
} v6[] = {
	{ { 0x3f, 0xfe, 0x25, 0x01, 0x02, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1 },
	  { 0x3f, 0xfe, 0x25, 0x01, 0x02, 0, 0x1f, 0xff, 0, 0, 0, 0, 0, 0, 0, 7 },
	  1766,
	  2794,
	  0x2cc18cd5,
	  0x40207d3d },
	{ { 0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
	  { 0x3f, 0xfe, 0x05, 0x01, 0, 8, 0, 0, 2, 0x60, 0x97, 0xff, 0xfe, 0x40, 0xef, 0xab },
	  4739,
	  14230,
	  0x0f0c461c,
	  0xdde51bbf },
	{ { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0xf8, 0xff, 0xfe, 0x21, 0x67, 0xcf },
	  { 0x3f, 0xfe, 0x19, 0, 0x45, 0x45, 0, 3, 2, 0, 0xf8, 0xff, 0xfe, 0x21, 0x67, 0xcf },
	  38024,
	  44251,
	  0x4b61e985,
	  0x02d1feef },
};

Test(rss, toeplitz_of_ipv6)
{
	for (size_t i = 0; i < sizeof(v6) / sizeof(v6[0]); i++) {
		len = 0;
		ethernet(0x86dd);
		ipv6(6, 20);
		memcpy(bytes + 22, v6[i].src, 16);
		memcpy(bytes + 38, v6[i].dst, 16);
		tcp_ports(v6[i].sport, v6[i].dport);
		hash_over(true, SRC | DST);
		cr_assert_eq(hash_of(0x08), v6[i].ip);
		hash_over(true, SRC | DST | SPORT | DPORT);
		cr_assert_eq(hash_of(0x48), v6[i].tcp);
	}
}

/* The first vector with fields left out: computed by an independent program. */
Test(rss, fields_that_are_not_selected_are_left_out)
{
	ethernet(0x0800);
	ipv4(6, 20);
	memcpy(bytes + 26, v4[0].src, 4);
	memcpy(bytes + 30, v4[0].dst, 4);
	tcp_ports(2794, 1766);
	hash_over(false, SRC);
	cr_assert_eq(hash_of(0x04), 0x0e48b9de);
	hash_over(false, DST);
	cr_assert_eq(hash_of(0x04), 0x1db6cffd);
	hash_over(false, SPORT | DPORT);
	cr_assert_eq(hash_of(0x40), 0x92812830);
	hash_over(false, DPORT);
	cr_assert_eq(hash_of(0x40), 0xa512a6ca);
}

Test(rss, symmetric_is_equal_in_both_directions)
{
	uint32_t there, back;

	for (unsigned int turn = 0; turn < 2; turn++) {
		len = 0;
		ethernet(0x0800);
		ipv4(6, 20);
		memcpy(bytes + 26, turn ? v4[0].dst : v4[0].src, 4);
		memcpy(bytes + 30, turn ? v4[0].src : v4[0].dst, 4);
		tcp_ports(turn ? 1766 : 2794, turn ? 2794 : 1766);
		hash_over(false, SRC | DST | SPORT | DPORT);
		tir.tirc[0x20] = 0x80;
		*(turn ? &back : &there) = hash_of(0x44);
	}
	cr_assert_eq(there, back);
	/* Toeplitz of the OR of the addresses, their XOR, the same of the ports; computed apart
	 * from the code. */
	cr_assert_eq(there, 0xa65524fa);
}

Test(rss, other_kinds_go_to_the_first_queue)
{
	ethernet(0x0800);
	ipv4(17, 8);
	udp(53, 0);
	hash_over(false, SRC | DST | SPORT | DPORT);
	cr_assert_eq(hash_of(0), 0);
	hash_over(true, SRC | DST);
	cr_assert_eq(hash_of(0), 0);
	hash_over(false, SRC | DST);
	cr_assert_neq(hash_of(4), 0);
	hash_over(false, SRC | DST | SPORT | DPORT);
	tir.tirc[0x50] = 0x40; /* UDP */
	cr_assert_neq(hash_of(0x84), 0);
	bytes[14 + 6] = 0x20; /* a fragment */
	cr_assert_eq(hash_of(0), 0);
}

Test(rss, direct_has_one_queue)
{
	uint32_t hash = 1;
	uint8_t type = 1;

	ethernet(0x0800);
	cr_assert(parse());
	memset(&tir, 0, sizeof(tir));
	tir.rq = &rq[2];
	cr_assert_eq(steer_rq(&tir, bytes, &h, &hash, &type), &rq[2]);
	cr_assert_eq(hash, 0);
	cr_assert_eq(type, 0);
}

/* 10.0.0.1 and 10.0.0.2: 10 ^ 1 ^ 10 ^ 2 = 3, inverted 0xfc */
Test(rss, inverted_xor)
{
	ethernet(0x0800);
	ipv4(6, 0);
	hash_over(false, SRC | DST);
	tir.tirc[0x24] = 0x10;
	cr_assert_eq(hash_of(0x04), 0xfc);
}
