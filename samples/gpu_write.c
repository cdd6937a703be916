/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RDMA WRITEs that a GPU posts and rings for itself: 1000 of its threads share one queue. Where
 * there is no GPU, a process is in its place (gpu_standin.c). The QP is its own peer.
 *
 *	host                                           GPU (gpu_kernel.h)
 *	memory of both, a umem, a key
 *	QP, CQ: rings and records in the umem
 *	devx_many_export() ------- struct dv_many --->  reserve, build, publish
 *	                                                register ---> adapter
 *	target <----------------------------------------------------- WRITE
 *
 * With GPU_PROXY in the environment the GPU has no register, and the CPU rings. docs/gpu.md
 * explains each step. Last line when all is well: "1000 threads of a process: 1000 words are in
 * the target".
 */
#include "common.h"
#include <devx/eq.h>
#include <devx/many.h>
#include <devx/mkey.h>
#include <devx/pd.h>
#include <prm/value.h>

#include "gpu.h"
#include "gpu_kernel.h"

enum { THREADS = 1000, DEPTH = 64, PAGE = 4096 };

/* Shared by GPU and adapter: from a page on, each. */
struct shared {
	struct dv_many many __attribute__((aligned(PAGE)));
	uint64_t source[THREADS] __attribute__((aligned(PAGE)));
	uint64_t target[THREADS] __attribute__((aligned(PAGE)));
	char qp[2 * DEPTH * 64] __attribute__((aligned(PAGE)));
	char cq[PAGE] __attribute__((aligned(PAGE)));
};

static struct host {
	struct device dev;
	struct gpu_memory memory;
	struct devx_umem umem;
	struct devx_mkey mkey;
	struct devx_uar uar;
	struct devx_cq cq;
	struct devx_qp qp;
} h;

/* The address in the GPU of what is at @p in the host. */
static void *of_gpu(const void *p)
{
	return (char *)h.memory.device + ((const char *)p - (const char *)h.memory.host);
}

static void share_memory(void)
{
	struct devx_umem_attr umem = { .size = sizeof(struct shared),
				       .access =
					       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
				       .page_sizes = PAGE };
	struct devx_mkey_attr key = { .access = umem.access, .len = umem.size };

	h.memory = gpu_alloc(umem.size);
	umem.addr = h.memory.host;
	umem.dmabuf = h.memory.dmabuf >= 0;
	umem.dmabuf_fd = h.memory.dmabuf;
	must(devx_umem_reg_ex(&h.umem, h.dev.ctx, &umem));
	must(devx_pdn_query(&key.pdn, h.dev.pd));
	key.umem_id = h.umem.id;
	key.start_addr = (uintptr_t)h.memory.host;
	must(devx_mkey_create(&h.mkey, h.dev.ctx, &key));
}

static void make_queue(void)
{
	struct devx_cq_attr cq = { .cqe_cnt = 1,
				   .uar = &h.uar,
				   .overrun_ignore = true,
				   .collapsed = true,
				   .umem = &h.umem,
				   .umem_offset = offsetof(struct shared, cq) };
	struct devx_qp_attr qp = { .st = PRM_QPC_ST_RC,
				   .uar = &h.uar,
				   .sq_wqe_cnt = DEPTH,
				   .umem = &h.umem,
				   .umem_offset = offsetof(struct shared, qp) };

	must(devx_uar_alloc(&h.uar, h.dev.ctx, DEVX_UAR_NC));
	must(devx_eqn_query(&cq.eqn, h.dev.ctx, 0));
	must(devx_cq_create(&h.cq, h.dev.ctx, &cq));
	must(devx_pdn_query(&qp.pdn, h.dev.pd));
	qp.send_cqn = qp.recv_cqn = h.cq.obj.id;
	must(devx_qp_create(&h.qp, h.dev.ctx, &qp));
	must(devx_qp_connect_self(&h.qp, h.dev.pd, h.dev.port, h.dev.gid_index));
}

/* True: the CPU has to ring. */
static bool export(struct shared *s)
{
	char *page = (char *)gpu_map_register(h.uar.base);
	struct devx_views views = {
		.ring = of_gpu(h.qp.sq.buf),
		.record = of_gpu(h.qp.rings.dbrec),
		.cqe = of_gpu(h.cq.cq.cqe64),
		.reg = page ? page + ((char *)h.uar.reg - (char *)h.uar.base) : NULL,
		.only_queue = true,
	};

	must(devx_many_export(&s->many, &h.qp, &h.cq, &h.uar, &views));
	return !page;
}

static void await(struct shared *s, bool proxy)
{
	int error = 0;

	while (!gpu_ended(&error))
		if (proxy)
			dv_many_proxy(&h.qp.sq, &s->many.ready);
	while (proxy && dv_many_proxy(&h.qp.sq, &s->many.ready))
		;
	if (error)
		errx(1, "a thread of the GPU: %s, error 0x%lx", strerror(error),
		     (unsigned long)s->many.error);
}

/* The CPU looks at the CQE, too, by its own address. */
static void await_completions(struct shared *s)
{
	struct dv_many mine = s->many;

	mine.sq.buf = h.qp.sq.buf;
	mine.cq.cqe64 = h.cq.cq.cqe64;
	deadline(10, "the completions");
	while (mine.done < mine.reserved_to)
		if (dv_many_poll(&mine))
			errx(1, "%s", dv_syndrome_str((uint8_t)mine.error));
	deadline(0, "");
}

static unsigned int count_words(const struct shared *s)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < THREADS; i++)
		n += s->target[i] == (0x6770750000000000ull | i);
	return n;
}

int main(int argc, char **argv)
{
	struct gpu_job job = { 0 };
	struct shared *s;
	unsigned int n;

	h.dev = device_open(options_parse(argc, argv, "RDMA WRITEs that a GPU posts"));
	share_memory();
	make_queue();
	s = (struct shared *)h.memory.host;
	job.proxy = export(s);
	job.q = (struct dv_many *)of_gpu(&s->many);
	job.source = (uint64_t *)of_gpu(s->source);
	job.laddr = (uintptr_t)s->source;
	job.raddr = (uintptr_t)s->target;
	job.key = h.mkey.key;
	gpu_start(&job, THREADS);
	await(s, job.proxy);
	await_completions(s);
	n = count_words(s);

	must(devx_qp_destroy(&h.qp));
	must(devx_cq_destroy(&h.cq));
	devx_uar_free(&h.uar);
	must(devx_mkey_destroy(&h.mkey));
	must(devx_umem_dereg(&h.umem));
	gpu_free(&h.memory);
	device_close(&h.dev);
	printf("%d threads of %s%s: %u words are in the target\n", THREADS, gpu_name,
	       job.proxy ? ", rung for by the CPU" : "", n);
	return n != THREADS;
}
