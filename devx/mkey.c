/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CREATE_MKEY in four forms. The inbox of an indirect key carries its list after the
 * 0x110 bytes of the structure:
 *
 *	0x000 header   0x010 mkc   0x060 sizes, umem   0x110 list, 16 bytes an entry
 */
#include <stdbool.h>
#include <stdlib.h>

#include <devx/caps.h>
#include <devx/mkey.h>

#include "context.h"
#include "refuse.h"

enum {
	ANY_QP = 0xffffff,
	LOG_ADAPTER_PAGE = 12,
	/* CREATE_MKEY: lists come in units of 64 bytes. */
	LIST_UNIT = 4,
	MKEY_ACCESS = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		      IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
		      IBV_ACCESS_RELAXED_ORDERING,
};

static int refuse(enum devx_call call, const char *why)
{
	return devx_refuse(call, PRM_OP_CREATE_MKEY, EINVAL, why);
}

static int check(enum devx_call call, const struct devx_mkey_attr *attr)
{
	if (attr->access & ~(uint32_t)MKEY_ACCESS)
		return refuse(call, "an access flag that memory keys do not have");
	if (attr->pdn >> 24)
		return refuse(call, "pdn has more than 24 bits");
	return 0;
}

/* Fills the fields common to all kinds; returns the context. */
static uint8_t *fill(uint8_t *in, const struct devx_mkey_attr *attr, unsigned int mode)
{
	uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);

	PRM_SET(create_mkey_in, in, opcode, PRM_OP_CREATE_MKEY);
	PRM_SET(mkc, mkc, access_mode_1_0, mode & 3);
	PRM_SET(mkc, mkc, access_mode_4_2, mode >> 2);
	PRM_SET(mkc, mkc, a, !!(attr->access & IBV_ACCESS_REMOTE_ATOMIC));
	PRM_SET(mkc, mkc, rw, !!(attr->access & IBV_ACCESS_REMOTE_WRITE));
	PRM_SET(mkc, mkc, rr, !!(attr->access & IBV_ACCESS_REMOTE_READ));
	PRM_SET(mkc, mkc, lw, !!(attr->access & IBV_ACCESS_LOCAL_WRITE));
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, qpn, ANY_QP);
	PRM_SET(mkc, mkc, mkey_7_0, attr->tag);
	PRM_SET(mkc, mkc, pd, attr->pdn);
	PRM_SET(mkc, mkc, start_addr, attr->start_addr);
	PRM_SET(mkc, mkc, len, attr->len);
	return mkc;
}

/* Sets the relaxed ordering that the device supports, as ibv_reg_mr() does: the flag is
 * optional. */
static int relax(struct ibv_context *ctx, uint8_t *mkc)
{
	uint8_t caps[DEVX_CAPS_BYTES];
	int err = devx_caps_query(caps, ctx, PRM_CAP_GENERAL, PRM_CAP_CUR);

	if (err)
		return err;
	PRM_SET(mkc, mkc, relaxed_ordering_write,
		DEVX_CAP(GENERAL, caps, relaxed_ordering_write));
	PRM_SET(mkc, mkc, relaxed_ordering_read,
		DEVX_CAP(GENERAL, caps, relaxed_ordering_read));
	return 0;
}

static int execute(struct devx_mkey *mkey, struct ibv_context *ctx, uint8_t *in, size_t len,
		   const struct devx_mkey_attr *attr)
{
	uint8_t out[PRM_SZ(create_mkey_out)] = { 0 };
	int err = 0;

	if (attr->access & IBV_ACCESS_RELAXED_ORDERING)
		err = relax(ctx, PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry));
	if (!err)
		err = devx_obj_create(&mkey->obj, ctx, in, len, out, sizeof(out));
	if (!err)
		mkey->key = mkey->obj.id << 8 | attr->tag;
	return err;
}

int devx_mkey_create(struct devx_mkey *mkey, struct ibv_context *ctx,
		     const struct devx_mkey_attr *attr)
{
	uint8_t in[PRM_SZ(create_mkey_in)] = { 0 };
	int err = check(CALL_devx_mkey_create, attr);
	uint8_t *mkc;

	if (err)
		return err;
	if (!attr->len)
		return refuse(CALL_devx_mkey_create, "len is 0");
	if (attr->log_page_size &&
	    (attr->log_page_size < LOG_ADAPTER_PAGE || attr->log_page_size > 31))
		return refuse(CALL_devx_mkey_create, "log_page_size is not 12 to 31");
	mkc = fill(in, attr, PRM_MKC_ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, log_page_size,
		attr->log_page_size ? attr->log_page_size : LOG_ADAPTER_PAGE);
	/* The umem has the page list, so these sizes count nothing, but 0 is not what public
	 * users of umem keys send (UCX, ib_mlx5dv_md.c). */
	PRM_SET(mkc, mkc, translations_octword_size, 1);
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, 1);
	PRM_SET(create_mkey_in, in, pg_access, 1);
	PRM_SET(create_mkey_in, in, mkey_umem_valid, 1);
	PRM_SET(create_mkey_in, in, mkey_umem_id, attr->umem_id);
	PRM_SET(create_mkey_in, in, mkey_umem_offset, attr->umem_offset);
	return execute(mkey, ctx, in, sizeof(in), attr);
}

