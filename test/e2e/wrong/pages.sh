#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Makes docs/wrong-programs.md and docs/devx-mistakes.md of the Criterion tests of this folder.
#
#	pages.sh verbs|firmware		the page of that folder, to stdout
#	pages.sh --write		both, into docs/
#
# A row of verbs/ is the comment above a test,
#
#	wrong: what is wrong | what the device reports | who says so
#
# A row of firmware/ is the comment "mistake: what is wrong" above a test, and the message: the strings
# of says(...) in the test. A test without its comment, a comment of other parts and a comment without
# says() are errors: exit status 1.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
docs=$here/../../../docs

# Shared by both tables: fail(), and the name and the suite of a test.
common='
	function fail(what)
	{
		printf "%s:%d: %s\n", FILENAME, FNR, what | "cat 1>&2"
		bad = 1
	}

	/^Test\(/ {
		suite = name = $0
		sub(/^Test\(/, "", suite)
		sub(/,.*/, "", suite)
		sub(/^Test\([a-z_]*, */, "", name)
		sub(/[^a-z0-9_].*/, "", name)
	}

	# The title and the head of a table, when its first row follows.
	function begin(title, head)
	{
		if (title == last)
			return
		last = title
		printf "\n## %s\n\n%s\n", title, head
		gsub(/[^|]+/, "---", head)
		print head
	}'
last='
	END {
		close("cat 1>&2")
		exit bad
	}'

verbs() {
	cat <<'TEXT'
# Wrong programs, and what the device says of them

Each row is a test of `test/e2e/wrong/verbs`: a program with one mistake, and the completion status, errno value or
asynchronous event that an adapter answers with. The last column names who says so; *assumed* is an entry of
[assumptions.md](assumptions.md). `DVKIT_DEVICE=mlx5_0 test_wrong_verbs` asks a real one.

This page is generated; `test/e2e/wrong/pages.sh --write` makes it again.
TEXT
	awk "$common"'
	FNR == 1 {
		file = FILENAME
		sub(/.*\//, "", file)
		sub(/\.c$/, "", file)
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
		if (row == "")
			fail("no comment: " name)
		begin(file, "| program | what is wrong | what the device says | source |")
		printf "| %s | %s | %s | %s |\n", name, part[1], part[2], part[3]
		row = ""
		n++
	}

	END { printf "\n%d programs.\n", n }
	'"$last" "$here"/verbs/*.c
}

firmware() {
	cat <<'TEXT'
# Mistakes with firmware commands, and the message for each

Each row is a test of `test/e2e/wrong/firmware`: a program that uses devx and makes one mistake, and the line that
`devx_error_str()` has for it. *kernel* and *firmware* say who refused; a line without either is the library's own.
Syndromes from 0xe0000000 on are those of the emulator, 0xe0000000 | opcode << 8 | reason; an adapter's are its own, and
most of them are not published. `DVKIT_DEVICE=mlx5_0 test_wrong_firmware` asks a real one and compares what comes
before the syndrome.

This page is generated; `test/e2e/wrong/pages.sh --write` makes it again.
TEXT
	awk "$common"'
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

	/^\tsays\(/ { call = ""; open = 1 }
	open { call = call $0 }
	open && /\);$/ {
		open = 0
		if (mistake == "")
			fail("no comment: " name)
		begin(suite, "| test | the mistake | the message |")
		printf "| %s | %s | `%s` |\n", name, mistake, strings(call)
		mistake = ""
		n++
	}

	END {
		if (mistake != "")
			fail("no says(): " mistake)
		printf "\n%d mistakes.\n", n
	}
	'"$last" "$here"/firmware/*.c
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case ${1:-} in
verbs | firmware)
	"$1" >"$work/page"
	cat "$work/page"
	;;
--write)
	verbs >"$work/verbs"
	firmware >"$work/firmware"
	cat "$work/verbs" >"$docs/wrong-programs.md"
	cat "$work/firmware" >"$docs/devx-mistakes.md"
	;;
*)
	sed -n '/^#\tpages/s/^#\t//p' "$0" >&2
	exit 2
	;;
esac
