/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of another function of the same adapter: one function exports an mkey, the other one
 * makes an alias of it, its own key for the same bytes. On a BlueField, host and DPU copy each
 * other's memory so (dv/dma.h), without a packet. A function with its own objects and numbers
 * is a VHCA.
 *
 *	exporter (say, the host)                 importer (the DPU)
 *
 *	devx_export_create():
 *	  umem, mkey, ALLOW_OTHER_VHCA_ACCESS
 *	devx_export_pack()  ----- 96 bytes --->  devx_export_unpack()
 *	                     by any connection   devx_alias_create(): an alias, alias.key
 *	                                         dv_dma_copy(): addresses are the exporter's
 *
 *	to end:              <----- "done" ----- wait for all copies, devx_alias_destroy()
 *	devx_export_destroy(): mkey, umem
 *	free the memory
 *
 * The order at the end: the importer waits for its copies and destroys the alias; then the
 * exporter destroys the mkey, deregisters the umem, and frees the memory last. Nothing else
 * takes a permission back. If the exporter ends first, copies through the alias complete in
 * error, and their QP goes to ERR; the alias can still be destroyed.
 *
 * A program that knows the access key, 32 random bytes, may make an alias: send the record over
 * a connection that others cannot read, and do not log it. devx_export_str() leaves the key
 * out.
 *
 * Numbers are valid as long as both processes live: a VHCA id may change when a function is
 * reset. The epoch, a random number of each export, distinguishes a new export from an old one
 * with the same numbers, for programs that keep aliases.
 *
 * Sources: openucx/ucx, ib_mlx5_ifc.h (layouts) and ib_mlx5dv_md.c (exported and attached
 * memory); Linux, mlx5_ifc.h and mlx5_cmd_allow_other_vhca_access().
 *
 * All return 0 or a positive errno value; devx_last_error() has the reason.
 */
#ifndef DEVX_VHCA_H
#define DEVX_VHCA_H

#include <stdbool.h>
#include <devx/mkey.h>
#include <devx/umem.h>
#include <prm/prm.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum {
	DEVX_ACCESS_KEY_BYTES = 32,
	DEVX_EXPORT_BYTES = 96, /* of a record */
};

/* ---- what the importer has to know ---- */

struct devx_export {
	uint16_t vhca_id; /* of the exporter */
	uint32_t mkey;	  /* the exporter's key; an alias refers to its index, mkey >> 8 */
	uint32_t access;  /* IBV_ACCESS_*, as in devx_mkey_attr */
	uint64_t addr;	  /* of the first byte, as work requests of the importer name it */
	uint64_t len;
	uint64_t epoch;		 /* a random number of this export */
	uint64_t sys_image_guid; /* of the adapter, in host order; 0: not known */
	uint8_t access_key[DEVX_ACCESS_KEY_BYTES];
	uint8_t reserved[8]; /* 0 */
};

/*
 * The record, in network byte order:
 *
 *	+0   "dvvx"            +16  addr              +48  access key, 32
 *	+4   version, 1        +24  len               +80  0, 8 bytes
 *	+5   0                 +32  epoch             +88  checksum of the 88 bytes before
 *	+6   vhca_id           +40  sys_image_guid
 *	+8   mkey
 *	+12  access
 *
 * The checksum is CRC-64/XZ (ECMA-182, reflected). It finds records that were damaged or cut;
 * it does not protect against those who change one on purpose and compute it again.
 */
void devx_export_pack(uint8_t record[DEVX_EXPORT_BYTES], const struct devx_export *e);

/* Reads a record from the first 96 of @len bytes. EPROTO: too short, not a record of this
 * version, damaged, or one that no export has (len 0, a range beyond 2^64, another access flag,
 * bytes that are not 0); *e is not changed then. */
int devx_export_unpack(struct devx_export *e, const void *record, size_t len);

/* One line, without the access key:
 *	vhca 7, mkey 0x184242, 0x7f0011223000 + 2097152 bytes, access 0x7, epoch 0x…, adapter 0x…
 * devx_access_key_str(): the key, 64 hexadecimal digits. Both end in NUL and return @buf. */
const char *devx_export_str(const struct devx_export *e, char *buf, size_t size);
const char *devx_access_key_str(const uint8_t key[DEVX_ACCESS_KEY_BYTES], char *buf,
				size_t size);

/* ---- the exporter ---- */

