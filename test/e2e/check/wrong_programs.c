/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes one mistake, named by its argument, that works or fails late; findings.sh reads what
 * dvkit-emu --check reports.
 *
 *	wrong_programs WHAT		one of the names in the table at the end
 *	wrong_programs watch WHAT	the same in a child, and how it ended
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include <dv/post_umr.h>

enum {
	SIZE = 64,
};

static char from[SIZE], to[SIZE];

struct bench {
	struct device dev;
	struct ibv_mr *from, *to;
	struct pair pair;
	struct dv_sq sq;
	struct dv_cq cq;
};

static void write_one(struct bench *b, uint32_t rkey, uint8_t flags)
{
	struct ibv_sge sge = { (uintptr_t)from, SIZE, b->from->lkey };

	ok(dv_sq_write(&b->sq, flags, (struct dv_raddr){ (uintptr_t)to, rkey }, &sge, 1));
}

static void poll_one(struct bench *b)
{
	const struct mlx5_cqe64 *cqe;

	while (!(cqe = dv_cq_poll(&b->cq)))
		;
	dv_sq_retire(&b->sq, cqe);
}

static void run_one(struct bench *b)
{
	dv_sq_doorbell(&b->sq);
	poll_one(b);
	dv_cq_release(&b->cq);
}

static void nothing(struct bench *b)
{
	write_one(b, b->to->rkey, MLX5_WQE_CTRL_CQ_UPDATE);
	run_one(b);
}

/* The doorbell record includes a WQE, and the register is not rung. */
static void unrung(struct bench *b)
{
	write_one(b, b->to->rkey, MLX5_WQE_CTRL_CQ_UPDATE);
	dv_sq_record(&b->sq);
}

static void unsignalled(struct bench *b)
{
	for (uint32_t i = 0; i < b->sq.wqe_cnt; i++)
		write_one(b, b->to->rkey, 0);
	dv_sq_doorbell(&b->sq);
	sleep(1); /* nothing will ever say that it is done */
}

static void stale(struct bench *b)
{
	uint32_t rkey = b->to->rkey;

	ok(ibv_dereg_mr(b->to));
	b->to = NULL;
	write_one(b, rkey, MLX5_WQE_CTRL_CQ_UPDATE);
	run_one(b);
}

/* A WQE whose ds counts its control segment and no more. */
static void cut_short(struct bench *b)
{
	void *seg = dv_sq_reserve(&b->sq, 1);

	dv_set_raddr_seg(seg, (struct dv_raddr){ (uintptr_t)to, b->to->rkey });
	dv_sq_commit(&b->sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, MLX5_WQE_CTRL_CQ_UPDATE, 0);
	run_one(b);
}

/* ---- CQs ---- */

static void unreleased(struct bench *b)
{
	write_one(b, b->to->rkey, MLX5_WQE_CTRL_CQ_UPDATE);
	dv_sq_doorbell(&b->sq);
	poll_one(b);
}

/* All is read, and nothing released: the CQ holds as many CQEs as it has entries. */
static void overrun(struct bench *b)
{
	for (uint32_t i = 0; i < b->cq.cqe_cnt; i++) {
		write_one(b, b->to->rkey, MLX5_WQE_CTRL_CQ_UPDATE);
		dv_sq_doorbell(&b->sq);
		poll_one(b);
	}
	write_one(b, b->to->rkey, MLX5_WQE_CTRL_CQ_UPDATE);
	dv_sq_doorbell(&b->sq);
	sleep(1); /* there is no place for its CQE */
}

/* ---- keys ---- */

/* @op of @len bytes between @from and @to, as the device ends it. */
static void run(struct bench *b, uint8_t op, uint32_t lkey, uint32_t rkey, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)from, len, lkey };
	struct dv_raddr raddr = { (uintptr_t)to, rkey };

	if (op == MLX5_OPCODE_RDMA_WRITE)
		ok(dv_sq_write(&b->sq, MLX5_WQE_CTRL_CQ_UPDATE, raddr, &sge, 1));
	else
		ok(dv_sq_read(&b->sq, MLX5_WQE_CTRL_CQ_UPDATE, raddr, &sge, 1));
	run_one(b);
}

static void unknown(struct bench *b)
{
	run(b, MLX5_OPCODE_RDMA_WRITE, b->from->lkey, b->to->rkey ^ 0x5a5500, SIZE);
}

static void unknown_lkey(struct bench *b)
{
	run(b, MLX5_OPCODE_RDMA_WRITE, b->from->lkey ^ 0x5a5500, b->to->rkey, SIZE);
}

static void variant(struct bench *b)
{
	run(b, MLX5_OPCODE_RDMA_WRITE, b->from->lkey, b->to->rkey ^ 1, SIZE);
}

