/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bench for the driver: one adapter, one open file, and ioctl buffers made by hand.
 *
 *	struct call c = call(object, method);
 *	call_u32(&c, id, value); call_out(&c, id, &buffer, size); …
 *	call_run(&b, &c)
 *
 * Attributes are mandatory unless a test clears the flag. Nothing of libibverbs is in here.
 */
#ifndef TEST_UVERBS_BENCH_H
#define TEST_UVERBS_BENCH_H

#include <assert.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "fw/fw.h"
#include "lib/steps.h"
#include "unit/addresses.h"
#include "unit/state.h"
#include "uverbs/uverbs.h"

#define PAGE 4096
#define WILD ((void *)16)

struct bench {
	struct hca hca;
	struct uverbs *u;
	struct uverbs_file *f;
	long allocations; /* before it */
	int own;	  /* the first descriptor of the emulator's, before it */
	uint32_t objects; /* of the adapter, before its driver */
};

/* struct ib_uverbs_ioctl_hdr, without its open end. */
struct header {
	uint16_t length, object_id, method_id, num_attrs;
	uint64_t reserved1;
	uint32_t driver_id, reserved2;
};

static_assert(sizeof(struct header) == sizeof(struct ib_uverbs_ioctl_hdr), "header");

struct call {
	struct header hdr;
	struct ib_uverbs_attr attr[24];
};

/* On fabric @w, NULL: every address is there; @kernel: a KERNEL_RELEASE. @change: of what the
 * adapter can do, or NULL. */
static inline void bench_up_with(struct bench *b, const struct wire *w, uint16_t kernel,
				 void (*change)(struct hca *))
{
	const struct fw_device *cx5 = fw_device_find("cx5");
	const uint8_t mac[6] = { 0x02, 0xc5, 10, 0, 0, 1 };

	*b = (struct bench){ .allocations = steps.allocations, .own = core_own_next(0) };
	cr_assert(cx5);
	cr_assert(!hca_init(&b->hca, 1));
	memcpy(b->hca.port.mac, mac, sizeof(mac));
	b->hca.port.mtu = 4096;
	b->hca.port.node_guid = 0x02c50afffe000001ull;
	fw_init(&b->hca, cx5);
	if (change)
		change(&b->hca);
	b->objects = hca_objects_count(&b->hca, NULL, 0);
	b->hca.irq = uverbs_irq;
	b->u = uverbs_probe(&b->hca, &(struct uverbs_config){ .pci_id = cx5->pci_id,
							      .fw_ver = "16.35.2000",
							      .addresses = test_addresses,
							      .naddresses = TEST_ADDRESSES,
							      .w = w,
							      .kernel = kernel });
	cr_assert(b->u, "probe: %s", strerror(errno));
	b->f = uverbs_open(b->u);
	cr_assert(b->f);
}

static inline void bench_up_on(struct bench *b, const struct wire *w)
{
	bench_up_with(b, w, KERNEL_DEFAULT, NULL);
}

static inline void bench_up(struct bench *b)
{
	bench_up_on(b, NULL);
}

/* No file is open: no device memory is taken. */
void bench_is_free(const struct bench *b);

/* A second time nothing. */
static inline void bench_down(struct bench *b)
{
	if (!b->u)
		return;
	if (b->f)
		uverbs_release(b->f);
	bench_is_free(b);
	uverbs_remove(b->u);
	cr_expect_eq(hca_objects_count(&b->hca, NULL, 0), b->objects);
	hca_fini(&b->hca);
	b->u = NULL;
	cr_expect_eq(steps.allocations, b->allocations, "%ld allocations are left",
		     steps.allocations - b->allocations);
	cr_expect_eq(core_own_next(0), b->own, "a descriptor is left");
	cr_expect_not(core_bus_holds(0, 1ull << 47), "pages are held");
}

/* ---- ioctl buffers ---- */

static inline struct call call(uint16_t object, uint16_t method)
{
	return (struct call){ .hdr = { .object_id = object,
				       .method_id = method,
				       .length = sizeof(struct ib_uverbs_ioctl_hdr),
				       .driver_id = RDMA_DRIVER_MLX5 } };
}

