/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gpu_write on a GPU: CUDA, or HIP if hipcc compiles it. Memory is the host's, which the GPU
 * reads and writes by its own addresses; the register's page is mapped into the GPU. With
 * memory of the GPU the ring is faster; then dmabuf is what cuMemGetHandleForAddressRange()
 * returns, host is NULL, and the CPU zeroes the record by a copy.
 */
#ifdef __HIPCC__
#include <hip/hip_runtime.h>
#define CALL(name) hip##name
#define FLAG(name) hip##name
#else
#include <cuda_runtime.h>
#define CALL(name) cuda##name
#define FLAG(name) cuda##name
#endif
#include <stdio.h>
#include <stdlib.h>

#include "gpu.h"
#include "gpu_kernel.h"

enum { PAGE = 4096, BLOCK = 32 };

extern "C" const char *const gpu_name = "a GPU";
static int *first_error;

template <typename status> static void ok(status s, const char *what)
{
	if (s) {
		fprintf(stderr, "%s: error %d of the GPU's runtime\n", what, (int)s);
		exit(1);
	}
}

struct gpu_memory gpu_alloc(size_t size)
{
	struct gpu_memory m = { NULL, NULL, size, -1 };

	ok(CALL(HostAlloc)(&m.host, size, FLAG(HostAllocMapped)), "memory");
	ok(CALL(HostGetDevicePointer)(&m.device, m.host, 0), "memory");
	return m;
}

void gpu_free(struct gpu_memory *m)
{
	CALL(FreeHost)(m->host);
}

/* A page of PCI wants IoMemory; that of an emulated adapter is memory. */
void *gpu_map_register(void *page)
{
	void *device = NULL;

	if (CALL(HostRegister)(page, PAGE,
			       FLAG(HostRegisterMapped) | FLAG(HostRegisterIoMemory)) &&
	    CALL(HostRegister)(page, PAGE, FLAG(HostRegisterMapped)))
		return NULL;
	ok(CALL(HostGetDevicePointer)(&device, page, 0), "register");
	return device;
}

/* One thread of a warp at a time has a turn to publish: others of it would wait for ever on
 * GPUs whose threads do not progress by themselves. */
__global__ static void kernel(struct gpu_job job, uint32_t threads, int *error)
{
	uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;

	for (uint32_t lane = 0; lane < BLOCK; lane++) {
		if (threadIdx.x == lane && n < threads) {
			int err = gpu_thread(&job, n);

			if (err)
				atomicCAS(error, 0, err);
		}
		__syncthreads();
	}
}

void gpu_start(const struct gpu_job *job, uint32_t threads)
{
	ok(CALL(HostAlloc)((void **)&first_error, sizeof(*first_error), FLAG(HostAllocMapped)),
	   "memory");
	*first_error = 0;
	kernel<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(*job, threads, first_error);
	ok(CALL(GetLastError)(), "kernel");
}

int gpu_ended(int *error)
{
	if (CALL(StreamQuery)(0) == FLAG(ErrorNotReady))
		return 0;
	ok(CALL(DeviceSynchronize)(), "kernel");
	*error = *first_error;
	return 1;
}
