/* SPDX-License-Identifier: BSD-2-Clause */
/* reformat: ALLOC_, QUERY_, DEALLOC_PACKET_REFORMAT_CONTEXT, and entries that name one. */
#include "flow.h"

DEVICE_SUITE(reformat);

enum {
	FWD = 4,
	DROP = 2,
	REFORMAT = 0x10,
	DECAP = 0x20,
	MOD_HDR = 0x40,
	POP = 0x80,
	PUSH = 0x100
};

/* opcode 0x93d; type at byte 0x1c, size in the low bits of 0x1e and 0x1f, data from 0x22 on */
static void alloc_box(uint8_t type, uint16_t size)
{
	memset(&b, 0, sizeof(b));
	b.in[0] = 0x09;
	b.in[1] = 0x3d;
	b.in[0x1c] = type;
	b.in[0x1e] = size >> 8;
	b.in[0x1f] = size;
	for (uint16_t i = 0; i < size; i++)
		b.in[0x22 + i] = i + 1;
	b.in_len = 0x22 + size < 0x24 ? 0x24 : 0x22 + size;
	b.out_len = 16;
}

static uint32_t id_of(void)
{
	return core_be32(b.out + 8);
}

static uint32_t new_reformat(uint8_t type, uint16_t size)
{
	BOX_OK(alloc_box(type, size));
	return id_of();
}

Test(reformat, shows_its_bytes)
{
	uint32_t id = new_reformat(2, 50);

	box(0x93f);
	put32(8, id);
	b.out_len = 0x22 + 50;
	cr_assert_eq(execute(), FW_OK);
	EQUALS(E(b.out[0x1c], 2), E(b.out[0x1f], 50));
	for (unsigned int i = 0; i < 50; i++)
		cr_assert_eq(b.out[0x22 + i], i + 1);
	BOX_OK(WITH(box(0x93e), put32(8, id)));
	cr_assert_eq(execute(), FW_BAD_RES_STATE);
	cr_assert_eq(hca_objects_count(&hca, NULL, 0), 0);
}

Test(reformat, refusals)
{
	BAD_PARAM(alloc_box(5, 20), WHY_UNSUPPORTED); /* ESP */
	BAD_PARAM(alloc_box(2, 0), WHY_SIZE);
	BAD_PARAM(alloc_box(2, 129), WHY_SIZE); /* cx5: 128 */
	BAD_PARAM(alloc_box(3, 15), WHY_SIZE);	/* an Ethernet header of 15 bytes */
	BOX_REFUSED(SHORTER(alloc_box(2, 50), 1), FW_BAD_INP_LEN, WHY_IN_LEN);
	BAD_PARAM(LONGER(alloc_box(2, 50)), WHY_RESERVED);
	BAD_PARAM(WITH_BYTE(alloc_box(2, 50), 0x1d, 1),
		  WHY_VALUE); /* reformat_param_0: of INSERT_HDR and REMOVE_HDR */
	BAD_PARAM(alloc_box(0xf, 4), WHY_VALUE); /* INSERT_HDR at anchor 0 */
	BOX_OK(WITH_BYTE(alloc_box(0xf, 4), 0x1d, 1));
}

/* reformat_en is bit 31 of the context, at byte 0x18, decap_en bit 30. */
static uint32_t tunnel_table(uint8_t type, uint8_t bits)
{
	BOX_OK(WITH_BYTE(table_box(type, 4, 1), 0x18, bits));
	return id24();
}

/* An entry that names reformat context @id. */
static void reformat_box(uint8_t type, uint32_t t, uint32_t g, uint32_t index, uint16_t action,
			 uint32_t id)
{
	entry_box(type, t, g, index, action, NULL);
	put32(0x58, id);
}

