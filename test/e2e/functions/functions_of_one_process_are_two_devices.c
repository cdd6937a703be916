/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mlx5_0 and mlx5_1 of one process: data from one to the other, memory that both have pinned,
 * separate objects, and the calls that are about the whole process.
 */
#include <endian.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include <dvkit/emu.h>

#include "both.h"

TestSuite(traffic, .init = both_start, .fini = both_stop);
TestSuite(process, .init = both_start, .fini = both_stop);

static void writes_arrive(void)
{
	give_memory(&host, 0x11);
	give_memory(&dpu, 0x22);
	post_write(&host, &dpu, dpu.mr->rkey);
	cr_assert_eq(next_status(&host), IBV_WC_SUCCESS);
	cr_assert(all_are(dpu.mem, 0x11));
	memset(dpu.mem, 0x33, LEN);
	post_write(&dpu, &host, host.mr->rkey);
	cr_assert_eq(next_status(&dpu), IBV_WC_SUCCESS);
	cr_assert(all_are(host.mem, 0x33));
}

Test(traffic, writes_of_both_arrive)
{
	writes_arrive();
}

/* Their link-local addresses differ: 00c5… and 00d5… */
Test(link_local, writes_of_both_arrive)
{
	union ibv_gid a, b;

	both_connected(1);
	cr_assert_eq(ibv_query_gid(host.ctx, 1, 1, &a), 0);
	cr_assert_eq(ibv_query_gid(dpu.ctx, 1, 1, &b), 0);
	cr_assert_eq(a.raw[8], 0x00);
	cr_assert_eq(a.raw[9], 0xc5);
	cr_assert_eq(b.raw[9], 0xd5);
	writes_arrive();
	both_stop();
}

Test(traffic, messages_are_received)
{
	struct ibv_recv_wr receive = { .num_sge = 1 }, *bad_receive;
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND,
				    .send_flags = IBV_SEND_SIGNALED,
				    .num_sge = 1 };
	struct ibv_send_wr *bad_send;
	struct ibv_sge from, to;

	give_memory(&host, 0x44);
	give_memory(&dpu, 0);
	from = (struct ibv_sge){ (uintptr_t)host.mem, LEN, host.mr->lkey };
	to = (struct ibv_sge){ (uintptr_t)dpu.mem, LEN, dpu.mr->lkey };
	receive.sg_list = &to;
	send.sg_list = &from;
	cr_assert_eq(ibv_post_recv(dpu.qp, &receive, &bad_receive), 0);
	cr_assert_eq(ibv_post_send(host.qp, &send, &bad_send), 0);
	cr_assert_eq(next_status(&dpu), IBV_WC_SUCCESS);
	cr_assert_eq(next_status(&host), IBV_WC_SUCCESS);
	cr_assert(all_are(dpu.mem, 0x44));
}

static void without_ipc_lock(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	cr_assert_eq(syscall(SYS_capget, &head, data), 0);
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	cr_assert_eq(syscall(SYS_capset, &head, data), 0);
}

/* The same pages, pinned by both: unmapped, they are still those of both. */
Test(traffic, unmapped_memory_stays_with_both)
{
	uint8_t *shared;
	struct ibv_mr *of_dpu;

	give_memory(&host, 0x55);
	give_memory(&dpu, 0x66);
	shared = host.mem;
	of_dpu = ibv_reg_mr(dpu.pd, shared, LEN, ALL);
	cr_assert_not_null(of_dpu);
	cr_assert_eq(munmap(shared, LEN), 0);
	/* mlx5_0 reads the pages, mlx5_1 writes its other memory */
	post_write(&host, &dpu, dpu.mr->rkey);
	cr_assert_eq(next_status(&host), IBV_WC_SUCCESS);
	cr_assert(all_are(dpu.mem, 0x55));
	/* mlx5_1 reads the same pages by its own key, mlx5_0 writes them: a loop of bytes that
	 * are equal */
	cr_assert_eq(ibv_dereg_mr(dpu.mr), 0);
	munmap(dpu.mem, LEN);
	dpu.mem = shared;
	dpu.mr = of_dpu;
	post_write(&dpu, &host, host.mr->rkey);
	cr_assert_eq(next_status(&dpu), IBV_WC_SUCCESS);
}

