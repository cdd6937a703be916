#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ibv_devices and ibv_devinfo see one adapter whose port is up, and nothing is left out of
# what they ask: no "failed" anywhere.
. "$(dirname "$0")/../../lib/pair.sh"

needs ibv_devices ibv_devinfo

alone ibv_devices
[ "$(grep -c mlx5_ "$work/alone.log")" = 1 ] || fail 'not one mlx5 device'

alone ibv_devinfo -v
for line in 'hca_id:.mlx5_' 'transport:.*InfiniBand' 'vendor_id:.*0x02c9' 'phys_port_cnt:.*1$' \
	'state:.*PORT_ACTIVE' 'link_layer:.*Ethernet' 'max_qp:.*[1-9]' 'max_mr_size:.*0x[1-9a-f]' \
	'atomic_cap:.*ATOMIC_HCA' 'GID\[ *[0-9]*\]:.*RoCE v2'; do
	grep -q "$line" "$work/alone.log" || fail "ibv_devinfo -v does not show: $line"
done
if grep -i failed "$work/alone.log"; then
	fail 'ibv_devinfo -v could not ask for something'
fi
