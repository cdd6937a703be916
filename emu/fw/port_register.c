/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of the port: its link, its cable, its counters.
 *
 *	PTYS eth_proto_admin ---.
 *	                         '- PAOS: down, up -> mode of the link -> PTYS eth_proto_oper
 *	                                  '- hca_adapter -> every process of the adapter: link, event
 *
 * They set state of the adapter (hca/adapter.h), not of the function. The counters are
 * read-only, and for programs the MTU, which is an option of the emulator.
 */
#include "fw/register.h"

/* Our cable, a copper one: the link runs 100GBASE-CR4, and could be one of 1, 10, 25, 40 and 50
 * Gb/s. */
#define MODE(name) (1u << PRM_ETH_LINK_MODE_##name)

/* The fastest first: the other end of the cable has them all. */
static const uint32_t modes[] = {
	MODE(100GBASE_CR4), MODE(50GBASE_CR2), MODE(40GBASE_CR4), MODE(25GBASE_CR),
	MODE(10GBASE_CR),   MODE(10GBASE_KR),  MODE(1000BASE_KX),
};

#define MAX_MTU (9978 + HCA_ETHERNET_OVERHEAD) /* of the network device: 9978 */

static uint32_t capable(void)
{
	uint32_t all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		all |= modes[i];
	return all;
}

static uint32_t fastest(uint32_t among)
{
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (modes[i] & among)
			return modes[i];
	return 0;
}

static uint8_t read_ptys(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	const struct hca_adapter *a = c->hca->adapter;
	uint32_t oper = atomic_load(&a->eth_proto_oper);

	if (PRM_GET(ptys_reg, ask, proto_mask) != PRM_PTYS_PROTO_EN)
		return FW_WHY_VALUE;
	PRM_SET(ptys_reg, reg, an_disable_cap, 1);
	PRM_SET(ptys_reg, reg, an_disable_admin, atomic_load(&a->an_off));
	PRM_SET(ptys_reg, reg, eth_proto_capability, capable());
	PRM_SET(ptys_reg, reg, eth_proto_admin, capable() & ~atomic_load(&a->eth_proto_not));
	if (!hca_link_is_down(c->hca))
		PRM_SET(ptys_reg, reg, eth_proto_oper, oper ? oper : modes[0]);
	return 0;
}

/* Kernel, en_ethtool.c: it sets the modes and then takes the port down and up
 * (mlx5_toggle_port_link). */
/* assumed(modes_count_when_the_link_comes_up): a write of PTYS changes the mode of the link
 * when the link comes up next; no modes, and modes that the port does not have, are
 * BAD_PARAM. */
static uint8_t write_ptys(struct fw_cmd *c, const uint8_t *reg)
{
	uint32_t admin = PRM_GET(ptys_reg, reg, eth_proto_admin);

	if (PRM_GET(ptys_reg, reg, proto_mask) != PRM_PTYS_PROTO_EN || !admin ||
	    admin & ~capable())
		return FW_WHY_VALUE;
	atomic_store(&c->hca->adapter->eth_proto_not, capable() & ~admin);
	atomic_store(&c->hca->adapter->an_off, PRM_GET(ptys_reg, reg, an_disable_admin));
	return 0;
}

/* assumed(pmtu_counts_the_ethernet_header): PMTU's numbers and the MTU of the vport are the
 * network device's MTU and 22 bytes: header, VLAN tag and FCS (mlx5_core, en.h,
 * MLX5E_SW2HW_MTU; en_main.c, mlx5e_set_mtu). */
static uint8_t read_pmtu(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	uint32_t mtu = atomic_load(&c->hca->adapter->mtu);

	if (!mtu)
		mtu = c->hca->port.mtu + HCA_ROCE_OVERHEAD + HCA_ETHERNET_OVERHEAD;
	(void)ask;
	PRM_SET(pmtu_reg, reg, max_mtu, MAX_MTU);
	PRM_SET(pmtu_reg, reg, admin_mtu, mtu);
	PRM_SET(pmtu_reg, reg, oper_mtu, mtu);
	return 0;
}

/* mlx5e sets it for its network device. The path MTU of RoCE stays that of the option. */
static uint8_t write_pmtu(struct fw_cmd *c, const uint8_t *reg)
{
	uint32_t mtu = PRM_GET(pmtu_reg, reg, admin_mtu);

	if (c->hca->life == HCA_UNOWNED)
		return FW_WHY_READ_ONLY;
	if (!mtu || mtu > MAX_MTU)
		return FW_WHY_VALUE;
	atomic_store(&c->hca->adapter->mtu, mtu);
	return 0;
}

