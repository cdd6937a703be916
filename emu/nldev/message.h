/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private to nldev: parsing and building netlink messages.
 *
 *	| nlmsghdr 16 | nlattr 4 | value, padded to 4 | nlattr | nlattr … nested |
 *
 * request.c    datagram -> messages -> commands; acknowledges and errors
 * device.c     device, port, system, character devices
 * resource.c   objects of the process
 * statistic.c  counters of the port
 */
#ifndef EMU_NLDEV_MESSAGE_H
#define EMU_NLDEV_MESSAGE_H

#include <stdbool.h>

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "nldev/nldev.h"

/* Bytes of a datagram: what a reader that asks for a page will take (kernel, netlink.h,
 * NLMSG_GOODSIZE: a page less its overhead). */
#define NLDEV_MESSAGE 3600

/* <rdma/rdma_netlink.h> of Linux 6.12 */
#define NLDEV_CMD_RES_SRQ_GET_RAW   (RDMA_NLDEV_CMD_STAT_GET_STATUS + 1)
#define NLDEV_CMD_NEWDEV	    (NLDEV_CMD_RES_SRQ_GET_RAW + 1)
#define NLDEV_CMD_DELDEV	    (NLDEV_CMD_RES_SRQ_GET_RAW + 2)
#define NLDEV_ATTR_NAME_ASSIGN_TYPE 101
#define NLDEV_ATTR_MONITOR_MODE	    103

/* A request that is being answered. */
struct nldev_call {
	const struct nldev_device *devices; /* ndevices of them */
	size_t ndevices;
	const struct nldev_device *d; /* the one that is meant; the first, if none is */
	uint32_t portid;
	const struct nlmsghdr *request;
	const struct nlattr *attr[RDMA_NLDEV_ATTR_MAX]; /* by type; NULL: not there */
	bool dump, admin;				/* admin: the asker has CAP_NET_ADMIN */
	nldev_send *send;
	void *to;
};

struct nldev_message {
	union {
		struct nlmsghdr h;
		uint8_t bytes[NLDEV_MESSAGE];
	};
	bool full; /* something did not fit and was left out */
};

void nldev_begin(struct nldev_message *m, const struct nldev_call *c, uint16_t type);
void nldev_end(struct nldev_message *m, const struct nldev_call *c);
void nldev_put(struct nldev_message *m, uint16_t type, const void *value, size_t len);
void nldev_put_u8(struct nldev_message *m, uint16_t type, uint8_t v);
void nldev_put_u32(struct nldev_message *m, uint16_t type, uint32_t v);
void nldev_put_u64(struct nldev_message *m, uint16_t type, uint64_t v);
void nldev_put_text(struct nldev_message *m, uint16_t type, const char *text);
/* Opens a nested attribute; returns its offset, for nldev_close() or nldev_cancel(). */
uint32_t nldev_open(struct nldev_message *m, uint16_t type);
void nldev_close(struct nldev_message *m, uint32_t nest);
void nldev_cancel(struct nldev_message *m, uint32_t nest);

/* The attribute @type as a number; false: it is missing. */
bool nldev_get_u32(const struct nldev_call *c, uint16_t type, uint32_t *v);
/* Puts index and name of the device. */
void nldev_put_handle(struct nldev_message *m, const struct nldev_call *c);
/* Does the request name a device, by its index? That is c->d then. */
bool nldev_names_device(struct nldev_call *c);

/* Does @one for the device that the request names, or in a dump for each. */
int nldev_each(struct nldev_call *c, int (*one)(struct nldev_call *c));

/* Commands: 0, or -errno. */
int nldev_get(struct nldev_call *c);
int nldev_port_get(struct nldev_call *c);
int nldev_sys_get(struct nldev_call *c);
int nldev_get_chardev(struct nldev_call *c);
int nldev_res_get(struct nldev_call *c);
int nldev_res_list(struct nldev_call *c);
int nldev_stat_get(struct nldev_call *c);

#define NLDEV_PORT 1

#endif
