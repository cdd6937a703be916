/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings at other addresses, by other stores than a mov, and by the kernel. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rings.h"

/* The page of the doorbell register. */
static char *uar(void)
{
	struct mlx5dv_qp q = { 0 };
	struct mlx5dv_obj obj = { .qp = { pair.a, &q } };

	ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
	return (char *)((uintptr_t)q.bf.reg & ~(uintptr_t)(PAGE - 1));
}

/* A store of the child hits the parent's page, as with an adapter; the parent's device works
 * on. */
static void forked(void)
{
	volatile uint64_t *at = (volatile uint64_t *)uar();
	int status;
	pid_t pid = fork();

	if (!pid) {
		*at = 0;
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "the child ended with 0x%x", (unsigned int)status);
	plain();
}

static void refuse_mprotect(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	ok(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	ok(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
}

static void without_mprotect(void)
{
	refuse_mprotect();
	many();
}

/* Writes and announces a WRITE, and rings at @page, which has the register: by a store, or by
 * the kernel, which copies the 8 bytes there for read(2) or process_vm_writev(2). */
enum by { BY_STORE, BY_STRING, BY_READ, BY_PROCESS_VM };

/* 8 bytes by an instruction that repeats. */
static void store_string(void *to, const void *from)
{
#if defined(__x86_64__)
	size_t n = 8;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
#else
	*(volatile uint64_t *)to = *(const uint64_t *)from;
#endif
}

static void by_hand(char *page, enum by how)
{
	static struct dv_sq sq;
	struct ibv_sge sge = { (uintptr_t)src, 8, mr->lkey };
	struct iovec from, to;
	int ends[2];

	if (!sq.buf)
		ok(dv_sq_map(&sq, pair.a));
	memset(src, ++value, 8);
	ok(dv_sq_write(&sq, MLX5_WQE_CTRL_CQ_UPDATE,
		       (struct dv_raddr){ (uintptr_t)dst, mr->rkey }, &sge, 1));
	*sq.dbrec = htobe32(sq.pi);
	atomic_thread_fence(memory_order_seq_cst);
	page += (uintptr_t)sq.bf_reg & (PAGE - 1);
	from = (struct iovec){ (void *)sq.last, 8 };
	to = (struct iovec){ page, 8 };
	ok(pipe(ends));
	if (how == BY_STORE)
		*(volatile uint64_t *)page = *(const uint64_t *)sq.last;
	else if (how == BY_STRING)
		store_string(page, sq.last);
	else if (how == BY_PROCESS_VM && process_vm_writev(getpid(), &from, 1, &to, 1, 0) != 8)
		err(1, "process_vm_writev(2) to the register");
	else if (how == BY_READ &&
		 (write(ends[1], sq.last, 8) != 8 || read(ends[0], page, 8) != 8))
		err(1, "read(2) into the register");
	arrives(8);
}

static void by_string(void)
{
	by_hand(uar(), BY_STRING);
}

static void by_string_without_mprotect(void)
{
	refuse_mprotect();
	by_string();
}

static void by_read(void)
{
	by_hand(uar(), BY_READ);
}

static void by_process_vm(void)
{
	by_hand(uar(), BY_PROCESS_VM);
}

static void at_a_new_address(void)
{
	char *to = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mremap(uar(), PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		err(1, "mremap");
	by_hand(to, BY_STORE);
}

static void at_a_second_address(void)
{
	char *to = mremap(uar(), 0, PAGE, MREMAP_MAYMOVE);

	if (to == MAP_FAILED)
		err(1, "mremap");
	usleep(ASLEEP_US);
	by_hand(to, BY_STORE);
	by_hand(uar(), BY_STORE);
}

const struct way at_memory[] = {
	WAY(forked),
	WAY(without_mprotect),
	WAY(by_string),
	WAY(by_string_without_mprotect),
	WAY(by_read),
	WAY(by_process_vm),
	WAY(at_a_new_address),
	WAY(at_a_second_address),
	{ 0 },
};
