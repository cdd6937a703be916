/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The adapter itself: its number spaces, its BAR, its lock.
 *
 *	QPs, DCTs, SQs, RQs: slot << 16 | index, as frames find their way by them. They share the
 *	indexes: a doorbell has room for one number, of whatever queue; a frame has, too.
 *	keys, CQs, SRQs, PDs, domains: all of 24 bits, from slot << 16 on and round to 0; so those of
 *	two processes differ until there are very many
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "dev/dev.h"

#define NUMBER_LIMIT	  (1u << 24)
#define INDEX_LIMIT	  (1u << 16)
#define QP_LIMIT	  0xa000u
#define DCT_BASE	  0xa000u
#define DCT_LIMIT	  0x1000u
#define RESERVED_QP_BASE  0xb000u
#define RESERVED_QP_LIMIT 0x1000u
#define SQ_BASE		  0xc000u
#define RQ_BASE		  0xe000u
#define WQ_LIMIT	  0x2000u
#define EQ_LIMIT	  128u
#define Q_COUNTER_LIMIT	  256u	  /* counter_set_id: 8 bits */
#define SCHED_LIMIT	  0x8001u /* sqc.qos_queue_group_id: 16 bits */
#define UAR_LIMIT	  4096u
#define MEMIC_BYTES	  ((size_t)DEV_MEMIC_PAGES << DEV_PAGE_SHIFT)

/* RLIMIT_FSIZE is about files on disks, and the BAR is not the program's: raised for the moment, as
 * far as that goes. Above the limit there would be SIGXFSZ. */
static uint64_t raise_limit(const struct rlimit *was)
{
	struct rlimit now = { RLIM_INFINITY, RLIM_INFINITY };

	if (was->rlim_cur >= DEV_BAR_SIZE || !setrlimit(RLIMIT_FSIZE, &now))
		return DEV_BAR_SIZE;
	now = (struct rlimit){ was->rlim_max, was->rlim_max };
	setrlimit(RLIMIT_FSIZE, &now);
	return now.rlim_cur < DEV_BAR_SIZE ? now.rlim_cur & -(uint64_t)DEV_PAGE_SIZE
					   : DEV_BAR_SIZE;
}

