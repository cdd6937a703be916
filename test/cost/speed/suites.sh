#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# suites.sh [--cells N] [--list] [--rows REGEX] BUILD...
#
# How long programs of Debian take that test an adapter, on the emulator of each BUILD (folders in which dvkit was
# built): rdma-core's Python tests, N (60) cells of the matrix of perftest, UCX's perftest over its transports. A table
# in seconds of wall time, a column per BUILD. All builds run the same programs and the scripts of this tree, one
# after the other, row by row.
#
#	--cells N	how many cells of the matrix (test/e2e/foreign/perftest_matrix.sh); 0: all, an hour
#	--rows REGEX	only rows whose names match
#	--list		the names of the rows
#
# For an idle machine. With two builds about ten minutes. A row that failed has "FAILED" after its time, and what
# it printed is in the file that the last line names; an older build may fail what only a newer one can do.
#
# Exit status: 0 all rows passed on all builds, 1 some failed, 2 wrong usage.
set -eu
. "$(dirname "$0")/common.sh"

cells=60
own_option() {
	[ "$1" != --cells ] || { cells=$2 took=2 && { [ "$2" = 0 ] || a_number "$1" "$2"; }; }
}
take_options "$@"
foreign=$here/../../e2e/foreign

row "rdma-core's Python tests" pyverbs/run.sh
row "perftest's matrix, $cells cells" perftest_matrix.sh --sample "$cells" --seed 1
for transport in rc_x dc_x ud_x rc_v; do
	row "UCX $transport, tag_lat, 8 bytes" ucx.sh $transport -t tag_lat -n 5000 -w 500 -s 8
	row "UCX $transport, tag_bw, 64 KiB" ucx.sh $transport -t tag_bw -n 2000 -w 100 -s 65536
	row "UCX $transport, ucp_put_bw, 8 KiB" ucx.sh $transport -t ucp_put_bw -n 10000 -w 100 -s 8192
	row "UCX $transport, ucp_get, 64 KiB" ucx.sh $transport -t ucp_get -n 2000 -w 100 -s 65536
done
rows_end

log=$(mktemp)
# seconds BUILD SCRIPT ARGUMENT...: prints them, with a word if it did not end well.
seconds() {
	local start status=0
	start=$(date +%s.%N)
	DVKIT_EMU=$1/bin/dvkit-emu DVKIT_TEST_LIMIT=300 "$foreign/$2" "${@:3}" >"$log.now" 2>&1 </dev/null || status=$?
	awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }'
	case $status in
	0) ;;
	77) printf ' skipped' ;;
	*)
		printf ' FAILED'
		{ echo "== $*: $status" && cat "$log.now"; } >>"$log"
		;;
	esac
	rm -f "$log.now"
}

load_before=$(load)
machine
busy "$load_before"
for build in "${!builds[@]}"; do
	echo "build $((build + 1)): ${builds[$build]}, $("${builds[$build]}/bin/dvkit-emu" --version)"
done
printf '%-36s' seconds
printf ' %15s' "${!builds[@]}" | awk '{ for (i = 1; i <= NF; i++) printf " %15s", "build " i; print "" }'
for i in "${!names[@]}"; do
	printf '%-36s' "${names[$i]}"
	for build in "${builds[@]}"; do
		# shellcheck disable=SC2086 # words
		printf ' %15s' "$(seconds "$build" ${hows[$i]})"
	done
	echo
done
if [ -s "$log" ]; then
	echo "what failed: $log"
	exit 1
fi
rm -f "$log"
