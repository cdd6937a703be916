/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cable in the port: which lanes its plug has, and the memory of the plug.
 *
 *	PMLP   port 1 -> module 0, lanes 0 to 3
 *	MCIA   module 0, I2C address 0x50 -> bytes 0 to 255 of the memory (SFF-8636)
 *
 * The memory is that of a passive copper cable of QSFP28, which has the modes of
 * port_register.c.
 */
#include "fw/register.h"

#define LANES	    4
#define I2C_ADDRESS 0x50u
#define MEMORY	    256u
#define MOST	    48u /* bytes at a time: 12 dwords, without mcam_reg.mcia_32dwords */

/* SFF-8636, tables 6-1 and 6-14: a byte that is not here is 0. */
#define IDENTIFIER   0
#define REVISION     1
#define STATUS	     2
#define UPPER	     128
#define CONNECTOR    130
#define COMPLIANCE   131
#define RATE	     140 /* of 100 MBd; 0xff: see RATE_250 */
#define LENGTH	     146 /* of copper, in metres */
#define TECHNOLOGY   147
#define VENDOR	     148
#define PART	     168
#define BASE_SUM     191 /* of the bytes from UPPER on */
#define EXTENDED     192
#define RATE_250     222 /* of 250 MBd */
#define EXTENDED_SUM 223 /* of the bytes from EXTENDED on */

enum {
	QSFP28 = 0x11,
	REVISION_2_8 = 0x08,
	FLAT = 1 << 2, /* there are no more pages */
	NO_SEPARABLE_CONNECTOR = 0x23,
	EXTENDED_AND_40GBASE_CR4 = 0x88,
	COPPER_UNEQUALIZED = 0xa0,
	EXTENDED_100GBASE_CR4 = 0x0b,
};

/* mcia_reg.status (kernel, mlxsw, reg.h: MLXSW_REG_MCIA_STATUS_*) */
enum { GOOD = 0, NO_MODULE = 3, I2C_ERROR = 9 };

static uint8_t sum_of(const uint8_t *memory, uint32_t from, uint32_t to)
{
	uint8_t sum = 0;

	while (from < to)
		sum += memory[from++];
	return sum;
}

static void put_text(uint8_t *at, const char *text)
{
	memset(at, ' ', 16);
	memcpy(at, text, strlen(text));
}

static void make_memory(uint8_t *memory)
{
	memset(memory, 0, MEMORY);
	memory[IDENTIFIER] = memory[UPPER] = QSFP28;
	memory[REVISION] = REVISION_2_8;
	memory[STATUS] = FLAT;
	memory[CONNECTOR] = NO_SEPARABLE_CONNECTOR;
	memory[COMPLIANCE] = EXTENDED_AND_40GBASE_CR4;
	memory[RATE] = 0xff;
	memory[LENGTH] = 1;
	memory[TECHNOLOGY] = COPPER_UNEQUALIZED;
	put_text(memory + VENDOR, "dvkit");
	put_text(memory + PART, "emulated");
	memory[BASE_SUM] = sum_of(memory, UPPER, BASE_SUM);
	memory[EXTENDED] = EXTENDED_100GBASE_CR4;
	memory[RATE_250] = 103; /* 25.78125 GBd */
	memory[EXTENDED_SUM] = sum_of(memory, EXTENDED, EXTENDED_SUM);
}

static uint8_t read_pmlp(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	(void)c, (void)ask;
	PRM_SET(pmlp_reg, reg, width, LANES);
	for (uint32_t i = 0; i < LANES; i++) {
		uint8_t *lane = PRM_ADDR(pmlp_reg, reg, lane0_module_mapping) + 4 * i;

		PRM_SET(lane_2_module_mapping, lane, tx_lane, i);
		PRM_SET(lane_2_module_mapping, lane, rx_lane, i);
	}
	return 0;
}

/* Memory without more pages has the same bytes in all of them. */
static uint8_t read_mcia(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	uint32_t at = PRM_GET(mcia_reg, ask, device_address), n = PRM_GET(mcia_reg, ask, size);
	uint8_t memory[MEMORY], status = GOOD;

	(void)c;
	if (!n || n > MOST || at + n > MEMORY)
		return FW_WHY_VALUE;
	if (PRM_GET(mcia_reg, ask, module))
		status = NO_MODULE;
	else if (PRM_GET(mcia_reg, ask, i2c_device_address) != I2C_ADDRESS)
		status = I2C_ERROR;
	PRM_SET(mcia_reg, reg, status, status);
	if (status != GOOD)
		return 0;
	make_memory(memory);
	memcpy(PRM_ADDR(mcia_reg, reg, dwords), memory + at, n);
	return 0;
}

static const struct fw_bits ask_pmlp[] = { F(pmlp_reg, local_port), END };
static const struct fw_bits ask_mcia[] = {
	F(mcia_reg, module),	  F(mcia_reg, i2c_device_address),
	F(mcia_reg, page_number), F(mcia_reg, device_address),
	F(mcia_reg, size),	  END,
};

const struct fw_register fw_cable_registers[] = {
	{ .id = FW_REGISTER_PMLP,
	  .layout = "pmlp_reg",
	  .bytes = PRM_SZ(pmlp_reg),
	  .port = F(pmlp_reg, local_port),
	  .ask = ask_pmlp,
	  .read = read_pmlp },
	{ .id = FW_REGISTER_MCIA,
	  .layout = "mcia_reg",
	  .bytes = PRM_SZ(mcia_reg),
	  .ask = ask_mcia,
	  .read = read_mcia },
	{ 0 },
};
