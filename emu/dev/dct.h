/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamically connected transport: part of dev.h. An initiator (DCI) is a QP whose WQEs name a
 * target each; a target (DCT) is a number that many initiators reach.
 *
 *	DCI: dev_qp -- one peer at a time --.      .- connection: dev_qp of 0x10041
 *	DCI: dev_qp ------------------------+-> dev_dct
 *	                                           '- connection: dev_qp of 0x20007
 *
 * A connection is the responder's half of a QP: it is made when the first packet of an initiator
 * comes, a copy of the target's model, and its qpn is that of the target. It has no number of its
 * own and stands in no table. Firmware makes and ends targets, the engine connections.
 */
#ifndef EMU_DEV_DCT_H
#define EMU_DEV_DCT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

#define DEV_DCTC_SIZE 64

/* Connections of one target; of more the one that is silent for longest is forgotten. */
#define DEV_DCT_CONNECTIONS 4096

struct dev;
struct dev_qp;

/* Of a DCI: its connection. Of a connection: the same, as the initiator said it. */
struct dev_dc {
	uint64_t key;		 /* the target's access key */
	uint32_t serial;	 /* number of the connection: one more each time */
	uint32_t start;		 /* PSN of its first packet */
	bool open;		 /* a DCI has begun one */
	struct core_list on_dct; /* dev_dct.connections */
};

enum dev_dct_state { /* dctc.state: mlx5_ifc.h, MLX5_DCTC_STATE_* */
		     DEV_DCT_ACTIVE = 0,
		     DEV_DCT_DRAINING = 1,
		     DEV_DCT_DRAINED = 2,
};

struct dev_dct {
	uint32_t dctn;
	uint16_t uid;
	uint8_t state; /* enum dev_dct_state */
	bool armed;    /* the next wrong access key raises an event */
	uint64_t key;
	uint32_t violations;	      /* packets with another key */
	struct dev_qp *model;	      /* owned: PD, CQ, SRQ, rights, sizes of its connections */
	struct core_list connections; /* dev_qp.dc.on_dct: the one heard last stands last */
	uint32_t count;
	uint8_t dctc[DEV_DCTC_SIZE]; /* as CREATE_DCT had it */
};

struct dev_dct *dev_dct_new(struct dev *d);
void dev_dct_free(struct dev *d, struct dev_dct *dct);
struct dev_dct *dev_dct_find(struct dev *d, uint32_t dctn);

/* A connection like the model; NULL: no memory. And its end. */
struct dev_qp *dev_dct_connect(struct dev_dct *dct);
void dev_dct_forget(struct dev_dct *dct, struct dev_qp *connection);
void dev_dct_forget_all(struct dev_dct *dct);

#endif
