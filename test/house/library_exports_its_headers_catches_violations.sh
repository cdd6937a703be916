#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# library_exports_its_headers.sh accepts a library with the functions of its headers, and reports one that
# is missing and one that is too many.
#
#	library_exports_its_headers_catches_violations.sh [ROOT]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
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

# expect STATUS LINE: the C of the library on stdin.
expect() {
	local status=0
	gcc -shared -fPIC -fvisibility=default -x c - -o "$tree/lib.so"
	"$here/library_exports_its_headers.sh" "$tree" "$tree/lib.so" >"$tree/out" || status=$?
	[ $status = "$1" ] && grep -qx "$2" "$tree/out" && return
	echo "status $status, not $1, or no line '$2':"
	cat "$tree/out"
	failures=1
}

expect 0 '2 functions declared' <<<'int dv_a(int x) { return x; } void *dv_b(void) { return 0; }'
expect 1 'dv_b is declared in a public header and not exported' <<<'int dv_a(int x) { return x; }'
expect 1 'dv_c is exported and not declared in a public header' <<<'int dv_a, dv_b, dv_c;'
exit $failures
