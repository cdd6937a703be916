/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One ioctl, parsed: what a method declares about its attributes, and how its handler gets
 * at them.
 *
 *	ib_uverbs_attr[] --ioctl.c, against the method's specs--> uverbs_call --> handler
 *	                                     INVOKE_WRITE --write.c, by number--> handler
 *
 * The rules (lengths, mandatory, inline data of up to 8 bytes, zeroed tails, VALID_OUTPUT) are
 * those of the kernel's uverbs_ioctl.c. A handler answers 0 or -errno, never -EPROTONOSUPPORT:
 * that one belongs to the parser.
 */
#ifndef EMU_UVERBS_METHOD_H
#define EMU_UVERBS_METHOD_H

#include <errno.h>
#include <string.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "uverbs/driver.h"

enum uverbs_attr_kind {
	UVERBS_ATTR_IN,
	UVERBS_ATTR_OUT,
	UVERBS_ATTR_OBJECT,  /* a handle, looked up */
	UVERBS_ATTR_NEW,     /* an object that the call makes: its handle is the answer */
	UVERBS_ATTR_FD,	     /* a file descriptor of ours, looked up */
	UVERBS_ATTR_NEW_FD,  /* the same with a file descriptor */
	UVERBS_ATTR_RAW_FD,  /* a file descriptor of any file */
	UVERBS_ATTR_HANDLES, /* an array of handles, of min … max bytes */
	UVERBS_ATTR_CHOICE,  /* one of @min; the first one has @max bytes, the others none */
	UVERBS_ATTR_REFUSED, /* names something that is not here: -EOPNOTSUPP */
};

struct uverbs_attr_spec {
	uint16_t id;
	uint8_t kind; /* enum uverbs_attr_kind */
	bool optional;
	uint16_t min, max; /* of IN and OUT, in bytes */
	bool grows;	   /* may be longer than max: unknown input must be zero */
	uint8_t since;	   /* enum kernel_change; KERNEL_ALWAYS: in all releases */
	uint8_t type;	   /* of OBJECT, NEW, FD, NEW_FD: enum uverbs_type */
};

/* Specs in the words of the kernel's uverbs_ioctl.h. */
#define UVERBS_SPEC_IN(id_, size)  .id = id_, .kind = UVERBS_ATTR_IN, .min = size, .max = size
#define UVERBS_SPEC_OUT(id_, size) .id = id_, .kind = UVERBS_ATTR_OUT, .min = size, .max = size
#define UVERBS_SPEC_CONST(id_)	   .id = id_, .kind = UVERBS_ATTR_IN, .min = 4, .max = 8
#define UVERBS_SPEC_MIN_IN(id_, size) \
	.id = id_, .kind = UVERBS_ATTR_IN, .min = size, .max = UINT16_MAX
#define UVERBS_SPEC_MIN_OUT(id_, size) \
	.id = id_, .kind = UVERBS_ATTR_OUT, .min = size, .max = UINT16_MAX
#define UVERBS_SPEC_OBJECT(id_, type_) .id = id_, .kind = UVERBS_ATTR_OBJECT, .type = type_
#define UVERBS_SPEC_NEW(id_, type_)    .id = id_, .kind = UVERBS_ATTR_NEW, .type = type_
#define UVERBS_SPEC_NEW_FD(id_, type_) .id = id_, .kind = UVERBS_ATTR_NEW_FD, .type = type_
#define UVERBS_SPEC_REFUSED(id_)       .id = id_, .kind = UVERBS_ATTR_REFUSED, .optional = true
#define UVERBS_SPEC_FD(id_, type_)     .id = id_, .kind = UVERBS_ATTR_FD, .type = type_
#define UVERBS_SPEC_RAW_FD(id_)	       .id = id_, .kind = UVERBS_ATTR_RAW_FD
#define UVERBS_SPEC_UHW                                                       \
	{ UVERBS_SPEC_MIN_IN(UVERBS_ATTR_UHW_IN, 0), .optional = true },      \
	{                                                                     \
		UVERBS_SPEC_MIN_OUT(UVERBS_ATTR_UHW_OUT, 0), .optional = true \
	}

#define UVERBS_SPECS_MAX 18

struct uverbs_call;
struct ib_uverbs_attr;
typedef int uverbs_handler(struct uverbs_call *c);

struct uverbs_method {
	uint16_t object, method;
	bool no_context; /* allowed before GET_CONTEXT */
	uint8_t since;	 /* enum kernel_change */
	/* NULL: always. An object that the adapter cannot have is one that the kernel does not
	 * know (UAPI_DEF_IS_OBJ_SUPPORTED). */
	bool (*supported)(const struct uverbs *u);
	uverbs_handler *run;
	uint8_t specs;
	struct uverbs_attr_spec spec[UVERBS_SPECS_MAX];
};

