#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Debian's dpdk-testpmd with its mlx5 driver, unmodified (dv_flow_en=0: work queues, RSS and rules of verbs; no huge
# pages), in a network namespace of the test's own.
#
#	testpmd.sh rules		rules of "flow create", and packets that have to reach their queues
#	testpmd.sh count		one process sends, one receives: the counters are those of the frames
. "$(dirname "$0")/../../../lib/pair.sh"

here=$(dirname "$(realpath "$0")")
needs dpdk-testpmd ip stdbuf unshare tshark
ls /usr/lib/*/dpdk/pmds-*/librte_net_mlx5.so* >/dev/null 2>&1 || { echo "DPDK's mlx5 driver is not installed"; exit 77; }
if [ "${2-}" != inside ]; then
	unshare -n true 2>/dev/null || { echo "network namespaces need root"; exit 77; }
	[ -w /dev/net/tun ] || { echo "there is no /dev/net/tun"; exit 77; }
	unshare -n "$0" "$1" inside
	exit
fi
ip link set lo up

# testpmd NAME EMU_OPTIONS -- TESTPMD_OPTIONS: in the background; its commands go to descriptor $to.
testpmd() {
	local name=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	mkfifo "$work/$name.commands"
	"$emu" --fabric "$fabric" --netdev "dv$name" --check "${options[@]}" -- \
		stdbuf -oL dpdk-testpmd --no-huge --file-prefix="dvkit-$$-$name" -m 256 --no-telemetry -l 0,1 -a 0000:03:00.0,dv_flow_en=0 -- \
		--total-num-mbufs=4096 --rxd=256 --txd=256 --no-lsc-interrupt -i "$@" \
		<"$work/$name.commands" >"$work/$name.log" 2>&1 &
	pid=$!
	exec {to}>"$work/$name.commands"
	await "$name" $pid 'testpmd>'
}

# await NAME PID REGEX [COUNT]: until it said that so often.
await() {
	local i
	for ((i = 0; i < limit * 10; i++)); do
		[ "$(grep -Ec -- "$3" "$work/$1.log")" -ge "${4-1}" ] && return
		kill -0 "$2" 2>/dev/null || fail "testpmd $1 ended"
		sleep 0.1
	done
	fail "testpmd $1 did not say '$3'"
}

# number NAME WORD: the last number after WORD: in its output.
number() {
	grep -Eo "$2: *[0-9]+" "$work/$1.log" | tail -n 1 | grep -Eo '[0-9]+$'
}

# received NAME COUNT: until its port has received so many packets.
asked=0
received() {
	local i
	for ((i = 0; i < limit * 5; i++)); do
		asked=$((asked + 1))
		echo 'show port stats 0' >&"$rx_to"
		await "$1" $rx_pid 'NIC statistics' $asked
		await "$1" $rx_pid 'Tx-pps' $asked
		[ "$(number "$1" RX-packets)" != "$2" ] || return 0
		sleep 0.2
	done
	fail "$(number "$1" RX-packets) packets were received, not $2"
}

no_findings() {
	grep -q 'check: 0 findings' "$work/$1.log" || fail "$1: findings"
}

case $1 in
rules)
	/usr/bin/python3 "$here/rules.py" packets "$work/packets.pcap"
	testpmd rx --ip 192.168.0.2 -- --rxq=4 --txq=4 --forward-mode=rxonly --auto-start
	rules=$(/usr/bin/python3 "$here/rules.py" commands)
	echo "$rules" >&"$to"
	echo 'set verbose 1' >&"$to"
	await rx $pid 'Flow rule #[0-9]+ created' "$(echo "$rules" | wc -l)"
	await rx $pid 'verbose level'
	# A program with a receive queue makes dvkit-emu inject.
	timeout 5 "$emu" --fabric "$fabric" --ip 192.168.0.9 --inject "$work/packets.pcap" -- \
		"${DVKIT_BIN:-$(dirname "$emu")}/eth_echo" >"$work/inject.log" 2>&1 &
	await rx $pid ' src=' 21
	wait $! || true # it is ended by timeout
	echo quit >&"$to"
	wait $pid || fail "testpmd ended with $?"
	/usr/bin/python3 "$here/rules.py" check "$work/rx.log" || fail 'packets in the wrong queue'
	no_findings rx
	;;
count)
	testpmd rx --ip 192.168.0.2 -- --forward-mode=rxonly --auto-start
	rx_to=$to rx_pid=$pid
	testpmd tx --ip 192.168.0.1 --pcap "$work/tx.pcap" -- --forward-mode=io \
		--eth-peer=0,02:c5:c0:a8:00:02
	# Bursts of 4 * 32 packets: it has 256 buffers, and posts them again 64 at a time.
	for ((i = 1; i <= 10; i++)); do
		echo 'start tx_first 4' >&"$to"
		echo stop >&"$to"
		await tx $pid 'Accumulated' $i
		received rx $((128 * i))
	done
	# As many as there is time for: the receiver may lose some.
	echo 'set fwd txonly' >&"$to"
	echo start >&"$to"
	sleep 2
	echo stop >&"$to"
	await tx $pid 'Accumulated' 11
	echo 'show port stats 0' >&"$to"
	echo quit >&"$to"
	wait $pid || fail "testpmd tx ended with $?"
	echo quit >&"$rx_to"
	wait $rx_pid || fail "testpmd rx ended with $?"
	sent=$(number tx TX-packets)
	frames=$(tshark -r "$work/tx.pcap" -T fields -e frame.number 2>/dev/null | wc -l)
	echo "$sent sent, $frames frames, $(number rx RX-packets) received"
	[ "$sent" -gt 1280 ] && [ "$sent" = "$frames" ] || fail 'frames and TX counter differ'
	[ "$(number rx RX-packets)" -le "$sent" ] || fail 'more were received than sent'
	no_findings rx
	no_findings tx
	;;
esac
