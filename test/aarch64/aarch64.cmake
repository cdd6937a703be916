# SPDX-License-Identifier: BSD-2-Clause
# What can be seen of the aarch64 build beside its unit tests.
add_library(barriers OBJECT aarch64/barriers.c)
target_link_libraries(barriers PRIVATE PkgConfig::MLX5)
target_include_directories(barriers PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_compile_options(barriers PRIVATE -O2 -fno-pie)
add_test(NAME aarch64_barriers COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/aarch64/barriers.sh
	${CMAKE_OBJDUMP} $<TARGET_OBJECTS:barriers>)

# The samples start, find libmlx5, and say that there is no adapter.
get_property(samples DIRECTORY ${PROJECT_SOURCE_DIR}/samples PROPERTY BUILDSYSTEM_TARGETS)
foreach(sample ${samples})
	add_test(NAME aarch64_sample_${sample} COMMAND ${sample} --ib-dev nowhere)
	set_tests_properties(aarch64_sample_${sample} PROPERTIES TIMEOUT 60
		PASS_REGULAR_EXPRESSION "no mlx5 device named nowhere here")
endforeach()
