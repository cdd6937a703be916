/* SPDX-License-Identifier: BSD-2-Clause */
/* Actions of flows that add, remove or change headers. */
#include "matchers.h"

#define SUITE flow_actions_change_headers

FLOW_SUITE(SUITE);

static int list_of_fields(uint32_t *handle)
{
	return modify_header(&r, MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX, 8, handle);
}

static int end_action(uint32_t handle)
{
	return destroy(&r.b, UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_DESTROY,
		       UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE, handle);
}

enum { TUNNEL_TO_L2, L2_TO_L2, L3_TO_L2, L2_TO_L3 }; /* rdma/mlx5_user_ioctl_verbs.h */

static int reformat(uint64_t type, uint64_t ft_type, uint16_t len, uint32_t *handle)
{
	uint8_t header[256];
	struct call c = call(UVERBS_OBJECT_FLOW_ACTION,
			     MLX5_IB_METHOD_FLOW_ACTION_CREATE_PACKET_REFORMAT);
	struct ib_uverbs_attr *h =
		call_object(&c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_HANDLE, 0);
	int ret;

	call_u64(&c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE, type);
	call_u64(&c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_FT_TYPE, ft_type);
	for (int i = 0; i < 256; i++)
		header[i] = (uint8_t)(i + 1);
	if (len)
		call_in(&c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF, header, len);
	seen_command.opcode = PRM_OP_ALLOC_PACKET_REFORMAT_CONTEXT;
	ret = call_run(&r.b, &c);
	if (!ret && type != TUNNEL_TO_L2) /* PRM: the header is at byte 34 */
		cr_expect_arr_eq(seen_command.in + 34, header, len);
	*handle = h->data;
	return ret;
}

enum { RX = MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX, TX = MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX };

/* Which headers an adapter adds and removes, and how long they are. */

static const struct {
	uint64_t type, ft_type;
	uint16_t len;
	int err;
} headers[] = {
	{ L2_TO_L2, TX, 1, 0 },
	{ L2_TO_L2, TX, 128, 0 }, /* cx5: max_encap_header_size */
	{ L2_TO_L2, TX, 129, -EINVAL },
	{ L2_TO_L2, TX, 0, -ENOENT },
	{ L2_TO_L2, RX, 50, -EOPNOTSUPP },
	{ TUNNEL_TO_L2, RX, 0, 0 },
	{ TUNNEL_TO_L2, RX, 200, 0 }, /* is not looked at */
	{ TUNNEL_TO_L2, TX, 0, -EOPNOTSUPP },
	{ L3_TO_L2, RX, 14, 0 },
	{ L3_TO_L2, TX, 14, -EOPNOTSUPP },
	{ L2_TO_L3, TX, 50, 0 },
	{ L2_TO_L3, RX, 50, -EOPNOTSUPP },
	{ L2_TO_L3 + 1, TX, 50, -EOPNOTSUPP },
	{ L2_TO_L2, 99, 50, -EOPNOTSUPP },
};

Test(SUITE, headers_are_checked)
{
	uint32_t handle;

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		int ret;

		call_run = headers[i].len == 200 ? call_once : each_step_fails;
		ret = reformat(headers[i].type, headers[i].ft_type, headers[i].len, &handle);

		cr_expect_eq(ret, headers[i].err, "%zu: %d", i, ret);
		if (!ret)
			cr_assert_eq(end_action(handle), 0, "%zu", i);
	}
}

/* Each form needs its capability, and no other. */
static uint32_t lacks;

static const struct {
	uint64_t type, ft_type;
	uint16_t len;
} forms[] = { { L2_TO_L2, TX, 50 },
	      { L2_TO_L3, TX, 50 },
	      { L3_TO_L2, RX, 14 },
	      { TUNNEL_TO_L2, RX, 0 } };

static void without(struct hca *hca)
{
	uint8_t *nic = hca->caps[PRM_CAP_FLOW_TABLE];
	uint8_t *rx = PRM_ADDR(flow_table_nic_cap, nic, flow_table_properties_nic_receive);
	uint8_t *tx = PRM_ADDR(flow_table_nic_cap, nic, flow_table_properties_nic_transmit);

	if (lacks == 0)
		PRM_SET(flow_table_nic_cap, nic, encap_general_header, 0);
	if (lacks == 1)
		PRM_SET(flow_table_prop_layout, tx, reformat_l2_to_l3_tunnel, 0);
	if (lacks == 2)
		PRM_SET(flow_table_prop_layout, rx, reformat_l3_tunnel_to_l2, 0);
	if (lacks == 3)
		PRM_SET(flow_table_prop_layout, rx, decap, 0);
}

