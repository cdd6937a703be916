/* SPDX-License-Identifier: BSD-2-Clause */
/* calls [SEQUENCES [SEED]]: the tables, and then SEQUENCES random ones of such calls. */
#include <stdarg.h>
#include <sys/mman.h>

#include "calls.h"

#define QUERY_ROCE_ADDRESS 0x760

struct bench bench;

static struct ibv_context *marker;
static unsigned int number;

static void mark(uint32_t step_number)
{
	uint8_t in[16] = { QUERY_ROCE_ADDRESS >> 8, QUERY_ROCE_ADDRESS & 0xff }, out[48];

	in[8] = (uint8_t)(step_number >> 8); /* roce_address_index */
	in[9] = (uint8_t)step_number;
	mlx5dv_devx_general_cmd(marker, in, sizeof(in), out, sizeof(out));
}

void step(const char *fmt, ...)
{
	va_list args;

	if (number)
		putchar('\n');
	fflush(stdout);
	mark(++number);
	printf("%u ", number);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

void put(const char *fmt, ...)
{
	va_list args;

	putchar(' ');
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

static const char *name_of(int error)
{
	const char *name = strerrorname_np(error);

	return name ? name : "?";
}

void *made(void *object)
{
	printf(" = %s", object ? "ok" : name_of(errno));
	return object;
}

int done(int ret)
{
	if (ret < 0)
		printf(" = %d %s", ret, name_of(errno));
	else
		printf(" = %s", ret ? name_of(ret) : "0");
	return ret;
}

static struct ibv_context *open_device(void)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx;

	NEED(list && list[0]);
	ctx = mlx5dv_open_device(list[0], &attr);
	NEED(ctx);
	ibv_free_device_list(list);
	return ctx;
}

int main(int argc, char **argv)
{
	unsigned int sequences = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	marker = open_device();
	bench.ctx = open_device();
	queries();
	bench.memory =
		mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(bench.memory != MAP_FAILED);
	memset(bench.memory, 1, MEMORY);
	NEED(!ibv_query_gid(bench.ctx, 1, 0, &bench.gid));
	bench.pd = MADE(ibv_alloc_pd(bench.ctx), "ibv_alloc_pd");
	NEED(bench.pd);
	bench.cq = MADE(ibv_create_cq(bench.ctx, 100, NULL, NULL, 0), "ibv_create_cq");
	NEED(bench.cq);
	completion_calls();
	address_calls();
	qp_creations();
	raw_calls();
	memory_calls();
	receive_calls();
	qp_moves();
	devx_calls();
	flow_calls();
	random_calls(seed, sequences);
	DONE(ibv_destroy_cq(bench.cq), "ibv_destroy_cq");
	DONE(ibv_dealloc_pd(bench.pd), "ibv_dealloc_pd");
	DONE(ibv_close_device(bench.ctx), "ibv_close_device");
	step("end");
	putchar('\n');
	ibv_close_device(marker);
	return 0;
}
