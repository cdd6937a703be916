/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The copier: an alias of the owner's mkey, and a QP that is connected to itself, for which
 * libmlx5 writes the WQEs (mlx5dv_wr_memcpy). A function for each scenario.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

#include "lib/clock.h"
#include "lib/connect.h"
#include "vhca.h"

#define DEPTH 64
#define MIB   (1ull << 20)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static struct mlx5dv_devx_obj *alias;
static uint32_t alias_key;
static struct record record;
static uint8_t *memory; /* as much as the owner has */
static uint32_t posted;

/* ---- the alias ---- */

static uint32_t alias_state(const uint8_t *out)
{
	return get32(out + 0x10) & 7;
}

static void create_alias(void)
{
	uint8_t in[0x50] = { 0x0a, 0x00 }, out[0x50] = { 0 };

	put32(in + 0x04, 0xff01);
	put32(in + 0x0c, 0x80000000);
	put32(in + 0x10, (uint32_t)record.vhca_id << 16);
	put32(in + 0x14, record.mkey);
	memcpy(in + 0x20, record.key, KEY_BYTES);
	put32(in + 0x40, pdn_of(pd));
	alias = mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out));
	CHECK(alias, "syndrome 0x%x", get32(out + 4));
	CHECK(!alias_state(out));
	alias_key = get32(out + 8) << 8;
}

static uint32_t query_alias(void)
{
	uint8_t in[0x10] = { 0x0a, 0x02 }, out[0x50] = { 0 };

	put32(in + 0x04, 0xff01);
	put32(in + 0x08, alias_key >> 8);
	put32(in + 0x0c, 0x80000000);
	CHECK(!mlx5dv_devx_obj_query(alias, in, sizeof(in), out, sizeof(out)));
	CHECK(get32(out + 0x14) == record.mkey);
	return alias_state(out);
}

/* ---- the QP ---- */

static void to_rts(void)
{
	struct ibv_qp_attr a = { .path_mtu = IBV_MTU_1024,
				 .dest_qp_num = qp->qp_num,
				 .min_rnr_timer = 12,
				 .timeout = 14,
				 .retry_cnt = 7,
				 .rnr_retry = 7 };
	union ibv_gid gid;

	CHECK(!ibv_query_gid(ctx, 1, 0, &gid));
	a.ah_attr = path_to(gid, 0);
	CHECK(!connect_qp(qp, &a));
}

static void create_qp(void)
{
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_RC, .pd = pd };
	struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
					  .send_ops_flags = MLX5DV_QP_EX_WITH_MEMCPY };

	cq = ibv_create_cq(ctx, DEPTH, NULL, NULL, 0);
	attr.send_cq = attr.recv_cq = cq;
	attr.cap = (struct ibv_qp_cap){ .max_send_wr = DEPTH, .max_send_sge = 1 };
	attr.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	qp = mlx5dv_create_qp(ctx, &attr, &dv);
	CHECK(cq && qp, "%s", strerror(errno));
	to_rts();
}

static void reset_qp(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE));
	to_rts();
}

static void prepare(void)
{
	hear(&record, sizeof(record));
	ctx = open_devx();
	CHECK(capability(ctx, 0x20, 0x1c) & 0x100, "no local mkey to remote mkey");
	CHECK((uint16_t)capability(ctx, 0, 4) != record.vhca_id, "two functions");
	pd = ibv_alloc_pd(ctx);
	memory = mmap(NULL, record.len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	CHECK(pd && memory != MAP_FAILED);
	mr = ibv_reg_mr(pd, memory, record.len, IBV_ACCESS_LOCAL_WRITE);
	CHECK(mr);
	create_alias();
	create_qp();
}

static void clean(void)
{
	char end = ASK_END;

	CHECK(!ibv_destroy_qp(qp) && !ibv_destroy_cq(cq));
	CHECK(!mlx5dv_devx_obj_destroy(alias), "before its PD");
	CHECK(!ibv_dereg_mr(mr) && !ibv_dealloc_pd(pd) && !ibv_close_device(ctx));
	say(&end, 1);
}

/* ---- copies ---- */

/* @fetch: from the owner's memory at @far to @near; else the other way. */
static void post(bool fetch, uint64_t far, uint64_t near, uint64_t len)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);

	ibv_wr_start(ex);
	ex->wr_id = posted++;
	ex->wr_flags = IBV_SEND_SIGNALED;
	if (fetch)
		mlx5dv_wr_memcpy(mlx5dv_qp_ex_from_ibv_qp_ex(ex), mr->lkey,
				 (uintptr_t)memory + near, alias_key, record.addr + far, len);
	else
		mlx5dv_wr_memcpy(mlx5dv_qp_ex_from_ibv_qp_ex(ex), alias_key, record.addr + far,
				 mr->lkey, (uintptr_t)memory + near, len);
	CHECK(!ibv_wr_complete(ex));
}

