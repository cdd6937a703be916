#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ordinary_calls.sh DVKIT-EMU PROGRAM: calls on what is no device's answer what libc and the kernel answer, before
# there is an adapter, with one, and on memory that is registered with it.
. "$(dirname "$0")/../../lib/frame.sh"

emu=$1 program=$2

# answers NAME COMMAND...: what the calls answer, in an empty folder.
answers() {
	local name=$1
	shift
	mkdir "$work/in.$name"
	cd "$work/in.$name"
	expect_status 0 "$@"
	mv "$work/out" "$work/$name"
	cd /
}

answers libc "$program"
[ "$(wc -l <"$work/libc")" -gt 380 ] || fail "the program ended early"
answers emulated emulated -- "$program"
answers registered emulated -- "$program" registered
answers watched emulated --check -- "$program" registered
[ "$(uname -m)" != x86_64 ] || ! grep -q 'are polled for' "$work/err" || fail 'stores to registers are not seen'
for name in emulated registered watched; do
	diff "$work/libc" "$work/$name" >"$work/$name.log" || fail "$name: other answers"
done
