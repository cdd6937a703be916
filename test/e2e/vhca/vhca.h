/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by both processes of test_vhca: DevX commands as bytes, and the talk over standard
 * input, a socket.
 *
 *	owner  --record-->  copier
 *	       <-- a byte: what to do; --> the answer
 */
#ifndef TEST_E2E_VHCA_H
#define TEST_E2E_VHCA_H

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(cond, ...)                                                      \
	do {                                                                  \
		if (!(cond)) {                                                \
			fprintf(stderr, "%s:%d: " #cond, __FILE__, __LINE__); \
			fprintf(stderr, " " __VA_ARGS__);                     \
			fputc('\n', stderr);                                  \
			exit(1);                                              \
		}                                                             \
	} while (0)

#define KEY_BYTES 32

/* The owner's first message. */
struct record {
	uint16_t vhca_id;
	uint32_t mkey; /* its number */
	uint64_t addr, len;
	uint8_t key[KEY_BYTES];
	pid_t pid;
};

/* Requests of the copier to the owner. */
enum { ASK_SUM = 's', ASK_DESTROY = 'd', ASK_END = 'e' };

static inline void put32(uint8_t *at, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(v >> (24 - 8 * i));
}

static inline void put64(uint8_t *at, uint64_t v)
{
	put32(at, (uint32_t)(v >> 32));
	put32(at + 4, (uint32_t)v);
}

static inline uint32_t get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Byte @i of the owner's memory at the beginning. */
static inline uint8_t first_byte(uint64_t i)
{
	return (uint8_t)(i * 5 + (i >> 9) + (i >> 20));
}

/* FNV-1a of 8 bytes at a time. */
static inline uint64_t sum_of(const uint8_t *at, uint64_t len)
{
	uint64_t h = 0xcbf29ce484222325, word;

	for (uint64_t i = 0; i + 8 <= len; i += 8) {
		memcpy(&word, at + i, 8);
		h = (h ^ word) * 0x100000001b3;
	}
	return h;
}

static inline void say(const void *what, size_t len)
{
	CHECK(write(STDIN_FILENO, what, len) == (ssize_t)len);
}

static inline void hear(void *what, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = read(STDIN_FILENO, (char *)what + at, len - at);

		CHECK(n > 0, "the other process ended");
		at += (size_t)n;
	}
}

static inline struct ibv_context *open_devx(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *ctx;

	CHECK(list && list[0]);
	ctx = mlx5dv_open_device(list[0], &attr);
	CHECK(ctx);
	ibv_free_device_list(list);
	return ctx;
}

static inline uint32_t pdn_of(struct ibv_pd *pd)
{
	struct mlx5dv_pd dv = { 0 };
	struct mlx5dv_obj obj = { .pd = { pd, &dv } };

	CHECK(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD));
	return dv.pdn;
}

/* A dword of capability group @group. */
static inline uint32_t capability(struct ibv_context *ctx, uint32_t group, size_t byte)
{
	uint8_t in[16] = { 0x01, 0x00 }, out[0x1010] = { 0 };

	in[7] = (uint8_t)(group << 1 | 1);
	CHECK(!mlx5dv_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)));
	return get32(out + 16 + byte);
}

int owner_main(uint64_t len);
int copier_main(const char *scenario);

#endif
