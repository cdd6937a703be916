#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# library_exports_its_headers.sh accepts a library with the functions of its headers, and reports one that
# is missing and one that is too many.
#
#	library_exports_its_headers_catches_violations.sh [ROOT]
set -eu
. "$(dirname "$0")/../lib/violations.sh"
mkdir -p "$tree/include/dv"
cat >"$tree/include/dv/a.h" <<'END'
#include <stddef.h>
int dv_a(int x);
const char *dv_b(const char *const *list,
		 size_t n);
static inline int dv_c(void)
{
	return 0;
}
END

# library STATUS LINE: the C of the library on stdin.
library() {
	gcc -shared -fPIC -fvisibility=default -x c - -o "$tree/lib.so"
	expect_output "$1" "^$2$" "$check" "$tree" "$tree/lib.so"
}

library 0 '2 functions declared' <<<'int dv_a(int x) { return x; } void *dv_b(void) { return 0; }'
library 1 'dv_b is declared in a public header and not exported' <<<'int dv_a(int x) { return x; }'
library 1 'dv_c is exported and not declared in a public header' <<<'int dv_a, dv_b, dv_c;'
