/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamically connected transport: part of hca.h. An initiator (DCI) is a QP whose WQEs name a
 * target each; a target (DCT) is a number that many initiators reach.
 *
 *	DCI: hca_qp -- one peer at a time --.      .- connection: hca_qp of 0x10041
 *	DCI: hca_qp ------------------------+-> hca_dct
 *	                                           '- connection: hca_qp of 0x20007
 *
 * A connection is the responder's half of a QP: it is made when the first packet of an
 * initiator comes, a copy of the target's model, and its qpn is that of the target. It has no
 * separate number and is in no table. Firmware makes and ends targets, the engine connections.
 */
#ifndef EMU_HCA_DCT_H
#define EMU_HCA_DCT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "hca/kind.h"

#define HCA_DCTC_SIZE 64

/* Connections of one target; of more the one that is silent for longest is forgotten. */
#define HCA_DCT_CONNECTIONS 4096

struct hca;
struct hca_qp;

/* For a DCI: its connection. For a DCT's connection: the same, as received from the
 * initiator. */
struct hca_dc {
	uint64_t key;		 /* the target's access key */
	uint32_t serial;	 /* number of the connection: one more each time */
	uint32_t start;		 /* PSN of its first packet */
	bool open;		 /* a DCI has begun one */
	struct core_list on_dct; /* hca_dct.connections */
};

struct hca_dct {
	HCA_OBJECT(dctn);
	uint8_t state; /* PRM_DCTC_STATE_* */
	bool armed;    /* the next wrong access key raises an event */
	uint64_t key;
	uint32_t violations;	      /* packets with another key */
	struct hca_qp *model;	      /* owned: PD, CQ, SRQ, rights, sizes of its connections */
	struct core_list connections; /* hca_qp.dc.on_dct: the one that sent last is last */
	uint32_t count;
	uint8_t dctc[HCA_DCTC_SIZE]; /* as CREATE_DCT had it */
};

/* Hooks of kind.def: the model is made and freed, and refers to what its connections use. */
bool hca_dct_init(struct hca *hca, void *obj);
void hca_dct_fini(struct hca *hca, void *obj);
void hca_dct_refer(const void *obj, int by);

static inline struct hca_dct *hca_dct_find(const struct hca *hca, uint32_t dctn)
{
	return hca_object_find(hca, HCA_KIND_dct, dctn);
}

/* A connection like the model; NULL: no memory. And its end. */
struct hca_qp *hca_dct_connect(struct hca_dct *dct);
void hca_dct_forget(struct hca_dct *dct, struct hca_qp *connection);
void hca_dct_forget_all(struct hca_dct *dct);

#endif
