#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A check that never fails proves nothing: names of files that do not exist are reported by
# docs_name_existing_files.sh, others are accepted.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# expect RESULT TEXT: a page with that text, beside dv/sq.c and docs/a.md.
expect() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/dv" "$tree/docs"
	touch "$tree/dv/sq.c" "$tree/docs/a.md"
	printf '%b\n' "see \`dv/sq.c\`" "$2" >"$tree/docs/page.md"
	result=accepted
	out=$("$here/docs_name_existing_files.sh" "$tree" docs/page.md) || result=refused
	[ "$result" = "$1" ] && return
	echo "$2 was $result: $out"
	failures=1
}

expect accepted 'a [page](a.md), a [part](a.md#part), [code](../dv/sq.c)'
expect accepted 'a pattern: `dv/*.c`; a command: `dv --help`; a [site](https://example.com/a)'
expect accepted '```\n`dv/none.c`\n```'
expect refused 'a [page](b.md)'
expect refused 'a [page](a.md) and a [page](b.md)'
expect refused 'a file: `dv/cq.c`'
expect refused 'a pattern: `dv/*.h`'
expect refused 'a folder: `emu/`'
exit $failures
