/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An object is entered, made and committed within one call: whatever step fails leaves nothing,
 * and no other call finds an object before its call has succeeded.
 */
#include <fcntl.h>
#include <sys/resource.h>

#include "devx.h"
#include "flows.h"
#include "lib/descriptors.h"
#include "lib/steps.h"
#include "shared.h"
#include "uverbs/memlock.h"
#include "uverbs/method.h"

#define SUITE	     objects_are_committed_by_their_call
#define SUITE_QP     objects_are_committed_by_their_call_with_qp
#define SUITE_FLOW   objects_are_committed_by_their_call_with_flow
#define SUITE_DEVICE objects_are_committed_by_their_call_with_device

CONTEXT_SUITE(SUITE);
QP_SUITE(SUITE_QP);
FLOW_SUITE(SUITE_FLOW);
DEVICE_SUITE(SUITE_DEVICE);

static uint32_t next_handle(const struct bench *b)
{
	uint32_t h = 0;

	while (h < b->f->table_size && b->f->table[h])
		h++;
	return h;
}

/* ---- each way to fail ---- */

struct attempt {
	struct bench *b;
	const struct call *c; /* as it would succeed */
	char before[LINE];
};

/* @c, which is that call with one mistake, at address @at of the application. */
static int fails_at(struct attempt *t, struct call *c, uint64_t at)
{
	char after[LINE];
	int ret = uverbs_ioctl(t->b->f, RDMA_VERBS_IOCTL, at);

	cr_assert_lt(ret, 0, "object 0x%x, method 0x%x", c->hdr.object_id, c->hdr.method_id);
	bench_state(t->b, after);
	cr_assert_str_eq(after, t->before, "object 0x%x, method 0x%x: %d", c->hdr.object_id,
			 c->hdr.method_id, ret);
	return ret;
}

static int fails(struct attempt *t, struct call *c)
{
	return fails_at(t, c, (uintptr_t)c);
}

static const struct uverbs_attr_spec *spec_of(const struct call *c, uint16_t id)
{
	bool known;
	const struct uverbs_method *m =
		uverbs_method(c->hdr.object_id, c->hdr.method_id, &known);

	cr_assert(m);
	for (int i = 0; i < m->specs; i++)
		if (m->spec[i].id == id)
			return &m->spec[i];
	return NULL;
}

static void try_attr(struct attempt *t, unsigned int i)
{
	const struct uverbs_attr_spec *s = spec_of(t->c, t->c->attr[i].attr_id);
	struct call c = *t->c;

	if (s->kind == UVERBS_ATTR_OUT || c.attr[i].len > 8) {
		c.attr[i].data = (uintptr_t)WILD;
		fails(t, &c);
	}
	if (s->optional)
		return;
	/* Without it: the last one in its place. */
	c = *t->c;
	c.attr[i] = c.attr[--c.hdr.num_attrs];
	c.hdr.length -= sizeof(c.attr[0]);
	fails(t, &c);
}

static bool is_new(const struct call *c, unsigned int i)
{
	uint8_t kind = spec_of(c, c->attr[i].attr_id)->kind;

	return kind == UVERBS_ATTR_NEW || kind == UVERBS_ATTR_NEW_FD;
}

/* The parser of the kernel goes on after it has written the handle. */
static void try_late(struct attempt *t)
{
	uint32_t next = next_handle(t->b);
	struct call c = *t->c;

	call_object(&c, 0xfff, 0); /* no such attribute */
	cr_assert_eq(fails(t, &c), -EPROTONOSUPPORT);
	for (unsigned int i = 0; i < c.hdr.num_attrs - 1u; i++)
		if (is_new(&c, i) && spec_of(&c, c.attr[i].attr_id)->kind == UVERBS_ATTR_NEW)
			cr_assert_eq(c.attr[i].data, next);
}

/* Attributes that can be read and not written: there is no place for the handle. */
static void try_constant(struct attempt *t)
{
	struct call *c = pages(1);

	*c = *t->c;
	mprotect(c, PAGE, PROT_READ);
	cr_assert_eq(fails_at(t, c, (uintptr_t)c), -EFAULT);
	munmap(c, PAGE);
}

