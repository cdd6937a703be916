/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The invariant CRC: a CRC over the bytes that routers may not change.
 *
 *	ff ff ff ff ff ff ff ff | IP | UDP | BTH | extension headers, payload, padding
 *	in place of the LRH       \______________/ with the bytes below read as ff
 *
 *	IPv4   type of service, time to live, header checksum
 *	IPv6   traffic class, flow label, hop limit
 *	GRH    of RoCE v1, in place of IP and UDP: as IPv6
 *	UDP    checksum
 *	BTH    byte 4 (FECN, BECN, reserved)
 *
 * The polynomial is Ethernet's, bit-reversed 0xedb88320; the result is sent low byte first.
 * (InfiniBand specification, volume 1, chapter 7, "Invariant CRC"; annex A16 for RoCE v1, annex
 * A17 for the fields of IP and UDP.) Any thread.
 */
#include <endian.h>
#include <pthread.h>
#include <string.h>

#include "wire/wire.h"

#define POLYNOMIAL   0xedb88320u
#define ETHERNET_LEN 14
#define LRH_LEN	     8
#define UDP_LEN	     8
#define BTH_LEN	     12

/* table[k][b]: the CRC of byte b followed by k zero bytes. Eight bytes at a time need eight
 * look-ups that do not depend on each other. */
static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void fill_table(void)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		table[0][byte] = crc;
	}
	for (int k = 1; k < 8; k++)
		for (int byte = 0; byte < 256; byte++) {
			uint32_t crc = table[k - 1][byte];

			table[k][byte] = crc >> 8 ^ table[0][crc & 0xff];
		}
}

static uint32_t crc_add(uint32_t crc, const uint8_t *at, size_t len)
{
	for (; len >= 8; at += 8, len -= 8) {
		uint64_t word;

		memcpy(&word, at, 8);
		word = le64toh(word) ^ crc;
		crc = 0;
		for (int i = 0; i < 8; i++)
			crc ^= table[7 - i][word >> 8 * i & 0xff];
	}
	for (; len; at++, len--)
		crc = crc >> 8 ^ table[0][(crc ^ *at) & 0xff];
	return crc;
}

uint32_t wire_fcs(const uint8_t *frame, size_t len)
{
	pthread_once(&table_once, fill_table);
	return htole32(~crc_add(0xffffffff, frame, len));
}

uint32_t wire_icrc(const uint8_t *frame, size_t len)
{
	const uint8_t *ip = frame + ETHERNET_LEN;
	bool v1 = core_be16(frame + 12) == WIRE_ETHERTYPE_ROCE, v4 = ip[0] >> 4 == 4;
	size_t ip_len = v4 ? 20 : 40, bth = ip_len + (v1 ? 0 : UDP_LEN);
	uint8_t head[LRH_LEN + 40 + UDP_LEN + BTH_LEN];
	uint8_t *masked = head + LRH_LEN;
	uint32_t crc;

	pthread_once(&table_once, fill_table);
	memset(head, 0xff, LRH_LEN);
	memcpy(masked, ip, bth + BTH_LEN);
	if (v4) {
		masked[1] = masked[8] = masked[10] = masked[11] = 0xff;
	} else {
		masked[0] |= 0x0f;
		masked[1] = masked[2] = masked[3] = masked[7] = 0xff;
	}
	if (!v1)
		masked[ip_len + 6] = masked[ip_len + 7] = 0xff;
	masked[bth + 4] = 0xff;

	crc = crc_add(0xffffffff, head, LRH_LEN + bth + BTH_LEN);
	ip += bth + BTH_LEN;
	crc = crc_add(crc, ip, frame + len - 4 - ip);
	return htole32(~crc);
}