/* 32 random bytes of getrandom(). */
int devx_access_key_create(uint8_t key[DEVX_ACCESS_KEY_BYTES]);

/*
 * ALLOW_OTHER_VHCA_ACCESS: aliases of object @id of @type (PRM_OBJ_MKEY and the other types
 * from 0xff00 on) may be made by who knows @key. For an mkey @id is its index, key >> 8. There
 * is no command that takes it back; the end of the object does. A firmware may refuse objects
 * of other contexts.
 */
int devx_allow_other_vhca(struct ibv_context *ctx, uint16_t type, uint32_t id,
			  const uint8_t key[DEVX_ACCESS_KEY_BYTES]);

struct devx_export_attr {
	uint32_t pdn;
	/* Rights of the importer: 0 reads only; for copies in both directions
	 * DEVX_EXPORT_READ_WRITE. */
	uint32_t access;
	uint8_t tag;		   /* low byte of the mkey; an alias does not have it */
	uint8_t log_entity_size;   /* devx_export_create_mr(): of the list; 0: chosen */
	const uint8_t *access_key; /* 32 bytes; NULL: devx_access_key_create() */
	uint64_t reserved[4];	   /* 0 */
};

#define DEVX_EXPORT_READ_WRITE \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

/* Exported memory: @desc is for the importer. */
struct devx_exported {
	struct devx_export desc;
	struct devx_mkey mkey;
	struct devx_umem umem; /* no handle: of devx_export_create_mr() */
};

/*
 * Exports @len bytes at @addr: registers them as a umem, makes an mkey over it, allows it. The
 * addresses of the importer are those of this process. Every device with this feature can do
 * it, a BlueField-2 only this.
 *
 * EOPNOTSUPP: the device lets no other VHCA access its mkeys. EINVAL: an access flag that
 * neither has, REMOTE_WRITE without LOCAL_WRITE, len 0. Others as devx_umem_reg() and
 * devx_mkey_create(). After an error nothing is left of it.
 */
int devx_export_create(struct devx_exported *x, struct ibv_context *ctx, void *addr, size_t len,
		       const struct devx_export_attr *attr);

/*
 * Exports @mr: makes a KSM key whose entries are the MR, and allows it. The MR is not
 * registered again, and must live longer than the export. attr->access may not exceed the
 * rights of the MR: a copy that does ends in error. attr->log_entity_size: 12 to 31; 0: the
 * smallest one with which the MR is one entry.
 *
 * EOPNOTSUPP: no KSM keys (fixed_buffer_size), or the firmware allows only keys over a umem: no
 * capability says so, so it is tried (openucx/ucx, ib_mlx5dv_md.c, does the same). A
 * BlueField-2 is such a device: use devx_export_create().
 */
int devx_export_create_mr(struct devx_exported *x, struct ibv_mr *mr,
			  const struct devx_export_attr *attr);

/* Whether devx_export_create_mr() works on the device of @pd: tries it with a page that it
 * allocates. */
int devx_export_probe_mr(struct ibv_pd *pd);

/* Destroys the mkey, then the umem. The memory may be freed afterwards, not before. */
int devx_export_destroy(struct devx_exported *x);

/* ---- the importer ---- */

struct devx_alias {
	struct devx_obj obj;
	uint32_t key;	/* lkey and rkey: obj.id << 8. The low byte is 0, not the exporter's. */
	uint8_t status; /* alias_context.status of the answer; 0: good */
};

/*
 * CREATE_GENERAL_OBJECT with alias_object: an alias of e->mkey in PD @pdn, which is the
 * importer's. Addresses are the exporter's. An alias belongs to the context that made it.
 *
 * EXDEV: the record is of another adapter. EOPNOTSUPP: the device makes no aliases of mkeys.
 * EACCES: the firmware made the alias and reports in alias->status that its object cannot be
 * reached: it was destroyed, or the access key is another one. EREMOTEIO: the firmware refused.
 * After an error there is no alias.
 */
int devx_alias_create(struct devx_alias *alias, struct ibv_context *ctx, uint32_t pdn,
		      const struct devx_export *e);

/* Writes the alias_context; PRM_GET(alias_context, context, status) reads it. */
int devx_alias_query(struct devx_alias *alias, uint8_t context[PRM_SZ(alias_context)]);
int devx_alias_destroy(struct devx_alias *alias);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
