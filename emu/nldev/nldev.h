/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nldev: RDMA netlink as ib_core has it (netlink.c, nldev.c), protocol NETLINK_RDMA, client
 * RDMA_NL_NLDEV.
 *
 *	request bytes -> header, attributes -> device, port, resources -> messages -> send()
 *
 * Answered: GET, PORT_GET, SYS_GET, RES_GET, RES_{QP,CM_ID,CQ,MR,PD,CTX,SRQ}_GET, GET_CHARDEV,
 * STAT_GET. The kernel's other commands: -EPERM without the privilege that they need, else
 * -EOPNOTSUPP.
 *
 * The devices are known before the adapter is up; resources are those of this process's
 * adapter. No state is kept between requests. nldev takes the device lock while it lists
 * resources.
 */
#ifndef EMU_NLDEV_H
#define EMU_NLDEV_H

#include <stddef.h>
#include <sys/types.h>

#include "kernel/kernel.h"
#include "ucma/ucma.h"
#include "uverbs/uverbs.h"

struct nldev_device {
	const char *name, *fw_ver; /* "mlx5_0", "16.35.2000"; name NULL: there is no device */
	uint64_t node_guid, sys_image_guid; /* host order */
	uint64_t cap_flags;		    /* IBV_DEVICE_* */
	const char *netdev, *uverbs_name;   /* "lo", "uverbs0" */
	dev_t uverbs_node, cm_node;	    /* device numbers in /dev/infiniband */
	uint16_t kernel;		    /* KERNEL_RELEASE */
	struct uverbs *uverbs;		    /* NULL: the adapter is not up */
	struct ucma *ucma;
	/* Counts of the function in all processes, also if it is not up in this one. */
	void (*counted)(const struct nldev_device *d, struct hca_counted *sum);
	const char *fabric;
	uint32_t ipv4;
	enum hca_role role;
};

/* Sends one datagram to the requester; a dump is several. */
typedef void nldev_send(void *to, const void *bytes, size_t len);

/* Answers the @len bytes that the socket with port id @portid sent. The index of a device is
 * that in @d, which has @n of them, at least one. */
void nldev_request(const struct nldev_device *d, size_t n, uint32_t portid, const void *bytes,
		   size_t len, nldev_send *send, void *to);

#endif
