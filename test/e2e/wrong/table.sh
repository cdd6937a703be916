#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Collects the wrong programs of this folder, a Criterion test each, from the comment
#
#	wrong: what is wrong | what the device says | who says so
#
# above the test.
#
#	table.sh		the page docs/wrong-programs.md, to stdout
#	table.sh --write	… into docs/wrong-programs.md
#
# A comment without its three parts and a test without its comment are errors: exit status 1.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
page=$here/../../../docs/wrong-programs.md

rows() {
	awk '
	function fail(what)
	{
		printf "%s:%d: %s\n", FILENAME, FNR, what | "cat 1>&2"
		bad = 1
	}

	FNR == 1 {
		suite = FILENAME
		sub(/.*\//, "", suite)
		sub(/\.c$/, "", suite)
		row = ""
	}

	/^\/\* wrong: / {
		row = $0
		sub(/^\/\* wrong: /, "", row)
		open = 1
	}

	open && !/^\/\*/ {
		sub(/^ \* ?/, "")
		row = row " " $0
	}

	open && /\*\/$/ {
		sub(/ *\*\/$/, "", row)
		if (split(row, part, / \| */) != 3)
			fail("not three parts: " row)
		open = 0
	}

	/^Test\(/ {
		name = $0
		sub(/^Test\([a-z_]*, */, "", name)
		sub(/[^a-z0-9_].*/, "", name)
		if (row == "")
			fail("no comment: " name)
		if (suite != last)
			printf "%s## %s\n\n%s\n%s\n", "\n", suite,
				"| program | what is wrong | what the device says | source |",
				"|---|---|---|---|"
		last = suite
		printf "| %s | %s | %s | %s |\n", name, part[1], part[2], part[3]
		row = ""
		n++
	}

	END {
		printf "\n%d programs.\n", n
		close("cat 1>&2")
		exit bad
	}' "$here"/*.c
}

work=$(mktemp)
trap 'rm -f "$work"' EXIT
{
	cat <<'TEXT'
# Wrong programs, and what the device says of them

Each row is a test of `test/e2e/wrong`: a program with one mistake, and the completion status, errno value or
asynchronous event that an adapter answers with. The last column names who says so; *assumed* is an entry of
[assumptions.md](assumptions.md). `DVKIT_DEVICE=mlx5_0 test_wrong` asks a real one.

This page is generated; `test/e2e/wrong/table.sh --write` makes it anew.
TEXT
	rows
} >"$work"
if [ "${1:-}" = --write ]; then
	cat "$work" >"$page"
else
	cat "$work"
fi
