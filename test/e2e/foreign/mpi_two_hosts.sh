#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# An MPI job on two hosts, whose only link for data is RoCE: Open MPI with UCX, one emulator per rank, two ranks on
# each host. HPC Challenge (Debian's hpcc) checks the results of its transposition, random updates, FFT and
# linear equations.
#
#	mpi_two_hosts.sh TLS	UCX's transport: rc_v, ud_v, rc_x …
#
# mpirun starts its daemon on the other host not by ssh but by nsenter (hosts.sh).
export DVKIT_TEST_HOSTS=2
. "$(dirname "$0")/../../lib/pair.sh"

needs mpirun hpcc
# shellcheck disable=SC2154 # of hosts.sh
cat >"$work/agent" <<EOF
#!/bin/sh
# HOST COMMAND...: the command is text for a shell.
shift
exec ${client_on[*]} sh -c "\$*"
EOF
chmod +x "$work/agent"
cp "${HPCC_INPUT:-/usr/share/doc/hpcc/examples/_hpccinf.txt}" "$work/hpccinf.txt"
# A grid of 2 x 2 ranks, and sizes that a software adapter does in seconds.
sed -i -e '6s/^[0-9]*/200/' -e '11s/^[0-9]*/2/' -e '12s/^[0-9]*/2/' "$work/hpccinf.txt"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cd "$work"
timeout -k 5 "$limit" "${server_on[@]}" mpirun -n 4 --wdir "$work" --host 10.7.0.1:2,10.7.0.2:2 --bind-to none \
	--mca plm_rsh_agent "$work/agent" --mca oob_tcp_if_include dvh0 --mca btl ^openib,vader,tcp \
	--mca pml ucx --mca osc ucx -x UCX_TLS="$1",self -x UCX_NET_DEVICES=mlx5_0:1 \
	"$emu" --wire udp -- hpcc >"$work/job.log" 2>&1 </dev/null || fail "mpirun ended with $?"
grep -q '^Success=1' hpccoutf.txt || { cat hpccoutf.txt; fail 'hpcc has no success'; }
grep -E '^(Success|CommWorldProcs|MPIRandomAccess_ErrorsFraction|PTRANS_residual|MPIFFT_maxErr)=' hpccoutf.txt
