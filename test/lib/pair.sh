# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced by tests that run programs on the software ConnectX: one process, or a server and a client.
#
#	server: dvkit-emu --fabric F -- PROGRAM ARGS -p PORT		slot 1
#	client: dvkit-emu --fabric F -- PROGRAM ARGS -p PORT 127.0.0.1	slot 2
#
# Every test has its own fabric and TCP port. The programs exchange their QPNs over TCP, which is the
# machine's; the data takes the fabric.
# DVKIT_EMU names the launcher. With DVKIT_TEST_HOSTS=2 server and client are two hosts with a network
# between them (hosts.sh). Exit status 77: a program is not installed.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/tcp.sh"
. "$(dirname "${BASH_SOURCE[0]}")/races.sh"

emu=${DVKIT_EMU:-dvkit-emu}
limit=${DVKIT_TEST_LIMIT:-100} # seconds until a hanging process is ended
fabric=foreign-$$
work=$(mktemp -d)
# shellcheck disable=SC2154 # set in the trap itself
trap 'status=$?; end_server; end_hosts; jobs -p | xargs -r kill 2>/dev/null || true; rm -rf "$work"; exit $status' EXIT
server_pid=
server_address=127.0.0.1
server_on=() client_on=() # words that run a command on that host

end_hosts() {
	true
}

needs() {
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null && continue
		echo "$program is not installed"
		exit 77
	done
}

# fail WORDS: with what both sides said.
fail() {
	local log
	echo "FAILED: $*"
	for log in "$work"/*.log; do
		[ -f "$log" ] || continue
		echo "---- $(basename "$log" .log)"
		tail -n 200 "$log"
	done
	exit 1
}

# dvkit-emu takes the options in array emu_options; of a pair also those of its side.
emu_options=()
server_options=()
client_options=()

if [ -n "${DVKIT_TEST_HOSTS-}" ]; then
	. "$(dirname "${BASH_SOURCE[0]}")/hosts.sh"
	needs ip unshare nsenter
	begin_hosts
	server_address=10.7.0.1
	tcp_of=$server_host
	server_options=(--wire udp)
	client_options=(--wire udp --fabric "$fabric-client")
fi

# alone PROGRAM ARGUMENT...: one process; its output is $work/alone.log.
alone() {
	echo "\$ $*"
	timeout -k 5 "$limit" "$emu" --fabric "$fabric" "${emu_options[@]}" -- "$@" >"$work/alone.log" 2>&1 ||
		fail "$1 ended with $?"
}

end_server() {
	[ -n "$server_pid" ] || return 0
	kill "$server_pid" 2>/dev/null || true
	wait "$server_pid" 2>/dev/null || true
	server_pid=
}

# await_server PORT: until it listens; fails when it ended before.
await_server() {
	until_listening "$1" "$server_pid" || fail 'the server did not listen'
}

# command_of PROGRAM ARGUMENT...: in array command. Newer ucx_perftest lets MPI start it unless its
# standard input is a terminal (ucx, perftest_mpi.c), so it gets one.
command_of() {
	command=("$emu" --fabric "$fabric" "${emu_options[@]}" -- "$@")
	[ "$1" != ucx_perftest ] || command=(env SHELL=/bin/bash script -qec
		"stty -onlcr; exec $(printf '%q ' "${command[@]}")" /dev/null)
	command=(timeout -k 5 "$limit" "${command[@]}")
}

# pair PROGRAM ARGUMENT...: server and client, both must end with 0. Their output is
# $work/server.log and $work/client.log.
pair() {
	local port status=0 both=("${emu_options[@]}")
	[ -r /proc/net/tcp ] || fail '/proc is not mounted: mount -t proc proc /proc'
	port=$(free_port)
	echo "\$ $* -p $port [$server_address]"
	emu_options=("${both[@]}" "${server_options[@]}")
	command_of "$@" -p "$port"
	"${server_on[@]}" "${command[@]}" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	await_server "$port"
	emu_options=("${both[@]}" "${client_options[@]}")
	command_of "$@" -p "$port" "$server_address"
	emu_options=("${both[@]}")
	"${client_on[@]}" "${command[@]}" >"$work/client.log" 2>&1 </dev/null || status=$?
	[ $status = 0 ] || fail "the client ended with $status"
	wait "$server_pid" || status=$?
	server_pid=
	[ $status = 0 ] || fail "the server ended with $status"
}