static uint8_t read_paos(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	(void)ask;
	PRM_SET(paos_reg, reg, admin_status,
		atomic_load(&c->hca->adapter->admin) & 1 ? PRM_PORT_ADMIN_DOWN
							 : PRM_PORT_ADMIN_UP);
	PRM_SET(paos_reg, reg, oper_status,
		hca_link_is_down(c->hca) ? PRM_PORT_OPER_DOWN : PRM_PORT_OPER_UP);
	return 0;
}

/* The engines of the processes take the link away and bring it back (engine.c). Without ase the
 * state stays as it is (kernel, mlxsw, reg.h, reg_paos_ase: the same register of a switch). */
static uint8_t write_paos(struct fw_cmd *c, const uint8_t *reg)
{
	struct hca_adapter *a = c->hca->adapter;
	uint32_t status = PRM_GET(paos_reg, reg, admin_status);
	uint32_t changes = atomic_load(&a->admin);
	bool down = status == PRM_PORT_ADMIN_DOWN;

	if (!PRM_GET(paos_reg, reg, ase))
		return 0;
	if (status != PRM_PORT_ADMIN_UP && !down)
		return FW_WHY_VALUE;
	if ((changes & 1) == down)
		return 0;
	if (!down)
		atomic_store(&a->eth_proto_oper,
			     fastest(capable() & ~atomic_load(&a->eth_proto_not)));
	atomic_store(&a->admin, changes + 1);
	return 0;
}

/* assumed(port_pauses_at_first): a port receives and transmits pause frames of the whole link
 * until PFCC is written, and none of priorities. */
static uint8_t read_pfcc(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	uint32_t pause = atomic_load(&c->hca->adapter->pause);

	(void)ask;
	PRM_SET(pfcc_reg, reg, pptx, !(pause & HCA_PAUSE_TX_OFF));
	PRM_SET(pfcc_reg, reg, pprx, !(pause & HCA_PAUSE_RX_OFF));
	PRM_SET(pfcc_reg, reg, aptx, !(pause & HCA_PAUSE_TX_OFF));
	PRM_SET(pfcc_reg, reg, aprx, !(pause & HCA_PAUSE_RX_OFF));
	PRM_SET(pfcc_reg, reg, pfctx, pause >> 8 & 0xff);
	PRM_SET(pfcc_reg, reg, pfcrx, pause & 0xff);
	return 0;
}

/* Kernel, port.c: mlx5_set_port_pause() writes pptx and pprx; mlx5_set_port_pfc() pfctx and
 * pfcrx of the priorities in prio_mask_tx and prio_mask_rx. No frame of this port ever waits
 * for a pause frame, nor has it to send one. */
static uint8_t write_pfcc(struct fw_cmd *c, const uint8_t *reg)
{
	uint32_t pause = atomic_load(&c->hca->adapter->pause), mask, bits;

	if (!PRM_GET(pfcc_reg, reg, pptx_mask_n))
		pause = PRM_GET(pfcc_reg, reg, pptx) ? pause & ~HCA_PAUSE_TX_OFF
						     : pause | HCA_PAUSE_TX_OFF;
	if (!PRM_GET(pfcc_reg, reg, pprx_mask_n))
		pause = PRM_GET(pfcc_reg, reg, pprx) ? pause & ~HCA_PAUSE_RX_OFF
						     : pause | HCA_PAUSE_RX_OFF;
	mask = PRM_GET(pfcc_reg, reg, prio_mask_tx) << 8 | PRM_GET(pfcc_reg, reg, prio_mask_rx);
	bits = PRM_GET(pfcc_reg, reg, pfctx) << 8 | PRM_GET(pfcc_reg, reg, pfcrx);
	atomic_store(&c->hca->adapter->pause, (pause & ~mask) | (bits & mask));
	return 0;
}

