#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dma_copy.sh DMA_COPY: on both BlueFields the device copies, without a mistake that --check finds; a
# ConnectX-5 cannot, and the sample says why and what can.
. "$(dirname "$0")/../../lib/pair.sh"

for device in bf2 bf3; do
	emu_options=(--device "$device" --check)
	alone "$1"
	has '^3 copies by the device, 3145729 bytes, all as memcpy\(\) would$'
	has 'check: 0 findings'
done

expect_output 1 'max_wr_memcpy_length 0' emulated --device cx5 -- "$1"
has 'BlueField-2 and later have it'
