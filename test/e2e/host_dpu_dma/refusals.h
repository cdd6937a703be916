/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the rows of refusals.c and copies.c: two functions of an adapter, exports and
 * aliases. */
#ifndef TEST_REFUSALS_H
#define TEST_REFUSALS_H

#include <errno.h>
#include <stdbool.h>

#include <devx/devx.h>
#include <devx/pd.h>
#include <devx/vhca.h>
#include <dv/dma.h>

enum { BYTES = 64 << 10 };

struct side {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	uint32_t pdn;
	uint8_t *memory;
};

extern struct side host, dpu;

#define CHECK(call)                                                                     \
	do {                                                                            \
		if (!(call))                                                            \
			errx(1, "%s:%d: %s: %s", __func__, __LINE__, #call, refusal()); \
	} while (0)

const char *refusal(void);

struct devx_exported export_with(uint32_t access);
struct devx_alias alias_of(const struct devx_export *e);

/* Result of a work request that copies @from to @to; and the ranges: @key at @offset of an
 * export, the beginning of the importer's memory. */
const char *copy_answer(struct ibv_sge to, struct ibv_sge from);
struct ibv_sge far_bytes(const struct devx_export *e, uint32_t key, uint64_t offset,
			 uint32_t len);
struct ibv_sge local(uint32_t len);

/* The rows of copies.c. */
const char *mkey_destroyed(void);
const char *missing_right(void);
const char *out_of_bounds(void);
const char *local_out_of_bounds(void);
const char *alias_destroyed(void);
const char *queue_in_another_pd(void);
const char *misaligned_opaque_buffer(void);
const char *byte_counts_differ(void);
const char *mmo_not_enabled(void);
const char *alias_in_a_send(void);
const char *copy_after_an_error(void);
const char *length_above_the_device(void);
const char *length_above_the_limit(void);

#endif
