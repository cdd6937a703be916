# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced: a virtual machine with Debian's kernel and Soft-RoCE (rdma_rxe), by QEMU without KVM. It sees the
# files of this machine, read-only, so it has the same programs.
#
#	network namespace              guest
#	tap_data 10.1.0.1  ----------- eth0 10.1.0.2, rxe0
#	         fd01::1                    fd01::2
#	tap_control 10.2.0.1 --------- eth1 10.2.0.2, commands by TCP port 7
#
# Everything is in namespaces of the caller, see guest_namespaces: when it ends, however, nothing is left.
# shellcheck disable=SC2154 # of the caller: here, this folder; work, a temporary one
set -eu
# shellcheck source=../../lib/kernel_modules.sh
. "$here/../../lib/kernel_modules.sh"

guest_data=10.1.0.2 guest_data6=fd01::2
# shellcheck disable=SC2034 # of the caller
machine_data=10.1.0.1 machine_data6=fd01::1
guest_control=10.2.0.2 machine_control=10.2.0.1
guest_port=7
guest_mtu=4200 # 4096 of payload and all headers
guest_modules=(virtio_pci virtio_net 9p 9pnet_virtio overlay crc32_generic rdma_rxe rdma_ucm ib_umad)
guest_limit=${DVKIT_TEST_LIMIT:-100} # seconds until a hanging program is ended
guest_boot_limit=${GUEST_BOOT_LIMIT:-300} # seconds; without KVM it takes 10 on an idle machine

guest_missing() {
	echo "$*" >&2
	exit 77
}

# guest_namespaces SCRIPT ARGUMENT...: runs it in new namespaces of networks, processes and mounts, which end with
# it. It ends with the caller, also by a signal.
guest_namespaces() {
	local map=() program
	for program in qemu-system-x86_64 busybox depmod modprobe cpio setpriv unshare ip; do
		command -v "$program" >/dev/null || guest_missing "$program is not installed"
	done
	[ "$(uname -m)" = x86_64 ] || guest_missing "the guest runs this machine's programs: x86-64, not $(uname -m)"
	[ -c /dev/net/tun ] || guest_missing 'no /dev/net/tun: load the module tun, or give the container that device'
	[ "$(id -u)" = 0 ] || map=(--map-root-user)
	unshare "${map[@]}" --net --pid --fork --mount-proc true ||
		guest_missing 'no namespaces (unshare --net --pid --mount-proc): run it as root, in a container as a privileged one'
	# unshare itself ignores SIGINT and SIGTERM. When it is killed, all in the namespaces is.
	setpriv --pdeathsig KILL unshare "${map[@]}" --net --pid --fork --kill-child --mount-proc "$@" &
	namespaces_pid=$!
	trap 'kill -KILL $namespaces_pid; exit 130' INT
	trap 'kill -KILL $namespaces_pid; exit 143' TERM
	wait $namespaces_pid
}

# guest_initramfs KERNEL WORK: KERNEL is an unpacked package linux-image-*.
guest_initramfs() {
	local root=$2/initramfs
	mkdir -p "$root/bin"
	cp "$(command -v busybox)" "$root/bin/busybox"
	install -m 755 "$here/init.sh" "$root/init"
	cp "$here/commands.py" "$here/../../lib/machine_files.sh" "$root/"
	kernel_modules "$1" "$root/modules" "${guest_modules[@]}"
	(cd "$root" && find . | cpio --quiet -o -H newc) >"$2/initramfs.cpio"
}

# guest_network: both interfaces; no other traffic on them.
guest_network() {
	local name
	ip link set lo up
	for name in tap_data tap_control; do
		ip tuntap add "$name" mode tap || guest_missing 'no TAP interface'
		echo 0 >"/proc/sys/net/ipv6/conf/$name/accept_dad"
	done
	ip link set tap_data mtu $guest_mtu up
	ip link set tap_control up
	ip address add $machine_data/24 dev tap_data
	ip address add $machine_data6/64 dev tap_data
	ip address add $machine_control/24 dev tap_control
}

# guest_start KERNEL WORK: boots; returns when it takes commands.
guest_start() {
	local nic settings tries=$((guest_boot_limit * 5))
	guest_console=$2/console
	guest_network
	guest_initramfs "$1" "$2"
	settings="DATA_MAC=52:54:00:00:00:01 DATA_MTU=$guest_mtu \"DATA_ADDRESSES=$guest_data/24 $guest_data6/64\""
	settings+=" CONTROL_MAC=52:54:00:00:00:02 CONTROL_ADDRESS=$guest_control/24 CONTROL_PORT=$guest_port"
	nic=virtio-net-pci,romfile=,mac=52:54:00:00:00:0
	setpriv --pdeathsig KILL qemu-system-x86_64 -accel tcg -cpu max -m 1024 -nodefaults -no-user-config \
		-display none -no-reboot -serial "file:$guest_console" \
		-kernel "$1"/boot/vmlinuz-* -initrd "$2/initramfs.cpio" \
		-append "console=ttyS0 quiet panic=-1 mitigations=off random.trust_cpu=on $settings" \
		-netdev tap,id=data,ifname=tap_data,script=no,downscript=no -device "${nic}1,netdev=data,host_mtu=$guest_mtu" \
		-netdev tap,id=control,ifname=tap_control,script=no,downscript=no -device "${nic}2,netdev=control" \
		-fsdev local,id=machine,path=/,security_model=none,readonly=on,multidevs=remap \
		-device virtio-9p-pci,fsdev=machine,mount_tag=machine >"$2/qemu.log" 2>&1 </dev/null &
	guest_pid=$!
	until guest true >/dev/null 2>&1; do
		kill -0 $guest_pid 2>/dev/null && [ $((tries -= 1)) -gt 0 ] || guest_failed 'did not boot'
		sleep 0.2
	done
}

# guest_failed WORDS: with what it wrote.
guest_failed() {
	echo "the guest $*"
	tail -n 40 "$work/qemu.log" "$guest_console"
	exit 1
}

# guest COMMAND...: for its shell; output and exit status are the command's. 255: no answer.
guest() {
	local connection
	exec {connection}<>"/dev/tcp/$guest_control/$guest_port" || return 255
	printf '%s\n' "$*" >&"$connection"
	timeout $((guest_limit + 30)) awk '/^exit [0-9]+$/ { status = $2 + 1; exit }
		held { print line }
		{ line = $0; held = 1 }
		END { if (held && line != "") print line; exit status ? status - 1 : 255 }' <&"$connection"
	local status=$?
	exec {connection}>&-
	return $status
}

guest_stop() {
	kill "$guest_pid"
	wait "$guest_pid" || true
}
