/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of the tests, on the function of the DPU, to the exporter on the function of the
 * host: a request and an answer over a socket of this machine, whose name is in
 * $CROSS_VHCA_SOCKET. */
#ifndef TEST_E2E_CROSS_VHCA_HOST_H
#define TEST_E2E_CROSS_VHCA_HOST_H

#include <devx/cross_vhca.h>
#include <devx/vhca.h>

enum {
	HOST_BYTES = 8 << 20, /* of the memory that is exported */
};

enum host_op {
	HOST_EXPORT,	/* memory as a umem, with access */
	HOST_EXPORT_MR, /* the same memory as an MR */
	HOST_PROBE_MR,
	HOST_DESTROY, /* the export */
	HOST_FILL,    /* memory, host_byte(seed, i) */
	HOST_CHECK, /* len bytes from offset on are host_byte(seed, i), i from 0: err 0, else EILSEQ */
	HOST_CAPS,
	HOST_DIE, /* by SIGKILL; no answer */
};

struct host_request {
	enum host_op op;
	uint32_t access, seed;
	uint64_t offset, len;
};

struct host_answer {
	int err;
	int pid; /* of the exporter, to stop it */
	char reason[256];
	uint8_t record[DEVX_EXPORT_BYTES];
	struct devx_vhca_caps caps;
};

static inline uint8_t host_byte(uint32_t seed, uint64_t i)
{
	return (uint8_t)((i * 2654435761u >> 13) + i + seed * 29);
}

#endif
