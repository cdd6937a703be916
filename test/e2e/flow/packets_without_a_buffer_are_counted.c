/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that find no buffer are in out_of_buffer of the port's hw_counters, also while the
 * program runs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <criterion/criterion.h>

#include "ethernet.h"

enum { BUFFERS = 16, PACKETS = BUFFERS + 4 };

static void path_of(char *path, size_t size, const char *counter)
{
	snprintf(path, size, "/sys/class/infiniband/%s/ports/1/hw_counters/%s",
		 ibv_get_device_name(eth.ctx->device), counter);
}

static unsigned long by_stream(const char *counter)
{
	unsigned long value;
	char path[200];
	FILE *f;

	path_of(path, sizeof(path), counter);
	f = fopen(path, "r");
	cr_assert(f, "%s", path);
	cr_assert_eq(fscanf(f, "%lu", &value), 1);
	cr_assert_eq(fgetc(f), '\n');
	cr_assert_eq(fgetc(f), EOF);
	fclose(f);
	return value;
}

static unsigned long by_descriptor(const char *counter)
{
	char path[200], text[32] = "";
	int fd;

	path_of(path, sizeof(path), counter);
	fd = open(path, O_RDONLY);
	cr_assert_geq(fd, 0);
	cr_assert_gt(read(fd, text, sizeof(text) - 1), 0);
	close(fd);
	return strtoul(text, NULL, 10);
}

Test(packets_without_a_buffer, are_counted)
{
	unsigned long before;

	ethernet_open();
	ethernet_rules("verbs");
	rule("ingress pattern eth / ipv4 / udp / end actions queue index 0 / end");
	before = by_stream("out_of_buffer");
	for (unsigned int i = 0; i < PACKETS; i++)
		send_udp(1000);
	while (by_descriptor("out_of_buffer") - before < PACKETS - BUFFERS)
		;
	cr_assert_eq(by_stream("out_of_buffer") - before, PACKETS - BUFFERS);
	for (unsigned int i = 0; i < BUFFERS; i++)
		cr_assert_eq(receive_udp(0, NULL), 1000);
	cr_assert(queue_is_empty(0));
	cr_assert_eq(by_stream("out_of_buffer") - before, PACKETS - BUFFERS);
	cr_assert_eq(by_stream("req_cqe_error"), by_descriptor("req_cqe_error"));
	ethernet_close();
}
