/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a GID to a MAC. The kernel knows how (neighbour table, ARP), and says it when an address
 * handle is made: libmlx5 keeps the answer in the address vector of the handle.
 */
#include <endian.h>
#include <string.h>

#include <devx/qp.h>
#include <prm/value.h>

#include "refuse.h"

enum { READS = 16 }; /* and atomics at a time of a QP that is its own peer */

static int port_of(struct ibv_context *ctx, uint8_t port, struct ibv_port_attr *attr)
{
	int err = ibv_query_port(ctx, port, attr);

	return err ? devx_refused(CALL_devx_av_resolve, 0, err) : 0;
}

static void read_av(struct devx_av *av, const struct mlx5_wqe_av *w)
{
	memcpy(av->dmac, w->rmac, sizeof(av->dmac));
	av->stat_rate = w->stat_rate_sl >> 4;
	/* RoCE has no LIDs: of version 2 the field carries the UDP source port. */
	if (!av->roce) {
		av->dlid = be16toh(w->rlid);
		av->path_bits = w->fl_mlid & 0x7f;
	} else if (!av->roce_v1) {
		av->udp_sport = be16toh(w->rlid);
	}
}

/* The RoCE version of the GID at sgid_index. */
static int read_gid_type(struct devx_av *av, struct ibv_context *ctx)
{
	struct ibv_gid_entry entry;
	int err = ibv_query_gid_ex(ctx, av->port, av->sgid_index, &entry, 0);

	av->roce_v1 = !err && entry.gid_type == IBV_GID_TYPE_ROCE_V1;
	return err ? devx_refused(CALL_devx_av_resolve, 0, err) : 0;
}

int devx_av_resolve(struct devx_av *av, struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct mlx5dv_ah dvah = { 0 };
	struct mlx5dv_obj obj = { .ah = { .out = &dvah } };
	struct ibv_port_attr port;
	int err = port_of(pd->context, attr->port_num, &port);

	if (err)
		return err;
	*av = (struct devx_av){
		.port = attr->port_num,
		.sl = attr->sl,
		.sgid_index = attr->grh.sgid_index,
		.hop_limit = attr->grh.hop_limit,
		.tclass = attr->grh.traffic_class,
		.dgid = attr->grh.dgid,
		.flow_label = attr->grh.flow_label,
		.is_global = attr->is_global,
		.roce = port.link_layer == IBV_LINK_LAYER_ETHERNET,
	};
	if (av->roce)
		err = read_gid_type(av, pd->context);
	if (err)
		return err;
	errno = 0;
	obj.ah.in = ibv_create_ah(pd, attr);
	if (!obj.ah.in)
		return devx_refused(CALL_devx_av_resolve, 0, errno);
	err = mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH);
	if (!err)
		read_av(av, dvah.av);
	ibv_destroy_ah(obj.ah.in);
	return err ? devx_refused(CALL_devx_av_resolve, 0, err) : 0;
}

/* Not by dv_endpoint_fill(): a port that is down will do. */
int devx_qp_connect_self(struct devx_qp *qp, struct ibv_pd *pd, uint8_t port, uint8_t gid_index)
{
	struct dv_endpoint own = { .qpn = qp->obj.id,
				   .port = port,
				   .gid_index = gid_index,
				   .rd_atomic = READS,
				   .init_rd_atomic = READS };
	struct dv_qp_conn conn;
	struct ibv_port_attr attr;
	int err = port_of(pd->context, port, &attr);

	if (err)
		return err;
	if (ibv_query_gid(pd->context, port, gid_index, &own.gid))
		return devx_refused(CALL_devx_qp_connect_self, 0, errno);
	own.lid = attr.lid;
	own.mtu = (uint8_t)attr.active_mtu;
	own.link_layer = attr.link_layer;
	dv_qp_conn_init(&conn);
	conn.hop_limit = 1;
	return devx_qp_connect(qp, pd, &own, &own, &conn);
}
