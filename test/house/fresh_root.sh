#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What a newcomer does, on a machine that has nothing: a minimal Debian 12 (debootstrap), a
# clean clone of the committed tree, ./run demo, ./run test. Needs root, debootstrap, git and
# a Debian mirror; takes many minutes, so it is no part of ./run test but of ./run test --long.
#
#	fresh_root.sh [ROOT]
#
# Only bookworm main is offered inside, no updates and no security suite: what works there
# works anywhere. The mirror and the proxy are those of this machine's apt.
set -eu
tree=$(cd "${1:-$(dirname "$0")/../..}" && pwd)

for program in debootstrap git chroot unshare; do
	command -v $program >/dev/null || { echo "$program is not installed"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo 'needs root'; exit 77; }

mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
	awk '$1 == "bookworm" && $2 ~ /\/debian\/?$/ { print $2; exit }')
proxy=$(apt-config dump --format '%v%n' Acquire::http::Proxy)
root=$(mktemp -d /var/tmp/dvkit-fresh-root.XXXXXX)
trap 'rm -rf --one-file-system "$root"' EXIT
[ -z "$proxy" ] || export http_proxy=$proxy

# step WORDS COMMAND...: with the time it took.
step() {
	local words=$1 start=$SECONDS status=0
	shift
	echo "=== $words"
	"$@" </dev/null || status=$?
	echo "=== $words: exit status $status after $((SECONDS - start)) s"
	return $status
}

# inside COMMAND...: in the root, with /proc and /dev; a mount namespace takes the mounts away
# again, whatever happens.
inside() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --mount --propagation private sh -c '
		mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
			exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
				CI=true "$@"' "$root" "$@"
}

debootstrap --variant=minbase bookworm "$root" "${mirror:-http://deb.debian.org/debian}" \
	>"$root.log" 2>&1 || { tail -n 20 "$root.log"; rm -f "$root.log"; exit 1; }
rm -f "$root.log"
[ -z "$proxy" ] || echo "Acquire::http::Proxy \"$proxy\";" >"$root/etc/apt/apt.conf.d/00proxy"
git clone --quiet "$tree" "$root/dvkit"

step './run demo' inside /dvkit/run demo
step './run demo, with everything in place' inside /dvkit/run demo
step './run test' inside /dvkit/run test
