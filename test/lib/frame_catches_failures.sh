#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# frame.sh, in sh and in bash: each of its checks passes, and fails a test when it does not hold.
set -u
. "$(dirname "$0")/frame.sh"
here=$(cd "$(dirname "$0")" && pwd)

# test_ends STATUS LINE: a test of that line, which is not its last one.
test_ends() {
	printf '. "%s/frame.sh"\n%s\necho the end\n' "$here" "$2" >"$work/test"
	for shell in sh bash; do
		expect_status "$1" $shell -u "$work/test"
	done
}

test_ends 0 'expect_status 3 sh -c "exit 3"'
test_ends 1 'expect_status 0 sh -c "exit 3"'
test_ends 0 'expect_output 0 "^a(b|c)$" echo ac'
test_ends 1 'expect_output 0 "^a(b|c)$" echo ad'
test_ends 1 'expect_output 1 "^a(b|c)$" echo ac'
test_ends 0 'expect_refusal why sh -c "echo why >&2; exit 2"'
test_ends 1 'expect_refusal why sh -c "echo why >&2; exit 1"'
test_ends 1 'expect_refusal why sh -c "echo no >&2; exit 2"'
test_ends 1 'expect_refusal why sh -c "echo why; echo why >&2; exit 2"'
test_ends 1 'expect_refusal why sh -c "echo why >&2; echo why >&2; exit 2"'
for check in 'has b' 'has_lines 2 a' 'lacks c' 'has_lines 1 b'; do
	test_ends 0 "expect_status 0 printf 'a\\nab\\n'; $check"
done
for check in 'has c' 'has_lines 1 a' 'has_lines 3 a' 'lacks b'; do
	test_ends 1 "expect_status 0 printf 'a\\nab\\n'; $check"
done
test_ends 1 'lacks a "$work/nothing"'
test_ends 0 'expect_equal what "a b" "a b"; expect_same "$0" "$0"'
test_ends 1 'expect_equal what a b'
test_ends 1 'expect_same "$0" /dev/null'
test_ends 1 '(fail "in a subshell")'
test_ends 1 'fail first; skip "what follows"'
test_ends 77 'needs sh no-such-program'
test_ends 77 'needs_modules sys no_such_module'
test_ends 4 'exit 4'
# The folder is removed after what is for the end, which has it.
test_ends 0 'at_exit "ls -d $work"'
[ ! -e "$(tail -n 1 "$work/out")" ] || fail 'a folder is left'
has "^$(dirname "$work")/"
