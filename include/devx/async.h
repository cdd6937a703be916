/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queries that do not wait: sent now, their outboxes read later from a file descriptor.
 *
 *	devx_async_query(&async, &a, …, 1)  \
 *	devx_async_query(&async, &b, …, 2)   >  the firmware works on them
 *	poll(async.fd)                      /
 *	devx_async_get(&async, &wr_id, out, sizeof(out))   2, then 1: in any order
 *
 * Only queries of objects can be sent this way (mlx5_ib, devx.c: ASYNC_QUERY). An answer longer
 * than the caller's outbox stays queued: ENOSPC. The kernel bounds the number of unread
 * answers: EAGAIN, read some first.
 *
 * Every thread may send; one at a time reads. Errors as in devx.h.
 */
#ifndef DEVX_ASYNC_H
#define DEVX_ASYNC_H

#include <devx/devx.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct devx_async {
	struct mlx5dv_devx_cmd_comp *handle;
	int fd; /* readable when an answer is there; O_NONBLOCK as the caller sets it */
};

int devx_async_create(struct devx_async *async, struct ibv_context *ctx);
void devx_async_destroy(struct devx_async *async);

/* Sends a query of @obj. @out_len: of the outbox to come; @wr_id: the caller's name for it. */
int devx_async_query(struct devx_async *async, struct devx_obj *obj, const void *in,
		     size_t in_len, size_t out_len, uint64_t wr_id);

/* Takes the next answer; waits for it unless the descriptor is non-blocking (EAGAIN).
 * EREMOTEIO: this query was refused; *wr_id says which. */
int devx_async_get(struct devx_async *async, uint64_t *wr_id, void *out, size_t out_len);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