#define COUNTER(layout, set, f, v)                         \
	do {                                               \
		PRM_SET(layout, set, f##_high, (v) >> 32); \
		PRM_SET(layout, set, f##_low, (v));        \
	} while (0)

/* A frame of RoCE is one of Ethernet, too. */
static uint64_t of_cast(const _Atomic uint64_t *casts, enum hca_cast a, enum hca_cast b)
{
	return casts[a] + casts[b];
}

#define UNICAST(casts)	 of_cast(casts, HCA_IB_UNICAST, HCA_ETH_UNICAST)
#define MULTICAST(casts) of_cast(casts, HCA_IB_MULTICAST, HCA_ETH_MULTICAST)

static void put_802_3(uint8_t *set, const struct hca_port_counts *n, uint32_t prio)
{
#define PUT(f, v) COUNTER(eth_802_3_cntrs_grp_data_layout, set, f, v)
	(void)prio;
	PUT(a_frames_transmitted_ok, hca_port_frames(&n->tx));
	PUT(a_frames_received_ok, hca_port_frames(&n->rx));
	PUT(a_octets_transmitted_ok, n->tx.octets);
	PUT(a_octets_received_ok, n->rx.octets);
	PUT(a_multicast_frames_xmitted_ok, MULTICAST(n->tx.frames));
	PUT(a_broadcast_frames_xmitted_ok, n->tx.frames[HCA_ETH_BROADCAST]);
	PUT(a_multicast_frames_received_ok, MULTICAST(n->rx.frames));
	PUT(a_broadcast_frames_received_ok, n->rx.frames[HCA_ETH_BROADCAST]);
	PUT(a_frame_too_long_errors, n->too_long);
#undef PUT
}

static void put_2863(uint8_t *set, const struct hca_port_counts *n, uint32_t prio)
{
#define PUT(f, v) COUNTER(eth_2863_cntrs_grp_data_layout, set, f, v)
	(void)prio;
	PUT(if_in_octets, n->rx.octets);
	PUT(if_in_ucast_pkts, UNICAST(n->rx.frames));
	PUT(if_in_multicast_pkts, MULTICAST(n->rx.frames));
	PUT(if_in_broadcast_pkts, n->rx.frames[HCA_ETH_BROADCAST]);
	PUT(if_out_octets, n->tx.octets);
	PUT(if_out_ucast_pkts, UNICAST(n->tx.frames));
	PUT(if_out_multicast_pkts, MULTICAST(n->tx.frames));
	PUT(if_out_broadcast_pkts, n->tx.frames[HCA_ETH_BROADCAST]);
#undef PUT
}

/* Only frames that were received (kernel, en_stats.c: its names begin with rx). */
static void put_2819(uint8_t *set, const struct hca_port_counts *n, uint32_t prio)
{
#define PUT(f, v) COUNTER(eth_2819_cntrs_grp_data_layout, set, ether_stats_##f, v)
	(void)prio;
	PUT(octets, n->rx.octets);
	PUT(pkts, hca_port_frames(&n->rx));
	PUT(broadcast_pkts, n->rx.frames[HCA_ETH_BROADCAST]);
	PUT(multicast_pkts, MULTICAST(n->rx.frames));
	PUT(pkts64octets, n->rx.of_size[0]);
	PUT(pkts65to127octets, n->rx.of_size[1]);
	PUT(pkts128to255octets, n->rx.of_size[2]);
	PUT(pkts256to511octets, n->rx.of_size[3]);
	PUT(pkts512to1023octets, n->rx.of_size[4]);
	PUT(pkts1024to1518octets, n->rx.of_size[5]);
	PUT(pkts1519to2047octets, n->rx.of_size[6]);
	PUT(pkts2048to4095octets, n->rx.of_size[7]);
	PUT(pkts4096to8191octets, n->rx.of_size[8]);
	PUT(pkts8192to10239octets, n->rx.of_size[9]);
#undef PUT
}

static void put_prio(uint8_t *set, const struct hca_port_counts *n, uint32_t prio)
{
#define PUT(f, v) COUNTER(eth_per_prio_grp_data_layout, set, f, v)
	PUT(rx_octets, n->rx.of_prio[prio].octets);
	PUT(rx_frames, n->rx.of_prio[prio].frames);
	PUT(tx_octets, n->tx.of_prio[prio].octets);
	PUT(tx_frames, n->tx.of_prio[prio].frames);
#undef PUT
}

/* assumed(link_down_events_count_every_loss): link_down_events counts each time the link goes
 * down: by PAOS, in any process, and by the cable of this one. */
static uint32_t link_downs(const struct hca *hca)
{
	return (atomic_load(&hca->adapter->admin) + 1) / 2 + hca->counts.unplugged;
}

static const struct {
	uint32_t group, prios;
	void (*put)(uint8_t *set, const struct hca_port_counts *n, uint32_t prio);
} groups[] = {
	{ PRM_COUNTERS_GROUP_IEEE_802_3, 1, put_802_3 },
	{ PRM_COUNTERS_GROUP_RFC_2863, 1, put_2863 },
	{ PRM_COUNTERS_GROUP_RFC_2819, 1, put_2819 },
	{ PRM_COUNTERS_GROUP_PER_PRIORITY, HCA_PRIOS, put_prio },
};

/* Those groups, and of the physical layer how often the link went down; no other group has
 * counters here. */
static uint8_t read_ppcnt(struct fw_cmd *c, const uint8_t *ask, uint8_t *reg)
{
	uint8_t *set = PRM_ADDR(ppcnt_reg, reg, counter_set);
	uint32_t group = PRM_GET(ppcnt_reg, ask, grp), prio = PRM_GET(ppcnt_reg, ask, prio_tc);
	struct hca_counted sum;

	if (group == PRM_COUNTERS_GROUP_PHYSICAL_LAYER && !prio) {
		PRM_SET(phys_layer_cntrs, set, link_down_events, link_downs(c->hca));
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (groups[i].group != group)
			continue;
		if (prio >= groups[i].prios)
			return FW_WHY_VALUE;
		hca_port_counted(c->hca, &sum);
		groups[i].put(set, &sum.port, prio);
		return 0;
	}
	return FW_WHY_UNSUPPORTED;
}

static const struct fw_bits ask_ptys[] = { F(ptys_reg, local_port), F(ptys_reg, proto_mask),
					   END };
static const struct fw_bits set_ptys[] = {
	F(ptys_reg, local_port),      F(ptys_reg, proto_mask),
	F(ptys_reg, eth_proto_admin), F(ptys_reg, eth_proto_capability),
	F(ptys_reg, eth_proto_oper),  F(ptys_reg, an_disable_admin),
	F(ptys_reg, an_disable_cap),  END,
};
static const struct fw_bits ask_pmtu[] = { F(pmtu_reg, local_port), END };
static const struct fw_bits set_pmtu[] = { F(pmtu_reg, local_port), F(pmtu_reg, max_mtu),
					   F(pmtu_reg, admin_mtu), F(pmtu_reg, oper_mtu), END };
static const struct fw_bits ask_paos[] = { F(paos_reg, local_port), END };
static const struct fw_bits set_paos[] = {
	F(paos_reg, local_port),
	F(paos_reg, admin_status),
	F(paos_reg, oper_status),
	F(paos_reg, ase),
	END,
};
static const struct fw_bits ask_pfcc[] = { F(pfcc_reg, local_port), END };
static const struct fw_bits set_pfcc[] = {
	F(pfcc_reg, local_port),   F(pfcc_reg, pptx),	      F(pfcc_reg, pprx),
	F(pfcc_reg, aptx),	   F(pfcc_reg, aprx),	      F(pfcc_reg, pptx_mask_n),
	F(pfcc_reg, pprx_mask_n),  F(pfcc_reg, pfctx),	      F(pfcc_reg, pfcrx),
	F(pfcc_reg, prio_mask_tx), F(pfcc_reg, prio_mask_rx), END,
};
static const struct fw_bits ask_ppcnt[] = { F(ppcnt_reg, local_port), F(ppcnt_reg, grp),
					    F(ppcnt_reg, prio_tc), END };

#define REG(NAME, name)                                                                  \
	FW_REGISTER_##NAME, #name "_reg", PRM_SZ(name##_reg), F(name##_reg, local_port), \
		ask_##name
#define READ_ONLY(NAME, name)                            \
	{                                                \
		REG(NAME, name), NULL, read_##name, NULL \
	}
#define WRITABLE(NAME, name)                                           \
	{                                                              \
		REG(NAME, name), set_##name, read_##name, write_##name \
	}

const struct fw_register fw_port_registers[] = {
	WRITABLE(PTYS, ptys), WRITABLE(PMTU, pmtu),    WRITABLE(PAOS, paos),
	WRITABLE(PFCC, pfcc), READ_ONLY(PPCNT, ppcnt), { 0 },
};
