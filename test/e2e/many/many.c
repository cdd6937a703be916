/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One QP that eight threads or eight processes post to (dv/many.h): every operation is executed
 * once, the data is right, and a turn that does not come ends with an error for all. Rings, CQ,
 * records and data are in one umem of shared memory; the producers are compiled without libc.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <criterion/criterion.h>
#include <devx/cq.h>
#include <devx/eq.h>
#include <devx/mkey.h>
#include <devx/pd.h>
#include <devx/qp.h>
#include <dv/reason.h>

#define DV_RELAX() sched_yield()
#include <devx/many.h>

#include "late.h"
#include "lib/device.h"
#include "producer.h"

enum { PRODUCERS = 8, MEMORY = 1 << 20, DATA = MEMORY / 2 };

static struct {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct devx_uar uar;
	struct devx_umem umem;
	struct devx_mkey mkey;
	struct devx_cq cq;
	struct devx_qp qp;
	char *memory;
	int file; /* whose memory it is; -1: anonymous */
} h;

/* Seen by all producers. */
static struct shared {
	struct dv_many q;
	struct job job;
	int result[PRODUCERS];
} * s;

static void ok(int err)
{
	cr_assert_eq(err, 0, "%s", dv_reason());
}

static void *shared_memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(p, MAP_FAILED);
	return p;
}

/* As memory of a GPU: by its file descriptor, and mapped for the test. */
static void memory_of_a_file(struct devx_umem_attr *umem)
{
	umem->dmabuf = true;
	umem->dmabuf_fd = memfd_create("memory of a GPU", MFD_CLOEXEC);
	cr_assert_eq(ftruncate(umem->dmabuf_fd, MEMORY), 0);
	umem->addr = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, umem->dmabuf_fd, 0);
	cr_assert_neq(umem->addr, MAP_FAILED);
}

static void open_device(bool dmabuf)
{
	struct ibv_device *device = device_find();
	uint32_t access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	struct devx_mkey_attr attr = { .access = access, .len = MEMORY };
	struct devx_umem_attr umem = { .size = MEMORY, .page_sizes = 4096 };

	ok(devx_open(&h.ctx, ibv_get_device_name(device)));
	h.pd = ibv_alloc_pd(h.ctx);
	ok(devx_pdn_query(&attr.pdn, h.pd));
	if (dmabuf)
		memory_of_a_file(&umem);
	else
		umem.addr = shared_memory(MEMORY);
	h.file = dmabuf ? umem.dmabuf_fd : -1;
	h.memory = umem.addr;
	s = shared_memory(sizeof(*s));
	umem.access = access & ~(uint32_t)IBV_ACCESS_REMOTE_ATOMIC;
	ok(devx_umem_reg_ex(&h.umem, h.ctx, &umem));
	attr.umem_id = h.umem.id;
	attr.start_addr = (uintptr_t)h.memory;
	ok(devx_mkey_create(&h.mkey, h.ctx, &attr));
}

/* Changed headers may stop a queue (mutations.sh); else only the time limit ends the test. */
static uint64_t tries(void)
{
	const char *set = getenv("TRIES");

	return set ? strtoull(set, NULL, 10) : UINT64_MAX;
}

/* libmlx5 before 2024 has one NC page for all. */
static const struct devx_views only_queue = { .only_queue = true };

/* The CQ follows the QP in the umem. */
static void open_queue(uint32_t depth, enum dv_doorbell how, bool dmabuf)
{
	struct devx_cq_attr cq = { .cqe_cnt = 1,
				   .uar = &h.uar,
				   .overrun_ignore = true,
				   .collapsed = true,
				   .umem = &h.umem };
	struct devx_qp_attr qp = {
		.st = PRM_QPC_ST_RC, .uar = &h.uar, .sq_wqe_cnt = depth, .umem = &h.umem
	};
	struct ibv_port_attr port;

	open_device(dmabuf);
	ok(devx_uar_alloc(&h.uar, h.ctx, how == DV_DOORBELL ? DEVX_UAR_BF : DEVX_UAR_NC));
	ok(devx_eqn_query(&cq.eqn, h.ctx, 0));
	ok(devx_pdn_query(&qp.pdn, h.pd));
	if (how == DV_NO_DBR)
		qp.send_dbr_mode = PRM_QPC_SEND_DBR_MODE_NO_DBR_EXT;
	cq.umem_offset = (devx_qp_bytes(&qp) + 4095) & ~4095u;
	cr_assert_lt(cq.umem_offset + devx_cq_bytes(&cq), DATA);
	ok(devx_cq_create(&h.cq, h.ctx, &cq));
	qp.send_cqn = qp.recv_cqn = h.cq.obj.id;
	ok(devx_qp_create(&h.qp, h.ctx, &qp));
	cr_assert_eq(ibv_query_port(h.ctx, 1, &port), 0);
	ok(devx_qp_connect_self(&h.qp, h.pd, 1, device_gid_index(h.ctx, &port)));
	ok(devx_many_export(&s->q, &h.qp, &h.cq, &h.uar, &only_queue));
	s->q.spins = tries();
}

