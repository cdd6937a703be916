#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# UCX, which builds its own WQEs and makes its queues by DevX: ucx_info lists the transports,
# and ucx_perftest runs over them between two processes.
#
#	ucx.sh transports			rc_mlx5, dc_mlx5 and ud_mlx5 are there
#	ucx.sh endpoint				ucx_info -e connects to itself by rc_mlx5
#	ucx.sh TLS ARGUMENT...			ucx_perftest ARGUMENT... with UCX_TLS=TLS
#	ucx.sh objects TLS ARGUMENT...		the same, and the QP was made by DevX
#	ucx.sh gga DEVICE SERVER CLIENT ARGUMENT...	ucx_perftest over gga_mlx5 between two functions of DEVICE,
#						host or dpu: the server exports its memory, the client copies
#						through an alias. Skipped where UCX is older than 1.18.
#
# UCX is kept to TLS and to the adapter: no data takes shared memory instead. Its complaints
# count too, because where DevX fails it goes on without.
. "$(dirname "$0")/../../lib/pair.sh"

needs ucx_info ucx_perftest
export UCX_NET_DEVICES=mlx5_0:1 UCX_WARN_UNUSED_ENV_VARS=n

# quiet: neither side has complained.
quiet() {
	if grep -E '  UCX  (ERROR|WARN)' "$work"/*.log; then
		fail 'UCX complains'
	fi
}

if [ "$1" = transports ]; then
	alone ucx_info -d
	awk '/Transport:/ { t = $3 } /Device: mlx5_0:1/ { print t }' "$work/alone.log" >"$work/found"
	for transport in rc_mlx5 dc_mlx5 ud_mlx5 rc_verbs ud_verbs; do
		grep -qx $transport "$work/found" || fail "ucx_info -d does not list $transport"
	done
	quiet
	exit 0
fi

if [ "$1" = endpoint ]; then
	export UCX_TLS=rc_x
	alone ucx_info -e -u t
	grep 'lane\[0\]:.*rc_mlx5/mlx5_0:1' "$work/alone.log" || fail 'no lane of rc_mlx5'
	quiet
	exit 0
fi

if [ "$1" = gga ]; then
	emu_options=(--device "$2")
	server_options=(--as "$3")
	client_options=(--as "$4")
	shift 4
	alone ucx_info -d
	grep -q 'Transport: gga_mlx5' "$work/alone.log" || skip 'UCX has no transport gga_mlx5'
	emu_options+=(--trace fw,wqe)
	pair ucx_perftest -d mlx5_0:1 -x gga_mlx5 "$@"
	quiet
	# By the commands and work requests that this is about.
	grep -qE 'fw +ALLOW_OTHER_VHCA_ACCESS +out +OK' "$work/server.log" || fail 'nothing was allowed'
	grep -A1 -E 'fw +CREATE_GENERAL_OBJECT +in .*alias_object' "$work/client.log" |
		grep -qE 'CREATE_GENERAL_OBJECT +out +OK' || fail 'no alias was made'
	grep -qE 'wqe .* MMO' "$work/client.log" || fail 'no MMO work request'
	exit 0
fi

objects=
if [ "$1" = objects ]; then
	objects=1
	shift
	emu_options=(--trace fw)
fi
export UCX_TLS=$1
shift
pair ucx_perftest "$@"
quiet
# Final:  iterations  50.0%ile  average  overall (usec) ...: all of them, in more than no time.
awk '$1 == "Final:" && $2 > 0 && $4 > 0 { found = 1; print } END { exit !found }' \
	"$work/client.log" || fail 'no result'
[ -n "$objects" ] || exit 0

# made SIDE COMMAND FIELD: by a command that carried FIELD, and it was executed.
made() {
	grep -A1 -E "fw +$2 +in .*$3" "$work/$1.log" | grep -qE "fw +$2 +out +OK" ||
		fail "no $2 with $3 by the $1"
}

# A user of DevX is known by uid, and its memory by umem: the kernel's own CREATE_QP for
# ibv_create_qp() has pas[] in it, and no umem.
for side in server client; do
	made $side CREATE_UMEM 'uid='
	made $side CREATE_RMP 'uid=.*wq_umem_valid=0x1'
	made $side CREATE_QP 'uid=.*wq_umem_valid=0x1'
	made $side RTR2RTS_QP 'uid='
	[ "$UCX_TLS" != dc_x ] || made $side CREATE_DCT 'uid='
done
