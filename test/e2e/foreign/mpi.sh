#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# mpi.sh PROGRAM TLS: an MPI job, a rank per emulated adapter: Open MPI with UCX, whose only way for data is TLS.
. "$(dirname "$0")/../../lib/pair.sh"

needs mpirun
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
timeout -k 5 "$limit" mpirun -n 3 --oversubscribe --bind-to none --mca pml ucx --mca osc ucx --mca btl self \
	-x UCX_TLS="$2",self -x UCX_NET_DEVICES=mlx5_0:1 "$emu" --fabric "$fabric" --stats -- "$1" \
	>"$work/job.log" 2>&1 </dev/null || fail "mpirun ended with $?"
grep -x '3 ranks, sum 3' "$work/job.log" || fail 'no result'
# Each rank has sent the bytes of the ring by its adapter.
[ "$(awk '/\] messages: / && $(NF - 1) >= 1157842' "$work/job.log" | wc -l)" = 3 ] || fail 'data took another way'
