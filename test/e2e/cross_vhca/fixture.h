/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A test of the importer: a device, a PD, local memory with an MR, and an exporter, a process
 * for this test, on the function of the host.
 */
#ifndef TEST_E2E_CROSS_VHCA_FIXTURE_H
#define TEST_E2E_CROSS_VHCA_FIXTURE_H

#include <criterion/criterion.h>
#include <dv/dma.h>
#include <dv/print.h>
#include <devx/pd.h>
#include <prm/prm.h>

#include "host.h"

struct dpu {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	uint32_t pdn;
	uint8_t *memory; /* HOST_BYTES */
	struct ibv_mr *mr;
	struct devx_vhca_caps caps;
	int fd; /* the exporter */
	struct devx_export theirs;
	struct devx_alias alias;
	struct dv_dma *dma;
	struct dv_dma_done done[64];
};

extern struct dpu d;

/* .init and .fini. */
void dpu_start(void);
void dpu_stop(void);

/* A request, and its answer. */
struct host_answer host_do(struct host_request r);
/* One that has to succeed. */
void host_must(struct host_request r);
/* The exporter ends without a last word, and the kernel has closed its device. */
void host_die(void);

/* Stops the exporter; returns when all of its threads are. */
void host_stop(int pid);

/* Exports all of the host's memory, and makes an alias of it. */
void import(enum host_op how, uint32_t access);

/* A queue of copies with these attributes. */
void open_dma(struct dv_dma_attr attr);
struct dv_laddr local(uint64_t offset);
struct dv_laddr remote(uint64_t offset);
/* Accepts a copy. */
void copy(uint64_t id, struct dv_laddr dst, struct dv_laddr src, uint64_t len);
/* The next @n copies that finish, in d.done, within 20 seconds. */
void finish(unsigned int n);

#endif
