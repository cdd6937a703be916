#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --stats: 20 messages of 3000 bytes in each direction, 3 packets each and an ACK; also of a process that a
# signal ends.
. "$(dirname "$0")/../../lib/pair.sh"

needs ibv_rc_pingpong
emu_options=(--stats)
pair ibv_rc_pingpong -g 1 -n 20 -s 3000
for side in server client; do
	for line in 'ibv_rc_pingpong, mlx5_0: 20 doorbells, 20 WQEs, 40 CQEs' 'messages: 20 of 60000 bytes' \
		'frames: sent 80 of [0-9]* bytes, 0 again; received 80 of [0-9]*, 0 not taken'; do
		has "^dvkit-emu: \[[12]\] $line\$" "$work/$side.log"
	done
done
lacks faults: "$work"/*.log # of a link without them

# The device is open when the program listens.
port=$(free_port)
timeout -k 5 "$limit" "$emu" --fabric "$fabric" --stats -- ibv_ud_pingpong -g 1 -p "$port" >"$work/ended.log" 2>&1 &
server_pid=$!
await_server "$port"
kill "$server_pid"
wait "$server_pid" || true
server_pid=
has 'ibv_ud_pingpong, mlx5_0: 0 doorbells' "$work/ended.log"
lacks 'no summary' "$work/ended.log"
