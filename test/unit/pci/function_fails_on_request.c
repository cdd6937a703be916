/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests for faults, as lines: what a driver then sees, and what ends it. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

enum { NOP = 0x80d, ALLOC_PD = 0x800, QUERY_VPORT_STATE = 0x750 };
enum { DEVICE_SET_IRQS = 8, DEVICE_RESET = 13 };

static uint8_t out[16];

static void open_it(void)
{
	guest_open(&g);
	guest_boot(&g);
	guest_start(&g);
}

TestSuite(faults, .init = open_it, .fini = guest_close_g);

static int ask(const char *line)
{
	char copy[200];

	snprintf(copy, sizeof(copy), "%s", line);
	return pci_control(g.p, copy);
}

/* Status and syndrome of a command: 0x01234567890. */
static uint64_t answer(uint16_t opcode)
{
	uint64_t status = guest_simple(&g, opcode, 0, 0, 0, out);

	return status << 32 | (uint64_t)out[4] << 24 | out[5] << 16 | out[6] << 8 | out[7];
}

Test(faults, the_next_command_of_a_name_is_refused_once)
{
	cr_assert_eq(ask("fail-command ALLOC_PD 0x8 0x80012345"), 0);
	cr_assert_eq(answer(NOP), 0, "another one is not");
	cr_assert_eq(answer(ALLOC_PD), 0x880012345);
	cr_assert_eq(answer(ALLOC_PD), 0);
}

Test(faults, the_third_command_of_a_name_is_refused)
{
	cr_assert_eq(ask("fail-command ALLOC_PD 3 7 3"), 0);
	cr_assert_eq(answer(ALLOC_PD), 0);
	cr_assert_eq(answer(NOP), 0);
	cr_assert_eq(answer(ALLOC_PD), 0);
	cr_assert_eq(answer(ALLOC_PD), 0x300000007);
	cr_assert_eq(answer(ALLOC_PD), 0);
}

Test(faults, any_command_is_refused_with_an_internal_error)
{
	cr_assert_eq(ask("fail-command any"), 0);
	cr_assert_eq(answer(NOP) >> 32, 1);
	cr_assert_eq(answer(NOP), 0);
}

/* <linux/mlx5/device.h>, struct health_buffer, at 0x200: rfr_severity at 0x38, synd at 0x3d */
Test(faults, the_health_buffer_has_a_syndrome_until_a_reset)
{
	cr_assert_eq(guest_read32(&g, 0x23c) >> 16 & 0xff, 0);
	cr_assert_eq(guest_read32(&g, 0x230), 16u << 24 | 35 << 16 | 2000,
		     "a version is there");
	cr_assert_eq(ask("health 0x81"), 0);
	cr_assert_eq(guest_read32(&g, 0x23c), 0x81u << 16);
	cr_assert_eq(guest_read32(&g, 0x238), 0xbu << 24, "valid, error, no reset");
	cr_assert_eq(ask("health 255 rfr"), 0);
	cr_assert_eq(guest_read32(&g, 0x23c), 0xffu << 16);
	cr_assert_eq(guest_read32(&g, 0x238), 0x8b000000);
	cr_assert_eq(ask("health 0"), 0);
	cr_assert_eq(guest_read32(&g, 0x238), 0);
	cr_assert_eq(ask("health 1 rfr"), 0);
	guest_tell(&g, DEVICE_RESET, NULL, 0, -1);
	cr_assert_eq(guest_read32(&g, 0x23c), 0);
	cr_assert_eq(guest_read32(&g, 0x238), 0);
}

/* mlx5_core, health.c: 7 in nic_interface asks for a reset, if bit 30 of "initializing" is set;
 * 1 is the answer. The configuration space stays. */
Test(faults, the_driver_resets_after_a_fatal_error)
{
	uint16_t command;

	cr_assert_eq(guest_read32(&g, 0x1fc) >> 30, 1, "not initializing, can be reset");
	cr_assert_eq(answer(ALLOC_PD), 0);
	cr_assert_eq(ask("health 1 rfr"), 0);
	guest_write32(&g, 0x14, guest_read32(&g, 0x14) | 7 << 8);
	cr_assert_eq(guest_read32(&g, 0x14) >> 8 & 7, 1);
	cr_assert_eq(guest_read32(&g, 0x238), 0);
	guest_read(&g, CONFIG, 4, &command, 2);
	cr_assert_eq(command, 6);
	guest_enable(&g);
	cr_assert_eq(guest_read32(&g, 0x14) >> 8 & 7, 0);
	guest_start(&g);
	cr_assert_eq(answer(ALLOC_PD), 0);
}

/* The health counter, at 0x1010, moves by itself. */
Test(faults, what_hangs_executes_nothing_and_does_not_count)
{
	uint32_t before = guest_read32(&g, 0x1010), then;
	uint8_t in[16] = { NOP >> 8, NOP & 0xff };

	while (guest_read32(&g, 0x1010) == before)
		;
	cr_assert_eq(ask("hang"), 0);
	then = guest_read32(&g, 0x1010);
	guest_fill(&g, 0, in, 16, 16);
	guest_ring(&g, 1);
	cr_assert_eq(guest_entry(&g, 0)[63] & 1, 1, "the function has it still");
	usleep(30000); /* three counts */
	cr_assert_eq(guest_read32(&g, 0x1010), then);
	cr_assert_eq(ask("hang off"), 0);
	cr_assert_eq(guest_take(&g, 0, out, 16), 0, "executed now");
	cr_assert_eq(out[0], 0);
	cr_assert_gt((guest_read32(&g, 0x1010) - then) & 0xffffff, 0);
	cr_assert_eq(ask("hang"), 0);
	guest_tell(&g, DEVICE_RESET, NULL, 0, -1);
	guest_enable(&g);
	guest_start(&g);
	cr_assert_eq(answer(NOP), 0);
}

