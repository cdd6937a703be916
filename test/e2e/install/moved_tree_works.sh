#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# An installed tree works at once, also after it was moved: no configuration of the loader, no path in it.
#
#	cmake --install BUILD --prefix A; mv A B
#	B: dvkit.pc, CMake package -> a program -> B/bin/dvkit-emu
#	B: dvfw, dvperf, man pages
#
#	moved_tree_works.sh CMAKE BUILD LIBDIR
set -eu
. "$(dirname "$0")/../../lib/frame.sh"
cmake=$1
build=$2
lib=$3
here=$(cd "$(dirname "$0")" && pwd)
prefix=$work/moved/to
unset LD_LIBRARY_PATH CMAKE_PREFIX_PATH PKG_CONFIG_PATH

# expect REGEX COMMAND...: it ends with 0, and a line of its output is REGEX.
expect() {
	expect_output 0 "^$1$" "${@:2}" </dev/null
}

"$cmake" --install "$build" --prefix "$work/first" >/dev/null
mkdir "$work/moved"
mv "$work/first" "$prefix"

# Installed files name places relative to themselves.
if grep -rlF -e "$work/first" -e "$build" "$prefix/$lib/pkgconfig" "$prefix/$lib/cmake"; then
	fail 'these files name a folder that is not there'
fi

export PKG_CONFIG_PATH=$prefix/$lib/pkgconfig
# shellcheck disable=SC2046 # one word per option
expect '' sh -c "gcc '$here/program.c' -o '$work/gcc' $(pkg-config --cflags --libs dvkit) && echo"
expect 'opcode 0' env LD_LIBRARY_PATH="$prefix/$lib" \
	"$prefix/bin/dvkit-emu" --fabric "install-$$" -- "$work/gcc"
unset PKG_CONFIG_PATH

# CMake gives programs of a build tree a RUNPATH, so that this one needs no LD_LIBRARY_PATH.
expect '' sh -c "'$cmake' -S '$here/project' -B '$work/project' -DCMAKE_PREFIX_PATH='$prefix' && \
	'$cmake' --build '$work/project' && echo"
expect 'opcode 0' "$prefix/bin/dvkit-emu" --fabric "install-$$" -- "$work/project/program"

expect '.*GENERAL .*' "$prefix/bin/dvfw" list groups
expect '.*known from .*CREATE_CQ.*' "$prefix/bin/dvfw" explain 0x62bbc6
expect 'dvperf [0-9.]*' "$prefix/bin/dvperf" --version
# Programs that dvperf starts move with it; MPI is loaded by one of these only.
cp "$here/../dvperf/data/of-0.1.json" "$work/"
expect 'Usage: dvperf report .*' "$prefix/bin/dvperf" report --help
! has_modules matplotlib scipy || {
	expect ".*/page.html" "$prefix/bin/dvperf" report "$work/of-0.1.json" -o "$work/page.html"
	expect '  mops .*' "$prefix/bin/dvperf" compare "$work/of-0.1.json" "$work/of-0.1.json"
}
[ -z "$(find "$prefix" -name __pycache__)" ] || fail 'Python writes into the installed tree'
if [ -x "$prefix/libexec/dvkit/dvperf-mpi" ]; then
	expect 'dvperf: --pattern wants ranks: .*' sh -c "'$prefix/bin/dvkit-emu' --fabric install-$$ -- \
		'$prefix/bin/dvperf' bw --pattern=pairs 2>&1 || true"
else
	expect 'dvperf: --pattern: dvperf-mpi is not installed.*' sh -c "'$prefix/bin/dvkit-emu' --fabric install-$$ -- \
		'$prefix/bin/dvperf' bw --pattern=pairs 2>&1 || true"
fi
if ldd "$prefix/bin/dvperf" | grep -i -e mpi -e ucx -e ucp; then
	fail 'dvperf loads MPI'
fi
expect '\.TH "dv_sq" "3" .*' cat "$prefix/share/man/man3/dv_sq.3"
expect '\.TH "dv_cq" "3" .*' cat "$prefix/share/man/man3/dv_cq_poll.3"
for program in dvfw dvperf dvkit-emu; do
	expect "complete -F .* $program" tail -n 1 "$prefix/share/bash-completion/completions/$program"
done
