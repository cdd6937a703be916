/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One thing that no honest machine does:
 *
 *	command    of the session, or any that the firmware has; fields, addresses, lengths
 *	delivery   bytes of the entry and of its mailboxes
 *	doorbell   rings, records, UAR pages, the command queue's bell
 *	function   registers, configuration space, memory that goes away, resets
 *
 * A command that was delivered has a status that firmware gives.
 */
#include "fuzz/status.h"
#include "fuzz_pci.h"
#include "fw/command.h"

#define OPCODES 0x1000u

struct tally tally;
static bool torn_down; /* the next one needs another session */

/* ---- numbers and addresses ---- */

static uint64_t some_address(void)
{
	uint32_t page = below(TWIN_PAGES);

	switch (below(9)) {
	case 0:
		return guest_bus(TWIN, TWIN_PAGES); /* right after the last byte */
	case 1:
		return guest_bus(TWIN, TWIN_PAGES) - below(PAGE);
	case 2:
		return guest_bus(TWIN, 0) - PAGE;
	case 3:
		return guest_bus(FIXED, below(FEW_PAGES + 1));
	case 4:
		return guest_bus(CLOSED, below(FEW_PAGES));
	case 5:
		return (uintptr_t)guest_at(TWIN, page); /* the process's, not the bus's */
	case 6:
		return guest_bus(HOME, PAGES / PAGE + below(16)); /* the firmware's */
	case 7:
		return odd_number() << (one_in(2) ? 12 : 0);
	default:
		return guest_bus(TWIN, page) | (one_in(3) ? below(PAGE) : 0);
	}
}

static uint32_t some_number(void)
{
	uint32_t all[sizeof(numbers) / sizeof(uint32_t)];

	memcpy(all, &numbers, sizeof(all));
	return PICK(all) + (one_in(8) ? below(3) : 0);
}

/* ---- commands ---- */

static void spoil_field(struct command *c)
{
	const struct fw_command *cmd = fw_command(c->opcode);
	const struct fw_bits *f;
	unsigned int n = 0;

	while (cmd && cmd->accepts && cmd->accepts[n].width)
		n++;
	if (!n)
		return;
	f = &cmd->accepts[below(n)];
	if (f->width > 64 || f->first + f->width > c->in_len * 8)
		return;
	prm_store(c->in, f->first, f->width,
		  f->width >= 32 && one_in(2) ? some_address()
		  : one_in(2)		      ? some_number()
					      : odd_number());
}

/* An element of the list after the inbox, or any 8 bytes. */
static void spoil_address(struct command *c)
{
	const struct prm_cmd *cmd = prm_cmd(c->opcode);
	size_t from = cmd && cmd->in->bytes + 8 <= c->in_len ? cmd->in->bytes : 8;

	if (from + 8 > c->in_len)
		return;
	prm_store(c->in + from + below((uint32_t)((c->in_len - from) / 8)) * 8, 0, 64,
		  some_address());
}

static void any_command(struct command *c)
{
	const struct prm_cmd *cmd;

	memset(c, 0, sizeof(*c));
	c->opcode = below(OPCODES);
	while (!fw_command(c->opcode))
		c->opcode = (c->opcode + 1) % OPCODES;
	cmd = prm_cmd(c->opcode);
	c->in_len = cmd && cmd->in->bytes < BOX ? cmd->in->bytes : 16;
	c->out_len = cmd && cmd->out->bytes < BOX ? cmd->out->bytes : 16;
	PRM_SET(mbox_in, c->in, opcode, c->opcode);
	if (one_in(2))
		prm_store(c->in, 64, 32, some_number());
	for (uint32_t n = below(6); n; n--)
		spoil_field(c);
}

static void make_command(struct command *c)
{
	if (one_in(4))
		any_command(c);
	else
		*c = session[below(nsession)];
	for (uint32_t n = below(4); n; n--) {
		if (one_in(2))
			spoil_field(c);
		else if (one_in(2))
			spoil_address(c);
		else
			spoil(c->in, c->in_len);
	}
	if (one_in(24))
		c->in_len = below(BOX);
	if (one_in(24))
		c->out_len = one_in(2) ? below(BOX) : below(20);
}

/* An honest entry is given back. */
static void wrong_command(void)
{
	uint8_t delivery, out[BOX] = { 0 };
	struct command c;

	make_command(&c);
	guest_fill(&c);
	guest_ring(1);
	FUZZ_CHECK(guest_taken(&delivery, out, c.out_len), "command 0x%x does not end",
		   c.opcode);
	FUZZ_CHECK(!delivery, "command 0x%x is not delivered: 0x%x", c.opcode, delivery);
	if (!c.out_len)
		return;
	FUZZ_CHECK(firmware_says(out[0]), "command 0x%x: status 0x%x", c.opcode, out[0]);
	tally.executed += !out[0];
	tally.refused += !!out[0];
	torn_down |= out[0] == FW_BAD_SYS_STATE;
}

