/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The four doors, and what came back through them.
 *
 *	mlx5dv_devx_*() --> errno, outbox --> executed, or refused by: kernel | firmware
 *
 * The outbox is cleared first: kernels before 5.18 leave it alone when the firmware refuses,
 * and the status in it decides who refused. libmlx5 replaces EREMOTEIO by an errno value made
 * from the status (rdma-core, providers/mlx5/mlx5.c); devx puts EREMOTEIO back.
 */
#include <stdlib.h>

#include <devx/devx.h>
#include <prm/prm.h>

#include "refuse.h"

enum { BOX_MIN = 16 }; /* mlx5_ib, devx.c: general_obj_in_cmd_hdr, general_obj_out_cmd_hdr */

static uint16_t opcode_of(const void *in)
{
	return (uint16_t)PRM_GET(mbox_in, in, opcode);
}

static int prepare(const char *call, size_t in_len, void *out, size_t out_len)
{
	if (in_len < BOX_MIN || out_len < BOX_MIN)
		return devx_refuse(call, 0, EINVAL, "inbox and outbox have at least 16 bytes");
	memset(out, 0, out_len);
	return 0;
}

int devx_cmd(struct ibv_context *ctx, const void *in, size_t in_len, void *out, size_t out_len)
{
	int err = prepare(__func__, in_len, out, out_len);

	if (err)
		return err;
	err = mlx5dv_devx_general_cmd(ctx, in, in_len, out, out_len);
	return devx_judge(__func__, err < 0 ? errno : err, in, out);
}

/* Where the outbox has the number of the new object: opcode, bit, bits. */
struct place {
	uint16_t opcode, bit, width;
};

#define PLACE(op, s, f)                                 \
	{                                               \
		PRM_OP_##op, PRM_OFF(s, f), PRM_W(s, f) \
	}

static const struct place ids[] = {
	PLACE(CREATE_MKEY, create_mkey_out, mkey_index),
	PLACE(CREATE_CQ, create_cq_out, cqn),
	PLACE(CREATE_QP, create_qp_out, qpn),
	PLACE(CREATE_PSV, create_psv_out, psv0_index),
	PLACE(CREATE_SRQ, create_srq_out, srqn),
	PLACE(CREATE_XRC_SRQ, create_xrc_srq_out, xrc_srqn),
	PLACE(CREATE_DCT, create_dct_out, dctn),
	PLACE(CREATE_XRQ, create_xrq_out, xrqn),
	PLACE(ALLOC_Q_COUNTER, alloc_q_counter_out, counter_set_id),
	PLACE(CREATE_SCHEDULING_ELEMENT, create_scheduling_element_out, scheduling_element_id),
	PLACE(ALLOC_PD, alloc_pd_out, pd),
	PLACE(ALLOC_XRCD, alloc_xrcd_out, xrcd),
	PLACE(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain_out, transport_domain),
	PLACE(CREATE_TIR, create_tir_out, tirn),
	PLACE(CREATE_SQ, create_sq_out, sqn),
	PLACE(CREATE_RQ, create_rq_out, rqn),
	PLACE(CREATE_RMP, create_rmp_out, rmpn),
	PLACE(CREATE_TIS, create_tis_out, tisn),
	PLACE(CREATE_RQT, create_rqt_out, rqtn),
	PLACE(CREATE_FLOW_TABLE, create_flow_table_out, table_id),
	PLACE(CREATE_FLOW_GROUP, create_flow_group_out, group_id),
	PLACE(ALLOC_FLOW_COUNTER, alloc_flow_counter_out, flow_counter_id),
	PLACE(ALLOC_PACKET_REFORMAT_CONTEXT, alloc_packet_reformat_context_out,
	      packet_reformat_id),
	PLACE(ALLOC_MODIFY_HEADER_CONTEXT, alloc_modify_header_context_out, modify_header_id),
	PLACE(CREATE_GENERAL_OBJECT, general_obj_out_cmd_hdr, obj_id),
};

