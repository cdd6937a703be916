# SPDX-License-Identifier: BSD-2-Clause
# Files that `cmake --install` puts on a machine: libdvkit, the headers, dvkit.pc, the CMake package,
# the emulator, and the man pages; tools/ installs its programs. Samples and tests stay here.
# The tree may be moved afterwards.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/dvkit)

install(TARGETS dvkit EXPORT dvkitTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS dvkit-emu RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES emu/launcher/dvkit-emu.bash-completion RENAME dvkit-emu
	DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# Not for the linker, so not where it searches; the launcher knows this folder.
install(TARGETS dvkit-emu-preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/dvkit)
foreach(program dvfw dvperf)
	if(TARGET ${program})
		set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
	endif()
endforeach()
if(TARGET dvperf-mpi)
	file(RELATIVE_PATH helpers_to_lib ${CMAKE_INSTALL_FULL_LIBEXECDIR}/dvkit ${CMAKE_INSTALL_FULL_LIBDIR})
	set_target_properties(dvperf-mpi PROPERTIES INSTALL_RPATH "$ORIGIN/${helpers_to_lib}")
endif()
# One folder of the system's; dvkit.pc and the target name it, so that <dv/sq.h> is found in it.
install(DIRECTORY include/dv include/devx include/flow include/prm include/dvkit/
	DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dvkit FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_to_include
	${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/dvkit.pc.in dvkit.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dvkit.pc
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

configure_package_config_file(cmake/dvkitConfig.cmake.in dvkitConfig.cmake
	INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(dvkitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dvkitConfig.cmake
	${CMAKE_CURRENT_BINARY_DIR}/dvkitConfigVersion.cmake DESTINATION ${package})
install(EXPORT dvkitTargets NAMESPACE dvkit:: DESTINATION ${package})

if(DVKIT_MAN)
	find_program(PANDOC pandoc)
	if(NOT PANDOC)
		message(FATAL_ERROR "The man pages need pandoc: install it, or build without them: -DDVKIT_MAN=OFF")
	endif()
	file(GLOB pages CONFIGURE_DEPENDS dv/man/*.3.md devx/man/*.3.md flow/man/*.3.md prm/man/*.3.md
		docs/man/*.7.md emu/man/*.3.md
		emu/man/*.1.md tools/dvfw/man/*.1.md tools/dvperf/man/*.1.md)
	# Pages are found by the name of every function that they describe.
	set(names ${PROJECT_SOURCE_DIR}/docs/html/names.sh)
	add_custom_command(OUTPUT man/links.stamp DEPENDS ${pages} ${names}
		COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/man_links.sh man/links ${names} ${pages}
		COMMAND ${CMAKE_COMMAND} -E touch man/links.stamp VERBATIM)
	install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/man/links/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
	set(made ${CMAKE_CURRENT_BINARY_DIR}/man/links.stamp)
	foreach(page ${pages})
		get_filename_component(name ${page} NAME_WLE)
		add_custom_command(OUTPUT man/${name} DEPENDS ${page}
			COMMAND ${CMAKE_COMMAND} -E make_directory man
			COMMAND ${PANDOC} --standalone --to man --output man/${name} ${page})
		list(APPEND made ${CMAKE_CURRENT_BINARY_DIR}/man/${name})
		string(REGEX REPLACE ".*[.]" "" section ${name})
		install(FILES ${CMAKE_CURRENT_BINARY_DIR}/man/${name}
			DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
	endforeach()
	add_custom_target(man ALL DEPENDS ${made})
	add_custom_target(html COMMENT "The reference as HTML, in html/"
		COMMAND ${PROJECT_SOURCE_DIR}/docs/html/make.sh html ${PANDOC})
endif()
