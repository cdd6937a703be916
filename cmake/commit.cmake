# SPDX-License-Identifier: BSD-2-Clause
# Writes OUT, a C file with the commit of SOURCE, when it has changed: "" where SOURCE is not a repository,
# "+" after it where files differ from it.
#
#	cmake -DSOURCE=DIR -DOUT=FILE -P commit.cmake
set(commit "")
if(EXISTS ${SOURCE}/.git)
	execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
		OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
	execute_process(COMMAND git -C ${SOURCE} diff-index --quiet HEAD RESULT_VARIABLE differs
		OUTPUT_QUIET ERROR_QUIET)
	if(commit AND differs EQUAL 1)
		set(commit "${commit}+")
	endif()
endif()
set(text "extern const char dvperf_commit[];\nconst char dvperf_commit[] = \"${commit}\";\n")
set(old "")
if(EXISTS ${OUT})
	file(READ ${OUT} old)
endif()
if(NOT text STREQUAL old)
	file(WRITE ${OUT} "${text}")
endif()
