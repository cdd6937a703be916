#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The adapter is a PCI function among those of the machine, for lspci, for hwloc and for scripts.
. "$(dirname "$0")/../../lib/pair.sh"

needs lspci lstopo-no-graphics

# run OPTION... -- PROGRAM ARGUMENT...
run() {
	echo "\$ $*"
	timeout -k 5 "$limit" "$emu" --fabric "$fabric" "$@" >"$work/out.log" 2>"$work/err.log" || fail "status $?: $*"
}

# is TEXT: what the last command printed.
is() {
	[ "$(cat "$work/out.log")" = "$1" ] || fail "not '$1'"
}

says() {
	grep -Eq -- "$1" "$work/out.log" || fail "no line '$1'"
}

run -- lspci -vmm -n -D -s 03:00.0
is "$(printf '%s:\t%s\n' Slot 0000:03:00.0 Class 0200 Vendor 15b3 Device 1017 SVendor 15b3 SDevice 0000 ProgIf 00)"
[ ! -s "$work/err.log" ] || fail 'lspci complains'
run --device cx7 -- lspci -n -s 03:00
is '03:00.0 0200: 15b3:1021'
run --device bf3 -- lspci -n -s 03:00
is $'03:00.0 0200: 15b3:a2dc\n03:00.1 0200: 15b3:a2dc'

# As docs/benchmarking.md asks for the link.
run -- sh -c 'lspci -vv -s $(basename $(readlink /sys/class/infiniband/mlx5_0/device))'
says 'Capabilities: \[60\] Express \(v2\) Endpoint'
says 'LnkCap:.*Speed 8GT/s, Width x16'
says 'LnkSta:.*Speed 8GT/s.*, Width x16'
says 'MaxPayload 256 bytes, MaxReadReq 512 bytes'
says 'Kernel driver in use: mlx5_core$'
if grep -Eq 'BAR|Region|!!!' "$work/out.log"; then
	fail 'the configuration space is wrong, or has registers'
fi

# Those of the machine are there, in the same order, and lead to the same files.
run -- lspci -D -n
lspci -D -n | while read -r device rest; do
	[ "$device" = 0000:03:00.0 ] || [ -d "/sys/bus/pci/devices/$device/infiniband" ] || echo "$device $rest"
done >"$work/machine"
grep -v '^0000:03:00\.0' "$work/out.log" | cmp - "$work/machine" || fail 'the devices of the machine differ'
run -- sh -c 'cd /sys/bus/pci/drivers && ls'
LC_ALL=C sort "$work/out.log" | grep -vx mlx5_core >"$work/drivers" || true
LC_ALL=C ls /sys/bus/pci/drivers 2>/dev/null | grep -vx mlx5_core | cmp - "$work/drivers" || fail 'the drivers of the machine differ'
run -- sh -c 'ls /sys/bus/pci/drivers/mlx5_core /sys/bus/pci/devices/*/infiniband'
says '^0000:03:00\.0$'
says '^mlx5_0$'

# One below another shows the inner one's.
run --device bf3 -- "$emu" -- lspci -n -s 03:00
is '03:00.0 0200: 15b3:1017'

# Both are in hwloc's tree, one below the other.
run -- lstopo-no-graphics --of console --whole-io
grep -A1 '^ *PCI .*03:00\.0 (Ethernet)' "$work/out.log" | grep -q 'OpenFabrics.* "mlx5_0"' || fail 'hwloc does not connect the device with its PCI function'
