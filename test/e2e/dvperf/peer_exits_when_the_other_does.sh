#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ^C on either side, as a terminal sends it, ends both with what was measured; the death or the refusal
# of either ends the other with one line, within seconds.
#
#	peer_exits_when_the_other_does.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

seconds=100 # until a side that does not end is killed

# Its own process group, like a job of a shell: dvkit-emu and all of dvperf.
start() {
	local side=$1
	shift
	setsid "$emu" --fabric "$fabric" -- "$dvperf" "$@" -p $port \
		>"$work/$side.log" 2>"$work/$side.err" &
}

# await_connection: the two are connected; a moment later they measure.
await_connection() {
	until_true connected $port
	sleep 2
}

# ended PID: $status is its exit status, or "none" when it does not end.
ended() {
	for ((i = 0; i < seconds * 10; i++)); do
		if ! kill -0 "$1" 2>/dev/null; then
			wait "$1" 2>/dev/null
			status=$?
			return
		fi
		sleep 0.1
	done
	kill -KILL "-$1"
	status=none
}

# ends SIGNAL SIDE SERVER_STATUS CLIENT_STATUS ARGUMENT...
ends() {
	local signal=$1 side=$2 want="$3 $4" server client whom
	shift 4
	port=$((port + 1))
	start server "$@"
	server=$!
	start client "$@" 127.0.0.1
	client=$!
	await_connection
	[ "$side" = server ] && whom=$server || whom=$client
	kill "-$signal" "-$whom"
	ended $server
	server=$status
	ended $client
	expect_equal "$signal to the $side of $*: server, client" "$server $status" "$want"
}

pressed() {
	for side in server client; do
		ends INT $side 0 0 "$@" --json
		python3 - "$work" <<'PY' || fail "^C on the $side of $*"
import json, sys

for side in ("server", "client"):
    rows = json.load(open(f"{sys.argv[1]}/{side}.log"))["rows"]
    assert any("interrupted" in why for why in rows[-1]["not_trusted"]), rows[-1]["not_trusted"]
    measured = rows[-1]["metrics"]
    if side == "client":
        assert measured.get("mops", 0) > 0 or measured.get("lat_50", 0) > 0, measured
PY
	done
}

pressed bw -s 8 -D 100 -f 0
pressed bw -s 64 --op=send -n 1000000000 -b --warmup=0
pressed bw -c UD -s 64 --op=send -n 1000000000 --warmup=0
pressed lat -n 1000000000
pressed lat --op=read -n 1000000000
pressed sweep --repeat=1 batch=1,2,4 -s 8 -D 100 -f 0

killed() {
	ends KILL server 137 1 "$@"
	has 'peer closed the connection|failed: ' "$work/client.err"
	ends KILL client 1 137 "$@"
	has 'peer closed the connection|failed: ' "$work/server.err"
}

killed bw -s 8 -D 100
killed bw -c UD --op=send -s 64 -D 100
killed lat -n 1000000000
killed sweep batch=1,2,4 -s 8 -D 100

# refused SERVER_TEXT CLIENT_TEXT SERVER_ARGUMENTS -- CLIENT_ARGUMENTS: status 2 and that line, on both
refused() {
	local server_text=$1 client_text=$2 of_server=() server
	shift 2
	while [ "$1" != -- ]; do
		of_server+=("$1")
		shift
	done
	shift
	port=$((port + 1))
	start server "${of_server[@]}"
	server=$!
	start client "$@" 127.0.0.1
	ended $!
	client=$status
	ended $server
	sed -i '/waiting for a client/d' "$work/server.err"
	expect_equal "${of_server[*]} | $*: server, client" "$status $client" '2 2'
	has_lines 2 '' "$work/server.err" "$work/client.err"
	has "$server_text" "$work/server.err"
	has "$client_text" "$work/client.err"
}

refused 'no device nosuch' 'other side: there is no device nosuch' bw -d nosuch -- bw
refused 'other side: .* no GID' 'has no GID 77' bw -- bw -x 77
refused 'other side: .* above the maximum' 'above the maximum' sweep op=read size=8,16 -- \
	sweep op=read size=8,16 -o 200
refused 'differ: number of points 2 here, 3 there' 'differ: number of points 3 here' \
	sweep batch=1,2 -- sweep batch=1,2,4
refused 'differ: subcommand sweep here, bw there' 'differ: subcommand bw here' \
	sweep batch=1,2 -- bw
refused 'differ: subcommand lat -a here, lat there' 'differ: subcommand lat here' lat -a -- lat
refused 'differ: --remote ' 'differ: --remote ' bw -s 8 -- bw -s 8 --remote=random
refused 'differ: --op ' 'differ: --op ' bw -s 8 --op=send -- bw -s 8 --write_with_imm

# no server, and a server that is not dvperf: one line, status 2
alone() {
	expect_status 2 "${@:2}"
	has_lines 1 '^dvperf:' "$work/err"
	has "$1" "$work/err"
}
port=$((port + 1))
alone 'no peer' run sweep batch=1,2 -p $port 127.0.0.1
alone 'connects RC' run bw -R -c UC
alone 'connects two processes' run lat -R --loopback
[ -e /dev/infiniband/rdma_cm ] || alone 'modprobe rdma_ucm|without rdma_cm' "$dvperf" bw -R
python3 - $port <<'PY' &
import socket, sys

server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
client = server.accept()[0]
client.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n")
client.recv(1)
client.settimeout(20)
try:
    while client.recv(4096):
        pass
except ConnectionResetError:
    pass
PY
until_listening $port $! || fail 'no server'
alone 'the peer is not dvperf' run bw -p $port 127.0.0.1
wait

# A point that one side cannot measure is left out on both; the others are printed.
port=$((port + 1))
start server sweep threads=1,2 batch=1,2 -s 8 -n 50 --repeat=1 --locks=off
server=$!
start client sweep threads=1,2 batch=1,2 -s 8 -n 50 --repeat=1 127.0.0.1
ended $!
client=$status
ended $server
expect_equal 'a point that the server leaves out: server, client' "$status $client" '0 0'
has 'left out: the other side' "$work/client.err"
has 'left out: --locks=off' "$work/server.err"
has_lines 2 '^write' "$work/client.log"
has_lines 2 '^write' "$work/server.log"