static struct ibv_wc completion(void)
{
	struct ibv_wc wc;
	int n;

	do
		n = ibv_poll_cq(cq, 1, &wc);
	while (!n);
	CHECK(n == 1);
	return wc;
}

static void completes(void)
{
	struct ibv_wc wc = completion();

	CHECK(wc.status == IBV_WC_SUCCESS, "%s, vendor 0x%x", ibv_wc_status_str(wc.status),
	      wc.vendor_err);
	CHECK((int)wc.opcode == MLX5DV_WC_MEMCPY);
}

/* @n work requests are outstanding. Some succeed, and each is followed by another one; one ends
 * in @status, the rest is flushed. */
static void one_error(int n, enum ibv_wc_status status)
{
	struct ibv_wc wc = completion();

	for (; wc.status == IBV_WC_SUCCESS; wc = completion())
		post(true, 0, 0, record.len);
	CHECK(wc.status == status, "%s", ibv_wc_status_str(wc.status));
	for (int i = 1; i < n; i++) {
		wc = completion();
		CHECK(wc.status == IBV_WC_WR_FLUSH_ERR, "%s", ibv_wc_status_str(wc.status));
	}
	CHECK(!ibv_poll_cq(cq, 1, &wc), "one completion for each work request");
}

static uint64_t ask_sum(void)
{
	char what = ASK_SUM;
	uint64_t sum;

	say(&what, 1);
	hear(&sum, sizeof(sum));
	return sum;
}

static void ask_destroy(void)
{
	char what = ASK_DESTROY;

	say(&what, 1);
	hear(&what, 1);
}

/* ---- scenarios ---- */

static void random_copies(void)
{
	uint8_t *far = malloc(record.len), *near = malloc(record.len);

	CHECK(far && near);
	for (uint64_t i = 0; i < record.len; i++) {
		far[i] = first_byte(i);
		near[i] = memory[i] = (uint8_t)(i * 11 + (i >> 8));
	}
	srand(42);
	for (int i = 0; i < 400; i++) {
		uint64_t len = 1 + (uint64_t)rand() % (i % 8 ? 10000 : 300000);
		uint64_t f = (uint64_t)rand() % (record.len - len);
		uint64_t n = (uint64_t)rand() % (record.len - len);

		post(i & 1, f, n, len);
		completes();
		if (i & 1)
			memcpy(near + n, far + f, len);
		else
			memcpy(far + f, near + n, len);
	}
	CHECK(!memcmp(near, memory, record.len));
	CHECK(ask_sum() == sum_of(far, record.len));
	free(far);
	free(near);
	clean();
}

static void post_many(int n)
{
	for (int i = 0; i < n; i++)
		post(i & 1, 0, 0, record.len);
}

static void killed(void)
{
	post_many(16);
	completes();
	CHECK(!kill(record.pid, SIGKILL));
	one_error(15, IBV_WC_REM_OP_ERR);
	while (!query_alias())
		usleep(1000); /* it takes a moment to die */
	reset_qp();
	post(true, 0, 0, 8);
	one_error(1, IBV_WC_REM_OP_ERR);
	CHECK(!ibv_destroy_qp(qp) && !mlx5dv_devx_obj_destroy(alias));
}

/* Are all threads of the owner stopped? */
static bool is_stopped(void)
{
	char path[300], text[512];
	const struct dirent *e;
	bool all = true;
	DIR *dir;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task", record.pid);
	dir = opendir(path);
	CHECK(dir);
	while (all && (e = readdir(dir))) {
		const char *state;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", record.pid, e->d_name);
		f = fopen(path, "r");
		CHECK(f && fgets(text, sizeof(text), f));
		fclose(f);
		state = strrchr(text, ')');
		all = state && state[2] == 'T';
	}
	closedir(dir);
	return all;
}

static void stopped(void)
{
	struct ibv_wc wc;

	CHECK(!kill(record.pid, SIGSTOP));
	while (!is_stopped())
		usleep(1000);
	post(true, 0, 0, record.len);
	post(false, 0, 0, record.len);
	for (int i = 0; i < 300; i++) {
		CHECK(!ibv_poll_cq(cq, 1, &wc), "the owner is stopped");
		usleep(1000);
	}
	CHECK(!kill(record.pid, SIGCONT));
	completes();
	completes();
	for (uint64_t i = 0; i < record.len; i++)
		CHECK(memory[i] == first_byte(i));
	clean();
}

static void destroyed(void)
{
	CHECK(!query_alias());
	ask_destroy();
	CHECK(query_alias());
	post(true, 0, 0, 8);
	one_error(1, IBV_WC_REM_ACCESS_ERR);
	clean();
}

static void destroyed_meanwhile(void)
{
	post_many(16);
	completes();
	ask_destroy();
	one_error(15, IBV_WC_REM_ACCESS_ERR);
	clean();
}

