/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Port state of an adapter that registers set; part of hca.h.
 *
 *	register written -> hca_adapter <- the functions of the adapter, in all processes
 *
 * The table is in memory that all processes of the fabric map (wire/fabric.h): an entry for
 * each adapter, that is for each IPv4 address, as long as there are processes on the fabric.
 * Everything is 0 at first. Any function of the adapter may write any word at any time;
 * counters are only added to.
 */
#ifndef EMU_HCA_ADAPTER_H
#define EMU_HCA_ADAPTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hca/counted.h"

struct hca;

#define HCA_ADAPTERS 256

/* struct hca_adapter.pause: what PFCC says, where it differs from the register as it is at
 * first. */
#define HCA_PAUSE_TX_OFF (1u << 31)
#define HCA_PAUSE_RX_OFF (1u << 30)

/* The function of its adapter that a VHCA is. */
enum hca_role {
	HCA_ROLE_NIC,  /* the only one */
	HCA_ROLE_HOST, /* the host's function of a DPU */
	HCA_ROLE_DPU,  /* the function of a DPU's processors (ECPF) */
	HCA_ROLES,
};

struct hca_adapter {
	_Atomic uint32_t id; /* IPv4 address; 0: free */
	_Atomic uint32_t
		admin; /* PAOS: how often its state has changed; odd: there is to be no link */
	_Atomic uint32_t eth_proto_oper; /* PTYS: the mode of the link; 0: that of the cable */
	_Atomic uint32_t eth_proto_not;	 /* PTYS: modes that it shall not have */
	_Atomic uint32_t an_off;	 /* PTYS: an_disable_admin */
	_Atomic uint32_t mtu;		 /* PMTU; 0: that of the options */
	_Atomic uint32_t pause;		 /* HCA_PAUSE_*; PFC, transmitted 15:8, received 7:0 */
	/* counted.h: how often ended began to change, and was changed */
	_Atomic uint32_t ended_begun, ended_done;
	struct hca_counted ended[HCA_ROLES], cleared[HCA_ROLES];
};

/* Has @hca use the entry for @id of hca.adapters, and continues with the state of the port that
 * is there; without a table, or if it is full, @hca keeps its own. */
void hca_adapter_join(struct hca *hca, uint32_t id);
/* The entry of @adapters for @id; NULL: there is none. */
struct hca_adapter *hca_adapter_find(struct hca_adapter *adapters, uint32_t id);
/* Should the port have no link, by PAOS or because the cable is unplugged? */
bool hca_link_is_down(const struct hca *hca);

#endif
