#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A program that includes <dvkit/emu.h> finds the emulator when dvkit-emu runs it, and finds out that there is
# none when it runs by itself; compiled position independent and not, by every compiler that is installed.
#
#	control.sh BUILD/bin/dvkit-emu ROOT
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
emu=$(realpath "$1")
root=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
built=0

# expect WORD COMMAND...: it prints just that.
expect() {
	expect_status 0 "${@:2}"
	expect_equal "${*:2}" "$(cat "$work/out" "$work/err")" "$1"
}

# build COMPILER MODE
build() {
	# shellcheck disable=SC2086 # the options are separate words
	$1 -std=gnu11 -Wall -Wextra -Werror $2 -I "$root/include" "$here/control.c" -o "$work/control" -libverbs
}

for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	for mode in '-O0 -fPIE -pie' '-O2 -fPIE -pie' '-O2 -fno-pie -no-pie'; do
		if [ "$compiler $mode" = 'clang -O2 -fno-pie -no-pie' ]; then
			# clang cannot do it, and the header says so.
			build $compiler "$mode" 2>&1 | grep -q 'compile with -fPIE' || fail "$compiler $mode"
			continue
		fi
		build $compiler "$mode" || { fail "$compiler $mode"; continue; }
		built=$((built + 1))
		expect absent "$work/control"
		expect present "$emu" --fabric "$fabric" -- "$work/control"
	done
done
# A sanitizer's interceptors are set up after the first calls of hooked functions.
if build gcc '-O1 -fPIE -pie -fsanitize=address,undefined' 2>"$work/sanitizer"; then
	built=$((built + 1))
	expect present \
		env ASAN_OPTIONS=detect_leaks=0 "$emu" --fabric "$fabric" -- "$work/control"
elif ! grep -Eq 'cannot find .*(asan|ubsan)' "$work/sanitizer"; then
	fail "AddressSanitizer: $(cat "$work/sanitizer")"
fi
echo "$built programs"
[ "$built" -gt 0 ] || fail 'no compiler'
