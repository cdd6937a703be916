/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the device reads the WQEs of an SQ: PRM, "Send WQE construction", Ethernet segment.
 * Fields are as in hwqe.h.
 *
 *	SEND           ctrl | eth, headers | data …            one packet
 *	TSO            ctrl | eth, headers | data …            a packet for each mss bytes of data
 *	ENHANCED_MPSW  ctrl | eth | (data | inline) …          a packet each
 *	STEERING       ctrl | 7 units                          no packet (gta.h)
 */
#ifndef EMU_ENGINE_ETHERNET_WQE_H
#define EMU_ENGINE_ETHERNET_WQE_H

#include "engine/cqe.h"
#include "engine/hwqe.h"
#include "engine/sg.h"

enum {
	EWQE_NOP = HWQE_NOP,
	EWQE_SEND = HWQE_SEND,
	EWQE_TSO = 0x0e,
	EWQE_MPSW = 0x29,
	EWQE_STEERING = HWQE_ARGUMENT,
};

/* cs_flags (kernel, <linux/mlx5/qp.h>: MLX5_ETH_WQE_*). */
enum {
	EWQE_INNER_L3 = 0x10,
	EWQE_INNER_L4 = 0x20,
	EWQE_L3 = 0x40,
	EWQE_L4 = 0x80,
};

struct ethernet_wqe {
	uint8_t bytes[HWQE_MAX_DS * HWQE_UNIT]; /* of the WQE: ds units */
	uint8_t opcode, ds;
	bool signaled;
	bool refused;		  /* of steering: without an error, but not done */
	enum cqe_syndrome status; /* 0: it can be executed */
	uint16_t nbb;		  /* blocks */
	uint8_t cs_flags;
	uint16_t mss;
	uint32_t metadata;
	uint16_t vlan_type; /* of the tag that is inserted; 0: none */
	uint16_t tci;
	uint16_t hdr;	 /* bytes of inline headers */
	uint32_t first;	 /* unit of the first data segment */
	uint32_t data;	 /* bytes of the data segments; of MPSW not used */
	uint32_t npkt;	 /* packets; 0: NOP */
	uint32_t packet; /* packets that were built */
	struct hca_cursor at;
};

/* Do SQs with the permissions of @sq execute @opcode? */
bool ethernet_wqe_is_executed(const struct hca *hca, const struct hca_sq *sq, uint8_t opcode);
/* Reads the WQE at @index, of which at most @avail blocks were posted. */
void ethernet_wqe_read(struct engine *e, struct hca_sq *sq, uint16_t index, uint16_t avail,
		       struct ethernet_wqe *w);
/* Builds its next packet in @frame (WIRE_MAX_ETHERNET bytes), without offloads. 0, or a
 * syndrome. */
enum cqe_syndrome ethernet_wqe_packet(struct engine *e, struct hca_sq *sq,
				      struct ethernet_wqe *w, uint8_t *frame, size_t *len);

#endif
