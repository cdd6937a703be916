/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds of ioctls on some open files.
 *
 *	method's specs -> every attribute as the handler likes it   (half of them go out like this:
 *	               -> header, attribute array, contents spoilt   objects come and go)
 *	               -> or bytes without any plan
 *
 * Checked: the answer is 0 or an error that the kernel knows for these calls; what was refused
 * left no descriptor; with the last file everything goes.
 */
#include <stdlib.h>
#include <unistd.h>

#include "call.h"

#define CLIENTS	    2
#define TARGETS	    256
#define ATTRS	    24
#define CHECK_EVERY 100
#define HIGHEST	    0x40 /* object and method numbers looked at, from 0 and from 0x1000 */

/* struct ib_uverbs_ioctl_hdr without its open end. */
struct header {
	uint16_t length, object_id, method_id, num_attrs;
	uint64_t reserved1;
	uint32_t driver_id, reserved2;
};

struct call {
	struct header hdr;
	struct ib_uverbs_attr attr[ATTRS];
};

static struct target targets[TARGETS];
static unsigned int ntargets;
static uint64_t handle; /* of the latest attribute that is an object */

/* ---- what there is ---- */

static void add_target(const struct uverbs_method *m, bool is_write, uint32_t cmd)
{
	FUZZ_CHECK(ntargets < TARGETS, "more methods than places");
	targets[ntargets++] = (struct target){ .m = m, .is_write = is_write, .cmd = cmd };
}

static void add_writes(const struct uverbs_method *m)
{
	for (uint32_t cmd = 0; cmd < 0x40; cmd++) {
		uint32_t ex = cmd | IB_USER_VERBS_CMD_FLAG_EXTENDED;

		if (content_size(cmd).in || !(cmd & 7))
			add_target(m, true, cmd);
		if (content_size(ex).in)
			add_target(m, true, ex);
	}
}

static void find_targets(void)
{
	bool known;

	for (uint32_t n = 0; n < 4 * HIGHEST * HIGHEST; n++) {
		uint16_t object = n / 2 / HIGHEST % HIGHEST | (n & 1 ? 0x1000 : 0);
		uint16_t method = n / 2 / HIGHEST / HIGHEST * 0x1000 + n / 2 % HIGHEST;
		const struct uverbs_method *m = uverbs_method(object, method, &known);

		if (m && object == UVERBS_OBJECT_DEVICE && method == UVERBS_METHOD_INVOKE_WRITE)
			add_writes(m);
		else if (m)
			add_target(m, false, 0);
	}
}

/* ---- building ---- */

static bool leave_out(const struct target *t, const struct uverbs_attr_spec *spec)
{
	if (!spec->optional)
		return false;
	if (spec->kind == UVERBS_ATTR_REFUSED)
		return !one_in(32);
	if (spec->kind == UVERBS_ATTR_FD)
		return one_in(2);
	/* It names an eventfd, and the fuzzer has none. */
	if (t->m->object == MLX5_IB_OBJECT_DEVX &&
	    spec->id == MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM)
		return !one_in(16);
	if (spec->kind == UVERBS_ATTR_OBJECT && t->m->object == UVERBS_OBJECT_QP &&
	    (spec->id == UVERBS_ATTR_CREATE_QP_XRCD_HANDLE ||
	     spec->id == UVERBS_ATTR_CREATE_QP_SRQ_HANDLE))
		return !one_in(4);
	if (spec->kind == UVERBS_ATTR_OBJECT && t->m->object == UVERBS_OBJECT_SRQ)
		return one_in(2);
	return one_in(12);
}

uint64_t call_handle(void)
{
	return handle;
}

static uint64_t live_handle(const struct client *s, uint8_t type)
{
	static const uint8_t any[] = { UVERBS_DEVX_OBJ, UVERBS_DEVX_OBJ, UVERBS_CQ, UVERBS_QP };

	if (type == UVERBS_ANY)
		type = PICK(any);
	for (uint32_t i = 0, at = below(64); i < s->f->table_size; i++) {
		const struct uverbs_object *o = s->f->table[(at + i) % s->f->table_size];

		if (o && o->type == type)
			return o->handle;
	}
	return below(16);
}