static void close_all(void)
{
	ok(devx_qp_destroy(&h.qp));
	ok(devx_cq_destroy(&h.cq));
	devx_uar_free(&h.uar);
	ok(devx_mkey_destroy(&h.mkey));
	ok(devx_umem_dereg(&h.umem));
	munmap(h.memory, MEMORY);
	if (h.file >= 0)
		close(h.file);
	munmap(s, sizeof(*s));
	cr_assert_eq(ibv_dealloc_pd(h.pd), 0);
	cr_assert_eq(ibv_close_device(h.ctx), 0);
}

/* ---- producers ---- */

static void *thread(void *number)
{
	unsigned int n = (unsigned int)(uintptr_t)number;

	s->result[n] = producer(&s->q, &s->job, n);
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[PRODUCERS];

	for (uintptr_t n = 0; n < PRODUCERS; n++)
		pthread_create(&threads[n], NULL, thread, (void *)n);
	for (unsigned int n = 0; n < PRODUCERS; n++)
		pthread_join(threads[n], NULL);
}

/* Rings for the others. */
static void *proxy(void *end)
{
	while (!__atomic_load_n((bool *)end, __ATOMIC_ACQUIRE))
		if (!dv_many_proxy(&h.qp.sq, &s->q.ready))
			DV_RELAX();
	return NULL;
}

static void run_with_proxy(void)
{
	bool end = false;
	pthread_t p;

	pthread_create(&p, NULL, proxy, &end);
	run_threads();
	__atomic_store_n(&end, true, __ATOMIC_RELEASE);
	pthread_join(p, NULL);
}

/* @stopped: some of them are stopped for a while at random moments. */
static void run_processes(bool stopped)
{
	pid_t pids[PRODUCERS];

	for (uintptr_t n = 0; n < PRODUCERS; n++) {
		pids[n] = fork();
		if (!pids[n]) {
			thread((void *)n);
			_exit(0);
		}
	}
	for (unsigned int i = 0; stopped && i < 40; i++) {
		kill(pids[i % PRODUCERS], SIGSTOP);
		nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
		kill(pids[i % PRODUCERS], SIGCONT);
	}
	for (unsigned int n = 0; n < PRODUCERS; n++)
		waitpid(pids[n], NULL, 0);
}

/* The slot of each producer has what it wrote last: a WRITE of its source, or its own words. */
static void expect_data(unsigned int n)
{
	const uint64_t *to = (const uint64_t *)(h.memory + DATA + 8192 + 64 * n);
	uint32_t last = s->job.count - 1;
	bool is_write = last % 3 == 1, is_inline = last % 3 == 2;

	while (!is_write && !is_inline)
		is_inline = --last % 3 == 2;
	for (unsigned int i = 0; i < 8; i++)
		cr_assert_eq(to[i],
			     is_write ? 0x1111111111111111u * (n + 1)
				      : (uint64_t)n << 32 | last,
			     "producer %u, word %u is 0x%lx", n, i, (unsigned long)to[i]);
}

static void expect_all_done(void)
{
	const uint64_t *counter = (const uint64_t *)(h.memory + DATA);
	uint32_t adds = s->job.mixed ? (s->job.count + 2) / 3 : s->job.count;

	for (unsigned int n = 0; n < PRODUCERS; n++)
		cr_assert_eq(s->result[n], 0, "producer %u: %s, error 0x%lx", n,
			     strerror(s->result[n]), (unsigned long)s->q.error);
	cr_assert_eq(s->q.done, s->q.reserved_to);
	cr_assert_eq(s->q.ready, s->q.reserved_to);
	cr_assert_eq(*counter, (uint64_t)adds * PRODUCERS);
	for (unsigned int n = 0; s->job.mixed && n < PRODUCERS; n++)
		expect_data(n);
}

