#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# made-up files with one rejected word each are reported
# with file and line, in comments, strings, test names, file names, scripts and documents;
# identifiers and files of plain words are accepted.
set -eu
. "$(dirname "$0")/../lib/violations.sh"

# reported FILE LINE TEXT: with TEXT appended to a clean tree's FILE, "FILE:LINE:" is reported.
reported() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/lib"
	printf '%s\n' '// A comment.' 'int door_of(int room);' >"$tree/lib/a.c"
	printf '%s\n' '# A title' >"$tree/lib/a.md"
	printf '%s\n' '#!/bin/sh' >"$tree/lib/a.sh"
	printf '%b\n' "$3" >>"$tree/lib/$1"
	expect_report "^lib/$1:$2: " "$3 in $1" "$tree"
}

# accepted FILE TEXT: no report.
accepted() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/lib"
	printf '%b\n' "$2" >"$tree/lib/$1"
	expect accepted "$2 in $1" "$tree"
}

reported a.c 3 '/* The segment behind it. */'
reported a.c 3 'int a; // told of again'
reported a.c 4 '/* A comment of two lines\n * that nobody reads. */'
reported a.c 4 '/* There is a rule for\n * whoever reads two lines. */'
reported a.c 3 '/* The same for\n * who reads on. */'
reported a.c 3 'const char *s = "no door lets it pass";'
reported a.c 3 'const char *s = "say \\"a\\" and lies";'
reported a.c 3 'Test(cqe, data_stands_in_the_cqe)'
reported a.c 3 '/* Behind: any case. */'
reported a.md 2 'There is none in the table. The opcode is none.'
reported a.md 2 'A queue of its own.'
reported a.sh 2 '# the second lap'
reported a.sh 2 'echo "not to be had"'
reported a.c 3 '/* Of a mirror, the same for each QP. */'
reported a.c 3 'int a; // Who has no rule needs no RQ'
reported a.c 3 'int a; /* what is left of it */'
reported a.c 4 '/* A table exists while it has rules.\n * What is a rule: its share of an entry. */'
reported a.c 3 '/* The SRQ: 1. Of a QP, 0. */'
reported a.c 3 'const char *s = "What is counted";'
reported a.md 2 '- What it costs.'
reported a.md 2 'A list: **What** it reads.'
reported a.sh 2 '# What the tests need.'
reported nobody_reads.c 0 '// A file name.'

accepted a.c 'int lap(int door, int room) { return door_behind(room) + floor(door); }'
accepted a.c '/* The doorbell, the bedroom and the overlap. */'
accepted a.c "char quote = '\"'; int behind; char *s = \"plain\"; int told;"
accepted a.c '/* NULL: there is none. */'
accepted a.py 'if what is None: # no opcode'
accepted a.c '/* The bits of a CQE that say who has it, and what is in it. */'
accepted a.md '## What next?'
accepted a.md 'Notwithstanding: an outstanding flag.'

# A path may be given.
rm -rf "${tree:?}"/*
mkdir -p "$tree/dv"
echo '// the ring stands there' >"$tree/dv/a.c"
expect refused 'a path that was given' "$tree" dv
