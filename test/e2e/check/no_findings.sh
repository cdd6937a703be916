#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs that are right have no finding under --check.
#
#	no_findings.sh alone PROGRAM...		each of them by itself
#	no_findings.sh pair PROGRAM ARGUMENT...	server and client
. "$(dirname "$0")/../../lib/pair.sh"

emu_options=(--check)

# none LOG: each process in it has summed up, and found nothing.
none() {
	if grep -E '\] check    |check: [1-9]' "$work/$1.log"; then
		fail "findings"
	fi
	grep -q 'check: 0 findings' "$work/$1.log" || fail "no summary"
}

what=$1
shift
needs "$1"
if [ "$what" = alone ]; then
	for program in "$@"; do
		alone "$program"
		none alone
	done
	exit 0
fi
pair "$@"
none server
none client
