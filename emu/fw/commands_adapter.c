/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the adapter itself, user contexts, and the objects that everything else hangs on. */
#include "fw/rows.h"

NUMBER(query_hca_cap, query_hca_cap_in, op_mod);
NUMBER(set_issi, set_issi_in, current_issi);
NUMBER(destroy_uctx, destroy_uctx_in, uid);
NUMBER(dealloc_td, dealloc_transport_domain_in, transport_domain);
NUMBER(dealloc_pd, dealloc_pd_in, pd);
NUMBER(dealloc_uar, dealloc_uar_in, uar);
NUMBER(dealloc_xrcd, dealloc_xrcd_in, xrcd);

static const struct fw_bits create_uctx[] = { IN(create_uctx_in, uctx, uctx, cap), END };

const struct fw_command fw_adapter_commands[] = {
	/* An outbox may end within the group: rdma-core's tests ask for half of one
	 * (tests/mlx5_prm_structs.py, QueryCmdHcaCapOut). */
	{ .opcode = PRM_OP_QUERY_HCA_CAP,
	  .in_len = PRM_SZ(query_hca_cap_in),
	  .out_len = PRM_OFF(query_hca_cap_out, capability) / 8,
	  .accepts = query_hca_cap,
	  .run = fw_query_hca_cap },
	CMD(QUERY_ADAPTER, query_adapter, PLAIN, NULL, fw_query_adapter),
	CMD(QUERY_ISSI, query_issi, PLAIN, NULL, fw_query_issi),
	CMD(SET_ISSI, set_issi, DRIVER, set_issi, fw_set_issi),
	CMD(QUERY_LAG, query_lag, PLAIN, NULL, fw_query_lag),
	CMD(NOP, nop, PLAIN, NULL, fw_nop),
	CMD(QUERY_SPECIAL_CONTEXTS, query_special_contexts, DRIVER, NULL,
	    fw_query_special_contexts),
	CMD(CREATE_UCTX, create_uctx, DRIVER, create_uctx, fw_create_uctx),
	CMD(DESTROY_UCTX, destroy_uctx, DRIVER, destroy_uctx, fw_destroy_uctx),
	CMD(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain, PLAIN, NULL,
	    fw_alloc_transport_domain),
	CMD(DEALLOC_TRANSPORT_DOMAIN, dealloc_transport_domain, PLAIN, dealloc_td,
	    fw_dealloc_transport_domain),
	CMD(ALLOC_PD, alloc_pd, PLAIN, NULL, fw_alloc_pd),
	CMD(DEALLOC_PD, dealloc_pd, PLAIN, dealloc_pd, fw_dealloc_pd),
	CMD(ALLOC_UAR, alloc_uar, PLAIN, NULL, fw_alloc_uar),
	CMD(DEALLOC_UAR, dealloc_uar, PLAIN, dealloc_uar, fw_dealloc_uar),
	CMD(ALLOC_XRCD, alloc_xrcd, PLAIN, NULL, fw_alloc_xrcd),
	CMD(DEALLOC_XRCD, dealloc_xrcd, PLAIN, dealloc_xrcd, fw_dealloc_xrcd),
	END_OF_COMMANDS,
};
