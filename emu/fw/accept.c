/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reserved bits. A command names the fields that it reads; every other bit of its inbox must be
 * zero.
 *
 *	inbox   1010 0000 0110 0000 …
 *	accepts 1111 .... .111 ....      what is left over names the refusal
 *
 * Looser would prove nothing: software that sets a bit which the model does not implement
 * would seem to work here.
 */
#include "fw/command.h"

/* The dispatcher has read them. */
static const struct fw_bits opcode_and_uid = { 0, 32 };

static void clear(uint8_t *in, struct fw_bits bits)
{
	uint32_t bit = bits.first, end = bit + bits.width;

	for (; bit < end && bit % 8; bit++)
		in[bit / 8] &= ~(0x80 >> bit % 8);
	memset(in + bit / 8, 0, (end - bit) / 8);
	bit += (end - bit) / 8 * 8;
	for (; bit < end; bit++)
		in[bit / 8] &= ~(0x80 >> bit % 8);
}

static bool set_in(const uint8_t *in, size_t len)
{
	return len && (*in || memcmp(in, in + 1, len - 1));
}

/* Clears in @in what @accepts names; is anything left? */
static bool leaves(const struct fw_bits *accepts, uint8_t *in, size_t len)
{
	for (; accepts && accepts->width; accepts++)
		clear(in, *accepts);
	return set_in(in, len);
}

static uint8_t why(const struct prm_struct *layout, const uint8_t *left, size_t len)
{
	size_t bit;

	return prm_unnamed(layout, left, len, &bit) ? FW_WHY_RESERVED : FW_WHY_UNSUPPORTED;
}

uint8_t fw_accept(const char *layout, const struct fw_bits *accepts, const uint8_t *in,
		  size_t len)
{
	uint8_t left[FW_MAX_INBOX];

	memcpy(left, in, len);
	return leaves(accepts, left, len) ? why(prm_struct(layout), left, len) : 0;
}

uint8_t fw_accept_inbox(const struct fw_command *cmd, const uint8_t *in, size_t in_len)
{
	uint8_t left[FW_MAX_INBOX];

	memcpy(left, in, cmd->in_len);
	clear(left, opcode_and_uid);
	/* After the inbox of a command without a list everything is zero. */
	if (!cmd->list && set_in(in + cmd->in_len, in_len - cmd->in_len))
		return FW_WHY_RESERVED;
	return leaves(cmd->accepts, left, cmd->in_len)
		       ? why(prm_cmd(core_be16(in))->in, left, cmd->in_len)
		       : 0;
}
