# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Part of ./run: the emulator and Linux' Soft-RoCE on one network. Uses need(), quietly(), configure() and
# compile() of run.

softroce_packages=(qemu-system-x86 busybox-static cpio kmod util-linux xz-utils iproute2 python3-minimal
	ibverbs-utils rdmacm-utils perftest ucx-utils)

# unpack_kernel DIR [COMMAND]: Debian's kernel, in DIR; it is not installed, so this machine's boot loader does not see
# it. COMMAND: root_inside, for that of the release in $root.
unpack_kernel() {
	local package work inside=${2-}
	package=$($inside apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-.*\)/\1/p' | head -n 1)
	[ -n "$package" ] || { echo 'apt does not know linux-image-amd64'; return 1; }
	work=$(mktemp -d ${inside:+-p "$root/tmp"})
	# shellcheck disable=SC2016 # expanded by the inner shell
	if ! $inside sh -c 'cd "$0" && apt-get download "$1"' "${work#"${inside:+$root}"}" "$package" ||
		! dpkg-deb -x "$work"/*.deb "$work/root"; then
		rm -rf "$work"
		return 1
	fi
	[ -d "$work/root/lib" ] || ln -s usr/lib "$work/root/lib" # of Debian 13
	rm -rf "$1"
	mkdir -p "$(dirname "$1")"
	mv "$work/root" "$1"
	rm -rf "$work"
}

# on_softroce REGEX: the rows of test/e2e/softroce/matrix.sh whose name it matches.
on_softroce() {
	local status=0
	# shellcheck disable=SC2154 # an array of run
	need "${build_packages[@]}" "${softroce_packages[@]}"
	if [ ! -d build/kernel ]; then
		update
		quietly unpack_kernel "$PWD/build/kernel" || { echo 'no kernel for the guest' >&2; return 1; }
	fi
	configure build -DDVKIT_TESTS=ON
	compile build dvkit-emu dvkit-emu-preload mixed_operations
	test/e2e/softroce/matrix.sh build/kernel build/bin --only "$1" build/softroce.txt || status=$?
	[ $status != 77 ] || echo '0 passed, 0 failed, 1 skipped'
	return $status
}
