/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * steer: which way an Ethernet packet goes, by the flow tables that firmware made.
 *
 *	from the wire -> sniffer copies -> FDB -> NIC_RX -> TIR -> RQ
 *	from an SQ    -> sniffer copies -> NIC_TX -> FDB -> the wire, or vport 0: NIC_RX
 *
 * A type without a root table is passed, but for NIC_RX: without one nothing is received. Where
 * a table has no entry for a packet and no miss table, NIC_RX drops it, NIC_TX lets it go on,
 * FDB hands it to the manager of the e-switch, which is vport 0, and RDMA tables let it pass.
 *
 * Only the flow counters are changed, and with steer_sink.dry nothing. Called with the device
 * lock held.
 */
#ifndef EMU_STEER_H
#define EMU_STEER_H

#include "hca/hca.h"

#define STEER_UPLINK 0xffff /* the vport that is the wire */

/* ---- packets ---- */

/* Metadata of a packet. */
struct steer_meta {
	uint32_t reg_a, reg_b, reg_c[8];
	uint32_t flow_tag;     /* 24 bits; 0: none */
	uint16_t source_vport; /* STEER_UPLINK: from the wire */
	uint32_t source_sqn;   /* of a packet that an SQ sent */
};

/* From the destination MAC on, without FCS. */
struct steer_packet {
	const uint8_t *bytes;
	size_t len;
	struct steer_meta meta;
};

/* ---- headers ---- */

/* Offsets are from the first byte of the packet. Missing or incomplete headers are 0; only
 * outer.l2 can be present at 0. */
struct steer_layer {
	bool has_l2;
	uint8_t vlans;	    /* tags: 0, 1 or 2 */
	uint16_t l2;	    /* the destination MAC */
	uint16_t vlan[2];   /* of a tag: its tag protocol; the outermost first */
	uint16_t ethertype; /* after the last tag, of a layer with an Ethernet header */
	uint16_t l3;	    /* IP header, or with an ethertype of MPLS the first label */
	uint8_t version;    /* 4, 6; 0: no IP header */
	uint8_t protocol;   /* IP: after the extension headers */
	bool fragment;	    /* of a larger IP packet, the first one too: its l4 is 0 */
	uint16_t l4;	    /* of a TCP, UDP, ICMP, ESP or GRE header: after the IP headers */
	uint16_t end;	    /* where the IP packet ends: padding follows */
};

enum steer_tunnel {
	STEER_NO_TUNNEL,
	STEER_VXLAN,
	STEER_VXLAN_GPE,
	STEER_GENEVE,
	STEER_GTPU,
	STEER_GRE,
	STEER_MPLS_UDP,
	STEER_MPLS_GRE,
	STEER_IP_IN_IP,
};

struct steer_headers {
	struct steer_layer outer, inner;
	uint8_t tunnel;	    /* enum steer_tunnel */
	uint16_t tunnel_at; /* its header, after UDP or IP */
	uint16_t mpls;	    /* the first label over GRE or UDP */
	uint16_t bth;	    /* of a RoCEv2 packet */
};

/* Finds the headers. False: not even an Ethernet header. */
bool steer_parse(struct steer_headers *h, const uint8_t *bytes, size_t len);

/* Writes the fte_match_param that @p has, whose headers are @h: HCA_MATCH_SIZE bytes at
 * @match. */
void steer_match(uint8_t *match, const struct steer_packet *p, const struct steer_headers *h);

/* ---- match definers ---- */

/* A match definer that selects 9 dwords and 8 bytes of all headers (DPDK, mlx5_prm.h,
 * MLX5_IFC_DEFINER_FORMAT_ID_SELECT). */
#define STEER_DEFINER_SELECT 61
/* Are all bits that @obj, a match_definer of that format, compares known here? */
bool steer_select_fits(const uint8_t *obj);

/* ---- the way ---- */