static void other_pd(struct bench *b)
{
	struct ibv_pd *pd = made(ibv_alloc_pd(b->dev.ctx));
	struct ibv_mr *mr = made(
		ibv_reg_mr(pd, to, SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));

	run(b, MLX5_OPCODE_RDMA_WRITE, b->from->lkey, mr->rkey, SIZE);
	ok(ibv_dereg_mr(mr));
	ok(ibv_dealloc_pd(pd));
}

static void right(struct bench *b)
{
	run(b, MLX5_OPCODE_RDMA_READ, b->from->lkey, b->to->rkey, SIZE);
}

static void local_right(struct bench *b)
{
	struct ibv_mr *in = made(ibv_reg_mr(b->dev.pd, from, SIZE, 0));
	struct ibv_mr *out = made(ibv_reg_mr(b->dev.pd, to, SIZE, IBV_ACCESS_REMOTE_READ));

	run(b, MLX5_OPCODE_RDMA_READ, in->lkey, out->rkey, SIZE);
	ok(ibv_dereg_mr(out));
	ok(ibv_dereg_mr(in));
}

static void range(struct bench *b)
{
	struct ibv_mr *mr = made(ibv_reg_mr(b->dev.pd, to, SIZE / 2,
					    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));

	run(b, MLX5_OPCODE_RDMA_WRITE, b->from->lkey, mr->rkey, SIZE);
	ok(ibv_dereg_mr(mr));
}

static void local_range(struct bench *b)
{
	struct ibv_mr *mr = made(ibv_reg_mr(b->dev.pd, from, SIZE / 2, 0));

	run(b, MLX5_OPCODE_RDMA_WRITE, mr->lkey, b->to->rkey, SIZE);
	ok(ibv_dereg_mr(mr));
}

static void unmapped(struct bench *b)
{
	long page = sysconf(_SC_PAGESIZE);
	char *area =
		mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr = made(ibv_reg_mr(b->dev.pd, area, page, IBV_ACCESS_LOCAL_WRITE));
	struct ibv_sge sge = { (uintptr_t)area, SIZE, mr->lkey };

	ok(munmap(area, page));
	ok(dv_sq_write(&b->sq, MLX5_WQE_CTRL_CQ_UPDATE,
		       (struct dv_raddr){ (uintptr_t)to, b->to->rkey }, &sge, 1));
	run_one(b);
	ok(ibv_dereg_mr(mr));
}

/* The key of a window that was never bound. */
static void unbound(struct bench *b)
{
	struct ibv_mw *mw = made(ibv_alloc_mw(b->dev.pd, IBV_MW_TYPE_2));

	run(b, MLX5_OPCODE_RDMA_WRITE, b->from->lkey, mw->rkey, SIZE);
	ok(ibv_dealloc_mw(mw));
}

/* ---- UMR ---- */

static void umr(struct bench *b, uint8_t fence)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = b->dev.pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = 4,
	};
	struct mlx5dv_mkey *key = made(mlx5dv_create_mkey(&attr));
	struct ibv_sge piece = { (uintptr_t)from, SIZE, b->from->lkey };
	struct ibv_sge all = { 0, SIZE, key->lkey };
	struct dv_raddr raddr = { (uintptr_t)to, b->to->rkey };
	struct dv_umr change;

	dv_umr_init(&change, key->lkey);
	dv_umr_set_access(&change, IBV_ACCESS_LOCAL_WRITE);
	ok(dv_sq_umr_list(&b->sq, 0, &change, &piece, 1));
	ok(dv_sq_write(&b->sq, fence | MLX5_WQE_CTRL_CQ_UPDATE, raddr, &all, 1));
	run_one(b);
	ok(mlx5dv_destroy_mkey(key));
}

static void fenced(struct bench *b)
{
	umr(b, DV_FENCE_INITIATOR_SMALL);
}

static void unfenced(struct bench *b)
{
	umr(b, 0);
}

static void leak(struct bench *b)
{
	(void)b;
	exit(0);
}

/* ---- signals ---- */

static void none(int sig)
{
	(void)sig;
}

static void leave(int sig)
{
	exit(sig == SIGTERM ? 3 : 4);
}

static void term(struct bench *b)
{
	unrung(b);
	raise(SIGTERM);
}

/* While another thread is inside of the device again and again. */
static void *busy(void *b)
{
	while (b)
		ok(ibv_dereg_mr(made(ibv_reg_mr(((struct bench *)b)->dev.pd, from, SIZE, 0))));
	return NULL;
}

static void term_while_busy(struct bench *b)
{
	pthread_t thread;

	ok(pthread_create(&thread, NULL, busy, b));
	usleep(10000);
	raise(SIGTERM);
}

