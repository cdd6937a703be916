/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by regions of all kinds.
 *
 *	mr.c      reg_mr:   access -> pin -> CREATE_MKEY
 *	odp.c     the same without pinning, and prefetch
 *	dm.c      regions of device memory
 *	rereg.c   rereg_mr: access -> pin -> the same mkey changed, or a new one in its place
 */
#ifndef EMU_UVERBS_MR_H
#define EMU_UVERBS_MR_H

#include "uverbs/method.h"

/* Access flags as the kernel takes them: 0, -EINVAL, -EOPNOTSUPP. */
int uverbs_mr_access(const struct uverbs *u, uint32_t access);
/* Must the memory be writable for the application? (ib_core: ib_access_writable) */
bool uverbs_access_writable(uint32_t access);
/* Pins the range that @cmd names, whose start becomes its bus address; the device lock is free
 * meanwhile. A range on demand is only checked. */
int uverbs_mr_pin(struct uverbs_call *c, struct uverbs_pd *pd, struct ib_uverbs_reg_mr *cmd);

/* CREATE_MKEY for @cmd. */
int uverbs_mkey_create(struct uverbs *u, const struct ib_uverbs_reg_mr *cmd, uint32_t pdn,
		       uint32_t *key);
/* Rights, PD and key variant of a new mkey; CREATE_MKEY as it is in @in. */
void uverbs_mkc_rights(struct uverbs *u, uint8_t *mkc, uint32_t access, uint32_t pdn);
int uverbs_mkey_exec(struct uverbs *u, const void *in, size_t in_len, uint32_t *key);

/* Notes in a new @mr what it covers, and how large its mkey is. */
void uverbs_mr_describe(const struct uverbs *u, struct uverbs_mr *mr,
			const struct ib_uverbs_reg_mr *cmd);
/* Has the range of @cmd the form of an on-demand region? 0 or -errno. */
int uverbs_odp_check(const struct ib_uverbs_reg_mr *cmd);
/* All of the address space: start 0 and length ~0. */
bool uverbs_odp_implicit(const struct ib_uverbs_reg_mr *cmd);
/* QUERY_DEVICE: which operations of which transports may page. */
void uverbs_odp_caps(const struct uverbs *u, struct ib_uverbs_ex_query_device_resp *r);

#endif
