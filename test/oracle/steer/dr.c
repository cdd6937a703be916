/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of mlx5dv_dr: a matcher for each group, whose priority is the place of the group; a
 * queue for each rule. The emulator says to which of them a packet goes.
 *
 * Masks are as libmlx5 needs them: the IP version for all fields of IP, the protocol as a
 * whole, and for fields of L4, which entries have in one place, their protocol, no fragment.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <dvkit/emu.h>
#include <infiniband/mlx5dv.h>

#include "backend.h"
#include "prm/prm.h"

#define MATCH 0x1c0 /* bytes that libmlx5 takes */
#define OUTER 0x01  /* bits of the criteria */
#define MISC3 0x10

struct parameters {
	size_t size;
	uint64_t bytes[MATCH / 8];
};

struct rule {
	uint32_t index;
	uint8_t value[MATCH];
	struct mlx5dv_dr_rule *rule;
};

static struct {
	struct ibv_context *ctx;
	struct mlx5dv_dr_table *root, *table;
	struct mlx5dv_dr_action *to[RULES_MAX];
	uint32_t tirn[RULES_MAX];
	struct mlx5dv_dr_matcher *matcher[GROUPS_MAX];
	struct rule rule[RULES_MAX];
	uint32_t matchers, rules, group; /* group: the first rule of the latest */
	uint8_t version, protocol;	 /* of the latest mask */
	int64_t tir;
} d;

static void *made(void *object, const char *what)
{
	if (!object)
		err(2, "%s", what);
	return object;
}

static struct mlx5dv_flow_match_parameters *parameters(const uint8_t *bytes)
{
	static struct parameters p;

	p.size = MATCH;
	memset(p.bytes, 0, MATCH);
	if (bytes)
		memcpy(p.bytes, bytes, MATCH);
	return (struct mlx5dv_flow_match_parameters *)&p;
}

/* ---- packets ---- */

static void take(void *ctx, const struct dvkit_emu_flow_step *step)
{
	(void)ctx;
	if (step->did == DVKIT_EMU_FLOW_QUEUE)
		d.tir = step->dest_id;
	if (step->did == DVKIT_EMU_FLOW_ROCE)
		d.tir = NOT_ASKED;
}

/* The TIR to which it goes. */
static int64_t way(const uint8_t *bytes, size_t len)
{
	const struct dvkit_emu_flow_packet p = { .bytes = bytes, .len = len, .any_mac = true };

	d.tir = NO_RULE;
	if (dvkit_emu_flow_trace(&p, sizeof(p), take, sizeof(struct dvkit_emu_flow_step), NULL))
		errx(2, "the emulator does not report the way of a packet");
	return d.tir;
}

static int64_t ask(const struct packet *p)
{
	int64_t tir = way(p->bytes, p->len);

	if (tir < 0)
		return tir;
	for (uint32_t i = 0; i < d.rules; i++)
		if (d.tirn[i] == tir)
			return d.rule[i].index;
	errx(2, "no rule leads to TIR 0x%llx", (long long)tir);
}

static void print(void *ctx, const struct dvkit_emu_flow_step *step)
{
	(void)ctx;
	if (!step->ste)
		return;
	fprintf(stderr, "STE 0x%llx, lookup 0x%x, %s:", (unsigned long long)step->icm_address,
		step->lookup, step->did == DVKIT_EMU_FLOW_STE_HIT ? "hit" : "miss");
	for (uint32_t i = 0; i < step->n_bits; i++)
		fprintf(stderr, " %s & 0x%x: 0x%x %s 0x%x", step->bits[i].name,
			step->bits[i].mask, step->bits[i].packet,
			step->bits[i].packet == step->bits[i].value ? "=" : "!=",
			step->bits[i].value);
	fprintf(stderr, "\n");
}

static void explain(const struct packet *p)
{
	const struct dvkit_emu_flow_packet q = { .bytes = p->bytes,
						 .len = p->len,
						 .any_mac = true };

	dvkit_emu_flow_trace(&q, sizeof(q), print, sizeof(struct dvkit_emu_flow_step), NULL);
}

/* ---- the device ---- */

static struct ibv_qp *queue(void)
{
	static struct ibv_pd *pd;
	static struct ibv_cq *cq;
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RAW_PACKET,
					 .cap = { 1, 1, 1, 1, 0 } };

	pd = pd ? pd : made(ibv_alloc_pd(d.ctx), "PD");
	cq = cq ? cq : made(ibv_create_cq(d.ctx, 16, NULL, NULL, 0), "CQ");
	attr.send_cq = attr.recv_cq = cq;
	return made(ibv_create_qp(pd, &attr), "QP");
}

static struct mlx5dv_dr_matcher *matcher(struct mlx5dv_dr_table *table, uint16_t priority,
					 const uint8_t *mask)
{
	static const uint8_t zeros[MATCH];
	uint8_t criteria = 0;

	if (mask && memcmp(mask, zeros, 0x40) != 0)
		criteria |= OUTER;
	if (mask &&
	    memcmp(mask + PRM_OFF(fte_match_param, misc_parameters_3) / 8, zeros, 0x40) != 0)
		criteria |= MISC3;
	return mlx5dv_dr_matcher_create(table, priority, criteria, parameters(mask));
}

