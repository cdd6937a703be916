/* SPDX-License-Identifier: BSD-2-Clause */
/* Every step of dv_dma_create() refused in turn: the errno value, the reason, and that nothing
 * is left. */
#include <errno.h>
#include <dv/dma.h>
#include <dv/reason.h>
#include "fake.h"

/* libdvkit has to see it. */
#define INSTEAD __attribute__((visibility("default")))

static struct device {
	uint64_t max_wr;
	enum ibv_port_state state;
	bool no_mr, no_cq, no_qp, no_gid;
	int query_err;
	int mrs, cqs, qps;	/* alive */
	uint64_t send_ops, max; /* of the QP */
} device;

INSTEAD int mlx5dv_query_device(struct ibv_context *ctx, struct mlx5dv_context *attr)
{
	(void)ctx;
	attr->max_wr_memcpy_length = device.max_wr;
	return device.query_err;
}

#undef ibv_reg_mr
INSTEAD struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t len, int access)
{
	static struct ibv_mr mr;

	(void)pd;
	cr_assert_eq((uintptr_t)addr % 64, 0);
	cr_assert_eq(len, 64);
	cr_assert_eq(access, IBV_ACCESS_LOCAL_WRITE);
	errno = EPERM;
	device.mrs += !device.no_mr;
	return device.no_mr ? NULL : &mr;
}

INSTEAD int ibv_dereg_mr(struct ibv_mr *mr)
{
	(void)mr;
	device.mrs--;
	return 0;
}

INSTEAD struct ibv_cq *ibv_create_cq(struct ibv_context *ctx, int cqe, void *context,
				     struct ibv_comp_channel *channel, int vector)
{
	(void)ctx, (void)context, (void)channel, (void)vector;
	device.max = (uint64_t)cqe;
	errno = ENOMEM;
	device.cqs += !device.no_cq;
	return device.no_cq ? NULL : &fake.cq;
}

INSTEAD int ibv_destroy_cq(struct ibv_cq *cq)
{
	(void)cq;
	device.cqs--;
	return 0;
}

INSTEAD struct ibv_qp *mlx5dv_create_qp(struct ibv_context *ctx,
					struct ibv_qp_init_attr_ex *attr,
					struct mlx5dv_qp_init_attr *dv)
{
	(void)ctx;
	cr_assert_eq(attr->qp_type, IBV_QPT_RC);
	cr_assert_eq(attr->cap.max_send_wr, device.max, "a CQE for each");
	device.send_ops = dv->send_ops_flags;
	errno = EOPNOTSUPP;
	device.qps += !device.no_qp;
	return device.no_qp ? NULL : &fake.qp;
}

INSTEAD int ibv_destroy_qp(struct ibv_qp *qp)
{
	(void)qp;
	device.qps--;
	return 0;
}

#undef ibv_query_port
INSTEAD int ibv_query_port(struct ibv_context *ctx, uint8_t port,
			   struct _compat_ibv_port_attr *compat)
{
	struct ibv_port_attr *attr = (struct ibv_port_attr *)compat;

	(void)ctx;
	attr->state = device.state;
	attr->link_layer = IBV_LINK_LAYER_ETHERNET;
	attr->active_mtu = IBV_MTU_1024;
	attr->gid_tbl_len = 1;
	return port == 1 ? 0 : EINVAL;
}

INSTEAD ssize_t _ibv_query_gid_table(struct ibv_context *ctx, struct ibv_gid_entry *entries,
				     size_t max, uint32_t flags, size_t size)
{
	(void)ctx, (void)entries, (void)max, (void)flags, (void)size;
	return 0;
}

INSTEAD int _ibv_query_gid_ex(struct ibv_context *ctx, uint32_t port, uint32_t index,
			      struct ibv_gid_entry *entry, uint32_t flags, size_t size)
{
	(void)ctx, (void)port, (void)index, (void)flags, (void)size;
	*entry = (struct ibv_gid_entry){ .gid.raw = { [15] = 1 }, .gid_type = 2 };
	return device.no_gid ? ENODATA : 0;
}

INSTEAD int ibv_query_device(struct ibv_context *ctx, struct ibv_device_attr *attr)
{
	(void)ctx;
	attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 16;
	return 0;
}

static struct ibv_pd pd;

static void start(void)
{
	fake_start();
	pd.context = &fake.ctx;
	device = (struct device){ .max_wr = 1ull << 31, .state = IBV_PORT_ACTIVE };
}

TestSuite(dma_create, .init = start);

static int create(struct dv_dma_attr attr)
{
	struct dv_dma *dma = NULL;
	int err;

	attr.pd = &pd;
	err = dv_dma_create(&dma, &attr);
	cr_assert_eq(!err, !!dma);
	if (!err)
		cr_assert_eq(dv_dma_destroy(dma), 0);
	return err;
}

/* The refused step, and the reason; then everything is as before. */
static void refused(int expected, const char *word)
{
	int err = create((struct dv_dma_attr){ 0 });

	cr_assert_eq(err, expected, "%s: %s", word, strerror(err));
	cr_assert_not_null(strstr(dv_reason(), word), "%s", dv_reason());
	cr_assert_eq(device.mrs | device.cqs | device.qps, 0, "%s", word);
	start();
}

Test(dma_create, steps)
{
	device.max_wr = 0;
	refused(EOPNOTSUPP, "max_wr_memcpy_length");
	device.query_err = EIO;
	refused(EIO, "mlx5dv_query_device");
	pd.context = &(struct ibv_context){ .device = NULL };
	refused(EOPNOTSUPP, "not an mlx5 device");
	device.no_mr = true;
	refused(EPERM, "status");
	device.no_cq = true;
	refused(ENOMEM, "no CQ");
	device.no_qp = true;
	refused(EOPNOTSUPP, "no QP");
	fake.sig_all = true;
	refused(EPROTOTYPE, "sq_sig_all");
	device.state = IBV_PORT_DOWN;
	refused(ENETDOWN, "not active");
	device.no_gid = true;
	refused(ENOENT, "no GID");
}

/* The QP is made for DMA, and for as many work requests as were asked for. */
Test(dma_create, attributes)
{
	device.state = IBV_PORT_DOWN;
	cr_assert_eq(create((struct dv_dma_attr){ .depth = 17 }), ENETDOWN);
	cr_assert_eq(device.max, 17);
	cr_assert_eq(device.send_ops, MLX5DV_QP_EX_WITH_MEMCPY);
	start();
	cr_assert_eq(create((struct dv_dma_attr){ .port = 2 }), EINVAL);
	cr_assert_not_null(strstr(dv_reason(), "ibv_query_port"));
	cr_assert_eq(dv_dma_destroy(NULL), 0);
}
