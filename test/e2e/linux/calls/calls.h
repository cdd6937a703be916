/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of libibverbs and mlx5dv, right and wrong, and what each of them answers:
 *
 *	17 ibv_create_cq cqe=1 vector=0 = ok cqe=1
 *
 * The same program runs on Linux' own mlx5_ib and on the emulator; the lines have to be
 * equal, so nothing in them may depend on addresses, on numbers of objects or on time.
 */
#ifndef TEST_E2E_LINUX_CALLS_H
#define TEST_E2E_LINUX_CALLS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Objects that most calls need; made before the first of them. */
struct bench {
	struct ibv_context *ctx;
	struct ibv_device_attr_ex limits;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	uint8_t *memory;
	union ibv_gid gid;
};
enum { MEMORY = 1 << 20, PAGE = 4096 };

extern struct bench bench;

/* Prints the number and the words of the call that follows. A firmware command that
 * changes nothing carries the number into the trace. */
void step(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The result of a call that makes an object; of one that returns 0, an errno value or -1. */
void *made(void *object);
int done(int ret);
/* The answer of a call, on the same line. */
void put(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* MADE(ibv_alloc_pd(ctx), "ibv_alloc_pd") */
#define MADE(call, ...) (step(__VA_ARGS__), errno = 0, made(call))
#define DONE(call, ...) (step(__VA_ARGS__), errno = 0, done(call))

/* An object that the other calls need has to be there. */
#define NEED(object)                                          \
	do {                                                  \
		if (!(object)) {                              \
			fprintf(stderr, "%s: %m\n", #object); \
			exit(1);                              \
		}                                             \
	} while (0)

void put_qp(const struct ibv_qp_attr *a, const struct ibv_qp_init_attr *init);
void query_qp(struct ibv_qp *qp);

/* A valid value for every attribute, with the path to the port itself. */
struct ibv_qp_attr qp_attributes(void);
/* Attributes that a move requires; -1: there is no such move. */
int qp_required(enum ibv_qp_type type, unsigned int from, unsigned int to);
/* Moves a QP that is in RESET. */
int qp_walk(struct ibv_qp *qp, enum ibv_qp_type type, unsigned int to);

/* The default attributes of a QP of @type. */
struct ibv_qp_init_attr_ex qp_init(enum ibv_qp_type type, struct ibv_xrcd *xrcd);

/* X(member, value): members of an address, each at its limits and beyond. */
#define BAD_ADDRESSES(X)                                                                     \
	X(port_num, 0), X(port_num, 1), X(port_num, 2), X(port_num, 255), X(is_global, 0),   \
		X(is_global, 2), X(sl, 7), X(sl, 8), X(sl, 15), X(sl, 16), X(sl, 255),       \
		X(dlid, 1), X(dlid, 0xffff), X(src_path_bits, 1), X(src_path_bits, 255),     \
		X(static_rate, 1), X(static_rate, 2), X(static_rate, 3), X(static_rate, 16), \
		X(static_rate, 24), X(static_rate, 25), X(static_rate, 255),                 \
		X(grh.sgid_index, 1), X(grh.sgid_index, 2), X(grh.sgid_index, 3),            \
		X(grh.sgid_index, 4), X(grh.sgid_index, 254), X(grh.sgid_index, 255),        \
		X(grh.hop_limit, 0), X(grh.hop_limit, 255), X(grh.flow_label, 0xfffff),      \
		X(grh.flow_label, 0x100000), X(grh.flow_label, 0xffffffff),                  \
		X(grh.traffic_class, 255)

/* The parts. */
void queries(void);
void memory_calls(void);
void completion_calls(void);
void receive_calls(void);
void qp_creations(void);
void qp_moves(void);
void address_calls(void);
void raw_calls(void);
void flow_calls(void);
void devx_calls(void);
void random_calls(uint64_t seed, unsigned int sequences);

#endif
