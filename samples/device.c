/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening a device, making QPs by plain verbs, as in any program, and connecting them. */
#include "common.h"

static struct ibv_device *find_device(struct ibv_device **list, const struct options *o)
{
	const char *name = o->device;

	for (; list && *list; list++)
		if (name ? !strcmp(ibv_get_device_name(*list), name)
			 : mlx5dv_is_supported(*list))
			return *list;
	fprintf(stderr,
		"%s: no mlx5 device%s%s here. Without an adapter, run it on the software one:\n"
		"	build/bin/dvkit-emu %s-- build/bin/%s\n",
		program_invocation_short_name, name ? " named " : "", name ? name : "",
		o->emulated ? o->emulated : "", program_invocation_short_name);
	exit(1);
}

struct device device_open(struct options o)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_device *device = find_device(list, &o);
	struct device dev = { .port = (uint8_t)o.port };

	setvbuf(stdout, NULL, _IOLBF, 0); /* lines keep their order among the emulator's */
	if (!mlx5dv_is_supported(device))
		errx(1, "%s is not an mlx5 device", o.device);
	dev.ctx = made(ibv_open_device(device));
	ibv_free_device_list(list);
	if (ibv_query_port(dev.ctx, dev.port, &dev.attr))
		errx(1, "the device has no port %d", o.port);
	if (dev.attr.state != IBV_PORT_ACTIVE)
		errx(1, "port %d is %s", o.port, ibv_port_state_str(dev.attr.state));
	dev.gid_index = (uint8_t)o.gid_index;
	if (o.gid_index == DV_GID_DEFAULT)
		must(dv_gid_default(&dev.gid_index, dev.ctx, dev.port));
	if (ibv_query_gid(dev.ctx, dev.port, dev.gid_index, &dev.gid) ||
	    (!dev.gid.global.interface_id && !dev.gid.global.subnet_prefix))
		errx(1, "port %d has no GID %d", o.port, dev.gid_index);
	dev.pd = made(ibv_alloc_pd(dev.ctx));
	return dev;
}

void device_close(struct device *dev)
{
	ok(ibv_dealloc_pd(dev->pd));
	ok(ibv_close_device(dev->ctx));
}

struct ibv_qp *qp_create(struct device *dev, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 0,
		.cap = { .max_send_wr = 64,
			 .max_recv_wr = 64,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};

	return made(ibv_create_qp(dev->pd, &init));
}

struct dv_endpoint qp_endpoint(const struct device *dev, const struct ibv_qp *qp)
{
	struct dv_endpoint ep;

	must(dv_endpoint_init(&ep, qp, dev->port, dev->gid_index));
	return ep;
}

void qp_connect_pair(const struct device *dev, struct ibv_qp *a, struct ibv_qp *b)
{
	struct dv_endpoint at_a = qp_endpoint(dev, a), at_b = qp_endpoint(dev, b);

	must(dv_qp_connect(a, &at_a, &at_b, NULL));
	must(dv_qp_connect(b, &at_b, &at_a, NULL));
}

struct ibv_qp *qp_create_ud(struct device *dev, struct ibv_cq *cq, uint32_t qkey)
{
	struct ibv_qp_init_attr init = { .send_cq = cq,
					 .recv_cq = cq,
					 .qp_type = IBV_QPT_UD,
					 .cap = { .max_send_wr = 16,
						  .max_recv_wr = 16,
						  .max_send_sge = 1,
						  .max_recv_sge = 1 } };
	struct ibv_qp *qp = made(ibv_create_qp(dev->pd, &init));
	struct dv_endpoint ours = qp_endpoint(dev, qp);
	struct dv_qp_conn conn;

	dv_qp_conn_init(&conn);
	conn.qkey = qkey;
	must(dv_qp_connect(qp, &ours, NULL, &conn));
	return qp;
}

struct pair pair_create(struct device *dev)
{
	struct pair p;

	p.a_cq = made(ibv_create_cq(dev->ctx, 64, NULL, NULL, 0));
	p.b_cq = made(ibv_create_cq(dev->ctx, 64, NULL, NULL, 0));
	p.a = qp_create(dev, p.a_cq);
	p.b = qp_create(dev, p.b_cq);
	qp_connect_pair(dev, p.a, p.b);
	return p;
}

void pair_destroy(struct pair *p)
{
	ok(ibv_destroy_qp(p->a));
	ok(ibv_destroy_qp(p->b));
	ok(ibv_destroy_cq(p->a_cq));
	ok(ibv_destroy_cq(p->b_cq));
}
