/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of the device, for those that subscribed (mlx5_ib, devx.c, SUBSCRIBE_EVENT and
 * devx_event_notifier).
 *
 *	EQE -> event type, type and number of its object -> subscriptions that name all three
 *	    -> { cookie, EQE } or only the cookie into the descriptor, or 1 into an eventfd
 *
 * A subscription without an object is for events that are about none (a port). One to
 * completions is answered where the CQ was made by DevX: a CQ of verbs has its channel.
 *
 * A descriptor that omits data holds one cookie of each subscription until it is read.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/event.h"
#include "uverbs/devx.h"
#include "uverbs/record_fd.h"

#define TYPES_MAX 16  /* devx.c: MAX_NUM_EVENTS */
#define TYPE_MAX  255 /* there: MAX_SUPP_EVENT_NUM */
#define EQE_SIZE  64

struct subscription {
	struct core_list on_driver; /* uverbs.subscriptions */
	uint16_t event, obj_type;
	uint32_t number;
	const struct uverbs_devx_obj *obj; /* NULL: events about no object */
	struct uverbs_record_fd *fd;
	int eventfd; /* -1: records go into fd */
	uint64_t cookie;
	uint64_t posted; /* number of the last record, from 1 */
};

static bool is_legacy(uint16_t event)
{
	switch (event) {
	case PRM_EVENT_PATH_MIG:
	case PRM_EVENT_COMM_EST:
	case PRM_EVENT_SQ_DRAINED:
	case PRM_EVENT_SRQ_LAST_WQE:
	case PRM_EVENT_SRQ_RQ_LIMIT:
	case PRM_EVENT_CQ_ERROR:
	case PRM_EVENT_WQ_CATAS_ERROR:
	case PRM_EVENT_PATH_MIG_FAILED:
	case PRM_EVENT_WQ_INVAL_REQ_ERROR:
	case PRM_EVENT_WQ_ACCESS_ERROR:
	case PRM_EVENT_SRQ_CATAS_ERROR:
	case PRM_EVENT_DCT_DRAINED:
	case PRM_EVENT_COMP:
	case PRM_EVENT_DCT_KEY_VIOLATION:
	case PRM_EVENT_XRQ_ERROR:
		return true;
	default:
		return false;
	}
}

/* Bit @event of a mask of four words, the first of them for events 0 … 63. */
static bool in_mask(const struct uverbs *u, size_t off, uint16_t event)
{
	const uint8_t *mask = u->caps[PRM_CAP_DEV_EVENT] + off / 8;

	return prm_load(mask + event / 64 * 8, 0, 64) >> event % 64 & 1;
}

static bool is_unaffiliated(const struct uverbs *u, uint16_t event)
{
	if (!UVERBS_CAP(u, event_cap))
		return event == PRM_EVENT_PORT_CHANGE;
	return in_mask(u, PRM_OFF(device_event_cap, user_unaffiliated_events), event);
}

/* is_valid_events, is_valid_events_legacy */
static bool may_subscribe(const struct uverbs *u, uint16_t event, bool obj)
{
	if (event > TYPE_MAX && UVERBS_CAP(u, event_cap))
		return false;
	if (!obj)
		return is_unaffiliated(u, event);
	if (!UVERBS_CAP(u, event_cap))
		return is_legacy(event);
	return event == PRM_EVENT_COMP ||
	       in_mask(u, PRM_OFF(device_event_cap, user_affiliated_events), event);
}

/* get_legacy_obj_type */
static uint16_t queue_type(uint16_t create)
{
	switch (create) {
	case PRM_OP_CREATE_RQ:
	case PRM_OP_CREATE_RMP:
		return PRM_EVENT_QUEUE_TYPE_RQ;
	case PRM_OP_CREATE_SQ:
		return PRM_EVENT_QUEUE_TYPE_SQ;
	case PRM_OP_CREATE_DCT:
		return PRM_EVENT_QUEUE_TYPE_DCT;
	default:
		return 0;
	}
}