static inline struct ib_uverbs_attr *call_attr(struct call *c, uint16_t id, uint16_t len,
					       uint64_t data)
{
	struct ib_uverbs_attr *a = &c->attr[c->hdr.num_attrs++];

	*a = (struct ib_uverbs_attr){
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = data
	};
	c->hdr.length += sizeof(*a);
	return a;
}

static inline void call_u32(struct call *c, uint16_t id, uint32_t v)
{
	call_attr(c, id, 4, v);
}

static inline void call_u64(struct call *c, uint16_t id, uint64_t v)
{
	call_attr(c, id, 8, v);
}

static inline void call_in(struct call *c, uint16_t id, const void *p, uint16_t len)
{
	uint64_t data = (uintptr_t)p;

	if (len <= 8) {
		data = 0;
		memcpy(&data, p, len);
	}
	call_attr(c, id, len, data);
}

static inline void call_out(struct call *c, uint16_t id, void *p, uint16_t len)
{
	call_attr(c, id, len, (uintptr_t)p);
}

static inline struct ib_uverbs_attr *call_object(struct call *c, uint16_t id, uint64_t handle)
{
	return call_attr(c, id, 0, handle);
}

/* The objects of the file and of the device, as text. */
#define LINE (STATE + 128)
void bench_state(const struct bench *b, char line[LINE]);

/* The last command of @opcode that the driver sent, the first bytes of it. */
extern struct seen_command {
	uint16_t opcode;
	uint8_t in[1024];
} seen_command;

extern int dmabuf_fd;	      /* the file that has the name of a dma-buf; -1: none */
extern long processors;	      /* that sysconf(3) reports; 0: the truth */
extern uint32_t comp_vectors; /* of the last context */

/* Before a call that makes an object each of its steps fails, a command or an allocation. */
int each_step_fails(struct bench *b, struct call *c);

static inline int call_once(struct bench *b, struct call *c)
{
	return uverbs_ioctl(b->f, RDMA_VERBS_IOCTL, (uintptr_t)c);
}

static int (*call_run)(struct bench *b, struct call *c) = each_step_fails;

struct buf {
	const void *in;
	uint16_t in_len;
	void *out;
	uint16_t out_len;
};

/* INVOKE_WRITE; lengths of 0 leave the attribute out. */
static inline int write_uhw(struct bench *b, uint64_t cmd, struct buf core, struct buf uhw)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);

	call_u64(&c, UVERBS_ATTR_WRITE_CMD, cmd);
	if (core.in_len)
		call_in(&c, UVERBS_ATTR_CORE_IN, core.in, core.in_len);
	if (core.out_len)
		call_out(&c, UVERBS_ATTR_CORE_OUT, core.out, core.out_len);
	if (uhw.in_len)
		call_in(&c, UVERBS_ATTR_UHW_IN, uhw.in, uhw.in_len);
	if (uhw.out_len)
		call_out(&c, UVERBS_ATTR_UHW_OUT, uhw.out, uhw.out_len);
	return call_run(b, &c);
}

static inline int write_cmd(struct bench *b, uint64_t cmd, const void *in, uint16_t in_len,
			    void *out, uint16_t out_len)
{
	return write_uhw(b, cmd, (struct buf){ in, in_len, out, out_len }, (struct buf){ 0 });
}

static inline int destroy(struct bench *b, uint16_t object, uint16_t method, uint16_t id,
			  uint32_t handle)
{
	struct call c = call(object, method);

	call_object(&c, id, handle);
	return call_run(b, &c);
}

/* ---- objects ---- */

static inline int get_context(struct bench *b, const struct mlx5_ib_alloc_ucontext_req_v2 *req,
			      struct mlx5_ib_alloc_ucontext_resp *resp)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	uint64_t support;

	call_out(&c, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, &comp_vectors, 4);
	call_out(&c, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, &support, sizeof(support));
	call_in(&c, UVERBS_ATTR_UHW_IN, req, sizeof(*req));
	call_out(&c, UVERBS_ATTR_UHW_OUT, resp, sizeof(*resp));
	return call_run(b, &c);
}

