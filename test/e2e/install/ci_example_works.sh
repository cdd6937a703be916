#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The project of docs/ci.md: the page shows its files as they are, and the steps of its workflow run against an
# installed tree. Not run: steps that need a network (packages, the clone of dvkit), and the Dockerfile.
#
#	ci_example_works.sh CMAKE BUILD LIBDIR
set -u
. "$(dirname "$0")/../../lib/frame.sh"
cmake=$1 build=$2 lib=$3
here=$(cd "$(dirname "$0")" && pwd)
docs=$here/../../../docs
# shellcheck source=pages.sh
. "$here/pages.sh"
# shellcheck source=../../lib/tcp.sh
. "$here/../../lib/tcp.sh"
ran=0

# shows LANGUAGE FILE: the page does.
shows() {
	block "$docs/ci.md" "$1" 1 | diff - "$docs/ci-example/$2" || fail "docs/ci.md shows another $2"
}
shows cmake CMakeLists.txt
shows sh pair.sh
shows meson meson.build
shows yaml .github/workflows/rdma.yml
shows dockerfile Dockerfile
block "$docs/first-program.md" c 1 | diff - "$docs/ci-example/write.c" || fail 'docs/first-program.md shows another write.c'

installed "$cmake" "$build" "$work/prefix" || exit
cp -r "$docs/ci-example" "$work/example" && cd "$work/example" || exit
export PATH=$work/prefix/bin:$PATH CMAKE_PREFIX_PATH=$work/prefix
export PKG_CONFIG_PATH=$work/prefix/$lib/pkgconfig LD_LIBRARY_PATH=$work/prefix/$lib
PORT=$(free_ports)
export PORT

# The `run: |` blocks, one at a time: name, then the script.
for ((number = 1; ; number++)); do
	awk -v number=$number '
		/^ *run: \|$/ { n++; inside = n == number; next }
		/^      - / { inside = 0 }
		inside { sub(/^          /, ""); print }' .github/workflows/rdma.yml >step
	[ -s step ] || break
	grep -qE '^(apt-get|git clone) ' step && continue
	if grep -q '^meson ' step && ! command -v meson >/dev/null; then
		echo 'no meson'
		continue
	fi
	ran=$((ran + 1))
	bash -e -o pipefail step >log 2>&1 </dev/null && continue
	fail "step $number: $(tail -n 40 log)"
done
[ $ran -ge 2 ] || fail "only $ran steps"
echo "$ran steps"
