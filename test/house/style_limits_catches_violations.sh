#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Files just inside the walls pass style_limits.sh, files just outside do not.
set -eu
. "$(dirname "$0")/../lib/violations.sh"
spdx='/* SPDX-License-Identifier: BSD-2-Clause */'
head='/* The purpose. */'

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

# files RESULT WHAT: what comes of the files, which are removed then.
files() {
	expect "$1" "$2" "$tree"
	rm -f "$tree"/*
}

file a.h 399; file a.c 599
files accepted 'files as long as the wall'
file a.h 400
files refused 'a header of 401 lines'
file a.c 600
files refused 'a .c file of 601 lines'
function_of a.c 60
files accepted 'a body of 60 lines'
function_of a.c 61
files refused 'a body of 61 lines'
{ echo "$head"; echo 'int x;'; } >"$tree/a.c"
files refused 'a file without SPDX line'
{ echo "$spdx"; echo 'int x;'; } >"$tree/a.c"
files refused 'a file without a comment at its head'
{ echo "$spdx"; echo; echo '#include <a.h>'; echo "$head"; } >"$tree/a.c"
files refused 'a file whose first comment is after an #include'
{ echo "$spdx"; echo "$head"; echo '/* TO''DO */'; } >"$tree/a.c"
files refused 'a file that leaves something to do'
# prose COLUMNS: a file with a comment that wide.
prose() {
	{ echo "$spdx"; echo "$head"; printf '/* a comment of words %s */\n' "$(printf '%*s' $(($1 - 25)) '' | tr ' ' x)"; } >"$tree/a.c"
}
prose 96
files accepted 'a comment of 96 columns'
prose 97
files refused 'a comment of 97 columns'
{ echo "$spdx"; echo "$head"; printf '/*\n *\tdiagram %s\n */\n' "$(printf '%*s' 100 '' | tr ' ' -)"; } >"$tree/a.c"
files accepted 'a diagram of 116 columns'
