/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process in the place of a GPU. It has nothing of the host's but the memory that it was
 * given, at another address, and the page of the register: as a GPU, it knows no libibverbs.
 */
#include <err.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define DV_RELAX() sched_yield()
#include "gpu.h"
#include "gpu_kernel.h"

const char *const gpu_name = "a process";
static pid_t pid;

struct gpu_memory gpu_alloc(size_t size)
{
	struct gpu_memory m = { .size = size, .dmabuf = memfd_create("GPU", MFD_CLOEXEC) };

	if (m.dmabuf < 0 || ftruncate(m.dmabuf, (off_t)size))
		err(1, "memory");
	m.host = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m.dmabuf, 0);
	m.device = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m.dmabuf, 0);
	if (m.host == MAP_FAILED || m.device == MAP_FAILED)
		err(1, "memory");
	return m;
}

void gpu_free(struct gpu_memory *m)
{
	munmap(m->host, m->size);
	munmap(m->device, m->size);
	close(m->dmabuf);
}

void *gpu_map_register(void *page)
{
	return getenv("GPU_PROXY") ? NULL : page;
}

void gpu_start(const struct gpu_job *job, uint32_t threads)
{
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid)
		return;
	for (uint32_t i = 0; i < threads; i++) {
		int error = gpu_thread(job, i);

		if (error)
			_exit(error);
	}
	_exit(0);
}

int gpu_ended(int *error)
{
	int status;

	if (waitpid(pid, &status, WNOHANG) != pid)
		return 0;
	*error = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return 1;
}
