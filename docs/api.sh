#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# docs/api.md: the functions of each public header, and its man page.
#
#	include/**.h -- gcc -aux-info --> functions by header --.
#	*/man/*.3.md -- #include lines -> man page by header ---+--> a table
#
# Names that end in _ are internal and left out. Macros: prm(3).
#
#	docs/api.sh [--write]	prints the page, or writes it
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
if [ "${1:-}" = --write ]; then
	"$0" >"$root/docs/api.md.new"
	mv "$root/docs/api.md.new" "$root/docs/api.md"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$root/include" && find . -name '*.h' | LC_ALL=C sort) | sed 's|^./||' >"$work/headers"
sed 's|.*|#include "&"|' "$work/headers" >"$work/all.c"
gcc -std=gnu11 -fsyntax-only -I "$root/include" -aux-info "$work/declarations" "$work/all.c"
# "/* /path/include/dv/map.h:57:NC */ extern int dv_sq_map (struct dv_sq *, …);"
awk -v folder="$root/include/" '
	index($2, folder) == 1 {
		header = substr($2, length(folder) + 1)
		sub(/:.*/, "", header)
		sub(/^[^*]*\*[^*]*\*\/ /, "")
		sub(/ \(.*/, "")
		sub(/.*[ *]/, "")
		if (!/_$/)
			print header, $0
	}' "$work/declarations" | LC_ALL=C sort -u >"$work/functions"
[ -s "$work/functions" ] || { echo "no functions found" >&2; exit 1; }
# The page whose synopsis includes the header first.
(cd "$root" && grep -n '^#include <.*>$' dv/man/*.3.md devx/man/*.3.md flow/man/*.3.md prm/man/*.3.md emu/man/*.3.md) |
	sed 's|^\([^:]*\):\([0-9]*\):#include <\(.*\)>|\3 \2 \1|' | LC_ALL=C sort -k1,1 -k2,2n >"$work/pages"

cat <<'END'
# Functions by header

Made by `docs/api.sh`. `<dvkit/dvkit.h>` includes what most programs need. Calls on a send queue are named
`dv_sq_<verb>_<kind>`: `dv_sq_send_imm`, `dv_sq_write_inline`, `dv_sq_umr_list`; segments of a WQE `dv_set_<segment>_seg`; fields of a
CQE `dv_cqe_<field>`; firmware objects `devx_<object>_<verb>`. The macros of `<prm/prm.h>` are in [prm(3)](../prm/man/prm.3.md).

| header | man page | functions |
|---|---|---|
END
while read -r header; do
	page=$(awk -v h="$header" '$1 == h { print $3; exit }' "$work/pages")
	list=$(awk -v h="$header" '$1 == h { printf "%s`%s`", sep, $2; sep = " " }' "$work/functions")
	[ -n "$list" ] || continue
	name=
	[ -z "$page" ] || name="[$(basename "$page" .3.md)(3)](../$page)"
	echo "| [$header](../include/$header) | $name | $list |"
done <"$work/headers"
