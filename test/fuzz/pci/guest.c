/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine, see fuzz_pci.h. Its messages are handled in the same thread. */
#include <endian.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz_pci.h"
#include "lib/send_fd.h"
#include "pci/pci.h"

#define HOME_BUS   0x6543210000ull   /* no number that chance likes */
#define TWIN_BUS   0x150000000000ull /* an address that a process can have, too */
#define FIXED_BUS  0x7000000000ull
#define CLOSED_BUS 0x7100000000ull
#define UNTOUCHED  0xa5
#define MESSAGE	   (1u << 17)

enum { HEAD = 16, MAP = 2, UNMAP = 3, READ = 9, WRITE = 10, RESET = 13 };

static struct memory {
	uint64_t bus;
	uint32_t pages, rights; /* 1: read, 2: write */
	int fd;
	uint8_t *at; /* this machine's mapping, with a page before and after it */
} memory[AREAS] = {
	[HOME] = { HOME_BUS, HOME_PAGES, 3, -1, NULL },
	[TWIN] = { TWIN_BUS, TWIN_PAGES, 3, -1, NULL },
	[FIXED] = { FIXED_BUS, FEW_PAGES, 1, -1, NULL },
	[CLOSED] = { CLOSED_BUS, FEW_PAGES, 0, -1, NULL },
};

static struct pci *pci;
static int ends[2];
static uint8_t *twin; /* the process's memory at TWIN_BUS */
static uint8_t reply[MESSAGE];
static uint16_t message_id;

/* ---- the function's mappings ---- */

static bool guarded;
static uint8_t *guards[2 * AREAS]; /* the last ones */
static unsigned int nguards;

void *__real_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset);

/* A mapping of the function's between two other pages, which stay. */
void *__wrap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	uint8_t *all;

	if (!guarded || at || fd < 0)
		return __real_mmap(at, len, prot, flags, fd, offset);
	all = __real_mmap(NULL, len + 2 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return MAP_FAILED;
	for (unsigned int i = 0; i < 2; i++) {
		guards[nguards % (2 * AREAS)] = all + i * (PAGE + len);
		memset(guards[nguards++ % (2 * AREAS)], UNTOUCHED, PAGE);
	}
	return __real_mmap(all + PAGE, len, prot, flags | MAP_FIXED, fd, offset);
}

/* ---- memory ---- */

static size_t bytes_of(const struct memory *m)
{
	return (m->pages + 2) * (size_t)PAGE;
}

