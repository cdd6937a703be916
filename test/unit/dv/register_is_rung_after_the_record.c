/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of the stores, as a program has it: the register is in a page that cannot be
 * accessed, and the handler of the first access looks what the record says. (The barriers keep
 * the order on the CPU: test/barriers.)
 */
#include <signal.h>
#include <sys/mman.h>
#include "queue.h"

enum {
	REG = 0x800,
	ARM = 0x20,
};

static char *page;
static volatile sig_atomic_t touched;
static volatile uint32_t record[2]; /* when the page was touched first */
static volatile __be32 *watched;

static void on_fault(int signal)
{
	(void)signal;
	if (touched++ || mprotect(page, DV_UAR_BYTES, PROT_READ | PROT_WRITE))
		_exit(1);
	record[0] = be32toh(watched[0]);
	record[1] = be32toh(watched[1]);
}

static void start(void)
{
	struct sigaction action = { .sa_handler = on_fault };

	queue_start();
	watched = m.dbrec;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	cr_assert_neq(page, MAP_FAILED);
	m.sq.bf_reg = page + REG;
	cr_assert_eq(sigaction(SIGSEGV, &action, NULL), 0);
}

TestSuite(order, .init = start);

static void rung_by(enum dv_doorbell how)
{
	const struct ibv_sge sge = { .addr = 0x1000, .length = 16, .lkey = 7 };

	cr_assert_eq(dv_sq_nop(&m.sq, 0), 0);
	dv_sq_record(&m.sq);
	m.sq.db_pi = m.sq.pi;
	cr_assert_eq(dv_sq_send(&m.sq, 0, &sge, 1), 0);
	dv_sq_ring_by(&m.sq, how);
	cr_assert_eq(touched, 1);
	cr_assert_eq(record[1], 2, "the record says %u when the register is rung", record[1]);
}

Test(order, of_a_doorbell)
{
	rung_by(DV_DOORBELL);
}

Test(order, of_blueflame)
{
	rung_by(DV_BLUEFLAME);
}

Test(order, of_a_doorbell_without_write_combining)
{
	rung_by(DV_DOORBELL_NC);
}

Test(order, of_an_arm)
{
	static uint8_t ring[4 * 64] __attribute__((aligned(64)));
	struct mlx5dv_cq dvcq = { .buf = ring,
				  .dbrec = m.dbrec,
				  .cqe_cnt = 4,
				  .cqe_size = 64,
				  .cq_uar = page,
				  .cqn = 0x010203 };
	struct dv_cq cq;

	cr_assert_eq(dv_cq_init(&cq, &dvcq), 0);
	cq.ci = 5;
	cq.arm_sn = 2;
	dv_cq_arm(&cq, false);
	cr_assert_eq(touched, 1);
	cr_assert_eq(record[1], 0x20000005,
		     "the arm record says 0x%x when the register is rung", record[1]);
	cr_assert_eq(*(uint64_t *)(void *)(page + ARM), htobe64(0x2000000500010203));
}
