#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ^C on either side, as a terminal sends it, ends both with what was measured; the death or the refusal
# of either ends the other with one line, within seconds.
#
#	peer_exits_when_the_other_does.sh DVKIT_EMU DVPERF
set -u
emu=$1 dvperf=$2 failed=0
dir=$(mktemp -d)
. "$(dirname "$0")/../../lib/tcp.sh"
port=$(free_ports)
trap 'rm -rf "$dir"' EXIT
seconds=100 # until a side that does not end is killed

# Its own process group, like a job of a shell: dvkit-emu and all of dvperf.
start() {
	local side=$1
	shift
	setsid "$emu" --fabric "ends-$$" -- "$dvperf" "$@" -p $port \
		>"$dir/$side" 2>"$dir/$side.err" &
}

# await_connection: the two are connected (state 01 of /proc/net/tcp); a moment later they measure.
await_connection() {
	local hex
	hex=$(printf ':%04X' $port)
	for ((i = 0; i < 100; i++)); do
		if awk -v port="$hex" '$2 ~ port "$" && $4 == "01"' /proc/net/tcp /proc/net/tcp6 |
			grep -q .; then
			sleep 2
			return
		fi
		sleep 0.1
	done
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
	if [ "$server $status" != "$want" ]; then
		problem "$signal to the $side of $*: server $server, client $status"
	fi
}

problem() {
	echo "FAILED: $*"
	for side in server client; do
		sed "s/^/$side: /" "$dir/$side" "$dir/$side.err"
	done
	failed=1
}

pressed() {
	for side in server client; do
		ends INT $side 0 0 "$@" --json
		python3 - "$dir" <<'PY' || problem "^C on the $side of $*"
import json, sys

for side in ("server", "client"):
    rows = json.load(open(f"{sys.argv[1]}/{side}"))["rows"]
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
	grep -q 'peer closed the connection\|failed: ' "$dir/client.err" || problem "the server of $*"
	ends KILL client 1 137 "$@"
	grep -q 'peer closed the connection\|failed: ' "$dir/server.err" || problem "the client of $*"
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
	sed -i '/waiting for a client/d' "$dir/server.err"
	if [ "$status $client" != '2 2' ] ||
		[ "$(cat "$dir/server.err" "$dir/client.err" | wc -l)" != 2 ] ||
		! grep -q -e "$server_text" "$dir/server.err" ||
		! grep -q -e "$client_text" "$dir/client.err"; then
		problem "${of_server[*]} | $*: server $status, client $client"
	fi
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
	local text=$1
	shift
	timeout 100 "$@" >"$dir/server" 2>"$dir/client.err"
	status=$?
	: >"$dir/client" >"$dir/server.err"
	if [ $status != 2 ] || [ "$(grep -c '^dvperf:' "$dir/client.err")" != 1 ] ||
		! grep -q -e "$text" "$dir/client.err"; then
		problem "$*: status $status"
	fi
}
run=("$emu" --fabric "ends-$$" -- "$dvperf")
port=$((port + 1))
alone 'no peer' "${run[@]}" sweep batch=1,2 -p $port 127.0.0.1
alone 'connects RC' "${run[@]}" bw -R -c UC
alone 'connects two processes' "${run[@]}" lat -R --loopback
[ -e /dev/infiniband/rdma_cm ] || alone 'modprobe rdma_ucm\|without rdma_cm' "$dvperf" bw -R
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
alone 'the peer is not dvperf' "${run[@]}" bw -p $port 127.0.0.1
wait

# A point that one side cannot measure is left out on both; the others are printed.
port=$((port + 1))
start server sweep threads=1,2 batch=1,2 -s 8 -n 50 --repeat=1 --locks=off
server=$!
start client sweep threads=1,2 batch=1,2 -s 8 -n 50 --repeat=1 127.0.0.1
ended $!
client=$status
ended $server
if [ "$status $client" != '0 0' ] || ! grep -q 'left out: the other side' "$dir/client.err" ||
	! grep -q 'left out: --locks=off' "$dir/server.err" ||
	[ "$(grep -c '^write' "$dir/client")" != 2 ] || [ "$(grep -c '^write' "$dir/server")" != 2 ]; then
	problem "a point that the server leaves out: server $status, client $client"
fi
exit $failed
