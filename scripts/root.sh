# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# Sourced by what needs a machine that has nothing: a minimal Debian in the folder $root. Needs root, debootstrap
# and a Debian mirror; the mirror and the proxy are those of this machine's apt.
#
#	root_possible || exit 77
#	root=$(mktemp -d)
#	root_make trixie
#	root_inside apt-get update

# Whether it can be made here; if not, the reason.
root_possible() {
	local program
	for program in debootstrap chroot unshare; do
		command -v $program >/dev/null || { echo "$program is not installed"; return 1; }
	done
	[ "$(id -u)" = 0 ] || { echo 'a Debian root needs root: for chroot and mount'; return 1; }
}

# root_make SUITE: in $root, which is empty or does not exist. Only main is offered inside, no updates and no
# security suite.
root_make() {
	local mirror proxy
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
		awk '/\/debian\/?$/ { print; exit }')
	proxy=$(apt-config dump --format '%v%n' Acquire::http::Proxy || true)
	[ -z "$proxy" ] || export http_proxy=$proxy
	rm -rf --one-file-system "$root.new"
	debootstrap --variant=minbase "$1" "$root.new" "${mirror:-http://deb.debian.org/debian}" \
		>"$root.log" 2>&1 || { tail -n 20 "$root.log"; return 1; }
	[ -z "$proxy" ] || echo "Acquire::http::Proxy \"$proxy\";" >"$root.new/etc/apt/apt.conf.d/00proxy"
	echo force-unsafe-io >"$root.new/etc/dpkg/dpkg.cfg.d/unsafe-io" # it can be made again
	[ ! -d "$root" ] || rmdir "$root"
	mv "$root.new" "$root"
	rm -f "$root.log"
}

# root_inside COMMAND...: in the root, with /proc, /sys and /dev; the mounts end with their
# namespace. The root is a mount point, so that commands in it can have namespaces of mounts.
root_inside() {
	local propagation=private
	# In a chroot / is not a mount point; there the namespace around it decides.
	unshare --mount --propagation private true 2>/dev/null || propagation=unchanged
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --propagation $propagation sh -c '
		mount --bind "$0" "$0" && mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" &&
			mount --rbind /dev "$0/dev" &&
			exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
				CI=true "$@"' "$root" "$@"
}

# step WORDS COMMAND...: with the time it took.
step() {
	local words=$1 start=$SECONDS status=0
	shift
	echo "=== $words"
	"$@" </dev/null || status=$?
	echo "=== $words: exit status $status after $((SECONDS - start)) s"
	return $status
}
