# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced by tests of dvfw, with the arguments LAUNCHER DVFW. They define
#
#	run ARGUMENT...	dvfw with the arguments, on a device or without
#
# and end with "exit $failed".
emu=$1 dvfw=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# fail WORDS: they, and the latest output.
fail() {
	echo "FAIL: $1"
	cat "$dir/out"
	failed=1
}

# says STATUS REGEX ARGUMENT...: the exit status, and a line of the output, which is in $dir/out. Standard input is
# passed on.
says() {
	local status=$1 regex=$2 got
	shift 2
	run "$@" >"$dir/out" 2>&1
	got=$?
	[ $got = "$status" ] || fail "dvfw $*: status $got, not $status"
	grep -Eq -- "$regex" "$dir/out" || fail "dvfw $*: no line '$regex'"
}
