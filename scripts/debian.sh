# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Part of ./run: installs Debian packages, and unpacks those that cannot be installed: newer kernel
# headers, and the libraries of another architecture. Uses quietly() of run.

aarch64_sysroot=(libc6 libc6-dev linux-libc-dev libgcc-s1 libibverbs-dev libibverbs1
	ibverbs-providers libnl-3-200 libnl-3-dev libnl-route-3-200 libnl-route-3-dev)

# update: the package lists, once; without a network the present ones are used.
updated=
update() {
	[ -z "$updated" ] || return 0
	quietly apt-get update || echo 'going on with the package lists as they are'
	updated=1
}

# need PACKAGE...: installs those that are missing; without root or apt it names them and goes on.
need() {
	local missing
	if ! command -v dpkg-query >/dev/null; then
		echo "not a Debian machine; needed is what Debian calls: $*"
		return
	fi
	missing=$({
		dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
			sed -n 's/^installed //p'
		printf '%s\n' "$@"
	} | sort | uniq -u | xargs)
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		echo "missing: $missing; install them with: apt-get install $missing"
		return
	fi
	echo "installing: $missing"
	update
	# Another apt may be at work, as on a machine that has just started.
	# shellcheck disable=SC2086 # one word per package
	quietly env DEBIAN_FRONTEND=noninteractive \
		apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends $missing
}

# kernel_headers DIR: makes Linux' mlx5_ifc.h of 6.12 or newer available, an oracle of test/,
# and prints where it is. Installed, or offered by apt: as a package. Else (apt knows bookworm
# main only, which has 6.1's): out of Debian's security archive, unpacked in DIR.
kernel_headers() {
	local newest
	newest=$(newest_mlx5_ifc /usr/src)
	if [ -z "$newest" ] && command -v apt-cache >/dev/null; then
		newest=$(newest_headers_package)
		if [ -n "$newest" ]; then
			need "$newest" >&2
		else
			quietly unpack_headers "$1" >&2 || true
		fi
	fi
	newest=$(newest_mlx5_ifc /usr/src "$1")
	[ -n "$newest" ] || echo 'no mlx5_ifc.h of Linux 6.12 or newer: skipping what needs it' >&2
	echo "$newest"
}

# newest_mlx5_ifc DIR...: of those that know the alias and allow commands.
newest_mlx5_ifc() {
	local dir
	for dir in "$@"; do
		grep -sl mlx5_ifc_allow_other_vhca_access_in_bits \
			"$dir"/linux-headers-*-common/include/linux/mlx5/mlx5_ifc.h || true
	done | sort -V | tail -n 1
}

# newest_headers_package APT_OPTION...: its name, if it is 6.12 or newer.
newest_headers_package() {
	apt-cache "$@" search --names-only '^linux-headers-[0-9].*-common$' |
		sed 's/ .*//' | sort -V | tail -n 1 |
		awk -F '[-.]' '$3 > 6 || $3 == 6 && $4 >= 12'
}

# unpack_headers DIR: with separate package lists; apt's configuration is not changed.
unpack_headers() {
	local work apt package
	work=$(mktemp -d)
	mkdir "$work/lists"
	echo 'deb http://deb.debian.org/debian-security bookworm-security main' >"$work/sources"
	apt=(-o Dir::Etc::SourceList="$work/sources" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::State::Lists="$work/lists")
	apt-get "${apt[@]}" update
	package=$(newest_headers_package "${apt[@]}")
	(cd "$work" && apt-get "${apt[@]}" download "$package")
	dpkg-deb -x "$work"/*.deb "$work/root"
	mkdir -p "$1"
	cp -r "$work/root/usr/src/." "$1"
	rm -rf "$work"
}

# unpack_sysroot DIR: Debian's arm64 packages, with separate package lists; the architecture is not
# added to this machine's apt.
unpack_sysroot() {
	local work apt package
	work=$(mktemp -d)
	mkdir "$work/lists" "$work/root"
	echo 'deb [arch=arm64] http://deb.debian.org/debian bookworm main' >"$work/sources"
	apt=(-o Dir::Etc::SourceList="$work/sources" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::State::Lists="$work/lists" -o APT::Architectures::=arm64)
	if ! apt-get "${apt[@]}" update ||
		! (cd "$work" && apt-get "${apt[@]}" download "${aarch64_sysroot[@]/%/:arm64}"); then
		rm -rf "$work"
		return 1
	fi
	for package in "$work"/*.deb; do
		dpkg-deb -x "$package" "$work/root" || return 1
	done
	rm -rf "$1"
	mkdir -p "$(dirname "$1")"
	mv "$work/root" "$1"
	rm -rf "$work"
}
