/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include <dv/mmo.h>
#include <dvkit/emu.h>

#include "claims.h"
#include "lib/connect.h"
#include "queue.h"

enum {
	QKEY = 0x11111111,
	LOG_STREAMS = 4,
};

const char *const kind_name[KINDS] = { "RC", "UC", "UD", "XRC", "DCI", "raw packet" };

static const enum ibv_qp_type types[KINDS] = {
	[KIND_RC] = IBV_QPT_RC,	     [KIND_UC] = IBV_QPT_UC,
	[KIND_UD] = IBV_QPT_UD,	     [KIND_XRC] = IBV_QPT_XRC_SEND,
	[KIND_DCI] = IBV_QPT_DRIVER, [KIND_ETH] = IBV_QPT_RAW_PACKET,
};

static uint64_t verbs_ops(enum kind kind)
{
	uint64_t send = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
	uint64_t write = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
			 IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_LOCAL_INV |
			 IBV_QP_EX_WITH_BIND_MW;
	uint64_t read = IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
			IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;

	switch (kind) {
	case KIND_ETH:
		return IBV_QP_EX_WITH_SEND;
	case KIND_UD:
		return send;
	case KIND_UC:
		return send | write;
	default:
		return send | write | read;
	}
}

static uint64_t mlx5_ops(const struct queue *q)
{
	uint64_t ops = MLX5DV_QP_EX_WITH_RAW_WQE;

	if (q->memcpy)
		ops |= MLX5DV_QP_EX_WITH_MEMCPY;
	if (q->kind == KIND_RC)
		ops |= MLX5DV_QP_EX_WITH_MR_INTERLEAVED | MLX5DV_QP_EX_WITH_MR_LIST |
		       MLX5DV_QP_EX_WITH_MKEY_CONFIGURE;
	return ops;
}

static struct ibv_qp *make_qp(struct oracle *o, struct queue *q)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = types[q->kind],
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = o->dev.pd,
		.send_cq = q->cq,
		.recv_cq = q->cq,
		.cap = { .max_send_wr = QUEUE_WRS,
			 .max_send_sge = QUEUE_SGES,
			 .max_inline_data = QUEUE_INLINE },
		.send_ops_flags = verbs_ops(q->kind),
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = mlx5_ops(q),
	};

	if (q->tso) {
		init.comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
		init.max_tso_header = QUEUE_TSO_HDR;
		init.send_ops_flags |= IBV_QP_EX_WITH_TSO;
	}
	if (q->kind == KIND_DCI) {
		dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_DC;
		dv.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
	}
	return mlx5dv_create_qp(o->dev.ctx, &init, &dv);
}

/* A DCI has no peer: its attributes are those of mlx5dv's type of QP. */
static int dci_to_rts(struct ibv_qp *qp, struct ibv_qp_attr *a)
{
	int err = ibv_modify_qp(qp, a, IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX);

	a->qp_state = IBV_QPS_RTR;
	if (!err)
		err = ibv_modify_qp(qp, a, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU);
	return err ? err : move_qp(qp, a, IBV_QPS_RTS);
}

static int to_rts(struct oracle *o, struct queue *q)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT,
		.port_num = o->dev.port,
		.qkey = QKEY,
		.path_mtu = o->dev.attr.active_mtu,
		.dest_qp_num = q->qp->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = path_to(o->dev.gid, (uint8_t)o->dev.gid_index),
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};

	return q->kind == KIND_DCI ? dci_to_rts(q->qp, &a) : connect_qp(q->qp, &a);
}

/* A dv_sq on plain memory, of @blocks; all of it zero. */
static void plain_sq(struct dv_sq *sq, void *ring, __be32 *dbrec, uint8_t *reg,
		     const struct queue *q, uint32_t blocks)
{
	struct mlx5dv_qp like = {
		.dbrec = dbrec,
		.sq = { ring, blocks, DV_WQE_BB },
		.bf = { reg, q->their.bf.size },
	};

	memset(ring, 0, (size_t)blocks * DV_WQE_BB);
	ok(dv_sq_init(sq, &like, q->qp->qp_num));
}

/* Tries with all that libmlx5 might make of it, then with less. */
static void try_qp(struct oracle *o, struct queue *q)
{
	struct mlx5dv_context caps = { .comp_mask = MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH };
	struct ibv_device_attr_ex attr;

	ok(mlx5dv_query_device(o->dev.ctx, &caps));
	ok(ibv_query_device_ex(o->dev.ctx, NULL, &attr));
	q->max_tso = attr.tso_caps.max_tso;
	q->tso = q->kind == KIND_ETH && q->max_tso;
	q->csum =
		q->kind == KIND_ETH && attr.orig_attr.device_cap_flags & IBV_DEVICE_RAW_IP_CSUM;
	q->memcpy = q->kind == KIND_RC || q->kind == KIND_DCI
			    ? (uint32_t)caps.max_wr_memcpy_length
			    : 0;
	q->qp = make_qp(o, q);
	if (!q->qp && (q->tso || q->memcpy)) {
		q->tso = false;
		q->memcpy = 0;
		q->qp = make_qp(o, q);
	}
}

