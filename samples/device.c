/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening a device, making an RC QP and connecting it: plain verbs, as in any program. */
#include "common.h"

enum {
	FIRST_PSN = 0x5000,
};

static struct ibv_device *find_device(struct ibv_device **list, const char *name)
{
	for (; list && *list; list++)
		if (name ? !strcmp(ibv_get_device_name(*list), name)
			 : mlx5dv_is_supported(*list))
			return *list;
	fprintf(stderr,
		"%s: no mlx5 device%s%s here. Without an adapter, run it on the software one:\n"
		"	build/bin/dvkit-emu -- build/bin/%s\n",
		program_invocation_short_name, name ? " named " : "", name ? name : "",
		program_invocation_short_name);
	exit(1);
}

/* As perftest chooses on RoCE: version 2 before 1, then IPv4-mapped before others. */
static int best_gid(const struct device *dev)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };
	int i, score, best = 0, best_score = -1;
	struct ibv_gid_entry entry;

	for (i = 0; i < dev->attr.gid_tbl_len; i++) {
		if (ibv_query_gid_ex(dev->ctx, dev->port, (uint32_t)i, &entry, 0))
			continue;
		score = (entry.gid_type == IBV_GID_TYPE_ROCE_V2) * 2 +
			!memcmp(entry.gid.raw, v4, 12);
		if (score > best_score) {
			best = i;
			best_score = score;
		}
	}
	return best;
}

struct device device_open(struct options o)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_device *device = find_device(list, o.device);
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
	if (o.gid_index < 0 && dev.attr.link_layer == IBV_LINK_LAYER_ETHERNET)
		o.gid_index = best_gid(&dev);
	dev.gid_index = (uint8_t)(o.gid_index < 0 ? 0 : o.gid_index);
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

struct address qp_address(const struct device *dev, const struct ibv_qp *qp)
{
	return (struct address){ dev->gid, dev->attr.lid, qp->qp_num, FIRST_PSN };
}

void qp_connect(struct ibv_qp *qp, const struct device *dev, const struct address *peer)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.port_num = dev->port,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
	};
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = dev->attr.active_mtu,
		.dest_qp_num = peer->qpn,
		.rq_psn = peer->psn,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = { .dlid = peer->lid,
			     .port_num = dev->port,
			     .is_global = dev->attr.link_layer == IBV_LINK_LAYER_ETHERNET,
			     .grh = { .dgid = peer->gid,
				      .sgid_index = dev->gid_index,
				      .hop_limit = 64 } },
	};
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS,
				   .timeout = 14,
				   .retry_cnt = 7,
				   .rnr_retry = 7,
				   .sq_psn = FIRST_PSN,
				   .max_rd_atomic = 1 };

	ok(ibv_modify_qp(qp, &init,
			 IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
	ok(ibv_modify_qp(qp, &rtr,
			 IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				 IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				 IBV_QP_MIN_RNR_TIMER));
	ok(ibv_modify_qp(qp, &rts,
			 IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				 IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

struct pair pair_create(struct device *dev)
{
	struct pair p;
	struct address a, b;

	p.a_cq = made(ibv_create_cq(dev->ctx, 64, NULL, NULL, 0));
	p.b_cq = made(ibv_create_cq(dev->ctx, 64, NULL, NULL, 0));
	p.a = qp_create(dev, p.a_cq);
	p.b = qp_create(dev, p.b_cq);
	a = qp_address(dev, p.a);
	b = qp_address(dev, p.b);
	qp_connect(p.a, dev, &b);
	qp_connect(p.b, dev, &a);
	return p;
}

void pair_destroy(struct pair *p)
{
	ok(ibv_destroy_qp(p->a));
	ok(ibv_destroy_qp(p->b));
	ok(ibv_destroy_cq(p->a_cq));
	ok(ibv_destroy_cq(p->b_cq));
}
