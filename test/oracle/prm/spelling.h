/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that differ in shape, not in layout: members that mlx5_ifc.h keeps in an inner struct
 * or union, and types whose tag does not end in _bits. The "~," makes PICK take what follows.
 */
#ifndef ORACLE_PRM_SPELLING_H
#define ORACLE_PRM_SPELLING_H

#define MEMBER_flow_table_context_AT_rtc_id_0		 ~, hws.rtc_id_0
#define MEMBER_flow_table_context_AT_rtc_id_1		 ~, hws.rtc_id_1
#define MEMBER_flow_table_context_AT_sw_owner_icm_root_0 ~, sws.sw_owner_icm_root_0
#define MEMBER_flow_table_context_AT_sw_owner_icm_root_1 ~, sws.sw_owner_icm_root_1
#define MEMBER_general_obj_in_cmd_hdr_AT_alias_object	 ~, op_param.create.alias_object
#define MEMBER_general_obj_in_cmd_hdr_AT_log_obj_range	 ~, op_param.create.log_obj_range
#define MEMBER_general_obj_in_cmd_hdr_AT_obj_offset	 ~, op_param.query.obj_offset
#define MEMBER_mcam_reg_AT_access_regs			 ~, mng_access_reg_cap_mask.access_regs
#define MEMBER_mcam_reg_AT_access_regs1			 ~, mng_access_reg_cap_mask.access_regs1
#define MEMBER_mcam_reg_AT_access_regs2			 ~, mng_access_reg_cap_mask.access_regs2
#define MEMBER_mcam_reg_AT_access_regs3			 ~, mng_access_reg_cap_mask.access_regs3
#define MEMBER_mcam_reg_AT_enhanced_features		 ~, mng_feature_cap_mask.enhanced_features
#define MEMBER_pcam_reg_AT_enhanced_features		 ~, feature_cap_mask.enhanced_features
#define MEMBER_pcam_reg_AT_regs_5000_to_507f		 ~, port_access_reg_cap_mask.regs_5000_to_507f
#define MEMBER_qcam_reg_AT_feature_cap			 ~, qos_feature_cap_mask.feature_cap
#define MEMBER_qcam_reg_AT_reg_cap			 ~, qos_access_reg_cap_mask.reg_cap

#define TAG_exe_aso_ctrl	      ~, union mlx5_ifc_exe_aso_ctrl
#define TAG_mcam_access_reg_bits1     ~, struct mlx5_ifc_mcam_access_reg_bits1
#define TAG_mcam_access_reg_bits2     ~, struct mlx5_ifc_mcam_access_reg_bits2
#define TAG_mcam_access_reg_bits3     ~, struct mlx5_ifc_mcam_access_reg_bits3
#define TAG_qcam_access_reg_cap_mask  ~, struct mlx5_ifc_qcam_access_reg_cap_mask
#define TAG_qcam_qos_feature_cap_mask ~, struct mlx5_ifc_qcam_qos_feature_cap_mask

#endif
