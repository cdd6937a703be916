/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets and their connections; see dct.h. Here is only memory: who is let in is the engine's
 * business, who may die firmware's.
 */
#include <stdlib.h>
#include <string.h>

#include "dev/dev.h"

struct dev_dct *dev_dct_new(struct dev *d)
{
	struct dev_dct *dct = calloc(1, sizeof(*dct));

	if (!dct)
		return NULL;
	core_list_init(&dct->connections);
	dct->model = calloc(1, sizeof(*dct->model));
	if (dct->model && core_ids_add(&d->dcts, dct, &dct->dctn)) {
		dct->model->qpn = dct->dctn;
		dct->model->counter = &d->counts.no_set;
		return dct;
	}
	free(dct->model);
	free(dct);
	return NULL;
}

void dev_dct_free(struct dev *d, struct dev_dct *dct)
{
	core_ids_del(&d->dcts, dct->dctn);
	dev_dct_forget_all(dct);
	free(dct->model);
	free(dct);
}

struct dev_dct *dev_dct_find(struct dev *d, uint32_t dctn)
{
	return core_ids_get(&d->dcts, dctn);
}

struct dev_qp *dev_dct_connect(struct dev_dct *dct)
{
	struct dev_qp *qp = malloc(sizeof(*qp));

	if (!qp)
		return NULL;
	*qp = *dct->model;
	core_list_add(&dct->connections, &qp->dc.on_dct);
	dct->count++;
	return qp;
}

void dev_dct_forget(struct dev_dct *dct, struct dev_qp *connection)
{
	core_list_del(&connection->dc.on_dct);
	core_list_del(&connection->runnable);
	free(connection);
	dct->count--;
}

void dev_dct_forget_all(struct dev_dct *dct)
{
	while (!core_list_empty(&dct->connections))
		dev_dct_forget(dct,
			       core_container(dct->connections.next, struct dev_qp, dc.on_dct));
}
