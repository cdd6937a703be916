#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Doorbells that are rung while the adapter sleeps.
#
#	doorbells.sh LAUNCHER RINGS RINGS_WITH_OWN_MMAP
set -eu
emu=$1 rings=$2 own_mmap=$3
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failed=0 below=()

# runs PAGES HOW [OPTION...]: it ends well, and its pages are closed or open before it rings.
runs() {
	local pages=$1 how=$2
	shift 2
	timeout 120 "$emu" --fabric "doorbells-$$" "$@" -- ${below[@]+"${below[@]}"} "$rings" "$how" >"$out" 2>&1 ||
		{ echo "FAIL: $how $*: status $?"; cat "$out"; failed=1; }
	grep -qx 'as expected' "$out" && ! grep -E 'open|closed' "$out" | grep -qvx "$pages" ||
		{ echo "FAIL: $how $*: pages $pages:"; cat "$out"; failed=1; }
}

closed=closed
[ "$(uname -m)" = x86_64 ] || closed=open
for how in plain many blocked own-handler small-stack threads forked traced-late; do
	runs $closed $how
done
runs open plain --poll-doorbells
runs open blocked --poll-doorbells
runs open traced
if command -v valgrind >/dev/null; then
	below=(valgrind -q --tool=callgrind --callgrind-out-file=/dev/null)
	runs open plain
	below=()
fi
if [ $closed = closed ]; then # code of x86-64
	for how in hooked hooked-later; do
		runs closed $how
	done
	for how in patched patched-later patched-meanwhile; do
		runs open $how
	done
fi
rings=$own_mmap
runs open plain
rings=$2
# Each store is seen, and the page never writable.
runs $closed plain --check
exit $failed
