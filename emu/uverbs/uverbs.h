/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uverbs: the kernel's role. ib_uverbs and mlx5_ib in one: the ioctl ABI on one side,
 * firmware commands on the other.
 *
 *	ioctl(fd, RDMA_VERBS_IOCTL) -> attributes -> object and method -> fw_exec()
 *	                                 '- handles: one table per open file
 *
 * It checks what the kernel checks (attribute masks per state, access bits, ranges, use
 * counts); the device's checks are left to the device. Answers are 0 or -errno as the kernel's.
 * A method that is not implemented yet answers -EOPNOTSUPP, an object or method that the kernel
 * does not know -EPROTONOSUPPORT.
 *
 * uverbs_* take the device lock themselves; uverbs_irq is called with it held.
 * The application's pointers are only touched by core_peek/core_poke: -EFAULT, no signal.
 */
#ifndef EMU_UVERBS_H
#define EMU_UVERBS_H

#include "hca/hca.h"
#include "kernel/kernel.h"
#include "wire/wire.h"

struct uverbs;	    /* the driver, bound to the device */
struct uverbs_file; /* one open /dev/infiniband/uverbs0 */

struct uverbs_config {
	uint16_t pci_id;
	const char *fw_ver; /* "16.35.2000" */
	/* of the port, each two GIDs: RoCE v1 and v2; the link-local one of its MAC first */
	const uint8_t (*addresses)[16];
	unsigned int naddresses;
	const struct wire *w; /* the fabric; NULL: every address is taken for there */
	uint16_t kernel;      /* KERNEL_RELEASE: whose answers */
	bool no_memlock;      /* regions and queues do not count against RLIMIT_MEMLOCK */
	/* the process's count of pages that do; NULL: this adapter is its only one */
	_Atomic uint64_t *pinned;
};

/* Binds to @hca: event queues, GID table (SET_ROCE_ADDRESS). NULL with errno. */
struct uverbs *uverbs_probe(struct hca *hca, const struct uverbs_config *cfg);
void uverbs_remove(struct uverbs *u);

struct uverbs_file *uverbs_open(struct uverbs *u);
int uverbs_ioctl(struct uverbs_file *f, unsigned long request, uint64_t arg);
/* write(2) of the @len bytes at @buf, a command; @len or -errno. */
ssize_t uverbs_write(struct uverbs_file *f, uint64_t buf, size_t len);
/* mmap(2) of @len bytes at *@offset: a UAR page that the offset names by the context's index,
 * or makes, becomes that of the BAR; other offsets stay. 0 or -errno. */
int uverbs_mmap(struct uverbs_file *f, size_t len, uint64_t *offset);
/* A mapping at @offset, which uverbs_mmap() changed, failed: a page that was made for it
 * ends. */
void uverbs_mmap_failed(struct uverbs_file *f, uint64_t offset);
/* Destroys everything that was left in the file, in the kernel's order. */
void uverbs_release(struct uverbs_file *f);

/* May a read of @count bytes take the next record of @fd? 0, or what the kernel answers:
 * -ENOSPC or -EINVAL if it is longer, -EOVERFLOW once after events were lost. Always 0 for
 * other descriptors than those of DevX. Any thread, no lock; waits where the read would. */
int uverbs_read_check(int fd, size_t count);

/* Has the process that capability (capabilities(7))? */
bool uverbs_capable(uint32_t cap);

/* device_cap_flags_ex of QUERY_DEVICE for an adapter like @hca, of which only fw_init() is
 * needed. */
uint64_t uverbs_device_flags(const struct hca *hca);

/* Objects of the application as RDMA netlink reports them (kernel, restrack). */
enum uverbs_resource_kind {
	UVERBS_RES_CTX,
	UVERBS_RES_PD,
	UVERBS_RES_MR,
	UVERBS_RES_CQ,
	UVERBS_RES_QP,
	UVERBS_RES_SRQ,
};

struct uverbs_resource {
	uint32_t number;  /* of a QP its QPN, else counted by kind */
	uint32_t ctx, pd; /* numbers of those that it belongs to */
	uint64_t uses;
	uint32_t cqe;		  /* CQ */
	uint32_t key;		  /* MR */
	uint64_t len;		  /* MR */
	bool on_demand, implicit; /* MR */
	uint8_t type;		  /* QP, SRQ: as verbs call it */
	bool has_cq;		  /* SRQ: it has one, */
	uint32_t cq;		  /* with this number */
	bool has_srq;		  /* QP: also */
	uint32_t srq;
	uint8_t state, port, mig_state; /* QP */
	uint32_t remote_qpn, rq_psn, sq_psn;
};

/* All of a kind, by number; the caller frees them. NULL and *n = 0: there are none, or no
 * memory. */
struct uverbs_resource *uverbs_resources(struct uverbs *u, enum uverbs_resource_kind kind,
					 size_t *n);

/* event's upcall hca.irq. */
void uverbs_irq(struct hca *hca, struct hca_eq *eq);

/* The adapter has an internal error: all contexts get IBV_EVENT_DEVICE_FATAL, and requests -EIO
 * from now on. Device lock held. */
void uverbs_fail(struct uverbs *u);

/* IBV_PORT_*, and the physical state as in struct ibv_port_attr. Device lock held. */
uint8_t uverbs_port_state(const struct uverbs *u);
uint8_t uverbs_port_phys_state(const struct uverbs *u);

/* The counters in ports/1/hw_counters and ports/1/counters of kernel release @kernel, for a
 * function that counted @n; returns how many. */
struct uverbs_counter {
	const char *name;
	uint64_t value;
};
#define UVERBS_STATISTICS 32 /* at most */
typedef unsigned int uverbs_counters(uint16_t kernel, const struct hca_counted *n,
				     struct uverbs_counter *c);
uverbs_counters uverbs_hw_counters, uverbs_port_counters;

/* engine's upcall hca.unread: does a channel of @cq hold events that were not read? Those of
 * other CQs on the channel count too. */
bool uverbs_unread(struct hca *hca, const struct hca_cq *cq);

#endif
