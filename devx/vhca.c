/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mkeys for other VHCAs: ALLOW_OTHER_VHCA_ACCESS on the side of the owner, an alias on the
 * other.
 *
 *	allow   0x00 header   0x12 type   0x14 number   0x20 access key
 *	alias   0x00 header, alias_object   0x10 alias_context, in both boxes
 */
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include <devx/caps.h>
#include <devx/pd.h>
#include <devx/vhca.h>
#include <prm/prm.h>

#include "refuse.h"

enum { LOG_PAGE = 12, LOG_ENTITY_MAX = 31 };

_Static_assert(PRM_SZ(alias_context) == 64, "devx_alias_query()");

/* ---- random numbers ---- */

static int random_bytes(enum devx_call call, void *at, size_t n)
{
	ssize_t got;

	do
		got = getrandom(at, n, 0);
	while (got < 0 && errno == EINTR);
	/* getrandom(2): up to 256 bytes are returned whole. */
	return got == (ssize_t)n ? 0 : devx_refuse(call, 0, EIO, "getrandom() failed");
}

int devx_access_key_create(uint8_t key[DEVX_ACCESS_KEY_BYTES])
{
	return random_bytes(CALL_devx_access_key_create, key, DEVX_ACCESS_KEY_BYTES);
}

/* ---- the adapter ---- */

struct device {
	uint8_t general[DEVX_CAPS_BYTES], general_2[DEVX_CAPS_BYTES];
	uint64_t sys_image_guid;
};

static int ask(enum devx_call call, struct ibv_context *ctx, struct device *d)
{
	struct ibv_device_attr attr;
	int err = devx_caps_query(d->general, ctx, PRM_CAP_GENERAL, PRM_CAP_CUR);

	memset(d->general_2, 0, sizeof(d->general_2));
	if (!err && DEVX_CAP(GENERAL, d->general, hca_cap_2))
		err = devx_caps_query(d->general_2, ctx, PRM_CAP_GENERAL_2, PRM_CAP_CUR);
	if (err)
		return err;
	err = ibv_query_device(ctx, &attr);
	if (err)
		return devx_refused(call, 0, err);
	d->sys_image_guid = be64toh(attr.sys_image_guid);
	return 0;
}

/* ---- the exporter ---- */

int devx_allow_other_vhca(struct ibv_context *ctx, uint16_t type, uint32_t id,
			  const uint8_t key[DEVX_ACCESS_KEY_BYTES])
{
	uint8_t in[PRM_SZ(allow_other_vhca_access_in)] = { 0 };
	uint8_t out[PRM_SZ(allow_other_vhca_access_out)];

	PRM_SET(allow_other_vhca_access_in, in, opcode, PRM_OP_ALLOW_OTHER_VHCA_ACCESS);
	PRM_SET(allow_other_vhca_access_in, in, object_type_to_be_accessed, type);
	PRM_SET(allow_other_vhca_access_in, in, object_id_to_be_accessed, id);
	memcpy(PRM_ADDR(allow_other_vhca_access_in, in, access_key_raw), key,
	       DEVX_ACCESS_KEY_BYTES);
	return devx_cmd(ctx, in, sizeof(in), out, sizeof(out));
}

static int may_export(enum devx_call call, const struct device *d)
{
	if (DEVX_CAP(GENERAL_2, d->general_2, allowed_object_for_other_vhca_access) &
	    PRM_ALLOWED_OBJ_FOR_OTHER_VHCA_ACCESS_MKEY)
		return 0;
	return devx_refuse(call, PRM_OP_ALLOW_OTHER_VHCA_ACCESS, EOPNOTSUPP,
			   "the device lets no other VHCA access its mkeys: "
			   "allowed_object_for_other_vhca_access");
}

