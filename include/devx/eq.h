/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events. Only the kernel creates EQs, one per completion vector. A CQ created by DevX has the
 * number of one of them, and the process reads the events from an event channel.
 *
 *	device -> EQ of the kernel -> subscriptions -> channel (a file descriptor), or an eventfd
 *
 *	devx_eqn_query(&attr.eqn, ctx, 0);
 *	devx_cq_create(&cq, ctx, &attr);
 *	devx_events_create(&events, ctx, false);
 *	devx_events_subscribe(&events, &cq.obj, &comp, 1, (uintptr_t)&cq);     comp: PRM_EVENT_COMP
 *	dv_cq_arm(&cq.cq, false); … poll(events.fd) … devx_events_get(&events, &event);
 *	dv_cq_event(&cq.cq);
 *
 * Affiliated events belong to an object (PRM_EVENT_COMP to a CQ, PRM_EVENT_WQ_ACCESS_ERROR to a
 * QP), unaffiliated ones (PRM_EVENT_PORT_CHANGE) to none. The process may subscribe to what the
 * capabilities list: group DEV_EVENT, user_affiliated_events and user_unaffiliated_events.
 */
#ifndef DEVX_EQ_H
#define DEVX_EQ_H

#include <stdbool.h>

#include <devx/devx.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The number of the EQ of completion vector @vector, below ctx->num_comp_vectors. ENOENT: there
 * is no such vector. */
int devx_eqn_query(uint32_t *eqn, struct ibv_context *ctx, uint32_t vector);

struct devx_events {
	struct mlx5dv_devx_event_channel *handle;
	int fd; /* readable when an event is there; O_NONBLOCK as the caller sets it */
	bool omit_data;
};

struct devx_event {
	uint64_t cookie;
	uint8_t eqe[64]; /* as the device wrote it (struct eqe of prm); zeroes with omit_data */
};

/* @omit_data: cookies alone, and an event that is still unread is not queued again. */
int devx_events_create(struct devx_events *events, struct ibv_context *ctx, bool omit_data);
void devx_events_destroy(struct devx_events *events);

/* To @n kinds of events (PRM_EVENT_*) of @obj; NULL: unaffiliated ones. EINVAL: a kind that the
 * capabilities do not list. */
int devx_events_subscribe(struct devx_events *events, struct devx_obj *obj,
			  const uint16_t *kinds, size_t n, uint64_t cookie);

/* Signals @fd, an eventfd, instead of the channel. */
int devx_events_subscribe_fd(struct devx_events *events, int fd, struct devx_obj *obj,
			     uint16_t kind);

/* Takes the next event; waits for it unless the descriptor is non-blocking (EAGAIN). EOVERFLOW:
 * once, when events were lost. */
int devx_events_get(struct devx_events *events, struct devx_event *event);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
