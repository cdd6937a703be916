/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event file descriptors: what the application polls and reads for asynchronous events and,
 * on a completion channel, for completions.
 *
 *	uverbs_irq() --record--> [ pipe ] --read()--> application
 *	                            ^
 *	destroy of an object: its unread records are taken out again
 *
 * The application's end is a plain pipe, so that read, poll, epoll and fcntl need no help. A
 * record begins with the user_handle of its object (struct ib_uverbs_async_event_desc, struct
 * ib_uverbs_comp_event_desc).
 *
 * The application closes its end without a word to the driver. An object that is not used any
 * more and whose pipe has no other reader left goes away when as many others were made; until
 * then objects that use it go on writing, and there is no reader (ib_uverbs: uverbs_main.c,
 * is_closed).
 *
 * Counts matter: libibverbs waits in its destroy calls until the application acknowledged as
 * many events as destroy says were reported (libibverbs, ibv_destroy_cq(3)). So reported is
 * what was written less what was taken out.
 */
#ifndef EMU_UVERBS_EVENT_FD_H
#define EMU_UVERBS_EVENT_FD_H

#include <sys/types.h>

#include "uverbs/driver.h"

struct uverbs_event_fd {
	struct uverbs_object obj;
	int write_fd, drain_fd; /* drain_fd: a separate open description, non-blocking */
	dev_t dev;		/* device and inode identify the pipe under any number */
	ino_t ino;
	size_t record, capacity;      /* bytes of a record, of the pipe */
	bool shared;		      /* drain_fd is a duplicate of the application's end */
	struct uverbs_event_fd *next; /* of those with an inode like it */
};

/* The object of the application's @fd; NULL: not one of @type in @f. */
struct uverbs_event_fd *uverbs_event_fd_find(struct uverbs_file *f, int64_t fd,
					     enum uverbs_type type);

/* False: the pipe is full, the record was not delivered. */
bool uverbs_event_fd_post(struct uverbs_event_fd *e, const void *record);
/* Are there records that were not read yet? */
bool uverbs_event_fd_unread(const struct uverbs_event_fd *e);

/* Takes out the unread records of @user_handle; those of an async fd only if bit event_type of
 * @types is set (a completion channel has only one kind). Returns how many. */
uint32_t uverbs_event_fd_purge(struct uverbs_event_fd *e, uint64_t user_handle, uint64_t types);

/* Bits of enum ib_event_type that are about a CQ, about a QP, about an SRQ, about a WQ. */
#define UVERBS_CQ_EVENTS  (1ull << 0)
#define UVERBS_QP_EVENTS  0x100feull
#define UVERBS_SRQ_EVENTS 0xc000ull
#define UVERBS_WQ_EVENTS  (1ull << 19)

#endif
