/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Can two functions of an adapter use each other's memory (vhca.h) and copy it (dv/dma.h)? If
 * not, why?
 *
 *	struct devx_vhca_caps host, dpu;		one is queried here, the other one was sent
 *	struct devx_cross_vhca answer;
 *
 *	devx_vhca_caps_query(&dpu, ctx, 1);
 *	devx_cross_vhca_check(&answer, &host, &dpu);	exporter, importer
 *	for (i = 0; i < answer.n; i++)
 *		printf("%s: %s\n", devx_cross_vhca_side_str(answer.finding[i].side),
 *		       answer.finding[i].text);
 *
 * The check needs no device: the two structs contain only numbers, which a program can send,
 * write to a file, and read again. The findings are predictions from capabilities. Whether keys
 * over an MR may be exported is in no capability; devx_export_probe_mr() tries that.
 */
#ifndef DEVX_CROSS_VHCA_H
#define DEVX_CROSS_VHCA_H

#include <stdbool.h>
#include <devx/devx.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* One side. Members that say nothing else are the fields of the capability groups GENERAL and
 * GENERAL_2 with these names, as they are (not as they could be). */
struct devx_vhca_caps {
	uint64_t sys_image_guid;		       /* of the adapter, in host order */
	uint64_t allowed_object_for_other_vhca_access; /* GENERAL_2 */
	uint64_t max_wr_memcpy_length; /* mlx5dv_context: of libmlx5, 0: no MMO DMA */
	uint32_t cross_vhca_object_to_object_supported; /* GENERAL_2 */
	uint32_t vendor_part_id;			/* the PCI device id */
	uint16_t vhca_id;
	uint8_t hca_cap_2; /* the group GENERAL_2 is there */
	uint8_t dma_mmo_qp, dma_mmo_sq;
	uint8_t log_dma_mmo_max_size; /* 0: 2 GiB */
	uint8_t log_max_umem, log_max_uctx;
	uint8_t fixed_buffer_size; /* KSM keys */
	uint8_t crossing_vhca_mkey;
	uint8_t port_state;  /* enum ibv_port_state */
	uint8_t link_layer;  /* IBV_LINK_LAYER_* */
	uint8_t has_gid;     /* the port has a GID for connections: dv_gid_default() */
	uint8_t reserved[7]; /* 0 */
	char fw_ver[64];     /* "24.39.2048" */
};

/* Reads them from @ctx, a DevX context, and its @port. */
int devx_vhca_caps_query(struct devx_vhca_caps *caps, struct ibv_context *ctx, uint8_t port);

enum devx_cross_vhca_side {
	DEVX_BOTH_SIDES,
	DEVX_EXPORTER,
	DEVX_IMPORTER,
};

/* Those before DEVX_CROSS_VHCA_NOTES are reasons why it cannot work; the others are notes. */
enum devx_cross_vhca_reason {
	DEVX_CROSS_VHCA_NO_DEVX,	 /* log_max_uctx is 0 */
	DEVX_CROSS_VHCA_NO_GENERAL_2,	 /* hca_cap_2 is 0 */
	DEVX_CROSS_VHCA_NO_UMEM,	 /* exporter: log_max_umem is 0 */
	DEVX_CROSS_VHCA_NOT_ALLOWED,	 /* exporter: allowed_object_…, no mkeys */
	DEVX_CROSS_VHCA_NO_ALIAS,	 /* importer: cross_vhca_object_…, no mkeys */
	DEVX_CROSS_VHCA_OTHER_ADAPTER,	 /* sys_image_guid differs */
	DEVX_CROSS_VHCA_UNKNOWN_ADAPTER, /* sys_image_guid is 0 */
	DEVX_CROSS_VHCA_SAME_VHCA,	 /* one function, not two */
	DEVX_CROSS_VHCA_NO_MMO_DMA,	 /* importer: neither dma_mmo_qp nor dma_mmo_sq */
	DEVX_CROSS_VHCA_NO_MEMCPY,	 /* importer: libmlx5 reports max_wr_memcpy_length 0 */
	DEVX_CROSS_VHCA_PORT_DOWN,	 /* importer: no QP can be connected to itself */
	DEVX_CROSS_VHCA_NO_GID,		 /* importer: the same, on RoCE */
	DEVX_CROSS_VHCA_NOTES,
	DEVX_CROSS_VHCA_NO_KSM = DEVX_CROSS_VHCA_NOTES, /* exporter: not of an MR */
	DEVX_CROSS_VHCA_UMEM_ONLY, /* exporter: a BlueField-2, not of an MR */
	DEVX_CROSS_VHCA_ONE_WORD,  /* one of the GENERAL_2 words is missing: UCX wants both */
	DEVX_CROSS_VHCA_OLD_FIRMWARE,	  /* importer: below what DOCA DMA wants */
	DEVX_CROSS_VHCA_FIRMWARE_DIFFERS, /* of one adapter: a struct is out of date */
	DEVX_CROSS_VHCA_SMALL_COPIES,	  /* importer: a work request copies less than 64 KiB */
	DEVX_CROSS_VHCA_REASONS,
};

struct devx_cross_vhca_finding {
	enum devx_cross_vhca_reason reason;
	enum devx_cross_vhca_side side;
	const char *text; /* the missing requirement, and what to do */
};

enum {
	DEVX_CROSS_VHCA_MAX = 2 * DEVX_CROSS_VHCA_REASONS,
};

struct devx_cross_vhca {
	unsigned int n;
	struct devx_cross_vhca_finding finding[DEVX_CROSS_VHCA_MAX]; /* reasons, then notes */
};

/* 0: no reason against it; there may be notes. EOPNOTSUPP: at least one reason. */
int devx_cross_vhca_check(struct devx_cross_vhca *answer, const struct devx_vhca_caps *exporter,
			  const struct devx_vhca_caps *importer);

/* "no_mmo_dma", "importer": for output that programs read. NULL: no such one. */
const char *devx_cross_vhca_reason_str(enum devx_cross_vhca_reason reason);
const char *devx_cross_vhca_side_str(enum devx_cross_vhca_side side);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
