/* SPDX-License-Identifier: BSD-2-Clause */
/* The mappings of the guest, its interrupts, and messages that are not as they should be. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/core.h"
#include "guest.h"

GUEST_SUITE(dma);

static bool reads(uint64_t bus)
{
	uint8_t byte;

	return core_bus_read(&byte, bus, 1);
}

Test(dma, mapping_has_ends)
{
	uint64_t refused;

	cr_assert_eq(guest_map(&g, GUEST_BASE, 0x3000, g.memory_fd, 0x1000), 0);
	refused = core_bus_refused();
	cr_assert(reads(GUEST_BASE));
	cr_assert(reads(GUEST_BASE + 0x2fff));
	cr_assert_eq(core_bus_refused(), refused);
	cr_assert_not(reads(GUEST_BASE - 1));
	cr_assert_not(reads(GUEST_BASE + 0x3000));
	cr_assert_not(reads(GUEST_BASE & UINT32_MAX), "the high half counts");
	cr_assert_not(reads((uintptr_t)g.memory), "not an address of this process");
	cr_assert_eq(core_bus_refused(), refused + 4);
}

Test(dma, offset_of_the_descriptor_counts)
{
	uint32_t v = 0;

	memcpy(g.memory + 0x1000, "dvki", 4);
	cr_assert_eq(guest_map(&g, GUEST_BASE, 0x1000, g.memory_fd, 0x1000), 0);
	cr_assert(core_bus_read(&v, GUEST_BASE, 4));
	cr_assert_arr_eq(&v, "dvki", 4);
	cr_assert(core_bus_write(GUEST_BASE + 8, "emu!", 4));
	cr_assert_arr_eq(g.memory + 0x1008, "emu!", 4);
}

/* Two mappings that are neighbours on the bus, and not in the memory. */
Test(dma, access_crosses_mappings)
{
	uint8_t both[4];

	cr_assert_eq(guest_map(&g, GUEST_BASE, 0x1000, g.memory_fd, 0x2000), 0);
	cr_assert_eq(guest_map(&g, GUEST_BASE + 0x1000, 0x1000, g.memory_fd, 0), 0);
	g.memory[0x2ffe] = 1, g.memory[0x2fff] = 2, g.memory[0] = 3, g.memory[1] = 4;
	cr_assert(core_bus_read(both, GUEST_BASE + 0xffe, 4));
	cr_assert_arr_eq(both, ((uint8_t[]){ 1, 2, 3, 4 }), 4);
	cr_assert_eq(guest_unmap(&g, GUEST_BASE + 0x1000, 0x1000), 0);
	cr_assert_not(core_bus_read(both, GUEST_BASE + 0xffe, 4));
	cr_assert(reads(GUEST_BASE));
}

Test(dma, overlap_is_refused)
{
	cr_assert_eq(guest_map(&g, GUEST_BASE, 0x3000, g.memory_fd, 0), 0);
	cr_assert_eq(guest_map(&g, GUEST_BASE + 0x2000, 0x1000, g.memory_fd, 0), EEXIST);
	cr_assert_eq(guest_map(&g, GUEST_BASE - 0x1000, 0x2000, g.memory_fd, 0), EEXIST);
	cr_assert_eq(guest_map(&g, GUEST_BASE + 0x3000, 0x1000, g.memory_fd, 0), 0);
}

Test(dma, odd_mapping_is_refused)
{
	cr_assert_eq(guest_map(&g, GUEST_BASE, 0, g.memory_fd, 0), EINVAL);
	cr_assert_eq(guest_map(&g, GUEST_BASE, 0x800, g.memory_fd, 0), EINVAL);
	cr_assert_eq(guest_map(&g, GUEST_BASE + 0x800, 0x1000, g.memory_fd, 0), EINVAL);
	cr_assert_eq(guest_map(&g, ~0xfffull, 0x2000, g.memory_fd, 0), EINVAL);
}

/* A ROM of the machine cannot be shared: it is accepted, and not accessible. */
Test(dma, memory_without_descriptor_is_not_accessible)
{
	cr_assert_eq(guest_map(&g, GUEST_BASE, 0x1000, -1, 0), 0);
	cr_assert_not(reads(GUEST_BASE));
	cr_assert_eq(guest_unmap(&g, GUEST_BASE, 0x1000), 0);
}

/* The memory is smaller than what was mapped: an error, no signal. */
Test(dma, file_that_is_too_short_does_not_kill)
{
	cr_assert_eq(guest_map(&g, GUEST_BASE, GUEST_BYTES, g.memory_fd, 0), 0);
	cr_assert_eq(ftruncate(g.memory_fd, 0x1000), 0);
	cr_assert(reads(GUEST_BASE));
	cr_assert_not(reads(GUEST_BASE + 0x1000));
}

Test(dma, nothing_stays_when_the_peer_has_closed)
{
	uint8_t out[16];

	guest_boot(&g);
	cr_assert_eq(guest_simple(&g, 0x104, 0, 0, 0, out), 0);
	pci_forget(g.p);
	cr_assert_not(reads(GUEST_BASE));
	guest_boot(&g);
	cr_assert_eq(guest_simple(&g, 0x104, 0, 0, 0, out), 0, "the function is reset");
}

/* ---- interrupts ---- */

static uint32_t error_of(uint16_t command, const void *data, size_t len, int fd)
{
	struct answer a;

	guest_ask(&g, command, data, len, fd, &a);
	return a.error;
}