enum steer_did {
	STEER_ROOT,	/* entered the first table of a type */
	STEER_HIT,	/* of a table: entry */
	STEER_MISS,	/* of a table: no entry */
	STEER_DEST,	/* goes to dest */
	STEER_DROP,	/* ends: by an entry, or the default of its type */
	STEER_PASS,	/* leaves the tables of this type: ALLOW, or their default */
	STEER_CHANGED,	/* by the entry: p is the packet after it */
	STEER_LIMIT,	/* ends: too many tables */
	STEER_STE_HIT,	/* an entry that software wrote */
	STEER_STE_MISS, /* … whose tag is another one */
	STEER_REFUSED,	/* ends before the tables: the port does not take the destination MAC */
};

#define STEER_BITS 40 /* that an STE compares, at most */

/* Bits of a lookup that an STE compares: a field, or bits of a dword that have no name. */
struct steer_bits {
	const char *name;	    /* NULL: none */
	bool inner;		    /* of the inner headers */
	uint8_t dword, low, width;  /* its place in the tag */
	uint32_t mask, tag, packet; /* from its lowest bit on */
};

/* A decision; those that are not queries are in the trace, too (TRACE_STEER). Pointers are
 * valid during the call. */
struct steer_step {
	uint8_t did;  /* enum steer_did */
	uint8_t type; /* PRM_FT_TYPE_* */
	const struct hca_flow_table *table;
	const struct hca_fte *entry;	  /* NULL: none */
	const struct hca_flow_dest *dest; /* of STEER_DEST */
	uint64_t icm;			  /* of STEER_STE_*: where the entry is */
	const uint8_t *ste;		  /* … its 64 bytes */
	uint16_t lookup;		  /* … 0x400 | match definer */
	uint16_t n_bits;
	const struct steer_bits *bits; /* … for steer_sink.step only */
	const char *why; /* of STEER_DROP: what is wrong with STEs; NULL: nothing */
	const struct steer_packet *p;
};

/* Takers of packets; any may be NULL. @p is valid during the call only. */
struct steer_sink {
	void (*tir)(void *ctx, struct hca_tir *tir, const struct steer_packet *p);
	void (*vport)(void *ctx, uint16_t vport, const struct steer_packet *p);
	void (*step)(void *ctx, const struct steer_step *s);
	void *ctx;
	bool dry; /* a question: counters stay as they are */
};

/* A packet came from the wire. */
void steer_receive(struct hca *hca, const struct steer_packet *p, const struct steer_sink *s);
/* An SQ sends a packet; without root tables it goes to vport STEER_UPLINK. */
void steer_send(struct hca *hca, const struct steer_packet *p, const struct steer_sink *s);

/* A packet of a RoCE QP: may it go on? RDMA_RX, RDMA_TX; true without a root table. */
bool steer_rdma_receive(struct hca *hca, const struct steer_packet *p,
			const struct steer_sink *s);
bool steer_rdma_send(struct hca *hca, const struct steer_packet *p, const struct steer_sink *s);

/* ---- entries that WQEs write ---- */

/* A WQE that writes an STE (FLOW_TBL_ACCESS, opmod 0), or takes it away. */
struct steer_gta {
	uint32_t rtc;
	const struct hca_pd *pd;    /* of the queue */
	const uint8_t *ctrl, *data; /* STEER_GTA_CTRL and STEER_GTA_DATA bytes */
};

#define STEER_GTA_CTRL 48
#define STEER_GTA_DATA 64

enum steer_gta_end {
	STEER_GTA_DONE,
	STEER_GTA_NOT, /* no place is free where its hash leads, or there is nothing to take away */
	STEER_GTA_WRONG, /* for the reason *why */
};

enum steer_gta_end steer_gta(struct hca *hca, const struct steer_gta *g, const char **why);

/* Writes one action of a list of changes, which has the form of firmware commands
 * (set_action_in, copy_action_in, stc_ste_param_*), in the form of STEs. False: it is not
 * executed. */
bool steer_ste_change(const struct hca *hca, const uint8_t action[8], uint8_t change[8]);

/* ---- receive side scaling ---- */

/* The RQ of @tir for the packet with headers @h; its hash, and what was hashed as in
 * cqe.rx_hash_type: 0 if nothing was. */
struct hca_rq *steer_rq(const struct hca_tir *tir, const uint8_t *bytes,
			const struct steer_headers *h, uint32_t *hash, uint8_t *type);

#endif
