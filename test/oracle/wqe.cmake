# SPDX-License-Identifier: BSD-2-Clause
# oracle_wqe: what dv builds against what the installed libmlx5 posts, under dvkit-emu. Included
# by test/, behind what it needs.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/wqe/*.c)
add_executable(oracle_wqe ${sources} ${samples_dir}/device.c)
target_include_directories(oracle_wqe PRIVATE ${CMAKE_CURRENT_LIST_DIR}/wqe ${samples_dir})
target_compile_definitions(oracle_wqe PRIVATE _GNU_SOURCE)
target_link_libraries(oracle_wqe PRIVATE dvkit ${CMAKE_DL_LIBS})
add_test(NAME oracle_wqe COMMAND dvkit-emu --fabric oracle_wqe --device bf3 -- $<TARGET_FILE:oracle_wqe>)
add_test(NAME oracle_wqe_long CONFIGURATIONS long
	COMMAND dvkit-emu --fabric oracle_wqe_long --device bf3 -- $<TARGET_FILE:oracle_wqe> --long)
set_tests_properties(oracle_wqe oracle_wqe_long PROPERTIES LABELS oracle RUN_SERIAL ON
	SKIP_RETURN_CODE 77)
set_tests_properties(oracle_wqe PROPERTIES TIMEOUT 300)
set_tests_properties(oracle_wqe_long PROPERTIES TIMEOUT 3600)
