/* SPDX-License-Identifier: BSD-2-Clause */
/* CQEs that have to be there: what wrote them has ended. */
#ifndef TEST_COST_TAKEN_H
#define TEST_COST_TAKEN_H

#include <dv/cq.h>
#include <err.h>

static inline const struct mlx5_cqe64 *take(struct dv_cq *cq, const char *what)
{
	const struct mlx5_cqe64 *cqe = dv_cq_poll(cq);

	if (!cqe || dv_cqe_is_error(cqe))
		errx(1, "%s: %s", what, cqe ? "a CQE in error" : "no CQE");
	return cqe;
}

#endif
