/* SPDX-License-Identifier: BSD-2-Clause */
/* MODIFY_QP: the attribute table of RC, states, ranges. A refusal leaves the state alone. */
#include <linux/capability.h>
#include <sys/syscall.h>

#include "queues.h"

#define SUITE qp_modify_checks_state_and_mask

QP_SUITE(SUITE);

typedef struct ib_uverbs_modify_qp step_of(const struct rig *r);

/* Every required attribute of the step left out once, every other one added once. */
static void try_masks(struct rig *r, step_of *step, uint32_t allowed)
{
	struct ib_uverbs_modify_qp good = step(r), bad;
	uint8_t before = query(r).qp_state;

	for (uint32_t bit = 1; bit <= IBV_QP_DEST_QPN; bit <<= 1) {
		if (bit == IBV_QP_STATE || allowed & bit)
			continue;
		bad = good;
		bad.attr_mask ^= bit;
		/* An address is resolved before the mask is looked at. */
		bad.dest = to_rtr(r).dest;
		bad.port_num = 1;
		cr_assert_eq(modify(r, &bad), -EINVAL, "bit %#x in state %d", bit, before);
		cr_assert_eq(query(r).qp_state, before);
	}
	cr_assert_eq(modify(r, &good), 0);
}

Test(SUITE, masks_on_the_straight_way)
{
	const uint32_t connected = IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS |
				   IBV_QP_MIN_RNR_TIMER | IBV_QP_PATH_MIG_STATE;

	try_masks(&r, to_init, 0);
	try_masks(&r, to_rtr, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX);
	try_masks(&r, to_rts, connected);
}

Test(SUITE, no_such_transition)
{
	const uint8_t from[] = { IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS };
	/* Bit k: state k can be asked for without attributes. */
	const uint32_t bare[] = { 1 << IBV_QPS_RESET,
				  1 << IBV_QPS_RESET | 1 << IBV_QPS_INIT | 1 << IBV_QPS_ERR,
				  1 << IBV_QPS_RESET | 1 << IBV_QPS_ERR,
				  1 << IBV_QPS_RESET | 1 << IBV_QPS_RTS | 1 << IBV_QPS_ERR };

	for (size_t i = 0; i < 4; i++)
		for (uint8_t to = 0; to <= IBV_QPS_ERR + 1; to++) {
			struct ib_uverbs_modify_qp a = to_state(&r, to);
			struct ib_uverbs_modify_qp reset = to_state(&r, IBV_QPS_RESET);

			walk_to(&r, from[i]);
			cr_assert_eq(modify(&r, &a), bare[i] >> to & 1 ? 0 : -EINVAL,
				     "%d to %d", from[i], to);
			cr_assert_eq(modify(&r, &reset), 0);
		}
}

Test(SUITE, error_only_leads_back_to_reset)
{
	walk_to(&r, IBV_QPS_RTS);
	for (uint8_t to = IBV_QPS_INIT; to < IBV_QPS_ERR; to++) {
		struct ib_uverbs_modify_qp err = to_state(&r, IBV_QPS_ERR),
					   a = to_state(&r, to);

		cr_assert_eq(modify(&r, &err), 0);
		cr_assert_eq(modify(&r, &a), -EINVAL);
	}
}

