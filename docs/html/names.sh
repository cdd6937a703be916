#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Lists the names that the man pages document: a line "NAME PAGE SECTION" for each page, and for each function and macro that
# its SYNOPSIS declares.
#
#	names.sh PAGE.md...
set -eu
for page; do
	file=$(basename "$page" .md)
	awk -v page="${file%.*}" -v section="${file##*.}" '
	function name(s)
	{
		if (!(s in seen))
			print s, page, section
		seen[s] = 1
	}
	BEGIN { name(page) }
	/^# / { inside = $0 == "# SYNOPSIS" }
	inside && /^#define [A-Za-z]/ {
		sub(/^#define /, "")
		sub(/[^A-Za-z0-9_].*/, "")
		name($0)
		next
	}
	inside && /^[a-z].*[a-z0-9_]\(/ {
		sub(/\(.*/, "")
		sub(/.*[ *]/, "")
		if (/^(dv|devx|flow|prm|dvkit)_/)
			name($0)
	}' "$page"
done
