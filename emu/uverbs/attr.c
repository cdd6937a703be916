/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How handlers read and write attributes. Every byte of the application goes through
 * core_peek() and core_poke(): a wild pointer is -EFAULT.
 *
 * Input of up to 8 bytes is in the attribute itself; the parser has copied it.
 */
#include <rdma/rdma_user_ioctl_cmds.h>

#include "uverbs/method.h"

static int find(const struct uverbs_call *c, uint16_t id)
{
	for (int i = 0; i < c->method->specs; i++)
		if (c->method->spec[i].id == id)
			return c->attr[i].there ? i : -1;
	return -1;
}

bool uverbs_has(const struct uverbs_call *c, uint16_t id)
{
	return find(c, id) >= 0;
}

size_t uverbs_len(const struct uverbs_call *c, uint16_t id)
{
	int i = find(c, id);

	return i < 0 ? 0 : c->attr[i].len;
}

/* @len bytes of the input from byte @from. */
static bool peek(const struct uverbs_attr *a, void *dst, size_t from, size_t len)
{
	if (!len)
		return true;
	if (a->len > sizeof(a->data))
		return core_peek(dst, a->data + from, len);
	memcpy(dst, (const uint8_t *)&a->data + from, len);
	return true;
}

int uverbs_get(const struct uverbs_call *c, uint16_t id, void *dst, size_t size)
{
	int i = find(c, id);
	size_t n;

	if (i < 0)
		return -ENOENT;
	n = c->attr[i].len < size ? c->attr[i].len : size;
	memset((uint8_t *)dst + n, 0, size - n);
	return peek(&c->attr[i], dst, 0, n) ? 0 : -EFAULT;
}

int uverbs_get_all(const struct uverbs_call *c, uint16_t id, void *dst, size_t size)
{
	int i = find(c, id), ret = uverbs_get(c, id, dst, size);

	if (ret)
		return ret;
	for (size_t at = size; at < c->attr[i].len; at++) {
		uint8_t byte;

		if (!peek(&c->attr[i], &byte, at, 1))
			return -EFAULT;
		if (byte)
			return -EOPNOTSUPP;
	}
	return 0;
}

uint64_t uverbs_number(const struct uverbs_call *c, uint16_t id)
{
	int i = find(c, id);

	return i < 0 ? 0 : c->attr[i].data;
}

int uverbs_flags(const struct uverbs_call *c, uint16_t id, uint64_t allowed, uint32_t *flags)
{
	uint64_t v = uverbs_number(c, id);

	if (v & ~allowed)
		return -EINVAL;
	*flags = v;
	return 0;
}

uint8_t uverbs_choice(const struct uverbs_call *c, uint16_t id)
{
	int i = find(c, id);

	return i < 0 ? 0 : c->attr[i].choice;
}

int uverbs_handles(const struct uverbs_call *c, uint16_t id, uint32_t *handle, uint32_t max,
		   uint32_t *n)
{
	int i = find(c, id);

	*n = i < 0 ? 0 : c->attr[i].len / sizeof(*handle);
	if (*n > max)
		return -EINVAL;
	return !*n || peek(&c->attr[i], handle, 0, *n * sizeof(*handle)) ? 0 : -EFAULT;
}

void *uverbs_arg(const struct uverbs_call *c, uint16_t id)
{
	int i = find(c, id);

	return i < 0 ? NULL : c->attr[i].obj;
}

void uverbs_events_set(const struct uverbs_call *c, struct uverbs_events *e, uint16_t fd_id,
		       uint64_t user_handle)
{
	struct uverbs_event_fd *fd = uverbs_arg(c, fd_id);

	e->async = fd ? fd : c->file->async;
	e->user_handle = user_handle;
}

/* ---- answers ---- */

void uverbs_call_fail(struct uverbs_call *c, int error)
{
	if (!c->error)
		c->error = error;
}

static bool poke(struct uverbs_call *c, uint64_t at, const void *src, size_t len)
{
	if (!c->error && len && !core_poke(at, src, len))
		c->error = -EFAULT;
	return !c->error;
}

static void mark_written(struct uverbs_call *c, const struct uverbs_attr *a)
{
	uint64_t at = c->user_attrs + a->index * sizeof(struct ib_uverbs_attr) +
		      offsetof(struct ib_uverbs_attr, flags);
	uint16_t flags = 0;

	if (!core_peek(&flags, at, sizeof(flags)))
		uverbs_call_fail(c, -EFAULT);
	flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	poke(c, at, &flags, sizeof(flags));
}

void uverbs_put(struct uverbs_call *c, uint16_t id, const void *src, size_t size)
{
	int i = find(c, id);

	if (i < 0)
		return;
	if (poke(c, c->attr[i].data, src, c->attr[i].len < size ? c->attr[i].len : size))
		mark_written(c, &c->attr[i]);
}

void uverbs_put_struct(struct uverbs_call *c, uint16_t id, const void *src, size_t size)
{
	static const uint8_t zero[64];
	size_t len = uverbs_len(c, id), n;
	int i = find(c, id);

	for (size_t at = size; at < len; at += n) {
		n = len - at < sizeof(zero) ? len - at : sizeof(zero);
		poke(c, c->attr[i].data + at, zero, n);
	}
	uverbs_put(c, id, src, size);
}