struct uverbs_attr {
	bool there;
	uint16_t len, index; /* index: in the application's array */
	uint8_t choice;
	uint64_t data;
	struct uverbs_object *obj;
};

struct uverbs_call {
	struct uverbs_file *file;
	struct uverbs *u;
	const struct uverbs_method *method;
	uint64_t user_attrs; /* address of the application's array */
	struct uverbs_attr attr[UVERBS_SPECS_MAX];
	struct uverbs_pinned pinned; /* of an object that does not exist yet */
	bool within;		     /* a command of write(2) runs it: uverbs_run_within() */
	int error;		     /* the first that an answer or uverbs_object_new() had */
	/* the uverbs_object that the call makes; NULL: none so far. A call within it makes it
	 * for this one. */
	void *made;
};

/* The method of @c with the @n attributes of @ua, which are checked first; what it writes into
 * attributes it writes into the array at c->user_attrs. Device lock held. */
int uverbs_run(struct uverbs_call *c, const struct ib_uverbs_attr *ua, unsigned int n);
/* The same within call @outer, which commits the object that @c makes. */
int uverbs_run_within(struct uverbs_call *outer, struct uverbs_call *c,
		      const struct ib_uverbs_attr *ua, unsigned int n);

/*
 * How a call makes an object (ib_core: rdma_core.c, alloc_begin_uobject,
 * rdma_alloc_commit_uobject):
 *
 *	entered: has a handle, which no other call finds. An attribute NEW does it, or uverbs_object_new()
 *	   | handler: firmware, fields. Fails: memory and handle go
 *	made: the handler has returned 0. The object owns what the call pinned, and uses those that its row names
 *	   | the answers. Fails: it is destroyed
 *	committed
 *
 * So a handler returns its error, and has nothing to undo. It finds the object, which is
 * zeroed, as c->made. NULL: c->error says why; -ENOMEM, or of a descriptor -EMFILE and others.
 */
void *uverbs_object_new(struct uverbs_call *c, enum uverbs_type type);
/* The next step, and the last one of a call that returns @ret: uverbs_run() takes them. */
void uverbs_object_made(struct uverbs_call *c);
void uverbs_object_settle(struct uverbs_call *c, int ret);

/* NULL: not here; *known: but in the kernel. */
const struct uverbs_method *uverbs_method(uint16_t object, uint16_t method, bool *known);

/* The methods of mlx5_ib's objects. */
extern const struct uverbs_method uverbs_mlx5_methods[];
extern const size_t uverbs_mlx5_methods_count;

/* <rdma/mlx5_user_ioctl_cmds.h> of Linux 6.12: MLX5_IB_ATTR_CREATE_CQ_UAR_INDEX */
#define UVERBS_CREATE_CQ_UAR_INDEX (UVERBS_ATTR_UHW_OUT + 1)

/* How rows of method tables are written. */
#define UVERBS_SPECS(...)                                             \
	.specs = sizeof((struct uverbs_attr_spec[]){ __VA_ARGS__ }) / \
		 sizeof(struct uverbs_attr_spec),                     \
	.spec = { __VA_ARGS__ }

/* ---- attributes, by id ---- */

bool uverbs_has(const struct uverbs_call *c, uint16_t id);
size_t uverbs_len(const struct uverbs_call *c, uint16_t id); /* 0: absent */
/* Copies up to @size bytes in and zeroes the rest; -ENOENT: absent, -EFAULT. */
int uverbs_get(const struct uverbs_call *c, uint16_t id, void *dst, size_t size);
/* The same, but what is longer than @size must be zero there: -EOPNOTSUPP. */
int uverbs_get_all(const struct uverbs_call *c, uint16_t id, void *dst, size_t size);
/* An inline number of 4 or 8 bytes; 0 if absent. */
uint64_t uverbs_number(const struct uverbs_call *c, uint16_t id);
/* Flags: -EINVAL for bits outside @allowed. */
int uverbs_flags(const struct uverbs_call *c, uint16_t id, uint64_t allowed, uint32_t *flags);
/* Which of the choices. */
uint8_t uverbs_choice(const struct uverbs_call *c, uint16_t id);
/* Up to @max handles; *n 0: absent. They are not looked up. */
int uverbs_handles(const struct uverbs_call *c, uint16_t id, uint32_t *handle, uint32_t max,
		   uint32_t *n);
/* The object that an attribute names, or a handle in a structure; NULL: absent, or there is
 * none of @type. */
void *uverbs_arg(const struct uverbs_call *c, uint16_t id);
void *uverbs_named(const struct uverbs_call *c, uint32_t handle, enum uverbs_type type);
/* Events of a new object go to the file descriptor of attribute @fd_id, or to the first one of
 * the context. */