static void aborted(struct bench *b)
{
	(void)b;
	abort();
}

static void fault(struct bench *b)
{
	static int *volatile nowhere = (int *)8;

	(void)b;
	*nowhere = 1;
}

static void broken_pipe(struct bench *b)
{
	int ends[2];

	(void)b;
	ok(pipe(ends));
	close(ends[0]);
	if (write(ends[1], "x", 1) < 0)
		err(1, "SIGPIPE did not come");
}

/* The program's settings stay, and it reads what it set. */
static void own_handler(struct bench *b)
{
	struct sigaction mine = { .sa_handler = none, .sa_flags = SA_RESTART }, old;

	(void)b;
	ok(sigaction(SIGTERM, &mine, &old));
	if (old.sa_handler != SIG_DFL || old.sa_flags)
		errx(1, "SIGTERM had a handler");
	raise(SIGTERM);
	ok(sigaction(SIGTERM, NULL, &old));
	if (old.sa_handler != none || !(old.sa_flags & SA_RESTART))
		errx(1, "SIGTERM lost its handler");
	if (signal(SIGTERM, leave) != none)
		errx(1, "SIGTERM had another handler");
	raise(SIGTERM);
}

static void ignored(struct bench *b)
{
	(void)b;
	signal(SIGTERM, SIG_IGN);
	raise(SIGTERM);
	if (signal(SIGTERM, SIG_DFL) != SIG_IGN || signal(SIGTERM, SIG_DFL) != SIG_DFL)
		errx(1, "SIGTERM was not ignored");
	raise(SIGTERM);
}

/* A child without the device ends without a word. */
static void in_a_child(struct bench *b)
{
	pid_t child = fork();
	int status;

	(void)b;
	if (!child)
		raise(SIGTERM);
	ok(waitpid(child, &status, 0) != child);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM)
		errx(1, "the child ended with 0x%x", status);
}

static void killed(struct bench *b)
{
	(void)b;
	raise(SIGKILL);
}

/* Another wrong program, and how its parent sees it end. */
static int watch(char **argv)
{
	pid_t child = fork();
	int status;

	if (!child) {
		execv(argv[0], (char *[]){ argv[0], argv[2], NULL });
		err(1, "%s", argv[0]);
	}
	ok(waitpid(child, &status, 0) != child);
	if (WIFSIGNALED(status))
		printf("killed by signal %d\n", WTERMSIG(status));
	else
		printf("status %d\n", WEXITSTATUS(status));
	return 0;
}

static const struct {
	const char *what;
	void (*run)(struct bench *b);
} table[] = {
	{ "nothing", nothing },
	{ "unrung", unrung },
	{ "unsignalled", unsignalled },
	{ "stale", stale },
	{ "short", cut_short },
	{ "leak", leak },
	{ "unreleased", unreleased },
	{ "overrun", overrun },
	{ "unknown", unknown },
	{ "unknown_lkey", unknown_lkey },
	{ "variant", variant },
	{ "other_pd", other_pd },
	{ "right", right },
	{ "local_right", local_right },
	{ "range", range },
	{ "local_range", local_range },
	{ "unmapped", unmapped },
	{ "unbound", unbound },
	{ "fenced", fenced },
	{ "unfenced", unfenced },
	{ "term", term },
	{ "term_while_busy", term_while_busy },
	{ "abort", aborted },
	{ "fault", fault },
	{ "broken_pipe", broken_pipe },
	{ "own_handler", own_handler },
	{ "ignored", ignored },
	{ "in_a_child", in_a_child },
	{ "killed", killed },
};

static void be_odd(struct bench *b, const char *what)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (strcmp(what, table[i].what))
			continue;
		table[i].run(b);
		return;
	}
	errx(2, "usage: wrong_programs WHAT; there is no '%s'", what);
}

int main(int argc, char **argv)
{
	struct options o = { .port = 1, .gid_index = -1 };
	struct bench b;

	if (argc == 3 && !strcmp(argv[1], "watch"))
		return watch(argv);
	b = (struct bench){ .dev = device_open(o) };

	memset(from, 'x', SIZE);
	b.from = made(ibv_reg_mr(b.dev.pd, from, SIZE, IBV_ACCESS_LOCAL_WRITE));
	b.to = made(ibv_reg_mr(b.dev.pd, to, SIZE,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
	b.pair = pair_create(&b.dev);
	ok(dv_sq_map(&b.sq, b.pair.a));
	ok(dv_cq_map(&b.cq, b.pair.a_cq));
	be_odd(&b, argc == 2 ? argv[1] : "");
	pair_destroy(&b.pair);
	if (b.to)
		ok(ibv_dereg_mr(b.to));
	ok(ibv_dereg_mr(b.from));
	device_close(&b.dev);
	return 0;
}
