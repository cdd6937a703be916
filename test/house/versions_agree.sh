#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The version of include/dvkit/version.h is that of the newest entry of CHANGELOG.md and of debian/changelog.
#
#	versions_agree.sh [ROOT]
set -eu
root=$(cd "${1:-$(dirname "$0")/../..}" && pwd)
failures=0

version=$(sed -nE 's/^#define DVKIT_VERSION_(MAJOR|MINOR|PATCH) +([0-9]+)$/\2/p' "$root/include/dvkit/version.h" |
	paste -sd .)

# agrees FILE VERSION
agrees() {
	[ "$2" = "$version" ] && return
	echo "$1 has version '$2', include/dvkit/version.h '$version'"
	failures=1
}

agrees CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p' "$root/CHANGELOG.md" | head -n 1)"
agrees debian/changelog "$(sed -n '1s/^dvkit (\(.*\)) .*/\1/p' "$root/debian/changelog")"
exit $failures
