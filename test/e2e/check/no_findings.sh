#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs that are right have no finding under --check.
#
#	no_findings.sh [--device=NAME] alone PROGRAM...		each of them by itself
#	no_findings.sh [--device=NAME] pair PROGRAM ARGUMENT...	server and client
. "$(dirname "$0")/../../lib/pair.sh"

emu_options=(--check)
if [ "${1#--}" != "$1" ]; then
	emu_options+=("$1")
	shift
fi

# none LOG: each process in it has summed up, and found nothing.
none() {
	lacks '\] check    |check: [1-9]' "$work/$1.log"
	has 'check: 0 findings' "$work/$1.log"
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
