/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The masks and attributes that dv_qp_connect() modifies a QP with. Expected masks are those of
 * the InfiniBand specification (chapter 11, "Modify Queue Pair"; annex A14), as
 * ibv_modify_qp(3) lists them.
 */
#include <dv/endpoint.h>
#include "fake.h"

static struct call {
	struct ibv_qp_attr attr;
	int mask;
} calls[4];
static unsigned int made;
static int refusal;

/* libdvkit has to see it. */
__attribute__((visibility("default"))) int ibv_modify_qp(struct ibv_qp *qp,
							 struct ibv_qp_attr *attr, int mask)
{
	(void)qp;
	cr_assert_lt(made, 4);
	calls[made++] = (struct call){ *attr, mask };
	return made == 2 ? refusal : 0;
}

static const struct dv_endpoint ours = { .qpn = 0x10,
					 .psn = 0x111,
					 .gid.raw = { [10] = 0xff, 0xff, 10, 0, 0, 1 },
					 .link_layer = IBV_LINK_LAYER_ETHERNET,
					 .mtu = IBV_MTU_4096,
					 .gid_type = IBV_GID_TYPE_ROCE_V2,
					 .rd_atomic = 16,
					 .port = 2,
					 .gid_index = 3,
					 .init_rd_atomic = 12 };

static struct dv_endpoint peer(uint8_t type)
{
	return (struct dv_endpoint){ .qpn = 0x20,
				     .psn = 0x222,
				     .gid.raw = { [10] = 0xff, 0xff, 10, 0, 0, 2 },
				     .qp_type = type,
				     .link_layer = IBV_LINK_LAYER_ETHERNET,
				     .mtu = IBV_MTU_1024,
				     .gid_type = IBV_GID_TYPE_ROCE_V2,
				     .rd_atomic = 4 };
}

static void start(void)
{
	fake_start();
	memset(calls, 0, sizeof(calls));
	made = 0;
	refusal = 0;
}

TestSuite(qp_connect, .init = start);

static int connect_as(enum ibv_qp_type type, uint8_t theirs, const struct dv_qp_conn *conn)
{
	struct dv_endpoint there = peer(theirs);

	fake.qp.qp_type = type;
	made = 0;
	return dv_qp_connect(&fake.qp, &ours, &there, conn);
}

Test(qp_connect, masks)
{
	enum {
		INIT = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT,
		RTR = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		      IBV_QP_RQ_PSN,
		RESPONDS = IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		RTS = IBV_QP_STATE | IBV_QP_SQ_PSN,
		REQUESTS = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			   IBV_QP_MAX_QP_RD_ATOMIC,
	};
	static const struct {
		enum ibv_qp_type type, peer;
		int mask[3];
	} expected[] = {
		{ IBV_QPT_RC,
		  IBV_QPT_RC,
		  { INIT | IBV_QP_ACCESS_FLAGS, RTR | RESPONDS, RTS | REQUESTS } },
		{ IBV_QPT_UC, IBV_QPT_UC, { INIT | IBV_QP_ACCESS_FLAGS, RTR, RTS } },
		{ IBV_QPT_UD, IBV_QPT_UD, { INIT | IBV_QP_QKEY, IBV_QP_STATE, RTS } },
		{ IBV_QPT_XRC_SEND,
		  IBV_QPT_XRC_RECV,
		  { INIT | IBV_QP_ACCESS_FLAGS, RTR, RTS | REQUESTS } },
		{ IBV_QPT_XRC_RECV,
		  IBV_QPT_XRC_SEND,
		  { INIT | IBV_QP_ACCESS_FLAGS, RTR | RESPONDS, RTS | IBV_QP_TIMEOUT } },
	};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		cr_assert_eq(connect_as(expected[i].type, (uint8_t)expected[i].peer, NULL), 0);
		cr_assert_eq(made, 3);
		for (int k = 0; k < 3; k++)
			cr_assert_eq(calls[k].mask, expected[i].mask[k], "row %zu, step %d", i,
				     k);
		cr_assert_eq(calls[0].attr.qp_state, IBV_QPS_INIT);
		cr_assert_eq(calls[1].attr.qp_state, IBV_QPS_RTR);
		cr_assert_eq(calls[2].attr.qp_state, IBV_QPS_RTS);
	}
}

Test(qp_connect, defaults)
{
	const struct ibv_qp_attr *init = &calls[0].attr, *rtr = &calls[1].attr,
				 *rts = &calls[2].attr;

	cr_assert_eq(connect_as(IBV_QPT_RC, IBV_QPT_RC, NULL), 0);
	cr_assert_eq(init->port_num, 2);
	cr_assert_eq(init->pkey_index, 0);
	cr_assert_eq(init->qp_access_flags, IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
						    IBV_ACCESS_REMOTE_ATOMIC);
	cr_assert_eq(rtr->path_mtu, IBV_MTU_1024, "the smaller one");
	cr_assert_eq(rtr->dest_qp_num, 0x20);
	cr_assert_eq(rtr->rq_psn, 0x222);
	cr_assert_eq(rtr->max_dest_rd_atomic, 16, "what the record promised");
	cr_assert_eq(rtr->min_rnr_timer, 12);
	cr_assert_eq(rtr->ah_attr.is_global, 1);
	cr_assert_eq(rtr->ah_attr.port_num, 2);
	cr_assert_eq(rtr->ah_attr.grh.sgid_index, 3);
	cr_assert_eq(rtr->ah_attr.grh.hop_limit, 64);
	cr_assert_eq(rtr->ah_attr.grh.dgid.raw[15], 2);
	cr_assert_eq(rts->sq_psn, 0x111);
	cr_assert_eq(rts->timeout, 14);
	cr_assert_eq(rts->retry_cnt, 7);
	cr_assert_eq(rts->rnr_retry, 7);
	cr_assert_eq(rts->max_rd_atomic, 4, "what the peer executes");
}