/* free() unmaps a large block: pages that only mlx5_1 has pinned, while mlx5_0 is not open,
 * stay too. */
Test(second, alone_keeps_memory_that_is_freed)
{
	uint8_t *block = malloc(1 << 20), *at = block + 4096 - (uintptr_t)block % 4096;

	dpu_alone();
	memset(block, 0x5b, 1 << 20);
	dpu.mem = at;
	dpu.mr = ibv_reg_mr(dpu.pd, block, 1 << 20, ALL);
	cr_assert_not_null(dpu.mr);
	free(block);
	post_write(&dpu, &dpu, dpu.mr->rkey);
	cr_assert_eq(next_status(&dpu), IBV_WC_SUCCESS);
	cr_assert_eq(ibv_dereg_mr(dpu.mr), 0);
}

/* RLIMIT_MEMLOCK is the process's (kernel, ib_umem_get: mm->pinned_vm). */
Test(second, limit_of_locked_memory_is_that_of_both)
{
	struct rlimit few;
	const size_t len = 5 << 19;
	uint8_t *mem =
		mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr;

	without_ipc_lock();
	cr_assert_eq(getrlimit(RLIMIT_MEMLOCK, &few), 0);
	few.rlim_cur = 4 << 20;
	cr_assert_eq(setrlimit(RLIMIT_MEMLOCK, &few), 0);
	both_start();
	mr = ibv_reg_mr(host.pd, mem, len, ALL);
	cr_assert_not_null(mr);
	errno = 0;
	cr_assert_null(ibv_reg_mr(dpu.pd, mem, len, ALL));
	cr_assert_eq(errno, ENOMEM);
	cr_assert_eq(ibv_dereg_mr(mr), 0);
	mr = ibv_reg_mr(dpu.pd, mem, len, ALL);
	cr_assert_not_null(mr);
	cr_assert_eq(ibv_dereg_mr(mr), 0);
	both_stop();
}

/* A key of one function means nothing, or something else, to the other. */
Test(process, keys_are_of_one_function)
{
	struct ibv_mr *extra[8];

	give_memory(&host, 0x77);
	give_memory(&dpu, 0x78);
	for (int i = 0; i < 8; i++) /* host keys that the DPU's function does not have */
		extra[i] = ibv_reg_mr(host.pd, host.mem, LEN, ALL);
	post_write(&host, &dpu, extra[7]->rkey);
	cr_assert_eq(next_status(&host), IBV_WC_REM_ACCESS_ERR);
	cr_assert(all_are(dpu.mem, 0x78));
	for (int i = 0; i < 8; i++)
		cr_assert_eq(ibv_dereg_mr(extra[i]), 0);
}

static dev_t device_of(int fd)
{
	struct stat st;

	cr_assert_eq(fstat(fd, &st), 0);
	cr_assert(S_ISCHR(st.st_mode));
	return st.st_rdev;
}

Test(process, descriptors_are_of_their_devices)
{
	int copy = dup(dpu.ctx->cmd_fd);

	cr_assert_eq(device_of(host.ctx->cmd_fd), makedev(231, 192));
	cr_assert_eq(device_of(dpu.ctx->cmd_fd), makedev(231, 193));
	cr_assert_eq(device_of(copy), makedev(231, 193));
	close(copy);
}

Test(process, identity_is_of_the_function_and_of_the_adapter)
{
	struct ibv_device_attr a, b;

	cr_assert_eq(ibv_query_device(host.ctx, &a), 0);
	cr_assert_eq(ibv_query_device(dpu.ctx, &b), 0);
	cr_assert_eq(a.sys_image_guid, b.sys_image_guid);
	cr_assert_neq(a.node_guid, b.node_guid);
	cr_assert_neq(host.qp->qp_num >> 16, dpu.qp->qp_num >> 16, "they have one slot");
}

/* fork: the parent goes on, and the child opens both for itself. */
Test(process, child_opens_both_again)
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		struct ibv_device_attr attr;

		if (ibv_query_device_ex(host.ctx, NULL, &(struct ibv_device_attr_ex){ 0 }) == 0)
			_exit(2); /* the parent's */
		if (ibv_query_device(open_by_name("mlx5_1"), &attr))
			_exit(3);
		if (ibv_query_device(open_by_name("mlx5_0"), &attr))
			_exit(4);
		_exit(0);
	}
	writes_arrive();
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert_eq(status, 0);
	writes_arrive();
}

