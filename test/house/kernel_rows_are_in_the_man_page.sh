#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every row of emu/kernel/kernel.def has its sentence in dvkit-emu(1), and there are no others.
#
#	kernel_rows_are_in_the_man_page.sh [ROOT]
set -eu
. "$(dirname "$0")/../lib/frame.sh"
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)

tr '\n' ' ' <"$root/emu/kernel/kernel.def" | grep -o 'KERNEL_ROW([A-Z0-9_]*, [0-9][^"]*"[^"]*"' |
	sed 's/.*"\(.*\)"/\1/' >"$work/rows"
sed -n '/^# KERNEL$/,/^# RDMA NETLINK$/s/^-   \(.*\)[;.]$/\1/p' "$root/emu/man/dvkit-emu.1.md" >"$work/page"
[ -s "$work/rows" ] && diff "$work/rows" "$work/page"