/* All of the description but the key's number. */
static int describe(enum devx_call call, struct devx_export *e, const struct device *d,
		    const struct devx_export_attr *attr)
{
	int err = random_bytes(call, &e->epoch, sizeof(e->epoch));

	if (err)
		return err;
	e->vhca_id = (uint16_t)DEVX_CAP(GENERAL, d->general, vhca_id);
	e->access = attr->access;
	e->sys_image_guid = d->sys_image_guid;
	if (!attr->access_key)
		return random_bytes(call, e->access_key, sizeof(e->access_key));
	memcpy(e->access_key, attr->access_key, sizeof(e->access_key));
	return 0;
}

static int begin(enum devx_call call, struct devx_exported *x, struct ibv_context *ctx,
		 const struct devx_export_attr *attr, struct device *d)
{
	int err = ask(call, ctx, d);

	*x = (struct devx_exported){ 0 };
	if (!err)
		err = may_export(call, d);
	return err ? err : describe(call, &x->desc, d, attr);
}

static int allow(struct devx_exported *x, struct ibv_context *ctx)
{
	x->desc.mkey = x->mkey.key;
	return devx_allow_other_vhca(ctx, PRM_OBJ_MKEY, x->mkey.obj.id, x->desc.access_key);
}

/* Destroys what exists. The refusal before remains the latest one: success does not clear
 * it. */
static int undo(struct devx_exported *x, int err)
{
	devx_export_destroy(x);
	return err;
}

/* A umem's pages are pinned for writing if the key allows it; atomics are a right of keys
 * only. */
static uint32_t umem_access(uint32_t access)
{
	uint32_t a = access & ~(uint32_t)IBV_ACCESS_REMOTE_ATOMIC;

	return access & IBV_ACCESS_REMOTE_ATOMIC ? a | IBV_ACCESS_LOCAL_WRITE : a;
}

int devx_export_create(struct devx_exported *x, struct ibv_context *ctx, void *addr, size_t len,
		       const struct devx_export_attr *attr)
{
	struct devx_mkey_attr mkey = { .pdn = attr->pdn,
				       .access = attr->access,
				       .start_addr = (uintptr_t)addr,
				       .len = len,
				       .tag = attr->tag };
	struct device d;
	int err = begin(CALL_devx_export_create, x, ctx, attr, &d);

	if (!err)
		err = devx_umem_reg(&x->umem, ctx, addr, len, umem_access(attr->access));
	if (err)
		return err;
	x->desc.addr = mkey.start_addr;
	x->desc.len = len;
	mkey.umem_id = x->umem.id;
	err = devx_mkey_create(&x->mkey, ctx, &mkey);
	if (!err)
		err = allow(x, ctx);
	return err ? undo(x, err) : 0;
}

/* The smallest entity with which @len is one entry, within what the device can. */
static uint8_t entity_size(const struct device *d, uint64_t len)
{
	uint8_t log = LOG_PAGE, least = 0;

	if (DEVX_CAP(GENERAL_2, d->general_2, min_mkey_log_entity_size_fixed_buffer_valid))
		least = (uint8_t)DEVX_CAP(GENERAL_2, d->general_2,
					  min_mkey_log_entity_size_fixed_buffer);
	while (log < LOG_ENTITY_MAX && (log < least || (uint64_t)1 << log < len))
		log++;
	return log;
}

static int create_ksm(struct devx_exported *x, struct ibv_mr *mr, struct devx_mkey_attr *attr)
{
	uint64_t entity = (uint64_t)1 << attr->log_entity_size;
	size_t n = (size_t)((mr->length + entity - 1) / entity);
	struct devx_mkey_entry *entry;
	int err;

	if (n > DEVX_MKEY_MAX_ENTRIES)
		return devx_refuse(CALL_devx_export_create_mr, PRM_OP_CREATE_MKEY, EINVAL,
				   "the list does not fit an inbox: a larger log_entity_size");
	entry = calloc(n, sizeof(*entry));
	if (!entry)
		return devx_refuse(CALL_devx_export_create_mr, PRM_OP_CREATE_MKEY, ENOMEM,
				   "no memory");
	for (size_t i = 0; i < n; i++)
		entry[i] = (struct devx_mkey_entry){ .key = mr->lkey,
						     .addr = attr->start_addr + i * entity };
	err = devx_mkey_create_ksm(&x->mkey, mr->context, attr, entry, n);
	free(entry);
	return err;
}

