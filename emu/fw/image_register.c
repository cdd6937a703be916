/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which registers there are, and the image of the firmware.
 *
 *	PCAM, MCAM   a bit for each register of 0x5000, of 0x9000, 0x9080 … 0x9180; no features
 *	MCQS         component 0, the last one: the boot image, in use
 *	MCQI         of component 0: its version
 */
#include "fw/register.h"

#define FIRST_PORT	 0x5000u
#define FIRST_MANAGEMENT 0x9000u
#define GROUP		 0x80u /* registers */
#define GROUPS		 4u    /* of MCAM */
#define BOOT_IMAGE	 1     /* kernel, fw.c: MCQS_IDENTIFIER_BOOT_IMG */
#define IN_USE		 2     /* mstflint, register_access_table.adb: component_status */

/* Bit n of the mask says whether there is register @first + n; bit 0 is the lowest of the last
 * word. */
static void put_mask(uint8_t *mask, uint32_t first)
{
	for (uint32_t n = 0; n < GROUP; n++)
		if (fw_register_is_there(first + n))
			mask[(GROUP - 1 - n) / 8] |= 1u << n % 8;
}

static uint8_t read_pcam(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	(void)c;
	if (PRM_GET(pcam_reg, ask, access_reg_group) || PRM_GET(pcam_reg, ask, feature_group))
		return FW_WHY_VALUE;
	put_mask(PRM_ADDR(pcam_reg, reg, regs_5000_to_507f), FIRST_PORT);
	return 0;
}

static uint8_t read_mcam(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	uint32_t group = PRM_GET(mcam_reg, ask, access_reg_group);

	(void)c;
	if (group >= GROUPS || PRM_GET(mcam_reg, ask, feature_group))
		return FW_WHY_VALUE;
	put_mask(PRM_ADDR(mcam_reg, reg, access_regs), FIRST_MANAGEMENT + group * GROUP);
	return 0;
}

static uint8_t read_mcqs(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	(void)c;
	if (PRM_GET(mcqs_reg, ask, component_index))
		return FW_WHY_VALUE;
	PRM_SET(mcqs_reg, reg, last_index_flag, 1);
	PRM_SET(mcqs_reg, reg, identifier, BOOT_IMAGE);
	PRM_SET(mcqs_reg, reg, component_status, IN_USE);
	return 0;
}

/* The data that are asked for follow the register, if the outbox is so long. */
static uint8_t read_mcqi(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	size_t more = c->out_len - PRM_SZ(access_register_out) - PRM_SZ(mcqi_reg);
	uint32_t n = PRM_GET(mcqi_reg, ask, data_size);
	uint8_t data[PRM_SZ(mcqi_version)] = { 0 };

	if (PRM_GET(mcqi_reg, ask, component_index) ||
	    PRM_GET(mcqi_reg, ask, info_type) != PRM_MCQI_INFO_TYPE_VERSION)
		return FW_WHY_VALUE;
	PRM_SET(mcqi_version, data, version_string_length, strlen(c->hca->fw_ver));
	PRM_SET(mcqi_version, data, version, fw_version(c->hca->fw_ver));
	memcpy(PRM_ADDR(mcqi_version, data, version_string), c->hca->fw_ver,
	       strlen(c->hca->fw_ver));
	PRM_SET(mcqi_reg, reg, info_size, sizeof(data));
	if (n > more || n > sizeof(data))
		return FW_WHY_OUT_LEN;
	memcpy(reg + PRM_SZ(mcqi_reg), data, n);
	return 0;
}

static const struct fw_bits ask_pcam[] = { F(pcam_reg, feature_group),
					   F(pcam_reg, access_reg_group), END };
static const struct fw_bits ask_mcam[] = { F(mcam_reg, feature_group),
					   F(mcam_reg, access_reg_group), END };
static const struct fw_bits ask_mcqs[] = { F(mcqs_reg, component_index), END };
static const struct fw_bits ask_mcqi[] = { F(mcqi_reg, component_index), F(mcqi_reg, info_type),
					   F(mcqi_reg, data_size), END };

#define READ_ONLY(NAME, name)                                                                  \
	{                                                                                      \
		.id = FW_REGISTER_##NAME, .layout = #name "_reg", .bytes = PRM_SZ(name##_reg), \
		.ask = ask_##name, .read = read_##name                                         \
	}

const struct fw_register fw_image_registers[] = {
	READ_ONLY(PCAM, pcam),
	READ_ONLY(MCAM, mcam),
	READ_ONLY(MCQS, mcqs),
	READ_ONLY(MCQI, mcqi),
	{ 0 },
};