Test(SUITE, headers_need_their_capabilities)
{
	uint32_t handle;

	for (lacks = 0; lacks < sizeof(forms) / sizeof(forms[0]); lacks++) {
		qp_close();
		flow_rig(&r, without);
		for (uint32_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
			cr_expect_eq(reformat(forms[i].type, forms[i].ft_type, forms[i].len,
					      &handle),
				     i == lacks ? -EOPNOTSUPP : 0, "%u without %u", i, lacks);
	}
}

/* Each change of a rule by its number: with two, the other one stays. */
Test(SUITE, changes_of_a_rule)
{
	struct matcher m = dmac_matcher();
	uint32_t change, list, decap, l3, flow;
	const struct hca_fte *e;
	struct rule f;

	cr_assert_eq(list_of_fields(&change), 0);
	cr_assert_eq(list_of_fields(&list), 0);
	cr_assert_eq(reformat(TUNNEL_TO_L2, RX, 0, &decap), 0);
	cr_assert_eq(reformat(L3_TO_L2, RX, 14, &l3), 0);
	f = rule_of(&r, new_matcher(&r, &m));
	f.action[0] = decap;
	f.action[1] = list;
	f.actions = 2;
	cr_assert_eq(create_rule(&r, &f, &flow), 0);
	e = first_entry(ROOT(&r));
	cr_assert_eq(e->act.action, PRM_FLOW_CONTEXT_ACTION_FWD_DEST |
					    PRM_FLOW_CONTEXT_ACTION_DECAP |
					    PRM_FLOW_CONTEXT_ACTION_MOD_HDR);
	cr_assert_neq(e->act.modify->id, 0);
	cr_assert_eq(e->act.modify->cnt, 1);
	cr_assert_eq(end_action(decap), -EBUSY);
	cr_assert_eq(end_action(list), -EBUSY);
	cr_assert_eq(end_action(change), 0, "it is another list");
	f.action[0] = l3;
	cr_assert_eq(end_rule(&r, flow), 0);
	cr_assert_eq(create_rule(&r, &f, &flow), 0);
	e = first_entry(ROOT(&r));
	cr_assert_not_null(e->act.reformat);
	cr_assert_eq(e->act.action & PRM_FLOW_CONTEXT_ACTION_DECAP, 0);
	cr_assert_eq(end_rule(&r, flow), 0);
}

/* The same actions in flows of ibv_create_flow(). */
Test(SUITE, changes_of_a_flow)
{
	const uint8_t mac[6] = { 2, 0xc5, 10, 0, 0, 1 };
	struct flow_request f = flow_of(&r), twice;
	uint32_t change, flow;

	cr_assert_eq(list_of_fields(&change), 0);
	add_dmac(&f, mac);
	add_action(&f, IBV_FLOW_SPEC_ACTION_HANDLE, change);
	twice = f;
	add_action(&twice, IBV_FLOW_SPEC_ACTION_HANDLE, change);
	cr_expect_eq(create_flow(&r, &twice, NULL), -EINVAL);
	cr_assert_eq(create_flow(&r, &f, &flow), 0);
	cr_expect_eq(first_entry(ROOT(&r))->act.modify->cnt, 1);
	cr_expect_eq(end_action(change), -EBUSY);
	cr_assert_eq(destroy_flow(&r, flow), 0);
	cr_expect_eq(end_action(change), 0);
	cr_expect_eq(create_flow(&r, &f, NULL), -EINVAL, "it was destroyed");
}

/* Rules of one match agree on what is done to a packet, or the second is refused; one without
 * a tag accepts any (fs_core.c, check_conflicting_actions, check_conflicting_ftes). */
Test(SUITE, rules_of_a_match_agree)
{
	enum { PLAIN, TAG, OTHER_TAG, DROP, CHANGE, OTHER_CHANGE, DECAP, L3, OTHER_L3, KINDS };
	struct matcher m = dmac_matcher();
	struct rule kind[KINDS];
	uint32_t one, two;

	kind[0] = rule_of(&r, new_matcher(&r, &m));
	for (int i = 1; i < KINDS; i++) {
		kind[i] = kind[0];
		kind[i].actions = i >= CHANGE;
	}
	kind[TAG].tag = 1;
	kind[OTHER_TAG].tag = 2;
	kind[DROP].qp = NONE;
	kind[DROP].flags = MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP;
	cr_assert_eq(list_of_fields(&kind[CHANGE].action[0]), 0);
	cr_assert_eq(list_of_fields(&kind[OTHER_CHANGE].action[0]), 0);
	cr_assert_eq(reformat(TUNNEL_TO_L2, RX, 0, &kind[DECAP].action[0]), 0);
	cr_assert_eq(reformat(L3_TO_L2, RX, 14, &kind[L3].action[0]), 0);
	cr_assert_eq(reformat(L3_TO_L2, RX, 14, &kind[OTHER_L3].action[0]), 0);
	for (int i = 0; i < KINDS * KINDS; i++) {
		int first = i / KINDS, second = i % KINDS;
		bool agree = first == second || (second == PLAIN && first <= OTHER_TAG);

		cr_assert_eq(create_rule(&r, &kind[first], &one), 0);
		cr_expect_eq(create_rule(&r, &kind[second], &two), agree ? 0 : -EEXIST,
			     "%d, then %d", first, second);
		cr_assert_eq(agree ? end_rule(&r, two) : 0, 0);
		cr_assert_eq(end_rule(&r, one), 0);
	}
}
