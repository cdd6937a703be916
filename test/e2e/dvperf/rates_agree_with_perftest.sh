#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dvperf bw --api=verbs beside ib_write_bw --use_old_post_send: the same flags, the
# same table, server and client in a process each, run by turns. Both must tell of the same sizes
# and operations; how far the medians of their rates differ is printed and does not fail: times are
# noisy.
#
#	rates_agree_with_perftest.sh DVKIT_EMU DVPERF [TURNS]      TURNS: 1
set -u
. "$(dirname "$0")/../../lib/dvperf.sh"
turns=${3:-1}

needs ib_write_bw

# row COMMAND...: the table's row, "size operations peak average rate".
row() {
	port=$((port + 1))
	emulated -- "$@" -p $port >"$work/server" 2>&1 &
	until_listening $port $!
	emulated -- "$@" -p $port 127.0.0.1 >"$work/client" 2>&1
	wait $!
	awk '$1 ~ /^[0-9]+$/ && NF == 5' "$work/client"
}

median() {
	sort -g | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

# compare FLAG...
compare() {
	local theirs ours t o
	: >"$work/theirs"
	: >"$work/ours"
	for ((turn = 0; turn < turns; turn++)); do
		theirs=$(row ib_write_bw --use_old_post_send -F "$@")
		row "$dvperf" bw --json --api=verbs --repeat=1 "$@"
		ours=$(python3 -c 'import json, sys
row = json.load(sys.stdin)["rows"][0]
ops, mops, size = row["metrics"]["ops"], row["metrics"]["mops"], row["options"]["size"]
print(f" {size:<10} {ops:<14.0f} - {mops * 1e6 * size / (1 << 20):.2f}")' <"$work/client")
		if [ -z "$ours" ] || [ "$(echo "$theirs" | cut -c-20)" != "$(echo "$ours" | cut -c-20)" ]; then
			fail "$*: perftest '$theirs', dvperf '$ours'"
			return
		fi
		echo "$theirs" | awk '{ print $4 }' >>"$work/theirs"
		echo "$ours" | awk '{ print $4 }' >>"$work/ours"
	done
	t=$(median <"$work/theirs")
	o=$(median <"$work/ours")
	echo "$*: MiB/s, median of $turns: ib_write_bw $t, dvperf $o, ratio" \
		"$(awk -v t="$t" -v o="$o" 'BEGIN { printf "%.3f", o / t }')"
}

compare -s 65536 -n 2000
compare -s 65536 -n 2000 -N
compare -s 4096 -n 5000 -N
compare -s 4096 -n 4800 -l 16 -q 2 -N
compare -s 64 -n 20000 -I 64 -N