/* With --check a finding, of the DPU's function: programs.sh. */
Test(misuse, a_store_names_no_queue)
{
	struct mlx5dv_devx_uar *uar;

	both_start();
	uar = mlx5dv_devx_alloc_uar(dpu.ctx, MLX5DV_UAR_ALLOC_TYPE_NC);
	cr_assert_not_null(uar);
	*(volatile uint64_t *)uar->reg_addr = htobe64(0xabcdef03);
	mlx5dv_devx_free_uar(uar);
	both_stop();
}

/* ---- <dvkit/emu.h> ---- */

Test(process, pause_and_step_are_for_both)
{
	give_memory(&host, 0x88);
	give_memory(&dpu, 0x99);
	cr_assert_eq(dvkit_emu_pause(), 0);
	post_write(&host, &dpu, dpu.mr->rkey);
	usleep(20000);
	cr_assert(all_are(dpu.mem, 0x99), "an engine was not paused");
	while (dvkit_emu_step())
		;
	cr_assert(all_are(dpu.mem, 0x88));
	cr_assert_eq(next_status(&host), IBV_WC_SUCCESS);
	cr_assert_eq(dvkit_emu_resume(), 0);
	cr_assert_not(dvkit_emu_step());
	post_write(&dpu, &host, host.mr->rkey);
	cr_assert_eq(next_status(&dpu), IBV_WC_SUCCESS);
}

Test(process, counters_are_sums)
{
	struct dvkit_emu_counters before, after;

	give_memory(&host, 1);
	give_memory(&dpu, 2);
	cr_assert_eq(dvkit_emu_query_counters(&before, sizeof(before)), 0);
	post_write(&host, &dpu, dpu.mr->rkey);
	cr_assert_eq(next_status(&host), IBV_WC_SUCCESS);
	post_write(&dpu, &host, host.mr->rkey);
	cr_assert_eq(next_status(&dpu), IBV_WC_SUCCESS);
	cr_assert_eq(dvkit_emu_query_counters(&after, sizeof(after)), 0);
	cr_assert_eq(after.wqes - before.wqes, 2);
	cr_assert_eq(after.cqes - before.cqes, 2);
	cr_assert_eq(after.doorbells - before.doorbells, 2);
	cr_assert_eq(after.messages - before.messages, 2);
	cr_assert_eq(after.message_bytes - before.message_bytes, 2 * LEN);
	cr_assert_eq(after.commands, before.commands);
	cr_assert_gt(after.iterations, before.iterations);
	/* frames of one, WRITEs and their ACKs, are received by the other */
	cr_assert_eq(after.tx_frames - before.tx_frames, after.rx_frames - before.rx_frames);
	cr_assert_geq(after.tx_frames - before.tx_frames, 4);
	cr_assert_eq(after.rx_dropped + after.retransmits, 0);
}

/* Each kind of fault of both links has its counter. */
Test(process, faults_are_of_both_links)
{
	static const struct {
		const char *text;
		size_t counter;
	} rows[] = {
		{ "dup=1:ack", offsetof(struct dvkit_emu_counters, duplicated) },
		{ "delay=1:ack:1us", offsetof(struct dvkit_emu_counters, delayed) },
		{ "ecn=1:write", offsetof(struct dvkit_emu_counters, marked) },
	};

	give_memory(&host, 1);
	give_memory(&dpu, 2);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dvkit_emu_counters c[3];

		cr_assert_eq(dvkit_emu_faults(rows[i].text), 0, "%s", rows[i].text);
		for (int k = 0; k < 3; k++) {
			cr_assert_eq(dvkit_emu_query_counters(&c[k], sizeof(c[k])), 0);
			for (int n = 0; k < 2 && n < 8; n++) {
				post_write(k ? &dpu : &host, k ? &host : &dpu,
					   k ? host.mr->rkey : dpu.mr->rkey);
				cr_assert_eq(next_status(k ? &dpu : &host), IBV_WC_SUCCESS);
			}
			for (size_t r = 0; k && r < sizeof(rows) / sizeof(rows[0]); r++) {
				uint64_t more =
					*(uint64_t *)((char *)&c[k] + rows[r].counter) -
					*(uint64_t *)((char *)&c[k - 1] + rows[r].counter);

				cr_expect_eq(more > 0, r == i, "%s, side %d: %s %lu",
					     rows[i].text, k, rows[r].text, more);
			}
		}
	}
	cr_assert_eq(dvkit_emu_faults(""), 0);
}

