/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow rules of raw packet QPs, counters, matchers and actions of mlx5dv. */
#include "calls.h"

static struct ibv_qp *raw, *rc;

struct rule {
	struct ibv_flow_attr attr;
	uint8_t specs[256]; /* follow without a hole */
};

static void add(struct rule *r, const void *spec, uint16_t size)
{
	memcpy((uint8_t *)r + r->attr.size, spec, size);
	r->attr.size = (uint16_t)(r->attr.size + size);
	r->attr.num_of_specs++;
}

static struct rule begin(void)
{
	return (struct rule){ .attr = { .size = sizeof(struct ibv_flow_attr), .port = 1 } };
}

static void create(struct ibv_qp *qp, struct rule *r, const char *what,
		   unsigned long long value)
{
	struct ibv_flow *flow =
		MADE(ibv_create_flow(qp, &r->attr), "ibv_create_flow %s=%#llx", what, value);

	if (flow)
		DONE(ibv_destroy_flow(flow), "ibv_destroy_flow");
}

static struct ibv_flow_spec_eth eth(uint8_t first_byte)
{
	struct ibv_flow_spec_eth s = { .type = IBV_FLOW_SPEC_ETH, .size = sizeof(s) };

	s.val.dst_mac[0] = first_byte;
	s.val.dst_mac[5] = 1;
	memset(s.mask.dst_mac, 0xff, 6);
	return s;
}

static void attributes(void)
{
	struct ibv_flow_spec_eth s = eth(2);
	struct rule r;

	for (unsigned int type = 0; type <= 4; type++)
		for (uint32_t flags = 0; flags <= 8; flags = flags ? flags << 1 : 1)
			for (int with = 0; with <= 1; with++) {
				/* Linux 6.1 dereferences NULL after the refusal of the firmware. */
				if (type == IBV_FLOW_ATTR_SNIFFER &&
				    flags == IBV_FLOW_ATTR_FLAGS_EGRESS)
					continue;
				r = begin();
				r.attr.type = (enum ibv_flow_attr_type)type;
				r.attr.flags = flags;
				if (with)
					add(&r, &s, sizeof(s));
				create(raw, &r, "type/flags/specs",
				       type << 8 | flags << 4 | (unsigned int)with);
			}
	for (unsigned int port = 0; port <= 2; port++) {
		r = begin();
		r.attr.port = (uint8_t)port;
		add(&r, &s, sizeof(s));
		create(raw, &r, "port", port);
	}
	for (uint32_t priority = 0; priority <= 65535; priority = priority * 2 + 1) {
		r = begin();
		r.attr.priority = (uint16_t)priority;
		add(&r, &s, sizeof(s));
		create(raw, &r, "priority", priority);
	}
	for (uint32_t mask = 1; mask <= 2; mask++) {
		r = begin();
		r.attr.comp_mask = mask;
		add(&r, &s, sizeof(s));
		create(raw, &r, "comp_mask", mask);
	}
	for (unsigned int n = 0; n <= 3; n++) {
		r = begin();
		add(&r, &s, sizeof(s));
		r.attr.num_of_specs = (uint8_t)n;
		create(raw, &r, "num_of_specs", n);
	}
	r = begin();
	add(&r, &s, sizeof(s));
	create(rc, &r, "RC", 0);
}

/* A specification of each type by itself, then under one of Ethernet; with an empty, a
 * partial and a full mask. */
