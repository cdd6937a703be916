# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced by tests of dvfw, with the arguments LAUNCHER DVFW. They may define
#
#	run ARGUMENT...	dvfw with the arguments: on the emulator, if they do not
#
# The rest is that of frame.sh.
. "$(dirname "${BASH_SOURCE[0]}")/frame.sh"
# shellcheck disable=SC2034 # of emulated
emu=$1 dvfw=$2

run() {
	emulated -- "$dvfw" "$@"
}

# says STATUS REGEX ARGUMENT...: the exit status, and a line of the output. Standard input is passed on.
says() {
	expect_output "$1" "$2" run "${@:3}"
}

# answers STATUS COMMAND... :: REGEX...: the exit status, and lines of the output.
answers() {
	local wanted=$1 command=() regex
	shift
	while [ "$1" != :: ]; do
		command+=("$1")
		shift
	done
	expect_status "$wanted" "${command[@]}"
	for regex in "${@:2}"; do
		has "$regex"
	done
}