/* get_dec_obj_type, with the types of <linux/mlx5/mlx5_ifc.h>, MLX5_OBJ_TYPE_* */
static uint16_t obj_type(const struct uverbs_devx_obj *o, uint16_t event)
{
	static const struct {
		uint16_t create, type;
	} types[] = {
		{ PRM_OP_CREATE_QP, PRM_OBJ_QP },
		{ PRM_OP_CREATE_PSV, PRM_OBJ_PSV },
		{ PRM_OP_CREATE_RMP, PRM_OBJ_RMP },
		{ PRM_OP_CREATE_XRC_SRQ, PRM_OBJ_XRC_SRQ },
		{ PRM_OP_CREATE_RQ, PRM_OBJ_RQ },
		{ PRM_OP_CREATE_SQ, PRM_OBJ_SQ },
		{ PRM_OP_CREATE_TIR, PRM_OBJ_TIR },
		{ PRM_OP_CREATE_TIS, PRM_OBJ_TIS },
		{ PRM_OP_CREATE_DCT, PRM_OBJ_DCT },
		{ PRM_OP_CREATE_XRQ, PRM_OBJ_XRQ },
		{ PRM_OP_CREATE_RQT, PRM_OBJ_RQT },
		{ PRM_OP_ALLOC_FLOW_COUNTER, PRM_OBJ_FLOW_COUNTER },
		{ PRM_OP_CREATE_CQ, PRM_OBJ_CQ },
	};
	uint16_t create = o->id >> 32;

	if (is_legacy(event))
		return queue_type(create);
	if (create == PRM_OP_CREATE_GENERAL_OBJECT)
		return o->id >> 48;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].create == create)
			return types[i].type;
	return 0;
}

/* ---- what an EQE is about ---- */

static uint32_t number_at(const uint8_t *p)
{
	return (uint32_t)p[1] << 16 | p[2] << 8 | p[3];
}

/* get_event_obj_type, devx_get_obj_id_from_event; where it is: <linux/mlx5/device.h>, struct
 * mlx5_eqe_qp_srq, mlx5_eqe_cq_err, mlx5_eqe_xrq_err, mlx5_eqe_dct, mlx5_eqe_comp. */
static void about(const uint8_t *eqe, uint16_t *type, uint32_t *number)
{
	const uint8_t *data = eqe + 32;

	*type = 0;
	switch (eqe[1]) {
	case PRM_EVENT_COMP:
		*number = number_at(data + 24);
		return;
	case PRM_EVENT_CQ_ERROR:
		*number = number_at(data);
		return;
	case PRM_EVENT_XRQ_ERROR:
		*number = number_at(data + 20);
		return;
	case PRM_EVENT_DCT_DRAINED:
	case PRM_EVENT_DCT_KEY_VIOLATION:
		*type = PRM_EVENT_QUEUE_TYPE_DCT;
		*number = number_at(data + 24);
		return;
	default:
		break;
	}
	if (is_legacy(eqe[1])) {
		*type = data[20];
		*number = number_at(data + 24);
		return;
	}
	*type = PRM_GET(affiliated_event_header, data, obj_type);
	*number = PRM_GET(affiliated_event_header, data, obj_id);
}

/* ---- delivery ---- */

/* eventfd_signal; a counter that is full stays full. */
static void signal_eventfd(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	uint64_t one = 1;

	if (poll(&p, 1, 0) == 1 && p.revents & POLLOUT && write(fd, &one, sizeof(one)) < 0)
		return;
}

/* deliver_event */
static void deliver(struct subscription *s, const uint8_t *eqe)
{
	uint8_t record[sizeof(s->cookie) + EQE_SIZE];
	struct uverbs_record_fd *fd = s->fd;

	if (s->eventfd >= 0) {
		signal_eventfd(s->eventfd);
		return;
	}
	if (fd->omit_data && s->posted && s->posted + uverbs_record_fd_unread(fd) > fd->posted)
		return;
	memcpy(record, &s->cookie, sizeof(s->cookie));
	memcpy(record + sizeof(s->cookie), eqe, EQE_SIZE);
	if (!uverbs_record_fd_post(fd, record,
				   fd->omit_data ? sizeof(s->cookie) : sizeof(record)))
		s->posted = fd->posted;
}

/* Subscriptions have the completion events of CQs that DevX made. */
static bool is_cq(const struct uverbs_object *o, uint32_t cqn)
{
	return core_container(o, struct uverbs_devx_obj, obj)->id ==
	       uverbs_devx_id(PRM_OP_CREATE_CQ, cqn);
}

void uverbs_devx_event(struct uverbs *u, const uint8_t eqe[EQE_SIZE])
{
	bool no_object = is_unaffiliated(u, eqe[1]);
	struct core_list *pos, *tmp;
	uint32_t number;
	uint16_t type;

	if (core_list_empty(&u->subscriptions))
		return;
	about(eqe, &type, &number);
	if (eqe[1] == PRM_EVENT_COMP && !uverbs_object_find(u, UVERBS_DEVX_OBJ, is_cq, number))
		return;
	core_list_for_each(pos, tmp, &u->subscriptions) {
		struct subscription *s = core_container(pos, struct subscription, on_driver);

		if (s->event != eqe[1] || !s->obj != no_object)
			continue;
		if (no_object || (s->obj_type == type && s->number == number))
			deliver(s, eqe);
	}
}