/* What is beyond the UAR pages only some adapters have. */
static int bar_size(struct dev *d)
{
	struct rlimit was;
	int err = 0;

	if (getrlimit(RLIMIT_FSIZE, &was))
		return errno;
	d->bar_bytes = raise_limit(&was);
	if (d->bar_bytes < (DEV_UAR_PGOFF + UAR_LIMIT) * (uint64_t)DEV_PAGE_SIZE)
		err = EFBIG;
	else if (ftruncate(d->bar_fd, (off_t)d->bar_bytes) ||
		 fcntl(d->bar_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		err = errno;
	if (was.rlim_cur < DEV_BAR_SIZE)
		setrlimit(RLIMIT_FSIZE, &was);
	return err;
}

static int bar_init(struct dev *d)
{
	int err;

	d->bar_fd = core_own(memfd_create("mlx5-bar", MFD_CLOEXEC | MFD_ALLOW_SEALING));
	if (d->bar_fd < 0)
		return errno;
	err = bar_size(d);
	if (err)
		return err;
	d->clock = dev_bar_map(d, DEV_CLOCK_PGOFF);
	if (!d->clock)
		return errno;
	d->memic = mmap(NULL, MEMIC_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, d->bar_fd,
			(off_t)DEV_MEMIC_START);
	if (d->memic != MAP_FAILED)
		return 0;
	d->memic = NULL;
	return errno;
}

static void all_numbers(struct core_ids *t, uint8_t slot)
{
	core_ids_init(t, 0, NUMBER_LIMIT);
	core_ids_shift(t, (uint32_t)slot << 16);
}

int dev_init(struct dev *d, uint8_t slot)
{
	uint32_t base = (uint32_t)slot << 16;
	pthread_mutexattr_t attr;
	int err;

	memset(d, 0, sizeof(*d));
	d->slot = slot;
	pthread_mutexattr_init(&attr);
	pthread_mutex_init(&d->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	core_list_init(&d->runnable);
	core_list_init(&d->memics);
	core_list_init(&d->held);
	core_list_init(&d->sessions);
	core_ids_init(&d->uctx, 0, INDEX_LIMIT); /* uid: 16 bits, never on the wire */
	all_numbers(&d->pds, slot);
	all_numbers(&d->tds, slot);
	core_ids_init(&d->uars, 0, UAR_LIMIT);
	all_numbers(&d->mkeys, slot);
	all_numbers(&d->cqs, slot);
	core_ids_init(&d->eqs, 0, EQ_LIMIT); /* EQN: 8 bits in the doorbell */
	all_numbers(&d->xrcds, slot);
	all_numbers(&d->srqs, slot);
	core_ids_init(&d->qps, base, QP_LIMIT);
	core_ids_init(&d->dcts, base + DCT_BASE, DCT_LIMIT);
	core_ids_init(&d->sqs, base + SQ_BASE, WQ_LIMIT);
	core_ids_init(&d->rqs, base + RQ_BASE, WQ_LIMIT);
	core_ids_init(&d->tiss, base, INDEX_LIMIT);
	core_ids_init(&d->tirs, base, INDEX_LIMIT);
	core_ids_init(&d->rqts, base, INDEX_LIMIT);
	core_ids_init(&d->q_counters, 0, Q_COUNTER_LIMIT);
	core_ids_init(&d->flow_counters, base, INDEX_LIMIT);
	core_ids_init(&d->scheds, 0, SCHED_LIMIT);
	core_ids_init(&d->generals, base, INDEX_LIMIT);
	core_ids_init(&d->reserved_qpns, base + RESERVED_QP_BASE, RESERVED_QP_LIMIT);
	core_ids_init(&d->umems, base, INDEX_LIMIT);
	core_ids_init(&d->psvs, base, INDEX_LIMIT);
	err = bar_init(d);
	if (err)
		dev_fini(d);
	return err;
}

#define FREE_ALL(d, table, type, free_one)                        \
	do {                                                      \
		uint32_t id_ = 0;                                 \
		struct type *obj_;                                \
		while ((obj_ = core_ids_next(&(d)->table, &id_))) \
			free_one(d, obj_);                        \
		core_ids_fini(&(d)->table);                       \
	} while (0)

void dev_fini(struct dev *d)
{
	FREE_ALL(d, tirs, dev_tir, dev_tir_free);
	FREE_ALL(d, rqts, dev_rqt, dev_rqt_free);
	FREE_ALL(d, rqs, dev_rq, dev_rq_free);
	FREE_ALL(d, sqs, dev_sq, dev_sq_free);
	FREE_ALL(d, tiss, dev_tis, dev_tis_free);
	FREE_ALL(d, dcts, dev_dct, dev_dct_free);
	FREE_ALL(d, qps, dev_qp, dev_qp_free);
	FREE_ALL(d, srqs, dev_srq, dev_srq_free);
	FREE_ALL(d, q_counters, dev_q_counter, dev_q_counter_free);
	FREE_ALL(d, flow_counters, dev_flow_counter, dev_flow_counter_free);
	FREE_ALL(d, scheds, dev_sched, dev_sched_free);
	FREE_ALL(d, generals, dev_general, dev_general_free);
	FREE_ALL(d, reserved_qpns, dev_general, dev_general_free);
	FREE_ALL(d, xrcds, dev_xrcd, dev_xrcd_free);
	FREE_ALL(d, cqs, dev_cq, dev_cq_free);
	FREE_ALL(d, eqs, dev_eq, dev_eq_free);
	FREE_ALL(d, mkeys, dev_mkey, dev_mkey_free);
	FREE_ALL(d, psvs, dev_psv, dev_psv_free);
	FREE_ALL(d, umems, dev_umem, dev_umem_free);
	FREE_ALL(d, uars, dev_uar, dev_uar_free);
	FREE_ALL(d, tds, dev_td, dev_td_free);
	FREE_ALL(d, pds, dev_pd, dev_pd_free);
	FREE_ALL(d, uctx, dev_uctx, dev_uctx_free);
	while (!core_list_empty(&d->memics))
		dev_memic_free(core_container(d->memics.next, struct dev_memic, on_dev));
	if (d->memic)
		munmap(d->memic, MEMIC_BYTES);
	if (d->clock)
		dev_bar_unmap(d->clock);
	core_own_close(d->bar_fd);
	pthread_mutex_destroy(&d->lock);
}

void dev_lock(struct dev *d)
{
	core_enter();
	atomic_fetch_add(&d->waiters, 1);
	core_lock(&d->lock);
	atomic_fetch_sub(&d->waiters, 1);
}

void dev_unlock(struct dev *d)
{
	core_unlock(&d->lock);
	core_leave();
}

void *dev_bar_map(struct dev *d, uint32_t pgoff)
{
	void *page = mmap(NULL, DEV_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, d->bar_fd,
			  (off_t)pgoff << DEV_PAGE_SHIFT);

	return page == MAP_FAILED ? NULL : page;
}

void dev_bar_unmap(void *page)
{
	munmap(page, DEV_PAGE_SIZE);
}