static struct job job_of(uint32_t count, enum dv_doorbell how, enum dv_publish when, bool mixed)
{
	uintptr_t data = (uintptr_t)h.memory + DATA;

	for (unsigned int n = 0; n < PRODUCERS; n++)
		memset(h.memory + DATA + 16384 + 64 * n, 0x11 * (int)(n + 1), 64);
	return (struct job){ .counter = data,
			     .results = data + 4096,
			     .to = data + 8192,
			     .source = data + 16384,
			     .key = h.mkey.key,
			     .count = count,
			     .tries = tries(),
			     .how = how,
			     .when = when,
			     .mixed = mixed };
}

static const struct row {
	const char *name;
	uint32_t depth, count;
	enum dv_doorbell how;
	enum dv_publish when;
	bool mixed, processes, stopped, dmabuf, proxy;
} rows[] = {
	{ "threads, each rings", 64, 400, DV_DOORBELL_NC, DV_PUBLISH_RING, .mixed = false },
	/* the last turn has two blocks */
	{ "threads, the last rings", 16, 402, DV_DOORBELL_NC, DV_PUBLISH_LAST, .mixed = true },
	{ "threads, write-combining", 32, 401, DV_DOORBELL, DV_PUBLISH_LAST, .mixed = true },
	{ "a long ring", 4096, 2000, DV_DOORBELL_NC, DV_PUBLISH_LAST, .mixed = true },
	{ "a thread that rings for the others", 64, 402, DV_DOORBELL_NC, DV_PUBLISH_ONLY,
	  .mixed = true, .proxy = true },
	{ "memory of a file", 64, 401, DV_DOORBELL_NC, DV_PUBLISH_LAST, .mixed = true,
	  .dmabuf = true },
	{ "processes", 16, 400, DV_DOORBELL_NC, DV_PUBLISH_RING, .mixed = true,
	  .processes = true },
	{ "processes, the last rings", 64, 401, DV_DOORBELL_NC, DV_PUBLISH_LAST, .mixed = true,
	  .processes = true },
	{ "processes that stop", 32, 301, DV_DOORBELL_NC, DV_PUBLISH_LAST, .mixed = true,
	  .processes = true, .stopped = true },
};

static void run(const struct row *r)
{
	printf("%s\n", r->name);
	open_queue(r->depth, r->how, r->dmabuf);
	s->job = job_of(r->count, r->how, r->when, r->mixed);
	if (r->processes)
		run_processes(r->stopped);
	else if (r->proxy)
		run_with_proxy();
	else
		run_threads();
	expect_all_done();
	close_all();
}

Test(many, every_operation_is_executed_once)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		run(&rows[i]);
}

/* 10,000,000 operations, 13,333,336 blocks: the 16 bits of the index are used up 203 times. */
Test(many_long, every_operation_is_executed_once)
{
	static const struct row row = { "ten million",	 256,	       1250000, DV_DOORBELL_NC,
					DV_PUBLISH_LAST, .mixed = true };

	run(&row);
}

/* ConnectX-8. 70,000 blocks: the 16 bits of the index are used up. */
Test(many_no_dbr, every_operation_is_executed_once)
{
	static const struct row row = { "no record",	 64,	       6000, DV_NO_DBR,
					DV_PUBLISH_LAST, .mixed = true };

	run(&row);
}

/* A producer died between reserve and publish. */
Test(many, turn_that_does_not_come_is_an_error_for_all)
{
	struct dv_turn lost, next = { 0 };
	struct dv_sq sq;

	open_queue(64, DV_DOORBELL_NC, false);
	s->q.spins = 1000;
	ok(dv_many_reserve(&s->q, 1, &lost));
	ok(dv_many_reserve(&s->q, 1, &next));
	sq = dv_many_window(&s->q, &next, 0);
	ok(dv_sq_nop(&sq, 0));
	cr_assert_eq(dv_many_publish(&s->q, &next, &sq, DV_DOORBELL_NC, DV_PUBLISH_RING), EIO);
	cr_assert_eq(s->q.error, DV_MANY_STUCK);
	cr_assert_eq(s->q.ready, 0);
	cr_assert_eq(dv_many_poll(&s->q), EIO);
	s->job = job_of(100, DV_DOORBELL_NC, DV_PUBLISH_RING, false);
	run_threads();
	for (unsigned int n = 0; n < PRODUCERS; n++)
		cr_assert_eq(s->result[n], EIO);
	close_all();
}