static unsigned int calls;

static int fail_first(struct bench *b, struct call *c)
{
	struct attempt t = { .b = b, .c = c };

	bench_state(b, t.before);
	for (unsigned int i = 0; i < c->hdr.num_attrs; i++)
		try_attr(&t, i);
	try_late(&t);
	try_constant(&t);
	calls++;
	return uverbs_ioctl(b->f, RDMA_VERBS_IOCTL, (uintptr_t)c);
}

/* ---- methods that make objects ---- */

Test(SUITE, domains_pages_and_regions_leave_nothing)
{
	struct ib_uverbs_reg_mr_resp mr;
	uint32_t xrcd;
	struct uar uar;

	call_run = fail_first;
	cr_assert_eq(alloc_pd(&b), 0);
	cr_assert_eq(alloc_pd(&b), 1);
	cr_assert_eq(reg_mr(&b, 0, pages(1), PAGE, 0, &mr), 0);
	cr_assert_eq(mr.mr_handle, 2);
	cr_assert_eq(alloc_uar(&b, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC, &uar), 0);
	cr_assert_eq(uar.handle, 3);
	cr_assert_eq(open_xrcd(&b, -1, 0, &xrcd), 0);
	cr_assert_eq(xrcd, 4);
	cr_assert_eq(calls, 5);
}

Test(SUITE_QP, queues_leave_nothing)
{
	struct srq srq;
	struct srq_attr sa;
	struct cq_attr ca;
	struct cq cq;
	struct qp qp;

	ca = cq_attr(&r.uar);
	sa = srq_attr(r.pd);
	call_run = fail_first;
	cr_assert_eq(create_cq(&r.b, &ca, &cq), 0);
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), 0);
	cr_assert_eq(create_srq(&r.b, &sa, &srq), 0);
	cr_assert_eq(calls, 3);
	call_run = each_step_fails;
}

Test(SUITE_FLOW, tables_and_flows_leave_nothing)
{
	const uint8_t mac[6] = { 2, 0, 0, 0, 0, 1 };
	struct ib_uverbs_ex_create_rwq_ind_table_resp table;
	struct flow_request f;
	uint32_t flow, wq[2];

	f = flow_of(&r);
	add_dmac(&f, mac);
	/* The kernel's tables are there from the first flow on. */
	cr_assert_eq(create_flow(&r, &f, &flow), 0);
	call_run = fail_first;
	wq[0] = new_wq(&r).wq_handle;
	wq[1] = new_wq(&r).wq_handle;
	cr_assert_eq(create_table(&r, 1, wq, 2, &table), 0);
	cr_assert_eq(create_flow(&r, &f, &flow), 0);
	cr_assert_eq(calls, 4);
	call_run = each_step_fails;
}

Test(SUITE, objects_of_devx_leave_nothing)
{
	struct umem m = { .va = (uintptr_t)pages(2), .len = 2 * PAGE };
	uint32_t pdn;

	call_run = fail_first;
	cr_assert_eq(devx_pd(&b, &pdn), 0);
	cr_assert_eq(umem_reg(&b, &m), 0);
	cr_assert_eq(m.handle, 1);
	cr_assert_eq(calls, 2);
}

Test(SUITE, descriptors_leave_nothing)
{
	int fd[3];

	call_run = fail_first;
	fd[0] = alloc_async_fd(&b);
	fd[1] = alloc_cmd_fd(&b);
	fd[2] = alloc_event_fd(&b, 0);
	cr_assert_eq(calls, 3);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(close(fd[i]), 0);
}

/* With each number of descriptors that is too small. */
static int each_descriptor_fails(struct bench *b, struct call *c)
{
	int first = dup(STDIN_FILENO), open = open_descriptors() - 1, ret;
	char before[LINE], after[LINE];
	struct rlimit was, few;
	struct call try;

	close(first);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &was), 0);
	bench_state(b, before);
	*strstr(before, ", fds") = 0; /* some may have other numbers afterwards */
	few = was;
	for (few.rlim_cur = (rlim_t)first;; few.rlim_cur++) {
		try = *c;
		cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
		ret = call_once(b, &try);
		cr_assert_eq(setrlimit(RLIMIT_NOFILE, &was), 0);
		if (ret != -EMFILE)
			break;
		bench_state(b, after);
		*strstr(after, ", fds") = 0;
		cr_expect_str_eq(after, before, "%s, before %s", after, before);
		cr_expect_eq(open_descriptors(), open, "%ju", (uintmax_t)few.rlim_cur);
	}
	cr_expect_gt(few.rlim_cur, (rlim_t)first);
	*c = try;
	return ret;
}

