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

#include "hca/hca.h"

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
#define MEMIC_BYTES	  ((size_t)HCA_MEMIC_PAGES << HCA_PAGE_SHIFT)

/* RLIMIT_FSIZE is about files on disks, and the BAR is not the program's: raised for the moment, as
 * far as that goes. Above the limit there would be SIGXFSZ. */
static uint64_t raise_limit(const struct rlimit *was)
{
	struct rlimit now = { RLIM_INFINITY, RLIM_INFINITY };

	if (was->rlim_cur >= HCA_BAR_SIZE || !setrlimit(RLIMIT_FSIZE, &now))
		return HCA_BAR_SIZE;
	now = (struct rlimit){ was->rlim_max, was->rlim_max };
	setrlimit(RLIMIT_FSIZE, &now);
	return now.rlim_cur < HCA_BAR_SIZE ? now.rlim_cur & -(uint64_t)HCA_PAGE_SIZE
					   : HCA_BAR_SIZE;
}

/* What is beyond the UAR pages only some adapters have. */
static int bar_size(struct hca *hca)
{
	struct rlimit was;
	int err = 0;

	if (getrlimit(RLIMIT_FSIZE, &was))
		return errno;
	hca->bar_bytes = raise_limit(&was);
	if (hca->bar_bytes < (HCA_UAR_PGOFF + UAR_LIMIT) * (uint64_t)HCA_PAGE_SIZE)
		err = EFBIG;
	else if (ftruncate(hca->bar_fd, (off_t)hca->bar_bytes) ||
		 fcntl(hca->bar_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		err = errno;
	if (was.rlim_cur < HCA_BAR_SIZE)
		setrlimit(RLIMIT_FSIZE, &was);
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
	hca->memic = mmap(NULL, MEMIC_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, hca->bar_fd,
			  (off_t)HCA_MEMIC_START);
	if (hca->memic != MAP_FAILED)
		return 0;
	hca->memic = NULL;
	return errno;
}

static void all_numbers(struct core_ids *t, uint8_t slot)
{
	core_ids_init(t, 0, NUMBER_LIMIT);
	core_ids_shift(t, (uint32_t)slot << 16);
}

int hca_init(struct hca *hca, uint8_t slot)
{
	uint32_t base = (uint32_t)slot << 16;
	pthread_mutexattr_t attr;
	int err;

	memset(hca, 0, sizeof(*hca));
	hca->slot = slot;
	pthread_mutexattr_init(&attr);
	pthread_mutex_init(&hca->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	core_list_init(&hca->runnable);
	core_list_init(&hca->memics);
	core_list_init(&hca->held);
	core_list_init(&hca->sessions);
	core_ids_init(&hca->uctx, 0, INDEX_LIMIT); /* uid: 16 bits, never on the wire */
	all_numbers(&hca->pds, slot);
	all_numbers(&hca->tds, slot);
	core_ids_init(&hca->uars, 0, UAR_LIMIT);
	all_numbers(&hca->mkeys, slot);
	all_numbers(&hca->cqs, slot);
	core_ids_init(&hca->eqs, 0, EQ_LIMIT); /* EQN: 8 bits in the doorbell */
	all_numbers(&hca->xrcds, slot);
	all_numbers(&hca->srqs, slot);
	core_ids_init(&hca->qps, base, QP_LIMIT);
	core_ids_init(&hca->dcts, base + DCT_BASE, DCT_LIMIT);
	core_ids_init(&hca->sqs, base + SQ_BASE, WQ_LIMIT);
	core_ids_init(&hca->rqs, base + RQ_BASE, WQ_LIMIT);
	core_ids_init(&hca->tiss, base, INDEX_LIMIT);
	core_ids_init(&hca->tirs, base, INDEX_LIMIT);
	core_ids_init(&hca->rqts, base, INDEX_LIMIT);
	core_ids_init(&hca->q_counters, 0, Q_COUNTER_LIMIT);
	core_ids_init(&hca->flow_counters, base, INDEX_LIMIT);
	core_ids_init(&hca->scheds, 0, SCHED_LIMIT);
	core_ids_init(&hca->generals, base, INDEX_LIMIT);
	core_ids_init(&hca->reserved_qpns, base + RESERVED_QP_BASE, RESERVED_QP_LIMIT);
	core_ids_init(&hca->umems, base, INDEX_LIMIT);
	core_ids_init(&hca->psvs, base, INDEX_LIMIT);
	err = bar_init(hca);
	if (err)
		hca_fini(hca);
	return err;
}

#define FREE_ALL(hca, table, type, free_one)                        \
	do {                                                        \
		uint32_t id_ = 0;                                   \
		struct type *obj_;                                  \
		while ((obj_ = core_ids_next(&(hca)->table, &id_))) \
			free_one(hca, obj_);                        \
		core_ids_fini(&(hca)->table);                       \
	} while (0)

void hca_fini(struct hca *hca)
{
	FREE_ALL(hca, tirs, hca_tir, hca_tir_free);
	FREE_ALL(hca, rqts, hca_rqt, hca_rqt_free);
	FREE_ALL(hca, rqs, hca_rq, hca_rq_free);
	FREE_ALL(hca, sqs, hca_sq, hca_sq_free);
	FREE_ALL(hca, tiss, hca_tis, hca_tis_free);
	FREE_ALL(hca, dcts, hca_dct, hca_dct_free);
	FREE_ALL(hca, qps, hca_qp, hca_qp_free);
	FREE_ALL(hca, srqs, hca_srq, hca_srq_free);
	FREE_ALL(hca, q_counters, hca_q_counter, hca_q_counter_free);
	FREE_ALL(hca, flow_counters, hca_flow_counter, hca_flow_counter_free);
	FREE_ALL(hca, scheds, hca_sched, hca_sched_free);
	FREE_ALL(hca, generals, hca_general, hca_general_free);
	FREE_ALL(hca, reserved_qpns, hca_general, hca_general_free);
	FREE_ALL(hca, xrcds, hca_xrcd, hca_xrcd_free);
	FREE_ALL(hca, cqs, hca_cq, hca_cq_free);
	FREE_ALL(hca, eqs, hca_eq, hca_eq_free);
	FREE_ALL(hca, mkeys, hca_mkey, hca_mkey_free);
	FREE_ALL(hca, psvs, hca_psv, hca_psv_free);
	FREE_ALL(hca, umems, hca_umem, hca_umem_free);
	FREE_ALL(hca, uars, hca_uar, hca_uar_free);
	FREE_ALL(hca, tds, hca_td, hca_td_free);
	FREE_ALL(hca, pds, hca_pd, hca_pd_free);
	FREE_ALL(hca, uctx, hca_uctx, hca_uctx_free);
	while (!core_list_empty(&hca->memics))
		hca_memic_free(core_container(hca->memics.next, struct hca_memic, on_dev));
	if (hca->memic)
		munmap(hca->memic, MEMIC_BYTES);
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
	atomic_fetch_sub(&hca->waiters, 1);
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
