#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# rdma_cm.sh PORT_SPACE SERVER -- CLIENT: librdmacm's programs, and others that connect by address,
# between two processes; both have to end well. In both commands @PORT is replaced by a port, and @SERVER by
# the address of the server's host.
#
#	server: dvkit-emu --fabric F $SERVER_EMU -- SERVER
#	client: dvkit-emu --fabric F $CLIENT_EMU -- CLIENT
#
# PORT_SPACE, tcp or udp, is where the server will listen; its port is a name on the fabric. PORT is
# for programs whose port cannot be chosen. If SAYS is set, the client's output has to have such a
# line; if FAILS is set, the client ends with that status and the server, which is not called then,
# is ended. RACE is a library with which rping loses its race (loses_race.c).
. "$(dirname "$0")/../../lib/pair.sh"

case $1 in
tcp) space=262 ;;
udp) space=273 ;;
*) fail "no port space: $1" ;;
esac
shift
port=${PORT:-$(free_port)}
server=()
while [ "$1" != -- ]; do
	server+=("${1//@PORT/$port}")
	shift
done
shift
client=("${@//@PORT/$port}")
client=("${client[@]//@SERVER/$server_address}")
needs "${server[0]}" "${client[0]}"
server_program=${server[0]} client_program=${client[0]}
if [ -n "${RACE-}" ]; then
	! grep -q eventfd "$(command -v rping)" || skip 'this rping has no race'
	# shellcheck disable=SC2016 # for the inner shell
	loser=(sh -c 'LD_PRELOAD=$LD_PRELOAD:$0 exec "$@"' "$RACE")
	server=("${loser[@]}" "${server[@]}")
	client=("${loser[@]}" "${client[@]}")
fi

# place NAME: of the lock for a name on the fabric (emu/wire/fabric.c): FNV-1a.
place() {
	local h=-3750763034362895579 i
	for ((i = 0; i < ${#1}; i++)); do
		printf -v c %d "'${1:i:1}"
		h=$(((h ^ c) * 0x100000001b3))
	done
	echo $(((1 << 32) + ((h >> 2) & 0x3fffffffffffffff)))
}

# locked FILE: its device and inode, as /proc/locks has them. Inodes alone are not enough: in containers of tests, which have
# separate file systems in memory, fabrics have the same inode, and programs the same port.
locked() {
	# shellcheck disable=SC2046 # three words
	printf '%02x:%02x:%d' $(stat -c '%Hd %Ld %i' "$1")
}

# bound: a process of this fabric holds the port.
address=$(sed -n 's/.*--ip \([0-9.]*\).*/\1/p' <<<"${SERVER_EMU:-}")
[ "$server_address" = 127.0.0.1 ] || address=$server_address
place=$(place "cm/${address:-192.168.0.1}/$space/$port")
bound() {
	local file
	for file in /run/dvkit-emu/"$fabric".* /tmp/dvkit-emu-"$(id -u)"*/"$fabric".*; do
		[ -f "$file" ] || continue
		grep -q "WRITE .* $(locked "$file") $place $place\$" /proc/locks && return
	done
	return 1
}

start_server() {
	local tries=$((limit * 20))
	echo "\$ ${server[*]}"
	traced server "$server_program"
	# shellcheck disable=SC2086 # options, one word each
	"${server_on[@]}" timeout -k 5 "$limit" "$emu" --fabric "$fabric" "${emu_options[@]}" "${server_options[@]}" \
		"${traced[@]}" ${SERVER_EMU:-} -- "${server[@]}" \
		>"$work/server.log" 2>&1 &
	server_pid=$!
	until bound; do
		kill -0 $server_pid 2>/dev/null || fail 'the server ended before it was bound'
		tries=$((tries - 1))
		[ $tries -gt 0 ] || fail 'the server was never bound'
		sleep 0.05
	done
}

call() {
	echo "\$ ${client[*]}"
	status=0
	traced client "$client_program"
	# shellcheck disable=SC2086
	"${client_on[@]}" timeout -k 5 "$limit" "$emu" --fabric "$fabric" "${emu_options[@]}" "${client_options[@]}" \
		"${traced[@]}" ${CLIENT_EMU:-} -- "${client[@]}" \
		>"$work/client.log" 2>&1 || status=$?
}

# Between bind and listen a request is refused (UD: unreachable, with the status "unsupported" of
# SIDR_REP); perftest does both twice, and its client does not wait for the second time. A refused
# client is started again, with a new server.
for _ in 1 2 3 4 5; do
	start_server
	call
	if [ $status = 0 ] || [ -n "${FAILS:-}" ]; then
		break
	fi
	grep -Eq 'REJECTED|UNREACHABLE; error: 1|bl blka 8|Connection refused' "$work/client.log" || break
	end_server
done
if [ -n "${SAYS:-}" ]; then
	grep -Eq -- "$SAYS" "$work/client.log" || fail "the client does not say $SAYS"
fi
if [ -n "${FAILS:-}" ]; then
	[ $status = "$FAILS" ] || fail "the client ended with $status"
	exit 0
fi
must_end client $status "$client_program"
client_status=$status status=0
wait $server_pid || status=$?
server_pid=
must_end server $status "$server_program"
[ -z "${RACE-}" ] || [ "$client_status $status" = '255 255' ] || fail "a race is not lost: $client_status, $status"
if bound; then
	fail 'the port is still held'
fi
