/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue for device code: a QP and its CQ as one plain struct dv_many (dv/many.h), with the
 * addresses by which a GPU has the ring, the record, the CQE and the register. Copy it to
 * where the kernel reads it; docs/gpu.md has the whole way.
 *
 *	host                                       device code
 *	devx_umem_reg_ex(), page_sizes 4096
 *	devx_cq_create(): 1 CQE, collapsed,
 *	                  overrun_ignore
 *	devx_qp_create(), devx_qp_connect()
 *	devx_many_export(&many, &qp, &cq,
 *	                 &uar, &views)  -- copy ->  dv_many_reserve(), dv_sq_write(), …
 */
#ifndef DEVX_MANY_H
#define DEVX_MANY_H

#include <devx/cq.h>
#include <devx/qp.h>
#include <dv/many.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Addresses of the device code. NULL: the one of the host. */
struct devx_views {
	void *ring;	   /* of the QP's sends */
	void *record;	   /* the QP's: 8 bytes */
	void *cqe;	   /* the CQ's only slot */
	void *reg;	   /* devx_uar.reg */
	bool only_queue;   /* no other queue rings the register, although devx_uar.shared */
	void *reserved[2]; /* NULL */
};

/*
 * Fills @many, at a multiple of 64 bytes, from what the device says of QP and CQ. @views may be
 * NULL.
 *
 * EINVAL: the register is shared with other queues, which only_queue denies (devx_uar.shared:
 * any NC register of rdma-core before 2024); it is not that of the QP; the sends of the QP
 * complete elsewhere; the CQ is not collapsed with overrun ignored, or has entries of 128
 * bytes; a ring that neither host nor device code has an address of. EBUSY: the queue was
 * posted to. EREMOTEIO: a query was refused.
 */
int devx_many_export(struct dv_many *many, struct devx_qp *qp, struct devx_cq *cq,
		     const struct devx_uar *uar, const struct devx_views *views);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
