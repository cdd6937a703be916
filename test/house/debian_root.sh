#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ./run in a root of a Debian release, made by debootstrap. Needs root, debootstrap, git and a
# Debian mirror, and some GB of disk.
#
#	debian_root.sh [--fresh] RELEASE TREE ARGUMENT...
#		RELEASE (12, 13 or sid) in ~/.cache/dvkit/debian-RELEASE, kept for the next time unless
#		--fresh; in it ./run ARGUMENT... of TREE with its changes to files that git knows.
#	debian_root.sh --temporary RELEASE [TREE]
#		The first steps of a newcomer, on an empty machine: a new root, a clean clone of the
#		committed tree, ./run demo, ./run test. Part of ./run test --long.
#
# Only main of RELEASE is offered inside, no updates and no security suite: what works there
# works anywhere. The mirror and the proxy are those of this machine's apt.
# Exit status: that of ./run; 77: something is missing here.
set -eu

fresh='' temporary=''
case ${1:-} in
--fresh) fresh=1 ;;
--temporary) temporary=1 ;;
*) set -- '' "$@" ;;
esac
release=${2:?a release of Debian}
tree=$(cd "${3:-$(dirname "$0")/../..}" && pwd)
arguments=("${@:4}")
case $release in
12) suite=bookworm ;;
13) suite=trixie ;;
sid) suite=sid ;;
*)
	echo "debian_root.sh: release 12, 13 or sid, not '$release'"
	exit 2
	;;
esac

# shellcheck source=../../scripts/root.sh
. "$tree/scripts/root.sh"

root_possible || exit 77
command -v git >/dev/null || { echo 'git is not installed'; exit 77; }
if [ -n "$temporary" ]; then
	root=$(mktemp -d /var/tmp/dvkit-debian-root.XXXXXX)
	trap 'rm -rf --one-file-system "$root" "$root.new" "$root.log"' EXIT
else
	root=${XDG_CACHE_HOME:-$HOME/.cache}/dvkit/debian-$release
	mkdir -p "$(dirname "$root")"
	exec 9>"$root.lock"
	flock -n 9 || { echo "$root: in use by another run"; exit 1; }
	[ -z "$fresh" ] || rm -rf --one-file-system "$root"
fi

# copy_tree: what did not change keeps its time, so that only the rest is built again.
copy_tree() {
	local git=(git -c advice.detachedHead=false -C "$root/dvkit")
	[ -d "$root/dvkit/.git" ] || git clone --quiet "$tree" "$root/dvkit"
	"${git[@]}" fetch --quiet "$tree" HEAD
	"${git[@]}" reset --quiet --hard FETCH_HEAD
	"${git[@]}" clean --quiet -d --force # files of an earlier patch; what is built is ignored and stays
	git -C "$tree" diff --binary HEAD | "${git[@]}" apply --allow-empty
}

[ -e "$root/etc/debian_version" ] || step "Debian $release ($suite) in $root" root_make "$suite"
if [ -n "$temporary" ]; then
	git clone --quiet "$tree" "$root/dvkit"
	step './run demo' root_inside /dvkit/run demo
	step './run demo, with everything in place' root_inside /dvkit/run demo
	step './run test' root_inside /dvkit/run test
	exit
fi
copy_tree
status=0
step "Debian $release: ./run ${arguments[*]}" root_inside /dvkit/run "${arguments[@]}" |
	tee "$root.out"
status=${PIPESTATUS[0]}
# the total is the last line
grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$root.out" | tail -n 1
rm -f "$root.out"
exit "$status"
