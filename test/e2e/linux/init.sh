#!/bin/busybox sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=dash
# The guest's first process, out of its initramfs, see guest.sh: runs guest_$TEST.sh, and writes to the console what the
# kernel has logged above "info".
busybox=/bin/busybox
export PATH=/bin
$busybox mkdir -p /proc /sys /dev
$busybox --install /bin 2>/dev/null # the programs that are there stay
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev

# load: in the order of their dependencies; those that are there already stay. As with modprobe, MODULE.NAME=VALUE on
# the kernel's command line is a parameter.
load() {
	while read -r module; do
		name=$(echo "${module%.ko}" | tr - _)
		# shellcheck disable=SC2046 # several words
		[ -d "/sys/module/$name" ] ||
			insmod "/modules/$module" $(tr ' ' '\n' </proc/cmdline | sed -n "s/^$name\.//p") ||
			echo "guest: insmod $module failed"
	done </modules/order
}

# active: waits until the port is.
active() {
	tries=100
	until grep -q ACTIVE /sys/class/infiniband/mlx5_0/ports/1/state || [ $((tries -= 1)) = 0 ]; do
		sleep 0.1
	done
}

unload() {
	rmmod mlx5_ib && rmmod mlx5_core
}

# above_info: what the kernel has logged above "info" since it was called last.
above_info() {
	dmesg -r | grep '^<[0-4]>' | grep -i -E 'mlx5|WARNING|BUG:|Oops|Call Trace|AER|DMAR'
	dmesg -c >/dev/null
}

# shellcheck disable=SC1090 # TEST is a parameter of the kernel
. "/guest_$TEST.sh"
echo 'guest: log'
if [ -e /log ]; then cat /log; else above_info; fi
echo 'guest: end'
poweroff -f