static void specifications(void)
{
	static const struct {
		unsigned int type;
		uint16_t size;
	} specs[] = {
		{ IBV_FLOW_SPEC_ETH, sizeof(struct ibv_flow_spec_eth) },
		{ IBV_FLOW_SPEC_IPV4, sizeof(struct ibv_flow_spec_ipv4) },
		{ IBV_FLOW_SPEC_IPV6, sizeof(struct ibv_flow_spec_ipv6) },
		{ IBV_FLOW_SPEC_IPV4_EXT, sizeof(struct ibv_flow_spec_ipv4_ext) },
		{ IBV_FLOW_SPEC_ESP, sizeof(struct ibv_flow_spec_esp) },
		{ IBV_FLOW_SPEC_TCP, sizeof(struct ibv_flow_spec_tcp_udp) },
		{ IBV_FLOW_SPEC_UDP, sizeof(struct ibv_flow_spec_tcp_udp) },
		{ IBV_FLOW_SPEC_VXLAN_TUNNEL, sizeof(struct ibv_flow_spec_tunnel) },
		{ IBV_FLOW_SPEC_GRE, sizeof(struct ibv_flow_spec_gre) },
		{ IBV_FLOW_SPEC_MPLS, sizeof(struct ibv_flow_spec_mpls) },
		{ IBV_FLOW_SPEC_ACTION_TAG, sizeof(struct ibv_flow_spec_action_tag) },
		{ IBV_FLOW_SPEC_ACTION_DROP, sizeof(struct ibv_flow_spec_action_drop) },
		{ 0x60 + 1, sizeof(struct ibv_flow_spec_eth) },
	};
	static const uint8_t fills[] = { 0, 1, 0x0f, 0xff };

	for (size_t i = 0; i < COUNT(specs); i++)
		for (size_t f = 0; f < COUNT(fills); f++)
			for (unsigned int how = 0; how <= 4; how++) {
				struct ibv_flow_spec_eth s = eth(2);
				uint8_t bytes[64];
				struct rule r = begin();

				memset(bytes, fills[f], sizeof(bytes));
				/* enum ibv_flow_spec_type type; uint16_t size; */
				memcpy(bytes,
				       &(uint32_t){ specs[i].type |
						    (how == 4 ? IBV_FLOW_SPEC_INNER : 0) },
				       4);
				memcpy(bytes + 4,
				       &(uint16_t){ (uint16_t)(specs[i].size - (how == 2)) },
				       2);
				if (how == 1)
					add(&r, &s, sizeof(s));
				add(&r, bytes, specs[i].size);
				if (how == 3)
					add(&r, bytes, specs[i].size);
				create(raw, &r, "specification",
				       specs[i].type << 16 | (unsigned int)fills[f] << 8 | how);
			}
}

static void counted(void)
{
	struct ibv_counters_init_attr init = { 0 };
	struct ibv_counters *counters =
		MADE(ibv_create_counters(bench.ctx, &init), "ibv_create_counters");
	struct ibv_flow_spec_counter_action action = { IBV_FLOW_SPEC_ACTION_COUNT,
						       sizeof(action), counters };
	struct ibv_flow_spec_eth s = eth(2);
	struct ibv_flow *flow;
	struct rule r = begin();
	uint64_t read[4];

	NEED(counters);
	add(&r, &s, sizeof(s));
	add(&r, &action, sizeof(action));
	for (unsigned int what = 0; what <= 3; what++)
		for (unsigned int index = 0; index <= 65; index = index ? index * 64 + 1 : 1) {
			struct ibv_counter_attach_attr a = { (enum ibv_counter_description)what,
							     index, 0 };

			DONE(ibv_attach_counters_point_flow(counters, &a, NULL),
			     "ibv_attach_counters_point_flow description=%u index=%u", what,
			     index);
		}
	flow = MADE(ibv_create_flow(raw, &r.attr), "ibv_create_flow counted");
	for (uint32_t n = 0; n <= 4; n++)
		for (uint32_t flags = 0; flags <= 2; flags++) {
			memset(read, 0xee, sizeof(read));
			if (!DONE(ibv_read_counters(counters, read, n, flags),
				  "ibv_read_counters n=%u flags=%u", n, flags))
				put("%llx %llx", (unsigned long long)read[0],
				    (unsigned long long)read[1]);
		}
	DONE(ibv_destroy_counters(counters), "ibv_destroy_counters in-use");
	if (flow) {
		DONE(ibv_destroy_qp(raw), "ibv_destroy_qp in-use");
		DONE(ibv_destroy_flow(flow), "ibv_destroy_flow");
		DONE(ibv_destroy_counters(counters), "ibv_destroy_counters");
	}
	init.comp_mask = 1;
	MADE(ibv_create_counters(bench.ctx, &init), "ibv_create_counters comp_mask=1");
}

