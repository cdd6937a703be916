/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The action rss as a QP with an indirection table: its queues are WQs of the targets. The
 * kernel wants one kind of addresses and one of ports per QP, and a key of 40 bytes; without a
 * hash one queue. "devx" has a TIR instead of the QP.
 */
#include <errno.h>
#include <string.h>

#include <devx/raw.h>

#include "rss.h"

enum { KEY_BYTES = 40, TABLE_MAX = 512 };

/* That of Microsoft's "Verifying the RSS Hash Calculation". */
static const uint8_t default_key[KEY_BYTES] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static uint64_t addresses(uint64_t types, bool ipv6)
{
	uint64_t both = FLOW_RSS_TYPE_L3_SRC_ONLY | FLOW_RSS_TYPE_L3_DST_ONLY, hash = 0;

	if (!(types & both))
		types |= both;
	if (types & FLOW_RSS_TYPE_L3_SRC_ONLY)
		hash |= ipv6 ? IBV_RX_HASH_SRC_IPV6 : IBV_RX_HASH_SRC_IPV4;
	if (types & FLOW_RSS_TYPE_L3_DST_ONLY)
		hash |= ipv6 ? IBV_RX_HASH_DST_IPV6 : IBV_RX_HASH_DST_IPV4;
	return hash;
}

static uint64_t ports(uint64_t types, bool udp)
{
	uint64_t both = FLOW_RSS_TYPE_L4_SRC_ONLY | FLOW_RSS_TYPE_L4_DST_ONLY, hash = 0;

	if (!(types & both))
		types |= both;
	if (types & FLOW_RSS_TYPE_L4_SRC_ONLY)
		hash |= udp ? IBV_RX_HASH_SRC_PORT_UDP : IBV_RX_HASH_SRC_PORT_TCP;
	if (types & FLOW_RSS_TYPE_L4_DST_ONLY)
		hash |= udp ? IBV_RX_HASH_DST_PORT_UDP : IBV_RX_HASH_DST_PORT_TCP;
	return hash;
}

enum {
	V4 = FLOW_RSS_TYPE_IPV4 | FLOW_RSS_TYPE_IPV4_TCP | FLOW_RSS_TYPE_IPV4_UDP,
	V6 = FLOW_RSS_TYPE_IPV6 | FLOW_RSS_TYPE_IPV6_TCP | FLOW_RSS_TYPE_IPV6_UDP,
};

/* The types that packets of the rule can have: no types are those of IP, and what the pattern
 * says excludes the others, as in DPDK's mlx5 driver (mlx5_flow_dv_hashfields_set). */
static uint64_t types_of(const struct dv_flow *f)
{
	enum { TCP = 6, UDP = 17 };
	const uint8_t *value = PRM_ADDR(fte_match_param, f->making->match.value, outer_headers);
	const uint8_t *mask = PRM_ADDR(fte_match_param, f->making->match.mask, outer_headers);
	uint64_t types = dv_flow_action_arg(f->making->plan.rss, FLOW_ARG_RSS_TYPES);
	uint64_t version = PRM_GET(fte_match_set_lyr_2_4, value, ip_version);
	uint64_t protocol = PRM_GET(fte_match_set_lyr_2_4, value, ip_protocol);

	if (!types && !version)
		return 0;
	if (!types)
		types = FLOW_RSS_TYPE_IP;
	if (version)
		types &= version == 4 ? ~(uint64_t)V6 : ~(uint64_t)V4;
	/* The addresses of a type of ports count for other protocols, too. */
	if (types & V4)
		types |= FLOW_RSS_TYPE_IPV4;
	if (types & V6)
		types |= FLOW_RSS_TYPE_IPV6;
	if (PRM_GET(fte_match_set_lyr_2_4, mask, ip_protocol) == 0xff && protocol != TCP)
		types &= ~(uint64_t)FLOW_RSS_TYPE_TCP;
	if (PRM_GET(fte_match_set_lyr_2_4, mask, ip_protocol) == 0xff && protocol != UDP)
		types &= ~(uint64_t)FLOW_RSS_TYPE_UDP;
	return types;
}

