/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both functions of a DPU, opened in one process, with an RC QP on each; the two are connected:
 *
 *	host  mlx5_0  node GUID 00c5…	qp <----> qp	dpu  mlx5_1  node GUID 00d5…
 */
#ifndef TEST_E2E_FUNCTIONS_BOTH_H
#define TEST_E2E_FUNCTIONS_BOTH_H

#include <criterion/criterion.h>
#include <infiniband/verbs.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LEN = 16384, ALL = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE };

struct side {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint8_t *mem;
	struct ibv_mr *mr;
};

extern struct side host, dpu;

struct ibv_context *open_by_name(const char *name);
/* @gid_index: of the port's GIDs, which the two use. */
void both_connected(int gid_index);
/* Only the DPU's, connected with itself. */
void dpu_alone(void);
/* .init and .fini: connects them by the IPv4-mapped GIDs, RoCE v2. */
void both_start(void);
void both_stop(void);

/* New memory for @s, all of it @fill. */
void give_memory(struct side *s, uint8_t fill);
/* Posts an RDMA write of all of @from's memory to @to's, signaled; @rkey of @to. */
void post_write(struct side *from, const struct side *to, uint32_t rkey);
/* Waits for the next CQE of @s. */
enum ibv_wc_status next_status(struct side *s);
bool all_are(const uint8_t *mem, uint8_t value);

#endif
