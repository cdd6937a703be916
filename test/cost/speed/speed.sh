#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# speed.sh [--runs N] [--rows REGEX] [--list] BUILD
#
# How fast the emulator of BUILD (a folder in which dvkit was built) is, beside what the same machine does without
# it, in one run: TCP by the loopback interface, UCX over TCP and over shared memory, memcpy. A dated table of medians
# of N (5) measurements, all rows in turn, with the lowest and the highest; then ratios. Nothing is gated.
#
#	--runs N	measurements of each row
#	--rows REGEX	only rows whose names match, and the ratios for which both are there: --rows 'UCX|half'
#	--list		the names of the rows
#
# For an idle machine; if the load average at the start is above 0.5, the table says so. With 5 runs about five minutes.
#
# Exit status: 0 measured, 1 a measurement failed (what it printed is on standard error), 2 wrong usage, 77 a program
# is not installed (perftest, iperf3, ucx-utils).
set -eu
. "$(dirname "$0")/common.sh"

runs=5 memcpy=
own_option() {
	[ "$1" != --runs ] || { runs=$2 took=2 && a_number "$1" "$2"; }
}
take_options "$@"
one_build
[ -n "$list" ] || memcpy=$(the_program speed_memcpy "$build")
export DVKIT_EMU=$build/bin/dvkit-emu
. "$here/../../lib/pair.sh"
eval "show_$(declare -f fail)" # of pair.sh
fail() {
	progress_end
	show_fail "$@" >&2
}

# A measurement prints one number.

# column N FILE: of the last row of a table of perftest.
column() {
	awk -v c="$1" '$1 ~ /^[0-9]+$/ && NF >= c { value = $c } END { print value }' "$2"
}

# perftest COLUMN PROGRAM ARGUMENT...: server and client.
perftest() {
	pair "${@:2}" -F >"$work/pair.out"
	column "$1" "$work/client.log"
}

# raw COLUMN ARGUMENT...: raw_ethernet_bw. The server has no port to wait for, so what it prints shows that its rule
# is there.
raw() {
	local a=02:c5:c0:a8:00:01 b=02:c5:c0:a8:00:02 tries=600
	"$emu" --fabric "$fabric" --ip 192.168.0.1 -- stdbuf -oL raw_ethernet_bw --server -d mlx5_0 -B $a -E $b -F \
		"${@:2}" >"$work/server.log" 2>&1 &
	server_pid=$!
	until grep -q 'MAC attached' "$work/server.log"; do
		kill -0 $server_pid 2>/dev/null && [ $((tries -= 1)) -gt 0 ] || fail raw_ethernet_bw: the server
		sleep 0.1
	done
	timeout -k 5 "$limit" "$emu" --fabric "$fabric" --ip 192.168.0.2 -- raw_ethernet_bw --client -d mlx5_0 \
		-B $b -E $a -F "${@:2}" >"$work/client.log" 2>&1 || fail raw_ethernet_bw: the client
	end_server
	column "$1" "$work/client.log"
}

# dvperf_rate UNIT ARGUMENT...: the median rate of dvperf in one process, in units of so many million operations per second.
dvperf_rate() {
	local unit=$1
	shift
	"$emu" --fabric "$fabric" -- "$build/bin/dvperf" bw --loopback --json "$@" >"$work/dvperf.json" \
		2>"$work/dvperf.log" || fail "dvperf $*"
	awk -F'[:,]' -v unit="$unit" '$1 ~ /"mops"/ { print $2 / unit; exit }' "$work/dvperf.json"
}

# ucx TRANSPORT DEVICE [ARGUMENT...]: half round trip of 8 bytes in us, without the emulator.
ucx() {
	local port
	port=$(free_port)
	UCX_TLS=$1 UCX_NET_DEVICES=$2 ucx_perftest -p "$port" >/dev/null 2>&1 &
	server_pid=$!
	await_server "$port"
	UCX_TLS=$1 UCX_NET_DEVICES=$2 ucx_perftest -p "$port" 127.0.0.1 -t tag_lat -s 8 -n 20000 -w 1000 "${@:3}" \
		>"$work/client.log" 2>&1 || fail "ucx_perftest over $1"
	wait "$server_pid" || true
	server_pid=
	awk '$1 == "Final:" { print $4 }' "$work/client.log"
}

tcp() {
	local port
	port=$(free_port)
	iperf3 -s -1 -p "$port" >/dev/null &
	server_pid=$!
	await_server "$port"
	iperf3 -c 127.0.0.1 -p "$port" -t 2 -f M >"$work/client.log" || fail iperf3
	wait "$server_pid" || true
	server_pid=
	awk '/receiver/ { print $(NF - 2) }' "$work/client.log"
}

