# SPDX-License-Identifier: BSD-2-Clause
# oracle_prm: include/prm against the newest mlx5_ifc.h of Debian's linux-headers-*-common.
# oracle_prm_numbers: opcodes and named values against its enumerators, and device.h's.
# oracle_prm_list: what is listed as unknown to it is unknown to it. Included by test/.
file(GLOB mlx5_ifc_found /usr/src/linux-headers-*-common/include/linux/mlx5/mlx5_ifc.h)
list(SORT mlx5_ifc_found COMPARE NATURAL ORDER DESCENDING)
set(mlx5_ifc_newest "")
if(mlx5_ifc_found)
	list(GET mlx5_ifc_found 0 mlx5_ifc_newest)
endif()
set(DVKIT_MLX5_IFC "${mlx5_ifc_newest}" CACHE FILEPATH "Linux' mlx5_ifc.h to compare prm with")

set(oracle_prm ${CMAKE_CURRENT_LIST_DIR}/prm)
# Older ones than 6.12's know too little to compare with: no alias and allow commands.
if(EXISTS "${DVKIT_MLX5_IFC}")
	file(STRINGS "${DVKIT_MLX5_IFC}" mlx5_ifc_is_new LIMIT_COUNT 1
		REGEX "mlx5_ifc_allow_other_vhca_access_in_bits")
endif()
if(mlx5_ifc_is_new)
	set(oracle_prm_made ${CMAKE_CURRENT_BINARY_DIR}/made_for_oracle_prm)
	add_custom_command(
		OUTPUT ${oracle_prm_made}/unknown.h ${oracle_prm_made}/listed.def
		COMMAND ${CMAKE_COMMAND} -DLIST=${oracle_prm}/not_in_kernel.txt
			-DOUT=${oracle_prm_made} -P ${oracle_prm}/listed.cmake
		DEPENDS ${oracle_prm}/not_in_kernel.txt ${oracle_prm}/listed.cmake)
	add_executable(oracle_prm ${oracle_prm}/equals_mlx5_ifc.c
		${oracle_prm_made}/unknown.h ${oracle_prm_made}/listed.def)
	target_compile_definitions(oracle_prm PRIVATE MLX5_IFC="${DVKIT_MLX5_IFC}")
	target_include_directories(oracle_prm PRIVATE ${oracle_prm} ${oracle_prm_made})
	get_filename_component(mlx5_ifc_folder "${DVKIT_MLX5_IFC}" DIRECTORY)
	target_include_directories(oracle_prm SYSTEM PRIVATE ${mlx5_ifc_folder})
	target_link_libraries(oracle_prm PRIVATE prm)
	add_test(NAME oracle_prm COMMAND oracle_prm)

	# Opcodes and named values, against enumerators.
	get_filename_component(mlx5_device_h "${mlx5_ifc_folder}/device.h" ABSOLUTE)
	add_custom_command(
		OUTPUT ${oracle_prm_made}/kernel_enums.h ${oracle_prm_made}/kernel_numbers.def
		COMMAND ${CMAKE_COMMAND} -DIFC=${DVKIT_MLX5_IFC} -DOUT=${oracle_prm_made}
			-P ${oracle_prm}/numbers.cmake
		DEPENDS ${DVKIT_MLX5_IFC} ${mlx5_device_h} ${oracle_prm}/numbers.cmake)
	add_executable(oracle_prm_numbers ${oracle_prm}/equals_kernel_numbers.c
		${oracle_prm_made}/kernel_enums.h ${oracle_prm_made}/kernel_numbers.def)
	target_compile_definitions(oracle_prm_numbers PRIVATE MLX5_IFC="${DVKIT_MLX5_IFC}")
	target_include_directories(oracle_prm_numbers PRIVATE ${oracle_prm} ${oracle_prm_made})
	target_include_directories(oracle_prm_numbers SYSTEM PRIVATE ${mlx5_ifc_folder})
	target_link_libraries(oracle_prm_numbers PRIVATE prm)
	add_test(NAME oracle_prm_numbers
		COMMAND oracle_prm_numbers ${oracle_prm}/numbers_not_in_kernel.txt)
	add_test(NAME oracle_prm_list COMMAND ${CMAKE_COMMAND}
		-DLIST=${oracle_prm}/not_in_kernel.txt -DHEADER=${DVKIT_MLX5_IFC}
		-P ${oracle_prm}/listed.cmake)
else()
	add_test(NAME oracle_prm COMMAND sh -c
		"echo 'skipped: no linux-headers-6.12*-common or newer below /usr/src'; exit 77")
	set_tests_properties(oracle_prm PROPERTIES SKIP_RETURN_CODE 77)
endif()

# What no header here has, against a copy that was compared with its source by eye.
add_executable(oracle_prm_frozen ${oracle_prm}/frozen.c)
target_link_libraries(oracle_prm_frozen PRIVATE prm)
add_test(NAME oracle_prm_frozen
	COMMAND ${oracle_prm}/frozen.sh $<TARGET_FILE:oracle_prm_frozen>)
