#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# --netdev and --inject of dvkit-emu: an interface for the port, of this machine's kernel, and captures that can
# be read. Interfaces are made in a network namespace of the test's own.
. "$(dirname "$0")/../../lib/pair.sh"

needs ip rdma unshare
own_network "$@"

# refused OPTION WORDS: dvkit-emu ends with 125 and says WORDS.
refused() {
	expect_status 125 emulated "$1" -- true
	grep -qF -- "$2" "$work/err" || fail "$1: it does not say '$2'"
}

# An interface that does not exist is made, with the address of the port, and ends with the command.
emu_options=(--netdev dvtest0)
alone sh -c 'cat /sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/0
	ls /sys/class/infiniband/mlx5_0/device/net; ip -br link show dvtest0; rdma link'
for line in '^dvtest0$' '^dvtest0 .*02:c5:c0:a8:00:01 .*UP' 'netdev dvtest0'; do
	has "$line"
done
has_lines 2 '^dvtest0$'
! ip link show dvtest0 >/dev/null 2>&1 || fail 'the interface is still there'

# One that exists must have that address.
ip link add dvtest1 type veth peer name dvtest2
ip link set dev dvtest1 address 02:00:00:00:00:01
refused --netdev=dvtest1 'ip link set dev dvtest1 address 02:c5:c0:a8:00:01'
ip link set dev dvtest1 address 02:c5:c0:a8:00:01
emu_options=(--netdev dvtest1)
alone rdma link
has 'netdev dvtest1'
ip link show dvtest1 >/dev/null || fail 'it was removed'

# Both functions of a BlueField.
emu_options=(--device bf2 --netdev dvtest3,dvtest4)
alone sh -c 'ip -br link; rdma link'
for line in '^dvtest3 .*02:c5:c0:a8:00:01' '^dvtest4 .*02:d5:c0:a8:00:01' \
	'mlx5_0/1 .*netdev dvtest3' 'mlx5_1/1 .*netdev dvtest4'; do
	has "$line"
done

refused --netdev=a,a "is not one name of an interface, or two"
refused --netdev=a/b "is not one name of an interface, or two"
refused --netdev=this-name-is-too-long "is not one name of an interface, or two"
refused --tap=a,b "is not a name of an interface"

# --inject: what is no capture of Ethernet frames
refused "--inject=$work/none" 'No such file'
echo "no capture" >"$work/text"
refused "--inject=$work/text" "$work/text: "
# A capture of one frame of which a byte is missing; link type Ethernet, then raw IP.
capture='\xd4\xc3\xb2\xa1\x02\x00\x04\x00\0\0\0\0\0\0\0\0\xff\xff\0\0'
# shellcheck disable=SC2059
printf "$capture"'\x01\0\0\0''\0\0\0\0\0\0\0\0\x0e\0\0\0\x0f\0\0\0''\0\0\0\0\0\0\0\0\0\0\0\0\x08\x06' >"$work/cut"
refused "--inject=$work/cut" 'frame 1 has 14 bytes of 15'
# shellcheck disable=SC2059
printf "$capture"'\x65\0\0\0' >"$work/raw"
refused "--inject=$work/raw" 'link type RAW, not Ethernet'
# shellcheck disable=SC2059
printf "$capture"'\x01\0\0\0' >"$work/empty"
refused "--inject=$work/empty" 'no frames'
