/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A library that overwrites the code of libc's functions in memory, as UCX's memory hooks do
 * (src/ucm/bistro; since 1.18 brk and sbrk too): each then makes its call by syscall(2). On
 * x86-64.
 *
 *	libc's sbrk: jmp own_sbrk -> syscall(SYS_brk) -> the emulator's hook -> the kernel
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"

enum {
	PAGE = 4096,
	LEN = 4 * PAGE,
	JUMP = 12, /* bytes: movabs $to, %rax; jmp *%rax */
};

static char *end; /* of the heap */

/* As UCX's: also sbrk(0) sets the end, to where it is. */
static void *own_sbrk(intptr_t by)
{
	char *at = end;

	if ((char *)syscall(SYS_brk, at + by) != at + by)
		return (void *)-1;
	end = at + by;
	return at;
}

static int own_brk(void *to)
{
	if ((char *)syscall(SYS_brk, to) != to)
		return -1;
	end = to;
	return 0;
}

static void *own_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, at, len, prot, flags, fd, offset);
}

static int own_munmap(void *at, size_t len)
{
	return (int)syscall(SYS_munmap, at, len);
}

static void *own_mremap(void *at, size_t len, size_t to_len, int flags, ...)
{
	va_list args;
	void *to;

	va_start(args, flags);
	to = va_arg(args, void *);
	va_end(args);
	return (void *)syscall(SYS_mremap, at, len, to_len, flags, to);
}

static int own_madvise(void *at, size_t len, int advice)
{
	return (int)syscall(SYS_madvise, at, len, advice);
}

static int own_shmdt(const void *at)
{
	return (int)syscall(SYS_shmdt, at);
}

static void overwrite(void *libc, const char *name, const void *to)
{
	uint8_t *at = made(dlsym(libc, name));
	uint8_t jump[JUMP] = { 0x48, 0xb8, [10] = 0xff, 0xe0 };
	uintptr_t page = (uintptr_t)at & ~(uintptr_t)(PAGE - 1);

	memcpy(jump + 2, &to, sizeof(to));
	if (syscall(SYS_mprotect, page, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		err(1, "mprotect");
	memcpy(at, jump, JUMP);
}

static void overwrite_all(void)
{
	void *libc = made(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD));

	end = sbrk(0);
	overwrite(libc, "sbrk", own_sbrk);
	overwrite(libc, "brk", own_brk);
	overwrite(libc, "mmap", own_mmap);
	overwrite(libc, "munmap", own_munmap);
	overwrite(libc, "mremap", own_mremap);
	overwrite(libc, "madvise", own_madvise);
	overwrite(libc, "shmdt", own_shmdt);
}

/* The region @at, whose memory was taken away, is still what the device has. */
static void device_has(const struct device *dev, const struct pair *pair, struct ibv_mr *mr,
		       uintptr_t at, char value)
{
	static char to[LEN];
	struct ibv_mr *mine = made(ibv_reg_mr(dev->pd, to, LEN, IBV_ACCESS_LOCAL_WRITE));
	struct ibv_sge sge = { (uintptr_t)to, LEN, mine->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_READ,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { at, mr->rkey } },
			   *bad;
	struct ibv_wc wc;
	int n;

	ok(ibv_post_send(pair->a, &wr, &bad));
	while ((n = ibv_poll_cq(pair->a_cq, 1, &wc)) == 0)
		;
	if (n < 0 || wc.status)
		errx(1, "READ: %s", ibv_wc_status_str(wc.status));
	for (int i = 0; i < LEN; i++)
		if (to[i] != value)
			errx(1, "byte %d is 0x%02x", i, (uint8_t)to[i]);
}

int main(void)
{
	int rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
	struct device dev;
	struct ibv_mr *heap, *mapping;
	struct pair pair;
	char *at, *map;

	overwrite_all();
	dev = device_open((struct options){ .port = 1, .gid_index = -1 });
	pair = pair_create(&dev);
	at = sbrk(2 * LEN);
	at += PAGE - (uintptr_t)at % PAGE;
	map = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(at, 'h', LEN);
	memset(map, 'm', LEN);
	heap = made(ibv_reg_mr(dev.pd, at, LEN, rights));
	mapping = made(ibv_reg_mr(dev.pd, map, LEN, rights));
	ok(brk(at));
	ok(munmap(map, LEN));
	device_has(&dev, &pair, heap, (uintptr_t)at, 'h');
	device_has(&dev, &pair, mapping, (uintptr_t)map, 'm');
	if (sbrk(LEN) != at || sbrk(-LEN) != at + LEN)
		errx(1, "the heap ends elsewhere");
	puts("as expected");
	return 0;
}
