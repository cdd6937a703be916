# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Part of ./run: Linux' own driver on the emulator. Uses need(), update(), quietly(), configure() and compile() of
# run, and unpack_kernel() of scripts/softroce.sh.

linux_packages=(busybox-static cpio kmod xz-utils python3-minimal debootstrap ibverbs-utils rdmacm-utils iproute2 iputils-ping ethtool
	iperf3 kexec-tools)

# make_qemu: QEMU 10.1 or later, which has vfio-user-pci, in the folder $root: a root of Debian 13 with its backports.
make_qemu() {
	local mirror
	# shellcheck source=root.sh
	. scripts/root.sh
	root_possible || return 1
	mkdir -p "$(dirname "$root")"
	root_make trixie || return 1
	mirror=$(awk '$1 == "deb" { print $2; exit }' "$root/etc/apt/sources.list")
	echo "deb $mirror trixie-backports main" >"$root/etc/apt/sources.list.d/backports.list"
	root_inside apt-get update &&
		root_inside apt-get install -y --no-install-recommends -t trixie-backports qemu-system-x86 &&
		root_inside qemu-system-x86_64 -device help | grep -q vfio-user-pci
}

# linux_ready RELEASE: what is needed to build, QEMU in the folder $root, and in $kernel Debian 12's kernel or, 6.12, that of
# Debian 13.
linux_ready() {
	local inside=root_inside
	root=${XDG_CACHE_HOME:-$HOME/.cache}/dvkit/qemu kernel=build/kernel
	[ "$1" != 6.12 ] || kernel=build/kernel-6.12
	# shellcheck disable=SC2154 # an array of run
	need "${build_packages[@]}" "${linux_packages[@]}"
	if [ ! -x "$root/usr/bin/qemu-system-x86_64" ]; then
		rm -rf --one-file-system "$root"
		quietly make_qemu || { echo 'no QEMU with vfio-user-pci' >&2; return 1; }
	fi
	if [ ! -d $kernel ]; then
		# shellcheck source=root.sh
		. scripts/root.sh
		[ $kernel != build/kernel ] || { update && inside=; }
		quietly unpack_kernel "$PWD/$kernel" $inside || { echo 'no kernel for the guest' >&2; return 1; }
	fi
}

# on_linux --linux[=calls|=pyverbs][=6.12|,6.12]: the tests.
on_linux() {
	local root kernel more=() tests=(test/e2e/linux/probe.sh) test result passed=0 failed=0 skipped=0 status=0
	case $1 in
	*=calls) more=(build/bin/verbs_calls) ;;
	*=pyverbs*) more=(pyverbs) tests=(test/e2e/linux/foreign.sh) ;;
	*) tests+=(test/e2e/linux/{netdev,pair,faults,foreign}.sh) ;;
	esac
	linux_packages+=(perftest ucx-utils python3-pyverbs python3-scapy qperf nfs-kernel-server nfs-common nvme-cli)
	linux_ready "${1##*[=,]}" || return
	configure build -DDVKIT_TESTS=ON
	compile build dvkit-emu dvkit-emu-preload dvfw verbs_calls
	for test in "${tests[@]}"; do
		result=0
		"$test" $kernel build/bin "$root" "${more[@]}" || result=$?
		case $result in
		0) passed=$((passed + 1)) ;;
		77) skipped=$((skipped + 1)) ;;
		*) failed=$((failed + 1)) ;;
		esac
		[ $result = 0 ] || status=$result
	done
	echo "$passed passed, $failed failed, $skipped skipped"
	return $status
}

# on_guest ARGUMENT...: a virtual machine with mlx5_0. Standard output is for its console alone.
on_guest() {
	local root kernel release=6.1 packages=() options=()
	while [ $# != 0 ] && [[ $1 == --* ]]; do
		case $1 in
		--kernel=6.1 | --kernel=6.12) release=${1#*=} ;;
		--kernel*) refuse '--kernel is --kernel=6.1 or --kernel=6.12' ;;
		--with=?*) packages+=("${1#*=}") ;;
		--) break ;;
		*) options+=("$1") ;;
		esac
		shift
	done
	{
		[ ${#packages[@]} = 0 ] || need "${packages[@]}"
		linux_ready $release || return
		configure build
		compile build dvkit-emu dvkit-emu-preload
	} >&2
	test/e2e/linux/shell.sh "$kernel" build/bin "$root" "${options[@]}" "$@"
}