static void trigger(void)
{
	/* struct vfio_irq_set: no data, trigger; MSI-X, vector 2 */
	const uint32_t set[5] = { 20, 1 | 1 << 5, 2, 2, 1 };

	guest_tell(&g, DEVICE_SET_IRQS, set, sizeof(set), -1);
}

Test(faults, interrupts_are_lost)
{
	const uint32_t set[5] = { 20, 4 | 1 << 5, 2, 2, 1 };
	int event = eventfd(0, EFD_NONBLOCK);
	uint64_t n = 0;

	guest_tell(&g, DEVICE_SET_IRQS, set, sizeof(set), event);
	cr_assert_eq(ask("lose-interrupts 2"), 0);
	trigger();
	trigger();
	cr_assert_eq(read(event, &n, 8), -1);
	trigger();
	cr_assert_eq(read(event, &n, 8), 8);
	cr_assert_eq(n, 1);
	close(event);
}

Test(faults, the_link_goes_down_and_comes_up)
{
	cr_assert_eq(answer(QUERY_VPORT_STATE), 0);
	cr_assert_eq(out[15] & 0xf, 1);
	cr_assert_eq(ask("link down"), 0);
	cr_assert_eq(answer(QUERY_VPORT_STATE), 0);
	cr_assert_eq(out[15] & 0xf, 0);
	cr_assert_eq(ask("link up"), 0);
	cr_assert_eq(answer(QUERY_VPORT_STATE), 0);
	cr_assert_eq(out[15] & 0xf, 1);
}

Test(faults, other_lines_are_refused)
{
	static const struct {
		const char *line;
		int err;
	} lines[] = {
		{ "", 0 },
		{ " \n", 0 },
		{ "fail-command", EINVAL },
		{ "fail-command ALLOC_P", ENOENT },
		{ "fail-command any 0", EINVAL },
		{ "fail-command any 255 0xffffffff 4294967295", 0 },
		{ "fail-command any 256", EINVAL },
		{ "fail-command any 1 0x100000000", EINVAL },
		{ "fail-command any 1 1 4294967296", EINVAL },
		{ "fail-command any 1 1 1 1", EINVAL },
		{ "fail-command any 1x", EINVAL },
		{ "fail-command any -1", EINVAL },
		{ "health", EINVAL },
		{ "health 256", EINVAL },
		{ "health 1 reset", EINVAL },
		{ "health 1 rfr 1", EINVAL },
		{ "hang now", EINVAL },
		{ "hang off now", EINVAL },
		{ "lose-interrupts", EINVAL },
		{ "lose-interrupts 4294967296", EINVAL },
		{ "lose-interrupts 1 2", EINVAL },
		{ "link", EINVAL },
		{ "link upward", EINVAL },
		{ "link up down", EINVAL },
		{ "faults drop=5%:7", 0 },
		{ "faults", 0 },
		{ "faults lose=5%", EINVAL },
		{ "faults drop=5% drop=6%", EINVAL },
		{ "reset", EINVAL },
		{ "healthy 1", EINVAL },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		cr_expect_eq(ask(lines[i].line), lines[i].err, "%s", lines[i].line);
}

static void *serve(void *arg)
{
	const int *stop = arg;

	cr_expect_eq(pci_serve(g.p, "served", *stop), 0);
	return NULL;
}

/* By the FIFO, in pieces, while no peer is there. */
Test(faults, the_fifo_is_read_while_peers_are_served)
{
	char folder[] = "/tmp/dvkit-fifo-XXXXXX";
	int stop[2], fifo;
	pthread_t t;

	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	cr_assert_eq(mkfifo("fifo", 0600), 0);
	cr_assert_eq(pci_control_open(g.p, "fifo"), EEXIST);
	cr_assert_eq(unlink("fifo"), 0);
	cr_assert_eq(pci_control_open(g.p, "fifo"), 0);
	cr_assert_eq(pipe(stop), 0);
	cr_assert_eq(pthread_create(&t, NULL, serve, &stop[0]), 0);
	fifo = open("fifo", O_WRONLY);
	cr_assert_geq(fifo, 0);
	cr_assert_eq(write(fifo, "health 0x", 9), 9);
	cr_assert_eq(write(fifo, "42\nlink", 7), 7);
	while (guest_read32(&g, 0x23c) != 0x42u << 16)
		usleep(1000);
	cr_assert_eq(write(stop[1], "", 1), 1);
	pthread_join(t, NULL);
	close(fifo);
	guest_close_g();
	cr_assert_eq(access("fifo", F_OK), -1, "it ends with the function");
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(rmdir(folder), 0);
	open_it();
}