# keyed KEY UNIT NAME MEASUREMENT...: a row whose values the ratios find by KEY.
keys=() units=()
keyed() {
	row "${@:3}"
	[ ${#keys[@]} = ${#names[@]} ] || { keys+=("$1") && units+=("$2"); }
}
keyed write_1m MiB/s '1 MiB WRITE, two processes' perftest 4 ib_write_bw -s 1048576 -n 300
keyed tcp MiB/s 'TCP by loopback' tcp
keyed write_64k MiB/s '64 KiB WRITE, two processes' perftest 4 ib_write_bw -s 65536 -n 3000
# 20,000 messages would end while the scheduler still has program and engine on one core.
keyed write_8_list M/s '8-byte WRITE, two processes, 32 per doorbell' perftest 5 ib_write_bw -s 8 -n 300000 -l 32
keyed write_8 M/s '8-byte WRITE, two processes' perftest 5 ib_write_bw -s 8 -n 300000
keyed own_8_list M/s '8-byte WRITE, one process, 32 per doorbell' dvperf_rate 1 -s 8 -n 300000 -l 32
keyed own_64k MiB/s '64 KiB WRITE, one process' dvperf_rate 0.000016 -s 65536 -n 1000
keyed copy MiB/s 'memcpy of 64 KiB, in the cache' "$memcpy" 65536 65536
keyed copy_far MiB/s 'memcpy of 64 KiB, area of 256 MiB' "$memcpy" 65536 268435456
keyed lat_8 us '8-byte WRITE, half round trip' perftest 5 ib_write_lat -s 8 -n 2000
keyed ucx_tcp us 'UCX over TCP by loopback, half round trip' ucx tcp lo
keyed ucx_shm us 'UCX over shared memory, half round trip' ucx posix memory
keyed lat_8_event us '8-byte SEND, half round trip, events' perftest 5 ib_send_lat -s 8 -n 2000 -e
keyed ucx_tcp_event us 'UCX over TCP by loopback, half round trip, events' ucx tcp lo -E sleep
keyed raw_64 M/s 'raw Ethernet, 64 bytes, two processes' raw 5 -s 64 -n 20000
keyed raw_1500 M/s 'raw Ethernet, 1500 bytes, two processes' raw 5 -s 1500 -n 20000
rows_end
needs ib_write_bw ib_write_lat ib_send_lat raw_ethernet_bw stdbuf iperf3 ucx_perftest
load_before=$(load)

# measure I: a number of row I that is one. perftest prints 0 or "inf" when it could not measure the processor's clock.
measure() {
	local value
	for _ in 1 2 3; do
		# shellcheck disable=SC2086 # words
		${hows[$1]} >"$work/value"
		value=$(cat "$work/value")
		if [[ $value =~ ^[0-9]+\.?[0-9]*$ ]] && [[ $value =~ [1-9] ]]; then
			echo "$value" >>"$work/row.${keys[$1]}"
			return
		fi
	done
	fail "${names[$1]}: no number in three attempts, but: $value"
}

for ((run = 1; run <= runs; run++)); do
	for i in "${!names[@]}"; do
		progress "$run" "$runs" "${names[$i]}"
		measure "$i"
	done
done
progress_end

# value KEY low|median|high
value() {
	sort -g "$work/row.$1" | awk -v which="$2" '{ v[NR] = $1 }
		END { print v[which == "low" ? 1 : which == "high" ? NR : int((NR + 1) / 2)] }'
}

# ratio WORDS KEY KEY
ratio() {
	[ -f "$work/row.$2" ] && [ -f "$work/row.$3" ] || return 0
	awk -v name="$1" -v a="$(value "$2" median)" -v b="$(value "$3" median)" \
		'BEGIN { printf "%-50s %10.3f\n", name, a / b }'
}

version_of() {
	dpkg-query -W -f "$1 \${Version}" "$1" 2>/dev/null || echo "$1"
}
machine
echo "$("$emu" --version), $(version_of perftest), $(version_of ucx-utils), $(version_of iperf3), $runs runs"
busy "$load_before"
printf '%-50s %10s %10s %10s\n' '' median lowest highest
for i in "${!names[@]}"; do
	key=${keys[$i]}
	printf '%-50s %10s %10s %10s %s\n' "${names[$i]}" "$(value "$key" median)" "$(value "$key" low)" \
		"$(value "$key" high)" "${units[$i]}"
done
ratio '1 MiB WRITE to TCP, rate' write_1m tcp
ratio '64 KiB WRITE in one process to memcpy, rate' own_64k copy
ratio 'WRITE to UCX over TCP, time' lat_8 ucx_tcp
ratio 'with events, time' lat_8_event ucx_tcp_event