Test(reformat, is_for_tables_made_for_it)
{
	uint32_t encap = new_reformat(2, 50), l3 = new_reformat(3, 14);
	uint32_t tx = tunnel_table(TX, 0x80), rx = tunnel_table(RX, 0xc0),
		 plain = new_table(TX, 4, 1);
	uint32_t tx_g = new_group(TX, tx, 0, 15, 0, NULL),
		 rx_g = new_group(RX, rx, 0, 15, 0, NULL);
	uint32_t plain_g = new_group(TX, plain, 0, 15, 0, NULL);

	BAD_PARAM(WITH_BYTE(table_box(TX, 4, 1), 0x18, 0x40),
		  WHY_UNSUPPORTED); /* nothing is decapsulated on transmit */
	BAD_PARAM(reformat_box(TX, plain, plain_g, 0, REFORMAT | DROP, encap), WHY_ACTION);
	BAD_PARAM(reformat_box(TX, tx, tx_g, 0, REFORMAT | 1, l3), WHY_HEADERS);
	reformat_box(TX, tx, tx_g, 0, REFORMAT | 1, encap + 99);
	REFUSED(FW_BAD_RES, WHY_HEADERS);
	BAD_PARAM(reformat_box(TX, tx, tx_g, 0, 1, encap), WHY_HEADERS);
	BOX_OK(reformat_box(TX, tx, tx_g, 0, REFORMAT | 1, encap));
	BAD_PARAM(reformat_box(RX, rx, rx_g, 0, REFORMAT | DECAP | DROP, l3), WHY_ACTION);
	BOX_OK(reformat_box(RX, rx, rx_g, 0, REFORMAT | DROP, l3));
	BOX_REFUSED(WITH(box(0x93e), put32(8, encap)), FW_BAD_RES_STATE, WHY_BUSY);
	BOX_OK(on_table(0x938, TX, tx));
	BOX_OK(WITH(box(0x93e), put32(8, encap)));
}

Test(reformat, tags_and_modify_headers)
{
	static const uint8_t modify[24] = { 0x09, 0x40, 0, 0, 0,    0,	  0, 0, 0, 0, 0, 0,
					    1,	  0,	0, 1, 0x10, 0x0a, 0, 8, 0, 0, 0, 9 };
	uint32_t rx = new_table(RX, 4, 1), rx_g = new_group(RX, rx, 0, 15, 0, NULL), m;
	uint32_t tx = new_table(TX, 4, 1), tx_g = new_group(TX, tx, 0, 15, 0, NULL);

	memset(&b, 0, sizeof(b));
	memcpy(b.in, modify, sizeof(modify)); /* for transmit */
	b.in_len = 24;
	b.out_len = 16;
	cr_assert_eq(execute(), FW_OK);
	m = id_of();
	BAD_PARAM(WITH(entry_box(RX, rx, rx_g, 0, MOD_HDR | DROP, NULL), put32(0x5c, m)),
		  WHY_HEADERS);
	BOX_OK(WITH(entry_box(TX, tx, tx_g, 0, MOD_HDR | 1, NULL), put32(0x5c, m)));
	BOX_REFUSED(WITH(box(0x941), put32(8, m)), FW_BAD_RES_STATE, WHY_BUSY);
	BAD_PARAM(entry_box(RX, rx, rx_g, 0, PUSH | DROP, NULL), WHY_ACTION);
	BAD_PARAM(entry_box(TX, tx, tx_g, 1, POP | 1, NULL), WHY_ACTION);
	BAD_PARAM(entry_box(TX, tx, tx_g, 1, 0x800 | 1, NULL),
		  WHY_ACTION); /* the second tag without the first */
	BAD_PARAM(WITH(entry_box(TX, tx, tx_g, 1, 1, NULL), put32(0x40, 0x81000005)),
		  WHY_ACTION);
	BOX_OK(WITH(entry_box(TX, tx, tx_g, 1, PUSH | 1, NULL), put32(0x40, 0x81000005)));
	BOX_OK(WITH(on_table(0x937, TX, tx), put32(0x20, 1)));
	EQUALS(E(b.out[0x40], 0x81), E(b.out[0x43], 5));
}
