/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The GPU of gpu_write, as the host sees it. gpu_standin.c: a process, where there is no GPU;
 * gpu.cu: CUDA, or HIP.
 */
#ifndef SAMPLES_GPU_H
#define SAMPLES_GPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gpu_job;

struct gpu_memory {
	void *host, *device; /* the same bytes, by CPU and GPU */
	size_t size;
	int dmabuf; /* a file descriptor of it; -1: registered by its address */
};

extern const char *const gpu_name;

/* These end the program if they fail. */
struct gpu_memory gpu_alloc(size_t size);
void gpu_free(struct gpu_memory *m);
/* The page of a doorbell register: where the GPU has it; NULL: it cannot have it. */
void *gpu_map_register(void *page);
/* Starts @threads of gpu_kernel.h; @job by the GPU's addresses. */
void gpu_start(const struct gpu_job *job, uint32_t threads);
/* Did they end? Then *error is the first error, or 0. */
int gpu_ended(int *error);

#ifdef __cplusplus
}
#endif

#endif