struct match {
	size_t size;
	uint8_t bytes[512];
};

static void matchers(void)
{
	static const size_t sizes[] = { 0, 1, 63, 64, 128, 192, 256, 320, 384, 448, 512 };
	struct match match = { 64, { [0x18] = 0 } };
	struct mlx5dv_flow_matcher_attr a = {
		.match_mask = (struct mlx5dv_flow_match_parameters *)&match
	};
	struct mlx5dv_flow_matcher *m;

	for (size_t i = 0; i < COUNT(sizes); i++)
		for (unsigned int enable = 0; enable <= 64; enable = enable ? enable << 1 : 1) {
			match.size = sizes[i];
			a.match_criteria_enable = (uint8_t)enable;
			m = MADE(mlx5dv_create_flow_matcher(bench.ctx, &a),
				 "mlx5dv_create_flow_matcher size=%zu enable=%u", sizes[i],
				 enable);
			if (m)
				DONE(mlx5dv_destroy_flow_matcher(m),
				     "mlx5dv_destroy_flow_matcher");
		}
	match.size = 64;
	a.match_criteria_enable = 1;
	match.bytes[1] = 0xff; /* a bit of the source MAC address */
	for (unsigned int type = 0; type <= 4; type++)
		for (uint32_t flags = 0; flags <= 8; flags = flags ? flags << 1 : 1)
			for (uint64_t mask = 0; mask <= 2; mask++)
				for (unsigned int table = 0; table <= (mask ? 5 : 0); table++) {
					a.type = (enum ibv_flow_attr_type)type;
					a.flags = flags;
					a.comp_mask = mask;
					a.ft_type = (enum mlx5dv_flow_table_type)table;
					m = MADE(
						mlx5dv_create_flow_matcher(bench.ctx, &a),
						"mlx5dv_create_flow_matcher type=%u flags=%u comp_mask=%u table=%u",
						type, flags, (unsigned int)mask, table);
					if (m)
						DONE(mlx5dv_destroy_flow_matcher(m),
						     "mlx5dv_destroy_flow_matcher");
				}
}

static void rules(void)
{
	struct match mask = { 64, { 0xff, 0xff } }, value = { 64, { 2, 1 } };
	struct mlx5dv_flow_matcher_attr attr = {
		.match_mask = (struct mlx5dv_flow_match_parameters *)&mask,
		.match_criteria_enable = 1
	};
	struct mlx5dv_flow_matcher *m = MADE(mlx5dv_create_flow_matcher(bench.ctx, &attr),
					     "mlx5dv_create_flow_matcher");
	struct ibv_counters_init_attr init = { 0 };
	struct ibv_counters *counters = ibv_create_counters(bench.ctx, &init);

	NEED(m && counters);
	for (unsigned int first = 0; first <= 8; first++)
		for (unsigned int second = 0; second <= 9; second++) {
			struct mlx5dv_flow_action_attr actions[2];
			const unsigned int types[] = { first, second };
			struct ibv_flow *flow;

			if (first == MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION ||
			    second == MLX5DV_FLOW_ACTION_IBV_FLOW_ACTION ||
			    first == MLX5DV_FLOW_ACTION_DEST_DEVX ||
			    second == MLX5DV_FLOW_ACTION_DEST_DEVX ||
			    first == MLX5DV_FLOW_ACTION_COUNTERS_DEVX ||
			    second == MLX5DV_FLOW_ACTION_COUNTERS_DEVX)
				continue; /* they need other objects */
			for (size_t i = 0; i < 2; i++) {
				actions[i].type = (enum mlx5dv_flow_action_type)types[i];
				if (types[i] == MLX5DV_FLOW_ACTION_DEST_IBV_QP)
					actions[i].qp = raw;
				else if (types[i] == MLX5DV_FLOW_ACTION_IBV_COUNTER)
					actions[i].counter = counters;
				else
					actions[i].tag_value = 5;
			}
			flow = MADE(mlx5dv_create_flow(
					    m, (struct mlx5dv_flow_match_parameters *)&value,
					    second == 9 ? 1 : 2, actions),
				    "mlx5dv_create_flow actions=%u,%u", first, second);
			if (!flow)
				continue;
			DONE(mlx5dv_destroy_flow_matcher(m),
			     "mlx5dv_destroy_flow_matcher in-use");
			DONE(ibv_destroy_flow(flow), "ibv_destroy_flow");
		}
	DONE(ibv_destroy_counters(counters), "ibv_destroy_counters");
	DONE(mlx5dv_destroy_flow_matcher(m), "mlx5dv_destroy_flow_matcher");
}