void uverbs_events_set(const struct uverbs_call *c, struct uverbs_events *e, uint16_t fd_id,
		       uint64_t user_handle);

/* An answer: writes as much of @src as fits and marks the attribute as written, if it is there.
 * The first error of all answers (-EFAULT) is that of the call, and nothing is written after
 * it. */
void uverbs_put(struct uverbs_call *c, uint16_t id, const void *src, size_t size);
#define uverbs_answer(c, id, from) uverbs_put(c, id, &(from), sizeof(from))
/* The same, and zeroes what is longer in the application's buffer. */
void uverbs_put_struct(struct uverbs_call *c, uint16_t id, const void *src, size_t size);
/* Such an error of another kind. */
void uverbs_call_fail(struct uverbs_call *c, int error);

/* ---- the legacy structs of INVOKE_WRITE ---- */

#define uverbs_request(c, cmd) uverbs_get_all(c, UVERBS_ATTR_CORE_IN, cmd, sizeof(*(cmd)))
#define uverbs_response(c, resp) \
	uverbs_put_struct(c, UVERBS_ATTR_CORE_OUT, resp, sizeof(*(resp)))

/* ---- handlers ---- */

uverbs_handler uverbs_invoke_write, uverbs_get_context, uverbs_query_context;
uverbs_handler uverbs_write_get_context, uverbs_write_query_port, uverbs_write_destroy;
uverbs_handler uverbs_write_create_cq, uverbs_write_ex_create_cq;
uverbs_handler uverbs_write_create_qp, uverbs_write_ex_create_qp;
uverbs_handler uverbs_write_create_srq, uverbs_write_create_xsrq;
uverbs_handler uverbs_data_direct_path, uverbs_query_port, uverbs_query_gid_table,
	uverbs_query_gid_entry;
uverbs_handler uverbs_query_device, uverbs_ex_query_device;
uverbs_handler uverbs_alloc_pd, uverbs_query_pd, uverbs_reg_mr, uverbs_query_mr;
uverbs_handler uverbs_reg_dmabuf_mr;
uverbs_handler uverbs_advise_mr, uverbs_reg_dm_mr;
uverbs_handler uverbs_alloc_dm, uverbs_query_dm;
uverbs_handler uverbs_create_cq, uverbs_resize_cq, uverbs_ex_modify_cq;
uverbs_handler uverbs_create_comp_channel, uverbs_rereg_mr, uverbs_alloc_mw;
uverbs_handler uverbs_open_xrcd;
uverbs_handler uverbs_create_srq, uverbs_modify_srq, uverbs_query_srq;
uverbs_handler uverbs_create_qp, uverbs_destroy_qp, uverbs_query_qp;
uverbs_handler uverbs_attach_mcast, uverbs_detach_mcast;
uverbs_handler uverbs_modify_qp, uverbs_ex_modify_qp;
uverbs_handler uverbs_create_wq, uverbs_ex_create_wq, uverbs_ex_modify_wq;
uverbs_handler uverbs_ex_destroy_wq;
uverbs_handler uverbs_ex_create_rwq_table, uverbs_ex_destroy_rwq_table;
uverbs_handler uverbs_ex_create_flow, uverbs_ex_destroy_flow, uverbs_create_raw_flow;
uverbs_handler uverbs_create_flow_matcher, uverbs_create_steering_anchor;
uverbs_handler uverbs_create_modify_header, uverbs_create_packet_reformat;
uverbs_handler uverbs_read_counters;
uverbs_handler uverbs_create_ah, uverbs_alloc_uar, uverbs_async_event_alloc;
/* Handlers of methods that only create or destroy an object of any type; with its events if
 * there is an answer. */
uverbs_handler uverbs_create, uverbs_destroy;
uverbs_handler uverbs_query_mlx5_port;
uverbs_handler uverbs_devx_other, uverbs_devx_query_uar, uverbs_devx_query_eqn;
uverbs_handler uverbs_devx_obj_create, uverbs_devx_obj_modify, uverbs_devx_obj_query;
uverbs_handler uverbs_devx_obj_async_query, uverbs_devx_subscribe_event;
uverbs_handler uverbs_devx_async_event_fd_alloc;
uverbs_handler uverbs_devx_umem_reg, uverbs_var_alloc, uverbs_pp_alloc;

/* Has the adapter what DevX, VAR and PP objects need? */
bool uverbs_has_devx(const struct uverbs *u);
bool uverbs_has_var(const struct uverbs *u);
bool uverbs_has_pp(const struct uverbs *u);
/* Or flows, and anchors of them? */
bool uverbs_has_flows(const struct uverbs *u);
/* Size of the P_Key table that mlx5_ib announces and checks indexes against. */
uint32_t uverbs_pkeys(const struct uverbs *u);
bool uverbs_has_anchors(const struct uverbs *u);

#endif
