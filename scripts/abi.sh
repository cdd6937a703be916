# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Part of ./run: the library as built now against that of an earlier revision. Uses need(),
# configure() and compile() of run.

# soname LIBRARY
soname() {
	objdump -p "$1" | awk '$1 == "SONAME" { print $2 }'
}

# library_of REVISION DIR: builds it in DIR.
library_of() {
	mkdir -p "$2/source"
	git archive --output "$2/source.tar" "$1"
	tar -x -C "$2/source" -f "$2/source.tar"
	echo "building libdvkit of $1"
	quietly cmake -S "$2/source" -B "$2/build" -DDVKIT_TESTS=OFF -DDVKIT_MAN=OFF
	quietly cmake --build "$2/build" --parallel "$(nproc)" --target dvkit
}

# compare OLD NEW OPTION...: folders with an earlier source and its build; a build of this source.
compare() {
	abidiff "${@:3}" --headers-dir1 "$1/source/include" --headers-dir2 include \
		--drop-private-types "$1/build/lib/libdvkit.so" "$2/lib/libdvkit.so"
}

# run_abi [REVISION]: the last tag, if none is given.
run_abi() {
	local revision=${1:-} old new=build-abi status=0
	need "${build_packages[@]}" git abigail-tools
	if [ -z "$revision" ] && ! revision=$(git describe --tags --abbrev=0 2>/dev/null); then
		echo 'There is no tag yet: no earlier version of the library to compare with.'
		return 0
	fi
	git rev-parse --quiet --verify "$revision^{commit}" >/dev/null || {
		echo "run: there is no revision $revision" >&2
		return 2
	}
	old=$(mktemp -d)
	# shellcheck disable=SC2064 # the folder as it is now
	trap "rm -rf '$old'" EXIT
	library_of "$revision" "$old"
	configure $new -DDVKIT_TESTS=OFF -DDVKIT_MAN=OFF
	compile $new dvkit
	if [ "$(soname "$old/build/lib/libdvkit.so")" != "$(soname $new/lib/libdvkit.so)" ]; then
		echo "The soname is another one than that of $revision: nothing to compare."
		return 0
	fi
	compare "$old" $new || status=$?
	# abidiff(1): 1 error, 2 usage, 4 the interface changed, 8 incompatibly.
	[ $((status & 3)) = 0 ] || return 1
	if ! compare "$old" $new --no-added-syms >/dev/null; then
		echo "Changed since $revision, while the soname is the same: see docs/abi.md"
		return 1
	fi
	echo "Programs compiled with $revision work with this library."
}
