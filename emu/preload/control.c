/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control interface of dvkit/emu.h, on top of the engine's. Exported from the preloaded
 * library, found by programs through their weak references.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dvkit/emu.h"
#include "fw/fw.h"
#include "preload/outside.h"

/* The next function that is running, from number *@i on; NULL: there is none. */
static struct boot *next(unsigned int *i)
{
	struct boot *b = NULL;

	while (!b && *i < OPTIONS_FUNCTIONS)
		b = boot_running((*i)++);
	return b;
}

/* Calls @act for each running function; ENODEV: there is no such function. */
static int each(void (*act)(struct engine *e))
{
	unsigned int i = 0;
	struct boot *b;

	if (!boot_any())
		return ENODEV;
	while ((b = next(&i)))
		act(b->engine);
	return 0;
}

int dvkit_emu_pause(void)
{
	return each(engine_pause);
}

int dvkit_emu_resume(void)
{
	return each(engine_resume);
}

bool dvkit_emu_step(void)
{
	unsigned int i = 0;
	bool moved = false;
	struct boot *b;

	while ((b = next(&i)))
		moved |= engine_step(b->engine);
	return moved;
}

static void add(struct dvkit_emu_counters *all, const struct engine_counters *e)
{
	all->iterations += e->iterations;
	all->doorbells += e->doorbells;
	all->empty_rings += e->empty_rings;
	all->shared_rings += e->shared_rings;
	all->wqes += e->wqes;
	all->cqes += e->cqes;
	all->tx_frames += e->tx_frames;
	all->rx_frames += e->rx_frames;
	all->rx_dropped += e->rx_dropped;
	all->retransmits += e->retransmits;
	all->messages += e->messages;
	all->message_bytes += e->message_bytes;
}

static void add_frames_and_commands(struct dvkit_emu_counters *all, struct boot *b)
{
	struct wire_fault_counts c;

	hca_lock(&b->hca);
	c = wire_fault_counts(b->wire);
	all->commands += b->hca.counts.commands;
	hca_unlock(&b->hca);
	all->dropped += c.frames[OPTIONS_DROP];
	all->duplicated += c.frames[OPTIONS_DUP];
	all->reordered += c.frames[OPTIONS_REORDER];
	all->delayed += c.frames[OPTIONS_DELAY];
	all->corrupted += c.frames[OPTIONS_CORRUPT];
	all->marked += c.frames[OPTIONS_ECN];
}

int dvkit_emu_query_counters(struct dvkit_emu_counters *c, size_t size)
{
	struct dvkit_emu_counters all = { 0 };
	struct engine_counters e;
	unsigned int i = 0;
	struct boot *b;

	if (!boot_any())
		return ENODEV;
	while ((b = next(&i))) {
		engine_counters(b->engine, &e);
		add(&all, &e);
		add_frames_and_commands(&all, b);
	}
	memset(c, 0, size);
	memcpy(c, &all, size < sizeof(all) ? size : sizeof(all));
	return 0;
}

/* The numbers of QPs of two functions differ. */
int dvkit_emu_retire(uint32_t qpn)
{
	unsigned int i = 0;
	struct boot *b;
	int err = ENODEV;

	while ((b = next(&i)) && (err == ENODEV || err == ENOENT))
		err = engine_retire(b->engine, qpn);
	return err;
}

int dvkit_emu_faults(const char *text)
{
	unsigned int i = 0;
	struct boot *b;
	int err = ENODEV;

	while ((b = next(&i)) && (!err || err == ENODEV)) {
		hca_lock(&b->hca);
		err = outside_faults(b, text);
		hca_unlock(&b->hca);
	}
	return err;
}

static void link_down(struct engine *e)
{
	engine_link(e, false);
}

static void link_up(struct engine *e)
{
	engine_link(e, true);
}

int dvkit_emu_link(bool up)
{
	return each(up ? link_up : link_down);
}

int dvkit_emu_fail_qp(uint32_t qpn)
{
	unsigned int i = 0;
	struct boot *b;
	int err = ENODEV;

	while ((b = next(&i)) && (err == ENODEV || err == ENOENT))
		err = engine_fail_qp(b->engine, qpn);
	return err;
}

int dvkit_emu_fail_command(unsigned int nth, uint8_t status, uint32_t syndrome)
{
	unsigned int i = 0;
	struct boot *b;
	int err = ENODEV;

	if (nth && !status)
		return EINVAL;
	while ((b = next(&i))) {
		hca_lock(&b->hca);
		b->hca.refusal = (struct hca_refusal){ .nth = nth,
						       .status = status,
						       .syndrome = syndrome };
		hca_unlock(&b->hca);
		err = 0;
	}
	return err;
}

int dvkit_emu_fail_device(void)
{
	unsigned int i = 0;
	struct boot *b;
	int err = ENODEV;

	while ((b = next(&i))) {
		hca_lock(&b->hca);
		uverbs_fail(b->uverbs);
		hca_unlock(&b->hca);
		err = 0;
	}
	return err;
}

bool dvkit_emu_executes(uint16_t opcode)
{
	return fw_executes(opcode);
}

/* Separates the texts of two functions; returns the length. */
static size_t separate(char *text, size_t size)
{
	size_t len = strlen(text);

	if (len)
		snprintf(text + len, size - len, "; ");
	return len + strlen(text + len);
}

uint32_t dvkit_emu_objects(char *text, size_t size)
{
	bool wanted = text && size;
	unsigned int i = 0;
	struct boot *b;
	uint32_t n = 0;

	if (wanted)
		*text = 0;
	while ((b = next(&i))) {
		size_t at = wanted ? separate(text, size) : 0;

		hca_lock(&b->hca);
		n += hca_objects_count(&b->hca, wanted ? text + at : NULL,
				       wanted ? size - at : 0);
		hca_unlock(&b->hca);
	}
	return n;
}
