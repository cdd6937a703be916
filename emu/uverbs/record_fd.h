/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors that DevX answers are read from: one read() gives one record.
 *
 *	driver --send--> [ socket pair, SOCK_SEQPACKET ] --read()--> application
 *
 * A socket that keeps records apart, so that poll, epoll and fcntl need no help; read asks
 * first (record_read.c), since a socket would cut a record that a buffer is too short for.
 *
 * The kernel's list of records has no bound but memory; a socket has (net.core.wmem_max, some
 * hundred records). A program that does not read loses what comes then, which is reported as
 * the kernel reports who lost events for want of memory.
 */
#ifndef EMU_UVERBS_RECORD_FD_H
#define EMU_UVERBS_RECORD_FD_H

#include <sys/types.h>

#include "uverbs/driver.h"

struct uverbs_record_fd {
	struct uverbs_object obj;
	int fd;	   /* our end */
	dev_t dev; /* device and inode of the application's end */
	ino_t ino;
	bool omit_data;	 /* events: only the cookie, and one at a time of each subscription */
	uint64_t posted; /* records so far */
	int weight;	 /* SIOCOUTQ of one record of omit_data; 0: not known */
};

struct uverbs_record_fd *uverbs_record_fd_find(struct uverbs_file *f, int64_t fd,
					       enum uverbs_type type);

/* 0, -EAGAIN: no space for it now, -EPIPE: there is no reader any more, -EMSGSIZE. */
int uverbs_record_fd_post(struct uverbs_record_fd *r, const void *record, size_t len);
/* How many of the last records were not read yet; all of them have the same length. */
uint64_t uverbs_record_fd_unread(struct uverbs_record_fd *r);

/* For read(): a new descriptor is known as @fd; it is closed; a record of it was lost. */
void uverbs_record_read_add(const struct uverbs_record_fd *r, int fd);
void uverbs_record_read_del(const struct uverbs_record_fd *r);
void uverbs_record_read_lost(const struct uverbs_record_fd *r);

#endif
