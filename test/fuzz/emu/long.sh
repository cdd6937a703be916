#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A million cases with AddressSanitizer and UBSan, whatever the tree around was built with.
#
#	long.sh SOURCE BUILD PROGRAM [ARGUMENT OF PROGRAM...]
#
# The seed is the time; what is found is reported with the seed of its round.
set -eu
. "$(dirname "$0")/../../lib/frame.sh"

source=$1 build=$2 program=$3
shift 3

# quietly COMMAND...: its output only if it fails.
quietly() {
	"$@" >"$work/log" 2>&1 || {
		cat "$work/log"
		exit 1
	}
}

quietly cmake -S "$source" -B "$build" -DDVKIT_SANITIZE=address,undefined
quietly cmake --build "$build" --target "$program" --parallel "$(nproc)"
"$build/bin/$program" --count 1000000 "$@"