Test(qp_connect, chosen)
{
	struct dv_qp_conn conn;

	dv_qp_conn_init(&conn);
	conn.access = IBV_ACCESS_REMOTE_READ;
	conn.mtu = IBV_MTU_256;
	conn.max_rd_atomic = 2;
	conn.min_rnr_timer = 1;
	conn.timeout = 0;
	conn.retry_cnt = 0;
	conn.rnr_retry = 5;
	conn.sl = 6;
	conn.traffic_class = 0x60;
	conn.hop_limit = 9;
	conn.static_rate = 2;
	conn.flow_label = 0x12345;
	conn.pkey_index = 8;
	cr_assert_eq(connect_as(IBV_QPT_RC, IBV_QPT_RC, &conn), 0);
	cr_assert_eq(calls[0].attr.qp_access_flags, IBV_ACCESS_REMOTE_READ);
	cr_assert_eq(calls[0].attr.pkey_index, 8);
	cr_assert_eq(calls[1].attr.path_mtu, IBV_MTU_256);
	cr_assert_eq(calls[1].attr.min_rnr_timer, 1);
	cr_assert_eq(calls[1].attr.ah_attr.sl, 6);
	cr_assert_eq(calls[1].attr.ah_attr.static_rate, 2);
	cr_assert_eq(calls[1].attr.ah_attr.grh.traffic_class, 0x60);
	cr_assert_eq(calls[1].attr.ah_attr.grh.hop_limit, 9);
	cr_assert_eq(calls[1].attr.ah_attr.grh.flow_label, 0x12345u);
	cr_assert_eq(calls[2].attr.timeout, 0);
	cr_assert_eq(calls[2].attr.retry_cnt, 0);
	cr_assert_eq(calls[2].attr.rnr_retry, 5);
	cr_assert_eq(calls[2].attr.max_rd_atomic, 2);
	cr_assert_eq(connect_as(IBV_QPT_UC, IBV_QPT_UC, NULL), 0);
	cr_assert_eq(calls[0].attr.qp_access_flags, IBV_ACCESS_REMOTE_WRITE, "UC");
}

Test(qp_connect, infiniband)
{
	struct dv_endpoint a = ours, b = peer(IBV_QPT_RC);
	struct ibv_ah_attr path;

	a.link_layer = b.link_layer = IBV_LINK_LAYER_INFINIBAND;
	a.gid_type = b.gid_type = IBV_GID_TYPE_IB;
	b.lid = 0x77;
	dv_endpoint_path(&path, &a, &b, NULL);
	cr_assert_eq(path.dlid, 0x77);
	cr_assert_eq(path.is_global, 0, "one subnet");
	b.gid.raw[7] = 1;
	dv_endpoint_path(&path, &a, &b, NULL);
	cr_assert_eq(path.is_global, 1, "another subnet");
}

/* Nothing is modified. */
Test(qp_connect, refused)
{
	struct dv_endpoint there = peer(IBV_QPT_RC);

	fails_with(connect_as(IBV_QPT_RC, IBV_QPT_UC, NULL), EPROTOTYPE,
		   "type 2, and one of type 3 at the peer");
	fails_with(connect_as(IBV_QPT_XRC_SEND, IBV_QPT_XRC_SEND, NULL), EPROTOTYPE,
		   "type 9, and one of type 9");
	fails_with(connect_as(IBV_QPT_RAW_PACKET, IBV_QPT_RAW_PACKET, NULL), EOPNOTSUPP,
		   "QP of type 8");
	fake.qp.qp_type = IBV_QPT_RC;
	there.gid_type = IBV_GID_TYPE_ROCE_V1;
	cr_assert_eq(dv_qp_connect(&fake.qp, &ours, &there, NULL), ENETUNREACH);
	there.gid_type = IBV_GID_TYPE_IB;
	there.link_layer = IBV_LINK_LAYER_INFINIBAND;
	cr_assert_eq(dv_qp_connect(&fake.qp, &ours, &there, NULL), ENETUNREACH);
	cr_assert_eq(dv_qp_rtr(&fake.qp, &ours, &there, NULL), ENETUNREACH);
	cr_assert_eq(made, 0);
}

Test(qp_connect, refusal_of_the_device_is_returned)
{
	refusal = EINVAL;
	cr_assert_eq(connect_as(IBV_QPT_RC, IBV_QPT_RC, NULL), EINVAL);
	cr_assert_eq(made, 2, "RTS is not tried");
}

Test(qp_connect, ud_needs_no_peer)
{
	fake.qp.qp_type = IBV_QPT_UD;
	cr_assert_eq(dv_qp_connect(&fake.qp, &ours, NULL, NULL), 0);
	cr_assert_eq(calls[0].attr.qkey, 0x11111111u);
}
