/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets and their connections; see dct.h. Here is only memory: who is let in is the engine's
 * business, who may die firmware's.
 */
#include <stdlib.h>
#include <string.h>

#include "hca/hca.h"

bool hca_dct_init(struct hca *hca, void *obj)
{
	struct hca_dct *dct = obj;

	core_list_init(&dct->connections);
	dct->model = calloc(1, sizeof(*dct->model));
	if (!dct->model)
		return false;
	dct->model->qpn = dct->dctn;
	dct->model->counter = &hca->counts.no_set;
	return true;
}

void hca_dct_fini(struct hca *hca, void *obj)
{
	struct hca_dct *dct = obj;

	(void)hca;
	hca_dct_forget_all(dct);
	free(dct->model);
}

void hca_dct_refer(const void *obj, int by)
{
	const struct hca_qp *model = ((const struct hca_dct *)obj)->model;

	model->pd->refs += by;
	model->rcq->refs += by;
	model->srq->refs += by;
	model->counter->refs += by;
}

struct hca_qp *hca_dct_connect(struct hca_dct *dct)
{
	struct hca_qp *qp = malloc(sizeof(*qp));

	if (!qp)
		return NULL;
	*qp = *dct->model;
	core_list_add(&dct->connections, &qp->dc.on_dct);
	dct->count++;
	return qp;
}

void hca_dct_forget(struct hca_dct *dct, struct hca_qp *connection)
{
	core_list_del(&connection->dc.on_dct);
	core_list_del(&connection->runnable);
	free(connection);
	dct->count--;
}

void hca_dct_forget_all(struct hca_dct *dct)
{
	while (!core_list_empty(&dct->connections))
		hca_dct_forget(dct,
			       core_container(dct->connections.next, struct hca_qp, dc.on_dct));
}
