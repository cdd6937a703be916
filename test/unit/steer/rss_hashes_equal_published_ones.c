/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rss: the hashes of "Verifying the RSS Hash Calculation" (Microsoft, Windows driver
 * documentation), and which RQ a packet gets.
 */
#include <arpa/inet.h>

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

static const struct {
	const char *dst, *src;
	uint16_t dport, sport;
	uint32_t ip, tcp;
} published[] = {
	{ "161.142.100.80", "66.9.149.187", 1766, 2794, 0x323e8fc2, 0x51ccc178 },
	{ "65.69.140.83", "199.92.111.2", 4739, 14230, 0xd718262a, 0xc626b0ea },
	{ "12.22.207.184", "24.19.198.95", 38024, 12898, 0xd2d0a5de, 0x5c2b394a },
	{ "209.142.163.6", "38.27.205.30", 2217, 48228, 0x82989176, 0xafc7327f },
	{ "202.188.127.2", "153.39.163.191", 1303, 44251, 0x5d1809c5, 0x10e828a2 },
	{ "3ffe:2501:200:3::1", "3ffe:2501:200:1fff::7", 1766, 2794, 0x2cc18cd5, 0x40207d3d },
	{ "ff02::1", "3ffe:501:8::260:97ff:fe40:efab", 4739, 14230, 0x0f0c461c, 0xdde51bbf },
	{ "fe80::200:f8ff:fe21:67cf", "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 38024, 44251,
	  0x4b61e985, 0x02d1feef },
};

Test(rss, toeplitz_of_the_published_packets)
{
	for (size_t i = 0; i < ARRAY_SIZE(published); i++) {
		bool v6 = strchr(published[i].src, ':');
		int family = v6 ? AF_INET6 : AF_INET;

		build(v6 ? "eth:86dd v6:6 tcp" : "eth:800 v4:6 tcp");
		cr_assert(inet_pton(family, published[i].src, bytes + (v6 ? 22 : 26)));
		cr_assert(inet_pton(family, published[i].dst, bytes + (v6 ? 38 : 30)));
		core_put_be16(bytes + len - 20, published[i].sport);
		core_put_be16(bytes + len - 18, published[i].dport);
		hash_over(v6, SRC | DST);
		cr_assert_eq(hash_of(v6 ? 0x08 : 0x04), published[i].ip);
		hash_over(v6, SRC | DST | SPORT | DPORT);
		cr_assert_eq(hash_of(v6 ? 0x48 : 0x44), published[i].tcp);
	}
}

/* ---- all selections, by the definition ---- */

enum { SPI = 16 };

/* The input of the hash. */
static struct {
	uint8_t bytes[64];
	size_t len;
} in;

static void add(const uint8_t *p, size_t n)
{
	memcpy(in.bytes + in.len, p, n);
	in.len += n;
}

/* Symmetric: OR and XOR (Linux, Documentation/networking/scaling.rst). */
static void add_pair(const uint8_t *src, size_t n, uint32_t selected, bool symmetric)
{
	uint8_t both[2][16];

	for (size_t i = 0; i < n; i++) {
		both[0][i] = symmetric ? src[i] | src[n + i] : src[i];
		both[1][i] = symmetric ? src[i] ^ src[n + i] : src[n + i];
	}
	if (!symmetric || selected == 3) {
		if (selected & 1)
			add(both[0], n);
		if (selected & 2)
			add(both[1], n);
	} else if (selected) {
		add(src + (selected & 2 ? n : 0), n);
	}
}

/* For each bit of the input that is 1, the 32 bits of the key from that place on. */
static uint32_t by_definition(bool toeplitz)
{
	uint32_t hash = 0;
	uint8_t x = 0;

	for (size_t i = 0; i < 8 * in.len; i++)
		for (size_t k = 0; in.bytes[i / 8] >> (7 - i % 8) & 1 && k < 32; k++)
			hash ^= (uint32_t)(key[(i + k) / 8] >> (7 - (i + k) % 8) & 1)
				<< (31 - k);
	for (size_t i = 0; i < in.len; i++)
		x ^= in.bytes[i];
	return toeplitz ? hash : (uint8_t)~x;
}

