#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# scale.sh [--seconds S] [--rows REGEX] [--idle] [--list] BUILD
#
# Rates of the emulator of BUILD (a folder in which dvkit was built) with many QPs and many processes: a dated
# table. Every row is a group of processes that WRITE (group/group.h) for S (3) seconds over RC QPs, with two
# doorbells under way for each; the last message of each link has other bytes, and these are compared.
#
#	M/s, MiB/s	of all together
#	slowest		what the slowest link has sent, as a share of the mean; then the fastest one
#	process		what the slowest process has sent, as a share of the mean
#	before		memory of all processes (Pss) when they are connected, MiB; then after the traffic, and 2 s later
#	again		frames that were sent again
#
#	--idle		instead: the processor time of processes that are connected and do nothing for 10 s, in percent
#			of a core, of the one that takes most; before they send, and after
#	--rows REGEX	only rows whose names match
#	--list		the names of the rows
#
# For an idle machine; with --idle all rates are left out. Exit status: 0 measured, 1 a group failed, 2 wrong usage.
set -eu
. "$(dirname "$0")/common.sh"

seconds=3 idle=
own_option() {
	case $1 in
	--seconds) seconds=$2 && a_number "$1" "$2" && took=2 ;;
	--idle) idle=1 took=1 ;;
	esac
}
take_options "$@"
one_build
[ -n "$list" ] || group=$(the_program speed_group "$build")
export DVKIT_EMU=$build/bin/dvkit-emu
. "$here/../../lib/pair.sh"
. "$here/group/group.sh"

if [ -n "$idle" ]; then
	row '1 process, 1 QP' 1 self -q 1
	row '1 process, 1,000 QPs' 1 self -q 500
	row '64 processes, 2 QPs each' 64 ring
	row '64 processes, 126 QPs each' 64 all
else
	for qps in 1 10 100 1000; do
		row "1 process, $qps QPs, 8 bytes" 1 self -q $qps
	done
	for qps in 1 10 100 1000; do
		row "1 process, $qps QPs, 4 KiB" 1 self -q $qps -s 4096 -l 8
	done
	row '1 process, 1000 QPs, 4 KiB, 16 doorbells' 1 self -q 1000 -s 4096 -l 8 -d 16
	row '2 processes, ring, 8 bytes' 2 ring
	row '64 processes, ring, 8 bytes' 64 ring
	row '64 processes, ring, 64 KiB' 64 ring -s 65536 -l 1
	row '64 processes, each to all, 8 bytes' 64 all
	row '64 processes, each to all, 4 KiB' 64 all -s 4096 -l 4
	row '1 to one, 64 KiB' 2 incast -s 65536 -l 1 -d 8
	row '16 to one, 64 KiB' 17 incast -s 65536 -l 1 -d 8
	row '16 to one, 8 bytes' 17 incast
fi
rows_end

# mib NAME: a value in KiB, as MiB.
mib() {
	of_group "$1" | awk '{ printf "%.1f", $1 / 1024 }'
}

load_before=$(load)
machine
echo "$("$emu" --version)$([ -n "$idle" ] || echo ", $seconds s of traffic")"
busy "$load_before"
if [ -n "$idle" ]; then
	printf '%-42s %8s %8s\n' '% of a core' before after
else
	printf '%-42s %8s %8s %7s %7s %7s %8s %8s %8s %7s\n' '' M/s MiB/s slowest fastest process before after later again
fi
for i in "${!names[@]}"; do
	progress $((i + 1)) ${#names[@]} "${names[$i]}"
	# shellcheck disable=SC2086 # words
	group "$group" ${hows[$i]} -t "$seconds" ${idle:+-i 10}
	progress_end
	if [ -n "$idle" ]; then
		printf '%-42s %8s %8s\n' "${names[$i]}" "$(of_group idle_before)" "$(of_group idle_after)"
		continue
	fi
	printf '%-42s %8s %8s %7s %7s %7s %8s %8s %8s %7s\n' "${names[$i]}" "$(of_group rate)" "$(of_group MiB/s)" \
		"$(of_group slowest)" "$(of_group fastest)" "$(of_group member)" "$(mib before)" "$(mib after)" \
		"$(mib later)" "$(of_group retransmits)"
done
