/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of dynamically connected targets. */
#include "fw/rows.h"

NUMBER(query_dct, query_dct_in, dctn);
NUMBER(drain_dct, drain_dct_in, dctn);
NUMBER(destroy_dct, destroy_dct_in, dctn);
NUMBER(arm_dct, arm_dct_in, dct_number);

#define DCTC(f) IN(create_dct_in, dct_context_entry, dctc, f)
static const struct fw_bits create_dct[] = {
	DCTC(state),
	DCTC(user_index),
	DCTC(cqn),
	DCTC(counter_set_id),
	DCTC(atomic_mode),
	DCTC(rre),
	DCTC(rwe),
	DCTC(rae),
	DCTC(cs_res),
	DCTC(min_rnr_nak),
	DCTC(srqn_xrqn),
	DCTC(pd),
	DCTC(tclass),
	DCTC(flow_label),
	DCTC(dc_access_key),
	DCTC(mtu),
	DCTC(port),
	DCTC(pkey_index),
	DCTC(my_addr_index),
	DCTC(hop_limit),
	DCTC(eth_prio), /* of a VLAN tag, and there is none */
	DCTC(dscp),	/* frames carry tclass */
	DCTC(ece),
	/* UCX (ib_mlx5_ifc.h) has them after the context. */
	{ PRM_OFF(create_dct_in, dct_context_entry) + 8 * PRM_SZ(dctc), 32 },
	END,
};

const struct fw_command fw_dct_commands[] = {
	CMD(CREATE_DCT, create_dct, PLAIN, create_dct, fw_create_dct),
	CMD(QUERY_DCT, query_dct, PLAIN, query_dct, fw_query_dct),
	CMD(ARM_DCT_FOR_KEY_VIOLATION, arm_dct, PLAIN, arm_dct, fw_arm_dct),
	CMD(DRAIN_DCT, drain_dct, PLAIN, drain_dct, fw_drain_dct),
	CMD(DESTROY_DCT, destroy_dct, PLAIN, destroy_dct, fw_destroy_dct),
	END_OF_COMMANDS,
};
