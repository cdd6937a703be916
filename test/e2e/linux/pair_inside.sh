#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Part of pair.sh, in the guest NODE: 1 serves, 2 connects and ends both by a file of the NFS that 1 exports.
#
#	pair_inside.sh NODE
peer=192.168.0.1
export PATH="$PATH:/usr/sbin:/sbin"

# row NAME COMMAND...
row() {
	name=$1
	shift
	if "$@" >/tmp/out 2>&1; then echo "pair: $name ok"; else
		echo "pair: $name failed"
		cat /tmp/out
		dmesg | tail -n 20
	fi
}

# connects COMMAND...: as soon as the server listens.
connects() {
	tries=120
	until timeout 120 "$@"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.5
	done
}

# nothing_logged: above "info" by what takes part.
nothing_logged() {
	! dmesg -r | grep '^<[0-4]>' | grep -i -E 'mlx5|rdma|nvme|WARNING|BUG:|Oops|Call Trace'
}

# NFS 4.2 of a folder in memory. Clients of an earlier start are not waited for.
exports() {
	modprobe nfsd && modprobe rpcrdma || return 1
	mkdir -p /export /run/rpc_pipefs /var/lib/nfs/v4recovery
	mount -t tmpfs tmpfs /export
	mount -t nfsd nfsd /proc/fs/nfsd
	mount -t rpc_pipefs rpc /run/rpc_pipefs
	touch /var/lib/nfs/etab /var/lib/nfs/rmtab
	exportfs -o rw,no_root_squash,insecure,fsid=0,no_subtree_check '*:/export' && rpc.mountd -N 3 &&
		rpc.nfsd -N 3 -V 4.2 --rdma=20049 2 && echo Y >/proc/fs/nfsd/v4_end_grace
}

# offers: a block device in memory, by NVMe over RDMA.
offers() {
	modprobe nvmet-rdma && modprobe loop || return 1
	truncate -s 64M /run/disk && losetup /dev/loop0 /run/disk || return 1
	cd /sys/kernel/config/nvmet 2>/dev/null || {
		mount -t configfs configfs /sys/kernel/config && cd /sys/kernel/config/nvmet || return 1
	}
	mkdir -p subsystems/disk/namespaces/1 ports/1
	echo 1 >subsystems/disk/attr_allow_any_host
	printf /dev/loop0 >subsystems/disk/namespaces/1/device_path
	echo 1 >subsystems/disk/namespaces/1/enable
	echo ipv4 >ports/1/addr_adrfam
	echo rdma >ports/1/addr_trtype
	echo $peer >ports/1/addr_traddr
	echo 4420 >ports/1/addr_trsvcid
	ln -s /sys/kernel/config/nvmet/subsystems/disk ports/1/subsystems/disk && cd /
}

mounts() {
	modprobe nfsv4 && modprobe rpcrdma && mkdir -p /mnt/nfs &&
		connects mount -t nfs -o vers=4.2,proto=rdma,port=20049 $peer:/ /mnt/nfs
}

# The server compares what is on its side, and this side what comes back when nothing of it is in memory any more.
nfs_data() {
	head -c 8M /dev/urandom >/run/data && cp /run/data /mnt/nfs/data && (cd /run && md5sum data) >/mnt/nfs/sums &&
		sync && echo 3 >/proc/sys/vm/drop_caches && cmp /run/data /mnt/nfs/data
}

has_disk() {
	modprobe nvme-rdma && connects nvme connect -t rdma -a $peer -s 4420 -n disk &&
		tries=100 && until [ -b /dev/nvme0n1 ]; do
			[ $((tries -= 1)) -gt 0 ] || return 1
			sleep 0.1
		done
}

disk_data() {
	dd if=/run/data of=/dev/nvme0n1 bs=64k oflag=direct && dd if=/dev/nvme0n1 of=/run/back bs=1M count=8 iflag=direct &&
		cmp /run/data /run/back && nvme disconnect -n disk
}

# virtio_net's is what is not eth0.
other=$(modprobe virtio_net; sleep 1; cd /sys/class/net && echo *)
for name in $other; do
	[ "$(cat "/sys/class/net/$name/address")" = "52:54:00:00:00:0$1" ] || continue
	ip link set "$name" up
	ip address add "10.0.0.$1/24" dev "$name"
done
if [ "$1" = 1 ]; then
	qperf >/dev/null 2>&1 &
	rping -s -p 7175 -C 10 >/dev/null 2>&1 &
	row 'NFS is exported' exports
	row 'NVMe is offered' offers
	rping -s -C 10 >/dev/null 2>&1
	ucmatose >/dev/null 2>&1
	until [ -e /export/end ]; do sleep 0.2; done
	row 'NFS: data on the server' sh -c 'cd /export && md5sum -c sums'
	row 'server: nothing above info' nothing_logged
else
	row 'rping between machines' connects rping -c -a $peer -C 10
	row 'ucmatose between machines' connects ucmatose -s $peer
	row 'rping to a process' connects rping -c -a 192.168.0.3 -C 10
	row 'ib_write_bw -R to a process' connects ib_write_bw -R -F -n 200 -s 65536 192.168.0.3
	row 'NFS is mounted by RDMA' mounts
	row 'NFS: data that comes back' nfs_data
	row 'NVMe is connected by RDMA' has_disk
	row 'NVMe: data that comes back' disk_data
	for what in '10.0.0.1 -t 2 tcp_lat' '10.0.0.1 -t 2 -m 1M tcp_bw' "$peer -cm 1 -t 2 -m 8 rc_lat" \
		"$peer -cm 1 -t 2 -m 1M rc_rdma_write_bw"; do
		# shellcheck disable=SC2086 # several words
		echo "pair: qperf $what: $(timeout 120 qperf -u $what 2>&1 | tail -n 1 | tr -s ' ')"
	done
	row 'client: nothing above info' nothing_logged
	touch /mnt/nfs/end
	umount /mnt/nfs
fi
echo 'pair: end'
