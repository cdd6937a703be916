#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files just inside the walls pass style_limits.sh, files just outside do not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
spdx='/* SPDX-License-Identifier: BSD-2-Clause */'
head='/* What it does. */'

# lines N: N lines of harmless C.
lines() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "\tx++;" }'
}

# file NAME N: SPDX line, a comment and N - 1 more.
file() {
	{ echo "$spdx"; echo "$head"; lines $(($2 - 1)); } >"$tree/$1"
}

# function NAME N: a function whose body has N lines.
function_of() {
	{ echo "$spdx"; echo "$head"; echo 'void f(int x)'; echo '{'; lines "$2"; echo '}'; } >"$tree/$1"
}

expect() {
	if out=$("$here/style_limits.sh" "$tree"); then
		result=accepted
	else
		result=refused
	fi
	if [ "$result" != "$1" ]; then
		echo "$2 was $result: $out"
		failures=1
	fi
	rm -f "$tree"/*
}

file a.h 399; file a.c 599
expect accepted 'files as long as the wall'
file a.h 400
expect refused 'a header of 401 lines'
file a.c 600
expect refused 'a .c file of 601 lines'
function_of a.c 60
expect accepted 'a body of 60 lines'
function_of a.c 61
expect refused 'a body of 61 lines'
{ echo "$head"; echo 'int x;'; } >"$tree/a.c"
expect refused 'a file without SPDX line'
{ echo "$spdx"; echo 'int x;'; } >"$tree/a.c"
expect refused 'a file without a comment at its head'
{ echo "$spdx"; echo; echo '#include <a.h>'; echo "$head"; } >"$tree/a.c"
expect refused 'a file whose first comment is after an #include'
{ echo "$spdx"; echo "$head"; echo '/* TO''DO */'; } >"$tree/a.c"
expect refused 'a file that leaves something to do'
# prose COLUMNS: a file with a comment that wide.
prose() {
	{ echo "$spdx"; echo "$head"; printf '/* a comment of words %s */\n' "$(printf '%*s' $(($1 - 25)) '' | tr ' ' x)"; } >"$tree/a.c"
}
prose 96
expect accepted 'a comment of 96 columns'
prose 97
expect refused 'a comment of 97 columns'
{ echo "$spdx"; echo "$head"; printf '/*\n *\tdiagram %s\n */\n' "$(printf '%*s' 100 '' | tr ' ' -)"; } >"$tree/a.c"
expect accepted 'a diagram of 116 columns'
exit $failures