/* A queue that is reset in the middle of a copy copies again. */
static void reset(void)
{
	for (int i = 0; i < 20; i++) {
		for (int j = 0; j < 4; j++)
			post(true, j, 0, record.len - 4);
		reset_qp();
		memset(memory, 0, record.len);
		post(true, i, 0, 100000);
		completes();
		for (uint64_t j = 0; j < 100000; j++)
			CHECK(memory[j] == first_byte((uint64_t)i + j));
		for (uint64_t j = 100000; j < record.len; j++)
			CHECK(!memory[j], "of a copy that was ended by the reset");
	}
	clean();
}

/* All of it, 2 MiB by each work request: the longest that a BlueField copies. */
static void copy_all(bool fetch)
{
	uint64_t at = 0, done = 0;

	for (; done < record.len; done += 2 * MIB) {
		for (; at < record.len && at < done + DEPTH / 2 * 2 * MIB; at += 2 * MIB)
			post(fetch, at, at, 2 * MIB);
		completes();
	}
}

static void gigabyte(void)
{
	copy_all(true);
	for (uint64_t i = 0; i < record.len; i++)
		CHECK(memory[i] == first_byte(i));
	memset(memory, 0x5a, record.len);
	copy_all(false);
	CHECK(ask_sum() == sum_of(memory, record.len));
	clean();
}

/* The host's function, of which the DPU's learns from firmware. */
static uint16_t host_vhca_id(void)
{
	uint8_t in[0x10] = { 0x07, 0x40 }, out[0x80] = { 0 };

	CHECK(!mlx5dv_devx_general_cmd(ctx, in, sizeof(in), out, sizeof(out)), "syndrome 0x%x",
	      get32(out + 4));
	CHECK(out[0x11] & 2, "host_pf_vhca_id_valid");
	return (uint16_t)(get32(out + 0x18) >> 16);
}

/* A key of access mode 6, of which the owner knows nothing; it is no alias, and needs no access
 * key. */
static void crossing(void)
{
	uint8_t in[0x110] = { 0x02, 0x00 }, out[16] = { 0 };
	struct mlx5dv_devx_obj *mkey;

	CHECK(host_vhca_id() == record.vhca_id);
	put32(in + 0x10, 0x04007e00);
	put32(in + 0x14, 0xffffff42);
	put32(in + 0x1c, 0x80000000 | pdn_of(pd));
	put32(in + 0x40, (uint32_t)record.vhca_id << 16);
	put32(in + 0x44, record.mkey << 8 | 0x42);
	mkey = mlx5dv_devx_obj_create(ctx, in, sizeof(in), out, sizeof(out));
	CHECK(mkey, "syndrome 0x%x", get32(out + 4));
	alias_key = (get32(out + 8) & 0xffffff) << 8 | 0x42;
	post(true, 0, 0, record.len);
	completes();
	for (uint64_t i = 0; i < record.len; i++)
		CHECK(memory[i] == first_byte(i));
	memset(memory, 0x33, record.len);
	post(false, 0, 0, record.len);
	completes();
	CHECK(ask_sum() == sum_of(memory, record.len));
	CHECK(!mlx5dv_devx_obj_destroy(mkey));
	clean();
}

/* Findings of --check; findings.sh reads it. */
static void findings(void)
{
	struct ibv_sge sge = { record.addr, 64, alias_key };
	struct ibv_send_wr *bad, wr = { .opcode = IBV_WR_SEND,
					.sg_list = &sge,
					.num_sge = 1,
					.send_flags = IBV_SEND_SIGNALED };

	post(true, record.len - 32, 0, 64);
	one_error(1, IBV_WC_REM_ACCESS_ERR);
	reset_qp();
	CHECK(!ibv_post_send(qp, &wr, &bad));
	one_error(1, IBV_WC_LOC_PROT_ERR);
	clean();
}

/* Shown, not judged. */
static void rate(void)
{
	for (int pass = 0; pass < 6; pass++) {
		double start = now_s();

		for (uint64_t at = 0; at < record.len; at += MIB)
			post(pass & 1, at, at, MIB);
		for (uint64_t at = 0; at < record.len; at += MIB)
			completes();
		printf("%s 64 MiB by 1 MiB: %.0f MB/s\n", pass & 1 ? "fetch" : "store",
		       (double)record.len / (now_s() - start) / 1e6);
	}
	clean();
}

int copier_main(const char *scenario)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{ "random", random_copies },
		{ "killed", killed },
		{ "stopped", stopped },
		{ "destroyed", destroyed },
		{ "destroyed_meanwhile", destroyed_meanwhile },
		{ "reset", reset },
		{ "crossing", crossing },
		{ "findings", findings },
		{ "gigabyte", gigabyte },
		{ "rate", rate },
	};

	prepare();
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(all[i].name, scenario)) {
			all[i].run();
			return 0;
		}
	return 2;
}
