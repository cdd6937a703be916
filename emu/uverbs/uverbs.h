/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uverbs: the kernel's role. ib_uverbs and mlx5_ib in one: the ioctl ABI on one side,
 * firmware commands on the other.
 *
 *	ioctl(fd, RDMA_VERBS_IOCTL) -> attributes -> object and method -> fw_exec()
 *	                                 '- handles: one table per open file
 *
 * What it checks is what the kernel checks (attribute masks per state, access bits, ranges,
 * use counts); what the device checks is left to the device. Answers are 0 or -errno as the
 * kernel's. A method that is not there yet answers -EOPNOTSUPP, an object or method that the
 * kernel does not know -EPROTONOSUPPORT.
 *
 * uverbs_* take the device lock themselves; uverbs_irq is called with it held.
 * The application's pointers are only touched by core_peek/core_poke: -EFAULT, no signal.
 */
#ifndef EMU_UVERBS_H
#define EMU_UVERBS_H

#include "dev/dev.h"
#include "wire/wire.h"

struct uverbs;	    /* the driver, bound to the device */
struct uverbs_file; /* one open /dev/infiniband/uverbs0 */

struct uverbs_config {
	uint16_t pci_id;
	const char *fw_ver; /* "16.35.2000" */
	uint32_t ipv4;	    /* host order: the address that makes the IPv4-mapped GIDs */
	const struct wire *w; /* the fabric; NULL: every address is taken for there */
	bool no_memlock;    /* regions and queues do not count against RLIMIT_MEMLOCK */
};

/* Binds to @d: event queues, GID table (SET_ROCE_ADDRESS). NULL with errno. */
struct uverbs *uverbs_probe(struct dev *d, const struct uverbs_config *cfg);
void uverbs_remove(struct uverbs *u);

struct uverbs_file *uverbs_open(struct uverbs *u);
int uverbs_ioctl(struct uverbs_file *f, unsigned long request, uint64_t arg);
/* Destroys everything that was left in the file, in the kernel's order. */
void uverbs_release(struct uverbs_file *f);

/* May a read of @count bytes take the next record of @fd? 0, or what the kernel answers:
 * -ENOSPC or -EINVAL if it is longer, -EOVERFLOW once after events were lost. What is not a
 * descriptor of DevX may always. Any thread, no lock; waits where the read would. */
int uverbs_read_check(int fd, size_t count);

/* event's upcall dev.irq. */
void uverbs_irq(struct dev *d, struct dev_eq *eq);

#endif
