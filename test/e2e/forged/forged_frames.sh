#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Forged RoCE frames from a host of the network, which knows QP numbers, PSNs and keys (forger.c), to an adapter
# (target.c) whose memory is compared at the end. Other QPs of the same adapter, between other addresses, go on:
# mixed_operations verifies what they do.
#
#	forged_frames.sh TARGET FORGER MIXED_OPERATIONS [FRAMES [SEED]]
export DVKIT_TEST_HOSTS=2
. "$(dirname "$0")/../../lib/pair.sh"

target=$1 forger=$2 mixed=$3 frames=${4:-20000} seed=${5:-$(date +%s)}
echo "$frames frames, seed $seed"

# The forger is an address of the client's host that nothing else uses.
"${client_on[@]}" ip address add 10.7.0.66/24 dev dvh0
mac=$("${server_on[@]}" cat /sys/class/net/dvh0/address)

: >"$work/target.map"
"${server_on[@]}" timeout -k 5 "$limit" "$emu" --fabric "$fabric" "${server_options[@]}" -- \
	"$target" "$work/target.map" 10.7.0.66 >"$work/target.log" 2>&1 &
victim=$!
until [ "$(od -An -tu4 -N4 "$work/target.map" | tr -d ' ')" = 1 ]; do
	kill -0 $victim || fail 'the target ended'
	sleep 0.05
done

# Honest QPs of the same host, as long as frames are forged.
port=$(free_port)
verify() {
	"${server_on[@]}" timeout -k 5 "$limit" "$emu" --fabric "$fabric" "${server_options[@]}" -- \
		"$mixed" --listen "$port" "$1" 16 >"$work/listen.log" 2>&1 &
	server_pid=$!
	await_server "$port"
	"${client_on[@]}" timeout -k 5 "$limit" "$emu" "${client_options[@]}" -- \
		"$mixed" --connect 10.7.0.1 "$port" "$1" 16 >"$work/connect.log" 2>&1 || fail "honest QPs: $?"
	wait $server_pid || fail "honest QPs: $?"
	server_pid=
}
"${client_on[@]}" timeout -k 5 "$limit" "$forger" "$work/target.map" dvh0 "$mac" 10.7.0.66 10.7.0.1 "$frames" "$seed" \
	>"$work/forger.log" 2>&1 &
forging=$!
rounds=0
while kill -0 $forging 2>/dev/null; do
	verify 4000
	rounds=$((rounds + 1))
done
wait $forging || fail "the forger ended with $?"

# The process below the launcher ends in order, and says what it saw.
pkill -TERM -f "^$target $work/target.map" || fail 'the target has ended'
wait $victim || fail "the target ended with $?"
cat "$work/forger.log" "$work/target.log"
echo "$rounds times 4000 operations of other QPs verified"
awk -v sent="$frames" '{ exit !($1 >= sent / 2) }' <(grep 'frames,' "$work/target.log") ||
	fail 'less than half of the frames arrived'
