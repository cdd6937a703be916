#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files and folders that the documents name exist: targets of relative links, and what is between
# backquotes and begins with a folder of the repository. A name may have wildcards (caps_*.c).
#
#	docs_name_existing_files.sh [ROOT [PAGE...]]	prints what is missing; 1 when anything is
set -eu
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
[ $# = 0 ] || shift
cd "$root"
[ $# != 0 ] || set -- ./*.md docs/*.md samples/*.md
names=0
failures=0

# named PAGE: line, tab, path from the root; links are relative to the page.
named() {
	awk -v folder="$(dirname "$1")/" '
		/^```/ { code = !code }
		code { next }
		{
			rest = $0
			while (match(rest, /\]\([^)#: ]+[)#]/)) {
				print NR "\t" folder substr(rest, RSTART + 2, RLENGTH - 3)
				rest = substr(rest, RSTART + RLENGTH)
			}
			rest = $0
			while (match(rest, /`[^` ]+`/)) {
				name = substr(rest, RSTART + 1, RLENGTH - 2)
				rest = substr(rest, RSTART + RLENGTH)
				if (name ~ /^(\.ci|debian|dv|devx|prm|emu|include|tools|samples|test|docs|scripts|cmake)\// &&
				    name !~ /[A-Z]{4}|NAME|AREA/)
					print NR "\t" name
			}
		}' "$1"
}

for page; do
	list=$(named "$page")
	[ -n "$list" ] || continue
	while IFS="$(printf '\t')" read -r line name; do
		names=$((names + 1))
		# shellcheck disable=SC2086 # the wildcards are meant
		ls -d $name >/dev/null 2>&1 && continue
		echo "$page:$line: there is no $name"
		failures=1
	done <<END
$list
END
done
echo "$names names"
[ $names -gt 0 ] && exit $failures