/* A TIR for one kind of packets hashes all of them, and no others. */
static void select_and_hash(size_t selector, const struct steer_layer *l, uint32_t fields,
			    unsigned int how)
{
	bool v6 = how & 1, udp = how & 2, symmetric = how & 4, toeplitz = how & 8;
	uint8_t l4 = fields & SPI ? 50 : !(fields & (SPORT | DPORT)) ? 0 : udp ? 17 : 6;
	bool fits = l->version == (v6 ? 6 : 4) && (!l4 || l->protocol == l4) && fields;
	uint8_t type = 0;

	hash_over(false, 0);
	tir.tirc[0x24] = toeplitz ? 0x20 : 0x10;
	tir.tirc[0x20] = symmetric ? 0x80 : 0;
	tir.tirc[selector] = (v6 ? 0x80 : 0) | (udp ? 0x40 : 0);
	tir.tirc[selector + 3] = (uint8_t)fields;
	in.len = 0;
	if (fits) {
		add_pair(bytes + l->l3 + (v6 ? 8 : 12), v6 ? 16 : 4, fields & 3, symmetric);
		if (fields & SPI)
			add(bytes + l->l4, 4);
		else
			add_pair(bytes + l->l4, 2, fields >> 2 & 3, symmetric);
		type = (fields & 3 ? v6 ? 8 : 4 : 0) | (l4 == 6	   ? 0x40
							: l4 == 17 ? 0x80
							: l4	   ? 0xc0
								   : 0);
	}
	cr_assert_eq(hash_of(type), fits ? by_definition(toeplitz) : 0,
		     "protocol %u, fields 0x%x, 0x%x", l->protocol, fields, how);
}

Test(rss, of_each_selection)
{
	static const char *const packets[] = {
		"v4:6 tcp", "v4:11 udp:35", "v4:32 0102030400000001",
		"v6:6 tcp", "v6:11 udp:35", "v6:32 0102030400000001",
	};

	for (size_t i = 0; i < 2 * sizeof(packets) / sizeof(packets[0]); i++)
		for (uint32_t fields = 0; fields < 20; fields++)
			for (unsigned int how = 0; how < 16; how++) {
				char text[128];
				bool inner = i % 2;

				snprintf(text, sizeof(text), "eth:%s%s",
					 inner	     ? "0800 v4:4 "
					 : i / 2 < 3 ? "0800 "
						     : "86dd ",
					 packets[i / 2]);
				if (inner && i / 2 >= 3)
					memcpy(strstr(text, "v4:4 "), "v4:29", 5);
				build(text);
				cr_assert(parse());
				select_and_hash(inner ? 0x54 : 0x50,
						inner ? &h.inner : &h.outer, fields, how);
			}
}

/* Both are selected: what is inside counts; the outer one for packets without it. */
Test(rss, of_the_inner_packet_first)
{
	uint32_t outer;

	build("eth:0800 v4:4 v4:6 tcp");
	bytes[29] = 9;
	hash_over(false, SRC | DST);
	outer = hash_of(4);
	tir.tirc[0x57] = SRC | DST | SPORT | DPORT;
	cr_assert_neq(hash_of(0x44), outer);
	tir.tirc[0x54] = 0x40; /* UDP */
	cr_assert_eq(hash_of(4), outer);
}

/* All of the table are used, whatever its size is. */
Test(rss, of_a_table_of_three)
{
	struct hca_rqt three = { .cnt = 3, .rq = rqs };
	uint32_t hash;
	uint8_t type;

	build("eth:0800 v4:6 tcp");
	hash_over(false, SRC | DST);
	tir.rqt = &three;
	for (unsigned int i = 0; i < 16; i++) {
		bytes[29] = (uint8_t)i;
		cr_assert(parse());
		cr_assert_eq(steer_rq(&tir, bytes, &h, &hash, &type), rqs[hash % 3]);
	}
	three.cnt = 0;
	cr_assert_null(steer_rq(&tir, bytes, &h, &hash, &type));
}

Test(rss, other_kinds_go_to_the_first_queue)
{
	build("eth:800 v4:11 udp:35");
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

	build("eth:800");
	cr_assert(parse());
	memset(&tir, 0, sizeof(tir));
	tir.rq = &rq[2];
	cr_assert_eq(steer_rq(&tir, bytes, &h, &hash, &type), &rq[2]);
	cr_assert_eq(hash, 0);
	cr_assert_eq(type, 0);
}
