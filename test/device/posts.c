/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of a kernel of a GPU, for fences.sh: made of the public inline API. */
#include <dv/many.h>

int write_and_ring(struct dv_sq *sq, struct dv_raddr to, const struct ibv_sge *sge)
{
	int err = dv_sq_write(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, sge, 1);

	dv_sq_doorbell_nc(sq);
	return err;
}

int add_and_ring_without_record(struct dv_sq *sq, struct dv_raddr to, const struct ibv_sge *sge)
{
	int err = dv_sq_fetch_add(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, sge, 1);

	dv_sq_doorbell_no_dbr(sq);
	return err;
}

int put(struct dv_many *q, struct dv_raddr to, const struct ibv_sge *sge)
{
	struct dv_turn t;
	struct dv_sq sq;
	int err = dv_many_reserve(q, 1, &t);

	if (err)
		return err;
	sq = dv_many_window(q, &t, 0);
	dv_sq_write(&sq, MLX5_WQE_CTRL_CQ_UPDATE, to, sge, 1);
	return dv_many_publish(q, &t, &sq, DV_DOORBELL_NC, DV_PUBLISH_LAST);
}

int poll(struct dv_many *q)
{
	return dv_many_poll(q);
}