static void destroy_action(struct ibv_flow_action *action)
{
	if (action)
		DONE(ibv_destroy_flow_action(action), "ibv_destroy_flow_action");
}

static void actions(void)
{
	/* SET of the first 4 bytes of a MAC address: action type 1, field 1 */
	uint64_t header[2] = { htobe64(0x1001000000000001ull), htobe64(0xf001000000000001ull) };
	uint8_t data[256] = { 2, 1 };

	for (unsigned int table = 0; table <= 5; table++) {
		for (size_t size = 0; size <= 16; size += 4)
			destroy_action(MADE(
				mlx5dv_create_flow_action_modify_header(
					bench.ctx, size, header,
					(enum mlx5dv_flow_table_type)table),
				"mlx5dv_create_flow_action_modify_header size=%zu table=%u",
				size, table));
		for (unsigned int type = 0; type <= 4; type++)
			for (size_t size = 0; size <= 256; size = size * 2 + 7)
				destroy_action(MADE(
					mlx5dv_create_flow_action_packet_reformat(
						bench.ctx, size, size ? data : NULL,
						(enum mlx5dv_flow_action_packet_reformat_type)
							type,
						(enum mlx5dv_flow_table_type)table),
					"mlx5dv_create_flow_action_packet_reformat type=%u size=%zu table=%u",
					type, size, table));
	}
	for (unsigned int table = 0; table <= 5; table++)
		for (uint16_t priority = 0; priority <= 16;
		     priority = (uint16_t)(priority * 2 + 1)) {
			struct mlx5dv_steering_anchor_attr a = {
				(enum mlx5dv_flow_table_type)table, priority, 0
			};
			struct mlx5dv_steering_anchor *anchor =
				MADE(mlx5dv_create_steering_anchor(bench.ctx, &a),
				     "mlx5dv_create_steering_anchor table=%u priority=%u",
				     table, priority);

			if (anchor)
				DONE(mlx5dv_destroy_steering_anchor(anchor),
				     "mlx5dv_destroy_steering_anchor");
		}
}

void flow_calls(void)
{
	struct ibv_qp_init_attr a = { .send_cq = bench.cq,
				      .recv_cq = bench.cq,
				      .cap = { 4, 4, 1, 1, 0 },
				      .qp_type = IBV_QPT_RAW_PACKET };

	raw = MADE(ibv_create_qp(bench.pd, &a), "ibv_create_qp raw");
	a.qp_type = IBV_QPT_RC;
	rc = MADE(ibv_create_qp(bench.pd, &a), "ibv_create_qp RC");
	NEED(raw && rc);
	attributes();
	specifications();
	counted();
	matchers();
	rules();
	actions();
	DONE(ibv_destroy_qp(rc), "ibv_destroy_qp");
	DONE(ibv_destroy_qp(raw), "ibv_destroy_qp");
}
