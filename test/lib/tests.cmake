# SPDX-License-Identifier: BSD-2-Clause
# Functions that several test folders use. Headers of tests are included by their path below test/.

# plain_program(NAME SOURCES LIBRARY...): a program without a test framework.
function(plain_program name sources)
	add_executable(${name} ${sources})
	target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
	target_include_directories(${name} PRIVATE ${TEST_DIR})
	target_link_libraries(${name} PRIVATE ${ARGN})
endfunction()

# criterion_program(NAME SOURCES LIBRARY...): every Test() in SOURCES.
function(criterion_program name sources)
	plain_program(${name} "${sources}" test_criterion ${ARGN})
endfunction()

# They begin first, also where ctest has not run them yet, so that none of them is the last one and runs alone.
set(LONGEST_TESTS foreign_pyverbs house_public_headers_compile_alone house_man_pages_agree_with_headers unit_engine
	unit_uverbs unit_dv cost_rules cost_engine fuzz foreign_fabric_excludes_other_users foreign_dpdk_ports e2e_dvfw_check_cross_vhca
	e2e_on_the_network e2e_dvperf_two_processes e2e_dvperf_register_stores_are_measured e2e_dvperf_command_line)

# dvkit_test(NAME [LABEL label] [TIMEOUT seconds] [SKIPS] [FULL | LONG] [HUGE_PAGES] [NETWORK]
#            [ENVIRONMENT NAME=VALUE...] COMMAND ...)
#	TIMEOUT	until a test that hangs is ended, 600 by default; no test is about time
#	SKIPS	exit status 77 is a skip
#	FULL	only with ctest -C full or -C long: takes more than a few seconds, or is one of many
#		alike
#	LONG	only with ctest -C long: takes minutes
#	HUGE_PAGES, NETWORK	as contained.c says, in which the test runs
# No test may need the machine for itself: several run at the same time.
function(dvkit_test name)
	cmake_parse_arguments(PARSE_ARGV 1 test "SKIPS;FULL;LONG;HUGE_PAGES;NETWORK" "LABEL;TIMEOUT"
		"ENVIRONMENT;COMMAND")
	set(configurations)
	if(test_LONG)
		set(configurations CONFIGURATIONS long)
	elseif(test_FULL)
		set(configurations CONFIGURATIONS full long)
	endif()
	if(NOT test_TIMEOUT)
		set(test_TIMEOUT 600)
	endif()
	if(NOT CMAKE_CROSSCOMPILING)
		list(POP_FRONT test_COMMAND program)
		if(TARGET ${program})
			set(program $<TARGET_FILE:${program}>)
		endif()
		set(options --limit ${test_TIMEOUT})
		foreach(option HUGE_PAGES NETWORK)
			if(test_${option})
				string(TOLOWER --${option} option)
				string(REPLACE _ - option ${option})
				list(APPEND options ${option})
			endif()
		endforeach()
		list(PREPEND test_COMMAND contained ${options} ${program})
		math(EXPR test_TIMEOUT "${test_TIMEOUT} + 400") # to say where it hangs
	endif()
	add_test(NAME ${name} ${configurations} COMMAND ${test_COMMAND})
	set_tests_properties(${name} PROPERTIES TIMEOUT ${test_TIMEOUT}
		ENVIRONMENT "${test_ENVIRONMENT}")
	if(test_LABEL)
		set_tests_properties(${name} PROPERTIES LABELS ${test_LABEL})
	endif()
	if(name IN_LIST LONGEST_TESTS)
		set_tests_properties(${name} PROPERTIES COST 100)
	endif()
	if(test_SKIPS)
		set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
	endif()
endfunction()
