# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced by tests of dvperf, with the arguments LAUNCHER DVPERF: frame.sh, and
#
#	run ARGUMENT...				dvperf on the emulator
#	result NAME ARGUMENT...			its JSON in $work/NAME
#	works REGEX ARGUMENT...			it ends with 0 and says REGEX on standard output
#	refused REGEX ARGUMENT...		it ends with 2 after one line
#	both N REGEX ARGUMENT...		a server and its client, which end with N and say REGEX; with other arguments
#						for the client after "--". $work has server.log and client.log, that is what
#						they print, server.err and client.err; the options of dvkit-emu are in the
#						arrays server_options and client_options
#	two_sides ARGUMENT...			the same without checks: $server_status, $client_status
. "$(dirname "${BASH_SOURCE[0]}")/frame.sh"
. "$(dirname "${BASH_SOURCE[0]}")/tcp.sh"
# shellcheck disable=SC2034 # of emulated
emu=$1 dvperf=$2
port=$(free_ports)
server_options=() client_options=()

run() {
	emulated -- "$dvperf" "$@"
}

result() {
	run "${@:2}" --json >"$work/$1" 2>"$work/err" || fail "${*:2}: status $?"
}

works() {
	expect_status 0 run "${@:2}"
	has "$1" "$work/out"
}

refused() {
	expect_refusal "$1" run "${@:2}"
}

two_sides() {
	local server=() pid
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	[ $# -gt 0 ] || set -- -- "${server[@]}"
	shift
	port=$((port + 1)) server_status=0 client_status=0
	emulated "${server_options[@]}" -- "$dvperf" "${server[@]}" -p $port >"$work/server.log" 2>"$work/server.err" &
	pid=$!
	emulated "${client_options[@]}" -- "$dvperf" "$@" -p $port 127.0.0.1 >"$work/client.log" 2>"$work/client.err" ||
		client_status=$?
	wait $pid || server_status=$?
}

both() {
	two_sides "${@:3}"
	[ "$server_status $client_status" = "$1 $1" ] || fail "${*:3}: server $server_status, client $client_status, not $1"
	both_say "${@:2}"
}

# both_say REGEX WORDS
both_say() {
	local side
	for side in server client; do
		cat "$work/$side.log" "$work/$side.err" | grep -Eq -e "$1" || fail "${*:2}: no line '$1' of the $side"
	done
}
