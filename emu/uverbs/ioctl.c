/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDMA_VERBS_IOCTL: from the application's attribute array to a handler.
 *
 *	header: length, object, method, driver id -> which method?
 *	attributes: one by one against the method's specs -> uverbs_call
 *	all mandatory ones there? a context? -> handler
 *
 * Errors and their order are those of the kernel's uverbs_ioctl.c. Runs on the application's
 * thread; takes the device lock around everything that looks at handles.
 */
#include <rdma/rdma_user_ioctl_cmds.h>

#include "uverbs/event_fd.h"
#include "uverbs/memlock.h"
#include "uverbs/method.h"
#include "uverbs/record_fd.h"

#define ATTRS_MAX \
	((HCA_PAGE_SIZE - sizeof(struct ib_uverbs_ioctl_hdr)) / sizeof(struct ib_uverbs_attr))

static const struct uverbs_attr_spec *find_spec(const struct uverbs_method *m, uint16_t id)
{
	for (unsigned int i = 0; i < m->specs; i++)
		if (m->spec[i].id == id)
			return &m->spec[i];
	return NULL;
}

static bool is_inline(const struct uverbs_attr_spec *s, size_t len)
{
	return len <= sizeof(uint64_t) &&
	       (s->kind == UVERBS_ATTR_IN || s->kind == UVERBS_ATTR_HANDLES ||
		s->kind == UVERBS_ATTR_CHOICE);
}

/* Is the input after byte @from zero? An input that cannot be read is not. */
static bool cleared(uint64_t va, size_t from, size_t len)
{
	uint8_t chunk[64];

	while (from < len) {
		size_t n = len - from < sizeof(chunk) ? len - from : sizeof(chunk);

		if (!core_peek(chunk, va + from, n))
			return false;
		for (size_t i = 0; i < n; i++)
			if (chunk[i])
				return false;
		from += n;
	}
	return true;
}

static int parse_bytes(const struct uverbs_attr_spec *s, const struct ib_uverbs_attr *ua)
{
	if (s->grows && s->kind == UVERBS_ATTR_IN && ua->len > s->max &&
	    !cleared(ua->data, s->max, ua->len))
		return -EOPNOTSUPP;
	if (ua->len < s->min || (!s->grows && ua->len > s->max))
		return -EINVAL;
	return ua->attr_data.reserved ? -EINVAL : 0;
}

/* uverbs_ioctl.c, uverbs_process_idrs_array */
static int parse_handles(const struct uverbs_attr_spec *s, const struct ib_uverbs_attr *ua)
{
	if (ua->attr_data.reserved || ua->len % sizeof(uint32_t))
		return -EINVAL;
	return ua->len < s->min || ua->len > s->max ? -EINVAL : 0;
}

/* There, uverbs_process_attr: UVERBS_ATTR_TYPE_ENUM_IN. */
static int parse_choice(const struct uverbs_attr_spec *s, const struct ib_uverbs_attr *ua,
			struct uverbs_attr *a)
{
	a->choice = ua->attr_data.enum_data.elem_id;
	if (a->choice >= s->min)
		return -EOPNOTSUPP;
	if (ua->attr_data.enum_data.reserved)
		return -EINVAL;
	return ua->len == (a->choice ? 0 : s->max) ? 0 : -EINVAL;
}

static struct uverbs_object *find_fd(struct uverbs_file *f, int64_t fd, enum uverbs_type type)
{
	struct uverbs_record_fd *r;
	struct uverbs_event_fd *e;

	if (type == UVERBS_DEVX_CMD_FD || type == UVERBS_DEVX_EVENT_FD) {
		r = uverbs_record_fd_find(f, fd, type);
		return r ? &r->obj : NULL;
	}
	e = uverbs_event_fd_find(f, fd, type);
	return e ? &e->obj : NULL;
}

/* There: the application has the handle before the method runs. Without a context: rdma_core.c,
 * alloc_uobj. */
static int parse_new(struct uverbs_call *c, enum uverbs_type type, uint16_t index)
{
	uint64_t at = c->user_attrs + index * sizeof(struct ib_uverbs_attr) +
		      offsetof(struct ib_uverbs_attr, data);
	const struct uverbs_object *o;
	uint64_t handle;

	if (!c->file->context)
		return -EINVAL;
	o = uverbs_object_new(c, type);
	if (!o)
		return c->error;
	handle = o->handle;
	return core_poke(at, &handle, sizeof(handle)) ? 0 : -EFAULT;
}

static int parse_object(struct uverbs_call *c, const struct uverbs_attr_spec *s,
			const struct ib_uverbs_attr *ua, uint16_t index, struct uverbs_attr *a)
{
	if (ua->attr_data.reserved || ua->len)
		return -EINVAL;
	switch (s->kind) {
	case UVERBS_ATTR_NEW:
	case UVERBS_ATTR_NEW_FD:
		return parse_new(c, s->type, index);
	case UVERBS_ATTR_OBJECT:
		return uverbs_object_get(c->file, ua->data, s->type, &a->obj);
	case UVERBS_ATTR_RAW_FD:
		return ua->data_s64 == (int32_t)ua->data_s64 ? 0 : -EINVAL;
	case UVERBS_ATTR_FD:
		a->obj = find_fd(c->file, ua->data_s64, s->type);
		return a->obj ? 0 : -EBADF;
	default:
		return 0;
	}
}

