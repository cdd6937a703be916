#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A server and a client, each on a separate adapter, on one fabric: pair.sh DVKIT-EMU
set -eu
fabric=pair-$$
port=${PORT:-18515}
timeout 100 "$1" --fabric "$fabric" -- ibv_rc_pingpong -g 3 -p "$port" &
server=$!
trap 'kill $server 2>/dev/null || :' EXIT # a server that is left would have the port
tries=0
until "$1" --fabric "$fabric" --ip 192.168.0.2 -- ibv_rc_pingpong -g 3 -p "$port" 127.0.0.1; do
	tries=$((tries + 1))
	# The server may not listen yet.
	kill -0 $server && [ $tries -lt 100 ] || exit 1
	sleep 0.1
done
wait $server
