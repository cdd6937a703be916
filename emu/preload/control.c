/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control interface of dvkit/emu.h, on top of the engine's. Exported from the preloaded
 * library, found by programs through their weak references.
 */
#include <errno.h>
#include <string.h>

#include "dvkit/emu.h"
#include "fw/fw.h"
#include "preload/boot.h"

int dvkit_emu_pause(void)
{
	struct boot *b = boot_running();

	if (!b)
		return ENODEV;
	engine_pause(b->engine);
	return 0;
}

int dvkit_emu_resume(void)
{
	struct boot *b = boot_running();

	if (!b)
		return ENODEV;
	engine_resume(b->engine);
	return 0;
}

bool dvkit_emu_step(void)
{
	struct boot *b = boot_running();

	return b && engine_step(b->engine);
}

int dvkit_emu_counters(struct dvkit_emu_counters *c, size_t size)
{
	struct boot *b = boot_running();
	struct dvkit_emu_counters all;
	struct engine_counters e;

	if (!b)
		return ENODEV;
	engine_counters(b->engine, &e);
	all = (struct dvkit_emu_counters){
		.iterations = e.iterations,
		.doorbells = e.doorbells,
		.empty_rings = e.empty_rings,
		.shared_rings = e.shared_rings,
		.wqes = e.wqes,
		.cqes = e.cqes,
		.tx_frames = e.tx_frames,
		.rx_frames = e.rx_frames,
		.rx_dropped = e.rx_dropped,
		.retransmits = e.retransmits,
	};
	memset(c, 0, size);
	memcpy(c, &all, size < sizeof(all) ? size : sizeof(all));
	return 0;
}

int dvkit_emu_retire(uint32_t qpn)
{
	struct boot *b = boot_running();

	return b ? engine_retire(b->engine, qpn) : ENODEV;
}

bool dvkit_emu_executes(uint16_t opcode)
{
	return fw_executes(opcode);
}

uint32_t dvkit_emu_objects(char *text, size_t size)
{
	struct boot *b = boot_running();
	uint32_t n;

	if (text && size)
		*text = 0;
	if (!b)
		return 0;
	hca_lock(&b->hca);
	n = hca_objects_count(&b->hca, text, size);
	hca_unlock(&b->hca);
	return n;
}
