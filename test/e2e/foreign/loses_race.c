/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Preloaded into rping: it loses the race of test/lib/races.sh. The thread that reads events
 * goes on after the disconnection when the channel is closed, and the main thread goes no
 * further then.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <rdma/rdma_cma.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static volatile int disconnected;

EXPORT int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	int (*next)(struct rdma_cm_event *) = dlsym(RTLD_NEXT, "rdma_ack_cm_event");
	int fd = event->id->channel->fd;
	int is_last = event->event == RDMA_CM_EVENT_DISCONNECTED;
	int ret;

	if (is_last)
		disconnected = 1;
	ret = next(event);
	while (is_last && fcntl(fd, F_GETFD) >= 0)
		usleep(1000);
	return ret;
}

/* The main thread calls this one before it destroys the id; after that no event would come. */
EXPORT int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	int (*next)(struct ibv_comp_channel *) = dlsym(RTLD_NEXT, "ibv_destroy_comp_channel");

	while (!disconnected)
		usleep(1000);
	return next(channel);
}

EXPORT void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	void (*next)(struct rdma_event_channel *) =
		dlsym(RTLD_NEXT, "rdma_destroy_event_channel");

	next(channel);
	while (disconnected)
		pause();
}
