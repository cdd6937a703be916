#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Part of faults.sh, in the guest: asks for a fault by a line on the console, and waits for what the driver makes of it.
device=pci/$(basename "$(readlink -f /sys/class/net/eth0/device)")
set -f # no names of files

ask() { echo "ask: $*"; }

# row NAME COMMAND...: within a minute or two it has to succeed.
row() {
	name=$1 tries=200
	shift
	until "$@" >/tmp/out 2>&1; do
		[ $((tries -= 1)) -gt 0 ] || { echo "fault: $name failed"; cat /tmp/out; dmesg | tail -n 20; return; }
		sleep 0.3
	done
	echo "fault: $name ok"
}

not() { ! "$@"; }

logged() { dmesg | grep "$1"; }

# reporter NAME WORDS: of devlink health.
reporter() { devlink health show "$device" reporter "$1" | tr -s ' \n' ' ' | grep "$2"; }

diagnosed() { devlink health diagnose "$device" reporter fw | grep "$1"; }

carrier() { grep "$1" /sys/class/net/eth0/carrier; }

# With other queues.
mtu() { ip link set eth0 mtu 1400 && ip link set eth0 mtu 1500; }

pingpong() {
	: >/tmp/said
	ibv_rc_pingpong -d mlx5_0 -g 3 -n 10 >>/tmp/said 2>&1 &
	until ibv_rc_pingpong -d mlx5_0 -g 3 -n 10 localhost >>/tmp/said 2>&1; do
		kill -0 $! 2>/dev/null || return
		sleep 0.1
	done
	wait $!
}

# One of the two has no PD; the client tries again.
refused() {
	pingpong
	grep "Couldn't allocate PD" /tmp/said
}

ask fail-command ALLOC_PD 0x8 0x123456
row refused refused
row after-refusal pingpong

ask fail-command CREATE_SQ 0x8 0x123456
row refused-to-kernel not mtu
row logged logged 'CREATE_SQ(0x904).*status limits exceeded(0x8), syndrome (0x123456)'
row after-that mtu

ask link down
row link-down carrier 0
ask link up
row link-up carrier 1

ask health 0x8
row health reporter fw 'state error error 1'
row diagnosed diagnosed 'Syndrome: 8'
ask health 0

ask health 0x1 rfr
row fatal reporter fw_fatal 'state healthy error 1 recover 1'
ip link set eth0 up
ip address add 192.168.0.1/24 dev eth0
row after-recovery pingpong

ask hang
row hang logged 'reached miss count'
ask hang off
row after-hang pingpong
dmesg | grep -iE 'warning:|bug:|oops|call trace' && echo 'fault: kernel failed'
exit 0
