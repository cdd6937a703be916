# shellcheck shell=dash
# SPDX-License-Identifier: BSD-2-Clause
# Part of init.sh: loads the drivers, sends between two programs, and unloads them, TURNS times.

# pingpong: Debian's, with its own libibverbs and libmlx5; the client tries until the server listens.
pingpong() {
	for kind in rc uc ud srq; do
		ibv_${kind}_pingpong -d mlx5_0 -g 0 -n 20 -s 512 >/server 2>&1 &
		tries=50
		until ibv_${kind}_pingpong -d mlx5_0 -g 0 -n 20 -s 512 127.0.0.1 >/client 2>&1; do
			[ $((tries -= 1)) -gt 0 ] && grep -q "Couldn't connect" /client || break
			sleep 0.2
		done
		wait $! && grep -q '20 iters' /client && echo "guest: turn $turn $kind" || cat /server /client
	done
}

# connections: by address, with the kernel's rdma_cm.
connections() {
	rping -s -C 3 >/server 2>&1 &
	tries=50
	until rping -c -a 192.168.0.1 -C 3 >/client 2>&1; do
		[ $((tries -= 1)) -gt 0 ] || break
		sleep 0.2
	done
	[ $tries != 0 ] && wait $! && echo "guest: turn $turn rping" || cat /server /client
	ucmatose >/server 2>&1 &
	tries=50
	until ucmatose -s 192.168.0.1 >/client 2>&1; do
		[ $((tries -= 1)) -gt 0 ] || break
		sleep 0.2
	done
	[ $tries != 0 ] && wait $! && echo "guest: turn $turn ucmatose" || cat /server /client
}

# calls: the program whose calls probe.sh compares; out by the second serial port. The kernel logs
# each command that is refused, and nothing is said of its log from here on.
calls() {
	above_info >/log
	ulimit -l unlimited
	stty raw -F /dev/ttyS1
	verbs_calls "${SEQUENCES:-0}" >/dev/ttyS1 && echo 'guest: calls'
	echo "guest: $(cut -d ' ' -f 1 /proc/uptime) s"
}

# resets FUNCTION: a function level reset, by sysfs, while no driver has it.
resets() {
	echo "$1" >/sys/bus/pci/drivers/mlx5_core/unbind && echo 1 >"/sys/bus/pci/devices/$1/reset" &&
		echo "$1" >/sys/bus/pci/drivers/mlx5_core/bind && echo 'guest: reset'
}

# executes_another_kernel: kexec(8), while the driver has the function; the files of the new one are those here.
executes_another_kernel() {
	load
	ip link set eth0 up
	active
	find . -xdev | cpio -o -H newc >/again.cpio 2>/dev/null
	sed 's/KEXEC=1//; s/TURNS=[0-9]*/TURNS=1/' /proc/cmdline >/parameters
	kexec -l /vmlinuz --initrd=/again.cpio --command-line="$(cat /parameters)" || return
	echo 'guest: log'
	above_info
	echo 'guest: end'
	echo 'guest: kexec'
	kexec -e
}

turn=0
while [ $((turn += 1)) -le "${TURNS:-2}" ]; do
	load
	for device in /sys/bus/pci/drivers/mlx5_core/0000:*; do
		[ -e "$device" ] && echo "guest: turn $turn bound $(cat "$device/vendor" "$device/device" | tr '\n' ' ')"
		for netdev in "$device"/net/*; do
			[ -e "$netdev" ] && echo "guest: turn $turn netdev $(cat "$netdev/address")"
		done
	done
	[ "$turn" != 1 ] || resets "${device##*/}"
	ip link set lo up
	ip link set eth0 up
	ip address add 192.168.0.1/24 dev eth0
	active
	echo "guest: turn $turn port $(cat /sys/class/infiniband/mlx5_0/ports/1/state)"
	pingpong
	connections
	[ "$turn" != "${TURNS:-2}" ] || [ -z "${SEQUENCES-}" ] || calls
	ip link set eth0 down
	unload && echo "guest: turn $turn unbound"
done
[ -z "${KEXEC-}" ] || executes_another_kernel