/* ---- delivery ---- */

/* The mailboxes' pointers are at 8 and 48 of the entry, at 560 of a mailbox. */
static void spoil_pointer(uint8_t *at)
{
	prm_store(at, 0, 64, one_in(2) ? some_address() & ~0x1ffull : odd_number());
}

static void wrong_delivery(void)
{
	uint8_t *entry = guest_at(HOME, 0) + CMDQ, delivery, out[BOX] = { 0 }, *box;
	struct command c;

	make_command(&c);
	guest_fill(&c);
	box = guest_box(one_in(2), below(4));
	switch (below(6)) {
	case 0:
		spoil(entry, 64);
		break;
	case 1:
		spoil_pointer(entry + (one_in(2) ? 8 : 48));
		break;
	case 2:
		spoil_pointer(box + 560);
		break;
	case 3:
		prm_store(entry + (one_in(2) ? 4 : 56), 0, 32, odd_number()); /* lengths */
		break;
	case 4:
		prm_store(box + 560, 0, 64, guest_bus(HOME, 0) + IN); /* a circle */
		break;
	default:
		spoil(box + 560, 16);
	}
	guest_ring(one_in(4) ? (uint32_t)odd_number() : 1);
	if (guest_taken(&delivery, out, 16))
		tally.undelivered += !!delivery;
}

/* ---- doorbells ---- */

static void wrong_doorbell(void)
{
	static const uint32_t places[] = { 0x20, 0x40, 0x48, 0x800, 0x900, 0xa00 };
	static const uint32_t lens[] = { 4, 8, 64 };
	uint32_t offset = one_in(4) ? below(PAGE / 4) * 4 : PICK(places), len = PICK(lens);
	uint8_t bytes[64], *ring = guest_at(TWIN, EQ_AT + below(RECORDS - EQ_AT));
	uint32_t uar = one_in(8) ? below(4096) : numbers.uar;

	if (one_in(2))
		session_post(one_in(4) ? numbers.mkey : numbers.bus_mkey,
			     one_in(2) ? some_address() : guest_bus(TWIN, FROM),
			     one_in(2) ? some_address() : guest_bus(TWIN, TO), below(2 * PAGE));
	if (one_in(4))
		spoil(ring, PAGE);
	if (one_in(8))
		spoil(guest_at(TWIN, RECORDS), 256);
	memcpy(bytes, ring + below(PAGE / 64) * 64, sizeof(bytes));
	if (one_in(2))
		prm_store(bytes, 0, 64, (uint64_t)odd_number() << 32 | some_number() << 8);
	if (one_in(4))
		spoil(bytes, sizeof(bytes));
	guest_write(BAR0, (uint64_t)uar * PAGE + offset, bytes, len);
	tally.doorbells++;
	torn_down |= one_in(8); /* the QP may be in error */
}

/* ---- the function ---- */

static void wrong_access(void)
{
	uint64_t value = odd_number();
	uint32_t region = one_in(2) ? BAR0 : CONFIG;
	bool reset = one_in(4);

	switch (below(6)) {
	case 0:
		guest_write(region, one_in(2) ? below(PAGE) : odd_number(), &value,
			    1 + below(8));
		break;
	case 1:
		guest_read(region, one_in(2) ? below(PAGE) : odd_number(),
			   one_in(4) ? (uint32_t)odd_number() : 1 + below(64));
		break;
	case 2:
		if (!guest_unmap(TWIN)) {
			wrong_doorbell();
			wrong_command();
			FUZZ_CHECK(!guest_map(TWIN), "its memory cannot be mapped again");
		}
		break;
	case 3: {
		uint32_t set[5] = { 20, 1u << below(6) | 1u << below(6), below(5),
				    (uint32_t)odd_number(), (uint32_t)odd_number() };

		guest_ask(8, set, sizeof(set), -1);
		break;
	}
	case 4: {
		uint8_t any[40];

		chance_bytes(any, sizeof(any));
		guest_ask(4 + below(5), any, below(sizeof(any)), -1);
		break;
	}
	default:
		value = some_address();
		guest_write(BAR0, 0x14, &value, 4);
		guest_ring((uint32_t)odd_number());
	}
	guest_master();
	torn_down |= reset;
}

void hostile(void)
{
	tally.cases++;
	switch (below(16)) {
	case 0:
	case 1:
	case 2:
		wrong_delivery();
		break;
	case 3:
	case 4:
	case 5:
		wrong_doorbell();
		break;
	case 6:
		if (one_in(4)) {
			wrong_access();
			break;
		} /* fallthrough */
	default:
		wrong_command();
	}
	if (torn_down)
		session_begin();
	torn_down = false;
}
