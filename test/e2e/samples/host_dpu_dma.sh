#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The exporter and the importer of host_dpu_dma, each in a process, on two functions of one BlueField.
#
#	host_dpu_dma.sh HOST_DPU_DMA copies DEVICE SIZE [ARGUMENT...]	both assignments of roles
#	host_dpu_dma.sh HOST_DPU_DMA both				two functions of one process
#	host_dpu_dma.sh HOST_DPU_DMA exporter_killed | importer_killed
#	host_dpu_dma.sh HOST_DPU_DMA leaks				also of an importer whose exporter was killed
#	host_dpu_dma.sh HOST_DPU_DMA refused				by devices that lack it
. "$(dirname "$0")/../../lib/pair.sh"
program=$1 case=$2
shift 2
importer_pid=
importer_under=()
at_exit end_importer

end_importer() {
	[ -n "$importer_pid" ] || return 0
	kill "$importer_pid" 2>/dev/null || true
	wait "$importer_pid" 2>/dev/null || true
	importer_pid=
}

# on DEVICE ROLE ARGUMENT...: in array command.
on() {
	command=(timeout -k 5 "$limit" "$emu" --fabric "$fabric" --device "$1" --as "$2" --check -- "${@:3}")
}

# exporter DEVICE ROLE ARGUMENT...: listens, as process server_pid.
exporter() {
	port=$(free_port)
	on "$1" "$2" "$program" export -p "$port" "${@:3}"
	echo "\$ ${command[*]}"
	"${command[@]}" >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	await_server "$port"
}

# ends PID STATUS NAME
ends() {
	local status=0
	wait "$1" || status=$?
	[ "$status" = "$2" ] || fail "the $3 ended with $status, not $2"
}

# importer DEVICE ROLE ARGUMENT...: as process importer_pid.
importer() {
	on "$1" "$2" "${importer_under[@]}" "$program" import -p "$port" 127.0.0.1 "${@:3}"
	echo "\$ ${command[*]}"
	"${command[@]}" >"$work/client.log" 2>&1 </dev/null &
	importer_pid=$!
}

# pid_of ROLE: of the program itself, not of timeout.
pid_of() {
	local folder name
	for folder in /proc/[0-9]*; do
		read -r name 2>/dev/null <"$folder/comm" || continue
		[ "$name" = host_dpu_dma ] || continue
		tr '\0' ' ' <"$folder/cmdline" | grep -q " $1 -p $port " || continue
		basename "$folder"
		return
	done
	return 1
}

# until_copying: the importer has begun.
until_copying() {
	local tries=2000
	until grep -q 'import: alias' "$work/client.log"; do
		kill -0 "$importer_pid" 2>/dev/null || fail 'the importer ended before it copied'
		[ $((tries -= 1)) -gt 0 ] || fail 'the importer does not begin'
		sleep 0.05
	done
	sleep 0.2
}

no_key() {
	! grep -Eiq '[0-9a-f]{33}' "$work"/*.log || fail 'something as long as an access key is printed'
}

# kill_exporter: while the importer copies; false: no work request was in flight then.
kill_exporter() {
	exporter bf2 host -s 16M
	importer bf2 dpu -n 100000 -q 8
	until_copying
	kill -KILL "$(pid_of export)"
	ends "$importer_pid" 3 importer
	importer_pid=
	end_server
	has 'the copies did not end well' "$work/client.log"
	grep -q 'chunks in flight' "$work/client.log" || return 1
	grep -Eq 'at offset [0-9]+ \([0-9]+ bytes, syndrome 0x14, vendor 0x[0-9a-f]+\); [1-8] chunks in flight ended in error, [0-7] of them flushed' \
		"$work/client.log" || fail 'another message'
}

case_copies() {
	local roles
	for roles in 'host dpu' 'dpu host'; do
		# shellcheck disable=SC2086 # two words
		set -- $roles "${@:1}"
		exporter "$device" "$1" "${size[@]}"
		importer "$device" "$2" "${@:3}"
		ends "$importer_pid" 0 importer
		importer_pid=
		ends "$server_pid" 0 exporter
		server_pid=
		set -- "${@:3}"
		has 'all sums equal$' "$work/client.log"
		has 'check: 0 findings' "$work/client.log"
		has 'check: 0 findings' "$work/server.log"
		no_key
	done
}

case $case in
copies)
	device=$1 size=(-s "$2")
	shift 2
	case_copies "$@"
	;;
both)
	for device in bf2 bf3; do
		emu_options=(--device "$device" --check)
		alone "$program"
		has 'all sums equal$'
		has 'check: 0 findings'
		alone "$program" both -d mlx5_1,mlx5_0 -s 1000003 -c 4097 -q 3 -n 8
		has 'all sums equal$'
		no_key
	done
	emu_options=(--device bf3 --trace fw)
	alone "$program" -s 64K -n 1
	has 'ALLOW_OTHER_VHCA_ACCESS'
	no_key
	;;
exporter_killed)
	# Some are killed while sums are computed: then the connection says so.
	tries=0
	until kill_exporter; do
		[ $((tries += 1)) -lt 30 ] || fail 'none was killed while copies were in flight'
	done
	;;
leaks)
	needs valgrind
	emu_options=(--device bf2)
	valgrind=(valgrind --leak-check=full --errors-for-leak-kinds=definite --error-exitcode=9)
	alone "${valgrind[@]}" "$program" -s 1M
	importer_under=("${valgrind[@]}")
	kill_exporter || true # under valgrind most are killed while sums are computed
	has 'definitely lost: 0 bytes' "$work/client.log"
	;;
importer_killed)
	exporter bf2 dpu -s 64M
	importer bf2 host -n 100000
	until_copying
	kill -KILL "$(pid_of import)"
	ends "$server_pid" 3 exporter
	server_pid=
	has 'the importer ended before the end' "$work/server.log"
	;;
refused)
	for device in cx5 cx6dx cx7 cx8; do
		expect_output 1 allowed_object_for_other_vhca_access emulated --device $device -- "$program" export
		has 'BlueField-2 and later'
	done
	;;
*)
	echo "no case $case"
	exit 1
	;;
esac
