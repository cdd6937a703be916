#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Linux' own mlx5e on the emulator, see guest.sh: two virtual machines on one fabric exchange packets, with settings of
# ethtool one after the other; and one of them with the kernel of this machine, by --tap, and with a process under
# dvkit-emu, where a namespace of networks and TAP interfaces are possible. The rows are those of guest_netdev.sh.
#
#	netdev.sh KERNEL BIN ROOT
#
# Exit status 77: something is missing here.
set -eu
if [ -z "${NETDEV_APART-}" ] && unshare --net true 2>/dev/null; then
	NETDEV_APART=1 exec unshare --net "$0" "$@"
fi
kernel=$1 bin=$2 root=$3

# shellcheck source=guest.sh
. "$(dirname "$(readlink -f "$0")")/guest.sh"
guest_start ethtool ip devlink ping iperf3 ibv_rc_pingpong
tap=()
if [ -n "${NETDEV_APART-}" ] && ip link set lo up && ip tuntap add dev tap0 mode tap 2>/dev/null; then
	ip address add 192.168.0.9/24 dev tap0
	tap=(--tap tap0)
else
	echo 'no TAP interface: without the rows of the host and of a process'
fi
guest_traced node1 --ip 192.168.0.1 "${tap[@]}"
guest_traced node2 --ip 192.168.0.2
if [ ${#tap[@]} != 0 ]; then
	"$bin/dvkit-emu" --fabric "${work##*/}" --ip 192.168.0.3 -- \
		timeout "$limit" ibv_rc_pingpong -g 3 -n 100 >"$work/process" 2>&1 &
	guest_functions+=($!)
fi
guest_boot node1 'TEST=netdev NODE=1' &
machine=$!
guest_boot node2 "TEST=netdev NODE=2 HOST=${#tap[@]}" 2 || fail 'node 2 did not end'
wait $machine || fail 'node 1 did not end'
status=0
for node in node1 node2; do
	grep -E '^guest: .* (ok|failed)$|^guest: (iperf3|up)' "$work/$node.said" | sed "s/^guest:/$node:/"
	! grep -q '^guest: .* failed$' "$work/$node.said" || status=1
	guest_log "$node"
done
guest_said node2 'unload ok' 'the rows did not all run'
guest_end
for node in node1 node2; do
	echo "$node: $(guest_commands $node)"
done
exit $status
