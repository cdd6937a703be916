# SPDX-License-Identifier: BSD-2-Clause
# The barriers in the disassembly of the data path, on whichever of the two CPUs this is for.
# barriers(NAME ARGUMENT...): the object NAME of barriers.c, made with these options, and its test.
function(barriers name)
	add_library(${name} OBJECT barriers/barriers.c)
	target_link_libraries(${name} PRIVATE PkgConfig::MLX5)
	target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
	target_compile_options(${name} PRIVATE -O2 -fno-pie ${ARGN})
	add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/barriers/barriers.sh
		${CMAKE_SYSTEM_PROCESSOR} ${CMAKE_OBJDUMP} $<TARGET_OBJECTS:${name}>)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
	barriers(aarch64_barriers)
	# BlueFlame's copy without NEON.
	barriers(aarch64_barriers_general -mgeneral-regs-only)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
	# A copy of barrier.h in which a barrier for the compiler can be seen.
	set(header ${PROJECT_SOURCE_DIR}/include/dv/barrier.h)
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
	file(READ ${header} text)
	string(REPLACE "volatile(\"\" :" "volatile(\"lfence\" :" text "${text}")
	file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/visible/dv/barrier.h "${text}")
	barriers(x86_64_barriers)
	target_include_directories(x86_64_barriers BEFORE
		PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/visible)
endif()