static uint32_t set_irqs(uint32_t index, uint32_t start, uint32_t count, int fd)
{
	uint32_t set[5] = { 20, 4 | 1 << 5, index, start, count }; /* eventfd, trigger */

	return error_of(8, set, sizeof(set), fd);
}

static bool was_raised(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t n;

	return poll(&p, 1, 0) == 1 && read(fd, &n, sizeof(n)) == sizeof(n);
}

/* flags: trigger, no data: it is raised as a test. */
static void raise_vector(uint32_t vector)
{
	uint32_t set[5] = { 20, 1 | 1 << 5, 2, vector, 1 };

	guest_tell(&g, 8, set, sizeof(set), -1);
}

Test(dma, vectors_are_eventfds)
{
	int fd = eventfd(0, EFD_NONBLOCK), last = eventfd(0, EFD_NONBLOCK);

	cr_assert_eq(set_irqs(2, 5, 1, fd), 0);
	cr_assert_eq(set_irqs(2, 63, 1, last), 0);
	raise_vector(5);
	cr_assert(was_raised(fd));
	cr_assert_not(was_raised(last));
	raise_vector(63);
	cr_assert(was_raised(last));
	cr_assert_eq(set_irqs(2, 5, 1, -1), 0);
	raise_vector(5);
	cr_assert_not(was_raised(fd), "it has none any more");
	cr_assert_eq(set_irqs(2, 5, 1, fd), 0);
	cr_assert(was_raised(fd), "and was pending");
	close(fd);
	close(last);
}

Test(dma, vectors_that_are_not_there_are_refused)
{
	int fd = eventfd(0, EFD_NONBLOCK);

	cr_assert_eq(set_irqs(2, 64, 1, fd), EINVAL);
	cr_assert_eq(set_irqs(2, 0, 2, fd), EINVAL, "two vectors, one descriptor");
	cr_assert_eq(set_irqs(2, UINT32_MAX, 2, -1), EINVAL);
	cr_assert_eq(set_irqs(1, 0, 1, fd), EINVAL, "MSI");
	close(fd);
}

/* VFIO_PCI_*_IRQ_INDEX: INTx, MSI, MSI-X, errors of the bus, requests to be unplugged */
Test(dma, each_kind_of_interrupt_has_its_number)
{
	static const uint8_t count[] = { 0, 0, 64, 1, 0 };
	int fd = eventfd(0, EFD_NONBLOCK);
	struct answer a;

	for (uint32_t i = 0; i < 6; i++) {
		uint32_t info[4] = { sizeof(info), 0, i, 77 };

		guest_ask(&g, 7, info, sizeof(info), -1, &a);
		cr_assert_eq(a.error, i < 5 ? 0 : EINVAL);
		cr_assert(i == 5 || a.bytes[12] == count[i], "kind %u", i);
	}
	cr_assert_eq(set_irqs(3, 0, 1, fd), 0);
	cr_assert_eq(set_irqs(3, 0, 2, -1), EINVAL);
	cr_assert_eq(set_irqs(3, 1, 1, fd), EINVAL);
	cr_assert_eq(set_irqs(3, 1, 0, -1), 0);
	cr_assert_eq(set_irqs(3, UINT32_MAX, 2, -1), EINVAL);
	close(fd);
}

/* ---- messages ---- */

Test(dma, version_is_agreed_on)
{
	struct {
		uint16_t major, minor;
		char text[20];
	} v = { 0, 9, "{}" };
	struct answer a;

	guest_ask(&g, 1, &v, sizeof(v), -1, &a);
	cr_assert_eq(a.error, 0);
	cr_assert_eq(a.bytes[0] | a.bytes[1] << 8, 0);
	cr_assert_eq(a.bytes[2] | a.bytes[3] << 8, 1);
	cr_assert_eq(a.bytes[a.len - 1], 0);
	v.major = 1;
	guest_ask(&g, 1, &v, sizeof(v), -1, &a);
	cr_assert_eq(a.error, ENOTSUP);
}

Test(dma, unknown_and_short_messages_are_errors)
{
	const uint8_t three[3] = { 0 };

	cr_assert_eq(error_of(0, NULL, 0, -1), ENOTSUP);
	cr_assert_eq(error_of(11, NULL, 0, -1), ENOTSUP, "DMA_READ is the server's");
	cr_assert_eq(error_of(77, NULL, 0, -1), ENOTSUP);
	for (uint16_t command = 1; command <= 10; command++)
		cr_assert_neq(error_of(command, three, 3, -1), 0, "command %u", command);
}

/* A write of 4 bytes that announces one more, or a region that ends within. */
Test(dma, write_has_the_bytes_that_it_announces)
{
	struct {
		uint64_t offset;
		uint32_t region, count;
		uint8_t data[4];
	} what = { .offset = 4, .region = CONFIG, .count = 5 };

	cr_assert_eq(error_of(10, &what, 20, -1), EINVAL);
	what.count = 4;
	what.offset = 4096 - 3;
	cr_assert_eq(error_of(10, &what, 20, -1), EINVAL);
	what.offset--;
	cr_assert_eq(error_of(10, &what, 20, -1), 0);
}

Test(dma, size_that_cannot_be_ends_the_connection)
{
	const uint32_t sizes[] = { 0, 15, UINT32_MAX };

	for (size_t i = 0; i < 3; i++) {
		uint32_t head[4] = { 4 << 16, sizes[i], 0, 0 };

		cr_assert_eq(send(g.fd, head, sizeof(head), 0), sizeof(head));
		cr_assert_not(pci_message(g.p, g.other));
	}
}
