# SPDX-License-Identifier: BSD-2-Clause
# oracle_cqe: what dv finds in CQEs against what the installed libmlx5 does, under dvkit-emu.
# Included by test/, behind what it needs.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cqe/*.c)
add_executable(oracle_cqe ${sources} ${samples_dir}/common.c ${samples_dir}/device.c)
target_include_directories(oracle_cqe PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${samples_dir})
target_compile_definitions(oracle_cqe PRIVATE _GNU_SOURCE)
target_link_libraries(oracle_cqe PRIVATE dvkit)
add_test(NAME oracle_cqe COMMAND dvkit-emu --fabric oracle_cqe -- $<TARGET_FILE:oracle_cqe>)
add_test(NAME oracle_cqe_long CONFIGURATIONS long
	COMMAND dvkit-emu --fabric oracle_cqe_long -- $<TARGET_FILE:oracle_cqe> --long)
set_tests_properties(oracle_cqe oracle_cqe_long PROPERTIES LABELS oracle RUN_SERIAL ON
	SKIP_RETURN_CODE 77)
set_tests_properties(oracle_cqe PROPERTIES TIMEOUT 120)
set_tests_properties(oracle_cqe_long PROPERTIES TIMEOUT 1200)