/* A key that does not exist: the syndrome stays, and all producers end. */
Test(many, error_of_the_device_ends_all_producers)
{
	open_queue(64, DV_DOORBELL_NC, false);
	s->job = job_of(1000, DV_DOORBELL_NC, DV_PUBLISH_RING, false);
	s->job.key ^= 1;
	run_threads();
	for (unsigned int n = 0; n < PRODUCERS; n++)
		cr_assert_eq(s->result[n], EIO);
	cr_assert(s->q.error && s->q.error != DV_MANY_STUCK);
	close_all();
}

Test(many, reservations_at_the_edge_and_beyond)
{
	struct dv_turn t;

	open_queue(16, DV_DOORBELL_NC, false);
	cr_assert_eq(dv_many_reserve(&s->q, 0, &t), EMSGSIZE);
	cr_assert_eq(dv_many_reserve(&s->q, 9, &t), EMSGSIZE);
	ok(dv_many_reserve(&s->q, 8, &t));
	ok(dv_many_reserve(&s->q, 6, &t));
	cr_assert_eq(dv_many_reserve(&s->q, 3, &t), ENOMEM, "two blocks are left");
	ok(dv_many_reserve(&s->q, 2, &t));
	cr_assert_eq(t.from, 14);
	cr_assert_eq(t.at, 14);
	cr_assert_eq(t.to, 16);
	cr_assert_eq(dv_many_reserve(&s->q, 1, &t), ENOMEM);
	s->q.done = 20; /* as if the device had executed these */
	s->q.reserved_to = 30;
	ok(dv_many_reserve(&s->q, 3, &t));
	cr_assert_eq(t.from, 30);
	cr_assert_eq(t.at, 32, "two NOPs before the edge");
	cr_assert_eq(t.to, 35);
	close_all();
}

/* ---- late stores ---- */

/* Rings again and again: the device may look at the record at any time. */
static void *ring_always(void *end)
{
	__be32 words[2] = { 0, h.qp.sq.qpn_ds };
	uint64_t word;

	memcpy(&word, words, sizeof(word));
	while (!__atomic_load_n((bool *)end, __ATOMIC_ACQUIRE)) {
		*(volatile uint64_t *)h.qp.sq.bf_reg = word;
		sched_yield();
	}
	return NULL;
}

/* By mutations.sh with late stores; else processes as above. */
static void late(unsigned int producers, enum dv_publish when, bool rung_always)
{
	bool end = !rung_always;
	pid_t pids[PRODUCERS];
	pthread_t ringer;

	open_queue(32, DV_DOORBELL_NC, true);
	s->job = job_of(60, DV_DOORBELL_NC, when, true);
	s->job.waits = producers == 1;
	for (uintptr_t n = 0; n < producers; n++) {
		pids[n] = fork();
		if (!pids[n]) {
			late_begin(h.memory, MEMORY, h.file, s->q.sq.dbrec);
			thread((void *)n);
			_exit(0);
		}
	}
	pthread_create(&ringer, NULL, ring_always, &end);
	for (unsigned int n = 0; n < producers; n++)
		waitpid(pids[n], NULL, 0);
	__atomic_store_n(&end, true, __ATOMIC_RELEASE);
	pthread_join(ringer, NULL);
	for (unsigned int n = 0; n < producers; n++)
		cr_assert_eq(s->result[n], 0, "producer %u: %s, error 0x%lx", n,
			     strerror(s->result[n]), (unsigned long)s->q.error);
	cr_assert_eq(*(const uint64_t *)(h.memory + DATA), 20 * producers);
	close_all();
}

Test(late, wqes_before_the_record)
{
	late(4, DV_PUBLISH_RING, true);
}

/* One that waits: no other one rings after it. */
Test(late, record_before_the_register)
{
	late(1, DV_PUBLISH_RING, false);
}

/* Another one rings for them. */
Test(late, wqes_before_the_turn)
{
	late(4, DV_PUBLISH_LAST, false);
}

/* ---- export ---- */

