/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DevX: firmware commands from the application (mlx5_ib, devx.c). Declarations shared by its
 * files.
 *
 *	devx.c         commands that make nothing, and numbers: OTHER, QUERY_UAR, QUERY_EQN
 *	devx_filter.c  which commands pass, which object they name, how that one is destroyed
 *	devx_obj.c     objects: create, modify, query, destroy
 *	devx_umem.c    memory for them
 *	devx_async.c   queries whose answers are read from a descriptor
 *	devx_event.c   events, read from a descriptor or counted by an eventfd
 *	record_fd.c    these descriptors, and record_read.c: what a read returns
 *
 *	inbox -> context has a uid? -> on the list? -> names the handle's object?
 *	      -> uid stamped, umem bits forced -> firmware -> outbox
 *
 * A command refused by firmware returns its outbox and -EREMOTEIO; one refused by a filter is
 * -EINVAL and does not reach the firmware.
 */
#ifndef EMU_UVERBS_DEVX_H
#define EMU_UVERBS_DEVX_H

#include "uverbs/method.h"

/* ---- commands ---- */

struct uverbs_devx_cmd {
	uint8_t *in, *out;
	size_t in_len, out_len;
	uint16_t opcode, uid;
};

/* Takes the inbox of attribute @in_id and memory for @out_len; -EINVAL, -EOPNOTSUPP: the
 * context may not send it at all. To be followed by uverbs_devx_end() in any case. */
int uverbs_devx_begin(struct uverbs_call *c, uint16_t in_id, size_t out_len,
		      struct uverbs_devx_cmd *cmd);
void uverbs_devx_end(struct uverbs_devx_cmd *cmd);
/* Executes it as the context's and answers the outbox in attribute @out_id: 0, -EREMOTEIO. */
int uverbs_devx_run(struct uverbs_call *c, struct uverbs_devx_cmd *cmd, uint16_t out_id);

/* ---- the filter ---- */

/* Lists of commands that methods let through. */
bool uverbs_devx_creates(const uint8_t *in);
bool uverbs_devx_modifies(const uint8_t *in);
bool uverbs_devx_queries(const uint8_t *in);

/* The object that a modifying or querying command names: create opcode (and, of a general
 * object, its type << 16) << 32 | number; 0: none. */
uint64_t uverbs_devx_named(const uint8_t *in);
/* The same of the object that a create command made. */
uint64_t uverbs_devx_made(const uint8_t *in, const uint8_t *out);
/* How many flow counters a command that allocates them asks for; 0: one, or it is another. */
uint32_t uverbs_devx_bulk(const uint8_t *in);
/* Does the command in @in name @o? */
bool uverbs_devx_names(const struct uverbs_object *o, const uint8_t *in);
/* Number and, for a general object, type. */
uint64_t uverbs_devx_id(uint32_t opcode, uint32_t number);

#define UVERBS_DEVX_DESTROY_MAX 64
/* Builds the command that undoes the create command @in, and returns its length. */
uint32_t uverbs_devx_undo(const uint8_t *in, const uint8_t *out, uint8_t *destroy);

/* Queues of DevX lie in umems: forces the bits that say so. */
void uverbs_devx_force_umem(uint8_t *in);

/* ---- objects ---- */

struct uverbs_devx_obj {
	struct uverbs_object obj;
	uint64_t id;   /* as uverbs_devx_made() */
	uint32_t bulk; /* flow counters: how many follow from that number on; 0: it is one */
	uint8_t destroy[UVERBS_DEVX_DESTROY_MAX];
	uint32_t destroy_len;
};

struct uverbs_devx_umem {
	struct uverbs_object obj;
	uint32_t umem_id;
};

/* A page of doorbells of emulated virtio queues. */
struct uverbs_var {
	struct uverbs_object obj;
	uint32_t index;
};

/* A user of an entry of the packet pacing table. */
struct uverbs_pp {
	struct uverbs_object obj;
	uint16_t index;
};

/* ---- events ---- */

struct uverbs_record_fd;

/* An EQE: hands it to those that subscribed. A completion event only if the CQ is one of
 * DevX. */
void uverbs_devx_event(struct uverbs *u, const uint8_t eqe[64]);
/* Is there a completion event of @cqn that a subscriber did not read yet? */
bool uverbs_devx_unread(struct uverbs *u, uint32_t cqn);
/* Ends subscriptions to events of @o, or those that would be written to @fd. */
void uverbs_devx_unsubscribe(struct uverbs *u, const struct uverbs_devx_obj *o);
void uverbs_devx_unsubscribe_fd(struct uverbs *u, const struct uverbs_record_fd *fd);

#endif
