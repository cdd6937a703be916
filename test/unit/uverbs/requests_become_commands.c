/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each attribute of a request becomes one field of the command that follows, and changes
 * nothing else of it. The values are those of mlx5_ib (cq.c, qp.c, main.c), by hand.
 */
#include "ethernet.h"
#include "shared.h"

#define SUITE requests_become_commands

QP_SUITE(SUITE);

struct row {
	const char *name;
	uint16_t opcode;
	size_t len; /* of the command, without its pages */
	int (*with)(uint64_t value);
	uint64_t usual, value;
	size_t at, width; /* the field */
	uint64_t is;
	size_t also, also_width; /* another field that changes with it */
};

#define WITH_VALUE(name, type, make, change, call) \
	static int name(uint64_t value)            \
	{                                          \
		type a = make;                     \
                                                   \
		change;                            \
		return call;                       \
	}

/* ---- creation ---- */

static struct cq_attr usual_cq;
static struct wq_attr usual_wq;
static struct typed_attr dct_attr;
static struct ib_uverbs_ex_create_wq_resp wq;
static struct cq cq;
static struct qp qp;

#define CQ(name, change) \
	WITH_VALUE(name, struct cq_attr, usual_cq, change, create_cq(&r.b, &a, &cq))
#define QP(name, change) \
	WITH_VALUE(name, struct qp_attr, r.attr, change, create_qp(&r.b, &a, &qp))
#define WQ(name, change) \
	WITH_VALUE(name, struct wq_attr, usual_wq, change, create_wq(&r, &a, &wq))

CQ(cq_entries, a.cqe = value)
CQ(cq_flags, a.flags = value)
CQ(cq_size, a.uhw.cqe_size = value)
CQ(cq_db, a.uhw.db_addr = usual_cq.uhw.db_addr + value)
CQ(cq_format, (a.uhw.cqe_comp_en = 1, a.uhw.cqe_comp_res_format = value))
CQ(cq_compressed, (a.uhw.cqe_comp_en = value, a.uhw.cqe_comp_res_format = value))
QP(qp_uidx, a.uhw.uidx = value)
QP(qp_stride, a.uhw.rq_wqe_shift = value)
QP(qp_rq, a.uhw.rq_wqe_count = value)
QP(qp_sq, a.uhw.sq_wqe_count = value)
QP(qp_mlx5_flags, a.uhw.flags = MLX5_QP_FLAG_UAR_PAGE_INDEX | value)
QP(qp_all_signaled, (a.flags = value, a.uhw.flags |= MLX5_QP_FLAG_ALLOW_SCATTER_CQE * !!value))
QP(qp_db, a.uhw.db_addr = r.attr.uhw.db_addr + value)
QP(qp_ece, a.uhw.ece_options = value)
WQ(wq_index, a.uhw.user_index = value)
WQ(wq_size, a.uhw.rq_wqe_count = value)
WQ(wq_flags, a.cmd.create_flags = value)
WQ(wq_db, a.uhw.db_addr = usual_wq.uhw.db_addr + value)

static int striding(uint32_t log_bytes, uint32_t log_strides, bool shift)
{
	struct wq_attr a = usual_wq;

	a.uhw.comp_mask = MLX5_IB_CREATE_WQ_STRIDING_RQ;
	a.uhw.single_stride_log_num_of_bytes = log_bytes;
	a.uhw.single_wqe_log_num_of_strides = log_strides;
	a.uhw.two_byte_shift_en = shift;
	return create_wq(&r, &a, &wq);
}

static int stride_bytes(uint64_t value)
{
	return striding((uint32_t)value, 9, false);
}

static int strides(uint64_t value)
{
	return striding(6, (uint32_t)value, false);
}

static int shift(uint64_t value)
{
	return striding(6, 9, value);
}

/* ---- changes of state ---- */

#define RTR(name, change)                                                \
	WITH_VALUE(name, struct ib_uverbs_modify_qp, to_rtr(&r), change, \
		   modify_from(&r, &a, IBV_QPS_INIT))
