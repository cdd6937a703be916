# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
# For the first process of a guest (busybox): all files of the machine that runs QEMU, which offers them by 9p as
# "machine".

# machine_files ROOT: there, read-only; what programs write is in memory.
machine_files() {
	local dir
	mkdir -p /machine /written "$1"
	mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,cache=loose machine /machine || return 1
	mount -t tmpfs tmpfs /written
	mkdir /written/files /written/work
	mount -t overlay -o lowerdir=/machine,upperdir=/written/files,workdir=/written/work overlay "$1" || return 1
	mount -t devtmpfs devtmpfs "$1/dev"
	ln -s /proc/self/fd "$1/dev/fd" # for bash
	mount -t proc proc "$1/proc"
	mount -t sysfs sysfs "$1/sys"
	for dir in /run /dev/shm; do
		mkdir -p "$1$dir"
		mount -t tmpfs -o mode=1777 tmpfs "$1$dir"
	done
}
