#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# kernel_rows_are_in_the_man_page.sh accepts a page with the sentences of the table, and reports one that
# lacks a sentence, has another one or says one differently.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
mkdir -p "$tree/emu/kernel" "$tree/emu/man"
printf '%s\n' 'KERNEL_ROW(FIRST, 6, 2, "the first sentence")' 'KERNEL_ROW(SECOND, 6, 5,' '	   "the second one")' \
	>"$tree/emu/kernel/kernel.def"

# expect STATUS LINE...: with these lines in the page.
expect() {
	wanted=$1 status=0
	shift
	{ echo '# KERNEL' && printf '%s\n' "$@" '# RDMA NETLINK'; } >"$tree/emu/man/dvkit-emu.1.md"
	"$here/kernel_rows_are_in_the_man_page.sh" "$tree" >/dev/null || status=1
	[ $status = "$wanted" ] && return
	echo "$*: status $status, not $wanted"
	failures=1
}

expect 0 '-   the first sentence;' '-   the second one.'
expect 1 '-   the first sentence;'
expect 1 '-   the first sentence;' '-   the second one;' '-   a third.'
expect 1 '-   the first sentence;' '-   the second sentence.'
expect 1 ''
exit $failures