#define RTS(name, change)                                                \
	WITH_VALUE(name, struct ib_uverbs_modify_qp, to_rts(&r), change, \
		   modify_from(&r, &a, IBV_QPS_RTR))

RTR(path_mtu, a.path_mtu = value)
RTR(dest_qp_num, a.dest_qp_num = value)
RTR(rq_psn, a.rq_psn = value)
RTR(max_dest_rd_atomic, a.max_dest_rd_atomic = value)
RTR(min_rnr_timer, a.min_rnr_timer = value)
RTR(sl, a.dest.sl = value)
RTR(traffic_class, a.dest.traffic_class = value)
RTR(hop_limit, a.dest.hop_limit = value)
RTR(flow_label, a.dest.flow_label = value)
RTR(rights, (a.attr_mask |= IBV_QP_ACCESS_FLAGS, a.qp_access_flags = value))
RTS(timeout, a.timeout = value)
RTS(retry_cnt, a.retry_cnt = value)
RTS(rnr_retry, a.rnr_retry = value)
RTS(sq_psn, a.sq_psn = value)
RTS(max_rd_atomic, a.max_rd_atomic = value)

/* The DCT is made by its second change. */
static int dct(uint64_t access, void (*change)(struct ib_uverbs_modify_qp *a))
{
	struct ib_uverbs_modify_qp init = to_init(&r), rtr = to_rtr(&r);
	struct mlx5_ib_modify_qp_resp resp;
	struct qp target;

	cr_assert_eq(create_typed(&r.b, &dct_attr, &target), 0);
	init.qp_handle = rtr.qp_handle = target.handle;
	init.qp_access_flags = access;
	rtr.attr_mask = IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU;
	if (change)
		change(&rtr);
	if (modify(&r, &init))
		return -1;
	return modify_ece(&r, &rtr, 0, (struct buf){ .out = &resp, .out_len = sizeof(resp) });
}

static int dct_access(uint64_t value)
{
	return dct(value, NULL);
}

