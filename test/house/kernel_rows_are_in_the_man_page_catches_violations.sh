#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# kernel_rows_are_in_the_man_page.sh accepts a page with the sentences of the table, and reports one that
# lacks a sentence, has another one or says one differently.
set -eu
. "$(dirname "$0")/../lib/violations.sh"
mkdir -p "$tree/emu/kernel" "$tree/emu/man"
printf '%s\n' 'KERNEL_ROW(FIRST, 6, 2, "the first sentence")' 'KERNEL_ROW(SECOND, 6, 5,' '	   "the second one")' \
	>"$tree/emu/kernel/kernel.def"

# page RESULT LINE...: with these lines in the page.
page() {
	wanted=$1
	shift
	{ echo '# KERNEL' && printf '%s
' "$@" '# RDMA NETLINK'; } >"$tree/emu/man/dvkit-emu.1.md"
	expect "$wanted" "$*" "$tree"
}

page accepted '-   the first sentence;' '-   the second one.'
page refused '-   the first sentence;'
page refused '-   the first sentence;' '-   the second one;' '-   a third.'
page refused '-   the first sentence;' '-   the second sentence.'
page refused ''
