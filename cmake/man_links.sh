#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A symbolic link for every function and macro without a man page of that name: dv_cq_poll.3 -> dv_cq.3.
#
#	man_links.sh OUT NAMES PAGE.md...	NAMES: docs/html/names.sh
set -eu
out=$1
names=$2
shift 2
rm -rf "$out"
mkdir -p "$out"
"$names" "$@" >"$out.names"
sort -u -k 1,1 "$out.names" | while read -r name page section; do
	[ "$section" = 3 ] && [ "$name" != "$page" ] || continue
	ln -s "$page.3" "$out/$name.3"
done
rm "$out.names"
