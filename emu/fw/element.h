/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the firmware: scheduling elements, which two families of commands make and change, and
 * what INIT2INIT_QP and RTS2RTS_QP say after the QPC.
 *
 *	CREATE_SCHEDULING_ELEMENT ---------.
 *	CREATE_GENERAL_OBJECT type 0x26 ---'--> element --> qpc_ext.qos_queue_group_id_*
 */
#ifndef EMU_FW_ELEMENT_H
#define EMU_FW_ELEMENT_H

#include "fw/command.h"

/* An element of @hierarchy like @ctx, a scheduling_context; on FW_OK *@id is its number. */
enum fw_status fw_sched_new(struct fw_cmd *c, uint32_t hierarchy, const uint8_t *ctx,
			    uint32_t *id);
/* Sets what @mask (1: bw_share, 2: max_average_bw) names. */
enum fw_status fw_sched_modify(struct fw_cmd *c, uint32_t hierarchy, uint32_t id, uint64_t mask,
			       const uint8_t *ctx);
enum fw_status fw_sched_delete(struct fw_cmd *c, uint32_t id);

/* May an SQ be like @sqc: its rate and its queue group? And it is, from now on. */
enum fw_status fw_check_sender(struct fw_cmd *c, const uint8_t *sqc);
void fw_join_sender(const struct fw_cmd *c, struct hca_sq *sq, const uint8_t *sqc);

/* The second option mask of a modify command, checked. */
struct fw_qp_ext {
	bool udp_sport, groups, set_mmo;
	struct hca_sched *req, *resp; /* groups; NULL: none */
	bool mmo;
};

/* Options of enhanced connection establishment that a command asks for. The model has none, so
 * those in use are 0, as its answer says. */
/* assumed(ece_options_that_are_unknown_are_dropped): options that the device does not have are
 * not an error: it answers with those that it has. */
enum fw_status fw_ece(struct fw_cmd *c, uint32_t options);
/* Reads it; commands other than INIT2INIT_QP and RTS2RTS_QP have none. */
enum fw_status fw_qp_ext(struct fw_cmd *c, const struct hca_qp *qp, struct fw_qp_ext *ext);
/* The extension of the QPC that CREATE_QP brings, checked: of it, whether MMO is allowed. */
enum fw_status fw_qp_create_ext(struct fw_cmd *c, bool *mmo);
/* Puts @qp into its queue groups. */
void fw_qp_join(struct hca_qp *qp, struct hca_sched *req, struct hca_sched *resp);

#endif
