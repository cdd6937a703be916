# SPDX-License-Identifier: BSD-2-Clause
# Writes ${OUT}/kernel_queues.h: CQEs and segments of WQEs of Linux' device.h and qp.h, and the
# functions that read CQEs (these headers themselves compile in the kernel only):
#
#	cmake -DIFC=…/mlx5_ifc.h -DOUT=dir -P queue_structs.cmake
cmake_minimum_required(VERSION 3.25)

get_filename_component(folder ${IFC} DIRECTORY)
file(READ ${folder}/device.h device)
file(READ ${folder}/qp.h qp)
set(out "")

# take TEXT BEGIN END: what begins with BEGIN at the start of a line, to END.
macro(take text begin end)
	string(FIND "${text}" "\n${begin}" at)
	if(at EQUAL -1)
		message(FATAL_ERROR "${folder}: no \"${begin}\" in device.h or qp.h")
	endif()
	string(SUBSTRING "${text}" ${at} -1 rest)
	string(FIND "${rest}" "${end}" length)
	string(LENGTH "${end}" more)
	math(EXPR length "${length} + ${more}")
	string(SUBSTRING "${rest}" 0 ${length} part)
	string(APPEND out "${part}\n")
endmacro()

foreach(name err_cqe cqe64 sig_err_cqe wqe_srq_next_seg)
	take("${device}" "struct mlx5_${name} {" "\n};")
endforeach()
foreach(name wqe_ctrl_seg wqe_eth_seg av wqe_datagram_seg wqe_raddr_seg wqe_atomic_seg wqe_data_seg
		wqe_umr_ctrl_seg)
	take("${qp}" "struct mlx5_${name} {" "\n};")
endforeach()
foreach(name "u8 mlx5_get_cqe_format" "u8 get_cqe_opcode" "u8 get_cqe_l4_hdr_type" "bool cqe_is_tunneled"
		"u8 get_cqe_tls_offload" "bool cqe_has_vlan" "u64 get_cqe_ts")
	take("${device}" "static inline ${name}(" "\n}")
endforeach()
foreach(member CQE_L2_OK)
	string(REGEX MATCH "[\n]enum {[^{}]*[^A-Z0-9_]${member}[^A-Z0-9_][^{}]*};" body "${device}")
	string(APPEND out "${body}\n")
endforeach()
file(WRITE ${OUT}/kernel_queues.h "${out}")