static uint64_t dct_value;
#define DCT(name, member)                                        \
	static void change_##name(struct ib_uverbs_modify_qp *a) \
	{                                                        \
		a->member = dct_value;                           \
	}                                                        \
	static int dct_##name(uint64_t value)                    \
	{                                                        \
		dct_value = value;                               \
		return dct(0, change_##name);                    \
	}

DCT(mtu, path_mtu)
DCT(rnr, min_rnr_timer)
DCT(hop, dest.hop_limit)
DCT(tclass, dest.traffic_class)
DCT(label, dest.flow_label)
DCT(sgid, dest.sgid_index)

/* ---- rows ---- */

#define FIELD(box, part, s, f) PRM_OFF(box, part) + PRM_OFF(s, f), PRM_W(s, f)
#define IN_CQ(f)	       FIELD(create_cq_in, cq_context, cqc, f)
#define IN_QP(f)	       FIELD(create_qp_in, qpc, qpc, f)
#define IN_WQ(f)	       PRM_OFF(create_rq_in, ctx) + FIELD(rqc, wq, wq, f)
#define IN_PATH(f)	       PRM_OFF(init2rtr_qp_in, qpc) + FIELD(qpc, primary_address_path, ads, f)
#define IN_DCT(f)	       FIELD(create_dct_in, dct_context_entry, dctc, f)
#define OF(op, box)	       PRM_OP_##op, PRM_SZ(box)
#define OF_CQ		       OF(CREATE_CQ, create_cq_in)
#define OF_QP		       OF(CREATE_QP, create_qp_in)
#define OF_WQ		       OF(CREATE_RQ, create_rq_in)
#define OF_DCT		       OF(CREATE_DCT, create_dct_in)
#define TO_RTR		       OF(INIT2RTR_QP, init2rtr_qp_in)
#define TO_RTS		       OF(RTR2RTS_QP, rtr2rts_qp_in)
#define ATOMIC		       IBV_ACCESS_REMOTE_ATOMIC

#define MODE 3 /* up to 8 bytes */

#define ROW(...)                  \
	{                         \
		__VA_ARGS__, 0, 0 \
	}
#define PAIR(...)           \
	{                   \
		__VA_ARGS__ \
	}

static const struct row rows[] = {
	ROW("entries", OF_CQ, cq_entries, 31, 32, IN_CQ(log_cq_size), 6),
	ROW("timestamps", OF_CQ, cq_flags, 0, 1, IN_CQ(st), 0),
	ROW("overruns ignored", OF_CQ, cq_flags, 0, 2, IN_CQ(oi), 1),
	ROW("128 bytes", OF_CQ, cq_size, 64, 128, IN_CQ(cqe_sz), 1),
	ROW("record of a CQ", OF_CQ, cq_db, 0, 64, IN_CQ(dbr_addr), 64),
	ROW("format of hash", OF_CQ, cq_format, 2, 1, IN_CQ(mini_cqe_res_format), 0),
	ROW("format with strides", OF_CQ, cq_format, 2, 4, IN_CQ(mini_cqe_res_format), 3),
	ROW("compressed", OF_CQ, cq_compressed, 0, 1, IN_CQ(cqe_comp_en), 1),
	ROW("user index", OF_QP, qp_uidx, 7, 0xfedcba, IN_QP(user_index), 0xfedcba),
	ROW("stride", OF_QP, qp_stride, 6, 4, IN_QP(log_rq_stride), 0),
	ROW("RQ", OF_QP, qp_rq, 16, 32, IN_QP(log_rq_size), 5),
	ROW("SQ", OF_QP, qp_sq, 32, 16, IN_QP(log_sq_size), 4),
	ROW("data in CQEs", OF_QP, qp_mlx5_flags, 0, MLX5_QP_FLAG_SCATTER_CQE, IN_QP(cs_res),
	    1),
	ROW("data in all CQEs", OF_QP, qp_all_signaled, 0, IB_UVERBS_QP_CREATE_SQ_SIG_ALL,
	    IN_QP(cs_req), 0x11),
	ROW("record of a QP", OF_QP, qp_db, 0, 128, IN_QP(dbr_addr), 128),
	ROW("ECE", OF_QP, qp_ece, 0, 0x30000002, PRM_OFF(create_qp_in, ece), 32, 0x30000002),
	ROW("user index of a WQ", OF_WQ, wq_index, 5, 0xabcdef,
	    FIELD(create_rq_in, ctx, rqc, user_index), 0xabcdef),
	ROW("size of a WQ", OF_WQ, wq_size, 16, 32, IN_WQ(log_wq_sz), 5),
	ROW("tags are stripped", OF_WQ, wq_flags, 0, IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING,
	    FIELD(create_rq_in, ctx, rqc, vsd), 0),
	ROW("FCS", OF_WQ, wq_flags, 0, IB_UVERBS_WQ_FLAGS_SCATTER_FCS,
	    FIELD(create_rq_in, ctx, rqc, scatter_fcs), 1),
	ROW("record of a WQ", OF_WQ, wq_db, 0, 64, IN_WQ(dbr_addr), 64),
	ROW("bytes of a stride", OF_WQ, stride_bytes, 6, 13, IN_WQ(log_wqe_stride_size), 7),
	ROW("512 strides", OF_WQ, strides, 10, 9, IN_WQ(log_wqe_num_of_strides), 0),
	ROW("65536 strides", OF_WQ, strides, 9, 16, IN_WQ(log_wqe_num_of_strides), 7),
	ROW("8 strides", OF_WQ, strides, 9, 3, IN_WQ(log_wqe_num_of_strides), 10),
	ROW("two bytes", OF_WQ, shift, 0, 1, IN_WQ(two_byte_shift_en), 1),
	ROW("MTU", TO_RTR, path_mtu, 3, 5, IN_QP(mtu), 5),
	PAIR("remote QPN", TO_RTR, dest_qp_num, 0x020123, 0xfedcba, IN_QP(remote_qpn), 0xfedcba,
	     IN_PATH(udp_sport)),
	ROW("PSN of 24 bits", TO_RTR, rq_psn, 0x123456, 0xaafedcba, IN_QP(next_rcv_psn),
	    0xfedcba),
	ROW("5 READs of the peer", TO_RTR, max_dest_rd_atomic, 4, 5, IN_QP(log_rra_max), 3),
	ROW("RNR timer", TO_RTR, min_rnr_timer, 12, 31, IN_QP(min_rnr_nak), 31),
	ROW("SL", TO_RTR, sl, 3, 6, IN_PATH(eth_prio), 6),
	/* that of the route */
	ROW("hop limit", TO_RTR, hop_limit, 1, 0, IN_PATH(hop_limit), 64),
	ROW("rights", TO_RTR, rights, 3, 1, IN_QP(rwe), 0),
	PAIR("atomics", TO_RTR, rights, 3, 11, IN_QP(rae), 1, IN_QP(atomic_mode)),
	PAIR("mode of atomics", TO_RTR, rights, 3, 11, IN_QP(atomic_mode), MODE, IN_QP(rae)),
	PAIR("label", TO_RTR, flow_label, 1, 0xfff00005, IN_PATH(flow_label), 5,
	     IN_PATH(udp_sport)),
	PAIR("port of a label", TO_RTR, flow_label, 1, 0xfff00005, IN_PATH(udp_sport), 0xc005,
	     IN_PATH(flow_label)),
	PAIR("class", TO_RTR, traffic_class, 0, 0xfc, IN_PATH(tclass), 0xfc, IN_PATH(dscp)),
	PAIR("DSCP", TO_RTR, traffic_class, 0, 0xfc, IN_PATH(dscp), 0x3f, IN_PATH(tclass)),
	ROW("timeout", TO_RTS, timeout, 14, 31, IN_PATH(ack_timeout), 31),
	ROW("retries", TO_RTS, retry_cnt, 7, 2, IN_QP(retry_count), 2),
	ROW("RNR retries", TO_RTS, rnr_retry, 6, 1, IN_QP(rnr_retry), 1),
	ROW("own PSN", TO_RTS, sq_psn, 0x654321, 0xaafedcba, IN_QP(next_send_psn), 0xfedcba),
	ROW("3 READs", TO_RTS, max_rd_atomic, 8, 3, IN_QP(log_sra_max), 2),
	ROW("1 READ", TO_RTS, max_rd_atomic, 8, 1, IN_QP(log_sra_max), 0),
	ROW("MTU of a DCT", OF_DCT, dct_mtu, 3, 5, IN_DCT(mtu), 5),
	ROW("RNR timer of a DCT", OF_DCT, dct_rnr, 12, 31, IN_DCT(min_rnr_nak), 31),
	ROW("hop limit of a DCT", OF_DCT, dct_hop, 1, 255, IN_DCT(hop_limit), 255),
	ROW("class of a DCT", OF_DCT, dct_tclass, 0x68, 0xff, IN_DCT(tclass), 0xff),
	ROW("label of a DCT", OF_DCT, dct_label, 0, 0xfffff, IN_DCT(flow_label), 0xfffff),
	ROW("GID of a DCT", OF_DCT, dct_sgid, 3, 2, IN_DCT(my_addr_index), 2),
	ROW("reads of a DCT", OF_DCT, dct_access, 0, IBV_ACCESS_REMOTE_READ, IN_DCT(rre), 1),
	PAIR("atomics of a DCT", OF_DCT, dct_access, 0, 8, IN_DCT(rae), 1, IN_DCT(atomic_mode)),
	PAIR("mode of a DCT", OF_DCT, dct_access, 0, 8, IN_DCT(atomic_mode), MODE, IN_DCT(rae)),
	ROW("writes of a DCT", OF_DCT, dct_access, 0, IBV_ACCESS_REMOTE_WRITE, IN_DCT(rwe), 1),
};

/* The command that @row causes with @value, and its field, which becomes 0. */
static uint64_t command(const struct row *row, uint64_t value, uint8_t *in)
{
	uint64_t field;
	int ret;

	memset(&seen_command, 0, sizeof(seen_command));
	seen_command.opcode = row->opcode;
	ret = row->with(value);
	cr_assert_eq(ret, 0, "%s %#jx: %d", row->name, (uintmax_t)value, ret);
	memcpy(in, seen_command.in, row->len);
	field = prm_load(in, row->at, row->width);
	prm_store(in, row->at, row->width, 0);
	if (row->also_width)
		prm_store(in, row->also, row->also_width, 0);
	return field;
}

Test(SUITE, field_by_field)
{
	struct srq_attr sa = srq_attr(r.pd);
	struct srq srq;

	usual_cq = cq_attr(&r.uar);
	usual_cq.cqe = 31;
	usual_wq = wq_attr(&r);
	cr_assert_eq(create_srq(&r.b, &sa, &srq), 0);
	dct_attr = typed_attr(&r, IB_UVERBS_QPT_DRIVER);
	dct_attr.srq = srq.handle;
	dct_attr.uhw = (struct mlx5_ib_create_qp){ .flags = MLX5_QP_FLAG_TYPE_DCT, .uidx = 5 };
	call_run = call_once;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		uint8_t usual[1024], changed[1024];
		uint64_t was = command(row, row->usual, usual), is;

		is = command(row, row->value, changed);
		if (row->width == 64) /* an address */
			is -= was;
		cr_expect_eq(is, row->is, "%s: %#jx", row->name, (uintmax_t)is);
		for (size_t k = 0; k < row->len; k++)
			cr_expect_eq(changed[k], usual[k], "%s: byte %zx", row->name, k);
	}
}

