# SPDX-License-Identifier: BSD-2-Clause
# The parts of preload and launcher that need no device, without the hooks.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/unit/preload/*.c)
set(emu ${PROJECT_SOURCE_DIR}/emu)
add_executable(test_unit_preload ${sources}
	${emu}/preload/files.c ${emu}/preload/path.c ${emu}/preload/store_insn.c
	${emu}/launcher/env.c ${emu}/launcher/sysfs.c ${emu}/launcher/tree.c ${emu}/launcher/command.c)
target_include_directories(test_unit_preload PRIVATE ${emu})
target_compile_definitions(test_unit_preload PRIVATE _GNU_SOURCE)
target_link_libraries(test_unit_preload PRIVATE emu_hca emu_options PkgConfig::CRITERION ${CMAKE_DL_LIBS})
add_test(NAME unit_preload COMMAND test_unit_preload)
