#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every public header compiles by itself, first in its file, as C11 and as C++17, with every
# compiler of gcc and clang that is installed, without a warning.
# (_DEFAULT_SOURCE: mlx5dv.h itself needs htobe32 and similar functions.)
#
#	public_headers_compile_alone.sh [ROOT]
set -eu
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
failures=0
compiled=0

# compile HEADER LANGUAGE STANDARD COMPILER
compile() {
	command -v "$4" >/dev/null || return 0
	compiled=$((compiled + 1))
	printf '#include "%s"\n#include "%s"\n' "$1" "$1" |
		"$4" -x "$2" -std="$3" -Wall -Wextra -Werror -fsyntax-only \
			-D_DEFAULT_SOURCE -I "$root/include" - && return 0
	echo "$1 does not compile alone: $4 -std=$3"
	failures=1
}

for header in $(cd "$root/include" && find . -name '*.h' | sort | sed 's|^\./||'); do
	compile "$header" c c11 gcc
	compile "$header" c++ c++17 g++
	compile "$header" c c11 clang
	compile "$header" c++ c++17 clang++
done
echo "$compiled compilations"
[ "$compiled" -gt 0 ] && exit $failures
