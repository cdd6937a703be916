/* SPDX-License-Identifier: BSD-2-Clause */
/* lat of write: the last byte of a message, in memory and in the words of device memory, where
 * nothing else changes. */
#include <criterion/criterion.h>

#include <string.h>

#include "lane/lane.h"

enum { BYTES = 16 };

static char sent[BYTES] __attribute__((aligned(8))),
	received[BYTES] __attribute__((aligned(8)));

/* The only byte that is not the fill is @mark, at @at. */
static void only(const char *bytes, int at, uint8_t mark)
{
	for (int i = 0; i < BYTES; i++)
		cr_expect_eq((uint8_t)bytes[i], i == at ? mark : MEMORY_FILL, "byte %d", i);
}

Test(mark, is_the_last_byte)
{
	static struct lane l;

	for (int device = 0; device < 3; device++) /* memory; device memory; and inline */
		for (uint32_t size = 1; size <= 9; size++) {
			struct options o = { .size = size };
			struct memory memory = { .dm = device ? (struct ibv_dm *)&memory
							      : NULL };

			l = (struct lane){ .o = &o };
			l.op.kind = OP_WRITE;
			l.mem.memory = &memory;
			l.mem.send = sent;
			l.mem.host_send = device == 2 ? sent : NULL;
			l.mem.recv = received;
			memset(sent, MEMORY_FILL, BYTES);
			memset(received, MEMORY_FILL, BYTES);
			lane_mark(&l, 0x81);
			only(sent, (int)size - 1, 0x81);
			cr_expect(lane_has_mark(&l, MEMORY_FILL));
			lane_clear_mark(&l);
			only(received, (int)size - 1, 0);
			received[size - 1] = (char)0x81;
			cr_expect(lane_has_mark(&l, 0x81) && !lane_has_mark(&l, 0x80));
			l.op.kind = OP_SEND;
			lane_clear_mark(&l);
			only(received, (int)size - 1, 0x81);
		}
}
