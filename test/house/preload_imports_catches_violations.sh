#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# preload_imports.sh accepts a library that calls what is permitted, and reports each call that is not.
#
#	preload_imports_catches_violations.sh [ROOT]
set -eu
. "$(dirname "$0")/../lib/violations.sh"

# library STATUS OUTPUT: the C of the library on stdin.
library() {
	gcc -shared -fPIC -fno-builtin -include unistd.h -include string.h -include stdlib.h -x c - -o "$work/lib.so"
	expect_status "$1" "$check" "$work/lib.so"
	expect_equal 'the output' "$(sort "$work/out")" "$2"
}

says() {
	echo "$1 is libc's: the program may have replaced it (emu/preload/libc.def)"
}

library 0 '' <<<'size_t f(const char *s) { return strlen(s); }'
library 1 "$(says read)" <<<'ssize_t f(void *p) { return read(0, p, strlen(p)); }'
library 1 "$(says free)
$(says malloc)" <<<'void f(void) { free(malloc(1)); }'
# A name that begins or ends like a permitted one is another.
library 1 "$(says strdup)" <<<'char *f(const char *s) { return strdup(s); }'
