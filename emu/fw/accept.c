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
	for (; bit + 8 <= end; bit += 8)
		in[bit / 8] = 0;
	for (; bit < end; bit++)
		in[bit / 8] &= ~(0x80 >> bit % 8);
}

static bool set_in(const uint8_t *in, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (in[i])
			return true;
	return false;
}

uint8_t fw_accept(const struct prm_struct *layout, const struct fw_bits *accepts,
		  const uint8_t *in, size_t len)
{
	uint8_t left[FW_MAX_INBOX];
	size_t bit;

	memcpy(left, in, len);
	for (; accepts && accepts->width; accepts++)
		clear(left, *accepts);
	if (!set_in(left, len))
		return 0;
	return prm_unnamed(layout, left, len, &bit) ? FW_WHY_RESERVED : FW_WHY_UNSUPPORTED;
}

uint8_t fw_accept_inbox(const struct fw_command *cmd, const uint8_t *in, size_t in_len)
{
	uint8_t head[FW_MAX_INBOX];

	memcpy(head, in, cmd->in_len);
	clear(head, opcode_and_uid);
	/* After the inbox of a command without a list everything is zero. */
	if (!cmd->list && set_in(in + cmd->in_len, in_len - cmd->in_len))
		return FW_WHY_RESERVED;
	return fw_accept(prm_cmd(core_be16(in))->in, cmd->accepts, head, cmd->in_len);
}
