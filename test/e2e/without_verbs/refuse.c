/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded into a program, ends it with status 3 when it makes a CQ, QP, SRQ, WQ or MR by
 * verbs or by mlx5dv. Calls that the headers carry out inline (ibv_create_qp_ex,
 * ibv_create_cq_ex …) go to the context's own table and are not seen here; their firmware
 * commands are, in the trace.
 */
#include <stdio.h>
#include <unistd.h>

#define REFUSE(name)                                            \
	__attribute__((visibility("default"))) void name(void); \
	void name(void)                                         \
	{                                                       \
		refuse("refused: " #name "\n");                 \
	}

/* Without exit handlers, of which one might say that all was well. */
static void refuse(const char *line)
{
	fputs(line, stderr);
	_exit(3);
}

REFUSE(ibv_create_cq)
REFUSE(ibv_create_qp)
REFUSE(ibv_create_srq)
REFUSE(ibv_reg_mr)
REFUSE(ibv_reg_mr_iova)
REFUSE(ibv_reg_mr_iova2)
REFUSE(ibv_reg_dmabuf_mr)
REFUSE(ibv_modify_qp)
REFUSE(mlx5dv_create_cq)
REFUSE(mlx5dv_create_qp)
REFUSE(mlx5dv_create_wq)
REFUSE(mlx5dv_create_mkey)
