/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of the inputs of DevX' methods: inboxes that firmware takes, with live numbers.
 *
 *	umem   somewhere in the arena   | ring …            | record |
 *	                                0                   RECORD
 *	CREATE  opcode -> its context: PD, CQ, umem …      fill_*()
 *	MODIFY, QUERY  the object that the call names: a command about its kind, its number
 *
 * An inbox of another command is opcode and nothing else.
 */
#include <infiniband/verbs.h>

#include "call.h"
#include "prm/table.h"
#include "uverbs/devx.h"

#define UMEM_BYTES 65536
#define RECORD	   0xf000
#define LOG_WQES   4
#define LOG_STRIDE 6
#define CYCLIC	   1

/* ---- numbers ---- */

static struct uverbs_object *some(const struct client *s, enum uverbs_type type)
{
	uint32_t at = s->f->table_size ? below(s->f->table_size) : 0;

	for (uint32_t i = 0; i < s->f->table_size; i++) {
		struct uverbs_object *o = s->f->table[(at + i) % s->f->table_size];

		if (o && o->type == type)
			return o;
	}
	return NULL;
}

/* Handle of an object that DevX made by @opcode; any number if there is none. */
static uint32_t made(const struct client *s, uint16_t opcode)
{
	uint32_t at = s->f->table_size ? below(s->f->table_size) : 0;

	for (uint32_t i = 0; i < s->f->table_size; i++) {
		struct uverbs_object *o = s->f->table[(at + i) % s->f->table_size];

		if (o && o->type == UVERBS_DEVX_OBJ) {
			uint64_t id = core_container(o, struct uverbs_devx_obj, obj)->id;

			if ((uint16_t)(id >> 32) == opcode)
				return (uint32_t)id;
		}
	}
	return below(8);
}

static uint32_t pd(const struct client *s)
{
	struct uverbs_object *o = some(s, UVERBS_PD);

	return o ? core_container(o, struct uverbs_pd, obj)->pdn : made(s, PRM_OP_ALLOC_PD);
}

static uint32_t cq(const struct client *s)
{
	struct uverbs_object *o = one_in(2) ? some(s, UVERBS_CQ) : NULL;

	return o ? core_container(o, struct uverbs_cq, obj)->cqn : made(s, PRM_OP_CREATE_CQ);
}

static uint32_t uar(const struct client *s)
{
	struct uverbs_object *o = some(s, UVERBS_UAR);

	return o ? core_container(o, struct uverbs_uar, obj)->index : below(8);
}

static uint32_t umem(const struct client *s)
{
	struct uverbs_object *o = some(s, UVERBS_DEVX_UMEM);

	return o ? core_container(o, struct uverbs_devx_umem, obj)->umem_id : below(8);
}

/* ---- what makes an object ---- */

static void fill_cq(const struct client *s, uint8_t *in)
{
	uint8_t *cqc = PRM_ADDR(create_cq_in, in, cq_context);

	PRM_SET(create_cq_in, in, cq_umem_id, umem(s));
	PRM_SET(cqc, cqc, dbr_umem_id, umem(s));
	PRM_SET(cqc, cqc, dbr_addr, RECORD);
	PRM_SET(cqc, cqc, log_cq_size, below(8));
	PRM_SET(cqc, cqc, uar_page, uar(s));
	PRM_SET(cqc, cqc, c_eqn_or_apu_element, s->a->u->comp_eq[0].eqn);
}

static void fill_qp(const struct client *s, uint8_t *in)
{
	uint8_t *qpc = PRM_ADDR(create_qp_in, in, qpc);

	PRM_SET(create_qp_in, in, wq_umem_id, umem(s));
	PRM_SET(qpc, qpc, pm_state, 3);
	PRM_SET(qpc, qpc, st, below(4));
	PRM_SET(qpc, qpc, pd, pd(s));
	PRM_SET(qpc, qpc, uar_page, uar(s));
	PRM_SET(qpc, qpc, cqn_snd, cq(s));
	PRM_SET(qpc, qpc, cqn_rcv, cq(s));
	PRM_SET(qpc, qpc, log_sq_size, below(7));
	PRM_SET(qpc, qpc, log_rq_size, below(7));
	PRM_SET(qpc, qpc, log_rq_stride, 2);
	PRM_SET(qpc, qpc, dbr_umem_id, umem(s));
	PRM_SET(qpc, qpc, dbr_addr, RECORD);
}

