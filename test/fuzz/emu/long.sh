#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A million cases with AddressSanitizer and UBSan, whatever the tree around was built with.
#
#	long.sh SOURCE BUILD PROGRAM [ARGUMENT OF PROGRAM...]
#
# The seed is the time; what is found is reported with the seed of its round.
set -eu

source=$1 build=$2 program=$3
shift 3
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# quietly COMMAND...: its output only if it fails.
quietly() {
	"$@" >"$log" 2>&1 || {
		cat "$log"
		exit 1
	}
}

quietly cmake -S "$source" -B "$build" -DDVKIT_SANITIZE=address,undefined
quietly cmake --build "$build" --target "$program" --parallel "$(nproc)"
"$build/bin/$program" --count 1000000 "$@"