#define EXPECT(make, change, errno_)                            \
	do {                                                    \
		struct ib_uverbs_modify_qp a = make(&r);        \
		change;                                         \
		cr_assert_eq(modify(&r, &a), -errno_, #change); \
	} while (0)

Test(SUITE, ranges)
{
	EXPECT(to_init, a.qp_handle = 99, EINVAL);
	EXPECT(to_init, a.qp_handle = r.cq.handle, EINVAL);
	EXPECT(to_init, a.attr_mask |= 1 << 21, EOPNOTSUPP);
	EXPECT(to_init, a.qp_state = 77, EINVAL);
	EXPECT(to_init, (a.cur_qp_state = 77, a.attr_mask |= IBV_QP_CUR_STATE), EINVAL);
	/* The port of a path to RTR is that of INIT, before its GID is looked for. */
	EXPECT(to_rtr, a.dest.sgid_index = 4, EINVAL);
	EXPECT(to_rtr, (a.dest.sgid_index = 4, a.qp_state = IBV_QPS_RTS), ENODATA);
	walk_to(&r, IBV_QPS_INIT);
	EXPECT(to_rtr, a.dest.port_num = 2, EINVAL);
	EXPECT(to_rtr, a.dest.is_global = 0, EINVAL);
	EXPECT(to_rtr, a.dest.sgid_index = 4, ENODATA);
	EXPECT(to_rtr, a.dest.sgid_index = 255, EINVAL);
	EXPECT(to_rtr, a.dest.dgid[0] = 0x20, EINVAL); /* from IPv4 to IPv6 */
	EXPECT(to_rtr, (a.dest.dgid[0] = 0x20, a.dest.sgid_index = 1), ENETUNREACH);
	EXPECT(to_rtr, a.max_dest_rd_atomic = 0, 0);
	EXPECT(to_rts, (a.path_mig_state = 3, a.attr_mask |= IBV_QP_PATH_MIG_STATE), EINVAL);
	EXPECT(to_rts, a.max_rd_atomic = 0, 0);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_RTS);
}

#define FIELD(bit, member)                                                  \
	{                                                                   \
		IBV_QP_##bit, offsetof(struct ib_uverbs_modify_qp, member), \
			sizeof(((struct ib_uverbs_modify_qp *)0)->member)   \
	}

static const struct {
	uint32_t bit;
	size_t at, size;
} fields[] = {
	FIELD(STATE, qp_state),
	FIELD(AV, dest),
	FIELD(ALT_PATH, alt_dest),
	FIELD(ALT_PATH, alt_pkey_index),
	FIELD(ALT_PATH, alt_port_num),
	FIELD(ALT_PATH, alt_timeout),
	FIELD(QKEY, qkey),
	FIELD(RQ_PSN, rq_psn),
	FIELD(SQ_PSN, sq_psn),
	FIELD(DEST_QPN, dest_qp_num),
	FIELD(ACCESS_FLAGS, qp_access_flags),
	FIELD(PKEY_INDEX, pkey_index),
	FIELD(CUR_STATE, cur_qp_state),
	FIELD(PATH_MTU, path_mtu),
	FIELD(PATH_MIG_STATE, path_mig_state),
	FIELD(EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify),
	FIELD(MAX_QP_RD_ATOMIC, max_rd_atomic),
	FIELD(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic),
	FIELD(MIN_RNR_TIMER, min_rnr_timer),
	FIELD(PORT, port_num),
	FIELD(TIMEOUT, timeout),
	FIELD(RETRY_CNT, retry_cnt),
	FIELD(RNR_RETRY, rnr_retry),
};

/* The same, and 0x05 in what the mask does not name. */
static struct ib_uverbs_modify_qp with_garbage(struct ib_uverbs_modify_qp a)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!(a.attr_mask & fields[i].bit))
			memset((uint8_t *)&a + fields[i].at, 0x05, fields[i].size);
	return a;
}

Test(SUITE, what_the_mask_does_not_name_is_not_looked_at)
{
	static step_of *const steps_of[] = { to_init, to_rtr, to_rts };
	struct ib_uverbs_query_qp_resp one, two;
	struct qp first = r.qp, second;

	cr_assert_eq(create_qp(&r.b, &r.attr, &second), 0);
	for (size_t i = 0; i < 3; i++) {
		struct ib_uverbs_modify_qp a = steps_of[i](&r);

		cr_assert_eq(modify(&r, &a), 0);
		one = query(&r);
		r.qp = second;
		a = with_garbage(steps_of[i](&r));
		cr_assert_eq(modify(&r, &a), 0);
		two = query(&r);
		r.qp = first;
		cr_assert_arr_eq(&one, &two, sizeof(one), "step %zu", i);
	}
}