Test(SUITE, without_descriptors_there_is_nothing)
{
	int fd[4], file = memfd_create("domain", MFD_CLOEXEC);
	uint32_t xrcd;

	call_run = each_descriptor_fails;
	fd[0] = alloc_async_fd(&b);
	fd[1] = alloc_cmd_fd(&b);
	fd[2] = alloc_event_fd(&b, 0);
	fd[3] = channel(&b);
	cr_expect_eq(open_xrcd(&b, file, O_CREAT, &xrcd), 0);
	for (int i = 0; i < 4; i++)
		cr_assert_eq(close(fd[i]), 0);
}

/* uverbs_std_types_srq.c: what is optional in general, and absent. */
Test(SUITE_QP, an_xrc_srq_without_a_place_for_its_number_ends)
{
	struct call c = call(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE);
	struct mlx5_ib_create_srq uhw;
	uint32_t xrcd, out[2];

	cr_assert_eq(open_xrcd(&r.b, -1, 0, &xrcd), 0);
	uhw = srq_attr(r.pd).uhw;
	call_object(&c, UVERBS_ATTR_CREATE_SRQ_HANDLE, 0);
	call_object(&c, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, r.pd);
	call_object(&c, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, xrcd);
	call_object(&c, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, r.cq.handle);
	call_u64(&c, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 0);
	call_u32(&c, UVERBS_ATTR_CREATE_SRQ_MAX_WR, 63);
	call_u32(&c, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 3);
	call_u32(&c, UVERBS_ATTR_CREATE_SRQ_LIMIT, 0);
	call_u64(&c, UVERBS_ATTR_CREATE_SRQ_TYPE, IB_UVERBS_SRQT_XRC);
	call_out(&c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &out[0], 4);
	call_out(&c, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, &out[1], 4);
	call_in(&c, UVERBS_ATTR_UHW_IN, &uhw, sizeof(uhw));
	cr_assert_eq(call_run(&r.b, &c), -ENOENT);
}

/* ---- who finds it ---- */

/* The parser enters it before it looks for the handles that follow; they do not name it. */
Test(SUITE_QP, a_call_does_not_find_its_own)
{
	uint32_t word;
	struct ib_uverbs_attr *h;

	for (int first = 0; first < 2; first++) {
		struct call c = call(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);

		if (first)
			call_object(&c, UVERBS_ATTR_REG_DM_MR_HANDLE, 0);
		h = call_object(&c, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, next_handle(&r.b));
		call_out(&c, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, &word, 4);
		cr_assert_eq(call_run(&r.b, &c), -ENOENT);
		h->data = r.pd; /* then it is the other attributes that are missing */
		cr_assert_eq(call_run(&r.b, &c), -EINVAL);
	}
}

/* rdma_core.c, alloc_uobj: before anything else of the attribute */
Test(SUITE_DEVICE, without_a_context_there_is_no_handle)
{
	struct call c = call(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE);

	call_object(&c, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, 77);
	call_object(&c, 0xfff, 0);
	cr_assert_eq(call_run(&b, &c), -EINVAL);
	cr_assert_eq(c.attr[0].data, 77);
}

static size_t domains(const struct bench *b)
{
	size_t n;

	free(uverbs_resources(b->u, UVERBS_RES_PD, &n));
	return n;
}