static int check_ksm(const struct device *d, const struct ibv_mr *mr, uint8_t log)
{
	if (!DEVX_CAP(GENERAL, d->general, fixed_buffer_size))
		return devx_refuse(CALL_devx_export_create_mr, PRM_OP_CREATE_MKEY, EOPNOTSUPP,
				   "the device has no KSM keys (fixed_buffer_size): export the "
				   "memory with devx_export_create");
	if (!mr->length)
		return devx_refuse(CALL_devx_export_create_mr, PRM_OP_CREATE_MKEY, EINVAL,
				   "an MR of length 0");
	if (log < LOG_PAGE || log > LOG_ENTITY_MAX)
		return devx_refuse(CALL_devx_export_create_mr, PRM_OP_CREATE_MKEY, EINVAL,
				   "log_entity_size is not 12 to 31");
	return 0;
}

/* ALLOW is the only test of whether a firmware exports lists. */
static int allow_list(struct devx_exported *x, struct ibv_context *ctx)
{
	int err = allow(x, ctx);

	if (err != EREMOTEIO)
		return err;
	return devx_refuse(
		CALL_devx_export_create_mr, PRM_OP_ALLOW_OTHER_VHCA_ACCESS, EOPNOTSUPP,
		"this firmware lets other VHCAs access keys over a umem only, not KSM keys: "
		"export the memory with devx_export_create");
}

int devx_export_create_mr(struct devx_exported *x, struct ibv_mr *mr,
			  const struct devx_export_attr *attr)
{
	struct devx_mkey_attr mkey = { .pdn = attr->pdn,
				       .access = attr->access,
				       .start_addr = (uintptr_t)mr->addr,
				       .len = mr->length,
				       .tag = attr->tag,
				       .log_entity_size = attr->log_entity_size };
	struct device d;
	int err = begin(CALL_devx_export_create_mr, x, mr->context, attr, &d);

	if (!err && !mkey.log_entity_size)
		mkey.log_entity_size = entity_size(&d, mr->length);
	if (!err)
		err = check_ksm(&d, mr, mkey.log_entity_size);
	if (err)
		return err;
	x->desc.addr = mkey.start_addr;
	x->desc.len = mr->length;
	err = create_ksm(x, mr, &mkey);
	if (!err)
		err = allow_list(x, mr->context);
	return err ? undo(x, err) : 0;
}

static int probe_with(struct ibv_pd *pd, void *page, size_t size)
{
	struct devx_export_attr attr = { .access = IBV_ACCESS_LOCAL_WRITE };
	struct ibv_mr *mr = ibv_reg_mr(pd, page, size, IBV_ACCESS_LOCAL_WRITE);
	struct devx_exported x;
	int err;

	if (!mr)
		return devx_refused(CALL_devx_export_probe_mr, 0, errno);
	err = devx_pdn_query(&attr.pdn, pd);
	if (!err)
		err = devx_export_create_mr(&x, mr, &attr);
	if (!err)
		err = devx_export_destroy(&x);
	ibv_dereg_mr(mr);
	return err;
}

int devx_export_probe_mr(struct ibv_pd *pd)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = aligned_alloc(size, size);
	int err;

	if (!page)
		return devx_refuse(CALL_devx_export_probe_mr, 0, ENOMEM, "no memory");
	err = probe_with(pd, page, size);
	free(page);
	return err;
}

int devx_export_destroy(struct devx_exported *x)
{
	int err = devx_mkey_destroy(&x->mkey);

	return err ? err : devx_umem_dereg(&x->umem);
}

/* ---- the importer ---- */

