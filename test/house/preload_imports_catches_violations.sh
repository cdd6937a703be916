#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# preload_imports.sh accepts a library that calls what is permitted, and reports each call that is not.
#
#	preload_imports_catches_violations.sh [ROOT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0

# expect STATUS OUTPUT: the C of the library on stdin.
expect() {
	local status=0
	gcc -shared -fPIC -fno-builtin -include unistd.h -include string.h -include stdlib.h -x c - -o "$dir/lib.so"
	"$here/preload_imports.sh" "$dir/lib.so" >"$dir/out" || status=$?
	[ $status = "$1" ] && [ "$(sort "$dir/out")" = "$2" ] && return
	echo "status $status, not $1, or not '$2':"
	cat "$dir/out"
	failures=1
}

says() {
	echo "$1 is libc's: the program may have replaced it (emu/preload/libc.def)"
}

expect 0 '' <<<'size_t f(const char *s) { return strlen(s); }'
expect 1 "$(says read)" <<<'ssize_t f(void *p) { return read(0, p, strlen(p)); }'
expect 1 "$(says free)
$(says malloc)" <<<'void f(void) { free(malloc(1)); }'
# A name that begins or ends like a permitted one is another.
expect 1 "$(says strdup)" <<<'char *f(const char *s) { return strdup(s); }'
exit $failures
