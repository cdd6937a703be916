#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# versions_agree.sh accepts the same version everywhere and reports each file with another one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0
mkdir -p "$tree/include/dvkit" "$tree/debian"

# expect STATUS HEADER CHANGELOG DEBIAN: three versions; the header's as three words.
expect() {
	status=0
	# shellcheck disable=SC2086 # three words
	printf '#define DVKIT_VERSION_MAJOR %s\n#define DVKIT_VERSION_MINOR %s\n#define DVKIT_VERSION_PATCH %s\n' \
		$2 >"$tree/include/dvkit/version.h"
	printf '# Changelog\n\n## %s (unreleased)\n\n## 0.0.1\n' "$3" >"$tree/CHANGELOG.md"
	printf 'dvkit (%s) unstable; urgency=medium\n' "$4" >"$tree/debian/changelog"
	"$here/versions_agree.sh" "$tree" >"$tree/out" || status=$?
	[ $status = "$1" ] && return
	echo "$2, $3, $4: status $status, not $1"
	failures=1
}

expect 0 '1 2 3' 1.2.3 1.2.3
expect 1 '1 2 3' 1.2.4 1.2.3
expect 1 '1 2 3' 1.2.3 1.2.2
expect 1 '1 3 3' 1.2.3 1.2.3
exit $failures