static void queue_open(struct oracle *o, enum kind kind)
{
	struct queue *q = &o->q[kind];
	struct mlx5dv_obj obj = { .qp = { .out = &q->their } };

	q->kind = kind;
	q->cq = made(ibv_create_cq(o->dev.ctx, 2 * QUEUE_WRS, NULL, NULL, 0));
	try_qp(o, q);
	if (!q->qp) {
		q->why = strerror(errno);
		return;
	}
	obj.qp.in = q->qp;
	q->qpx = made(ibv_qp_to_qp_ex(q->qp));
	q->dvx = made(mlx5dv_qp_ex_from_ibv_qp_ex(q->qpx));
	if (to_rts(o, q)) {
		q->why = "no way to RTS";
		return;
	}
	ok(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
	if (2 * q->their.bf.size > QUEUE_REG)
		errx(1, "a register of %u bytes", q->their.bf.size);
	plain_sq(&q->sq, made(aligned_alloc(4096, (size_t)q->their.sq.wqe_cnt * DV_WQE_BB)),
		 q->dbrec, q->reg, q, q->their.sq.wqe_cnt);
	plain_sq(&q->scratch, q->scratch_ring, q->scratch_dbrec, q->reg, q, QUEUE_SCRATCH);
}

static void mkey_open(struct oracle *o, struct oracle_mkey *m, uint32_t flags)
{
	struct mlx5dv_mkey_init_attr init = {
		.pd = o->dev.pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | flags,
		.max_entries = QUEUE_SGES + 2,
	};

	m->takes_tags = flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG;
	m->signs = flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE;
	m->encrypts = flags & MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO;
	m->mkey = mlx5dv_create_mkey(&init);
	if (!m->mkey)
		m->why = strerror(errno);
}

static void dek_open(struct oracle *o)
{
	struct mlx5dv_dek_init_attr init = { .key_size = MLX5DV_CRYPTO_KEY_SIZE_128,
					     .key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
					     .pd = o->dev.pd,
					     /* with none: a plaintext key */
					     .comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN };

	o->dek = made(mlx5dv_dek_create(o->dev.ctx, &init));
}

/* The queues of one register would toggle its halves together. */
static void expect_own_registers(const struct oracle *o)
{
	struct dv_sq sq[KINDS];
	const struct dv_sq *list[KINDS];
	unsigned int n = 0, pair[2], kind;

	for (kind = 0; kind < KINDS; kind++) {
		if (o->q[kind].why)
			continue;
		ok(dv_sq_map(&sq[n], o->q[kind].qp));
		list[n] = &sq[n];
		n++;
	}
	if (!dv_sq_shared(list, n, pair))
		errx(1, "queues %u and %u share a register", pair[0], pair[1]);
}

/* Keys and windows need commands of the firmware: a context that may give them. */
static void devx_context(struct oracle *o)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *ctx = mlx5dv_open_device(o->dev.ctx->device, &attr);

	if (!ctx)
		return;
	device_close(&o->dev);
	o->dev.ctx = ctx;
	o->dev.pd = made(ibv_alloc_pd(ctx));
}

/* Posts what is between ibv_wr_start() and here on @q, and returns its WQE. */
static const uint8_t *probe_end(struct queue *q)
{
	uint16_t idx = q->sq.pi;

	ok(ibv_wr_complete(q->qpx));
	q->wrs++;
	q->sq.pi = q->sq.db_pi = (uint16_t)be32toh(q->their.dbrec[MLX5_SND_DBR]);
	q->sq.bf_offset ^= q->sq.bf_size;
	return queue_their_block(q, idx);
}

static void probe_wipe(struct oracle *o, struct queue *q)
{
	queue_retire(o, q);
	memset(q->their.bf.reg, 0, 2 * q->their.bf.size);
}

/* The bytes that libmlx5 takes from each packet (its context's eth_min_inline_size) show in a
 * WQE. */
static void probe_inline_hdr(struct oracle *o)
{
	struct queue *q = &o->q[KIND_ETH];
	__be16 size;

	if (q->why)
		return;
	ibv_wr_start(q->qpx);
	q->qpx->wr_flags = 0;
	ibv_wr_send(q->qpx);
	ibv_wr_set_sge(q->qpx, o->mr->lkey, (uintptr_t)o->mem, 64);
	memcpy(&size, probe_end(q) + 28, sizeof(size));
	o->inline_hdr = be16toh(size);
	probe_wipe(o, q);
}

/* The numbers of a key's PSVs show in the UMR that sets a signature: in its BSF, the last 64
 * bytes. The first UMR also gives the key its count of signature errors, and no other does. */
