# SPDX-License-Identifier: BSD-2-Clause
# Writes ${OUT}/kernel_enums.h, enums of Linux' device.h, qp.h, cq.h, vport.h and driver.h that hold
# numbers of the firmware (these headers themselves compile in the kernel only), and ${OUT}/kernel_numbers.def, the names of all
# enumerators of these and of mlx5_ifc.h:
#
#	cmake -DIFC=…/mlx5_ifc.h -DOUT=dir -P numbers.cmake
cmake_minimum_required(VERSION 3.25)

get_filename_component(folder ${IFC} DIRECTORY)
file(READ ${IFC} ifc)
file(READ ${folder}/device.h device)
file(READ ${folder}/qp.h qp)
file(READ ${folder}/cq.h cq)
file(READ ${folder}/vport.h vport)
file(READ ${folder}/driver.h driver)

# An enumerator of each that is wanted.
set(enums "")
foreach(member MLX5_CMD_STAT_OK MLX5_CAP_ETHERNET_OFFLOADS MLX5_EVENT_TYPE_PATH_MIG MLX5_ROCE_VERSION_1
		MLX5_ROCE_L3_TYPE_IPV6 VPORT_STATE_UP MLX5_QP_STATE_RST MLX5_QP_ST_DCT MLX5_QP_PM_MIGRATED
		MLX5_NON_ZERO_RQ MLX5_EVENT_QUEUE_TYPE_QP MLX5_CQE_COMPRESS_LAYOUT_BASIC CQE_STRIDE_64
		MLX5_CAP_INLINE_MODE_L2 MLX5_PORT_UP MLX5_MATCH_OUTER_HEADERS MLX5_OPCODE_NOP MLX5_FENCE_MODE_NONE
		MLX5_WQE_CTRL_CQ_UPDATE MLX5_ETH_WQE_L3_CSUM MLX5_ETH_WQE_SWP_INNER_L3_IPV6 MLX5_UMR_INLINE MLX5_MKEY_MASK_LEN
		MLX5_CQE_REQ MLX5_CQE_SYNDROME_LOCAL_PROT_ERR MLX5_NO_INLINE_DATA CQE_L4_HDR_TYPE_UDP MLX5_QP_OPTPAR_RRE
		MLX5_VPORT_ADMIN_STATE_UP MLX5_POLICY_UP MLX5_NVPRT_LIST_TYPE_MC MLX5_WOL_MAGIC)
	string(REGEX MATCH "[\n]enum[ a-z0-9_]*{[^{}]*[^A-Z0-9_]${member}[^A-Z0-9_][^{}]*};" body "${device}${qp}${cq}${vport}${driver}")
	if(NOT body)
		message(FATAL_ERROR "${folder}: no enum with ${member} in device.h, qp.h, cq.h, vport.h and driver.h")
	endif()
	string(APPEND enums "${body}\n")
endforeach()

string(REGEX REPLACE "/[*]([^*]|[*][^/])*[*]/" "" text "${ifc}${enums}")
string(REGEX MATCHALL "[\n]enum[ a-z0-9_]*{[^{}]*}" bodies "${text}")
set(names "")
foreach(body IN LISTS bodies)
	string(REGEX MATCHALL "[{,][ \t\n]*[A-Z][A-Za-z0-9_]+" found "${body}")
	foreach(one IN LISTS found)
		string(REGEX REPLACE "[^A-Za-z0-9_]" "" one "${one}")
		string(APPEND names "KERNEL_NUMBER(${one})\n")
	endforeach()
endforeach()
file(WRITE ${OUT}/kernel_enums.h "${enums}")
file(WRITE ${OUT}/kernel_numbers.def "${names}")