Test(SUITE, others_find_it_after_its_call)
{
	struct uverbs_object *o;
	struct uverbs_pd *pd;

	struct uverbs_call c = { .file = b.f, .u = b.u };
	pd = uverbs_object_new(&c, UVERBS_PD);
	cr_assert(pd);
	cr_assert_eq(pd->obj.handle, 0);
	cr_assert_eq(uverbs_object_get(b.f, 0, UVERBS_PD, &o), -ENOENT);
	cr_assert_eq(alloc_pd(&b), 1, "its number is taken");
	cr_assert_eq(dealloc_pd(&b, 0), -ENOENT);
	cr_assert_eq(uverbs_fw_alloc(b.u, PRM_OP_ALLOC_PD, 0, &pd->pdn), 0);
	uverbs_object_made(&c);
	cr_assert_eq(dealloc_pd(&b, 0), -ENOENT);
	cr_assert_eq(uverbs_object_get(b.f, 0, UVERBS_ANY, &o), -ENOENT);
	cr_assert_eq(domains(&b), 1, "RDMA netlink does not list it");
	uverbs_object_settle(&c, 0);
	cr_assert_eq(domains(&b), 2);
	cr_assert_eq(uverbs_object_get(b.f, 0, UVERBS_PD, &o), 0);
	cr_assert_eq(dealloc_pd(&b, 0), 0);
	cr_assert_eq(alloc_pd(&b), 0, "and its number is free again");
}

/* rdma_core.c, rdma_alloc_abort_uobject; at close the driver forgets it. */
Test(SUITE, what_firmware_keeps_is_committed)
{
	struct uverbs_object *o;
	struct uverbs_pd *pd;

	struct uverbs_call c = { .file = b.f, .u = b.u };
	pd = uverbs_object_new(&c, UVERBS_PD);
	cr_assert(pd);
	pd->pdn = 0xfffffe; /* there is none */
	uverbs_object_made(&c);
	uverbs_object_settle(&c, -EFAULT);
	cr_assert_eq(uverbs_object_get(b.f, pd->obj.handle, UVERBS_PD, &o), 0);
	cr_assert_eq(dealloc_pd(&b, pd->obj.handle), -EINVAL);
}

/* A call makes one number of restrack's per object that was made, and none for one that was
 * not. */
Test(SUITE, numbers_are_those_of_objects_that_were_made)
{
	struct ib_uverbs_reg_mr_resp mr;
	struct uverbs_resource *res;
	size_t n;

	alloc_pd(&b);
	cr_assert_eq(reg_mr(&b, 9, pages(1), PAGE, 0, &mr), -EINVAL);
	cr_assert_eq(reg_mr(&b, 0, (void *)PAGE, PAGE, 0, &mr), -EFAULT);
	cr_assert_eq(reg_mr(&b, 0, pages(1), PAGE, 0, &mr), 0);
	cr_assert_eq(mr.mr_handle, 1);
	res = uverbs_resources(b.u, UVERBS_RES_MR, &n);
	cr_assert_eq(n, 1);
	cr_assert_eq(res[0].number, 0);
	free(res);
}

/* ---- the adapter itself ---- */

/* A step of the driver fails, a command or an allocation: there is no driver, and the adapter
 * has what it had before. */
Test(SUITE_DEVICE, driver_is_bound_or_leaves_nothing)
{
	const struct uverbs_config config = { .fw_ver = "16.35.2000",
					      .addresses = test_addresses,
					      .naddresses = TEST_ADDRESSES };
	struct uverbs *u = NULL;
	unsigned int n = 0;
	char was[STATE], is[STATE];
	long allocations;

	uverbs_release(b.f);
	uverbs_remove(b.u);
	b.u = NULL;
	device_state(&b.hca, was);
	allocations = steps.allocations;
	while (!u) {
		steps.fail_at = ++n;
		u = uverbs_probe(&b.hca, &config);
		cr_assert(u || errno == ENOMEM || errno == EAGAIN, "step %u: %d", n, errno);
		device_state(&b.hca, is);
		if (!u)
			cr_assert_str_eq(is, was, "step %u", n);
		if (!u)
			cr_assert_eq(steps.allocations, allocations, "step %u", n);
	}
	steps.fail_at = 0;
	cr_assert_gt(n, 20);
	uverbs_remove(u);
	device_state(&b.hca, is);
	cr_assert_str_eq(is, was);
	hca_fini(&b.hca);
}