static enum ibv_port_state state_of(struct ibv_context *ctx)
{
	struct ibv_port_attr attr;

	cr_assert_eq(ibv_query_port(ctx, 1, &attr), 0);
	return attr.state;
}

Test(misuse, requests_are_for_both)
{
	both_start();
	cr_assert_eq(dvkit_emu_link(false), 0);
	cr_expect(state_of(host.ctx) == IBV_PORT_DOWN && state_of(dpu.ctx) == IBV_PORT_DOWN);
	cr_assert_eq(dvkit_emu_link(true), 0);
	cr_expect(state_of(host.ctx) == IBV_PORT_ACTIVE &&
		  state_of(dpu.ctx) == IBV_PORT_ACTIVE);
	cr_expect_eq(dvkit_emu_fail_qp(dpu.qp->qp_num ^ 0x8000), ENOENT);
	cr_expect_eq(dvkit_emu_fail_qp(host.qp->qp_num), 0);
	cr_expect_eq(dvkit_emu_fail_qp(dpu.qp->qp_num), 0);
	cr_assert_eq(dvkit_emu_fail_command(1, 1, 0), 0);
	cr_expect_null(ibv_alloc_pd(dpu.ctx));
	cr_expect_null(ibv_alloc_pd(host.ctx));
	cr_assert_eq(dvkit_emu_fail_device(), 0);
	cr_expect_null(ibv_alloc_pd(host.ctx));
	cr_expect_null(ibv_alloc_pd(dpu.ctx));
}

Test(process, retire_finds_the_function_of_the_qp)
{
	give_memory(&host, 1);
	give_memory(&dpu, 2);
	cr_assert_eq(dvkit_emu_pause(), 0);
	post_write(&host, &dpu, dpu.mr->rkey);
	post_write(&dpu, &host, host.mr->rkey);
	cr_assert_eq(dvkit_emu_retire(dpu.qp->qp_num), 0);
	cr_assert_eq(next_status(&dpu), IBV_WC_SUCCESS);
	cr_assert_eq(dvkit_emu_retire(dpu.qp->qp_num), EINVAL);
	cr_assert_eq(dvkit_emu_retire(host.qp->qp_num), 0);
	cr_assert_eq(next_status(&host), IBV_WC_SUCCESS);
	cr_assert_eq(dvkit_emu_retire(host.qp->qp_num ^ 0x8000), ENOENT);
	cr_assert_eq(dvkit_emu_resume(), 0);
	cr_assert(all_are(dpu.mem, 2) && all_are(host.mem, 1));
}

Test(process, objects_of_both_are_counted)
{
	char before[400], after[400], small[400];
	uint32_t n = dvkit_emu_objects(before, sizeof(before));
	struct ibv_pd *a = ibv_alloc_pd(host.ctx), *b = ibv_alloc_pd(dpu.ctx);
	struct ibv_pd *c = ibv_alloc_pd(dpu.ctx);

	cr_assert_eq(dvkit_emu_objects(after, sizeof(after)), n + 3);
	cr_assert_eq(dvkit_emu_objects(NULL, 0), n + 3);
	for (size_t size = 1; size < strlen(after) + 2; size++) { /* cut off anywhere */
		cr_assert_eq(dvkit_emu_objects(small, size), n + 3);
		cr_expect_eq(strncmp(small, after, size - 1), 0, "%zu: '%s'", size, small);
	}
	cr_assert_not_null(strstr(strchr(after, ';'), "pd "), "%s", after);
	cr_assert_eq(ibv_dealloc_pd(a) + ibv_dealloc_pd(b) + ibv_dealloc_pd(c), 0);
}
