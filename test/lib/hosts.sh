# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Sourced by pair.sh with DVKIT_TEST_HOSTS=2: server and client are two hosts, that is two network namespaces
# with a cable between them, and the emulator's frames take it (dvkit-emu --wire udp).
#
#	server_host  10.7.0.1, fd07::1  dvh0 ---- dvh0  10.7.0.2, fd07::2  client_host
#
# Each has a process that keeps its namespace, and that the command of the other side need not end before. No
# name is left in the machine. HOST_MTU is the cable's, 1500 by default. Exit status 77: not root.

# new_host ADDRESS: in variable host the process that keeps it.
new_host() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare -n -m --propagation private sh -c 'mount -t sysfs sysfs /sys && ip link set lo up &&
		echo >"$1" && exec sleep 3600' sh "$work/host" >"$work/host.log" 2>&1 &
	host=$!
	until [ -f "$work/host" ]; do
		kill -0 $host 2>/dev/null || { cat "$work/host.log"; echo 'two hosts need root'; exit 77; }
		sleep 0.05
	done
	rm -f "$work/host" "$work/host.log"
}

# on_host PID: array on_host, the words that run a command there; with its root, which is another than the namespace's in a chroot.
on_host() {
	on_host=(nsenter -t "$1" -n -m -r --wd="$PWD")
}

# cable_end PID NUMBER
cable_end() {
	on_host "$1"
	"${on_host[@]}" sh -ec "ip address add 10.7.0.$2/24 dev dvh0
		ip address add fd07::$2/64 dev dvh0 nodad
		echo 0 >/proc/sys/net/ipv6/conf/dvh0/accept_dad
		ip link set dvh0 mtu ${HOST_MTU:-1500} up"
}

# The kernel makes that address when the cable has both ends.
has_link_local() {
	"$@" ip -6 address show dev dvh0 scope link -tentative | grep -q fe80
}

end_hosts() {
	[ -z "${client_host-}" ] || kill "$client_host" 2>/dev/null
	[ -z "${server_host-}" ] || kill "$server_host" 2>/dev/null
	true
}

begin_hosts() {
	new_host
	server_host=$host
	new_host
	client_host=$host
	ip link add dvh0 netns "$server_host" type veth peer name dvh0 netns "$client_host" ||
		fail 'no cable between two network namespaces'
	cable_end "$server_host" 1
	cable_end "$client_host" 2
	on_host "$server_host"
	server_on=("${on_host[@]}")
	on_host "$client_host"
	client_on=("${on_host[@]}")
	until has_link_local "${server_on[@]}" && has_link_local "${client_on[@]}"; do
		sleep 0.05
	done
}
