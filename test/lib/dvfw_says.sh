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
