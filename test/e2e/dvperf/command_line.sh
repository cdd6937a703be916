#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What cannot be is refused: one line, status 2. What can be ends well.
#
#	command_line.sh DVKIT_EMU DVPERF
set -u
emu=$1 dvperf=$2 failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

run() {
	timeout 100 "$emu" --fabric "line-$$" -- "$dvperf" "$@"
}

# refused TEXT ARGUMENT...: status 2, nothing on standard output, one line with TEXT.
refused() {
	local text=$1 status
	shift
	run "$@" >"$dir/out" 2>"$dir/err"
	status=$?
	if [ $status != 2 ] || [ -s "$dir/out" ] || [ "$(wc -l <"$dir/err")" != 1 ] ||
		! grep -q -e "$text" "$dir/err"; then
		echo "FAILED: dvperf $*: status $status"
		cat "$dir/out" "$dir/err"
		failed=1
	fi
}

# works TEXT ARGUMENT...: status 0, TEXT on standard output.
works() {
	local text=$1 status
	shift
	run "$@" >"$dir/out" 2>"$dir/err"
	status=$?
	if [ $status != 0 ] || ! grep -q -e "$text" "$dir/out"; then
		echo "FAILED: dvperf $*: status $status"
		cat "$dir/out" "$dir/err"
		failed=1
	fi
}

refused 'no subcommand'
refused "no subcommand 'foo'" foo
refused 'no device nosuch' bw -d nosuch --loopback
refused 'no peer' bw 127.0.0.1 -p 18777
refused 'no peer' lat no.such.host.invalid
refused 'is not a number' bw --loopback -t 9000000
refused 'cannot create a QP' bw --loopback -t 16384 -l 16384
refused 'cannot create a QP' bw --loopback -I 1024 -s 1000
refused 'is not a number' bw --loopback -s -1
refused 'above the maximum' bw --loopback --op=read -o 200
refused 'no port 3' bw --loopback -i 3
refused 'no GID' bw --loopback -x 77
refused 'MTU' bw --loopback -m 4096
refused 'rdma_cm' bw --loopback -R
refused 'not for a CQE' lat --loopback -e
refused 'one of direct, wr, verbs' bw --loopback --api=foo
refused 'within this machine' bw --barriers=none
refused 'within this machine' bw --barriers=pre 127.0.0.1
refused 'does not fit' bw --loopback -l 200 -t 100
refused 'huge pages' bw --loopback --pages=1g
refused 'no CPU' bw --loopback --pin=999
refused 'no node' bw --loopback --numa=99
refused 'GENxWIDTH' bw --loopback --pcie=9x9
refused 'no preset' sweep --preset nosuch
refused 'is not a metric' sweep --loopback batch=1,2 y=nosuch
refused 'is not an option' sweep --loopback nosuch=1,2
refused 'nothing to sweep' sweep --loopback

works 'WRONG BARRIERS' bw --loopback -s 8 -n 200 --barriers=none --repeat=1
works 'WRONG BARRIERS' bw --loopback -s 8 -n 200 --barriers=pre --repeat=1 --json
works 'WRONG BARRIERS' bw --loopback -s 8 -n 200 --barriers=none --repeat=1 --csv
works 'the device is the emulator' bw --loopback -s 8 -n 200 --uar=nc --repeat=1
works 'the device is the emulator' lat --loopback -n 50 --repeat=1
works 'unpinned' bw --loopback -D 0.5 -s 8 --threads=2 --uar=thread --repeat=1
works 'lat_99' bw --loopback -D 0.5 -s 8 --rate=2000 --repeat=1 --csv
works 'smart-fig3' sweep --preset list
works 'direct' post -l 8 --api=direct
works 'atomic' bw --loopback -A CMP_AND_SWAP -n 200 --repeat=1

# without the emulator there is a ring in memory, or nothing
"$dvperf" post --api=direct -l 4 >"$dir/out" 2>&1 && grep -q 'no device' "$dir/out" || {
	echo 'FAILED: post in memory'
	cat "$dir/out"
	failed=1
}

# ^C: what was measured so far, and status 0
timeout 100 "$emu" --fabric "line-$$" -- sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$dir/pid" \
	"$dvperf" bw --loopback -D 60 -s 8 >"$dir/out" 2>"$dir/err" &
sleep 3
kill -INT "$(cat "$dir/pid")"
wait $!
status=$?
if [ $status != 0 ] || ! grep -q 'interrupted' "$dir/out"; then
	echo "FAILED: ^C: status $status"
	cat "$dir/out" "$dir/err"
	failed=1
fi
exit $failed
