#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# versions_agree.sh accepts the same version everywhere and reports each file with another one.
set -eu
. "$(dirname "$0")/../lib/violations.sh"
mkdir -p "$tree/include/dvkit" "$tree/debian"

# versions RESULT HEADER CHANGELOG DEBIAN: three versions; the header's as three words.
versions() {
	# shellcheck disable=SC2086 # three words
	printf '#define DVKIT_VERSION_MAJOR %s\n#define DVKIT_VERSION_MINOR %s\n#define DVKIT_VERSION_PATCH %s\n' \
		$2 >"$tree/include/dvkit/version.h"
	printf '# Changelog\n\n## %s (unreleased)\n\n## 0.0.1\n' "$3" >"$tree/CHANGELOG.md"
	printf 'dvkit (%s) unstable; urgency=medium\n' "$4" >"$tree/debian/changelog"
	expect "$1" "$2, $3, $4" "$tree"
}

versions accepted '1 2 3' 1.2.3 1.2.3
versions refused '1 2 3' 1.2.4 1.2.3
versions refused '1 2 3' 1.2.3 1.2.2
versions refused '1 3 3' 1.2.3 1.2.3
