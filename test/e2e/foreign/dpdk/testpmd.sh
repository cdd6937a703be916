#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Debian's dpdk-testpmd with its mlx5 driver, unmodified, without huge pages, in a network namespace of the test's own.
# DV_FLOW_EN is the driver's dv_flow_en: 0, the default here: work queues, RSS and rules of verbs; 1: queues of DevX,
# rules of mlx5dv_dr; 2: rules that WQEs write. DEVICE is the adapter.
#
#	testpmd.sh rules [GROUP]	rules of "flow create", in that group, and packets that have to reach their queues, and with
#					GROUP be counted, but for DV_FLOW_EN=2: its counters are read by ASO WQEs
#	testpmd.sh templates		DV_FLOW_EN=2: rules of "flow queue", of templates, that are posted together
#	testpmd.sh count		one process sends, by multi-packet WQEs, and one receives: the counters are those of the
#					frames
#	testpmd.sh ports COUNTERS	one process with two ports (io, txonly, rxonly, macswap): the counters of testpmd and
#					of the device; COUNTERS is the library that asks the device
. "$(dirname "$0")/../../../lib/pair.sh"

here=$(dirname "$(realpath "$0")")
needs dpdk-testpmd ip stdbuf unshare tshark
ls /usr/lib/*/dpdk/pmds-*/librte_net_mlx5.so* >/dev/null 2>&1 || skip "DPDK's mlx5 driver is not installed"
# From 24.11 on "flow create" makes rules with dv_flow_en=2, too.
[ "${DV_FLOW_EN:-0}" != 2 ] || ls /usr/lib/*/librte_net_mlx5.so.2[5-9] >/dev/null 2>&1 ||
	skip 'DPDK before 24.11 makes rules that WQEs write of templates only'
[ "$1" != ports ] || [ -e "$2" ] || fail "there is no $2"
own_network "$@"

# testpmd NAME EMU_OPTIONS -- TESTPMD_OPTIONS: in the background; its commands go to descriptor $to. It has the
# PCI functions in array functions, and loads the library $preload.
functions=(0000:03:00.0)
preload=
testpmd() {
	local name=$1 options=() pci=() function
	shift
	for function in "${functions[@]}"; do
		pci+=(-a "$function,dv_flow_en=${DV_FLOW_EN:-0}")
	done
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	mkfifo "$work/$name.commands"
	"$emu" --fabric "$fabric" --netdev "dv$name" --check "${options[@]}" -- \
		sh -c 'LD_PRELOAD=$LD_PRELOAD:$0 exec "$@"' "$preload" \
		stdbuf -oL dpdk-testpmd --no-huge --file-prefix="dvkit-$$-$name" -m 256 --no-telemetry -l 0,1 --log-level=pmd.net.mlx5:8 "${pci[@]}" -- \
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

# The number of a line of "show port stats" or of forward statistics: statistic NAME PORT TITLE WORD, of the last ones.
statistic() {
	awk -v port="$2" -v title="$3" -v word="$4:" '
		/statistics for port|NIC statistics/ { on = index($0, title) && $0 ~ "port " port " " }
		on { for (i = 1; i < NF; i++) if ($i == word) n = $(i + 1) }
		END { print n }' "$work/$1.log"
}

# ask: what the device counts, to $work/counted.
ask() {
	local i
	rm -f "$work/counted"
	echo "$work/counted" >&"$asks"
	for ((i = 0; i < limit * 10; i++)); do
		[ ! -e "$work/counted" ] || return 0
		sleep 0.1
	done
	fail 'the device did not answer'
}

# vport PORT rx|tx: packets, as the device counted.
vport() {
	awk -v device="mlx5_$1" -v way="$2" '
		$1 == device { for (i = 2; i < NF; i++) if ($i == way) print $(i + 1) }' "$work/counted"
}

# testpmd says it has stopped; $stops: how often until now.
stops=0
stop() {
	echo stop >&"$to"
	stops=$((stops + 1))
	await two $pid 'Accumulated forward statistics' $stops
}

# port PORT WORD: of "show port stats all".
port() {
	statistic two "$1" 'NIC statistics' "$2"
}

show() {
	asked=$((asked + 2))
	echo 'show port stats all' >&"$to"
	await two $pid 'NIC statistics' $asked
	await two $pid 'Tx-pps' $asked
}

# Packets that the ports have received and testpmd has not read yet; then counters of testpmd and of the device.
settle() {
	local i
	for ((i = 0; i < limit * 5; i++)); do
		ask
		show
		[ "$(port 0 TX-packets)" != "$(vport 0 tx)" ] || [ "$(port 1 TX-packets)" != "$(vport 1 tx)" ] || break
		sleep 0.2
	done
	echo 'set fwd rxonly' >&"$to"
	echo start >&"$to"
	stop
	show
	ask
}

equal() {
	echo "$1: $2"
	[ "$2" = "$3" ] || fail "$1: $2, not $3"
}

# sent_and_arrived WHAT: what a port sent is what the other one got, by the counters of testpmd and of the device.
sent_and_arrived() {
	local from
	settle
	for from in 0 1; do
		equal "$1: sent by port $from" "$(vport $from tx)" "$(port $from TX-packets)"
		equal "$1: arrived at port $((1 - from))" "$(vport $((1 - from)) rx)" "$(vport $from tx)"
	done
}

# both_received WHAT PACKETS PACKETS: of port 0 and 1.
both_received() {
	equal "$1: received" "$(port 0 RX-packets) $(port 1 RX-packets)" "$2 $3"
}

received_and_missed() {
	echo $(($(port "$1" RX-packets) + $(port "$1" RX-missed)))
}

# two_ports LIBRARY
two_ports() {
	local i first second
	mkfifo "$work/asks"
	exec {asks}<>"$work/asks"
	export DVKIT_TEST_COUNTERS=$work/asks
	functions=(0000:03:00.0 0000:03:00.1) preload=$1
	testpmd two --device bf3 --netdev dvtwo,dvtwo1 --pcap "$work/two.pcap" -- --forward-mode=io \
		--eth-peer=0,02:d5:c0:a8:00:01 --eth-peer=1,02:c5:c0:a8:00:01
	echo 'set promisc all off' >&"$to"
	# The driver of DPDK 24.11 has rules for those addresses only that a program has added.
	echo 'flow create 0 ingress pattern eth dst is 02:c5:c0:a8:00:01 / end actions queue index 0 / end' >&"$to"
	echo 'flow create 1 ingress pattern eth dst is 02:d5:c0:a8:00:01 / end actions queue index 0 / end' >&"$to"
	await two $pid 'Flow rule #[0-9]+ created' 2

	# 32 packets in either direction, which go on and on
	echo 'start tx_first 1' >&"$to"
	for ((i = 0; i < limit * 5; i++)); do
		show
		[ "$(port 0 TX-packets)" -lt 1000 ] || [ "$(port 1 TX-packets)" -lt 1000 ] || break
		sleep 0.2
	done
	stop
	sent_and_arrived io
	both_received io "$(vport 0 rx)" "$(vport 1 rx)"

	# No port receives before the end: what the receive queues have no buffers for is lost. There are 4096 buffers.
	first=$(vport 0 rx) second=$(vport 1 rx)
	echo 'set fwd txonly' >&"$to"
	echo start >&"$to"
	for ((i = 0; i < limit * 5; i++)); do
		ask
		[ $(($(vport 0 rx) - first)) -le 4096 ] || [ $(($(vport 1 rx) - second)) -le 4096 ] || break
		sleep 0.2
	done
	stop
	sent_and_arrived txonly
	[ "$(port 0 RX-packets)" -lt "$(vport 0 rx)" ] && [ "$(port 1 RX-packets)" -lt "$(vport 1 rx)" ] ||
		fail 'txonly: nothing was lost'
	# The driver reads out_of_buffer with DevX, or in sysfs.
	equal 'txonly: received and missed' "$(received_and_missed 0) $(received_and_missed 1)" \
		"$(vport 0 rx) $(vport 1 rx)"

	swap_addresses
	echo quit >&"$to"
	wait $pid || fail "testpmd ended with $?"
	[ "$(grep -c 'check: 0 findings' "$work/two.log")" = 2 ] || fail 'findings'
	/usr/bin/python3 "$here/swapped.py" check "$work/two.pcap" || fail 'other packets were sent back'
}

# Packets of the network, 30 for each port, that the other port sends back to where they came from.
swap_addresses() {
	local first second i
	first=$(port 0 RX-packets) second=$(port 1 RX-packets)
	/usr/bin/python3 "$here/swapped.py" packets "$work/packets.pcap"
	echo 'set fwd macswap' >&"$to"
	echo start >&"$to"
	inject "$work/packets.pcap"
	for ((i = 0; i < limit * 5; i++)); do
		show
		[ "$(port 0 RX-packets) $(port 1 RX-packets)" != "$((first + 30)) $((second + 30))" ] || break
		sleep 0.2
	done
	kill $injector
	wait $injector || true
	stop
	settle
	both_received macswap "$((first + 30))" "$((second + 30))"
	equal 'macswap: sent by port 0' "$(vport 0 tx)" "$(port 0 TX-packets)"
	equal 'macswap: sent by port 1' "$(vport 1 tx)" "$(port 1 TX-packets)"
}

# inject FILE: delivers the packets of a capture; $injector is to be ended. A program with a receive queue makes
# dvkit-emu inject.
inject() {
	timeout "$limit" "$emu" --fabric "$fabric" --ip 192.168.0.9 --inject "$1" -- \
		"${DVKIT_BIN:-$(dirname "$emu")}/eth_echo" >"$work/inject.log" 2>&1 &
	injector=$!
}

no_findings() {
	grep -q 'check: 0 findings' "$work/$1.log" || fail "$1: findings"
}

# counted GROUP: until the rules have counted their packets. The driver reads counters in turn, some a second.
counted() {
	local i queries answers=0
	queries=$(/usr/bin/python3 "$here/rules.py" queries "$1")
	for ((i = 0; i < limit; i++)); do
		echo "$queries" >&"$to"
		answers=$((answers + $(echo "$queries" | wc -l)))
		await rx $pid ' hits: ' $answers
		grep ' hits: ' "$work/rx.log" | tail -n "$(echo "$queries" | wc -l)" >"$work/counts"
		! /usr/bin/python3 "$here/rules.py" counts "$work/counts" >"$work/counted" || return 0
		sleep 1
	done
	cat "$work/counted"
	fail 'packets were counted otherwise'
}

# says TEXT COMMAND: testpmd answers it with that.
says() {
	echo "$2" >&"$to"
	await rx $pid "$1"
}

# pulled COUNT: until so many operations of queue 0 have succeeded.
pulled() {
	local i done=0
	for ((i = 1; i <= limit * 10; i++)); do
		pulls=$((pulls + 1))
		echo 'flow pull 0 queue 0' >&"$to"
		await rx $pid 'Queue #0 pulled' $pulls
		done=$((done + $(grep 'Queue #0 pulled' "$work/rx.log" | tail -n 1 | grep -Eo '[0-9]+ succeeded' | cut -d' ' -f1)))
		[ $done -lt "$1" ] || return 0
		sleep 0.1
	done
	fail "$done of $1 operations"
}

# Rules of one table with two lists of actions, three of them posted and executed together. 10.0.0.1 to queue 1,
# 10.0.0.5 with a mark to queue 2, 10.0.0.13 with another TTL to queue 3; the one of 10.0.0.1 is destroyed again.
pulls=0
templates() {
	local ttl='modify_field op set dst_type ipv4_ttl' all=0xffffffff rule='flow queue 0 create 0 template_table 2 pattern_template 0'
	says 'Stopping ports' 'port stop 0'
	await rx $pid 'Done' 2
	says 'Configure flows on port 0' 'flow configure 0 queues_number 1 queues_size 64'
	echo 'port start 0' >&"$to"
	await rx $pid 'Done' 3
	says 'Pattern template #1' 'flow pattern_template 0 create ingress pattern_template_id 1 relaxed no template eth / end'
	says 'Actions template #1' "flow actions_template 0 create ingress actions_template_id 1 template jump group 1 / end mask jump group $all / end"
	says 'Template table #1' 'flow template_table 0 create group 0 priority 0 ingress table_id 1 rules_number 1 pattern_template 1 actions_template 1'
	echo 'flow queue 0 create 0 template_table 1 pattern_template 0 actions_template 0 postpone no pattern eth / end actions jump group 1 / end' >&"$to"
	pulled 1
	says 'Pattern template #2' 'flow pattern_template 0 create ingress pattern_template_id 2 relaxed no template eth / ipv4 dst mask 255.255.255.255 / end'
	says 'Actions template #2' 'flow actions_template 0 create ingress actions_template_id 2 template mark / queue / end mask mark / queue / end'
	says 'Actions template #3' "flow actions_template 0 create ingress actions_template_id 3 template $ttl src_type value src_value 0x07 width 8 / queue / end mask $ttl dst_level $all dst_offset $all src_type value src_value 0xff width $all / queue / end"
	says 'Template table #2' 'flow template_table 0 create group 1 priority 0 ingress table_id 2 rules_number 64 pattern_template 2 actions_template 2 actions_template 3'
	echo "$rule actions_template 0 postpone yes pattern eth / ipv4 dst is 10.0.0.1 / end actions mark id 7 / queue index 1 / end" >&"$to"
	echo "$rule actions_template 0 postpone yes pattern eth / ipv4 dst is 10.0.0.5 / end actions mark id 99 / queue index 2 / end" >&"$to"
	echo "$rule actions_template 1 postpone yes pattern eth / ipv4 dst is 10.0.0.13 / end actions $ttl src_type value src_value 0x07 width 8 / queue index 3 / end" >&"$to"
	says 'Queue #0 operations pushed' 'flow push 0 queue 0'
	pulled 3
	echo 'flow queue 0 destroy 0 postpone no rule 1' >&"$to"
	pulled 1
	says 'verbose level' 'set verbose 1'
	says 'rxonly packet forwarding' start
	inject "$work/packets.pcap"
	await rx $pid ' src=' 2
	kill $injector
	wait $injector || true
	echo quit >&"$to"
	wait $pid || fail "testpmd ended with $?"
	[ "$(grep -c ' src=' "$work/rx.log")" = 2 ] || fail 'other packets arrived'
	grep -q 'src=02:00:00:00:01:09.*RSS queue=0x2 - FDIR matched ID=0x63' "$work/rx.log" || fail 'no mark in queue 2'
	grep -q 'src=02:00:00:00:01:11.*RSS queue=0x3' "$work/rx.log" || fail 'no packet in queue 3'
	no_findings rx
}

case $1 in
rules)
	/usr/bin/python3 "$here/rules.py" packets "$work/packets.pcap"
	testpmd rx --ip 192.168.0.2 --device "${DEVICE:-cx5}" -- --rxq=4 --txq=4 --forward-mode=rxonly --auto-start
	words=commands
	[ "${DV_FLOW_EN:-0}" != 2 ] || words=uncounted
	rules=$(/usr/bin/python3 "$here/rules.py" $words ${2:-})
	echo "$rules" >&"$to"
	echo 'set verbose 1' >&"$to"
	await rx $pid 'Flow rule #[0-9]+ created' "$(echo "$rules" | wc -l)"
	await rx $pid 'verbose level'
	inject "$work/packets.pcap"
	await rx $pid ' src=' 21
	kill $injector
	wait $injector || true
	[ -z "${2:-}" ] || [ $words = uncounted ] || counted "$2"
	echo quit >&"$to"
	wait $pid || fail "testpmd ended with $?"
	/usr/bin/python3 "$here/rules.py" check "$work/rx.log" || fail 'packets in the wrong queue'
	no_findings rx
	;;
templates)
	/usr/bin/python3 "$here/rules.py" packets "$work/packets.pcap"
	testpmd rx --ip 192.168.0.2 --device "${DEVICE:-cx6dx}" -- --rxq=4 --txq=4 --forward-mode=rxonly
	templates
	;;
ports)
	two_ports "$2"
	;;
count)
	testpmd rx --ip 192.168.0.2 -- --forward-mode=rxonly --auto-start
	rx_to=$to rx_pid=$pid
	testpmd tx --ip 192.168.0.1 --pcap "$work/tx.pcap" -- --forward-mode=io \
		--eth-peer=0,02:c5:c0:a8:00:02
	grep -q 'EMPW  (Enhanced MPW)' "$work/tx.log" || fail 'the driver does not send multi-packet WQEs'
	# Bursts of 4 * 32 packets: it has 256 buffers, and posts them again 64 at a time.
	for ((i = 1; i <= 10; i++)); do
		echo 'start tx_first 4' >&"$to"
		echo stop >&"$to"
		await tx $pid 'Accumulated' $i
		received rx $((128 * i))
	done
	# Thousands more: the receiver may lose some.
	echo 'set fwd txonly' >&"$to"
	echo start >&"$to"
	for ((i = 1; i <= limit * 5; i++)); do
		echo 'show port stats 0' >&"$to"
		await tx $pid 'Tx-pps' $i
		[ "$(number tx TX-packets)" -le 5000 ] || break
		sleep 0.2
	done
	echo stop >&"$to"
	await tx $pid 'Accumulated' 11
	echo 'show port stats 0' >&"$to"
	await tx $pid 'Tx-pps' $((i + 1))
	echo quit >&"$to"
	wait $pid || fail "testpmd tx ended with $?"
	echo quit >&"$rx_to"
	wait $rx_pid || fail "testpmd rx ended with $?"
	sent=$(number tx TX-packets)
	# Not the WRITEs to itself by which the driver changes its steering tables.
	frames=$(tshark -r "$work/tx.pcap" -Y 'eth.dst == 02:c5:c0:a8:00:02' -T fields -e frame.number 2>/dev/null | wc -l)
	echo "$sent sent, $frames frames, $(number rx RX-packets) received"
	[ "$sent" -gt 1280 ] && [ "$sent" = "$frames" ] || fail 'frames and TX counter differ'
	[ "$(number rx RX-packets)" -le "$sent" ] || fail 'more were received than sent'
	no_findings rx
	no_findings tx
	;;
esac