/* Where an output goes: mostly somewhere, sometimes so that one byte more would be too much. */
static uint64_t buffer(size_t len)
{
	uint8_t *at = arena_scratch(len);

	if (one_in(8))
		at = arena_at_end(len);
	else if (one_in(8) && len <= HCA_PAGE_SIZE)
		at = arena_at_edge(len);
	return (uintptr_t)at;
}

static struct ib_uverbs_attr attribute(const struct client *s, const struct target *t,
				       const struct uverbs_attr_spec *spec)
{
	struct ib_uverbs_attr a = { .attr_id = spec->id, .flags = UVERBS_ATTR_F_MANDATORY };
	uint8_t content[CONTENT_MAX];

	switch (spec->kind) {
	case UVERBS_ATTR_IN:
		a.len = content_in(s, t, spec, content);
		if (a.len > sizeof(a.data))
			a.data = buffer(a.len);
		memcpy(a.len > sizeof(a.data) ? (void *)(uintptr_t)a.data : &a.data, content,
		       a.len);
		break;
	case UVERBS_ATTR_OUT:
		a.len = content_out(t, spec);
		a.data = buffer(a.len);
		break;
	case UVERBS_ATTR_OBJECT:
		a.data = handle = live_handle(s, spec->type);
		break;
	case UVERBS_ATTR_FD:
		a.data_s64 = s->fds ? s->fd[below(s->fds)] : -1;
		break;
	}
	return a;
}

/* The header may say more. */
static uint32_t attrs(const struct call *c)
{
	return c->hdr.num_attrs < ATTRS ? c->hdr.num_attrs : ATTRS;
}

static void add(struct call *c, struct ib_uverbs_attr a)
{
	if (c->hdr.num_attrs >= ATTRS)
		return;
	c->attr[c->hdr.num_attrs++] = a;
	c->hdr.length += sizeof(a);
}

static void build(const struct client *s, const struct target *t, struct call *c)
{
	*c = (struct call){ .hdr = { .length = sizeof(c->hdr),
				     .object_id = t->m->object,
				     .method_id = t->m->method,
				     .driver_id = RDMA_DRIVER_MLX5 } };
	for (int i = 0; i < t->m->specs; i++)
		if (!leave_out(t, &t->m->spec[i]))
			add(c, attribute(s, t, &t->m->spec[i]));
}

/* ---- spoiling ---- */

static bool is_pointer(const struct ib_uverbs_attr *a)
{
	return a->len > sizeof(a->data) && arena_holds(a->data, a->len);
}

static void spoil_attr(struct ib_uverbs_attr *a)
{
	switch (below(7)) {
	case 0:
		a->attr_id = one_in(2) ? below(24) : odd_number();
		break;
	case 1:
		a->len = odd_number();
		break;
	case 2:
		a->len += below(17) - 8;
		break;
	case 3:
		a->flags = odd_number();
		break;
	case 4:
		a->attr_data.reserved = odd_number();
		break;
	case 5:
		/* Never another valid address: an output there would be lost to the check. */
		a->data = arena_has(a->data) ? arena_wild() : odd_number();
		break;
	default:
		if (is_pointer(a)) {
			spoil((void *)(uintptr_t)a->data, a->len);
			/* The fields of all structs are aligned. */
			arena_tame_words((uint8_t *)(uintptr_t)a->data, a->len);
		} else if (!arena_has(a->data))
			spoil(&a->data, a->len ? a->len & 7 : sizeof(a->data));
	}
	a->data = arena_tame(a->data);
}

static void spoil_call(struct call *c)
{
	struct ib_uverbs_attr *a = &c->attr[attrs(c) ? below(attrs(c)) : 0];

	switch (below(16)) {
	case 0:
		spoil(&c->hdr, sizeof(c->hdr));
		break;
	case 1:
		c->hdr.num_attrs = odd_number();
		c->hdr.length = sizeof(c->hdr) + c->hdr.num_attrs * sizeof(*a);
		break;
	case 2:
		add(c, *a); /* once more */
		break;
	case 3:
		if (attrs(c) && attrs(c) == c->hdr.num_attrs) { /* one less */
			*a = c->attr[--c->hdr.num_attrs];
			c->hdr.length -= sizeof(*a);
		}
		break;
	default:
		spoil_attr(a);
	}
}

