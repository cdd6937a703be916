/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transport domain, TIS, TIR and RQ table: attributes to fields of their contexts.
 *
 *	RQT inbox:  header | rqtc | rqn rqn rqn …      the list has attr->n entries, on the heap
 */
#include <stdlib.h>

#include <devx/raw.h>
#include <prm/prm.h>

#include "context.h"
#include "refuse.h"

int devx_td_create(struct devx_obj *td, struct ibv_context *ctx)
{
	uint8_t in[PRM_SZ(alloc_transport_domain_in)] = { 0 };
	uint8_t out[PRM_SZ(alloc_transport_domain_out)] = { 0 };

	PRM_SET(alloc_transport_domain_in, in, opcode, PRM_OP_ALLOC_TRANSPORT_DOMAIN);
	return devx_obj_create(td, ctx, in, sizeof(in), out, sizeof(out));
}

int devx_tis_create(struct devx_obj *tis, struct ibv_context *ctx,
		    const struct devx_tis_attr *attr)
{
	uint8_t in[PRM_SZ(create_tis_in)] = { 0 }, out[PRM_SZ(create_tis_out)] = { 0 };
	uint8_t *tisc = PRM_ADDR(create_tis_in, in, ctx);

	if (attr->prio >> PRM_W(tisc, prio))
		return devx_refuse(CALL_devx_tis_create, PRM_OP_CREATE_TIS, EINVAL,
				   "prio has more than 4 bits");
	PRM_SET(create_tis_in, in, opcode, PRM_OP_CREATE_TIS);
	PRM_SET(tisc, tisc, transport_domain, attr->transport_domain);
	PRM_SET(tisc, tisc, pd, attr->pdn);
	PRM_SET(tisc, tisc, prio, attr->prio);
	PRM_SET(tisc, tisc, lag_tx_port_affinity, attr->lag_tx_port_affinity);
	return devx_obj_create(tis, ctx, in, sizeof(in), out, sizeof(out));
}

int devx_tis_query(struct devx_obj *tis, uint8_t tisc[PRM_SZ(tisc)])
{
	return DEVX_QUERY_CONTEXT(tis, QUERY_TIS, query_tis, tis_context, tisc, tisc);
}

static void fill_hash(uint8_t *tirc, const struct devx_tir_attr *attr)
{
	uint8_t *outer = PRM_ADDR(tirc, tirc, rx_hash_field_selector_outer);

	PRM_SET(tirc, tirc, indirect_table, attr->rqtn);
	PRM_SET(tirc, tirc, rx_hash_fn, attr->hash_fn);
	PRM_SET(tirc, tirc, rx_hash_symmetric, attr->symmetric);
	memcpy(PRM_ADDR(tirc, tirc, rx_hash_toeplitz_key), attr->toeplitz_key,
	       sizeof(attr->toeplitz_key));
	PRM_SET(rx_hash_field_select, outer, l3_prot_type, attr->ipv6);
	PRM_SET(rx_hash_field_select, outer, l4_prot_type, attr->udp);
	PRM_SET(rx_hash_field_select, outer, selected_fields, attr->selected_fields);
}

int devx_tir_create(struct devx_obj *tir, struct ibv_context *ctx,
		    const struct devx_tir_attr *attr)
{
	uint8_t in[PRM_SZ(create_tir_in)] = { 0 }, out[PRM_SZ(create_tir_out)] = { 0 };
	uint8_t *tirc = PRM_ADDR(create_tir_in, in, ctx);

	if (!attr->inline_rqn == !attr->rqtn)
		return devx_refuse(CALL_devx_tir_create, PRM_OP_CREATE_TIR, EINVAL,
				   "one of inline_rqn and rqtn is wanted");
	if (attr->rqtn && !attr->hash_fn)
		return devx_refuse(CALL_devx_tir_create, PRM_OP_CREATE_TIR, EINVAL,
				   "an RQ table without a hash function");
	PRM_SET(create_tir_in, in, opcode, PRM_OP_CREATE_TIR);
	PRM_SET(tirc, tirc, transport_domain, attr->transport_domain);
	PRM_SET(tirc, tirc, self_lb_block, attr->self_lb_block);
	PRM_SET(tirc, tirc, disp_type,
		attr->rqtn ? PRM_TIRC_DISP_TYPE_INDIRECT : PRM_TIRC_DISP_TYPE_DIRECT);
	PRM_SET(tirc, tirc, inline_rqn, attr->inline_rqn);
	if (attr->rqtn)
		fill_hash(tirc, attr);
	return devx_obj_create(tir, ctx, in, sizeof(in), out, sizeof(out));
}

