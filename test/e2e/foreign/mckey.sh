#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# mckey.sh RECEIVERS SENDER_OPTION... -- OPTION...: librdmacm's mckey, a sender and as many receivers, each on its own
# host. Every receiver is a member before the sender starts, and ends when it has all messages.
#
#	receiver N: dvkit-emu --fabric F --ip 10.0.0.N -- mckey OPTION...
#	sender:     dvkit-emu --fabric F --ip 10.0.0.9 -- mckey -s SENDER_OPTION... OPTION...
. "$(dirname "$0")/../../lib/pair.sh"

needs mckey
receivers=$1
shift
sender=()
while [ "$1" != -- ]; do
	sender+=("$1")
	shift
done
shift

pids=()
end_server() {
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null || true
}

# is_member PID LOG: until the receiver has joined all its groups.
is_member() {
	until grep -q '^receiving' "$2"; do
		kill -0 "$1" 2>/dev/null || fail 'a receiver ended before it was a member'
		sleep 0.05
	done
}

echo "\$ mckey $*"
for ((n = 1; n <= receivers; n++)); do
	timeout -k 5 "$limit" stdbuf -oL "$emu" --fabric "$fabric" --ip "10.0.0.$n" -- mckey "$@" \
		>"$work/receiver$n.log" 2>&1 &
	pids+=($!)
done
for ((n = 1; n <= receivers; n++)); do
	is_member "${pids[$((n - 1))]}" "$work/receiver$n.log"
done
echo "\$ mckey -s ${sender[*]} $*"
timeout -k 5 "$limit" "$emu" --fabric "$fabric" --ip 10.0.0.9 -- mckey -s "${sender[@]}" "$@" >"$work/sender.log" 2>&1 ||
	fail "the sender ended with $?"
for pid in "${pids[@]}"; do
	wait "$pid" || fail "a receiver ended with $?"
done
pids=()
for log in "$work"/*.log; do
	grep -q '^data transfers complete' "$log" || fail "no transfer: $(basename "$log" .log)"
	grep -q 'joined dgid: ::ffff:239.1.2.3 ' "$log" || fail "another group: $(basename "$log" .log)"
done