static void probe_psv(struct oracle *o, struct oracle_mkey *m)
{
	static const struct mlx5dv_sig_crc crc = { .type = MLX5DV_SIG_CRC_TYPE_CRC32 };
	const struct mlx5dv_sig_block_domain domain = { .sig_type = MLX5DV_SIG_TYPE_CRC,
							.sig.crc = &crc };
	const struct mlx5dv_sig_block_attr sig = { .mem = &domain, .wire = &domain };
	struct mlx5dv_mkey_conf_attr attr = { 0 };
	struct queue *q = &o->q[KIND_RC];
	const struct dv_bsf_sig *bsf;
	const uint8_t *wqe;

	if (q->why || !m->mkey || !m->signs)
		return;
	ibv_wr_start(q->qpx);
	q->qpx->wr_flags = IBV_SEND_INLINE;
	mlx5dv_wr_mkey_configure(q->dvx, m->mkey, 1, &attr);
	mlx5dv_wr_set_mkey_sig_block(q->dvx, &sig);
	wqe = probe_end(q);
	bsf = (const struct dv_bsf_sig *)(wqe + (size_t)dv_wqe_ds(wqe) * DV_WQE_DS - 64);
	m->psv.mem = be32toh(bsf->m_bfs_psv) & 0xffffff;
	m->psv.wire = be32toh(bsf->w_bfs_psv) & 0xffffff;
	q->past.small_fence = true;
	q->past.sig_set[m - o->mkey] = true;
	probe_wipe(o, q);
}

/* The buffer that the device writes shows in the metadata segment. */
static void probe_opaque(struct oracle *o)
{
	struct queue *q = &o->q[o->q[KIND_RC].memcpy ? KIND_RC : KIND_DCI];
	const struct dv_wqe_mmo_seg *mmo;

	if (q->why || !q->memcpy)
		return;
	ibv_wr_start(q->qpx);
	q->qpx->wr_flags = 0;
	mlx5dv_wr_memcpy(q->dvx, 0, 0, 0, 0, 1);
	mmo = (const struct dv_wqe_mmo_seg *)(probe_end(q) + DV_WQE_DS);
	o->opaque = (struct dv_laddr){ be64toh(mmo->addr), be32toh(mmo->lkey) };
	q->past.small_fence = false;
	probe_wipe(o, q);
}

void oracle_open(struct oracle *o, bool no_inline_headers)
{
	struct ibv_ah_attr ah;
	unsigned int i;

	if (!dvkit_emu_present()) {
		fprintf(stderr,
			"the comparison needs a device that can be paused: dvkit-emu\n");
		exit(77);
	}
	claims_begin(no_inline_headers);
	o->dev = device_open((struct options){ .port = 1, .gid_index = -1 });
	devx_context(o);
	o->mem = made(aligned_alloc(4096, ORACLE_BYTES));
	for (i = 0; i < ORACLE_BYTES; i++)
		o->mem[i] = (char)(i * 167 >> 3);
	o->mr = made(ibv_reg_mr(o->dev.pd, o->mem, ORACLE_BYTES,
				IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND));
	ah = path_to(o->dev.gid, (uint8_t)o->dev.gid_index);
	ah.grh.flow_label = 0x12345;
	ah.grh.traffic_class = 0x28;
	o->ah = made(ibv_create_ah(o->dev.pd, &ah));
	ok(dv_av_from_ah(&o->av, o->ah));
	o->mw[0] = made(ibv_alloc_mw(o->dev.pd, IBV_MW_TYPE_1));
	o->mw[1] = made(ibv_alloc_mw(o->dev.pd, IBV_MW_TYPE_2));
	mkey_open(o, &o->mkey[0], 0);
	mkey_open(o, &o->mkey[1], MLX5DV_MKEY_INIT_ATTR_FLAGS_UPDATE_TAG);
	mkey_open(o, &o->mkey[2], MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE);
	mkey_open(o, &o->mkey[3], MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO);
	dek_open(o);
	for (i = 0; i < KINDS; i++)
		queue_open(o, i);
	expect_own_registers(o);
	ok(dvkit_emu_pause());
	probe_inline_hdr(o);
	for (i = 0; i < QUEUE_MKEYS; i++)
		probe_psv(o, &o->mkey[i]);
	probe_opaque(o);
}

/* For queues that the emulator's control interface does not know: all counts start over. */
static void start_over(struct oracle *o, struct queue *q)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };

	ok(ibv_modify_qp(q->qp, &a, IBV_QP_STATE));
	ok(to_rts(o, q));
	q->sq.pi = q->sq.db_pi = 0;
	q->wrs = 0;
}

void queue_retire(struct oracle *o, struct queue *q)
{
	struct ibv_wc wc[4];
	int err;

	if (!q->wrs)
		return;
	err = dvkit_emu_retire(q->qp->qp_num);
	if (err == ENOENT) {
		start_over(o, q);
	} else {
		ok(err);
		if (ibv_poll_cq(q->cq, 4, wc) != 1 || wc[0].status != IBV_WC_SUCCESS)
			errx(1, "no CQE, or a bad one, of a retired queue");
	}
	q->wrs = 0;
	q->retired = q->sq.pi;
}
