#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A check that never fails proves nothing: made-up files with one rejected word each are reported
# with file and line, in comments, strings, test names, file names, scripts and documents;
# identifiers and files of plain words are accepted.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# reported FILE LINE TEXT: with TEXT appended to a clean tree's FILE, "FILE:LINE:" is reported.
reported() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/lib"
	printf '%s\n' '// A comment.' 'int door_of(int room);' >"$tree/lib/a.c"
	printf '%s\n' '# A title' >"$tree/lib/a.md"
	printf '%s\n' '#!/bin/sh' >"$tree/lib/a.sh"
	printf '%b\n' "$3" >>"$tree/lib/$1"
	if out=$("$here/plain_english.sh" "$tree"); then
		echo "accepted: $3 in $1"
		failures=1
	elif ! echo "$out" | grep -q "^lib/$1:$2: "; then
		echo "reported, but not at line $2 of $1: $out"
		failures=1
	fi
}

# accepted FILE TEXT: no report.
accepted() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/lib"
	printf '%b\n' "$2" >"$tree/lib/$1"
	if ! "$here/plain_english.sh" "$tree"; then
		echo "rejected: $2 in $1"
		failures=1
	fi
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
reported nobody_reads.c 0 '// A file name.'

accepted a.c 'int lap(int door, int room) { return door_behind(room) + floor(door); }'
accepted a.c '/* The doorbell, the bedroom and the overlap. */'
accepted a.c "char quote = '\"'; int behind; char *s = \"plain\"; int told;"
accepted a.c '/* NULL: there is none. */'
accepted a.py 'if what is None: # no opcode'
accepted a.md 'Notwithstanding: an outstanding flag.'

# A path may be given.
rm -rf "${tree:?}"/*
mkdir -p "$tree/dv"
echo '// the ring stands there' >"$tree/dv/a.c"
if "$here/plain_english.sh" "$tree" dv >/dev/null; then
	echo 'a path that was given was not checked'
	failures=1
fi
exit $failures
