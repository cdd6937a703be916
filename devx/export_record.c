/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of an export (vhca.h), and its text. */
#include <stdio.h>

#include <devx/vhca.h>
#include <prm/prm.h>

#include "refuse.h"

enum { VERSION = 1, SUMMED = 88 };

/* Access bits that an exported key can have; a record with other bits is invalid. */
#define EXPORT_ACCESS                                                   \
	((uint32_t)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |  \
		    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
		    IBV_ACCESS_RELAXED_ORDERING))

static const uint8_t magic[4] = { 'd', 'v', 'v', 'x' };

/* A record, byte for byte. */
struct record {
	uint8_t magic[4];
	uint8_t version, zero;
	uint8_t vhca_id[2];
	uint8_t mkey[4], access[4];
	uint8_t addr[8], len[8], epoch[8], sys_image_guid[8];
	uint8_t access_key[DEVX_ACCESS_KEY_BYTES];
	uint8_t reserved[8];
	uint8_t sum[8];
};

_Static_assert(sizeof(struct record) == DEVX_EXPORT_BYTES, "record");
_Static_assert(offsetof(struct record, sum) == SUMMED, "record");

/* CRC-64/XZ: polynomial of ECMA-182 with the lowest power in the highest bit, begun and ended
 * inverted. */
static uint64_t crc64(const uint8_t *p, size_t n)
{
	uint64_t crc = ~0ull;

	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xc96c5795d7870f42 : 0);
	}
	return ~crc;
}

static void put(uint8_t *at, unsigned int bytes, uint64_t v)
{
	while (bytes--) {
		at[bytes] = (uint8_t)v;
		v >>= 8;
	}
}

static uint64_t get(const uint8_t *at, unsigned int bytes)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < bytes; i++)
		v = v << 8 | at[i];
	return v;
}

#define PUT(field, v) put(field, sizeof(field), v)
#define GET(field)    get(field, sizeof(field))

void devx_export_pack(uint8_t record[DEVX_EXPORT_BYTES], const struct devx_export *e)
{
	struct record r = { .version = VERSION };

	memcpy(r.magic, magic, sizeof(magic));
	PUT(r.vhca_id, e->vhca_id);
	PUT(r.mkey, e->mkey);
	PUT(r.access, e->access);
	PUT(r.addr, e->addr);
	PUT(r.len, e->len);
	PUT(r.epoch, e->epoch);
	PUT(r.sys_image_guid, e->sys_image_guid);
	memcpy(r.access_key, e->access_key, sizeof(r.access_key));
	PUT(r.sum, crc64((const uint8_t *)&r, SUMMED));
	memcpy(record, &r, sizeof(r));
}

/* Returns the reason why the record is invalid, or NULL. */
static const char *defect(const struct record *r)
{
	static const uint8_t zeros[8];

	if (memcmp(r->magic, magic, sizeof(magic)))
		return "not a record of an export: it does not begin with dvvx";
	if (r->version != VERSION)
		return "a record of another version";
	if (GET(r->sum) != crc64((const uint8_t *)r, SUMMED))
		return "the record is damaged: its checksum is wrong";
	if (r->zero || memcmp(r->reserved, zeros, sizeof(zeros)))
		return "reserved bytes of the record are not 0";
	if (!GET(r->len))
		return "a record of no bytes: len is 0";
	if (GET(r->len) - 1 > UINT64_MAX - GET(r->addr))
		return "addr and len of the record go beyond 2^64";
	if (GET(r->access) & ~(uint64_t)EXPORT_ACCESS)
		return "an access flag in the record that memory keys do not have";
	return NULL;
}

int devx_export_unpack(struct devx_export *e, const void *record, size_t len)
{
	const char *why = "a record has 96 bytes";
	struct record r;

	if (len >= sizeof(r)) {
		memcpy(&r, record, sizeof(r));
		why = defect(&r);
	}
	if (why)
		return devx_refuse(CALL_devx_export_unpack, 0, EPROTO, why);
	*e = (struct devx_export){ .vhca_id = (uint16_t)GET(r.vhca_id),
				   .mkey = (uint32_t)GET(r.mkey),
				   .access = (uint32_t)GET(r.access),
				   .addr = GET(r.addr),
				   .len = GET(r.len),
				   .epoch = GET(r.epoch),
				   .sys_image_guid = GET(r.sys_image_guid) };
	memcpy(e->access_key, r.access_key, sizeof(r.access_key));
	return 0;
}

const char *devx_export_str(const struct devx_export *e, char *buf, size_t size)
{
	snprintf(buf, size,
		 "vhca %u, mkey 0x%x, 0x%llx + %llu bytes, access 0x%x, epoch 0x%llx, "
		 "adapter 0x%llx",
		 e->vhca_id, e->mkey, (unsigned long long)e->addr, (unsigned long long)e->len,
		 e->access, (unsigned long long)e->epoch,
		 (unsigned long long)e->sys_image_guid);
	return buf;
}

const char *devx_access_key_str(const uint8_t key[DEVX_ACCESS_KEY_BYTES], char *buf,
				size_t size)
{
	if (size)
		buf[0] = '\0';
	for (size_t i = 0; i < DEVX_ACCESS_KEY_BYTES && 2 * i < size; i++)
		snprintf(buf + 2 * i, size - 2 * i, "%02x", key[i]);
	return buf;
}
