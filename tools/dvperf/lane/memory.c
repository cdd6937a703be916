/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of a lane: what its WQEs name, and what those of the peer reach.
 *
 *	send   a slot per WQE of a batch, or one for all if they are large
 *	recv   the same for the peer's WQEs; of a walk (walk.h): all of --remote-size; of mmo where
 *	       this side's WQEs copy to, and opaque, where the device writes their status
 *
 * With --dm both are the device's. An inline payload is read by the CPU, and stays in its
 * memory.
 */
#include <endian.h>

#include "base/base.h"
#include "lane.h"

enum {
	/* up to this many bytes in total each WQE of a batch has its own slot */
	SLOTS_BYTES = 1 << 16,
	LINE = 64,
	WORD = 4,
};

static uint64_t slot_of(const struct options *o)
{
	uint64_t size = o->size ? o->size : 1;

	return (size + LINE - 1) / LINE * LINE;
}

/* From one slot to the next; 0: there is one. */
static uint64_t stride_of(const struct options *o)
{
	uint64_t slot = slot_of(o);

	return slot * o->batch <= SLOTS_BYTES ? slot : 0;
}

static size_t slots_of(const struct options *o)
{
	return stride_of(o) ? slot_of(o) * o->batch : slot_of(o);
}

static bool send_is_host(const struct options *o)
{
	return o->dm && options_is_inline(o);
}

static size_t send_bytes(const struct options *o, unsigned int role)
{
	return role & LANE_POSTS ? slots_of(o) : 0;
}

static size_t recv_bytes(const struct options *o, unsigned int role)
{
	/* receives all take the same place; of UD, with a GRH before it */
	size_t receives = slot_of(o) + (o->service == SERVICE_UD ? LINE : 0);
	size_t reached = o->remote == REMOTE_FIXED ? slots_of(o) : o->remote_size;

	if (!(role & LANE_RECEIVES))
		receives = 0;
	if (!(role & LANE_IS_REACHED) || o->op == OP_SEND)
		reached = 0;
	return receives > reached ? receives : reached;
}

/* dv/mmo.h: 64 bytes, aligned. libmlx5 has its own. */
static size_t opaque_bytes(const struct options *o)
{
	return options_copies(o) && o->api == API_DIRECT ? LINE : 0;
}

void lane_plan_memory(struct memory *m, unsigned int role)
{
	memory_plan(m, recv_bytes(m->o, role));
	memory_plan(m, opaque_bytes(m->o));
	if (!send_is_host(m->o))
		memory_plan(m, send_bytes(m->o, role));
}

void lane_take_memory(struct lane *l, const struct device *dev, const struct lane_place *place)
{
	const struct options *o = l->o;
	size_t bytes = send_bytes(o, place->role);

	l->op.stride = stride_of(o);
	l->op.walk = walk_new(o->remote, o->size, o->remote_size);
	if (bytes && (!dev || send_is_host(o)))
		l->mem.send = l->mem.host_send = pages_get(o, bytes);
	l->op.sge = (struct ibv_sge){ (uintptr_t)l->mem.send, o->size, 0 };
	if (!dev)
		return;
	l->mem.memory = place->memory;
	if (!l->mem.memory) {
		l->mem.own = memory_new(o);
		l->mem.memory = &l->mem.own;
		lane_plan_memory(l->mem.memory, place->role);
		memory_open(l->mem.memory, dev);
	}
	l->mem.mr = l->mem.memory->mr;
	l->mem.recv = memory_take(l->mem.memory, recv_bytes(o, place->role));
	l->mem.recv_addr = memory_address(l->mem.memory, l->mem.recv);
	l->op.opaque.addr = (uintptr_t)memory_take(l->mem.memory, opaque_bytes(o));
	l->op.opaque.lkey = l->mem.mr->lkey;
	if (!send_is_host(o)) {
		l->mem.send = memory_take(l->mem.memory, bytes);
		l->op.sge.addr = memory_address(l->mem.memory, l->mem.send);
	}
	l->op.sge.lkey = l->mem.mr->lkey;
}

void lane_drop_memory(struct lane *l)
{
	if (l->mem.host_send)
		pages_put(l->o, l->mem.host_send, send_bytes(l->o, LANE_POSTS));
	if (l->mem.host_rings)
		pages_put(l->o, l->mem.host_rings, l->mem.host_rings_bytes);
	if (l->mem.memory == &l->mem.own)
		memory_close(&l->mem.own);
}

/* ---- the last byte of a message ---- */

/* For device memory the word that contains it: the device accepts no smaller accesses there
 * (mlx5_access_dm() of rdma-core checks that). */
static volatile uint32_t *last_word(const struct lane *l, char *message)
{
	return (volatile uint32_t *)(void *)(message + (l->o->size - 1) / WORD * WORD);
}

static unsigned int shift_in_word(const struct lane *l)
{
	return (l->o->size - 1) % WORD * 8;
}

static void put(struct lane *l, char *message, bool is_dm, uint8_t mark)
{
	uint32_t fill = MEMORY_FILL * 0x01010101u, shift = shift_in_word(l);

	if (!is_dm) {
		((volatile uint8_t *)message)[l->o->size - 1] = mark;
		return;
	}
	*last_word(l, message) = htole32((fill & ~(0xffu << shift)) | (uint32_t)mark << shift);
	DV_BARRIER_MMIO(); /* the mapping is write-combining: before the doorbell */
}

void lane_mark(struct lane *l, uint8_t mark)
{
	put(l, l->mem.send, l->mem.memory->dm && !l->mem.host_send, mark);
}

void lane_clear_mark(struct lane *l)
{
	if (l->op.kind == OP_WRITE)
		put(l, l->mem.recv, l->mem.memory->dm, 0);
}

bool lane_has_mark(const struct lane *l, uint8_t mark)
{
	if (!l->mem.memory->dm)
		return ((volatile uint8_t *)l->mem.recv)[l->o->size - 1] == mark;
	return (uint8_t)(le32toh(*last_word(l, l->mem.recv)) >> shift_in_word(l)) == mark;
}
