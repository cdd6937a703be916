/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets and their connections; see dct.h. Here is only memory: who is let in is the engine's
 * business, who may die firmware's.
 */
#include <stdlib.h>
#include <string.h>

#include "hca/hca.h"

struct hca_dct *hca_dct_new(struct hca *hca)
{
	struct hca_dct *dct = calloc(1, sizeof(*dct));

	if (!dct)
		return NULL;
	core_list_init(&dct->connections);
	dct->model = calloc(1, sizeof(*dct->model));
	if (dct->model && core_ids_add(&hca->dcts, dct, &dct->dctn)) {
		dct->model->qpn = dct->dctn;
		dct->model->counter = &hca->counts.no_set;
		return dct;
	}
	free(dct->model);
	free(dct);
	return NULL;
}

void hca_dct_free(struct hca *hca, struct hca_dct *dct)
{
	core_ids_del(&hca->dcts, dct->dctn);
	hca_dct_forget_all(dct);
	free(dct->model);
	free(dct);
}

struct hca_dct *hca_dct_find(struct hca *hca, uint32_t dctn)
{
	return core_ids_get(&hca->dcts, dctn);
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