/* Learns the TIR of each queue from the way of a packet with a rule for it alone. */
static void open_device(void)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);
	static const uint8_t packet[60] = { 2, [12] = 0x88, 0xb5 };
	struct mlx5dv_dr_domain *domain;
	struct mlx5dv_dr_matcher *all;
	struct mlx5dv_dr_action *jump;

	d.ctx = made(list && list[0] ? mlx5dv_open_device(list[0], &attr) : NULL, "device");
	domain = made(mlx5dv_dr_domain_create(d.ctx, MLX5DV_DR_DOMAIN_TYPE_NIC_RX), "domain");
	d.root = made(mlx5dv_dr_table_create(domain, 0), "root table");
	d.table = made(mlx5dv_dr_table_create(domain, 1), "table");
	jump = made(mlx5dv_dr_action_create_dest_table(d.table), "action table");
	made(mlx5dv_dr_rule_create(made(matcher(d.root, 0, NULL), "matcher"), parameters(NULL),
				   1, &jump),
	     "rule");
	all = made(matcher(d.table, 0, NULL), "matcher");
	for (uint32_t i = 0; i < RULES_MAX; i++) {
		struct mlx5dv_dr_rule *rule;

		d.to[i] = made(mlx5dv_dr_action_create_dest_ibv_qp(queue()), "action QP");
		rule = made(mlx5dv_dr_rule_create(all, parameters(NULL), 1, &d.to[i]), "rule");
		d.tirn[i] = (uint32_t)way(packet, sizeof(packet));
		if (mlx5dv_dr_rule_destroy(rule))
			errx(2, "a rule remains");
	}
	if (mlx5dv_dr_matcher_destroy(all))
		errx(2, "a matcher remains");
}

static void begin(void)
{
	if (!d.ctx)
		open_device();
	d.matchers = d.rules = 0;
}

/* ---- rules ---- */

#define GET(p, f)    PRM_GET(fte_match_set_lyr_2_4, p, f)
#define SET(p, f, v) PRM_SET(fte_match_set_lyr_2_4, p, f, v)

#define MISC_3(p, f) \
	PRM_GET(fte_match_set_misc3, PRM_ADDR(fte_match_param, p, misc_parameters_3), f)

/* The protocol whose fields the mask has; 0: none, 255: several. */
static uint8_t protocol(const uint8_t *mask)
{
	bool tcp = GET(mask, tcp_sport) || GET(mask, tcp_dport) || GET(mask, tcp_flags) ||
		   MISC_3(mask, outer_tcp_seq_num);
	bool udp = GET(mask, udp_sport) || GET(mask, udp_dport);
	bool icmp = MISC_3(mask, icmp_type) || MISC_3(mask, icmp_code);
	bool icmp6 = MISC_3(mask, icmpv6_type);

	if (tcp + udp + icmp + icmp6 > 1)
		return 255;
	return tcp ? 6 : udp ? 17 : icmp ? 1 : icmp6 ? 58 : 0;
}

static bool has_ip(const uint8_t *mask)
{
	static const uint8_t zeros[0x20];

	return GET(mask, ip_version) || GET(mask, ip_protocol) || GET(mask, ip_dscp) ||
	       GET(mask, ip_ecn) || GET(mask, ttl_hoplimit) || protocol(mask) ||
	       memcmp(PRM_ADDR(fte_match_set_lyr_2_4, mask, src_ipv4_src_ipv6), zeros, 0x20) !=
		       0;
}

static bool group(uint32_t first, uint8_t *mask)
{
	struct mlx5dv_dr_matcher *m;

	d.protocol = protocol(mask);
	if (d.protocol == 255)
		return false;
	d.version = d.protocol == 1    ? 4
		    : d.protocol == 58 ? 6
		    : !has_ip(mask)    ? 0
		    : first / SPAN % 2 ? 4
				       : 6;
	SET(mask, ip_version, d.version);
	if (d.protocol || GET(mask, ip_protocol))
		SET(mask, ip_protocol, 0xff);
	if (d.protocol)
		SET(mask, frag, 1);
	if (d.version == 4) {
		memset(PRM_ADDR(fte_match_set_lyr_2_4, mask, src_ipv4_src_ipv6), 0, 12);
		memset(PRM_ADDR(fte_match_set_lyr_2_4, mask, dst_ipv4_dst_ipv6), 0, 12);
	}
	m = matcher(d.table, first, mask);
	if (!m)
		return false;
	d.matcher[d.matchers++] = m;
	d.group = d.rules;
	/* The version is compared as a whole. */
	SET(mask, ip_version, d.version ? 0xf : 0);
	return true;
}

static bool rule(uint32_t index, const uint8_t *mask, uint8_t *value)
{
	struct rule *r = &d.rule[d.rules];

	(void)mask;
	SET(value, ip_version, d.version);
	if (d.protocol) {
		SET(value, ip_protocol, d.protocol);
		SET(value, frag, 0);
	}
	for (uint32_t i = d.group; i < d.rules; i++)
		if (!memcmp(d.rule[i].value, value, MATCH))
			return false;
	r->index = index;
	memcpy(r->value, value, MATCH);
	r->rule = made(mlx5dv_dr_rule_create(d.matcher[d.matchers - 1], parameters(value), 1,
					     &d.to[d.rules]),
		       "rule");
	d.rules++;
	return true;
}

static void end(void)
{
	for (uint32_t i = 0; i < d.rules; i++)
		if (mlx5dv_dr_rule_destroy(d.rule[i].rule))
			errx(2, "a rule remains");
	for (uint32_t i = 0; i < d.matchers; i++)
		if (mlx5dv_dr_matcher_destroy(d.matcher[i]))
			errx(2, "a matcher remains");
}

const struct backend backend = {
	.begin = begin, .group = group, .rule = rule, .ask = ask, .explain = explain, .end = end
};
