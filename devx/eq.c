/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of EQs, and channels for their events.
 *
 *	mlx5dv_devx_get_event() -> cookie, and the EQE unless the channel omits it
 */
#include <string.h>

#include <devx/eq.h>

#include "refuse.h"

enum { KINDS_MAX = 64 };

int devx_eqn_query(uint32_t *eqn, struct ibv_context *ctx, uint32_t vector)
{
	int err = mlx5dv_devx_query_eqn(ctx, vector, eqn);

	return err ? devx_refused(CALL_devx_eqn_query, 0, err) : 0;
}

int devx_events_create(struct devx_events *events, struct ibv_context *ctx, bool omit_data)
{
	enum mlx5dv_devx_create_event_channel_flags flags =
		omit_data ? MLX5DV_DEVX_CREATE_EVENT_CHANNEL_FLAGS_OMIT_EV_DATA : 0;

	errno = 0;
	events->omit_data = omit_data;
	events->handle = mlx5dv_devx_create_event_channel(ctx, flags);
	if (!events->handle)
		return devx_refused(CALL_devx_events_create, 0, errno);
	events->fd = events->handle->fd;
	return 0;
}

void devx_events_destroy(struct devx_events *events)
{
	if (events->handle)
		mlx5dv_devx_destroy_event_channel(events->handle);
	events->handle = NULL;
}

int devx_events_subscribe(struct devx_events *events, struct devx_obj *obj,
			  const uint16_t *kinds, size_t n, uint64_t cookie)
{
	uint16_t copy[KINDS_MAX]; /* libmlx5 asks for one that it could write to */
	int err;

	if (!n || n > KINDS_MAX)
		return devx_refuse(CALL_devx_events_subscribe, 0, EINVAL,
				   "1 to 64 kinds of events at a time");
	memcpy(copy, kinds, n * sizeof(*kinds));
	err = mlx5dv_devx_subscribe_devx_event(events->handle, obj ? obj->handle : NULL,
					       (uint16_t)(n * sizeof(*kinds)), copy, cookie);
	return err ? devx_refused(CALL_devx_events_subscribe, 0, err) : 0;
}

int devx_events_subscribe_fd(struct devx_events *events, int fd, struct devx_obj *obj,
			     uint16_t kind)
{
	int err = mlx5dv_devx_subscribe_devx_event_fd(events->handle, fd,
						      obj ? obj->handle : NULL, kind);

	return err ? devx_refused(CALL_devx_events_subscribe_fd, 0, err) : 0;
}

int devx_events_get(struct devx_events *events, struct devx_event *event)
{
	union {
		struct mlx5dv_devx_async_event_hdr hdr;
		uint8_t bytes[sizeof(struct mlx5dv_devx_async_event_hdr) + sizeof(event->eqe)];
	} answer = { 0 };
	ssize_t n = mlx5dv_devx_get_event(events->handle, &answer.hdr, sizeof(answer));

	if (n < 0)
		return devx_refused(CALL_devx_events_get, 0, errno);
	event->cookie = answer.hdr.cookie;
	memcpy(event->eqe, answer.hdr.out_data, sizeof(event->eqe));
	return 0;
}
