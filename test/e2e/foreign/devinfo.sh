#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ibv_devices and ibv_devinfo see one adapter whose port is up, and nothing is left out of
# what they ask: no "failed" anywhere.
. "$(dirname "$0")/../../lib/pair.sh"

needs ibv_devices ibv_devinfo

alone ibv_devices
has_lines 1 mlx5_

alone ibv_devinfo -v
for line in 'hca_id:.mlx5_' 'transport:.*InfiniBand' 'vendor_id:.*0x02c9' 'phys_port_cnt:.*1$' \
	'state:.*PORT_ACTIVE' 'link_layer:.*Ethernet' 'max_qp:.*[1-9]' 'max_mr_size:.*0x[1-9a-f]' \
	'atomic_cap:.*ATOMIC_HCA' 'GID\[ *[0-9]*\]:.*RoCE v2'; do
	has "$line"
done
lacks '[Ff]ailed|FAILED' # what it asks for
