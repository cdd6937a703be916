#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# speed.sh BUILD [RUNS]: how fast the emulator is, beside what the same machine does without it, in one run: TCP by
# the loopback interface, UCX over TCP and over shared memory, memcpy. Medians of RUNS (5) interleaved measurements,
# as a dated table; nothing is gated. For an idle machine: a load average above 1 is named in the table.
set -eu
build=$1 runs=${2:-5}
DVKIT_EMU=$build/bin/dvkit-emu
export DVKIT_EMU
. "$(dirname "$0")/../../lib/pair.sh"
needs ib_write_bw ib_write_lat ib_send_lat iperf3 ucx_perftest

# A measurement prints one number.

# perftest COLUMN PROGRAM ARGUMENT...: the number in that column of the client's table.
perftest() {
	local column=$1
	shift
	pair "$@" >/dev/null
	awk -v c="$column" '$1 ~ /^[0-9]+$/ && NF >= c { value = $c } END { print value }' "$work/client.log"
}

# dvperf_key KEY ARGUMENT...: a key of the JSON of dvperf, in one process.
dvperf_key() {
	local key=$1
	shift
	"$emu" --fabric "$fabric" -- "$build/bin/dvperf" bw --loopback --out_json_file="$work/dvperf.json" "$@" \
		>"$work/dvperf.log" 2>&1 || fail "dvperf $*"
	awk -F'[:,]' -v key="\"$key\"" '$1 ~ key { print $2 + 0 }' "$work/dvperf.json"
}

# ucx TRANSPORT [ARGUMENT...]: half round trip of 8 bytes in us, without the emulator.
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

copy() {
	/usr/bin/python3 -c 'import time
source, target, times = bytes(65536), memoryview(bytearray(65536)), 50000
start = time.perf_counter()
for _ in range(times):
    target[:] = source
print(65536 * times / (time.perf_counter() - start) / 2**20)'
}

# row NAME UNIT MEASUREMENT...
names=() units=() commands=()
row() {
	names+=("$1") units+=("$2")
	commands+=("${*:3}")
}
row '1 MiB WRITE, two processes' MiB/s perftest 4 ib_write_bw -F -s 1048576 -n 300
row 'TCP by loopback' MiB/s tcp
row '8-byte WRITE, two processes, 32 per doorbell' M/s perftest 5 ib_write_bw -F -s 8 -n 20000 -l 32
row '8-byte WRITE, two processes' M/s perftest 5 ib_write_bw -F -s 8 -n 20000
row '8-byte WRITE, one process, 32 per doorbell' M/s dvperf_key MsgRate -s 8 -n 20000 -l 32
row '64 KiB WRITE, one process' MiB/s dvperf_key BW_average -s 65536 -n 1000
row 'memcpy of 64 KiB' MiB/s copy
row '8-byte WRITE, half round trip' us perftest 5 ib_write_lat -F -s 8 -n 2000
row 'UCX over TCP by loopback' us ucx tcp lo
row 'UCX over shared memory' us ucx posix memory
row '8-byte SEND, half round trip, events' us perftest 5 ib_send_lat -F -s 8 -n 2000 -e
row 'UCX over TCP by loopback, events' us ucx tcp lo -E sleep

for ((run = 1; run <= runs; run++)); do
	for i in "${!names[@]}"; do
		[ ! -t 2 ] || printf '\r%d of %d: %-60s' "$run" "$runs" "${names[$i]}" >&2
		# shellcheck disable=SC2086 # words
		${commands[$i]} >>"$work/row.$i"
	done
done
[ ! -t 2 ] || printf '\r%80s\r' '' >&2

median() {
	sort -g "$work/row.$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
load=$(cut -d ' ' -f 1 /proc/loadavg)
echo "$(date +%F), $("$emu" --version), Linux $(uname -r), $(nproc) cores," \
	"$(sed -n 's/^model name\s*: //p;T;q' /proc/cpuinfo), medians of $runs, load average at the end $load"
for i in "${!names[@]}"; do
	printf '%-48s %12s %s\n' "${names[$i]}" "$(median "$i")" "${units[$i]}"
done
ratio() {
	awk -v name="$1" -v a="$(median "$2")" -v b="$(median "$3")" \
		'BEGIN { printf "%-48s %12.3f\n", name, a / b }'
}
ratio 'WRITE to TCP, rate' 0 1
ratio 'WRITE to memcpy, rate' 5 6
ratio 'WRITE to UCX over TCP, time' 7 8
ratio 'with events, time' 10 11
