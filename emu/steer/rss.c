/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receive side scaling: which RQ of a TIR's table takes a packet.
 *
 *	source IP, destination IP, source port, destination port, as far as selected
 *	--Toeplitz or XOR--> hash, modulo the size of the table -> RQ
 *
 * Toeplitz: "RSS Hashing Functions", Microsoft, Windows driver documentation. A TIR hashes
 * packets of one kind, IPv4 or IPv6, TCP or UDP.
 */
#include <netinet/in.h>
#include <string.h>

#include "prm/prm.h"
#include "steer/steer.h"

#define KEY_BYTES 40
#define INPUT_MAX 36 /* two IPv6 addresses and two ports */

/* rx_hash_field_select.selected_fields (Linux, mlx5_ifc.h, MLX5_HASH_FIELD_SEL_SRC_IP …) */
enum { SRC_IP = 1, DST_IP = 2, SRC_PORT = 4, DST_PORT = 8, SPI = 16 };
#define PORTS (SRC_PORT | DST_PORT)

struct input {
	uint8_t bytes[INPUT_MAX];
	size_t len;
};

static void add(struct input *in, const uint8_t *from, size_t n)
{
	memcpy(in->bytes + in->len, from, n);
	in->len += n;
}

/* The two of a pair, as far as they are selected. Symmetric: their OR and their XOR, so that
 * both directions of a connection have the same hash (Linux,
 * Documentation/networking/scaling.rst, symmetric-or-xor, which mlx5 has). */
static void add_pair(struct input *in, bool symmetric, const uint8_t *src, const uint8_t *dst,
		     size_t n, uint32_t selected)
{
	uint8_t both[16], different[16];

	if (selected != 3 || !symmetric) {
		if (selected & 1)
			add(in, src, n);
		if (selected & 2)
			add(in, dst, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		both[i] = src[i] | dst[i];
		different[i] = src[i] ^ dst[i];
	}
	add(in, both, n);
	add(in, different, n);
}

static uint32_t toeplitz(const uint8_t *key, const struct input *in)
{
	uint64_t window = (uint64_t)core_be32(key) << 32 | core_be32(key + 4);
	uint32_t hash = 0;

	for (size_t i = 0; i < in->len; i++) {
		for (int bit = 7; bit >= 0; bit--) {
			if (in->bytes[i] >> bit & 1)
				hash ^= window >> 32;
			window <<= 1;
		}
		if (i + 8 < KEY_BYTES)
			window |= key[i + 8];
	}
	return hash;
}

/* assumed(inverted_xor8_is_of_all_bytes): rx_hash_fn INVERTED_XOR8 is the inverted exclusive or
 * of all bytes that are selected. */
static uint32_t inverted_xor8(const struct input *in)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < in->len; i++)
		sum ^= in->bytes[i];
	return (uint8_t)~sum;
}

/* ---- what is hashed ---- */

static uint8_t wanted_l4(const uint8_t *select, uint32_t fields)
{
	if (fields & SPI)
		return IPPROTO_ESP;
	if (!(fields & PORTS))
		return 0;
	return PRM_GET(rx_hash_field_select, select, l4_prot_type) ? IPPROTO_UDP : IPPROTO_TCP;
}

/* Is the packet of the kind that the TIR hashes? */
/* assumed(rss_of_another_kind): a packet that lacks what the TIR hashes, or is of another
 * l3_prot_type or l4_prot_type, has no hash and goes to the first RQ of the table. */
static bool is_of_kind(const uint8_t *select, uint32_t fields, const struct steer_layer *l)
{
	uint8_t version = PRM_GET(rx_hash_field_select, select, l3_prot_type) ? 6 : 4;
	uint8_t protocol = wanted_l4(select, fields);

	if (!fields || l->version != version)
		return false;
	return !protocol || (l->l4 && l->protocol == protocol);
}

/* assumed(partial_hash_is_a_concatenation): fields that are not selected are left out of the
 * hash. */
static void collect(struct input *in, const struct hca_tir *tir, const uint8_t *bytes,
		    const struct steer_layer *l, uint32_t fields)
{
	bool symmetric = PRM_GET(tirc, tir->tirc, rx_hash_symmetric);
	const uint8_t *ip = bytes + l->l3, *l4 = bytes + l->l4;

	if (l->version == 4)
		add_pair(in, symmetric, ip + 12, ip + 16, 4, fields & 3);
	else
		add_pair(in, symmetric, ip + 8, ip + 24, 16, fields & 3);
	if (fields & SPI)
		add(in, l4, 4);
	else if (fields & PORTS)
		add_pair(in, symmetric, l4, l4 + 2, 2, fields >> 2 & 3);
}

/* cqe.rx_hash_type: IP in bits 3:2 (1 IPv4, 2 IPv6), layer 4 in bits 7:6 (1 TCP, 2 UDP, 3 SPI);
 * Linux, device.h, CQE_RSS_HTYPE_IP, CQE_RSS_HTYPE_L4. */
static uint8_t type_of(const struct steer_layer *l, uint32_t fields)
{
	uint8_t ip = l->version == 4 ? 1 : 2;
	uint8_t l4 = l->protocol == IPPROTO_TCP ? 1 : l->protocol == IPPROTO_UDP ? 2 : 3;

	return (fields & (SRC_IP | DST_IP) ? ip << 2 : 0) |
	       (fields & (PORTS | SPI) ? l4 << 6 : 0);
}

static bool hash_layer(const struct hca_tir *tir, const uint8_t *select, const uint8_t *bytes,
		       const struct steer_layer *l, uint32_t *hash, uint8_t *type)
{
	uint32_t fields = PRM_GET(rx_hash_field_select, select, selected_fields);
	uint32_t fn = PRM_GET(tirc, tir->tirc, rx_hash_fn);
	struct input in = { .len = 0 };

	if (fn == PRM_RX_HASH_FN_NONE || !is_of_kind(select, fields, l))
		return false;
	collect(&in, tir, bytes, l, fields);
	*hash = fn == PRM_RX_HASH_FN_TOEPLITZ
			? toeplitz(PRM_ADDR(tirc, tir->tirc, rx_hash_toeplitz_key), &in)
			: inverted_xor8(&in);
	*type = type_of(l, fields);
	return true;
}

struct hca_rq *steer_rq(const struct hca_tir *tir, const uint8_t *bytes,
			const struct steer_headers *h, uint32_t *hash, uint8_t *type)
{
	const uint8_t *outer = PRM_ADDR(tirc, tir->tirc, rx_hash_field_selector_outer);
	const uint8_t *inner = PRM_ADDR(tirc, tir->tirc, rx_hash_field_selector_inner);

	*hash = 0;
	*type = 0;
	if (!tir->rqt)
		return tir->rq;
	if (!hash_layer(tir, inner, bytes, &h->inner, hash, type))
		hash_layer(tir, outer, bytes, &h->outer, hash, type);
	return tir->rqt->cnt ? tir->rqt->rq[*hash % tir->rqt->cnt] : NULL;
}
