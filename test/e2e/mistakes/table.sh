#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Collects the mistakes of this folder, a Criterion test each: what is wrong, from the comment
# "mistake: …" above the test, and the message, the strings of says(…) in it.
#
#	table.sh		the page docs/devx-mistakes.md, to stdout
#	table.sh --write	… into docs/devx-mistakes.md
#
# A test with a comment and no says(), or the other way round, is an error: exit status 1.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
page=$here/../../../docs/devx-mistakes.md

rows() {
	awk '
	function fail(what)
	{
		printf "%s:%d: %s\n", FILENAME, FNR, what | "cat 1>&2"
		bad = 1
	}

	# The strings of a call that may have several lines.
	function strings(text,   all)
	{
		while (match(text, /"[^"]*"/)) {
			all = all substr(text, RSTART + 1, RLENGTH - 2)
			text = substr(text, RSTART + RLENGTH)
		}
		return all
	}

	/^\/\* mistake: / {
		if (mistake != "")
			fail("no says(): " mistake)
		mistake = $0
		sub(/^\/\* mistake: /, "", mistake)
		sub(/ *\*\/$/, "", mistake)
	}

	/^Test\(/ {
		suite = name = $0
		sub(/^Test\(/, "", suite)
		sub(/,.*/, "", suite)
		sub(/^Test\([a-z_]*, */, "", name)
		sub(/[^a-z0-9_].*/, "", name)
	}

	/^\tsays\(/ { call = ""; open = 1 }
	open { call = call $0 }
	open && /\);$/ {
		open = 0
		if (mistake == "")
			fail("no comment: " name)
		if (suite != last)
			printf "\n## %s\n\n%s\n%s\n", suite,
				"| test | the mistake | the message |", "|---|---|---|"
		last = suite
		printf "| %s | %s | `%s` |\n", name, mistake, strings(call)
		mistake = ""
		n++
	}

	END {
		if (mistake != "")
			fail("no says(): " mistake)
		printf "\n%d mistakes.\n", n
		close("cat 1>&2")
		exit bad
	}' "$here"/*.c
}

work=$(mktemp)
trap 'rm -f "$work"' EXIT
{
	cat <<'TEXT'
# Mistakes with firmware commands, and the message for each

Each row is a test of `test/e2e/mistakes`: a program that uses devx and makes one mistake, and the line that
`devx_error_str()` has for it. *kernel* and *firmware* say who refused; a line without either is the library's own.
Syndromes from 0xe0000000 on are those of the emulator, 0xe0000000 | opcode << 8 | reason; an adapter's are its own, and
most of them are known to nobody outside. `DVKIT_DEVICE=mlx5_0 test_mistakes` asks a real one and compares what comes
before the syndrome.

This page is generated; `test/e2e/mistakes/table.sh --write` makes it anew.
TEXT
	rows
} >"$work"
if [ "${1:-}" = --write ]; then
	cat "$work" >"$page"
else
	cat "$work"
fi
