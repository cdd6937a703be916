# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced by tests with a server and a client: TCP ports of this machine, or of the network namespace of
# process tcp_of.

# listening PORT: is there a listener? (st 0A is TCP_LISTEN.) Connecting to find out would use up the only
# connection that many programs accept.
listening() {
	awk -v port="$(printf ':%04X' "$1")" \
		'$4 == "0A" && index($2, port) { found = 1 } END { exit !found }' \
		/proc/"${tcp_of:-self}"/net/{tcp,tcp6} 2>/dev/null
}

# connected PORT: is there a connection to it? (st 01 is TCP_ESTABLISHED.)
connected() {
	awk -v port="$(printf ':%04X' "$1")" \
		'$4 == "01" && index($2, port) { found = 1 } END { exit !found }' \
		/proc/"${tcp_of:-self}"/net/{tcp,tcp6} 2>/dev/null
}

# until_listening PORT PID: false when the process ended before it listened, or after 100 s.
until_listening() {
	local tries=2000
	until listening "$1"; do
		kill -0 "$2" 2>/dev/null && [ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.05
	done
}

# A port below the ephemeral range; by process number, so that parallel runs differ.
free_port() {
	local port=$((12000 + $$ % 20000))
	while listening "$port"; do
		port=$((port + 1))
	done
	echo "$port"
}

# The first of 100 ports for a script that needs one after the other; by process number, too.
free_ports() {
	local port=$((12000 + $$ % 200 * 100))
	while listening "$port"; do
		port=$((12000 + (port - 11900) % 20000))
	done
	echo "$port"
}
