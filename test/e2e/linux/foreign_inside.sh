#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Part of foreign.sh, in the guest: programs of others between two processes. A row is a line "foreign: ok WORDS", or
# "foreign: failed WORDS" and what was said.
#
#	foreign_inside.sh [pyverbs]
set -uf # no names of files
here=$(dirname "$(readlink -f "$0")")
server=192.168.0.1 mac=02:c5:c0:a8:00:01 port=18515 failed=0
ulimit -l unlimited
export UCX_NET_DEVICES=mlx5_0:1 UCX_WARN_UNUSED_ENV_VARS=n

# result STATUS WORD...: the row, and for a failure both files.
result() {
	local word=ok
	[ "$1" = 0 ] || word=failed
	echo "foreign: $word ${*:2}"
	[ "$1" = 0 ] || { failed=1 && cat /tmp/server /tmp/client; }
}

# listens WORD...: does the server? With -R that is rdma_cm's.
listens() {
	case " $* " in
	*' -R '*) rdma resource show cm_id | grep -q 'state LISTEN' ;;
	*) grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf %04X $port) [0-9A-F:]* 0A " /proc/net/tcp /proc/net/tcp6 ;;
	esac
}

# has_results: those of perftest are lines of numbers; UCX' last line has more than no iterations and more than no time.
has_results() {
	awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9.]+$/ { n++ } $1 == "Final:" && $2 > 0 && $4 > 0 { n++ } END { exit !n }' /tmp/client &&
		! grep -qE '  UCX  (ERROR|WARN)' /tmp/server /tmp/client
}

# pair WORD...: as server and as client; both have to end with 0.
pair() {
	local status=0
	port=$((port + 1))
	timeout 300 "$@" -p $port >/tmp/server 2>&1 &
	until listens "$@"; do
		kill -0 $! 2>/dev/null || break
		sleep 0.1
	done
	timeout 300 "$@" -p $port $server >/tmp/client 2>&1 || status=$?
	[ $status = 0 ] || kill $! 2>/dev/null
	wait $! && [ $status = 0 ] && has_results
}

# perftest PROGRAM WORD...
perftest() {
	pair "$@" -d mlx5_0 -F -n 20
	result $? "$@"
}

# ucx TLS WORD...
ucx() {
	local tls=$1
	shift
	UCX_TLS=$tls pair ucx_perftest -w 5 -n 20 "$@"
	result $? ucx_perftest "$tls" "$@"
}

# options PROGRAM TRANSPORT: a line each. perftest refuses WRITE with events, READ and atomics with inline data, and UD with
# more than the MTU.
options() {
	echo
	case $1$2 in *atomic* | *UD) ;; *) echo '-s 65536' ;; esac
	case $1 in *write*) ;; *) echo --events ;; esac
	case $1 in *read* | *atomic*) ;; *) echo '-s 64 -I 64' ;; esac
	[ "$2" = UC ] || echo -R
}

rules() {
	: >/tmp/server
	timeout 300 raw_ethernet_fs_rate --server -d mlx5_0 -B $mac -E 02:c5:c0:a8:00:02 -F -n 20 >/tmp/client 2>&1 && has_results
}

# packets: raw ones, to this port. Nothing says when the server has posted its receives, so others send until it has enough.
packets() {
	timeout 300 raw_ethernet_bw --server -d mlx5_0 -B $mac -E $mac -F -n 100 -s 512 -r 200 >/tmp/server 2>&1 &
	while kill -0 $! 2>/dev/null; do
		timeout 300 raw_ethernet_bw --client -d mlx5_0 -B $mac -E $mac -F -n 100 -s 512 >/tmp/client 2>&1 || return
	done
	wait $! && has_results
}

programs() {
	local program transport words tls
	for program in ib_{send,write,read,atomic}_{lat,bw}; do
		for transport in RC UC UD; do
			case $program$transport in *read*U* | *atomic*U* | *write*UD) continue ;; esac
			while read -r words; do
				# shellcheck disable=SC2086 # words
				perftest $program -c $transport $words
			done < <(options "$program" $transport)
		done
	done
	rules
	result $? raw_ethernet_fs_rate
	packets
	result $? raw_ethernet_bw
	for tls in rc_x ud_x dc_x; do
		ucx $tls -t tag_lat
		ucx $tls -t tag_bw -s 65536
		ucx $tls -t ucp_get -s 65536
	done
	ucx rc_x -t ucp_fadd -s 8
}

pyverbs() {
	local status=0
	DVKIT_TEST_LIMIT=1800 "$here/../foreign/pyverbs/run.sh" --guest >/tmp/server 2>&1 || status=$?
	[ $status != 77 ] || { cat /tmp/server && exit 77; }
	: >/tmp/client
	result $status rdma-core\'s Python tests
	[ $status != 0 ] || cat /tmp/server
}

dmesg -c >/dev/null
case ${1-} in
pyverbs) pyverbs ;;
*) programs ;;
esac
# As above_info() of init.sh.
dmesg -r | grep '^<[0-4]>' | grep -i -E 'mlx5|WARNING|BUG:|Oops|Call Trace|AER|DMAR' && failed=1
echo 'foreign: end'
exit $failed