static void make_memory(struct memory *m)
{
	m->fd = memfd_create("guest", MFD_CLOEXEC);
	FUZZ_CHECK(m->fd >= 0 && !ftruncate(m->fd, (off_t)bytes_of(m)), "no memory");
	m->at = mmap(NULL, bytes_of(m), PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	FUZZ_CHECK(m->at != MAP_FAILED, "no memory");
	memset(m->at, UNTOUCHED, bytes_of(m));
}

uint64_t guest_bus(enum area a, uint32_t page)
{
	return memory[a].bus + (uint64_t)page * PAGE;
}

uint8_t *guest_at(enum area a, uint32_t page)
{
	return memory[a].at + (page + 1) * (size_t)PAGE;
}

static void check(const char *what, const uint8_t *at, size_t len)
{
	FUZZ_CHECK(at[0] == UNTOUCHED && !memcmp(at, at + 1, len - 1), "%s: it was written",
		   what);
}

void guest_check(void)
{
	for (int a = 0; a < AREAS; a++) {
		check("before the memory", memory[a].at, PAGE);
		check("after the memory", guest_at(a, memory[a].pages), PAGE);
	}
	for (unsigned int i = 0; i < 2 * AREAS; i++)
		check("beside a mapping", guards[i], PAGE);
	check("read-only memory", guest_at(FIXED, 0), FEW_PAGES * PAGE);
	check("closed memory", guest_at(CLOSED, 0), FEW_PAGES * PAGE);
	check("memory of the process", twin, TWIN_PAGES * PAGE);
}

/* ---- messages ---- */

uint32_t guest_ask(uint16_t command, const void *payload, uint32_t len, int fd)
{
	static uint8_t message[MESSAGE];
	uint16_t head[2] = { ++message_id, command };
	uint32_t size = HEAD + len, words[4];

	memcpy(message, head, sizeof(head));
	memcpy(message + sizeof(head), &size, sizeof(size));
	if (len)
		memcpy(message + HEAD, payload, len);
	FUZZ_CHECK(send_with_fd(ends[0], message, size, fd) == (ssize_t)size, "sendmsg");
	FUZZ_CHECK(pci_message(pci, ends[1]), "message %u ends the connection", command);
	FUZZ_CHECK(recv(ends[0], words, sizeof(words), MSG_WAITALL) == sizeof(words),
		   "no reply");
	size = words[1] - HEAD;
	FUZZ_CHECK(size <= sizeof(reply), "reply of %u bytes", words[1]);
	FUZZ_CHECK(!size || recv(ends[0], reply, size, MSG_WAITALL) == (ssize_t)size,
		   "short reply");
	return words[3];
}

struct access {
	uint64_t offset;
	uint32_t region, count;
	uint8_t data[PAGE];
};

void guest_write(uint32_t region, uint64_t at, const void *from, uint32_t len)
{
	struct access what = { .offset = at, .region = region, .count = len };

	memcpy(what.data, from, len);
	guest_ask(WRITE, &what, (uint32_t)offsetof(struct access, data) + len, -1);
}

void guest_read(uint32_t region, uint64_t at, uint32_t len)
{
	struct access what = { .offset = at, .region = region, .count = len };

	guest_ask(READ, &what, offsetof(struct access, data), -1);
}

uint32_t guest_map(enum area a)
{
	const struct memory *m = &memory[a];
	struct {
		uint32_t argsz, flags;
		uint64_t offset, addr, size;
	} map = { 32, m->rights, PAGE, m->bus, m->pages * (uint64_t)PAGE };

	return guest_ask(MAP, &map, sizeof(map), m->fd);
}

uint32_t guest_unmap(enum area a)
{
	struct {
		uint32_t argsz, flags;
		uint64_t addr, size;
	} unmap = { 24, 0, memory[a].bus, memory[a].pages * (uint64_t)PAGE };

	return guest_ask(UNMAP, &unmap, sizeof(unmap), -1);
}

void guest_master(void)
{
	const uint8_t master[2] = { 6, 0 };
	const uint32_t high = htobe32(HOME_BUS >> 32), low = htobe32((uint32_t)HOME_BUS);

	guest_write(CONFIG, 4, master, sizeof(master));
	guest_write(BAR0, 0x10, &high, sizeof(high));
	guest_write(BAR0, 0x14, &low, sizeof(low));
}

void guest_reset(void)
{
	FUZZ_CHECK(!guest_ask(RESET, NULL, 0, -1), "it cannot be reset");
}

void guest_open(void)
{
	static struct options o;
	struct pci_config c = { .options = &o };
	char why[200] = "";

	options_default(&o);
	snprintf(o.fabric, sizeof(o.fabric), "fuzz-pci-%d", getpid());
	c.kind = fw_device_find(o.device);
	pci = pci_open(&c, why, sizeof(why));
	FUZZ_CHECK(pci, "%s", why);
	FUZZ_CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "no socket");
	twin = mmap((void *)TWIN_BUS, TWIN_PAGES * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	FUZZ_CHECK(twin == (void *)TWIN_BUS, "its address is not free");
	memset(twin, UNTOUCHED, TWIN_PAGES * PAGE);
	for (int a = 0; a < AREAS; a++)
		make_memory(&memory[a]);
	guarded = true;
	for (int a = 0; a < AREAS; a++)
		FUZZ_CHECK(!guest_map(a), "area %d cannot be mapped", a);
}

void guest_close(void)
{
	pci_close(pci);
	close(ends[0]);
	close(ends[1]);
	for (int a = 0; a < AREAS; a++) {
		munmap(memory[a].at, bytes_of(&memory[a]));
		close(memory[a].fd);
	}
}

/* ---- the command queue ---- */

unsigned int guest_boxes(size_t len)
{
	return len > 16 ? (unsigned int)((len - 16 + 511) / 512) : 0;
}

uint8_t *guest_box(bool in, unsigned int n)
{
	return guest_at(HOME, 0) + (in ? IN : OUT) + n * 1024;
}

/* The first @len bytes of @data, NULL: 0; the bus address of the first box, 0: none. */
static uint64_t fill_boxes(bool in, const uint8_t *data, size_t len)
{
	unsigned int n = guest_boxes(len);

	for (unsigned int i = 0; i < n; i++) {
		size_t from = 16 + i * 512, left = len - from;
		uint8_t *b = guest_box(in, i);

		memset(b, 0, 576);
		if (data)
			memcpy(b, data + from, left < 512 ? left : 512);
		if (i + 1 < n)
			core_put_be64(b + 560, HOME_BUS + (in ? IN : OUT) + (i + 1) * 1024);
		core_put_be32(b + 568, i);
		b[573] = 0x55; /* token */
	}
	return n ? HOME_BUS + (in ? IN : OUT) : 0;
}

void guest_fill(const struct command *c)
{
	uint8_t *e = guest_at(HOME, 0) + CMDQ;

	memset(e, 0, 64);
	e[0] = 7;
	core_put_be32(e + 4, (uint32_t)c->in_len);
	core_put_be64(e + 8, fill_boxes(true, c->in, c->in_len));
	memcpy(e + 16, c->in, c->in_len < 16 ? c->in_len : 16);
	core_put_be64(e + 48, fill_boxes(false, NULL, c->out_len));
	core_put_be32(e + 56, (uint32_t)c->out_len);
	e[60] = 0x55;
	e[63] = 1; /* the function's */
}

void guest_ring(uint32_t vector)
{
	vector = htobe32(vector);
	guest_write(BAR0, 0x18, &vector, sizeof(vector));
}

bool guest_taken(uint8_t *delivery, uint8_t *out, size_t out_len)
{
	const uint8_t *e = guest_at(HOME, 0) + CMDQ;

	*delivery = e[63] >> 1;
	memcpy(out, e + 32, out_len < 16 ? out_len : 16);
	for (unsigned int i = 0; i < guest_boxes(out_len); i++) {
		size_t from = 16 + i * 512, left = out_len - from;

		memcpy(out + from, guest_box(false, i), left < 512 ? left : 512);
	}
	return !(e[63] & 1);
}
