#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every public header compiles by itself, first in its file, as C11 and as C++17, with gcc; all of them together,
# with clang too if it is installed, as these and as C23, C++20 and C++23 where the compiler knows them. Without a
# warning, also with -Wpedantic, -Wconversion and -Wshadow.
# (_DEFAULT_SOURCE: mlx5dv.h itself needs htobe32 and similar functions.)
#
#	public_headers_compile_alone.sh [ROOT]
set -eu
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
failures=0
compiled=0

headers=$(cd "$root/include" && find . -name '*.h' | sort | sed 's|^\./||')

# compile LANGUAGE STANDARD COMPILER HEADER...
compile() {
	language=$1 standard=$2 compiler=$3
	shift 3
	compiled=$((compiled + 1))
	{ printf '#include "%s"\n' "$@" && echo 'struct alone;'; } |
		"$compiler" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
			-fsyntax-only -D_DEFAULT_SOURCE -I "$root/include" - && return 0
	[ "$1" = "$2" ] && echo "$1 does not compile alone: $compiler -std=$standard" ||
		echo "the headers do not compile: $compiler -std=$standard"
	failures=1
}

# alone LANGUAGE STANDARD COMPILER
alone() {
	command -v "$3" >/dev/null || return 0
	for header in $headers; do
		compile "$@" "$header" "$header"
	done
}

# together LANGUAGE STANDARD COMPILER
together() {
	command -v "$3" >/dev/null || return 0
	"$3" -x "$1" -std="$2" -fsyntax-only - </dev/null 2>/dev/null || return 0
	# shellcheck disable=SC2086 # one word per header
	compile "$@" $headers
}

alone c c11 gcc
alone c++ c++17 g++
for standard in c11 c2x; do
	together c $standard gcc
	together c $standard clang
done
for standard in c++17 c++20 c++2b; do
	together c++ $standard g++
	together c++ $standard clang++
done
echo "$compiled compilations"
[ "$compiled" -gt 0 ] && exit $failures
