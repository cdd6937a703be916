#!/bin/busybox sh
# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=dash
# The guest's first process, out of its initramfs, see guest.sh: modules, networks, the machine's files as its
# root, an RDMA link of Soft-RoCE, and then the server of commands. Its settings are of the kernel's command line.
#
#	eth0	DATA_MAC	where rxe0 is
#	eth1	CONTROL_MAC	commands, and the TCP connections of the programs
busybox=/bin/busybox
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/tmp

# give_up WORDS: the console has the reason.
give_up() {
	echo "guest: $*"
	$busybox poweroff -f
}

# interface MAC: the name of the network interface.
interface() {
	local address
	for address in /sys/class/net/*/address; do
		[ "$($busybox cat "$address")" != "$1" ] || $busybox basename "${address%/address}"
	done
}

# address MAC MTU ADDRESS...: the interface up, with them.
address() {
	local name
	name=$(interface "$1")
	[ -n "$name" ] || give_up "no network interface $1"
	$busybox ip link set "$name" mtu "$2" up || give_up "$name, MTU $2"
	shift 2
	for _ in "$@"; do
		case $1 in
		*:*) echo 0 >"/proc/sys/net/ipv6/conf/$name/accept_dad" ;;
		esac
		$busybox ip address add "$1" dev "$name" || give_up "$name: address $1"
		shift
	done
}

$busybox mkdir -p /proc /sys /dev
$busybox mount -t proc proc /proc
$busybox mount -t sysfs sysfs /sys
$busybox mount -t devtmpfs devtmpfs /dev
while read -r module; do
	$busybox insmod "/modules/$module" || give_up "module $module"
done </modules/order

$busybox ip link set lo up
# shellcheck disable=SC2154,SC2086 # of the kernel's command line
address "$DATA_MAC" "$DATA_MTU" $DATA_ADDRESSES
# shellcheck disable=SC2154
address "$CONTROL_MAC" 1500 "$CONTROL_ADDRESS"

# shellcheck source=../../lib/machine_files.sh
. /machine_files.sh
mount() { $busybox mount "$@"; }
mkdir() { $busybox mkdir "$@"; }
machine_files /root || give_up 'no files of the machine'

inside() { $busybox chroot /root "$@"; }
inside rdma link add rxe0 type rxe netdev "$(interface "$DATA_MAC")" || give_up 'no rxe0'
echo "guest: $($busybox uname -r), up $($busybox cut -d ' ' -f 1 /proc/uptime) s"
# shellcheck disable=SC2154
inside python3 -c "$($busybox cat /commands.py)" "$CONTROL_PORT"
give_up 'the server of commands has ended'