/* The request of libmlx5. */
static const struct mlx5_ib_alloc_ucontext_req_v2 usual_context = {
	.total_num_bfregs = 16,
	.num_low_latency_bfregs = 4,
	.flags = MLX5_IB_ALLOC_UCTX_DEVX,
	.max_cqe_version = 1,
	.lib_caps = MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR,
};

static inline void bench_context_as(struct bench *b, uint16_t kernel)
{
	struct mlx5_ib_alloc_ucontext_resp resp;

	bench_up_with(b, NULL, kernel, NULL);
	cr_assert_eq(get_context(b, &usual_context, &resp), 0);
}

static inline void bench_context(struct bench *b)
{
	bench_context_as(b, KERNEL_DEFAULT);
}

/* ---- suites ---- */

static __attribute__((unused)) struct bench b;

static inline void device_open(void)
{
	bench_up(&b);
}

static inline void context_open(void)
{
	bench_context(&b);
}

static inline void device_close(void)
{
	bench_down(&b);
}

/* b is an open device, or has a context, too. */
#define DEVICE_SUITE(name)  TestSuite(name, .init = device_open, .fini = device_close)
#define CONTEXT_SUITE(name) TestSuite(name, .init = context_open, .fini = device_close)

/* @call of @a, which is @good with @change, returns what follows: a refusal, and why. */
#define WITH(a, good, change, call, ...)         \
	do {                                     \
		a = good;                        \
		change;                          \
		cr_assert_eq(call, __VA_ARGS__); \
	} while (0)

static inline uint32_t alloc_pd(struct bench *b)
{
	struct ib_uverbs_alloc_pd_resp resp;
	uint32_t pdn;
	uint64_t none = 0;

	cr_assert_eq(write_uhw(b, IB_USER_VERBS_CMD_ALLOC_PD,
			       (struct buf){ &none, sizeof(none), &resp, sizeof(resp) },
			       (struct buf){ .out = &pdn, .out_len = sizeof(pdn) }),
		     0);
	return resp.pd_handle;
}

static inline int dealloc_pd(struct bench *b, uint32_t pd)
{
	return destroy(b, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
		       UVERBS_ATTR_DESTROY_PD_HANDLE, pd);
}

static inline int reg_mr(struct bench *b, uint32_t pd, void *va, uint64_t len, uint32_t access,
			 struct ib_uverbs_reg_mr_resp *resp)
{
	struct ib_uverbs_reg_mr cmd = { .start = (uintptr_t)va,
					.length = len,
					.hca_va = (uintptr_t)va,
					.pd_handle = pd,
					.access_flags = access };

	return write_cmd(b, IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd), resp, sizeof(*resp));
}

static inline int dereg_mr(struct bench *b, uint32_t mr)
{
	return destroy(b, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY,
		       UVERBS_ATTR_DESTROY_MR_HANDLE, mr);
}

struct uar {
	uint32_t handle, length, page;
	uint64_t offset;
};

static inline int alloc_uar(struct bench *b, uint32_t type, struct uar *uar)
{
	struct call c = call(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC);
	struct ib_uverbs_attr *h = call_object(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, 0);
	int ret;

	call_u64(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, type);
	call_out(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &uar->offset, 8);
	call_out(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &uar->length, 4);
	call_out(&c, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &uar->page, 4);
	ret = call_run(b, &c);
	uar->handle = h->data;
	return ret;
}

static inline int destroy_uar(struct bench *b, uint32_t uar)
{
	return destroy(b, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY,
		       MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE, uar);
}

static inline int alloc_async_fd(struct bench *b)
{
	struct call c = call(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	struct ib_uverbs_attr *fd = call_object(&c, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0);

	cr_assert_eq(call_run(b, &c), 0);
	return (int)fd->data_s64;
}

static __attribute__((unused)) uint32_t pd;

static inline void pd_open(void)
{
	bench_context(&b);
	pd = alloc_pd(&b);
}

/* b has a context, and the PD pd. */
#define PD_SUITE(name) TestSuite(name, .init = pd_open, .fini = device_close)

static inline void *pages(size_t n)
{
	void *p = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	cr_assert_neq(p, MAP_FAILED);
	return p;
}

#endif
