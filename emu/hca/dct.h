/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamically connected transport: part of dev.h. An initiator (DCI) is a QP whose WQEs name a
 * target each; a target (DCT) is a number that many initiators reach.
 *
 *	DCI: hca_qp -- one peer at a time --.      .- connection: hca_qp of 0x10041
 *	DCI: hca_qp ------------------------+-> hca_dct
 *	                                           '- connection: hca_qp of 0x20007
 *
 * A connection is the responder's half of a QP: it is made when the first packet of an initiator
 * comes, a copy of the target's model, and its qpn is that of the target. It has no number of its
 * own and stands in no table. Firmware makes and ends targets, the engine connections.
 */
#ifndef EMU_HCA_DCT_H
#define EMU_HCA_DCT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

#define HCA_DCTC_SIZE 64

/* Connections of one target; of more the one that is silent for longest is forgotten. */
#define HCA_DCT_CONNECTIONS 4096

struct hca;
struct hca_qp;

/* Of a DCI: its connection. Of a connection: the same, as the initiator said it. */
struct hca_dc {
	uint64_t key;		 /* the target's access key */
	uint32_t serial;	 /* number of the connection: one more each time */
	uint32_t start;		 /* PSN of its first packet */
	bool open;		 /* a DCI has begun one */
	struct core_list on_dct; /* hca_dct.connections */
};

struct hca_dct {
	uint32_t dctn;
	uint16_t uid;
	uint8_t state; /* PRM_DCTC_STATE_* */
	bool armed;    /* the next wrong access key raises an event */
	uint64_t key;
	uint32_t violations;	      /* packets with another key */
	struct hca_qp *model;	      /* owned: PD, CQ, SRQ, rights, sizes of its connections */
	struct core_list connections; /* hca_qp.dc.on_dct: the one heard last stands last */
	uint32_t count;
	uint8_t dctc[HCA_DCTC_SIZE]; /* as CREATE_DCT had it */
};

struct hca_dct *hca_dct_new(struct hca *hca);
void hca_dct_free(struct hca *hca, struct hca_dct *dct);
struct hca_dct *hca_dct_find(struct hca *hca, uint32_t dctn);

/* A connection like the model; NULL: no memory. And its end. */
struct hca_qp *hca_dct_connect(struct hca_dct *dct);
void hca_dct_forget(struct hca_dct *dct, struct hca_qp *connection);
void hca_dct_forget_all(struct hca_dct *dct);

#endif
