/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The adapter itself: its BAR, its lock, its device memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hca/hca.h"

#define PASSES	64 /* threads that are let pass in one go */
#define PASS_NS 1000000

/* Only some adapters have memory after the UAR pages. */
static int bar_size(struct hca *hca)
{
	struct rlimit was;
	int err = 0;

	hca->bar_bytes = core_file_limit_raise(HCA_BAR_SIZE, &was) & -(uint64_t)HCA_PAGE_SIZE;
	if (hca->bar_bytes < (HCA_UAR_PGOFF + HCA_UAR_LIMIT) * (uint64_t)HCA_PAGE_SIZE)
		err = EFBIG;
	else if (ftruncate(hca->bar_fd, (off_t)hca->bar_bytes) ||
		 fcntl(hca->bar_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		err = errno;
	core_file_limit_restore(HCA_BAR_SIZE, &was);
	return err;
}

static int bar_init(struct hca *hca)
{
	int err;

	hca->bar_fd = core_own(memfd_create("mlx5-bar", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	if (hca->bar_fd < 0)
		return errno;
	err = bar_size(hca);
	if (err)
		return err;
	hca->clock = hca_bar_map(hca, HCA_CLOCK_PGOFF);
	if (!hca->clock)
		return errno;
	hca->memic = mmap(NULL, HCA_MEMIC_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			  hca->bar_fd, (off_t)HCA_MEMIC_PGOFF << HCA_PAGE_SHIFT);
	if (hca->memic != MAP_FAILED)
		return 0;
	hca->memic = NULL;
	return errno;
}

int hca_init(struct hca *hca, uint8_t slot)
{
	pthread_mutexattr_t attr;
	int err;

	memset(hca, 0, sizeof(*hca));
	hca->slot = slot;
	hca->adapter = &hca->own_adapter;
	hca_count_in(hca, &hca->own_counted);
	pthread_mutexattr_init(&attr);
	pthread_mutex_init(&hca->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	core_list_init(&hca->runnable);
	core_list_init(&hca->sending);
	core_list_init(&hca->flushing);
	core_list_init(&hca->memics);
	core_list_init(&hca->held);
	core_list_init(&hca->sessions);
	for (unsigned int i = 0; i < HCA_MCG_BUCKETS; i++)
		core_list_init(&hca->mcg_bucket[i]);
	hca_objects_init(hca);
	err = bar_init(hca);
	if (err)
		hca_fini(hca);
	return err;
}

void hca_fini(struct hca *hca)
{
	hca_objects_fini(hca);
	free(hca->given.pages);
	while (!core_list_empty(&hca->memics))
		hca_memic_free(core_container(hca->memics.next, struct hca_memic, on_dev));
	if (hca->memic)
		munmap(hca->memic, HCA_MEMIC_BYTES);
	if (hca->clock)
		hca_bar_unmap(hca->clock);
	core_own_close(hca->bar_fd);
	pthread_mutex_destroy(&hca->lock);
}

void hca_lock(struct hca *hca)
{
	core_enter();
	atomic_fetch_add(&hca->waiters, 1);
	core_lock(&hca->lock);
	if (atomic_fetch_sub(&hca->waiters, 1) == 1 && atomic_load(&hca->letting))
		core_syscall(SYS_futex, &hca->waiters, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	core_trace_slot = hca->slot;
}

/* With a mutex alone the thread would take it again at once; a yield would not let threads of
 * lower priority run. */
void hca_let_pass(struct hca *hca)
{
	const struct timespec most = { .tv_nsec = PASS_NS };
	unsigned int n;

	if (!atomic_load(&hca->waiters))
		return;
	atomic_store(&hca->letting, true);
	for (unsigned int i = 0; i < PASSES && (n = atomic_load(&hca->waiters)); i++)
		core_syscall(SYS_futex, &hca->waiters, FUTEX_WAIT_PRIVATE, n, &most, NULL, 0);
	atomic_store(&hca->letting, false);
}

void hca_unlock(struct hca *hca)
{
	core_unlock(&hca->lock);
	core_leave();
}

void *hca_bar_map(struct hca *hca, uint32_t pgoff)
{
	void *page = mmap(NULL, HCA_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, hca->bar_fd,
			  (off_t)pgoff << HCA_PAGE_SHIFT);

	return page == MAP_FAILED ? NULL : page;
}

void hca_bar_unmap(void *page)
{
	munmap(page, HCA_PAGE_SIZE);
}

struct hca_memic *hca_memic_new(struct hca *hca)
{
	struct hca_memic *m = calloc(1, sizeof(*m));

	if (m)
		core_list_add(&hca->memics, &m->on_dev);
	return m;
}

void hca_memic_free(struct hca_memic *m)
{
	core_list_del(&m->on_dev);
	free(m);
}

void hca_qp_reset(struct hca_qp *qp)
{
	core_list_del(&qp->runnable);
	free(qp->req.wqe);
	memset(&qp->req, 0, sizeof(qp->req));
	memset(&qp->resp, 0, sizeof(qp->resp));
	memset(&qp->congestion, 0, sizeof(qp->congestion));
}
