/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command queue (PRM, "Command Interface"; mlx5_core, cmd.c). An entry is a command: the
 * first 16 bytes of its boxes are in it, the rest in lists of mailboxes.
 *
 *	entry    | type | input length, mailboxes | 16 bytes | 16 bytes | mailboxes, output length | token …
 *	mailbox  | 512 bytes | next, block number, token, signatures      block numbers 0, 1, 2 …
 *
 * Software sets the bit ownership and rings; it gets the entry back with the outbox, and with
 * how the command was delivered. A command that was not delivered was not executed. An entry
 * that cannot be read or written at all, or that is software's, stays as it is.
 *
 * Signatures are checked and made as the capability cmdif_checksum says: the exclusive or of
 * all bytes is 0xff.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "pci/inside.h"
#include "prm/prm.h"

#define ENTRY	   PRM_SZ(cmd_queue_entry)
#define INLINE	   16u
#define DATA	   512u
#define BOX	   PRM_SZ(cmd_if_box)
#define TYPE_PCI   7 /* MLX5_PCI_CMD_XPORT */
#define LONGEST	   (1u << 20)
#define UNALIGNED  0x1ffu /* of a pointer to the first mailbox */
#define AT_IN_LOW  0x0cu  /* of an entry */
#define AT_OUT_LOW 0x34u

/* cmd_queue_entry.status: MLX5_CMD_DELIVERY_STAT_* */
enum delivery {
	DELIVERED = 0x00,
	WRONG_SIGNATURE = 0x01,
	WRONG_TOKEN = 0x02,
	WRONG_BLOCK = 0x03,
	OUT_ALIGNMENT = 0x04,
	IN_ALIGNMENT = 0x05,
	FIRMWARE_ERROR = 0x06, /* a mailbox cannot be read or written */
	IN_LENGTH = 0x07,
	OUT_LENGTH = 0x08,
	WRONG_DESCRIPTOR = 0x10,
};

/* cmd_hca_cap.cmdif_checksum */
enum checksum { MAKE = 1, CHECK = 2 };

struct command {
	struct pci *p;
	uint64_t at; /* bus address of the entry */
	uint8_t entry[ENTRY];
	uint8_t *in, *out;
	uint32_t in_len, out_len;
};

static uint8_t xor_of(const uint8_t *bytes, size_t len)
{
	uint8_t x = 0;

	while (len)
		x ^= bytes[--len];
	return x;
}

static bool wants(const struct pci *p, enum checksum what)
{
	return PRM_GET(cmd_hca_cap, p->hca.caps[PRM_CAP_GENERAL], cmdif_checksum) & what;
}

/* The mailboxes that hold @len bytes, without those in the entry. */
static uint32_t boxes(uint32_t len)
{
	return len > INLINE ? (len - INLINE + DATA - 1) / DATA : 0;
}

/* Box @n of a list, at @bus. */
static enum delivery check_box(const struct command *c, const uint8_t *box, uint32_t n)
{
	if (PRM_GET(cmd_if_box, box, token) != PRM_GET(cmd_queue_entry, c->entry, token))
		return WRONG_TOKEN;
	if (PRM_GET(cmd_if_box, box, block_number) != n)
		return WRONG_BLOCK;
	return DELIVERED;
}

static uint64_t next_of(const uint8_t *box)
{
	return PRM_GET(cmd_if_box, box, next_pointer_63_32) << 32 |
	       PRM_GET(cmd_if_box, box, next_pointer_31_10) << 10;
}

static uint64_t in_boxes(const struct command *c)
{
	return PRM_GET(cmd_queue_entry, c->entry, input_mailbox_pointer_63_32) << 32 |
	       PRM_GET(cmd_queue_entry, c->entry, input_mailbox_pointer_31_9) << 9;
}

static uint64_t out_boxes(const struct command *c)
{
	return PRM_GET(cmd_queue_entry, c->entry, output_mailbox_pointer_63_32) << 32 |
	       PRM_GET(cmd_queue_entry, c->entry, output_mailbox_pointer_31_9) << 9;
}

static enum delivery read_inbox(struct command *c)
{
	uint64_t at = in_boxes(c);

	memcpy(c->in, PRM_ADDR(cmd_queue_entry, c->entry, command_input_inline_data),
	       c->in_len < INLINE ? c->in_len : INLINE);
	for (uint32_t n = 0, all = boxes(c->in_len); n < all; n++) {
		uint32_t from = INLINE + n * DATA, left = c->in_len - from;
		enum delivery d;
		uint8_t box[BOX];

		if (!core_bus_read(box, at, sizeof(box)))
			return FIRMWARE_ERROR;
		d = check_box(c, box, n);
		if (d == DELIVERED && wants(c->p, CHECK) && xor_of(box, sizeof(box)) != 0xff)
			d = WRONG_SIGNATURE;
		if (d != DELIVERED)
			return d;
		memcpy(c->in + from, box, left < DATA ? left : DATA);
		at = next_of(box);
	}
	return DELIVERED;
}

