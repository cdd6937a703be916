#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# dma_copy.sh DMA_COPY: on both BlueFields the device copies, without a mistake that --check finds; a
# ConnectX-5 cannot, and the sample says why and what can.
. "$(dirname "$0")/../../lib/pair.sh"

for device in bf2 bf3; do
	emu_options=(--device "$device" --check)
	alone "$1"
	grep -qx '3 copies by the device, 3145729 bytes, all as memcpy() would' "$work/alone.log" ||
		fail "$device did not copy"
	grep -q 'check: 0 findings' "$work/alone.log" || fail "$device has findings"
done

status=0
"$emu" --fabric "$fabric" --device cx5 -- "$1" >"$work/cx5.log" 2>&1 || status=$?
[ $status = 1 ] || fail "status $status on a device without MMO DMA"
grep -q 'max_wr_memcpy_length 0' "$work/cx5.log" || fail 'no reason'
grep -q 'BlueField-2 and later have it' "$work/cx5.log" || fail 'no remedy'