/* The fields that the TIR hashes; 0: all packets go to the first queue. */
static int hash_fields(const struct dv_flow *f, uint64_t *hash, struct dv_flow_error *error)
{
	const uint64_t tcp = FLOW_RSS_TYPE_TCP, udp = FLOW_RSS_TYPE_UDP;
	uint64_t types = types_of(f);

	*hash = 0;
	if ((types & V4 && types & V6) || (types & tcp && types & udp))
		return flow_refuse(error, EOPNOTSUPP,
				   "rss types: IPv4 and IPv6, or TCP and UDP: the pattern "
				   "does not say which of them");
	if (types & (V4 | V6))
		*hash = addresses(types, types & V6);
	if (types & (tcp | udp))
		*hash |= ports(types, types & udp);
	return 0;
}

static int check_types(uint64_t types, struct dv_flow_error *error)
{
	const uint64_t l3 = FLOW_RSS_TYPE_L3_SRC_ONLY | FLOW_RSS_TYPE_L3_DST_ONLY;
	const uint64_t l4 = FLOW_RSS_TYPE_L4_SRC_ONLY | FLOW_RSS_TYPE_L4_DST_ONLY;

	if (types & FLOW_RSS_TYPE_ESP)
		return flow_refuse(error, EOPNOTSUPP, "rss types: esp is not supported");
	if ((types & l3 && !(types & (V4 | V6))) ||
	    (types & l4 && !(types & (FLOW_RSS_TYPE_TCP | FLOW_RSS_TYPE_UDP))))
		return flow_refuse(error, EINVAL, "rss types: src-only or dst-only of nothing");
	return 0;
}

static int check(const struct dv_flow_action *rss, const struct dv_flow_targets *t,
		 struct dv_flow_error *error)
{
	if (!rss->queues || rss->queues > FLOW_MAX_QUEUES)
		return flow_refuse(error, EINVAL, "rss queues: 1 to %u", FLOW_MAX_QUEUES);
	for (unsigned int i = 0; i < rss->queues; i++)
		if (rss->queue[i] >= t->n_wq)
			return flow_refuse(error, EINVAL,
					   "rss queues: the targets have no WQ %u",
					   rss->queue[i]);
	if (!t->pd)
		return flow_refuse(error, EINVAL, "rss: the targets have no PD");
	if (dv_flow_action_arg(rss, FLOW_ARG_RSS_FUNC) > FLOW_RSS_FUNC_TOEPLITZ)
		return flow_refuse(error, EOPNOTSUPP, "rss func: the kernel has toeplitz");
	if (dv_flow_action_arg(rss, FLOW_ARG_RSS_LEVEL) > 1)
		return flow_refuse(error, EOPNOTSUPP, "rss level: of the outer headers only");
	if (rss->bytes_len && rss->bytes_len != KEY_BYTES)
		return flow_refuse(error, EINVAL, "rss key: it has 40 bytes");
	return check_types(dv_flow_action_arg(rss, FLOW_ARG_RSS_TYPES), error);
}

/* Size of the indirection table. If the number of queues is not a power of two, it is the
 * largest of the device, at most 512 entries, so that the queues get about as many entries each
 * (DPDK, mlx5_ind_table_obj_setup). */
static unsigned int log_size(struct dv_flow *f, unsigned int queues)
{
	struct ibv_device_attr_ex attr = { .rss_caps = { 0 } };
	unsigned int log = 0, max = 0;

	while (1u << log < queues)
		log++;
	if (1u << log == queues)
		return log;
	if (!ibv_query_device_ex(f->port->ctx, NULL, &attr))
		max = attr.rss_caps.max_rwq_indirection_table_size;
	while (1u << log < TABLE_MAX && 2u << log <= max)
		log++;
	return log;
}

/* The queues repeat until the table is full. */
static int create_table(struct dv_flow *f, unsigned int queues, struct dv_flow_error *error)
{
	const struct dv_flow_action *rss = f->making->plan.rss;
	struct ibv_wq *list[TABLE_MAX];
	struct ibv_rwq_ind_table_init_attr table = { .ind_tbl = list };

	table.log_ind_tbl_size = log_size(f, queues);
	for (unsigned int i = 0; i < 1u << table.log_ind_tbl_size; i++)
		list[i] = f->port->targets.wq[rss->queue[i % queues]];
	f->ind_table = ibv_create_rwq_ind_table(f->port->ctx, &table);
	return f->ind_table ? 0
			    : flow_refuse(error, errno, "ibv_create_rwq_ind_table: %s",
					  strerror(errno));
}

