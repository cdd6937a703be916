#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Linux' Soft-RoCE, in a guest, and the emulator on --wire udp exchange packets: Debian's programs, in both
# directions, as a dated table. ./run test --softroce
#
#	matrix.sh KERNEL PROGRAMS [--only REGEX] [FILE]
#
#	KERNEL	an unpacked package linux-image-*; PROGRAMS has dvkit-emu and mixed_operations
#
#	ok		both ends end with 0, and what they report is complete
#	-		no such combination: the program has no reliability, so it would wait for what was lost
#	FAILED		anything else; what both ends said follows the table
#
# Columns: the server is the emulator or the guest; then both with faults of the link (dvkit-emu --drop).
# The table is printed as it grows, and written to FILE. Exit status 1: a cell failed; 77: something is missing here.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/e2e/softroce/guest.sh
. "$here/guest.sh"
. "$here/../../lib/tcp.sh"

if [ "${1:-}" != --inside ]; then
	[ $# -ge 2 ] || { echo 'matrix.sh KERNEL PROGRAMS [--only REGEX] [FILE]' >&2; exit 2; }
	guest_namespaces bash "$here/matrix.sh" --inside "$@" && exit
	exit $?
fi
kernel=$2 programs=$(cd "$3" && pwd) only=. table=
shift 3
while [ $# -gt 0 ]; do
	case $1 in
	--only) only=$2 && shift 2 ;;
	*) table=$1 && shift ;;
	esac
done
emu=$programs/dvkit-emu
limit=$guest_limit
loss='--drop=2%:1:tx:rx'
mount -t tmpfs tmpfs /run # of the emulator, and of the guest: it goes with the namespaces
work=/run/matrix
mkdir $work

# address SIDE WHAT: SIDE is emu or guest; WHAT control, data or data6.
address() {
	case $1.$2 in
	emu.control) echo "$machine_control" ;;
	emu.data) echo "$machine_data" ;;
	emu.data6) echo "$machine_data6" ;;
	guest.control) echo "$guest_control" ;;
	guest.data) echo "$guest_data" ;;
	guest.data6) echo "$guest_data6" ;;
	esac
}

other() { if [ "$1" = emu ]; then echo guest; else echo emu; fi; }

# on SIDE COMMAND...: words, without a shell's. With the faults in the array faults.
faults=()
on() {
	local side=$1
	shift
	if [ "$side" = guest ]; then
		guest "timeout -k 5 $limit $*"
	else
		timeout -k 5 "$limit" "$emu" --fabric softroce --wire "udp:$machine_data" --stats \
			"${faults[@]}" -- "$@"
	fi
}

# gid_index SIDE ADDRESS: of RoCE v2.
gid_index() {
	on "$1" ibv_devinfo -v 2>/dev/null | awk -v address="$2" '
		/GID\[/ && / RoCE v2/ {
			number = gid = $0
			sub(/.*GID\[ */, "", number)
			sub(/\].*/, "", number)
			sub(/.*\]:[ \t]*/, "", gid)
			sub(/,.*/, "", gid)
			if (gid == address || gid == "::ffff:" address)
				print number
		}'
}

