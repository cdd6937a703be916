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
# capture NAME LINK MAGIC FRAME...: each frame SECONDS:FRACTION:LENGTH:LENGTH_ON_THE_WIRE
capture() {
	/usr/bin/python3 -c 'import struct, sys
name, link, magic, *frames = sys.argv[1:]
with open(name, "wb") as f:
    f.write(struct.pack("<IHHIIII", int(magic, 16), 2, 4, 0, 0, 1 << 18, int(link)))
    for n, frame in enumerate(frames):
        head = list(map(int, frame.split(":")))
        f.write(struct.pack("<IIII", *head) + bytes([n + 1]) * head[2])' "$work/$@"
}
us=a1b2c3d4 ns=a1b23c4d
capture cut 1 $us 0:0:14:15
refused "--inject=$work/cut" 'frame 1 has 14 bytes of 15; whole frames of 14 to 10000 bytes can be sent'
capture short 1 $us 0:0:14:14 0:0:13:13
refused "--inject=$work/short" 'frame 2 has 13 bytes of 13'
capture long 1 $us 0:0:10001:10001
refused "--inject=$work/long" 'frame 1 has 10001 bytes of 10001'
capture raw 101 $us
refused "--inject=$work/raw" 'link type RAW, not Ethernet'
capture empty 1 $us
refused "--inject=$work/empty" 'no frames'
head -c -1 "$work/long" >"$work/broken"
refused "--inject=$work/broken" 'after frame 0: '
# The frames as the library gets them (net/net.h): their distance from the first, not below 0, in ns.
for row in "$us 500000 250000" "$ns 500000000 250000000"; do
	read -r magic half quarter <<<"$row"
	capture good 1 "$magic" 1:"$half":14:14 2:"$quarter":10000:10000 0:"$half":15:15
	emu_options=(--inject "$work/good")
	# shellcheck disable=SC2016
	alone sh -c 'cp "$SYSFS_PATH/inject" "$1"' sh "$work/inject"
	/usr/bin/python3 -c 'import struct, sys
data = open(sys.argv[1], "rb").read()
want = b"".join(struct.pack("<QII", ns, n, 0x64766e31) + bytes([byte]) * n
                for byte, ns, n in ((1, 0, 14), (2, 750000000, 10000), (3, 0, 15)))
sys.exit(data != want)' "$work/inject" || fail "$magic: other frames"
done
