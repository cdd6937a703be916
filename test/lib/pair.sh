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
# between them (hosts.sh). The rest is that of frame.sh.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/frame.sh"
. "$(dirname "${BASH_SOURCE[0]}")/tcp.sh"
. "$(dirname "${BASH_SOURCE[0]}")/races.sh"

emu=${DVKIT_EMU:-dvkit-emu}
at_exit 'end_server; end_hosts; jobs -p | xargs -r kill 2>/dev/null'
server_pid=
server_address=127.0.0.1
server_on=() client_on=() # words that run a command on that host

end_hosts() {
	true
}

# fail WORDS: the first failure ends the test, since one side waits for the other.
fail() {
	echo "FAILED: $*"
	frame_show
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
	output=$work/alone.log
	emulated "${emu_options[@]}" -- "$@" >"$output" 2>&1 || fail "$1 ended with $?"
}

# own_network "$@": starts the script again, in a separate network namespace, and goes on there.
own_network() {
	if [ -z "${DVKIT_OWN_NETWORK-}" ]; then
		unshare -n true 2>/dev/null || skip 'network namespaces need root'
		[ -w /dev/net/tun ] || skip 'there is no /dev/net/tun'
		DVKIT_OWN_NETWORK=1 unshare -n "$0" "$@"
		exit
	fi
	ip link set lo up
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