static void fill_mkey(const struct client *s, uint8_t *in)
{
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);

	PRM_SET(create_mkey_in, in, pg_access, 1);
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, 1);
	PRM_SET(create_mkey_in, in, mkey_umem_id, umem(s));
	PRM_SET(mkc, mkc, access_mode_1_0, 1);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, lw, 1);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, pd(s));
	PRM_SET(mkc, mkc, len, 4096);
	PRM_SET(mkc, mkc, translations_octword_size, 1);
	PRM_SET(mkc, mkc, log_page_size, 12);
}

/* Bytes of two other keys. */
static void fill_list(const struct client *s, uint8_t *in)
{
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);
	uint8_t *klm = PRM_ADDR(create_mkey_in, in, klms);

	PRM_SET(create_mkey_in, in, translations_octword_actual_size, 2);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_KLMS);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, pd(s));
	PRM_SET(mkc, mkc, len, 4096);
	PRM_SET(mkc, mkc, translations_octword_size, 2);
	for (int i = 0; i < 2; i++, klm += PRM_SZ(klm)) {
		PRM_SET(klm, klm, byte_count, 2048);
		PRM_SET(klm, klm, mkey, made(s, PRM_OP_CREATE_MKEY) << 8);
	}
}

static void fill_rqt(const struct client *s, uint8_t *in)
{
	uint8_t *rqtc = PRM_ADDR(create_rqt_in, in, rqt_context);

	PRM_SET(rqtc, rqtc, rqt_max_size, 4);
	PRM_SET(rqtc, rqtc, rqt_actual_size, 2);
	for (int i = 0; i < 2; i++)
		PRM_SET_AT(rqtc, rqtc, rq_num, i, made(s, PRM_OP_CREATE_RQ));
}

static void fill_element(const struct client *s, uint8_t *in)
{
	uint8_t *ctx = PRM_ADDR(create_scheduling_element_in, in, scheduling_context);
	bool root = one_in(2);

	PRM_SET(create_scheduling_element_in, in, scheduling_hierarchy, 3);
	PRM_SET(scheduling_context, ctx, element_type, root ? 0 : 4);
	if (!root)
		PRM_SET(scheduling_context, ctx, parent_element_id,
			made(s, PRM_OP_CREATE_SCHEDULING_ELEMENT));
}

static void fill_wq(const struct client *s, uint8_t *wq, bool cyclic)
{
	PRM_SET(wq, wq, wq_type, cyclic ? CYCLIC : 0);
	PRM_SET(wq, wq, pd, pd(s));
	PRM_SET(wq, wq, dbr_addr, RECORD);
	PRM_SET(wq, wq, log_wq_stride, LOG_STRIDE);
	PRM_SET(wq, wq, log_wq_sz, LOG_WQES);
	PRM_SET(wq, wq, wq_umem_id, umem(s));
	PRM_SET(wq, wq, dbr_umem_id, umem(s));
}

static void fill_rmp(const struct client *s, uint8_t *in)
{
	uint8_t *rmpc = PRM_ADDR(create_rmp_in, in, ctx);

	PRM_SET(rmpc, rmpc, state, 1);
	fill_wq(s, PRM_ADDR(rmpc, rmpc, wq), false);
}

static void fill_rq(const struct client *s, uint8_t *in)
{
	uint8_t *rqc = PRM_ADDR(create_rq_in, in, ctx);

	PRM_SET(rqc, rqc, vsd, 1);
	PRM_SET(rqc, rqc, cqn, cq(s));
	fill_wq(s, PRM_ADDR(rqc, rqc, wq), true);
}

static void fill_sq(const struct client *s, uint8_t *in)
{
	uint8_t *sqc = PRM_ADDR(create_sq_in, in, ctx), *wq = PRM_ADDR(sqc, sqc, wq);

	PRM_SET(sqc, sqc, cqn, cq(s));
	PRM_SET(sqc, sqc, tis_lst_sz, 1);
	PRM_SET(sqc, sqc, tis_num_0, made(s, PRM_OP_CREATE_TIS));
	fill_wq(s, wq, true);
	PRM_SET(wq, wq, uar_page, uar(s));
}

