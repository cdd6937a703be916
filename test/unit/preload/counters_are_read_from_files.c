/* SPDX-License-Identifier: BSD-2-Clause */
/* hw_counters: which paths are a counter, of which function, and the text that is read. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/hw_counter.h"
#include "running.h"

struct nldev_device devices[OPTIONS_FUNCTIONS]; /* of boot_identity() */
static struct {
	const char *fabric;
	uint32_t ipv4;
	enum hca_role role;
} counted;

/* The second counter is the sum of what the function counted. */
static unsigned int two(struct uverbs_counter *c, const char *second, uint64_t value)
{
	c[0] = (struct uverbs_counter){ "first", 7 };
	c[1] = (struct uverbs_counter){ second, value };
	return 2;
}

unsigned int uverbs_hw_counters(uint16_t kernel, const struct hca_counted *n,
				struct uverbs_counter *c)
{
	return two(c, kernel == 0x60c ? "later" : "second", n->no_set.out_of_buffer);
}

unsigned int uverbs_port_counters(uint16_t kernel, const struct hca_counted *n,
				  struct uverbs_counter *c)
{
	(void)kernel;
	return two(c, "octets", n->port.rx.octets);
}

void wire_counted(const char *fabric, uint32_t ipv4, enum hca_role role,
		  struct hca_counted *sum)
{
	counted.fabric = fabric;
	counted.ipv4 = ipv4;
	counted.role = role;
	memset(sum, 0, sizeof(*sum));
	sum->no_set.out_of_buffer = 0xfedcba9876543210;
	sum->port.rx.octets = 12;
}

static void begin(void)
{
	close(0); /* the first number that is free */
	for (unsigned int i = 0; i < 2; i++)
		devices[i] = (struct nldev_device){ .name = "mlx5",
						    .counted = hw_counter_sum,
						    .fabric = i ? "f1" : "f0",
						    .ipv4 = 50 + i,
						    .role = HCA_ROLE_HOST + i,
						    .kernel = i ? 0x60c : 0x601 };
}

static void end(void)
{
	memset(devices, 0, sizeof(devices));
	cr_expect_not(core_inside(), "a lock is held");
}

TestSuite(hw_counter, .init = begin, .fini = end);

#define TREE "/t/class/infiniband/mlx5_"

Test(hw_counter, path_is_one)
{
	static const struct {
		const char *path, *text; /* NULL: it is not a counter */
		unsigned int function;
	} rows[] = {
		{ TREE "0/ports/1/hw_counters/first", "7\n", 0 },
		{ TREE "0/ports/1/hw_counters/second", "18364758544493064720\n", 0 },
		{ TREE "1/ports/1/hw_counters/later", "18364758544493064720\n", 1 },
		{ TREE "1/ports/1/counters/octets", "12\n", 1 },
		{ "/mlx5_1/ports/1/counters/first", "7\n", 1 },
		{ "mlx5_1/ports/1/counters/first", NULL, 0 },
		{ TREE "1/ports/1/hw_counters/second", NULL, 0 },
		{ TREE "0/ports/1/counters/second", NULL, 0 },
		{ TREE "0/ports/1/hw_counters/firs", NULL, 0 },
		{ TREE "0/ports/1/hw_counters/", NULL, 0 },
		{ TREE "2/ports/1/hw_counters/first", NULL, 0 },
		{ TREE "/ports/1/hw_counters/first", NULL, 0 },
		{ TREE "00/ports/1/hw_counters/first", NULL, 0 },
		{ "/t/mlx4_0/ports/1/hw_counters/first", NULL, 0 },
		{ TREE "0/ports/2/hw_counters/first", NULL, 0 },
		{ NULL, NULL, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char got[40] = "";
		int fd;

		errno = EDOM;
		fd = hw_counter_open(rows[i].path, O_RDONLY | (i % 2 ? O_CLOEXEC : 0));
		cr_expect_eq(errno, EDOM);
		cr_assert_eq(fd >= 0, rows[i].text != NULL, "row %zu", i);
		if (fd < 0)
			continue;
		cr_expect_eq(fcntl(fd, F_GETFD), i % 2 ? FD_CLOEXEC : 0);
		cr_assert_gt(read(fd, got, sizeof(got)), 0);
		cr_expect_str_eq(got, rows[i].text);
		cr_expect_str_eq(counted.fabric, rows[i].function ? "f1" : "f0");
		cr_expect_eq(counted.ipv4, 50 + rows[i].function);
		cr_expect_eq(counted.role == HCA_ROLE_HOST, !rows[i].function);
		cr_expect_eq(hw_counter_open(rows[i].path, O_RDWR), -1);
		cr_expect_eq(hw_counter_open(rows[i].path, O_WRONLY), -1);
		close(fd);
	}
	devices[0].name = NULL; /* it cannot boot */
	cr_expect_eq(hw_counter_open(rows[0].path, O_RDONLY), -1);
}

/* If the function is up, from its own memory. */
Test(hw_counter, sum_is_that_of_the_function)
{
	static struct boot b[2];
	struct hca_counted sum;

	for (int i = 0; i < 2; i++) {
		cr_assert_eq(hca_init(&b[i].hca, 3 + i), 0);
		b[i].uverbs = (void *)(uintptr_t)(8 + i);
		b[i].hca.counted->no_set.out_of_buffer = 70 + i;
	}
	devices[1].uverbs = b[1].uverbs;
	hw_counter_sum(&devices[1], &sum);
	cr_expect_eq(sum.port.rx.octets, 12, "it is not up");
	running[1] = &b[1];
	hw_counter_sum(&devices[1], &sum);
	cr_expect_eq(sum.no_set.out_of_buffer, 71);
	running[0] = &b[0];
	hw_counter_sum(&devices[1], &sum);
	cr_expect_eq(sum.no_set.out_of_buffer, 71);
	hw_counter_sum(&devices[0], &sum);
	cr_expect_eq(sum.port.rx.octets, 12, "it is not this one's");
}
