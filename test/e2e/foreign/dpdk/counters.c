/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded into a program: writes down what the adapters that it has opened count
 * (QUERY_VPORT_COUNTER), while it runs. DVKIT_TEST_COUNTERS names a FIFO; for each line, a file
 * name, that file is made, with a line per device:
 *
 *	mlx5_0 rx 128 8192 tx 0 0		Ethernet unicast: packets, octets
 *
 * A second context of the same device is used: all of a process have the same adapter.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>

#include <prm/prm.h>

static void put_line(FILE *to, const char *name, const uint8_t *out)
{
	const uint8_t *rx = PRM_ADDR(query_vport_counter_out, out, received_eth_unicast);
	const uint8_t *tx = PRM_ADDR(query_vport_counter_out, out, transmitted_eth_unicast);

	fprintf(to, "%s rx %llu %llu tx %llu %llu\n", name,
		(unsigned long long)PRM_GET(traffic_counter, rx, packets),
		(unsigned long long)PRM_GET(traffic_counter, rx, octets),
		(unsigned long long)PRM_GET(traffic_counter, tx, packets),
		(unsigned long long)PRM_GET(traffic_counter, tx, octets));
}

static void answer_of(FILE *to, struct ibv_device *device)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	uint8_t in[PRM_SZ(query_vport_counter_in)] = { 0 };
	uint8_t out[PRM_SZ(query_vport_counter_out)] = { 0 };
	struct ibv_context *ctx = mlx5dv_open_device(device, &attr);

	if (!ctx)
		return;
	PRM_SET(query_vport_counter_in, in, opcode, PRM_OP_QUERY_VPORT_COUNTER);
	if (!mlx5dv_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)))
		put_line(to, ibv_get_device_name(device), out);
	ibv_close_device(ctx);
}

/* The file is complete when it has its name. */
static void answer(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	char part[300];
	FILE *to;

	snprintf(part, sizeof(part), "%s.part", name);
	to = fopen(part, "we");
	for (int i = 0; to && list && list[i]; i++)
		answer_of(to, list[i]);
	ibv_free_device_list(list);
	if (to && !fclose(to))
		rename(part, name);
}

static void *serve(void *fifo)
{
	int from = open(fifo, O_RDWR | O_CLOEXEC); /* no FILE: exit() would wait for its lock */
	char name[256];
	ssize_t n;

	while (from >= 0 && (n = read(from, name, sizeof(name) - 1)) > 0) {
		name[n] = 0;
		name[strcspn(name, "\n")] = 0;
		answer(name);
	}
	return NULL;
}

__attribute__((constructor)) static void start(void)
{
	char *fifo = getenv("DVKIT_TEST_COUNTERS");
	pthread_t thread;

	if (fifo && !pthread_create(&thread, NULL, serve, fifo))
		pthread_detach(thread);
}
