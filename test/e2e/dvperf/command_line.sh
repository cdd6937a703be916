#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Requests that this machine or its adapter cannot carry out are refused: one line, status 2. Possible requests
# succeed. Options that are wrong by themselves: transcripts/options.txt.
#
#	command_line.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

refused 'no peer' bw 127.0.0.1 -p 18777
refused 'no peer' lat no.such.host.invalid
refused 'within this machine' bw --barriers=pre 127.0.0.1
refused 'huge pages' bw --loopback --pages=1g
refused 'no CPU' bw --loopback --pin=999
refused 'generation is 1 to 5, the width 1, 2, 4, 8' sweep --loopback --pcie=9x9 batch=1,2
refused "'3x' is not GENxWIDTH" sweep --loopback --pcie=3x batch=1,2
refused "'' is not GENxWIDTH" sweep --loopback --pcie= batch=1,2
refused 'no CPU 1000' sweep --loopback --pin=1000 batch=1,2
refused 'no preset' sweep --preset nosuch
refused "did you mean 'smart-fig3'" sweep --preset smart-fig33
refused "did you mean 'lat_50'" sweep batch=1,2 y=lat_p50
refused "did you mean 'mops'" bw --columns=gbps,mopss
refused "did you mean 'lat_99'" compare "$work" "$work" --metric=lat_p99
refused 'given twice' sweep batch=1,2 y=mops y=gbps
refused 'give signal=VALUE instead of -Q' sweep --cq-mod=4 signal=1,2
refused 'give uar=VALUE instead of --uar' sweep --no_lock uar=thread,shared
refused 'give batch=VALUE instead of -l' sweep --preset connectx5 -l 4
refused 'is not a metric' bw --columns=mops,,gbps
refused 'empty name' compare "$work" "$work" --ignore=api,,
# all sizes, up to 8 MiB
works '^write +direct +8388608 ' bw --loopback -a -n 3 --repeat=1 --warmup=0
has_lines 23 '^write +direct' "$work/out"

# what the adapter has not, beside the most that it has
refused 'there is no device nosuch here' bw --loopback -d nosuch
refused 'mlx5_0 has no port 2' bw --loopback -i 2
refused 'port 1 of mlx5_0 has no GID 200' bw --loopback -x 200
refused '17 READs under way \(-o\) are above the maximum of mlx5_0: 16' bw --loopback --op=read -o 17
works '^read' bw --loopback --op=read -o 16 -n 50 --repeat=1
refused 'a send queue of 32768 and a batch of 1 \(-t, -l\) are above the maximum of mlx5_0: 32768' bw --loopback -t 32768
refused 'cannot create a QP of RC with 32768 sends of 8 bytes' bw --loopback -t 32767 -s 8
refused 'a CQ of 127 \(--cq-size\) is too small: 128 WQEs' bw --loopback --cq-size=127 -Q 1
works '^write' bw --loopback --cq-size=128 -Q 1 -n 200 --repeat=1
refused 'a CQ of 255 \(--cq-size\) is too small: 256 WQEs' bw --loopback --cq=all -q 2 -t 64 -Q 1 --cq-size=255
refused 'a CQ of 511 \(--cq-size\) is too small: 512 receives' bw --loopback --cq-size=511 --op=send
works '^send' bw --loopback --op=send -r 64 --cq-size=64 -t 32 -n 200 --repeat=1
refused 'as many at a time as' bw --recv_post_list=4
refused 'device_counters' bw -W counters/port_xmit_data

works 'WRONG BARRIERS' bw --loopback -s 8 -n 200 --barriers=none --repeat=1
works 'WRONG BARRIERS' bw --loopback -s 8 -n 200 --barriers=pre --repeat=1 --json
works 'WRONG BARRIERS' bw --loopback -s 8 -n 200 --barriers=none --repeat=1 --csv
works 'the device is the emulator' bw --loopback -s 8 -n 200 --uar=nc --repeat=1
works 'the device is the emulator' lat --loopback -n 50 --repeat=1
works 'unpinned' bw --loopback -D 0.5 -s 8 --threads=2 --uar=thread --repeat=1
works 'lat_99' lat --loopback -D 0.5 -f 0.1 --repeat=1 --csv
works 'lat_99' bw --loopback -D 0.5 -s 8 --rate=2000 --repeat=1 --csv
works 'smart-fig3' sweep --preset list
works '^bluefield-arm ' sweep --preset help
works 'direct' post -l 8 --api=direct
works 'setup_ms' bw --loopback --columns=mops,setup_ms -n 200 --repeat=1
works 'BB/op' bw --loopback --columns=all -n 200 --repeat=1
works '^lat_99 ' bw --columns=help
works '^lat_99 ' compare --metric=list
works 'write' bw --loopback --remote=random --remote-size=1Mi -s 1Ki -n 1k --repeat=1
works 'atomic' bw --loopback -A CMP_AND_SWAP -n 200 --repeat=1

# pcie_mops ARGUMENT...: the limit of the link, of one point of the preset connectx7.
pcie_mops() {
	run sweep --preset connectx7 op=write size=64 qp=1 --loopback -n 50 --repeat=1 --json "$@" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["rows"][0]["metrics"]["pcie_mops"])'
}

# a lane of PCI Express 5.0 has 32 GT/s, one of 3.0 has 8, with one line code
python3 -c 'import sys; own, fifth, third = map(float, sys.argv[1:])
sys.exit(not (own == fifth and abs(own / third - 4) < 1e-3))' "$(pcie_mops)" \
	"$(pcie_mops --pcie=5x16)" "$(pcie_mops --pcie=3x16)" ||
	fail "the link of the preset connectx7: $(pcie_mops)"

# without the emulator there is a ring in memory, or nothing
expect_output 0 'no device' "$dvperf" post --api=direct -l 4

# interrupted STATUS REGEX ARGUMENT...: after 3 seconds by ^C.
interrupted() {
	status=0 output="$work/out $work/err"
	# shellcheck disable=SC2016
	emulated -- sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "$work/pid" "$dvperf" "${@:3}" >"$work/out" 2>"$work/err" &
	sleep 3
	kill -INT "$(cat "$work/pid")"
	wait $! || status=$?
	[ $status = "$1" ] || fail "^C: ${*:3}: status $status"
	has "$2"
}

# what was measured so far; in a sweep without a row of nothing
interrupted 0 'interrupted: what' bw --loopback -D 60 -f 0.1 -s 8
interrupted 1 'first 15 s of -D are a margin' bw --loopback -D 60 -s 8
[ ! -s "$work/out" ] || fail 'a row of nothing'
interrupted 0 'write' bw --loopback --run_infinitely -D 0.1 -f 0.01 -s 8 --repeat=1
[ "$(grep -c write "$work/out")" -gt 1 ] || fail '--run_infinitely: one row'
