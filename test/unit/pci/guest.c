/* SPDX-License-Identifier: BSD-2-Clause */
/* The virtual machine, see guest.h. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest.h"
#include "lib/send_fd.h"

static void put32(uint8_t *at, uint32_t v)
{
	at[0] = v >> 24;
	at[1] = v >> 16;
	at[2] = v >> 8;
	at[3] = v;
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

static void put64(uint8_t *at, uint64_t v)
{
	put32(at, v >> 32);
	put32(at + 4, (uint32_t)v);
}

void guest_open(struct guest *g)
{
	static struct options o;
	struct pci_config c = { .options = &o };
	char why[200] = "";
	int ends[2];

	memset(g, 0, sizeof(*g));
	options_default(&o);
	snprintf(o.fabric, sizeof(o.fabric), "pci-test-%d", getpid());
	c.kind = fw_device_find(o.device);
	g->p = pci_open(&c, why, sizeof(why));
	cr_assert_not_null(g->p, "%s", why);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	g->fd = ends[0];
	g->other = ends[1];
	g->memory_fd = memfd_create("guest", MFD_CLOEXEC);
	cr_assert_geq(g->memory_fd, 0);
	cr_assert_eq(ftruncate(g->memory_fd, GUEST_BYTES), 0);
	g->memory =
		mmap(NULL, GUEST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, g->memory_fd, 0);
	cr_assert_neq(g->memory, MAP_FAILED);
	g->token = 0x55;
}

void guest_close(struct guest *g)
{
	munmap(g->memory, GUEST_BYTES);
	close(g->memory_fd);
	close(g->fd);
	close(g->other);
	pci_close(g->p);
}

/* struct { u16 id, command; u32 size, flags, error }: of this host's byte order */
void guest_ask(struct guest *g, uint16_t command, const void *payload, uint32_t len, int fd,
	       struct answer *a)
{
	uint8_t message[8192 + 16] = { 0 };
	uint16_t head[2] = { ++g->id, command };
	uint32_t size = 16 + len, words[4];

	memcpy(message, head, 4);
	memcpy(message + 4, &size, 4);
	if (len)
		memcpy(message + 16, payload, len);
	cr_assert_eq(send_with_fd(g->fd, message, size, fd), (ssize_t)size);
	cr_assert(pci_message(g->p, g->other));
	cr_assert_eq(recv(g->fd, words, sizeof(words), MSG_WAITALL), 16);
	cr_assert_eq(words[0], g->id | (uint32_t)command << 16,
		     "id and command are the request's");
	cr_assert_eq(words[2], words[3] ? 0x21 : 1, "a reply, with an error or without");
	a->error = words[3];
	a->len = words[1] - 16;
	cr_assert_leq(a->len, sizeof(a->bytes));
	if (a->len)
		cr_assert_eq(recv(g->fd, a->bytes, a->len, MSG_WAITALL), (ssize_t)a->len);
}

void guest_tell(struct guest *g, uint16_t command, const void *payload, uint32_t len, int fd)
{
	struct answer a;

	guest_ask(g, command, payload, len, fd, &a);
	cr_assert_eq(a.error, 0, "command %u: errno %u", command, a.error);
}

uint32_t guest_map(struct guest *g, uint64_t bus, uint64_t len, int fd, uint64_t offset)
{
	struct {
		uint32_t argsz, flags;
		uint64_t offset, addr, size;
	} map = { 32, 3, offset, bus, len };
	struct answer a;

	guest_ask(g, 2, &map, sizeof(map), fd, &a);
	return a.error;
}

uint32_t guest_unmap(struct guest *g, uint64_t bus, uint64_t len)
{
	struct {
		uint32_t argsz, flags;
		uint64_t addr, size;
	} unmap = { 24, 0, bus, len };
	struct answer a;

	guest_ask(g, 3, &unmap, sizeof(unmap), -1, &a);
	return a.error;
}

struct access {
	uint64_t offset;
	uint32_t region, count;
	uint8_t data[4096];
};

void guest_read(struct guest *g, uint32_t region, uint64_t at, void *to, uint32_t len)
{
	struct access what = { .offset = at, .region = region, .count = len };
	struct answer a;

	guest_ask(g, 9, &what, 16, -1, &a);
	cr_assert_eq(a.error, 0);
	cr_assert_eq(a.len, 16 + len);
	memcpy(to, a.bytes + 16, len);
}

void guest_write(struct guest *g, uint32_t region, uint64_t at, const void *from, uint32_t len)
{
	struct access what = { .offset = at, .region = region, .count = len };

	memcpy(what.data, from, len);
	guest_tell(g, 10, &what, 16 + len, -1);
}

uint32_t guest_read32(struct guest *g, uint64_t at)
{
	uint8_t v[4];

	guest_read(g, BAR0, at, v, 4);
	return get32(v);
}

void guest_write32(struct guest *g, uint64_t at, uint32_t value)
{
	uint8_t v[4];

	put32(v, value);
	guest_write(g, BAR0, at, v, 4);
}

void guest_boot(struct guest *g)
{
	cr_assert_eq(guest_map(g, GUEST_BASE, GUEST_BYTES, g->memory_fd, 0), 0);
	guest_enable(g);
}

void guest_enable(struct guest *g)
{
	const uint8_t master[2] = { 6, 0 }; /* memory, bus master */

	guest_write(g, CONFIG, 4, master, 2);
	guest_write32(g, 0x10, (GUEST_BASE + GUEST_CMDQ) >> 32);
	guest_write32(g, 0x14, (uint32_t)(GUEST_BASE + GUEST_CMDQ));
}