int devx_tir_query(struct devx_obj *tir, uint8_t tirc[PRM_SZ(tirc)])
{
	return DEVX_QUERY_CONTEXT(tir, QUERY_TIR, query_tir, tir_context, tirc, tirc);
}

/* An inbox of @len bytes with the list after the context at @rqtc; NULL: no memory. */
static uint8_t *rqt_in(size_t len, size_t rqtc, const uint32_t *rqn, size_t n)
{
	uint8_t *in = calloc(1, len);

	if (!in)
		return NULL;
	PRM_SET(rqtc, in + rqtc, rqt_actual_size, n);
	for (size_t i = 0; i < n; i++)
		PRM_SET(rq_num, PRM_ADDR_AT(rqtc, in + rqtc, rq_num, i), rq_num, rqn[i]);
	return in;
}

int devx_rqt_create(struct devx_obj *rqt, struct ibv_context *ctx, const uint32_t *rqn,
		    size_t n, size_t max_size)
{
	size_t len = PRM_SZ(create_rqt_in) + n * PRM_SZ(rq_num);
	uint8_t out[PRM_SZ(create_rqt_out)] = { 0 }, *in;
	int err;

	if (!n || n > max_size || max_size > DEVX_RQT_MAX)
		return devx_refuse(CALL_devx_rqt_create, PRM_OP_CREATE_RQT, EINVAL,
				   "a table has at least 1 RQ, at most max_size, "
				   "and that at most 16315");
	in = rqt_in(len, PRM_OFF(create_rqt_in, rqt_context) / 8, rqn, n);
	if (!in)
		return devx_refuse(CALL_devx_rqt_create, PRM_OP_CREATE_RQT, ENOMEM,
				   "no memory");
	PRM_SET(create_rqt_in, in, opcode, PRM_OP_CREATE_RQT);
	PRM_SET(rqtc, PRM_ADDR(create_rqt_in, in, rqt_context), rqt_max_size, max_size);
	err = devx_obj_create(rqt, ctx, in, len, out, sizeof(out));
	free(in);
	return err;
}

int devx_rqt_modify(struct devx_obj *rqt, const uint32_t *rqn, size_t n)
{
	size_t len = PRM_SZ(modify_rqt_in) + n * PRM_SZ(rq_num);
	uint8_t out[PRM_SZ(modify_rqt_out)] = { 0 }, *in;
	int err;

	if (!n || n > DEVX_RQT_MAX)
		return devx_refuse(CALL_devx_rqt_modify, PRM_OP_MODIFY_RQT, EINVAL,
				   "a table has at least 1 RQ, at most 16315");
	in = rqt_in(len, PRM_OFF(modify_rqt_in, ctx) / 8, rqn, n);
	if (!in)
		return devx_refuse(CALL_devx_rqt_modify, PRM_OP_MODIFY_RQT, ENOMEM,
				   "no memory");
	PRM_SET(modify_rqt_in, in, opcode, PRM_OP_MODIFY_RQT);
	PRM_SET(modify_rqt_in, in, rqtn, rqt->id);
	PRM_SET(rqt_bitmask, PRM_ADDR(modify_rqt_in, in, bitmask), rqn_list, 1);
	err = devx_obj_modify(rqt, in, len, out, sizeof(out));
	free(in);
	return err;
}
