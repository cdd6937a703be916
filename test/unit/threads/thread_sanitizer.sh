#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# thread_sanitizer.sh SOURCE BUILD PROGRAM...: the programs of this folder, built with ThreadSanitizer in the folder
# BUILD, which is kept, find no data race. Exit status 77: the compiler has no such library.
#
# Only what is linked into a program can be checked so: the library that dvkit-emu preloads is called before
# ThreadSanitizer has started.
set -eu
source=$1 build=$2
shift 2
mkdir -p "$build"
echo 'int main(void) { return 0; }' >"$build/try.c"
cc -fsanitize=thread "$build/try.c" -o "$build/try" 2>/dev/null && "$build/try" || exit 77
cmake -S "$source" -B "$build" -DDVKIT_TESTS=ON -DDVKIT_MAN=OFF -DDVKIT_SANITIZE=thread >"$build/log" 2>&1 &&
	cmake --build "$build" --parallel 2 --target "$@" >>"$build/log" 2>&1 || { tail -n 50 "$build/log" && exit 1; }
for program in "$@"; do
	TSAN_OPTIONS='halt_on_error=1 exitcode=66' "$build/bin/$program"
done
