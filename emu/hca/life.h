/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a function; part of hca.h.
 *
 *	OFF --ENABLE_HCA--> ENABLED --INIT_HCA--> RUNNING
 *	   <--DISABLE_HCA--         <--TEARDOWN_HCA--
 *
 * A reset leads to OFF. A function that lives so has an owner: the driver, whose commands come
 * from the command queue. The function that programs find has none: the emulated kernel has
 * started it, and nothing ends it.
 */
#ifndef EMU_HCA_LIFE_H
#define EMU_HCA_LIFE_H

#include <stdbool.h>
#include <stdint.h>

enum hca_life {
	HCA_UNOWNED, /* for ever */
	HCA_OFF,
	HCA_ENABLED,
	HCA_RUNNING,
};

#define HCA_UNICAST_LIST 128

/* The fields of the NIC vport context that the driver sets. */
struct hca_vport {
	bool roce_off;
	uint16_t mtu; /* 0: that of the options */
	bool loops;   /* packets of the function to its own port are delivered */
	uint16_t n_unicast;
	uint8_t unicast[HCA_UNICAST_LIST][6]; /* addresses that it has, too */
};

#define HCA_NODE_DESCRIPTION 64

/* Memory that the driver has given to the function. */
struct hca_given {
	uint64_t *pages; /* their bus addresses; owned */
	uint32_t n;
	uint8_t node[HCA_NODE_DESCRIPTION];
};

#endif