/* Some name an object of the caller's choice, and the number is in the inbox. */
static const struct place named[] = {
	PLACE(ATTACH_TO_MCG, attach_to_mcg_in, qpn),
	PLACE(ADD_VXLAN_UDP_DPORT, add_vxlan_udp_dport_in, vxlan_udp_port),
	PLACE(SET_L2_TABLE_ENTRY, set_l2_table_entry_in, table_index),
	PLACE(SET_FLOW_TABLE_ENTRY, set_fte_in, flow_index),
};

static bool read_id(const struct place *place, size_t n, uint16_t opcode, const void *box,
		    size_t len, uint32_t *id)
{
	for (size_t i = 0; i < n; i++, place++) {
		if (place->opcode != opcode || place->bit + place->width > len * 8)
			continue;
		*id = (uint32_t)prm_load(box, place->bit, place->width);
		return true;
	}
	return false;
}

int devx_obj_create(struct devx_obj *obj, struct ibv_context *ctx, const void *in,
		    size_t in_len, void *out, size_t out_len)
{
	int err = prepare(__func__, in_len, out, out_len);

	if (err)
		return err;
	*obj = (struct devx_obj){ .ctx = ctx, .opcode = opcode_of(in) };
	errno = 0;
	obj->handle = mlx5dv_devx_obj_create(ctx, in, in_len, out, out_len);
	if (!obj->handle)
		return devx_judge(__func__, errno ? errno : EIO, in, out);
	if (!read_id(ids, sizeof(ids) / sizeof(ids[0]), obj->opcode, out, out_len, &obj->id))
		read_id(named, sizeof(named) / sizeof(named[0]), obj->opcode, in, in_len,
			&obj->id);
	if (obj->opcode == PRM_OP_CREATE_GENERAL_OBJECT)
		obj->type = (uint16_t)PRM_GET(general_obj_in_cmd_hdr, in, obj_type);
	return 0;
}

/* libmlx5 would follow the handle. */
static int alive(const char *call, const struct devx_obj *obj, const void *in)
{
	if (obj->handle)
		return 0;
	return devx_refuse(call, opcode_of(in), EINVAL,
			   "the object was destroyed, or never made");
}

int devx_obj_modify(struct devx_obj *obj, const void *in, size_t in_len, void *out,
		    size_t out_len)
{
	int err = prepare(__func__, in_len, out, out_len);

	if (!err)
		err = alive(__func__, obj, in);
	if (err)
		return err;
	err = mlx5dv_devx_obj_modify(obj->handle, in, in_len, out, out_len);
	return devx_judge(__func__, err < 0 ? errno : err, in, out);
}

int devx_obj_query(struct devx_obj *obj, const void *in, size_t in_len, void *out,
		   size_t out_len)
{
	int err = prepare(__func__, in_len, out, out_len);

	if (!err)
		err = alive(__func__, obj, in);
	if (err)
		return err;
	err = mlx5dv_devx_obj_query(obj->handle, in, in_len, out, out_len);
	return devx_judge(__func__, err < 0 ? errno : err, in, out);
}

int devx_obj_destroy(struct devx_obj *obj)
{
	int err = obj->handle ? mlx5dv_devx_obj_destroy(obj->handle) : 0;

	if (err)
		return devx_refused(__func__, obj->opcode, err < 0 ? errno : err);
	obj->handle = NULL;
	return 0;
}

static struct ibv_device *find(struct ibv_device **list, const char *name)
{
	for (; list && *list; list++)
		if (name ? !strcmp(ibv_get_device_name(*list), name)
			 : mlx5dv_is_supported(*list))
			return *list;
	return NULL;
}

static int open_in(struct ibv_context **ctx, struct ibv_device *device)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };

	if (!device)
		return devx_refuse("devx_open", 0, ENODEV, "no such mlx5 device");
	if (!mlx5dv_is_supported(device))
		return devx_refuse("devx_open", 0, EOPNOTSUPP, "not an mlx5 device");
	errno = 0;
	*ctx = mlx5dv_open_device(device, &attr);
	return *ctx ? 0 : devx_refused("devx_open", 0, errno);
}

int devx_open(struct ibv_context **ctx, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int err = open_in(ctx, find(list, name));

	if (list)
		ibv_free_device_list(list);
	return err;
}