static int create_qp(struct dv_flow *f, uint64_t hash, uint8_t *key,
		     struct dv_flow_error *error)
{
	struct ibv_qp_init_attr_ex qp = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			     IBV_QP_INIT_ATTR_RX_HASH,
		.pd = f->port->targets.pd,
		.rwq_ind_tbl = f->ind_table,
		.rx_hash_conf = { .rx_hash_function = IBV_RX_HASH_FUNC_TOEPLITZ,
				  .rx_hash_key_len = KEY_BYTES,
				  .rx_hash_key = key,
				  .rx_hash_fields_mask = hash },
	};

	f->rss = ibv_create_qp_ex(f->port->ctx, &qp);
	return f->rss ? 0
		      : flow_refuse(error, errno, "ibv_create_qp_ex for rss: %s",
				    strerror(errno));
}

static uint32_t fields_of(uint64_t hash)
{
	const uint64_t src_ip = IBV_RX_HASH_SRC_IPV4 | IBV_RX_HASH_SRC_IPV6;
	const uint64_t dst_ip = IBV_RX_HASH_DST_IPV4 | IBV_RX_HASH_DST_IPV6;
	const uint64_t src_port = IBV_RX_HASH_SRC_PORT_TCP | IBV_RX_HASH_SRC_PORT_UDP;
	const uint64_t dst_port = IBV_RX_HASH_DST_PORT_TCP | IBV_RX_HASH_DST_PORT_UDP;

	return (hash & src_ip ? DEVX_RX_HASH_SRC_IP : 0) |
	       (hash & dst_ip ? DEVX_RX_HASH_DST_IP : 0) |
	       (hash & src_port ? DEVX_RX_HASH_L4_SPORT : 0) |
	       (hash & dst_port ? DEVX_RX_HASH_L4_DPORT : 0);
}

/* An entry of a table wants the number of the TIR. That of a QP with an indirection table is
 * not known: mlx5dv_init_obj() reads a BlueFlame register, of which such a QP has none
 * (rdma-core, providers/mlx5/mlx5.c, mlx5dv_get_qp). The number of the indirection table is
 * that of its RQT (kernel, mlx5_ib, mlx5_ib_create_rwq_ind_table). */
static int create_tir(struct dv_flow *f, uint64_t hash, const uint8_t *key,
		      struct dv_flow_error *error)
{
	struct devx_tir_attr tir = {
		.hash_fn = DEVX_RX_HASH_TOEPLITZ,
		.ipv6 = hash & (IBV_RX_HASH_SRC_IPV6 | IBV_RX_HASH_DST_IPV6),
		.udp = hash & (IBV_RX_HASH_SRC_PORT_UDP | IBV_RX_HASH_DST_PORT_UDP),
		.selected_fields = fields_of(hash),
	};
	int err = devx_td_create(&f->rss_td, f->port->ctx);

	tir.transport_domain = f->rss_td.id;
	tir.rqtn = f->ind_table->ind_tbl_num;
	memcpy(tir.toeplitz_key, key, KEY_BYTES);
	if (!err)
		err = devx_tir_create(&f->rss_tir, f->port->ctx, &tir);
	return err ? flow_refuse_command(err, error) : 0;
}

int flow_rss_create(struct dv_flow *f, struct dv_flow_error *error)
{
	const struct dv_flow_action *rss = f->making->plan.rss;
	uint8_t key[KEY_BYTES];
	uint64_t hash = 0;
	int err;

	if (!rss)
		return 0;
	err = check(rss, &f->port->targets, error);
	if (!err)
		err = hash_fields(f, &hash, error);
	if (err)
		return err;
	memcpy(key, rss->bytes_len ? rss->bytes : default_key, KEY_BYTES);
	err = create_table(f, hash ? rss->queues : 1, error);
	if (err)
		return err;
	return f->port->backend == &flow_devx ? create_tir(f, hash, key, error)
					      : create_qp(f, hash, key, error);
}

int flow_rss_destroy(struct dv_flow *f)
{
	int err = f->rss ? ibv_destroy_qp(f->rss) : 0;

	if (err)
		return err;
	f->rss = NULL;
	err = devx_tir_destroy(&f->rss_tir);
	if (!err)
		err = devx_td_destroy(&f->rss_td);
	if (err)
		return err;
	err = f->ind_table ? ibv_destroy_rwq_ind_table(f->ind_table) : 0;
	if (!err)
		f->ind_table = NULL;
	return err;
}