static void fill_tis(const struct client *s, uint8_t *in)
{
	uint8_t *tisc = PRM_ADDR(create_tis_in, in, ctx);

	PRM_SET(tisc, tisc, transport_domain, made(s, PRM_OP_ALLOC_TRANSPORT_DOMAIN));
}

static void fill_tir(const struct client *s, uint8_t *in)
{
	uint8_t *tirc = PRM_ADDR(create_tir_in, in, ctx);

	PRM_SET(tirc, tirc, transport_domain, made(s, PRM_OP_ALLOC_TRANSPORT_DOMAIN));
	PRM_SET(tirc, tirc, inline_rqn, made(s, PRM_OP_CREATE_RQ));
}

static void fill_psv(const struct client *s, uint8_t *in)
{
	PRM_SET(create_psv_in, in, num_psv, 1);
	PRM_SET(create_psv_in, in, pd, pd(s));
}

static void fill_general(const struct client *s, uint8_t *in)
{
	(void)s;
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type,
		one_in(2) ? PRM_OBJ_RESERVED_QPN : below(0x30));
}

static const struct maker {
	uint16_t opcode;
	void (*fill)(const struct client *s, uint8_t *in); /* NULL: the opcode is enough */
	size_t list;					   /* bytes after the structure */
} makers[] = {
	{ PRM_OP_CREATE_CQ, fill_cq, 0 },
	{ PRM_OP_CREATE_QP, fill_qp, 0 },
	{ PRM_OP_CREATE_MKEY, fill_mkey, 0 },
	{ PRM_OP_CREATE_MKEY, fill_list, 4 * PRM_SZ(klm) },
	{ PRM_OP_CREATE_RMP, fill_rmp, 0 },
	{ PRM_OP_CREATE_RQ, fill_rq, 0 },
	{ PRM_OP_CREATE_SQ, fill_sq, 0 },
	{ PRM_OP_CREATE_TIS, fill_tis, 0 },
	{ PRM_OP_CREATE_TIR, fill_tir, 0 },
	{ PRM_OP_CREATE_RQT, fill_rqt, 8 },
	{ PRM_OP_CREATE_PSV, fill_psv, 0 },
	{ PRM_OP_CREATE_SCHEDULING_ELEMENT, fill_element, 0 },
	{ PRM_OP_CREATE_GENERAL_OBJECT, fill_general, 0 },
	{ PRM_OP_ALLOC_PD, NULL, 0 },
	{ PRM_OP_ALLOC_TRANSPORT_DOMAIN, NULL, 0 },
	{ PRM_OP_ALLOC_XRCD, NULL, 0 },
	{ PRM_OP_ALLOC_Q_COUNTER, NULL, 0 },
	{ PRM_OP_ALLOC_FLOW_COUNTER, NULL, 0 },
};

/* ---- inboxes ---- */

static size_t begin(uint8_t *buf, const struct prm_cmd *cmd)
{
	size_t len = cmd->in->bytes < CONTENT_MAX ? cmd->in->bytes : CONTENT_MAX;

	memset(buf, 0, CONTENT_MAX);
	PRM_SET(mbox_in, buf, opcode, cmd->opcode);
	return len < 16 ? 16 : len;
}

static const struct prm_cmd *some_command(void)
{
	const struct prm_cmd *cmd = prm_cmd_next(NULL);

	for (uint32_t skip = below(400); skip; skip--) {
		cmd = prm_cmd_next(cmd);
		if (!cmd)
			cmd = prm_cmd_next(NULL);
	}
	return cmd;
}

static size_t general_box(uint8_t *buf)
{
	const struct prm_cmd *cmd = one_in(3) ? prm_cmd(PRM_OP_QUERY_HCA_CAP) : some_command();
	size_t len = begin(buf, cmd);

	if (cmd->opcode == PRM_OP_QUERY_HCA_CAP)
		buf[7] = below(66);
	return len;
}

static size_t create_box(const struct client *s, uint8_t *buf)
{
	const struct maker *m = &PICK(makers);
	size_t len;

	if (one_in(12))
		return begin(buf, some_command());
	len = begin(buf, prm_cmd(m->opcode));
	if (m->fill)
		m->fill(s, buf);
	return len + m->list;
}