/* No plan at all, but a header that leads somewhere. */
static void bytes(struct call *c)
{
	const struct target *t = &targets[below(ntargets)];

	chance_bytes(c, sizeof(*c));
	if (one_in(4))
		return;
	c->hdr = (struct header){ .object_id = t->m->object,
				  .method_id = t->m->method,
				  .num_attrs = below(ATTRS + 1),
				  .driver_id = RDMA_DRIVER_MLX5 };
	c->hdr.length = sizeof(c->hdr) + c->hdr.num_attrs * sizeof(c->attr[0]);
	for (int i = 0; i < ATTRS; i++) {
		c->attr[i].attr_id = below(24);
		c->attr[i].len = below(40);
		c->attr[i].attr_data.reserved = 0;
		c->attr[i].data = arena_tame(c->attr[i].data);
	}
}

/* ---- going out ---- */

/* Answers of ib_core, ib_uverbs and mlx5_ib to these calls, and mlx5_core's to a status. */
static bool kernel_says(int ret)
{
	static const int errors[] = { 0,       EINVAL,	  EFAULT,      ENOENT,
				      EBADF,   EBUSY,	  EOPNOTSUPP,  EPROTONOSUPPORT,
				      ENOSPC,  ENOMEM,	  ENOTTY,      EIO,
				      EAGAIN,  EREMOTEIO, ENETUNREACH, EPERM,
				      ENODATA, EMSGSIZE,  EMFILE,      EOVERFLOW,
				      E2BIG };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (ret == -errors[i])
			return true;
	return false;
}

static void keep_fd(struct client *s, int fd)
{
	FUZZ_CHECK(s->fds < CLIENT_FDS, "more descriptors than places");
	s->fd[s->fds++] = fd;
}

/* Descriptors that call @c has made, answered in @out: an output may have overwritten ids
 * there. */
static void keep_fds(struct client *s, const struct target *t, const struct call *c,
		     const struct call *out)
{
	struct ib_uverbs_create_comp_channel_resp resp;
	struct ib_uverbs_get_context_resp context;

	for (uint32_t i = 0; i < attrs(c); i++) {
		const struct ib_uverbs_attr *a = &c->attr[i];

		for (int k = 0; k < t->m->specs; k++)
			if (t->m->spec[k].kind == UVERBS_ATTR_NEW_FD &&
			    t->m->spec[k].id == a->attr_id)
				keep_fd(s, (int)out->attr[i].data_s64);
		if (!t->is_write || a->attr_id != UVERBS_ATTR_CORE_OUT)
			continue;
		if (t->cmd == IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL) {
			memcpy(&resp, (void *)(uintptr_t)a->data, sizeof(resp));
			keep_fd(s, (int)resp.fd);
		}
		if (t->cmd == IB_USER_VERBS_CMD_GET_CONTEXT) {
			memcpy(&context, (void *)(uintptr_t)a->data, sizeof(context));
			keep_fd(s, (int)context.async_fd);
		}
	}
}

/* The changed call may be another method than the one it was built for. */
static bool still(const struct target *t, const struct call *c)
{
	for (uint32_t i = 0; t->is_write && i < attrs(c); i++)
		if (c->attr[i].attr_id == UVERBS_ATTR_WRITE_CMD && c->attr[i].data != t->cmd)
			return false;
	return c->hdr.object_id == t->m->object && c->hdr.method_id == t->m->method;
}

static bool makes_fd(const struct call *c)
{
	bool known;
	const struct uverbs_method *m =
		uverbs_method(c->hdr.object_id, c->hdr.method_id, &known);

	for (int i = 0; m && i < m->specs; i++)
		if (m->spec[i].kind == UVERBS_ATTR_NEW_FD)
			return true;
	return m && m->method == UVERBS_METHOD_INVOKE_WRITE &&
	       m->object == UVERBS_OBJECT_DEVICE;
}

static int issue(struct client *s, unsigned long request, uint64_t arg)
{
	int ret = uverbs_ioctl(s->f, request, arg);

	FUZZ_CHECK(kernel_says(ret), "ioctl answers %d", ret);
	return ret;
}

/* The array may end at memory that cannot be read, earlier than the header says. */
static void go(struct client *s, const struct target *t, const struct call *c)
{
	size_t len = sizeof(c->hdr) + attrs(c) * sizeof(c->attr[0]);
	struct call *out;

	if (one_in(64)) {
		len = below(len);
		memcpy(arena_at_edge(len), c, len);
		issue(s, RDMA_VERBS_IOCTL, (uintptr_t)arena_at_edge(len));
		return;
	}
	out = (struct call *)arena_scratch(sizeof(*c));
	*out = *c;
	if (!issue(s, one_in(512) ? chance() : RDMA_VERBS_IOCTL, (uintptr_t)out) && still(t, c))
		keep_fds(s, t, c, out);
}

