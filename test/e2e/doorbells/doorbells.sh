#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Doorbells that are rung while the adapter sleeps, in all ways that the program knows.
#
#	doorbells.sh LAUNCHER RINGS
set -eu
emu=$1 rings=$2
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failed=0

# ends STATUS LINE WAY [OPTION...]: LINE is a regular expression, for a line of the output.
ends() {
	local status=0
	timeout 120 "$emu" --fabric "doorbells-$$" "${@:4}" -- "$rings" "$3" >"$out" 2>&1 || status=$?
	[ $status = "$1" ] && grep -qxE "$2" "$out" && return
	echo "FAIL: ${*:3}: status $status"
	cat "$out"
	failed=1
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
exit $failed