# words SIDE TEXT: TEXT for that side.
#	@DEVICE		its device	@GID, @GID6	index of its GID
#	@PORT		of this cell	@TCP, @RDMA, @RDMA6	addresses of the server
words() {
	local text=$2
	text=${text//@DEVICE/${device[$1]}}
	text=${text//@GID6/${gid6[$1]}}
	text=${text//@GID/${gid[$1]}}
	text=${text//@PORT/$port}
	text=${text//@TCP/$(address "$server" control)}
	text=${text//@RDMA6/$(address "$server" data6)}
	text=${text//@RDMA/$(address "$server" data)}
	text=${text//@PROGRAMS/$programs}
	echo "$text"
}

# serves TEXT: the server can be called. By rdma_cm it has no TCP port: the guest's kernel lists its listeners, and of an
# emulated one nothing is seen from outside.
serves() {
	local tries=$((limit * 5)) listens=tcp command
	command="grep -q ':$(printf %04X "$port") .* 0A ' /proc/net/tcp /proc/net/tcp6"
	case $1 in
	*' -R '* | *rping* | *ucmatose* | *udaddy*) listens=rdma command='rdma resource show cm_id | grep -q "state LISTEN"' ;;
	esac
	case $server.$listens in
	emu.tcp)
		until_listening "$port" "$server_pid"
		return
		;;
	emu.rdma)
		sleep 2
		return
		;;
	esac
	until guest "$command"; do
		kill -0 "$server_pid" 2>/dev/null && [ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

# cell SERVER SERVER_TEXT CLIENT_TEXT: 0: both ended with 0. $work/server.log, $work/client.log.
# A refused client is called again with a new server: one of perftest -R listens twice, and would take the first connection
# of the next client for the second of the last one, without a receive for it.
cell() {
	local tries=$cell_ports client refused status
	server=$1
	client=$(other "$server")
	until status=0 && call "$2" "$3"; do
		[ -n "$refused" ] && [ $((tries -= 1)) -gt 0 ] || return $status
		port=$((port + 1))
		echo "$server" >>"$work/refused"
	done
}

# call SERVER_TEXT CLIENT_TEXT: a server and its client. 0: both ended with 0; else $status, and $refused if the client was refused
# by a server that still runs.
call() {
	local server_text client_text
	server_text=$(words "$server" "$1")
	client_text=$(words "$client" "$2")
	refused=
	: >"$work/client.log"
	# shellcheck disable=SC2086 # words
	on "$server" $server_text >"$work/server.log" 2>&1 </dev/null &
	server_pid=$!
	if serves "$server_text"; then
		# shellcheck disable=SC2086
		on "$client" $client_text >"$work/client.log" 2>&1 </dev/null || status=$?
	else
		status=99
	fi
	if [ $status != 0 ]; then
		! kill -0 $server_pid 2>/dev/null || ! grep -Eq 'REJECTED|UNREACHABLE|refused' "$work/client.log" || refused=yes
		end_server
	fi
	wait $server_pid || status=$?
	[ $status = 0 ]
}

# end_server: after its client failed.
end_server() {
	if [ "$server" = guest ]; then
		guest 'pkill timeout' || true
	else
		pkill -P $server_pid || true
	fi
}

# row NAME FAULTS SERVER [CLIENT [WORD|REGEX]]: NAME and two commands. FAULTS: loss, or - for what has no reliability and would wait
# for what was lost. The client is the server with an address, if it is not given.
# Where both fail and say REGEX, the table has WORD, a known defect of another program.
row() {
	printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4:-$3 @TCP}" "${5:-}"
}

rows() {
	local service verb tls test more
	for service in rc uc ud; do
		more=-
		[ $service = uc ] || [ $service = ud ] || more=loss
		row "ibv_${service}_pingpong" $more "ibv_${service}_pingpong -d @DEVICE -g @GID -c -n 200 -p @PORT"
		row "ibv_${service}_pingpong, IPv6" $more "ibv_${service}_pingpong -d @DEVICE -g @GID6 -c -n 200 -p @PORT"
	done
	row 'ibv_rc_pingpong -e -s 70001 -m 4096' loss 'ibv_rc_pingpong -d @DEVICE -g @GID -c -e -n 50 -s 70001 -m 4096 -p @PORT'
	row 'ibv_uc_pingpong -e -s 70001 -m 256' - 'ibv_uc_pingpong -d @DEVICE -g @GID -c -e -n 20 -s 70001 -m 256 -p @PORT'
	row 'ibv_srq_pingpong' loss 'ibv_srq_pingpong -d @DEVICE -g @GID -c -q 4 -n 200 -p @PORT'
	row 'mixed_operations' loss 'env DVKIT_DEVICE=@DEVICE @PROGRAMS/mixed_operations --listen @PORT 5000 16' \
		'env DVKIT_DEVICE=@DEVICE @PROGRAMS/mixed_operations --connect @TCP @PORT 5000 16'
	for verb in send write read atomic; do
		for test in lat bw; do
			for service in RC UC UD; do
				case $verb.$service in
				read.U* | atomic.U* | write.UD) continue ;;
				esac
				perftest ib_${verb}_$test $service
			done
		done
	done
	perftest ib_send_bw RC -b -s 5001 -q 4
	perftest ib_send_bw RC --use-srq -q 4
	perftest ib_write_bw RC -b -s 300000 -m 1024 -n 20
	perftest ib_write_bw UC -b -s 5001
	perftest ib_read_bw RC -b -s 20001 -m 1024 -n 40
	perftest ib_atomic_bw RC -A CMP_AND_SWAP
	perftest ib_atomic_bw RC -b
	row 'ib_send_bw -R' loss 'ib_send_bw -F -u 17 -R -s 20000 -n 100 -p @PORT' 'ib_send_bw -F -u 17 -R -s 20000 -n 100 -p @PORT @RDMA'
	row 'ib_write_bw -R -q 4' loss 'ib_write_bw -F -u 17 -R -q 4 -s 20000 -n 50 -p @PORT' 'ib_write_bw -F -u 17 -R -q 4 -s 20000 -n 50 -p @PORT @RDMA'
	row rping loss 'rping -s -a @RDMA -p @PORT -C 20 -S 3000 -V' 'rping -c -a @RDMA -p @PORT -C 20 -S 3000 -V'
	row 'rping, IPv6' loss 'rping -s -a @RDMA6 -p @PORT -C 20 -V' 'rping -c -a @RDMA6 -p @PORT -C 20 -V'
	row ucmatose loss 'ucmatose -b @RDMA -p @PORT -c 5 -C 5 -S 5000' 'ucmatose -s @RDMA -p @PORT -c 5 -C 5 -S 5000'
	row udaddy - 'udaddy -b @RDMA -c 3 -C 5' 'udaddy -s @RDMA -c 3 -C 5'
	# UCX 1.13 takes the kind of the address from wc.sl, where mlx5 has it; rxe's is always 0, as of IPv6.
	ucx_row 'ud_v tag_lat, IPv4' - \
		'UCX_TLS=ud_v UCX_UD_VERBS_TIMEOUT=5s UCX_IB_GID_INDEX=@GID ucx_perftest -t tag_lat -p @PORT' \
		'UCX|unhandled timeout error'
	for tls in rc_v ud_v; do
		for test in tag_lat 'tag_bw -s 4096' 'tag_bw -s 100000' stream_bw 'ucp_put_bw -s 8192' \
			'ucp_get -s 65536' ucp_fadd ucp_cswap; do
			ucx $tls $test
		done
	done
}

# perftest PROGRAM SERVICE OPTION...: a timer for a slow peer (-u 17: 0.5 s); not more READs in flight than the emulated adapter accepts, and by UC no more
# than the queue of the TAP interface takes, because UC waits for no peer.
perftest() {
	local faults=loss words
	words="$1 -F -u 17 -d @DEVICE -x @GID -c $2 -p @PORT"
	[ "$2" = RC ] || faults=-
	[[ $1 != *_bw || $2 != U? || $* = *' -s '* ]] || words+=' -s 4096'
	[[ $1 = *atomic* || $1 != *_bw || $2 != RC || $* = *' -s '* ]] || words+=' -s 20000'
	[[ $* = *' -n '* ]] || words+=' -n 100'
	[[ $1 != ib_read* && $1 != ib_atomic* ]] || words+=' -o 4'
	row "$1 -c ${*:2}" $faults "$words ${*:3}"
}

# ucx TLS TEST OPTION...: by IPv6, because of what the row with IPv4 shows. rc_v and ud_v are rc_verbs and ud_verbs; RC is connected by UD.
ucx() {
	local words="UCX_IB_GID_INDEX=@GID6 ucx_perftest -t ${*:2} -p @PORT"
	ucx_row "$1 ${*:2}" loss "UCX_TLS=$1 $words"
}

ucx_row() {
	local words="env UCX_NET_DEVICES=@DEVICE:1 UCX_WARN_UNUSED_ENV_VARS=n $3"
	case $3 in
	*lat* | *ucp_fadd* | *ucp_cswap*) words+=' -n 200 -w 10' ;;
	*) words+=' -n 50 -w 5' ;;
	esac
	row "ucx_perftest $1" "$2" "$words" "${words/ucx_perftest/ucx_perftest @TCP}" "${4:-}"
}

failed=0 port=20000
cell_ports=5 # one for each try
: >"$work/refused"
guest_start "$kernel" "$work"
declare -A device gid gid6
device=([emu]=mlx5_0 [guest]=rxe0)
for side in emu guest; do
	gid[$side]=$(gid_index $side "$(address $side data)")
	gid6[$side]=$(gid_index $side "$(address $side data6)")
	[ -n "${gid[$side]}" ] && [ -n "${gid6[$side]}" ] || {
		on $side ibv_devinfo -v || true
		echo "no GID of $side"
		exit 1
	}
done

# one NAME KNOWN SERVER TEXT...: prints a word.
one() {
	local name=$1 known=$2 failed=
	shift 2
	cell "$@" || failed=1
	sed -n 's/.*faults: frames \([0-9]*\) dropped.*/\1/p' "$work"/*.log >>"$work/dropped"
	if [ -z "$failed" ]; then
		echo ok
		return
	fi
	if [ -n "$known" ] && grep -qE "${known#*|}" "$work"/*.log; then
		echo "${known%%|*}"
		return
	fi
	echo FAILED
	{
		echo "---- $name, server: $1 ${faults[*]}"
		tail -n 30 "$work"/server.log "$work"/client.log
	} >>"$work/failures"
}

# line COLUMN...: of the table
line() {
	printf '%-44s %-9s %-9s %-9s %s\n' "$@" | tee -a "$work/table" >&2
}

{
	echo "$(date +%F), $("$emu" --version), perftest $(ib_send_bw --version 2>&1 | awk 'NR == 1 { print $NF }'), UCX $(ucx_info -v | awk 'NR == 1 { print $NF }')"
	echo "Linux $(guest uname -rv)"
	echo
} | tee "$work/table" >&2
line '' '' '' "$loss" ''
line 'server:' emulator guest emulator guest
while IFS=$'\t' read -r name with_loss server_text client_text known <&3; do
	[[ $name =~ $only ]] || continue
	words=()
	for column in emu guest emu_loss guest_loss; do
		faults=()
		case $column in
		*_loss) faults=("$loss") ;;
		esac
		if [ ${#faults[@]} = 0 ] || [ "$with_loss" = loss ]; then
			words+=("$(one "$name" "$known" "${column%_loss}" "$server_text" "$client_text")")
			port=$((port + cell_ports))
		else
			words+=(-)
		fi
		[ "${words[-1]}" != FAILED ] || failed=$((failed + 1))
	done
	faults=()
	line "$name" "${words[@]}"
done 3< <(rows)
dropped=$(awk '{ n += $1 } END { print n + 0 }' "$work/dropped")
echo "$failed failed; $dropped frames were dropped; $(wc -l <"$work/refused") clients were refused, and called again" | tee -a "$work/table" >&2
guest_stop
if [ -n "$table" ]; then cp "$work/table" "$table"; fi
[ ! -f "$work/failures" ] || cat "$work/failures"
[ "$failed" = 0 ]
