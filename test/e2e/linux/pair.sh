#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Two machines of shell.sh, and processes under dvkit-emu, on one fabric: programs that connect by rdma_cm, and the
# kernel's own users of it, NFS over RDMA and NVMe over RDMA. The rows are those of pair_inside.sh. At the end it
# prints what the same tool, qperf, measures over mlx5_0 and over a virtio-net of both machines.
#
#	pair.sh KERNEL BIN ROOT
#
# Exit status 77: something is missing here.
set -eu
here=$(dirname "$(readlink -f "$0")")
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
limit=${GUEST_BOOT_LIMIT:-900}
fabric=${folder##*/}
for program in rping ucmatose ib_write_bw qperf mount.nfs rpc.nfsd exportfs nvme; do
	PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "$program is not installed"; exit 77; }
done

# machine NODE: until it ends; what it says is in $folder/NODE.
machine() {
	local net="dgram,id=v,local.type=unix,local.path=$folder/net$1,remote.type=unix,remote.path=$folder/net$((3 - $1))"
	timeout "$limit" "$here/shell.sh" "$kernel" "$bin" "$root" --cpus=2 --fabric="$fabric" --ip="192.168.0.$1" \
		--qemu="-netdev $net -device virtio-net-pci,netdev=v,mac=52:54:00:00:00:0$1" \
		"sh $here/pair_inside.sh $1" </dev/null >"$folder/$1" 2>&1
}

# process COMMAND...: under dvkit-emu at 192.168.0.3.
process() {
	timeout "$limit" "$bin/dvkit-emu" --fabric "$fabric" --ip 192.168.0.3 -- "$@"
}

kernel=$1 bin=$2 root=$3 status=0
machine 1 &
first=$!
{
	process rping -s -a 192.168.0.3 -C 10
	process ib_write_bw -R -F -n 200 -s 65536
} >"$folder/server" 2>&1 &
until process rping -c -a 192.168.0.1 -p 7175 -C 10 >"$folder/client" 2>&1; do
	kill -0 $first 2>/dev/null || break
	sleep 1
done &
client=$!
machine 2 || status=$?
wait $first || status=$?
tr -d '\r' <"$folder/1" | cat - <(tr -d '\r' <"$folder/2") | grep '^pair: ' || true
if wait $client && grep -q '^client DISCONNECT' "$folder/client"; then
	echo 'pair: rping from a process ok'
else
	echo 'pair: rping from a process failed'
	cat "$folder/client"
	status=1
fi
if [ $status = 0 ] && ! grep -q '^pair: .* failed' "$folder"/[12] && grep -q '^pair: end' "$folder/1" "$folder/2"; then
	exit 0
fi
tail -n 60 "$folder"/[12] "$folder/server"
[ $status = 77 ] || status=1
exit $status