static int may_import(const struct device *d, uint32_t pdn, const struct devx_export *e)
{
	if (!(DEVX_CAP(GENERAL_2, d->general_2, cross_vhca_object_to_object_supported) &
	      PRM_CROSS_VHCA_OBJ_TO_OBJ_SUPPORTED_LOCAL_MKEY_TO_REMOTE_MKEY))
		return devx_refuse(CALL_devx_alias_create, PRM_OP_CREATE_GENERAL_OBJECT,
				   EOPNOTSUPP,
				   "the device makes no aliases of mkeys: "
				   "cross_vhca_object_to_object_supported");
	if (e->sys_image_guid && d->sys_image_guid && e->sys_image_guid != d->sys_image_guid)
		return devx_refuse(CALL_devx_alias_create, PRM_OP_CREATE_GENERAL_OBJECT, EXDEV,
				   "the record is of another adapter: sys_image_guid differs");
	if (pdn >> PRM_W(mkc, pd))
		return devx_refuse(CALL_devx_alias_create, PRM_OP_CREATE_GENERAL_OBJECT, EINVAL,
				   "pdn has more than 24 bits");
	return 0;
}

/* A command that succeeded may have made an alias that reaches nothing. */
static int check_status(struct devx_alias *alias)
{
	if (!alias->status)
		return 0;
	devx_obj_destroy(&alias->obj);
	return devx_refuse(
		CALL_devx_alias_create, PRM_OP_CREATE_GENERAL_OBJECT, EACCES,
		"the object of the alias cannot be reached (alias_context.status is not 0): "
		"its owner destroyed it or ended, did not allow it, or the access key is "
		"another one");
}

int devx_alias_create(struct devx_alias *alias, struct ibv_context *ctx, uint32_t pdn,
		      const struct devx_export *e)
{
	uint8_t in[PRM_SZ(create_alias_obj_in)] = { 0 };
	/* The whole context, not only the header: status is in it. */
	uint8_t out[PRM_SZ(create_alias_obj_out)];
	uint8_t *context = PRM_ADDR(create_alias_obj_in, in, alias_ctx);
	struct device d;
	int err = ask(CALL_devx_alias_create, ctx, &d);

	if (!err)
		err = may_import(&d, pdn, e);
	if (err)
		return err;
	PRM_SET(create_alias_obj_in, in, hdr.opcode, PRM_OP_CREATE_GENERAL_OBJECT);
	PRM_SET(create_alias_obj_in, in, hdr.obj_type, PRM_OBJ_MKEY);
	PRM_SET(create_alias_obj_in, in, hdr.alias_object, 1);
	PRM_SET(alias_context, context, vhca_id_to_be_accessed, e->vhca_id);
	PRM_SET(alias_context, context, object_id_to_be_accessed, e->mkey >> 8);
	memcpy(PRM_ADDR(alias_context, context, access_key_raw), e->access_key,
	       DEVX_ACCESS_KEY_BYTES);
	PRM_SET(alias_context, context, metadata_1, pdn);
	*alias = (struct devx_alias){ 0 };
	err = devx_obj_create(&alias->obj, ctx, in, sizeof(in), out, sizeof(out));
	if (err)
		return err;
	alias->key = alias->obj.id << 8;
	alias->status = (uint8_t)PRM_GET(create_alias_obj_out, out, alias_ctx.status);
	return check_status(alias);
}

int devx_alias_query(struct devx_alias *alias, uint8_t context[PRM_SZ(alias_context)])
{
	uint8_t in[PRM_SZ(general_obj_in_cmd_hdr)] = { 0 };
	uint8_t out[PRM_SZ(create_alias_obj_out)];
	int err;

	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_OP_QUERY_GENERAL_OBJECT);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, PRM_OBJ_MKEY);
	PRM_SET(general_obj_in_cmd_hdr, in, obj_id, alias->obj.id);
	PRM_SET(general_obj_in_cmd_hdr, in, alias_object, 1);
	err = devx_obj_query(&alias->obj, in, sizeof(in), out, sizeof(out));
	if (!err)
		memcpy(context, PRM_ADDR(create_alias_obj_out, out, alias_ctx),
		       PRM_SZ(alias_context));
	return err;
}

int devx_alias_destroy(struct devx_alias *alias)
{
	return devx_obj_destroy(&alias->obj);
}