/* Before the command is executed. */
static enum delivery check_outbox(const struct command *c)
{
	uint64_t at = out_boxes(c);

	for (uint32_t n = 0, all = boxes(c->out_len); n < all; n++) {
		enum delivery d;
		uint8_t box[BOX];

		if (!core_bus_read(box, at, sizeof(box)))
			return FIRMWARE_ERROR;
		d = check_box(c, box, n);
		if (d != DELIVERED)
			return d;
		at = next_of(box);
	}
	return DELIVERED;
}

/* ctrl_signature covers what follows the data, signature the whole mailbox. */
static void sign_box(uint8_t *box)
{
	PRM_SET(cmd_if_box, box, ctrl_signature, 0);
	PRM_SET(cmd_if_box, box, signature, 0);
	PRM_SET(cmd_if_box, box, ctrl_signature, (uint8_t)~xor_of(box + DATA, BOX - DATA));
	PRM_SET(cmd_if_box, box, signature, (uint8_t)~xor_of(box, BOX));
}

static enum delivery write_outbox(struct command *c)
{
	uint64_t at = out_boxes(c);

	memcpy(PRM_ADDR(cmd_queue_entry, c->entry, command_output_inline_data), c->out,
	       c->out_len < INLINE ? c->out_len : INLINE);
	for (uint32_t n = 0, all = boxes(c->out_len); n < all; n++) {
		uint32_t from = INLINE + n * DATA, left = c->out_len - from;
		uint8_t box[BOX];

		if (!core_bus_read(box, at, sizeof(box)))
			return FIRMWARE_ERROR;
		memcpy(box, c->out + from, left < DATA ? left : DATA);
		if (wants(c->p, MAKE))
			sign_box(box);
		if (!core_bus_write(at, box, sizeof(box)))
			return FIRMWARE_ERROR;
		at = next_of(box);
	}
	return DELIVERED;
}

static enum delivery check_entry(const struct command *c)
{
	if (wants(c->p, CHECK) && xor_of(c->entry, ENTRY) != 0xff)
		return WRONG_SIGNATURE;
	if (PRM_GET(cmd_queue_entry, c->entry, type) != TYPE_PCI)
		return WRONG_DESCRIPTOR;
	if (c->in_len > LONGEST)
		return IN_LENGTH;
	if (c->out_len > LONGEST)
		return OUT_LENGTH;
	if (boxes(c->in_len) && core_be32(c->entry + AT_IN_LOW) & UNALIGNED)
		return IN_ALIGNMENT;
	if (boxes(c->out_len) && core_be32(c->entry + AT_OUT_LOW) & UNALIGNED)
		return OUT_ALIGNMENT;
	return DELIVERED;
}

static enum delivery deliver(struct command *c)
{
	enum delivery d = check_entry(c);

	if (d != DELIVERED)
		return d;
	c->in = calloc(1, (size_t)c->in_len + c->out_len + 1);
	if (!c->in)
		return FIRMWARE_ERROR;
	c->out = c->in + c->in_len;
	d = read_inbox(c);
	if (d == DELIVERED)
		d = check_outbox(c);
	if (d == DELIVERED) {
		fw_exec(&c->p->hca, c->in, c->in_len, c->out, c->out_len);
		d = write_outbox(c);
	}
	free(c->in);
	return d;
}

/* The byte with the bit ownership becomes visible last. */
static void give_back(struct command *c, enum delivery d)
{
	const size_t last = ENTRY - sizeof(uint16_t);
	uint16_t end;

	PRM_SET(cmd_queue_entry, c->entry, status, d);
	PRM_SET(cmd_queue_entry, c->entry, ownership, 0);
	if (wants(c->p, MAKE)) {
		PRM_SET(cmd_queue_entry, c->entry, signature, 0);
		PRM_SET(cmd_queue_entry, c->entry, signature,
			(uint8_t)~xor_of(c->entry, ENTRY));
	}
	memcpy(&end, c->entry + last, sizeof(end));
	if (core_bus_write(c->at, c->entry, last))
		core_store16(c->at + last, end);
}

static void execute(struct pci *p, uint32_t index)
{
	struct command c = { .p = p, .at = p->cmdq + ((uint64_t)index << PCI_LOG_ENTRY) };
	bool evented = event_cmd_wanted(&p->hca);

	if (!core_bus_read(c.entry, c.at, ENTRY) ||
	    !PRM_GET(cmd_queue_entry, c.entry, ownership))
		return;
	c.in_len = PRM_GET(cmd_queue_entry, c.entry, input_length);
	c.out_len = PRM_GET(cmd_queue_entry, c.entry, output_length);
	give_back(&c, deliver(&c));
	/* Whose event queue was made by this command does not wait for its event. */
	if (evented)
		event_cmd(&p->hca, 1u << index);
}

void pci_cmdq_ring(struct pci *p, uint32_t vector)
{
	if (!p->cmdq || p->nic_state || p->hung_since || !pci_is_master(p))
		return;
	for (uint32_t i = 0; i < PCI_COMMANDS; i++)
		if (vector >> i & 1)
			execute(p, i);
}