static int parse(struct uverbs_call *c, const struct ib_uverbs_attr *ua, uint16_t index)
{
	const struct uverbs_attr_spec *s = find_spec(c->method, ua->attr_id);
	struct uverbs_attr *a;
	int ret;

	if (!s || !kernel_has(c->u->kernel, s->since))
		return ua->flags & UVERBS_ATTR_F_MANDATORY ? -EPROTONOSUPPORT : 0;
	a = &c->attr[s - c->method->spec];
	if (a->there)
		return -EINVAL;
	if (s->kind == UVERBS_ATTR_REFUSED)
		return -EOPNOTSUPP;
	if (s->kind == UVERBS_ATTR_IN || s->kind == UVERBS_ATTR_OUT)
		ret = parse_bytes(s, ua);
	else if (s->kind == UVERBS_ATTR_HANDLES)
		ret = parse_handles(s, ua);
	else if (s->kind == UVERBS_ATTR_CHOICE)
		ret = parse_choice(s, ua, a);
	else
		ret = parse_object(c, s, ua, index, a);
	if (ret)
		return ret;
	a->there = true;
	a->len = ua->len;
	a->index = index;
	if (is_inline(s, ua->len))
		memcpy(&a->data, &ua->data, ua->len);
	else
		a->data = ua->data;
	return 0;
}

static int run(struct uverbs_call *c, const struct ib_uverbs_attr *ua, unsigned int n)
{
	int ret;

	for (unsigned int i = 0; i < n; i++) {
		ret = parse(c, &ua[i], i);
		if (ret)
			return ret;
	}
	for (unsigned int i = 0; i < c->method->specs; i++)
		if (!c->attr[i].there && !c->method->spec[i].optional)
			return -EINVAL;
	/* rdma_core.c, ib_uverbs_get_ucontext_file */
	if (!c->method->no_context && !c->file->context)
		return -EINVAL;
	ret = c->method->run(c);
	if (!ret)
		uverbs_object_made(c);
	/* The kernel marks UHW_OUT as written by default (uverbs_ioctl.c,
	 * ib_uverbs_run_method). */
	if (!ret)
		uverbs_put(c, UVERBS_ATTR_UHW_OUT, NULL, 0);
	return c->error ? c->error : ret;
}

int uverbs_run(struct uverbs_call *c, const struct ib_uverbs_attr *ua, unsigned int n)
{
	int ret = run(c, ua, n);

	uverbs_object_settle(c, ret);
	uverbs_memlock_end(c);
	return ret;
}

int uverbs_run_within(struct uverbs_call *outer, struct uverbs_call *c,
		      const struct ib_uverbs_attr *ua, unsigned int n)
{
	int ret;

	c->within = true;
	ret = run(c, ua, n);
	if (c->made)
		outer->made = c->made;
	uverbs_memlock_end(c);
	return ret;
}

int uverbs_ioctl(struct uverbs_file *f, unsigned long request, uint64_t arg)
{
	struct uverbs_call c = { .file = f,
				 .u = f->u,
				 .user_attrs = arg + sizeof(struct ib_uverbs_ioctl_hdr) };
	struct ib_uverbs_attr ua[ATTRS_MAX];
	struct ib_uverbs_ioctl_hdr hdr;
	bool known;
	int ret;

	if (request != RDMA_VERBS_IOCTL)
		return -ENOTTY;
	if (!core_peek(&hdr, arg, sizeof(hdr)))
		return -EFAULT;
	if (hdr.length > HCA_PAGE_SIZE ||
	    hdr.length != sizeof(hdr) + hdr.num_attrs * sizeof(ua[0]))
		return -EINVAL;
	if (hdr.reserved1 || hdr.reserved2)
		return -EPROTONOSUPPORT;
	if (hdr.driver_id != RDMA_DRIVER_MLX5)
		return -EINVAL;
	c.method = uverbs_method(hdr.object_id, hdr.method_id, &known);
	if (!c.method)
		return known ? -EOPNOTSUPP : -EPROTONOSUPPORT;
	if (!kernel_has(c.u->kernel, c.method->since))
		return -EPROTONOSUPPORT;
	if (c.method->supported && !c.method->supported(c.u))
		return -EPROTONOSUPPORT;
	if (!core_peek(ua, c.user_attrs, hdr.num_attrs * sizeof(ua[0])))
		return -EFAULT;
	hca_lock(f->u->hca);
	if (f->u->hca->failed) { /* ib_uverbs_ioctl, of a device that was taken away */
		hca_unlock(f->u->hca);
		return -EIO;
	}
	ret = uverbs_run(&c, ua, hdr.num_attrs);
	hca_unlock(f->u->hca);
	return ret;
}
