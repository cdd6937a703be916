#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A million cases with AddressSanitizer and UBSan, whatever the tree around was built with.
#
#	long.sh SOURCE BUILD [ARGUMENT OF test_fuzz...]
#
# The seed is the time; what is found is reported with the seed of its round.
set -eu

source=$1 build=$2
shift 2
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
quietly cmake --build "$build" --target test_fuzz --parallel "$(nproc)"
"$build/bin/test_fuzz" --count 1000000 "$@"
