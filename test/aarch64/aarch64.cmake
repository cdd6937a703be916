# SPDX-License-Identifier: BSD-2-Clause
# What can be seen of the aarch64 build beside its unit tests.
include(barriers/barriers.cmake)

# The samples start, find libmlx5, and say that there is no adapter.
get_property(samples DIRECTORY ${PROJECT_SOURCE_DIR}/samples PROPERTY BUILDSYSTEM_TARGETS)
foreach(sample ${samples})
	add_test(NAME aarch64_sample_${sample} COMMAND ${sample} --ib-dev nowhere)
	set_tests_properties(aarch64_sample_${sample} PROPERTIES TIMEOUT 60
		PASS_REGULAR_EXPRESSION "no mlx5 device named nowhere here")
endforeach()
