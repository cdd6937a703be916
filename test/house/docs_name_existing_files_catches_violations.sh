#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# names of files that do not exist are reported by
# docs_name_existing_files.sh, others are accepted.
set -eu
. "$(dirname "$0")/../lib/violations.sh"

# text RESULT TEXT: a page with that text, beside dv/sq.c and docs/a.md.
text() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/dv" "$tree/docs"
	touch "$tree/dv/sq.c" "$tree/docs/a.md"
	printf '%b\n' "see \`dv/sq.c\`" "$2" >"$tree/docs/page.md"
	expect "$1" "$2" "$tree" docs/page.md
}

text accepted 'a [page](a.md), a [part](a.md#part), [code](../dv/sq.c)'
text accepted 'a pattern: `dv/*.c`; a command: `dv --help`; a [site](https://example.com/a)'
text accepted '```\n`dv/none.c`\n```'
text refused 'a [page](b.md)'
text refused 'a [page](a.md) and a [page](b.md)'
text refused 'a file: `dv/cq.c`'
text refused 'a pattern: `dv/*.h`'
text refused 'a folder: `emu/`'