bool uverbs_devx_unread(struct uverbs *u, uint32_t cqn)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &u->subscriptions) {
		struct subscription *s = core_container(pos, struct subscription, on_driver);
		struct pollfd p = { .fd = s->eventfd, .events = POLLIN };

		if (s->event != PRM_EVENT_COMP || s->number != cqn)
			continue;
		if (s->eventfd < 0 ? uverbs_record_fd_unread(s->fd) : poll(&p, 1, 0) == 1)
			return true;
	}
	return false;
}

/* ---- subscriptions ---- */

static void end(struct subscription *s)
{
	core_list_del(&s->on_driver);
	core_own_close(s->eventfd);
	free(s);
}

void uverbs_devx_unsubscribe(struct uverbs *u, const struct uverbs_devx_obj *o)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &u->subscriptions) {
		struct subscription *s = core_container(pos, struct subscription, on_driver);

		if (s->obj == o)
			end(s);
	}
}

void uverbs_devx_unsubscribe_fd(struct uverbs *u, const struct uverbs_record_fd *fd)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &u->subscriptions) {
		struct subscription *s = core_container(pos, struct subscription, on_driver);

		if (s->fd == fd)
			end(s);
	}
}

/* eventfd_ctx_fdget: -EBADF, -EINVAL for another kind. A separate descriptor: the application
 * may close its one. */
static int take_eventfd(int fd)
{
	char path[32], name[32];
	struct stat st;
	ssize_t len;
	int ret;

	snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", fd);
	len = readlink(path, name, sizeof(name) - 1);
	if (fstat(fd, &st))
		return -EBADF;
	/* Without /proc: at least a file without a type, of which eventfds are the most
	 * common. */
	if (len < 0 && st.st_mode & S_IFMT)
		return -EINVAL;
	name[len < 0 ? 0 : len] = 0;
	if (len >= 0 && strcmp(name, "anon_inode:[eventfd]"))
		return -EINVAL;
	ret = core_own(fcntl(fd, F_DUPFD_CLOEXEC, 0));
	return ret < 0 ? -errno : ret;
}

static int subscribe(struct uverbs *u, const struct subscription *like, int eventfd)
{
	struct subscription *s = malloc(sizeof(*s));
	int ret = s ? 0 : -ENOMEM;

	if (ret)
		return ret;
	*s = *like;
	s->eventfd = -1;
	if (s->obj) {
		s->obj_type = obj_type(s->obj, s->event);
		s->number = (uint32_t)s->obj->id;
	}
	if (eventfd >= 0)
		ret = s->eventfd = take_eventfd(eventfd);
	if (ret < 0) {
		free(s);
		return ret;
	}
	core_list_add(&u->subscriptions, &s->on_driver);
	return 0;
}

/* All of them or none: takes the newest @n back. */
static void take_back(struct uverbs *u, size_t n)
{
	for (; n; n--)
		end(core_container(u->subscriptions.prev, struct subscription, on_driver));
}

static int subscribe_all(struct uverbs_call *c, struct subscription *like,
			 const uint16_t *events, size_t n)
{
	int ret, eventfd = -1;

	if (uverbs_has(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM)) {
		eventfd = (int)uverbs_number(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM);
		if (eventfd < 0)
			return -EBADF;
	}
	for (size_t i = 0; i < n; i++) {
		like->event = events[i];
		ret = subscribe(c->u, like, eventfd);
		if (ret) {
			take_back(c->u, i);
			return ret;
		}
	}
	return 0;
}

int uverbs_devx_subscribe_event(struct uverbs_call *c)
{
	size_t len = uverbs_len(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST);
	struct subscription like = {
		.cookie = uverbs_number(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE),
		.fd = uverbs_arg(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_HANDLE),
		.obj = uverbs_arg(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_OBJ_HANDLE),
	};
	uint16_t events[TYPES_MAX];
	int ret;

	if (!c->file->uid)
		return -EINVAL;
	if (uverbs_has(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE) &&
	    uverbs_has(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM))
		return -EINVAL;
	if (len % sizeof(events[0]) || len > sizeof(events))
		return -EINVAL;
	ret = uverbs_get(c, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, events, len);
	if (ret)
		return ret;
	for (size_t i = 0; i < len / sizeof(events[0]); i++)
		if (!may_subscribe(c->u, events[i], like.obj))
			return -EINVAL;
	return subscribe_all(c, &like, events, len / sizeof(events[0]));
}

int uverbs_devx_async_event_fd_alloc(struct uverbs_call *c)
{
	struct uverbs_record_fd *r = c->made;
	uint32_t flags;
	int ret = uverbs_flags(c, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS,
			       MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA, &flags);

	if (!ret)
		r->omit_data = flags & MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA;
	return ret;
}
