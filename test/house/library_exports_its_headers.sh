#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# libdvkit exports the functions that its public headers declare, and nothing else.
#
#	include/**.h -- gcc -aux-info --> declared  --.
#	libdvkit.so --- nm -D ----------> exported  --+--> differences
#
# dvkit/emu.h is left out: its functions are those of the emulator.
#
#	library_exports_its_headers.sh ROOT LIBRARY	prints what differs; 1 when anything does
set -eu
. "$(dirname "$0")/../lib/frame.sh"
root=$(cd "$1" && pwd)
library=$2

(cd "$root/include" && find . -name '*.h' ! -path ./dvkit/emu.h) |
	sed 's|^./\(.*\)|#include "\1"|' >"$work/all.c"
gcc -std=gnu11 -fsyntax-only -I "$root/include" -aux-info "$work/declarations" "$work/all.c"
# "/* /path/include/dv/map.h:57:NC */ extern int dv_sq_map (struct dv_sq *, …);"
awk -v folder="$root/include/" '
	index($2, folder) == 1 && $4 == "extern" {
		sub(/ \(.*/, "")
		sub(/.*[ *]/, "")
		print
	}' "$work/declarations" | sort -u >"$work/declared"
nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"

echo "$(wc -l <"$work/declared") functions declared"
[ -s "$work/declared" ] || exit 1
comm -23 "$work/declared" "$work/exported" | sed 's/$/ is declared in a public header and not exported/' >"$work/differ"
comm -13 "$work/declared" "$work/exported" | sed 's/$/ is exported and not declared in a public header/' >>"$work/differ"
cat "$work/differ"
[ ! -s "$work/differ" ]
