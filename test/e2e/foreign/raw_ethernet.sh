#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# perftest's programs of raw packets: two hosts, a rule each for its MAC; fs_rate makes and destroys rules.
#
#	raw_ethernet.sh PROGRAM ARGUMENT...
. "$(dirname "$0")/../../lib/pair.sh"

needs "$1" stdbuf
a=02:c5:c0:a8:00:01 b=02:c5:c0:a8:00:02

# has_row LOG: a line of results; the fourth is a bandwidth or a time.
has_row() {
	awk '/^ *#(bytes|flows)/ { table = 1; next }
		table && $1 ~ /^[0-9]+$/ && $4 + 0 > 0 { n++ }
		END { exit n != 1 }' "$work/$1.log" || fail "$1: no results"
	awk '/^ *#(bytes|flows)/ { table = 1 } table && /^ *[#0-9]/' "$work/$1.log"
}

if [ "$1" = raw_ethernet_fs_rate ]; then
	alone "$@" --server -d mlx5_0 -B $a -E $b -F
	has_row alone
	exit
fi
# cpu: ticks of CPU time of the server, whose name is cut to 15 characters.
cpu() {
	local folder name
	for folder in /proc/[0-9]*; do
		read -r name 2>/dev/null <"$folder/comm" && [ "$name" = "$program" ] || continue
		sed 's/.*) //' "$folder/stat" 2>/dev/null | awk '{ print $12 + $13 }'
		return
	done
	echo 0
}

# polls: the server polls, so all its receives are posted: it does so after the head of its table, and takes less than a tenth of
# a second of CPU time for it.
polls() {
	local start=
	until [ -n "$start" ] && [ "$(cpu)" -gt $((start + 10)) ]; do
		kill -0 $server_pid 2>/dev/null || fail 'the server ended'
		[ -n "$start" ] || ! grep -Eq '^ *#(bytes|flows)' "$work/server.log" || start=$(cpu)
		sleep 0.05
	done
}

program=${1:0:15}
timeout -k 5 "$limit" "$emu" --fabric "$fabric" --ip 192.168.0.1 --check -- \
	stdbuf -oL "$@" --server -d mlx5_0 -B $a -E $b -F >"$work/server.log" 2>&1 &
server_pid=$!
polls
timeout -k 5 "$limit" "$emu" --fabric "$fabric" --ip 192.168.0.2 --check -- \
	"$@" --client -d mlx5_0 -B $b -E $a -F >"$work/client.log" 2>&1 || fail "the client ended with $?"
wait $server_pid || fail "the server ended with $?"
server_pid=
for side in server client; do
	has_row $side
	grep -q 'check: 0 findings' "$work/$side.log" || fail "$side: findings"
done
