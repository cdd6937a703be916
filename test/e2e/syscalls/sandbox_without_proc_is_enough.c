/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A real adapter needs neither process_vm_readv() nor /proc nor large files: where a sandbox, a
 * root without /proc or a limit takes them away, the emulated one works without.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "points.h"

static struct bench b;
static bool no_proc;

/* The emulator's calls come by here. */
__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
	int (*next)(const char *, int, ...) =
		(int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (!no_proc || strncmp(path, "/proc/", 6))
		return next(path, flags, mode);
	errno = ENOENT;
	return -1;
}

static void refuse_process_vm(int err)
{
	in_child_refuse(SYS_process_vm_readv, err);
	in_child_refuse(SYS_process_vm_writev, err);
	CHILD_CHECK(syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0) == -1 &&
		    errno == err);
}

static void works(void)
{
	char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	bench_open(&b);
	CHILD_CHECK(call_channel(&b));
	CHILD_CHECK(call_reg_mr(&b));
	/* a pointer to nothing is an answer, again and again, and disturbs no other copy */
	for (int i = 0; i < 3; i++) {
		struct ibv_mr *mr = ibv_reg_mr(b.pd, page, 4096, IBV_ACCESS_LOCAL_WRITE);

		CHILD_CHECK(!mr && errno == EFAULT);
		CHILD_CHECK(call_reg_mr(&b));
	}
}

static void without_process_vm(void)
{
	refuse_process_vm(EPERM);
	works();
}

static void without_process_vm_at_all(void)
{
	refuse_process_vm(ENOSYS);
	works();
}

/* Events are read and taken back as ever: two channels, one of them closed with its CQ. */
static void without_proc(void)
{
	struct ibv_comp_channel *c;
	struct ibv_cq *cq;
	void *ctx;
	char byte;

	no_proc = true;
	works();
	c = ibv_create_comp_channel(b.ctx);
	CHILD_CHECK(c);
	cq = ibv_create_cq(b.ctx, 8, NULL, c, 0);
	CHILD_CHECK(cq);
	CHILD_CHECK(!ibv_req_notify_cq(cq, 0));
	CHILD_CHECK(!fcntl(c->fd, F_SETFL, O_NONBLOCK));
	CHILD_CHECK(ibv_get_cq_event(c, &cq, &ctx) == -1 && errno == EAGAIN);
	CHILD_CHECK(read(c->fd, &byte, 1) == -1 && errno == EAGAIN);
	CHILD_CHECK(!ibv_destroy_cq(cq));
	CHILD_CHECK(!ibv_destroy_comp_channel(c));
	CHILD_CHECK(open("/dev/infiniband/rdma_cm", O_RDWR) >= 0);
}

static void with_small_files(rlim_t hard)
{
	struct rlimit small = { 1 << 20, hard }, after;

	if (hard != RLIM_INFINITY)
		small.rlim_cur = hard;
	CHILD_CHECK(!setrlimit(RLIMIT_FSIZE, &small));
	works();
	CHILD_CHECK(!getrlimit(RLIMIT_FSIZE, &after));
	CHILD_CHECK(after.rlim_cur == small.rlim_cur && after.rlim_max == small.rlim_max);
}

static void with_a_soft_limit(void)
{
	with_small_files(RLIM_INFINITY);
}

static void with_a_hard_limit(void)
{
	with_small_files(4ll << 30);
}

Test(sandbox, refuses_process_vm)
{
	in_child(without_process_vm);
}

Test(sandbox, knows_no_process_vm)
{
	in_child(without_process_vm_at_all);
}

Test(sandbox, has_no_proc)
{
	in_child(without_proc);
}

/* Refused in words, and not by SIGXFSZ. */
static void with_tiny_files(void)
{
	struct rlimit tiny = { 1 << 20, 1 << 20 };
	int fd;

	CHILD_CHECK(!setrlimit(RLIMIT_FSIZE, &tiny));
	fd = open("/dev/infiniband/uverbs0", O_RDWR);
	CHILD_CHECK(fd >= 0 || errno == ENODEV); /* CAP_SYS_RESOURCE */
}

Test(sandbox, limits_the_size_of_files_to_next_to_nothing)
{
	in_child(with_tiny_files);
}

Test(sandbox, limits_the_size_of_files)
{
	in_child(with_a_soft_limit);
}

Test(sandbox, limits_the_size_of_files_for_good)
{
	in_child(with_a_hard_limit);
}