/* The kind of object that @handle is, and its number. */
static uint64_t identity(const struct client *s, uint64_t handle)
{
	struct uverbs_object *o = handle < s->f->table_size ? s->f->table[handle] : NULL;

	switch (o ? o->type : UVERBS_ANY) {
	case UVERBS_DEVX_OBJ:
		return core_container(o, struct uverbs_devx_obj, obj)->id;
	case UVERBS_CQ:
		return uverbs_devx_id(PRM_OP_CREATE_CQ,
				      core_container(o, struct uverbs_cq, obj)->cqn);
	case UVERBS_QP:
		return uverbs_devx_id(PRM_OP_CREATE_QP,
				      core_container(o, struct uverbs_qp, obj)->qpn);
	default:
		return 0;
	}
}

/* Commands about an object have its number at the same place; whether one is about this kind,
 * the filter knows. */
static size_t object_box(const struct client *s, uint64_t handle, bool query, uint8_t *buf)
{
	uint64_t id = identity(s, handle);

	for (int tries = 400; tries && id; tries--) {
		size_t len = begin(buf, some_command());

		PRM_SET(general_obj_in_cmd_hdr, buf, obj_id, (uint32_t)id);
		if ((uint16_t)(id >> 32) == PRM_OP_CREATE_GENERAL_OBJECT)
			PRM_SET(general_obj_in_cmd_hdr, buf, obj_type, id >> 48);
		if ((query ? uverbs_devx_queries(buf) : uverbs_devx_modifies(buf)) &&
		    uverbs_devx_named(buf) == id)
			return len;
	}
	return begin(buf, some_command());
}

/* ---- the methods ---- */

static size_t give(uint8_t *buf, uint64_t v, size_t len)
{
	memcpy(buf, &v, len);
	return len;
}

/* Mostly kinds that one may subscribe to. */
static size_t events(uint8_t *buf)
{
	static const uint16_t kinds[] = { 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x10, 0x13 };
	uint16_t n = one_in(4) ? 1 + below(4) : 1, event;

	for (uint16_t i = 0; i < n; i++) {
		event = one_in(8) ? (uint16_t)odd_number() : PICK(kinds);
		memcpy(buf + 2 * i, &event, sizeof(event));
	}
	return 2 * n;
}

#define KEY(object, method, attr) \
	((uint64_t)(object) << 32 | (uint32_t)(method) << 16 | (uint32_t)(attr))
#define DEVX(method, attr) \
	KEY(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_##method, MLX5_IB_ATTR_DEVX_##attr)
#define OBJ(method, attr)                                              \
	KEY(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_##method, \
	    MLX5_IB_ATTR_DEVX_OBJ_##attr)
#define UMEM(attr)                                                  \
	KEY(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, \
	    MLX5_IB_ATTR_DEVX_UMEM_REG_##attr)

size_t content_devx(const struct client *s, const struct target *t,
		    const struct uverbs_attr_spec *spec, uint8_t *buf)
{
	switch (KEY(t->m->object, t->m->method, spec->id)) {
	case DEVX(OTHER, OTHER_CMD_IN):
		return general_box(buf);
	case DEVX(SUBSCRIBE_EVENT, SUBSCRIBE_EVENT_TYPE_NUM_LIST):
		return events(buf);
	case OBJ(CREATE, CREATE_CMD_IN):
		return create_box(s, buf);
	case OBJ(MODIFY, MODIFY_CMD_IN):
		return object_box(s, call_handle(), false, buf);
	case OBJ(QUERY, QUERY_CMD_IN):
	case OBJ(ASYNC_QUERY, QUERY_ASYNC_CMD_IN):
		return object_box(s, call_handle(), true, buf);
	case OBJ(ASYNC_QUERY, QUERY_ASYNC_OUT_LEN):
		return give(buf, below(1024), 8);
	case UMEM(ADDR):
		return give(buf, arena_page(), 8);
	case UMEM(LEN):
		return give(buf, one_in(4) ? 1 + below(UMEM_BYTES) : UMEM_BYTES, 8);
	case UMEM(ACCESS):
		return give(buf, one_in(4) ? below(16) : IBV_ACCESS_LOCAL_WRITE, 8);
	case UMEM(PGSZ_BITMAP):
		return give(buf, one_in(4) ? odd_number() : ~(uint64_t)4095, 8);
	}
	return 0;
}