/* ---- the command queue ---- */

uint8_t *guest_entry(struct guest *g, unsigned int slot)
{
	return g->memory + GUEST_CMDQ + slot * 64;
}

uint8_t *guest_in(struct guest *g, unsigned int n)
{
	return g->memory + GUEST_IN + n * 1024;
}

uint8_t *guest_out(struct guest *g, unsigned int n)
{
	return g->memory + GUEST_OUT + n * 1024;
}

void guest_sign(uint8_t *bytes, uint32_t len, uint32_t sig)
{
	uint8_t x = 0;

	bytes[sig] = 0;
	for (uint32_t i = 0; i < len; i++)
		x ^= bytes[i];
	bytes[sig] = ~x;
}

/* 576 bytes: data, 48 reserved, next, block number, -, token, signatures */
static unsigned int fill_boxes(struct guest *g, uint8_t *(*box)(struct guest *, unsigned int),
			       const uint8_t *data, uint32_t len)
{
	unsigned int n = len > 16 ? (len - 16 + 511) / 512 : 0;

	for (unsigned int i = 0; i < n; i++) {
		uint32_t from = 16 + i * 512, left = len - from;
		uint8_t *b = box(g, i);

		memset(b, 0, 576);
		if (data)
			memcpy(b, data + from, left < 512 ? left : 512);
		if (i + 1 < n)
			put64(b + 560, GUEST_BASE + (uint64_t)(box(g, i + 1) - g->memory));
		put32(b + 568, i);
		b[573] = g->token;
		guest_sign(b, 576, 575);
	}
	return n;
}

void guest_fill(struct guest *g, unsigned int slot, const void *in, uint32_t in_len,
		uint32_t out_len)
{
	uint8_t *e = guest_entry(g, slot);

	memset(e, 0, 64);
	e[0] = 7;
	put32(e + 4, in_len);
	if (fill_boxes(g, guest_in, in, in_len))
		put64(e + 8, GUEST_BASE + GUEST_IN);
	memcpy(e + 16, in, in_len < 16 ? in_len : 16);
	if (fill_boxes(g, guest_out, NULL, out_len))
		put64(e + 48, GUEST_BASE + GUEST_OUT);
	put32(e + 56, out_len);
	e[60] = g->token;
	e[63] = 1; /* ownership */
	guest_sign(e, 64, 61);
}

void guest_ring(struct guest *g, uint32_t vector)
{
	guest_write32(g, 0x18, vector);
}

uint8_t guest_take(struct guest *g, unsigned int slot, void *out, uint32_t out_len)
{
	const uint8_t *e = guest_entry(g, slot);
	uint8_t *to = out;

	cr_assert_eq(e[63] & 1, 0, "software owns the entry again");
	memcpy(to, e + 32, out_len < 16 ? out_len : 16);
	for (uint32_t i = 0; 16 + i * 512 < out_len; i++) {
		uint32_t left = out_len - 16 - i * 512;

		memcpy(to + 16 + i * 512, guest_out(g, i), left < 512 ? left : 512);
	}
	return e[63] >> 1;
}

uint8_t guest_cmd(struct guest *g, const void *in, uint32_t in_len, void *out, uint32_t out_len)
{
	guest_fill(g, 0, in, in_len, out_len);
	guest_ring(g, 1);
	return guest_take(g, 0, out, out_len);
}

uint8_t guest_simple(struct guest *g, uint16_t opcode, uint16_t op_mod, uint32_t a, uint32_t b,
		     uint8_t out[16])
{
	uint8_t in[16] = { opcode >> 8, (uint8_t)opcode, 0, 0, 0, 0,
			   op_mod >> 8, (uint8_t)op_mod };

	put32(in + 8, a);
	put32(in + 12, b);
	cr_assert_eq(guest_cmd(g, in, sizeof(in), out, 16), 0);
	return out[0];
}

/* QUERY_PAGES, and MANAGE_PAGES with as many */
static void give_pages(struct guest *g, uint16_t stage)
{
	static uint32_t given;
	uint8_t out[16], in[16 + 8 * 64] = { 0x01, 0x08, 0, 0, 0, 0, 0, 1 };
	uint32_t n;

	if (stage == 1)
		given = 0;
	cr_assert_eq(guest_simple(g, 0x107, stage, 0, 0, out), 0);
	n = get32(out + 12);
	cr_assert_leq(n, 64);
	put32(in + 12, n);
	for (uint32_t i = 0; i < n; i++, given++)
		put64(in + 16 + i * 8, GUEST_BASE + GUEST_PAGES + ((uint64_t)given << 12));
	cr_assert_eq(guest_cmd(g, in, 16 + n * 8, out, 16), 0);
	cr_assert_eq(out[0], 0);
}

void guest_start(struct guest *g)
{
	uint8_t out[16], init[32] = { 0x01, 0x02 };

	cr_assert_eq(guest_simple(g, 0x104, 0, 0, 0, out), 0);
	give_pages(g, 1);
	give_pages(g, 2);
	cr_assert_eq(guest_cmd(g, init, sizeof(init), out, 16), 0);
	cr_assert_eq(out[0], 0);
}

struct guest g;

void guest_open_g(void)
{
	guest_open(&g);
}

void guest_close_g(void)
{
	guest_close(&g);
}