static void close_client(struct client *s)
{
	if (s->f)
		uverbs_release(s->f);
	for (unsigned int i = 0; i < s->fds; i++)
		close(s->fd[i]);
	s->f = NULL;
	s->fds = 0;
}

/* A context without a uid may have used what is another's: that stays in the adapter if its
 * owner goes first. All contexts of a round are to be of one kind, but flags get spoilt. */
static void check_end(const struct adapter *a, const char *before, bool without_uid)
{
	const char *after = adapter_objects(a);

	FUZZ_CHECK(without_uid || !strcmp(before, after),
		   "objects before any file was open: %s; after the last close: %s", before,
		   after);
	FUZZ_CHECK(!without_uid || !strcmp(strstr(before, " mkey"), strstr(after, " mkey")),
		   "objects before any file was open: %s; after the last close: %s", before,
		   after);
}

/* Does it make an object? Then it is to come often, or there would be none to work with. */
static bool makes(const struct target *t)
{
	static const uint32_t commands[] = { IB_USER_VERBS_CMD_ALLOC_PD,
					     IB_USER_VERBS_CMD_REG_MR,
					     IB_USER_VERBS_CMD_CREATE_AH,
					     IB_USER_VERBS_CMD_OPEN_XRCD,
					     IB_USER_VERBS_CMD_ALLOC_MW };

	for (size_t i = 0; t->is_write && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (t->cmd == commands[i])
			return true;
	for (int i = 0; i < t->m->specs; i++)
		if (t->m->spec[i].kind == UVERBS_ATTR_NEW)
			return true;
	return false;
}

/* Without a context little works; else one of all, or of those that make something, or of those
 * that take something. */
static const struct target *choose(const struct client *s)
{
	uint32_t which = below(3);

	for (;;) {
		const struct target *t = &targets[below(ntargets)];

		if (!s->f->context && !one_in(8)) {
			if (t->m->run == uverbs_get_context)
				return t;
		} else if (!which || (which == 1 && makes(t)) ||
			   (which == 2 && !makes(t) &&
			    (t->is_write || t->m->spec[0].kind == UVERBS_ATTR_OBJECT))) {
			return t;
		}
	}
}

static void one_case(struct adapter *a, struct client *s)
{
	const struct target *t;
	struct call c;

	if (s->f && (one_in(250) || s->fds > CLIENT_FDS / 2))
		close_client(s);
	if (!s->f) {
		*s = (struct client){ .a = a, .f = uverbs_open(a->u), .devx = s->devx };
		FUZZ_CHECK(s->f, "the device does not open");
	}
	t = choose(s);
	if (one_in(200)) {
		issue(s, RDMA_VERBS_IOCTL, arena_wild());
		return;
	}
	if (one_in(30)) {
		bytes(&c);
		if (makes_fd(&c))
			return;
	} else {
		build(s, t, &c);
		for (uint32_t n = one_in(makes(t) ? 4 : 2) ? 1 + below(3) : 0; n; n--)
			spoil_call(&c);
		if (!still(t, &c) && makes_fd(&c))
			return; /* its descriptor would be lost */
	}
	go(s, t, &c);
}

void fuzz_calls(unsigned int cases)
{
	struct client s[CLIENTS] = { 0 };
	bool without_uid = false, devx = !one_in(4);
	struct adapter a;
	char *before;

	if (!ntargets)
		find_targets();
	adapter_up(&a, true);
	before = strdup(adapter_objects(&a));
	FUZZ_CHECK(before, "out of memory");
	for (unsigned int i = 0; i < cases; i++) {
		struct client *one = &s[below(CLIENTS)];

		one->devx = devx;
		one_case(&a, one);
		without_uid |= one->f && one->f->context && !one->f->uid;
		if (one_in(8))
			adapter_step(&a, 8);
		if (i % CHECK_EVERY == CHECK_EVERY - 1)
			adapter_works(&a);
	}
	for (int i = 0; i < CLIENTS; i++)
		close_client(&s[i]);
	check_end(&a, before, without_uid);
	free(before);
	adapter_down(&a);
}
