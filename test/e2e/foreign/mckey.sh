#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# mckey.sh RECEIVERS SENDER_OPTION... -- OPTION...: librdmacm's mckey, a sender and as many receivers, each on its own
# host. Every receiver is a member before the sender starts, and ends when it has all messages.
#
#	receiver N: dvkit-emu --fabric F --ip 10.0.0.N -- mckey OPTION...
#	sender:     dvkit-emu --fabric F --ip 10.0.0.9 -- mckey -s SENDER_OPTION... OPTION...
#
# With DVKIT_TEST_HOSTS=2 the receivers are on one host of a real network and the sender is on the other; the interface
# has to be a member of the group while they are.
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

if [ -n "${DVKIT_TEST_HOSTS-}" ]; then
	receiver_options=("${server_options[@]}")
	sender_options=("${client_options[@]}")
	receiver_at=(-b 10.7.0.1)
	sender_at=(-b 10.7.0.2)
else
	receiver_at=() sender_at=()
	sender_options=(--ip 10.0.0.9)
fi

# has_group: does the interface of the receivers' host let in 239.1.2.3?
has_group() {
	"${server_on[@]}" ip maddress show dev dvh0 | grep -qw 'inet  239.1.2.3'
}

echo "\$ mckey $*"
for ((n = 1; n <= receivers; n++)); do
	[ -n "${DVKIT_TEST_HOSTS-}" ] || receiver_options=(--ip "10.0.0.$n")
	"${server_on[@]}" timeout -k 5 "$limit" stdbuf -oL "$emu" --fabric "$fabric" "${receiver_options[@]}" -- \
		mckey "${receiver_at[@]}" "$@" \
		>"$work/receiver$n.log" 2>&1 &
	pids+=($!)
done
for ((n = 1; n <= receivers; n++)); do
	is_member "${pids[$((n - 1))]}" "$work/receiver$n.log"
done
[ -z "${DVKIT_TEST_HOSTS-}" ] || has_group || fail 'the interface is no member'
echo "\$ mckey -s ${sender[*]} $*"
"${client_on[@]}" timeout -k 5 "$limit" "$emu" --fabric "$fabric" "${sender_options[@]}" -- \
	mckey -s "${sender_at[@]}" "${sender[@]}" "$@" >"$work/sender.log" 2>&1 || fail "the sender ended with $?"
for pid in "${pids[@]}"; do
	wait "$pid" || fail "a receiver ended with $?"
done
pids=()
[ -z "${DVKIT_TEST_HOSTS-}" ] || ! has_group || fail 'the interface is still a member'
for log in "$work"/*.log; do
	grep -q '^data transfers complete' "$log" || fail "no transfer: $(basename "$log" .log)"
	grep -q 'joined dgid: ::ffff:239.1.2.3 ' "$log" || fail "another group: $(basename "$log" .log)"
done
