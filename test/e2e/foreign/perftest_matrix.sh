#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Debian's perftest between two processes, or two hosts (lib/hosts.sh): every program by every transport with every option, as a dated table.
#
#	perftest_matrix.sh [--sample N] [--seed S] [FILE]
#
#	ok		both ends end with 0, and the client has its results
#	-		perftest refuses the combination itself, before it opens the device
#	perftest	its server with DC and -e destroys one of the two CQs of its completion channel, so it cannot
#			destroy the channel (libibverbs: EBUSY), after all data were transferred
#	lossy		not run: UC between two hosts with messages of up to 8 MiB. Nothing keeps the sender from sending more
#			than the receiver's socket takes (16 MiB), and what is lost is not sent again
#	FAILED		anything else; what both ends said follows the table
#
# With --sample N only that many cells that are run, chosen by S. Without FILE the table goes to standard
# output. Exit status 1: a cell failed.
# shellcheck disable=SC2034 # arrays for lib/pair.sh
HOST_MTU=4192
. "$(dirname "$0")/../../lib/pair.sh"

sample=0 seed=1 table=/dev/stdout
while [ $# -gt 0 ]; do
	case $1 in
	--sample) sample=$2 && shift 2 ;;
	--seed) seed=$2 && shift 2 ;;
	-*) echo "perftest_matrix.sh [--sample N] [--seed S] [FILE]" >&2 && exit 2 ;;
	*) table=$1 && shift ;;
	esac
done
needs ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat ib_atomic_bw ib_atomic_lat
emu_options=(--mtu 4096)

transports='RC UC UD XRC DC'
# Its frames are private, so it is not announced to other hosts.
[ -z "${DVKIT_TEST_HOSTS-}" ] || transports='RC UC UD XRC'
options=('' -a -b '-q 16' '-l 16' -e --use-srq '-I 64 -s 64' '-m 2048' '-D 3' --use_old_post_send -R)

# iterations TRANSPORT OPTION. -D and -n exclude each other; few messages of each size for -a; -l divides them. An
# unreliable transport sends less between two hosts than the receiver's socket takes.
iterations() {
	case "${DVKIT_TEST_HOSTS:+hosts} $1 $2" in
	*-D*) ;;
	'hosts U'*-l*) echo '-n 32 ' ;;
	'hosts U'*-q*) echo '-n 5 ' ;;
	'hosts U'* | *-a) echo '-n 20 ' ;;
	*) echo '-n 208 ' ;;
	esac
}

# arguments TRANSPORT OPTION: what follows the name of the program, whose XRC needs two QPs.
arguments() {
	local more=
	[ "$1" != XRC ] || case $2 in -q*) ;; *) more='-q 2' ;; esac
	echo "-F -c $1 $more $(iterations "$1" "$2") $2"
}

# run PROGRAM ARGUMENT...: with -R connections are by address.
run() {
	rm -f "$work"/*.log
	case " $* " in
	*' -R '*) "$(dirname "$0")/rdma_cm.sh" tcp "$@" -p @PORT -- "$@" -p @PORT @SERVER ;;
	*) (pair "$@" && awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { n++ } END { exit !n }' "$work/client.log") ;;
	esac >"$work/cell.out" 2>&1
}

# cell PROGRAM TRANSPORT OPTION: prints its word. " Test" is in the header, which is printed when the device is open.
cell() {
	# shellcheck disable=SC2046 # words
	if [ "${DVKIT_TEST_HOSTS:+hosts} $2 $3" = 'hosts UC -a' ]; then
		echo lossy
	elif run "$1" $(arguments "$2" "$3"); then
		echo ok
	elif grep -q -e 'ended with 124' -e '^dvkit-emu: ' "$work/cell.out"; then
		echo FAILED
	elif ! grep -q ' Test$' "$work/cell.out"; then
		echo -
	elif [ "$2 $3" = 'DC -e' ] && grep -q 'Failed to close event channel' "$work/cell.out"; then
		echo perftest
	else
		echo FAILED
	fi
}

# The cells in the order of their columns and rows, or for a sample in an order of the seed.
cells() {
	local program transport option
	for program in ib_{send,write,read,atomic}_{bw,lat}; do
		for transport in $transports; do
			for option in "${options[@]}"; do
				printf '%s\t%s\t%s\n' "$program" "$transport" "$option"
			done
		done
	done | if [ "$sample" = 0 ]; then cat; else
		awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort -n | cut -f 2-
	fi
}

failed=0 done=0
{
	echo "$(date +%F), $(ib_send_bw --version 2>&1 | head -n 1), $("$emu" --version)${DVKIT_TEST_HOSTS:+, two hosts}"
	[ "$sample" = 0 ] || echo "$sample cells, seed $seed"
	printf 'program\ttransport\toption\tresult\n'
} >"$work/table"
while IFS=$'\t' read -r program transport option <&3; do
	word=$(cell "$program" "$transport" "$option")
	printf '%s\t%s\t%s\t%s\n' "$program" "$transport" "${option:-none}" "$word" >>"$work/table"
	if [ "$word" = FAILED ]; then
		failed=$((failed + 1))
		cat "$work/cell.out" >>"$work/failures"
	fi
	case $word in - | lossy) ;; *) done=$((done + 1)) ;; esac
	[ -t 2 ] && printf '\r%s cells, %s failed ' "$done" "$failed" >&2
	[ "$sample" = 0 ] || [ "$done" -lt "$sample" ] || break
done 3< <(cells)
echo "$done cells, $failed failed" >>"$work/table"
cat "$work/table" >"$table"
[ ! -f "$work/failures" ] || cat "$work/failures"
[ "$failed" = 0 ] && [ "$done" -gt 0 ]
