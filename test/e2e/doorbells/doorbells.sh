#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Doorbells that are rung while the adapter sleeps, in all ways that the program knows.
#
#	doorbells.sh LAUNCHER RINGS
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
emu=$1 rings=$2

# ends STATUS LINE WAY [OPTION...]: LINE is a regular expression, for a line of the output.
ends() {
	expect_output "$1" "^($2)$" emulated "${@:4}" -- "$rings" "$3"
}

runs() {
	ends 0 'as expected' "$@"
}

for way in $("$rings"); do
	runs "$way"
done
# With --check stores are watched one by one, by signals, but not with the second option.
for way in plain forked at_a_new_address at_a_second_address on_an_alternate_stack without_mprotect by_string; do
	runs "$way" --check
done
if [ "$(uname -m)" = x86_64 ]; then
	ends 139 '.*the command was ended by SIGSEGV.* try --poll-doorbells' in_sigsuspend --check
	ends 139 '.*cannot be made writable: Operation not permitted; try --poll-doorbells' \
		by_string_without_mprotect --check
fi
for way in in_sigsuspend by_string_without_mprotect; do
	runs "$way" --check --poll-doorbells
done
