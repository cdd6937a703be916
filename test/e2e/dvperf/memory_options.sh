#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --mr, --dm, --remote, --pages, --numa: each runs to its end with every API, in one process and in
# two; what cannot be is one line and status 2; the environment describes memory.
#
#	memory_options.sh DVKIT_EMU DVPERF
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"

# runs ARGUMENT...: it ends well, with a result that is the emulator's.
runs() {
	works 'the device is the emulator' "$@"
}

short="--loopback -s 64 -n 100 --repeat=1"
for api in direct wr verbs; do
	runs bw $short --api=$api --mr=qp -q 3
	runs bw $short --api=$api --mr=one -q 3 -b --op=send
	runs bw $short --api=$api --dm
	runs bw $short --api=$api --dm -b --op=read --mr=qp -q 2
	runs bw $short --api=$api --dm --op=send -s 8
	runs bw $short --api=$api --dm -c UD --op=send -s 60 -I 60
	runs bw $short --api=$api --remote=sequential --remote-size=1k -l 8
	runs bw $short --api=$api --remote=random --op=read -l 8
	runs bw $short --api=$api --remote=random --dm --remote-size=8k
	runs lat $short --api=$api --dm
	runs lat $short --api=$api --dm -I 0 -s 7
	runs lat $short --api=$api --dm --op=send
	runs post --api=$api --remote=random -l 8
done
runs bw --loopback -A CMP_AND_SWAP -n 100 --repeat=1 --remote=random --disable_pcie_relaxed
runs bw $short --layout=shared-qp --threads=2 --remote=sequential
runs bw $short --mr_per_qp --numa=0
runs bw $short --numa=0 --pin=0

both 0 'the device is the emulator' bw -s 64 -n 100 --dm -- bw -s 64 -n 100 --mr=qp
both 0 'the device is the emulator' lat -n 50 -I 0 -- lat -n 50 -I 0 --dm
both 0 'the device is the emulator' bw --op=read -s 64 -n 100 --remote=random --remote-size=1M -l 4 \
	-- bw --op=read -s 64 -n 100 --remote=random --remote-size=1M -l 4 --api=wr
both 2 'the two sides differ: --remote ' bw -s 64 --remote=random -- bw -s 64 --remote=sequential
both 2 'the two sides differ: --remote' bw -s 64 --remote=random -- bw -s 64
both 2 'the two sides differ: --remote-size' bw --remote=random --remote-size=1M \
	-- bw --remote=random --remote-size=4M

refused 'are above the memory of mlx5_0 \(--dm\): 131072' bw --loopback --dm -s 1M
refused 'are above the memory' bw --loopback --dm --remote=random -s 64
refused 'cannot allocate 65536 of its 131072 bytes' bw --loopback --dm --mr=qp -q 2 -n 10
refused 'more than this machine has' bw --loopback --remote=random --remote-size=1000000M

# reported REGEX ARGUMENT...: in the JSON, without spaces.
reported() {
	result out "${@:2}"
	tr -d ' \n' <"$work/out" | grep -q -e "$1" || fail "${*:2}: not '$1'"
}
reported '"relaxed_ordering":"askedfor"' bw $short
reported '"relaxed_ordering":"off"' bw $short --disable_pcie_relaxed
reported '"relaxed_ordering":"off"' lat $short
reported '"relaxed_ordering":"notofdevicememory"' bw $short --dm
reported '"locked_limit":' bw $short
reported '"huge_2m":{"free":' bw $short
reported '"remote_size":16777216' bw $short --remote=random --remote-size=16M

# regions COUNT PATTERN ARGUMENT...: so many CREATE_MKEYs with PATTERN.
regions() {
	local count=$1 pattern=$2
	shift 2
	emulated --trace fw --trace-file "$work/trace" -- "$dvperf" "$@" \
		>"$work/out" 2>"$work/err"
	[ "$(grep -c "CREATE_MKEY .*$pattern" "$work/trace")" = "$count" ] ||
		fail "$*: not $count regions with '$pattern'"
}
regions 1 'in .*len=' bw $short -q 3
regions 6 'in .*len=' bw $short -q 3 --mr=qp
regions 1 'relaxed_ordering_write=0x1' bw $short
regions 0 'relaxed_ordering_write=0x1' bw $short --disable_pcie_relaxed
regions 0 'relaxed_ordering_write=0x1' lat $short
regions 1 'in .*(MEMIC)' bw $short --dm

# The pages that there are, and those that contained allows.
huge=/sys/kernel/mm/hugepages/hugepages-2048kB
if [ "$(cat $huge/{free,nr_overcommit}_hugepages | awk '{ n += $1 } END { print n }')" -ge 8 ]; then
	for api in direct wr verbs; do
		runs bw $short --api=$api --pages=2m
		runs lat $short --api=$api --pages=2m
		runs post --api=$api --pages=2m -l 8
	done
	runs bw $short --pages=2m --dm
	runs bw $short --use_hugepages --numa=0 --mr=qp -q 2
	reported '"huge_2m":{"free":[0-9]*,"used":[1-9]' bw $short --pages=2m
	refused 'huge pages of 2m \(--pages\): 65538 wanted' bw --loopback --pages=2m -s 8 \
		--remote=random --remote-size=100000M
else
	echo 'without huge pages of 2m: none are free, and we may not make them'
fi
