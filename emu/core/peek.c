/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies from and to application memory that may have gone away.
 *
 * The kernel copies on our behalf: process_vm_readv/writev on ourselves ends with EFAULT
 * where a memcpy would end with SIGSEGV. That is the emulator's copy_from_user, and no signal
 * handler of the application is in the way.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"

typedef ssize_t vm_copy(pid_t, const struct iovec *, unsigned long, const struct iovec *,
			unsigned long, unsigned long);

static bool copy(vm_copy *fn, void *here, uint64_t va, size_t len)
{
	/* One call moves at most 2 GiB - 4 KiB (MAX_RW_COUNT). */
	const size_t most = 1u << 30;

	while (len) {
		struct iovec local = { here, len < most ? len : most };
		struct iovec remote = { (void *)(uintptr_t)va, local.iov_len };
		ssize_t n = fn(getpid(), &local, 1, &remote, 1, 0);

		if (n <= 0)
			return false;
		here = (char *)here + n;
		va += (size_t)n;
		len -= (size_t)n;
	}
	return true;
}

bool core_peek(void *dst, uint64_t va, size_t len)
{
	return copy(process_vm_readv, dst, va, len);
}

bool core_poke(uint64_t va, const void *src, size_t len)
{
	return copy(process_vm_writev, (void *)(uintptr_t)src, va, len);
}

uint64_t core_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