Test(many, export_has_the_addresses_of_the_device_code)
{
	struct devx_views views = { .ring = (void *)0x1000,
				    .record = (void *)0x2000,
				    .cqe = (void *)0x3000,
				    .reg = (void *)0x4800,
				    .only_queue = true };
	struct dv_many q = { 0 };

	open_queue(64, DV_DOORBELL_NC, false);
	ok(devx_many_export(&q, &h.qp, &h.cq, &h.uar, &views));
	cr_assert_eq(q.sq.buf, (char *)0x1000);
	cr_assert_eq(q.sq.dbrec, (__be32 *)0x2004, "the send half");
	cr_assert_eq(q.sq.bf_reg, (char *)0x4800);
	cr_assert_eq(q.cq.cqe64, (char *)0x3000);
	cr_assert_eq(q.sq.qpn, h.qp.obj.id);
	cr_assert_eq(q.sq.wqe_cnt, 64);
	ok(devx_many_export(&q, &h.qp, &h.cq, &h.uar, &only_queue));
	cr_assert_eq(q.sq.buf, h.qp.sq.buf);
	cr_assert_eq(q.sq.dbrec, h.qp.sq.dbrec);
	cr_assert_eq(q.sq.bf_reg, h.uar.reg);
	cr_assert_eq(q.cq.cqe64, h.cq.cq.cqe64);
	close_all();
}

static void refused(int err, const char *reason, int got)
{
	cr_assert_eq(got, err);
	cr_assert_not_null(strstr(dv_reason(), reason), "%s", dv_reason());
}

Test(many, export_refuses_what_cannot_work)
{
	struct devx_cq_attr attr = { .cqe_cnt = 1, .uar = &h.uar };
	struct devx_uar other;
	struct devx_cq cq;
	struct dv_many q;
	char *kept;

	open_queue(64, DV_DOORBELL_NC, false);
	h.uar.shared = true;
	refused(EINVAL, "of all queues", devx_many_export(&q, &h.qp, &h.cq, &h.uar, NULL));
	ok(devx_uar_alloc(&other, h.ctx, DEVX_UAR_BF));
	refused(EINVAL, "another UAR", devx_many_export(&q, &h.qp, &h.cq, &other, NULL));
	devx_uar_free(&other);
	ok(devx_eqn_query(&attr.eqn, h.ctx, 0));
	ok(devx_cq_create(&cq, h.ctx, &attr));
	refused(EINVAL, "another CQ", devx_many_export(&q, &h.qp, &cq, &h.uar, &only_queue));
	ok(devx_cq_destroy(&cq));
	kept = h.qp.sq.buf;
	h.qp.sq.buf = NULL;
	refused(EINVAL, "address", devx_many_export(&q, &h.qp, &h.cq, &h.uar, &only_queue));
	h.qp.sq.buf = kept;
	h.qp.sq.pi = 1;
	refused(EBUSY, "posted", devx_many_export(&q, &h.qp, &h.cq, &h.uar, &only_queue));
	close_all();
}

/* Each property of the CQ alone. */
Test(many, export_refuses_other_cqs)
{
	static const struct {
		const char *reason;
		uint32_t cqe_size;
		bool collapsed, overrun_ignore;
	} rows[] = {
		{ "not collapsed", 64, false, true },
		{ "ignore an overrun", 64, true, false },
		{ "128 bytes", 128, true, true },
	};
	struct dv_many q;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct devx_cq_attr cq = { .cqe_cnt = 1,
					   .cqe_size = rows[i].cqe_size,
					   .uar = &h.uar,
					   .collapsed = rows[i].collapsed,
					   .overrun_ignore = rows[i].overrun_ignore };
		struct devx_qp_attr qp = { .st = PRM_QPC_ST_RC,
					   .uar = &h.uar,
					   .sq_wqe_cnt = 64 };

		open_device(false);
		ok(devx_uar_alloc(&h.uar, h.ctx, DEVX_UAR_BF));
		ok(devx_eqn_query(&cq.eqn, h.ctx, 0));
		ok(devx_pdn_query(&qp.pdn, h.pd));
		ok(devx_cq_create(&h.cq, h.ctx, &cq));
		qp.send_cqn = qp.recv_cqn = h.cq.obj.id;
		ok(devx_qp_create(&h.qp, h.ctx, &qp));
		refused(EINVAL, rows[i].reason,
			devx_many_export(&q, &h.qp, &h.cq, &h.uar, NULL));
		close_all();
	}
}
