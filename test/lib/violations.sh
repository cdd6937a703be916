# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC3043
# Sourced by test/house/CHECK_catches_violations.sh: a check that never fails proves nothing. The rest is that of frame.sh.
#
#	$tree						an empty folder, for a made-up tree
#	$check						CHECK.sh
#	expect accepted|refused WHAT ARGUMENT...	what CHECK.sh says of its arguments
#	expect_report REGEX WHAT ARGUMENT...		also, a line of it
. "$(dirname "$0")/../lib/frame.sh"
tree=$work/tree
check=$(cd "$(dirname "$0")" && pwd)/$(basename "$0" _catches_violations.sh).sh
mkdir "$tree"

expect() {
	local wanted="$1" what="$2" result=accepted
	shift 2
	"$check" "$@" >"$work/out" 2>"$work/err" || result=refused
	expect_equal "$what" $result "$wanted"
}

expect_report() {
	local regex="$1"
	shift
	expect refused "$@"
	has "$regex" "$work/out"
}