static int check_list(enum devx_call call, const struct devx_mkey_attr *attr, size_t n)
{
	if (!n)
		return refuse(call, "a list of no entries");
	if (n > DEVX_MKEY_MAX_ENTRIES)
		return refuse(call, "the list does not fit an inbox: at most 4076 entries");
	return check(call, attr);
}

static int create_list(struct devx_mkey *mkey, struct ibv_context *ctx,
		       const struct devx_mkey_attr *attr, const struct devx_mkey_entry *entry,
		       size_t n)
{
	bool ksm = attr->log_entity_size;
	size_t octwords = (n + LIST_UNIT - 1) / LIST_UNIT * LIST_UNIT;
	size_t len = PRM_SZ(create_mkey_in) + octwords * PRM_SZ(klm);
	uint8_t *in = calloc(1, len), *mkc, *klm;
	int err;

	if (!in)
		return devx_refuse(CALL_devx_mkey_create, PRM_OP_CREATE_MKEY, ENOMEM,
				   "no memory");
	mkc = fill(in, attr, ksm ? PRM_MKC_ACCESS_MODE_KSM : PRM_MKC_ACCESS_MODE_KLMS);
	PRM_SET(mkc, mkc, log_entity_size, attr->log_entity_size);
	PRM_SET(mkc, mkc, translations_octword_size, n);
	PRM_SET(create_mkey_in, in, translations_octword_actual_size, n);
	klm = PRM_ADDR(create_mkey_in, in, klm_pas_mtt);
	for (size_t i = 0; i < n; i++, klm += PRM_SZ(klm)) {
		PRM_SET(klm, klm, byte_count, ksm ? 0 : entry[i].len);
		PRM_SET(klm, klm, mkey, entry[i].key);
		PRM_SET(klm, klm, address, entry[i].addr);
	}
	err = execute(mkey, ctx, in, len, attr);
	free(in);
	return err;
}

int devx_mkey_create_klm(struct devx_mkey *mkey, struct ibv_context *ctx,
			 const struct devx_mkey_attr *attr, const struct devx_mkey_entry *entry,
			 size_t n)
{
	struct devx_mkey_attr a = *attr;
	uint64_t sum = 0;
	int err = check_list(CALL_devx_mkey_create_klm, attr, n);

	if (err)
		return err;
	for (size_t i = 0; i < n; sum += entry[i++].len)
		if (!entry[i].len)
			return refuse(CALL_devx_mkey_create_klm, "an entry of length 0");
	if (attr->log_entity_size)
		return refuse(CALL_devx_mkey_create_klm, "log_entity_size is of KSM keys");
	if (attr->len > sum)
		return refuse(CALL_devx_mkey_create_klm, "len is more than the entries have");
	a.len = attr->len ? attr->len : sum;
	return create_list(mkey, ctx, &a, entry, n);
}

int devx_mkey_create_ksm(struct devx_mkey *mkey, struct ibv_context *ctx,
			 const struct devx_mkey_attr *attr, const struct devx_mkey_entry *entry,
			 size_t n)
{
	struct devx_mkey_attr a = *attr;
	uint64_t sum = (uint64_t)n << (attr->log_entity_size & 31);
	int err = check_list(CALL_devx_mkey_create_ksm, attr, n);

	if (err)
		return err;
	if (!attr->log_entity_size || attr->log_entity_size > 31)
		return refuse(CALL_devx_mkey_create_ksm, "log_entity_size is not 1 to 31");
	if (attr->len > sum)
		return refuse(CALL_devx_mkey_create_ksm, "len is more than the entries have");
	a.len = attr->len ? attr->len : sum;
	return create_list(mkey, ctx, &a, entry, n);
}

static int has_crossing(struct ibv_context *ctx)
{
	uint8_t caps[DEVX_CAPS_BYTES];
	int err = devx_caps_query(caps, ctx, PRM_CAP_GENERAL, PRM_CAP_CUR);

	if (err || DEVX_CAP(GENERAL, caps, crossing_vhca_mkey))
		return err;
	return devx_refuse(CALL_devx_mkey_create_crossing, PRM_OP_CREATE_MKEY, EOPNOTSUPP,
			   "the device has no crossing mkeys (crossing_vhca_mkey)");
}

int devx_mkey_create_crossing(struct devx_mkey *mkey, struct ibv_context *ctx,
			      const struct devx_mkey_attr *attr, uint16_t vhca_id,
			      uint32_t target_mkey)
{
	uint8_t in[PRM_SZ(create_mkey_in)] = { 0 };
	int err = check(CALL_devx_mkey_create_crossing, attr);
	uint8_t *mkc;

	if (!err)
		err = has_crossing(ctx);
	if (err)
		return err;
	mkc = fill(in, attr, PRM_MKC_ACCESS_MODE_CROSSING);
	PRM_SET(mkc, mkc, length64, !attr->len);
	PRM_SET(mkc, mkc, crossing_target_vhca_id, vhca_id);
	PRM_SET(mkc, mkc, crossing_target_mkey, target_mkey);
	return execute(mkey, ctx, in, sizeof(in), attr);
}

int devx_mkey_query(struct devx_mkey *mkey, uint8_t mkc[PRM_SZ(mkc)])
{
	return DEVX_QUERY_CONTEXT(&mkey->obj, QUERY_MKEY, query_mkey, memory_key_mkey_entry,
				  mkc, mkc);
}

int devx_mkey_destroy(struct devx_mkey *mkey)
{
	return devx_obj_destroy(&mkey->obj);
}
