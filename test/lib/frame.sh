# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC3043 # local, which dash has
# The frame of the shell tests, sourced by each of them, directly or by another file of this folder.
#
#	$work					a folder that is removed at the end
#	fail WORDS				a failure, with the latest output; the test goes on
#	expect_status N COMMAND...		it ends with N, which is in $status; its output is in $work/out and $work/err
#	expect_output N REGEX COMMAND...	also, a line of its output is REGEX
#	expect_refusal REGEX COMMAND...		it ends with 2 after one line, REGEX, on standard error, and nothing else
#	has REGEX [FILE...]			a line of the latest output, or of FILEs, is REGEX
#	lacks REGEX [FILE...]			no line is
#	has_lines N REGEX [FILE...]		N lines are
#	expect_same FILE FILE			they have the same bytes
#	expect_equal WHAT GOT WANTED		two words
#	until_true COMMAND...			waits until another process has made it true
#	needs PROGRAM..., needs_modules MODULE...	or the test is skipped; modules are those of Debian's Python
#	skip WORDS
#	at_exit WORDS				a command for the end, before $work is removed
#	emulated OPTION... -- COMMAND...	on the emulator $emu, on a fabric of this test, for $limit seconds at most. In the
#						background it is a shell, so a signal for $! does not reach the command
#
# REGEX is one of grep -E. The exit status is 1 after a failure, also in a subshell, else that of the script: 77 is a skip.
work=$(mktemp -d)
output="$work/out $work/err"
fabric=test-$$
limit=${DVKIT_TEST_LIMIT:-200}
frame_at_exit=:

frame_end() {
	status=$?
	set +e
	trap - EXIT
	eval "$frame_at_exit"
	if [ -s "$work/.failures" ]; then
		echo "$(wc -c <"$work/.failures") failures"
		status=1
	fi
	rm -rf "$work"
	exit $status
}
trap frame_end EXIT

at_exit() {
	frame_at_exit="$*; $frame_at_exit"
}

# frame_show: what the latest commands printed, without what a terminal obeys.
frame_show() {
	local file
	for file in "$work"/out "$work"/err "$work"/*.err "$work"/*.log; do
		[ -s "$file" ] || continue
		echo "---- $(basename "$file" .log)"
		tail -n 200 "$file" | LC_ALL=C tr '\001-\010\013-\037\177' '?'
	done
}

fail() {
	echo "FAILED: $*"
	printf x >>"$work/.failures"
	frame_show
}

expect_status() {
	local wanted="$1"
	shift
	status=0
	output="$work/out $work/err"
	"$@" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" = "$wanted" ] || fail "$*: status $status, not $wanted"
}

expect_output() {
	local wanted="$1" regex="$2"
	shift 2
	expect_status "$wanted" "$@"
	cat "$work/out" "$work/err" | grep -Eq -e "$regex" || fail "$*: no line '$regex'"
}

expect_refusal() {
	expect_output 2 "$@"
	[ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" = 1 ] || fail "$*: not one line of an error"
}

# frame_lines REGEX [FILE...]: how many there are.
frame_lines() {
	local regex="$1" file
	shift
	for file in "$@"; do
		[ -e "$file" ] || fail "there is no $file" >&2
	done
	# shellcheck disable=SC2086 # words
	[ $# != 0 ] || set -- $output
	cat "$@" | grep -Ec -e "$regex" || true
}

has() {
	[ "$(frame_lines "$@")" != 0 ] || fail "no line '$1'"
}

lacks() {
	[ "$(frame_lines "$@")" = 0 ] || fail "a line '$1'"
}

has_lines() {
	local wanted="$1" found
	shift
	found=$(frame_lines "$@")
	[ "$found" = "$wanted" ] || fail "$found lines '$1', not $wanted"
}

expect_same() {
	cmp "$1" "$2" || fail "$(basename "$1") and $(basename "$2") differ"
}

expect_equal() {
	[ "$2" = "$3" ] || fail "$1: '$2', not '$3'"
}

until_true() {
	local tries=2000
	until "$@"; do
		[ $((tries -= 1)) -gt 0 ] || { fail "never: $*"; return; }
		sleep 0.05
	done
}

skip() {
	echo "SKIPPED: $*"
	exit 77
}

needs() {
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

has_modules() {
	local module
	for module in "$@"; do
		/usr/bin/python3 -c "import $module" 2>/dev/null || return 1
	done
}

needs_modules() {
	has_modules "$@" || skip "Debian's Python has not all of: $*"
}

emulated() {
	timeout -k 5 "$limit" "$emu" --fabric "$fabric" "$@"
}