/* rdma_calc_flow_label() of q and 1 << 20: 20 bits of q, odd or even; ib_verbs.h,
 * rdma_flow_label_to_udp_sport() */
Test(SUITE, port_without_a_label)
{
	for (int i = 0; i < 2; i++) {
		struct ib_uverbs_modify_qp a = to_rtr(&r);
		uint32_t q = r.qp.qpn & 0xfffff;

		a.dest.flow_label = 0;
		a.dest_qp_num = 1 << 20;
		seen_command.opcode = PRM_OP_INIT2RTR_QP;
		cr_assert_eq(modify_from(&r, &a, IBV_QPS_INIT), 0);
		cr_expect_eq(prm_load(seen_command.in, IN_PATH(udp_sport)),
			     0xc000 | ((q ^ q >> 14) & 0x3fff));
		cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	}
}

/* Attributes that the mask does not name are not looked at. */
Test(SUITE, only_what_the_mask_names)
{
	const struct ib_uverbs_modify_qp init = to_init(&r), rtr = to_rtr(&r), rts = to_rts(&r);
	struct ib_uverbs_modify_qp a[3];
	static const uint16_t opcodes[] = { PRM_OP_RST2INIT_QP, PRM_OP_INIT2RTR_QP,
					    PRM_OP_RTR2RTS_QP };

	memset(a, 0x55, sizeof(a));
#define TAKE(i, from, m) a[i].m = from.m
	TAKE(0, init, port_num), TAKE(0, init, pkey_index), TAKE(0, init, qp_access_flags);
	TAKE(1, rtr, dest), TAKE(1, rtr, path_mtu), TAKE(1, rtr, dest_qp_num);
	TAKE(1, rtr, rq_psn), TAKE(1, rtr, max_dest_rd_atomic), TAKE(1, rtr, min_rnr_timer);
	TAKE(2, rts, timeout), TAKE(2, rts, retry_cnt), TAKE(2, rts, rnr_retry);
	TAKE(2, rts, sq_psn), TAKE(2, rts, max_rd_atomic);
	for (uint8_t i = 0; i < 3; i++) {
		const struct ib_uverbs_modify_qp *usual[] = { &init, &rtr, &rts };
		uint8_t bytes[PRM_SZ(rst2init_qp_in)];

		seen_command.opcode = opcodes[i];
		cr_assert_eq(modify_from(&r, usual[i], i), 0);
		memcpy(bytes, seen_command.in, sizeof(bytes));
		a[i].qp_handle = r.qp.handle;
		a[i].attr_mask = usual[i]->attr_mask;
		a[i].qp_state = usual[i]->qp_state;
		cr_assert_eq(modify_from(&r, &a[i], i), 0, "%u", i);
		cr_expect_arr_eq(bytes, seen_command.in, sizeof(bytes), "%u", i);
	}
}
