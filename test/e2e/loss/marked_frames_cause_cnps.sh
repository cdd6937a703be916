#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The client's WRITEs are marked: the server sends CNPs, the client gets them, and all bytes arrive.
# DVKIT_TEST_HOSTS=2: through the network of the kernel.
. "$(dirname "$0")/../../lib/pair.sh"

needs ib_write_bw
client_options+=(--ecn=20%)
server_options+=("--trace-file=$work/server.trace")
client_options+=("--trace-file=$work/client.trace")
emu_options=(--trace=wire)
pair ib_write_bw -d mlx5_0 -n 200 -s 8192

# count SIDE DIRECTION: its frames that are CNPs.
count() {
	grep -c "$2 .* CNP " "$work/$1.trace" || true
}
sent=$(count server →)
received=$(count client ←)
[ "$sent" -gt 0 ] || fail 'the server sent no CNP'
[ "$sent" = "$received" ] || fail "$sent CNPs were sent, $received arrived"
[ "$(count client →)" = 0 ] || fail 'unmarked ACKs caused CNPs'
