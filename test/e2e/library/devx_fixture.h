/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fixture of fixture.h once more, and no verb made it: two connected RC QPs on one CQ, one
 * register and one key, all by firmware commands.
 *
 *	x.a  <----- connected ----->  x.b       both on x.cq, x.uar
 *	x.src, x.dst: X_SIZE bytes each, in x.umem under x.mkey
 */
#ifndef TEST_E2E_LIBRARY_DEVX_FIXTURE_H
#define TEST_E2E_LIBRARY_DEVX_FIXTURE_H

#include <criterion/criterion.h>
#include <devx/cq.h>
#include <devx/eq.h>
#include <devx/mkey.h>
#include <devx/pd.h>
#include <devx/qp.h>
#include <dv/mini.h>
#include <dv/post.h>
#include <prm/prm.h>

enum { X_SIZE = 1 << 16, X_SIGNALLED = MLX5_WQE_CTRL_CQ_UPDATE };

struct devx_fixture {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_port_attr port;
	uint8_t gid_index;
	uint32_t pdn, eqn;
	struct devx_uar uar;
	struct devx_umem umem;
	struct devx_mkey mkey;
	uint8_t *src, *dst;
	struct devx_cq cq;
	struct devx_qp a, b;
};

extern struct devx_fixture x;

/* .init and .fini of the suites. */
void devx_start(void);
void devx_stop(void);

/* devx's own words, when a call fails that must not. */
void devx_ok(int err);

/* Attributes of an RC QP on the CQ. */
struct devx_qp_attr devx_rc(void);
/* The endpoint of a QP for its peer: 4 READs at a time. */
struct dv_endpoint devx_endpoint(const struct devx_qp *qp);
/* To RTS, to send to @peer. */
void devx_connect(struct devx_qp *qp, const struct devx_qp *peer);

/* A CQ with a bit of its context that devx/cq.h does not have: @set sets it. */
struct devx_own_cq {
	struct devx_umem umem;
	struct devx_obj obj;
	struct dv_cq cq;
};
/* False: the device refuses it. */
bool devx_own_cq_create(struct devx_own_cq *c, uint8_t log_cqes, void (*set)(uint8_t *cqc));
void devx_own_cq_destroy(struct devx_own_cq *c);

/* The next CQE, within 10 seconds; its slot is released and its WQE retired. */
struct mlx5_cqe64 devx_completion(void);

#endif