/* kernel, qp.c, __mlx5_ib_modify_qp: fls(n - 1) */
Test(SUITE, numbers_of_reads_are_rounded_up)
{
	const uint8_t shown[] = { 1, 1, 2, 4, 4, 8, 8, 8, 8, 16, 16, 16, 16, 16, 16, 16, 16 };
	struct ib_uverbs_modify_qp reset;

	reset = to_state(&r, IBV_QPS_RESET);
	for (uint8_t n = 0; n < sizeof(shown); n++) {
		walk_to(&r, IBV_QPS_INIT);
		EXPECT(to_rtr, a.max_dest_rd_atomic = n, 0);
		EXPECT(to_rts, a.max_rd_atomic = n, 0);
		cr_assert_eq(query(&r).max_dest_rd_atomic, shown[n], "%u", n);
		cr_assert_eq(query(&r).max_rd_atomic, shown[n], "%u", n);
		cr_assert_eq(modify(&r, &reset), 0);
	}
}

/* kernel, verbs.c, _ib_modify_qp: "Ban them in roce mode" */
Test(SUITE, alternate_paths_are_for_infiniband)
{
	walk_to(&r, IBV_QPS_INIT);
	EXPECT(to_rtr,
	       (a.attr_mask |= IBV_QP_ALT_PATH, a.alt_port_num = 1, a.alt_dest = a.dest),
	       EINVAL);
}

static void drop_net_raw(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	cr_assert_eq(syscall(SYS_capget, &head, data), 0);
	data[0].effective &= ~(1u << CAP_NET_RAW);
	cr_assert_eq(syscall(SYS_capset, &head, data), 0);
}

static struct ib_uverbs_modify_qp with_qkey(const struct rig *r, uint32_t qkey)
{
	struct ib_uverbs_modify_qp a = to_init(r);

	a.attr_mask ^= IBV_QP_ACCESS_FLAGS | IBV_QP_QKEY;
	a.qkey = qkey;
	return a;
}

/* kernel, uverbs_cmd.c, modify_qp; nldev.c, rdma_nl_get_privileged_qkey */
Test(SUITE, controlled_qkeys_are_for_the_privileged)
{
	struct ib_uverbs_modify_qp a;

	r.attr.type = IB_UVERBS_QPT_UD;
	r.attr.uhw.buf_addr = (uintptr_t)pages(2);
	r.attr.uhw.db_addr = (uintptr_t)pages(1);
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	drop_net_raw();
	a = with_qkey(&r, 0x80010000);
	cr_assert_eq(modify(&r, &a), -EPERM);
	cr_assert_eq(query(&r).qp_state, IBV_QPS_RESET);
	a = with_qkey(&r, 0x7fffffff);
	cr_assert_eq(modify(&r, &a), 0);
}

Test(SUITE, a_path_mtu_above_the_ports_is_the_devices_refusal)
{
	r.b.hca.port.mtu = 1024;
	walk_to(&r, IBV_QPS_INIT);
	EXPECT(to_rtr, a.path_mtu = IBV_MTU_2048, EINVAL);
	EXPECT(to_rtr, a.path_mtu = IBV_MTU_1024, 0);
}

/* The application may know better: the device went to another state by itself. */
Test(SUITE, the_current_state_may_be_named)
{
	walk_to(&r, IBV_QPS_RTR);
	struct ib_uverbs_modify_qp a = to_rts(&r);
	a.attr_mask |= IBV_QP_CUR_STATE;
	a.cur_qp_state = IBV_QPS_RTS;
	cr_assert_eq(modify(&r, &a), -EINVAL);
	a.cur_qp_state = IBV_QPS_RTR;
	cr_assert_eq(modify(&r, &a), 0);
}

Test(SUITE, query_needs_a_qp)
{
	struct ib_uverbs_query_qp cmd = { .qp_handle = 99 };
	struct ib_uverbs_query_qp_resp resp;

	cr_assert_eq(write_cmd(&r.b, IB_USER_VERBS_CMD_QUERY_QP, &cmd, sizeof(cmd), &resp,
			       sizeof(resp)),
		     -EINVAL);
}
